// The built counters under Node: the counts of tests/corpus/counts.json, which the reference tokenizer
// holds, their memory on long runs and in a long session, and what they refuse.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const built = new URL("../../pkg/dist/counter/", import.meta.url);
const corpus = new URL("../corpus/", import.meta.url);

const utf8 = new TextEncoder();
const encodings = { o200k_base: "o200k_base", o200k_harmony: "o200k_base", cl100k_base: "cl100k_base", p50k_base: "p50k_base", r50k_base: "r50k_base" };
const modules = {};
for (const vocabulary of new Set(Object.values(encodings))) {
  const { default: load, Counter } = await import(new URL(`${vocabulary}.js`, built));
  const { memory } = await load({ module_or_path: await readFile(new URL(`${vocabulary}_bg.wasm`, built)) });
  modules[vocabulary] = { Counter, memory };
}

function base64(length) {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const line = new Uint8Array(length);
  let state = 1;
  for (let at = 0; at < length; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    line[at] = alphabet.charCodeAt((state >>> 0) % 64);
  }
  return line;
}

async function bytesOf({ text, file, repeat, times, base64: length }) {
  if (text !== undefined) return utf8.encode(text);
  if (file !== undefined) return readFile(new URL(file, corpus));
  if (repeat !== undefined) return utf8.encode(repeat.repeat(times));
  return base64(length);
}

const cases = JSON.parse(await readFile(new URL("counts.json", corpus), "utf8"));
const texts = await Promise.all(cases.map(bytesOf));

for (const [name, vocabulary] of Object.entries(encodings)) {
  test(`${name} counts as the reference does`, () => {
    const counter = new modules[vocabulary].Counter(name);
    assert.equal(counter.name, name);
    cases.forEach(({ counts, ...description }, at) => {
      assert.equal(counter.count(texts[at]), counts[name], JSON.stringify(description));
    });
    counter.free();
  });
}

test("a million equal characters stay under 256 MB, whatever was counted before", () => {
  const { Counter, memory } = modules.o200k_base;
  const counter = new Counter("o200k_base");
  for (const [character, tokens] of [["^", 125_000], ["a", 125_000], [" ", 7_813], ["汉", 1_000_000]]) {
    assert.equal(counter.count(utf8.encode(character.repeat(1_000_000))), tokens, character);
  }
  assert.ok(memory.buffer.byteLength < 256e6, `${memory.buffer.byteLength} bytes`);
  counter.free();
});

test("words never met before leave no memory behind, nor do counters", () => {
  const { Counter, memory } = modules.cl100k_base;
  const words = (round) => utf8.encode(Array.from({ length: 20_000 }, (_, at) => `w${(round * 20_000 + at).toString(36)}qx`).join(" "));
  const rounds = (from, to) => {
    for (let round = from; round < to; round++) {
      const counter = new Counter("cl100k_base");
      assert.ok(counter.count(words(round)) > 20_000);
      counter.free();
    }
  };
  rounds(0, 3);
  const settled = memory.buffer.byteLength;
  rounds(3, 30);
  assert.equal(memory.buffer.byteLength, settled);
});

test("ends gives the byte after each token", async () => {
  const counter = new modules.o200k_base.Counter("o200k_base");
  assert.deepEqual([...counter.ends(utf8.encode("hello world"))], [5, 11]);
  assert.deepEqual([...counter.ends(new Uint8Array())], []);
  const text = await readFile(new URL("world.txt", corpus));
  const ends = counter.ends(text);
  assert.equal(ends.length, counter.count(text));
  assert.equal(ends.at(-1), text.length);
  counter.free();
});

test("bytes that are no UTF-8 count as the replacement character", () => {
  const counter = new modules.r50k_base.Counter("r50k_base");
  assert.equal(counter.count(Uint8Array.of(0x61, 0xff, 0x62)), counter.count(utf8.encode("a\ufffdb")));
  counter.free();
});

test("an unknown name, or an encoding of another module, throws an error that says what to do; the module goes on", () => {
  const { Counter } = modules.r50k_base;
  assert.throws(() => new Counter("gpt2"), /no encoding is named "gpt2"; use one of o200k_base/);
  assert.throws(() => new Counter("p50k_base"), /this module does not carry "p50k_base"; load "p50k_base\.js"/);
  assert.throws(() => new Counter("o200k_harmony"), /this module does not carry "o200k_harmony"; load "o200k_base\.js"/);
  const counter = new Counter("r50k_base");
  assert.equal(counter.count(utf8.encode("hello world")), 2);
  counter.free();
});
