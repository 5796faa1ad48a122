// Counting speed beside the counters that npm has, on the same text. Exactness is judged by the
// reference tokenizer; only exact counters are ranked.
//   node bench.mjs SPEED: the built `speed` example of the counter's crate.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { corpus } from "./corpus.mjs";
import { COUNTERS } from "./counters.mjs";

const native = process.argv[2];
const one = fileURLToPath(new URL("one.mjs", import.meta.url));
const texts = corpus();
const kinds = Object.keys(texts);
const total = Object.values(texts).reduce((sum, text) => sum + Buffer.byteLength(text), 0);

// What the reference counts, and the native speed.
const folder = mkdtempSync(join(tmpdir(), "galley-counting-"));
const files = kinds.map((kind) => join(folder, kind));
kinds.forEach((kind, at) => writeFileSync(files[at], texts[kind]));
const lines = execFileSync(native, files, { encoding: "utf8" }).trim().split("\n").map((line) => JSON.parse(line));
rmSync(folder, { recursive: true });
const reference = Object.fromEntries(lines.map(({ reference }, at) => [kinds[at], reference]));
const bytes = (kind) => Buffer.byteLength(texts[kind]);
const nativeAll = total / lines.reduce((time, { mb_per_s }, at) => time + bytes(kinds[at]) / mb_per_s, 0);

console.log(`${(total / 1e6).toFixed(1)} MB, ${Object.values(reference).reduce((a, b) => a + b)} tokens in o200k_base; text not seen before, warm code; MB/s\n`);
const row = (name, cells, last) => console.log(`  ${name.padEnd(18)}${cells.map((cell) => String(cell).padStart(8)).join("")}   ${last}`);
row("", [...kinds, "all"], "start");
row("galley, native", [...lines.map(({ mb_per_s }) => mb_per_s.toFixed(1)), nativeAll.toFixed(1)], "");

const measured = Object.keys(COUNTERS).map((name) => {
  const answer = JSON.parse(execFileSync(process.execPath, [one, name], { encoding: "utf8", maxBuffer: 1 << 24 }));
  for (const kind of kinds) {
    if (answer.totals[kind] !== reference[kind]) answer.differ.push(`the ${kind} of this bench: ${answer.totals[kind]} for ${reference[kind]}`);
  }
  return { name, ...answer };
});
const print = ({ name, speeds, start }) => row(name, [...kinds, "all"].map((kind) => speeds[kind].toFixed(1)), `${start.toFixed(0)} ms`);
const exact = measured.filter(({ differ }) => !differ.length).sort((a, b) => b.speeds.all - a.speeds.all);
exact.forEach(print);
const inexact = measured.filter(({ differ }) => differ.length);
if (inexact.length) console.log("\n  Not ranked, since they count otherwise than the reference:");
for (const counter of inexact) {
  print(counter);
  for (const difference of counter.differ) console.log(`      ${difference}`);
}

console.log("\nA run of equal characters, each in a process of its own:");
function run(name, characters) {
  const { stdout, error } = spawnSync(process.execPath, [one, name, String(characters)], { encoding: "utf8", timeout: 60_000 });
  const words = `  ${name.padEnd(18)}${characters.toLocaleString("en").padStart(10)} × "a"   `;
  if (error) return console.log(`${words}no answer within 60 s`);
  const { tokens, ms, mb } = JSON.parse(stdout);
  const target = name === "galley" && characters === 1_000_000 ? `   target at most 250 ms: ${ms <= 250 ? "holds" : "MISSED"}` : "";
  console.log(`${words}${tokens} tokens, ${ms.toFixed(0)} ms, ${mb.toFixed(0)} MB more at the peak${target}`);
}
run("galley", 1_000_000);
for (const name of ["galley", "tiktoken", "gpt-tokenizer", "ai-tokenizer"]) run(name, 100_000);
console.log("  js-tiktoken is left out: it takes a quarter of an hour for 100,000.");

console.log("\nWhat is loaded:");
const built = new URL("../../pkg/dist/counter/", import.meta.url);
for (const name of ["o200k_base", "cl100k_base", "p50k_base", "r50k_base"]) {
  const wasm = readFileSync(new URL(`${name}_bg.wasm`, built));
  const from = performance.now();
  const { default: load, Counter } = await import(new URL(`${name}.js`, built));
  await load({ module_or_path: wasm });
  new Counter(name).free();
  const took = performance.now() - from;
  console.log(`  ${name.padEnd(18)}${wasm.length} bytes, ${brotliCompressSync(wasm).length} by brotli; ready in ${took.toFixed(0)} ms`);
}
