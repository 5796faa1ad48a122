// For hosts that place the wasm themselves: nothing works before `init`.
import { initSync } from "../dist/galley.js";
import { installFace } from "./face.js";

/** Starts the engine from the bytes of `galley_bg.wasm`, or from the module compiled from them. */
export function init(wasm) {
  initSync({ module: wasm });
  installFace();
}

export * from "./face.js";
