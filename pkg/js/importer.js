// The module that opens and writes files of other tools, loaded when first needed.
import { asset } from "#asset";

const WASM = new URL("../dist/importer/importer_bg.wasm", import.meta.url);
let module;

/** The module, once. */
export async function importer(signal) {
  module ??= (async () => {
    const [importer, bytes] = await Promise.all([import("../dist/importer/importer.js"), asset(WASM, {})]);
    await importer.default({ module_or_path: bytes });
    return importer;
  })();
  // What failed may be asked for again.
  module.catch(() => (module = undefined));
  signal?.throwIfAborted();
  return module;
}
