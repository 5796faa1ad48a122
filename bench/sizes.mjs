// What is downloaded: the engine's wasm, the panel's, and each vocabulary's counter with its load time.
import { readFileSync, readdirSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
import { loadEncoding } from "../pkg/js/index.js";
import { figure, kb, ms } from "./figures.mjs";

const bytes = (path) => readFileSync(new URL(`../${path}`, import.meta.url));

function sized(name, path, target) {
  const file = bytes(path);
  figure(`${name}, raw`, file.length, { unit: kb });
  figure(`${name}, brotli`, brotliCompressSync(file).length, { unit: kb, target });
}

sized("engine wasm (npm)", "pkg/dist/galley_bg.wasm", 350 * 1024);
for (const part of ["panel", "worker"]) {
  const file = readdirSync(new URL("../dist/", import.meta.url)).find((name) => name.startsWith(part) && name.endsWith(".wasm"));
  sized(`${part} wasm`, `dist/${file}`, part === "panel" ? 600 * 1024 : undefined);
}

console.log();
for (const name of ["o200k_base", "cl100k_base", "p50k_base", "r50k_base"]) {
  sized(`${name}: counter with its vocabulary`, `pkg/dist/counter/${name}_bg.wasm`);
  const from = performance.now();
  await loadEncoding(name);
  figure(`${name}: load, Node`, performance.now() - from, { unit: ms });
}
