// The module of the context manager, loaded with the first call.
import { asset } from "#asset";

const WASM = new URL("../../dist/fit/fit_bg.wasm", import.meta.url);
let module;

/** The module, once. */
export function fit() {
  module ??= (async () => {
    const [fit, bytes] = await Promise.all([import("../../dist/fit/fit.js"), asset(WASM, {})]);
    await fit.default({ module_or_path: bytes });
    return fit;
  })();
  // What failed may be asked for again.
  module.catch(() => (module = undefined));
  return module;
}
