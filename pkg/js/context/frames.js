// A summariser that streams.
import { json } from "../refusal.js";
import { fit } from "./module.js";

/** The text of an answer that came in frames, as `router::chat` streams it: JSON texts, or the objects they are. */
export async function foldFrames(frames) {
  const { foldFrames } = await fit();
  const texts = Array.from(frames, (frame) => (typeof frame === "string" ? frame : json(frame)));
  const { text, kind, message } = JSON.parse(foldFrames(texts));
  if (kind !== undefined) throw Object.assign(new Error(message || "there is no text"), { kind });
  return text;
}
