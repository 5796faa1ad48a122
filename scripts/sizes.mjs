// sizes.mjs FILE...: bytes as they are and as brotli sends them.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { brotliCompressSync } from "node:zlib";

export const sizes = (file) => {
  const bytes = readFileSync(file);
  return { raw: bytes.length, brotli: brotliCompressSync(bytes).length };
};

const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;

export const sizeLine = (file) => {
  const { raw, brotli } = sizes(file);
  return `${basename(file)}: ${kib(raw)}, brotli ${kib(brotli)}`;
};

if (import.meta.main ?? process.argv[1] === import.meta.filename) {
  for (const file of process.argv.slice(2)) console.log(sizeLine(file));
}
