/** Starts the engine from the bytes of `galley_bg.wasm`, or from the module compiled from them. */
export function init(wasm: BufferSource | WebAssembly.Module): void;
export * from "./galley.js";
