// What both entries of the package export. The engine's own classes and functions come from the
// generated module as they are; this file adds what needs the outside.
import { installRefusal } from "../dist/galley.js";
import { Refusal } from "./refusal.js";

/** Once the engine's module is instantiated: how it throws. */
export function installFace() {
  installRefusal({ refuse: (fields) => new Refusal(fields) });
}

export { Session, catalogue, checkTemplate, openConversation } from "../dist/galley.js";
export { loadEncoding } from "./encodings.js";
export { createContextManager } from "./context/manager.js";
export { foldFrames } from "./context/frames.js";
export { undo } from "./context/undo.js";
export { adapters } from "./adapters/index.js";
export { convert } from "./convert.js";
export { openFile } from "./open.js";
export { Refusal };
