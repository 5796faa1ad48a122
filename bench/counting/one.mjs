// Measures one counter in a process of its own and prints what it found as JSON.
//   node one.mjs NAME [RUN]: with a number, only the run of so many equal characters.
import { readFileSync } from "node:fs";
import { corpus } from "./corpus.mjs";
import { COUNTERS } from "./counters.mjs";

const [name, run] = process.argv.slice(2);
const since = (from) => performance.now() - from;

const from = performance.now();
const count = await COUNTERS[name]();
count("a first text");
const start = since(from);

if (run) {
  const text = "a".repeat(Number(run));
  const resting = process.resourceUsage().maxRSS;
  const from = performance.now();
  const tokens = count(text);
  console.log(JSON.stringify({ tokens, ms: since(from), mb: (process.resourceUsage().maxRSS - resting) / 1024 }));
} else {
  const texts = corpus();
  // The code is warm after the first quarter of each kind; the rest is text it has not seen.
  const speeds = {};
  const totals = {};
  let [bytes, ms] = [0, 0];
  for (const [kind, text] of Object.entries(texts)) {
    count(text.slice(0, text.length >> 2));
    const rest = text.slice(text.length >> 2);
    const from = performance.now();
    count(rest);
    const took = since(from);
    speeds[kind] = Buffer.byteLength(rest) / 1e3 / took;
    bytes += Buffer.byteLength(rest);
    ms += took;
    totals[kind] = count(text);
  }
  speeds.all = bytes / 1e3 / ms;

  const cases = JSON.parse(readFileSync(new URL("../../tests/corpus/counts.json", import.meta.url), "utf8"));
  const differ = [];
  for (const { text, file, counts } of cases) {
    // The long runs are measured apart: some counters take minutes for one.
    if (text === undefined && file === undefined) continue;
    const words = text ?? readFileSync(new URL(`../../tests/corpus/${file}`, import.meta.url), "utf8");
    const tokens = count(words);
    if (tokens !== counts.o200k_base) differ.push(`${JSON.stringify(file ?? text)}: ${tokens} for ${counts.o200k_base}`);
  }
  console.log(JSON.stringify({ start, speeds, totals, differ }));
}
