// The package as most hosts import it: when this module has loaded, the engine is ready.
import { asset } from "#asset";
import load from "../dist/galley.js";
import { installFace } from "./face.js";

await load({ module_or_path: await asset(new URL("../dist/galley_bg.wasm", import.meta.url)) });
installFace();

export * from "./face.js";
