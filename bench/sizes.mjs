// What is downloaded: the engine's wasm, the panel's, the counter's, each vocabulary with its load time.
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
sized("counter wasm", "pkg/dist/counter/galley_counter_bg.wasm");

console.log();
for (const name of ["o200k_base", "cl100k_base", "p50k_base", "r50k_base"]) {
  // Shipped gzipped, which brotli cannot shrink.
  figure(`${name}: vocabulary as shipped`, bytes(`pkg/dist/counter/${name}.vocab`).length, { unit: kb });
  const from = performance.now();
  await loadEncoding(name);
  figure(`${name}: load, Node${name === "o200k_base" ? ", counter included" : ""}`, performance.now() - from, { unit: ms });
}
