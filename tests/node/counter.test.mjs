// The built counter under Node: the counts of tests/corpus/counts.json, which the reference tokenizer
// holds, its memory on a long run, and what it refuses.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";

const built = new URL("../../pkg/dist/counter/", import.meta.url);
const corpus = new URL("../corpus/", import.meta.url);
const { default: load, Counter } = await import(new URL("galley_counter.js", built));
const { memory } = await load({ module_or_path: await readFile(new URL("galley_counter_bg.wasm", built)) });

const utf8 = new TextEncoder();
const vocabulary = async (name) => gunzipSync(await readFile(new URL(`${name}.vocab`, built)));
const encodings = { o200k_base: "o200k_base", o200k_harmony: "o200k_base", cl100k_base: "cl100k_base", p50k_base: "p50k_base", r50k_base: "r50k_base" };

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

// First, while the memory is still that of one encoding.
test("a million equal characters stay under 256 MB", async () => {
  const counter = new Counter("o200k_base", await vocabulary("o200k_base"));
  for (const [character, tokens] of [["^", 125_000], ["a", 125_000], [" ", 7_813], ["汉", 1_000_000]]) {
    assert.equal(counter.count(utf8.encode(character.repeat(1_000_000))), tokens, character);
  }
  assert.ok(memory.buffer.byteLength < 256e6, `${memory.buffer.byteLength} bytes`);
  counter.free();
});

for (const [name, file] of Object.entries(encodings)) {
  test(`${name} counts as the reference does`, async () => {
    const counter = new Counter(name, await vocabulary(file));
    assert.equal(counter.name, name);
    cases.forEach(({ counts, ...description }, at) => {
      assert.equal(counter.count(texts[at]), counts[name], JSON.stringify(description));
    });
    counter.free();
  });
}

test("ends gives the byte after each token", async () => {
  const counter = new Counter("o200k_base", await vocabulary("o200k_base"));
  assert.deepEqual([...counter.ends(utf8.encode("hello world"))], [5, 11]);
  assert.deepEqual([...counter.ends(new Uint8Array())], []);
  const text = await readFile(new URL("world.txt", corpus));
  const ends = counter.ends(text);
  assert.equal(ends.length, counter.count(text));
  assert.equal(ends.at(-1), text.length);
  counter.free();
});

test("bytes that are no UTF-8 count as the replacement character", async () => {
  const counter = new Counter("r50k_base", await vocabulary("r50k_base"));
  assert.equal(counter.count(Uint8Array.of(0x61, 0xff, 0x62)), counter.count(utf8.encode("a\ufffdb")));
  counter.free();
});

test("a wrong or damaged vocabulary throws an error that says what to do, and the module goes on", async () => {
  const whole = await vocabulary("r50k_base");
  const damaged = Uint8Array.from(whole);
  damaged[whole.length >> 1] ^= 1;
  assert.throws(() => new Counter("gpt2", whole), /no encoding is named "gpt2"; use o200k_base/);
  assert.throws(() => new Counter("p50k_base", whole), /this is the vocabulary "r50k_base"; load "p50k_base"/);
  assert.throws(() => new Counter("r50k_base", damaged), /damaged \(its checksum\); load it again/);
  assert.throws(() => new Counter("r50k_base", whole.subarray(0, 1000)), /damaged \(its length\)/);
  assert.throws(() => new Counter("r50k_base", new Uint8Array()), /no vocabulary file; decompress/);
  const counter = new Counter("r50k_base", whole);
  assert.equal(counter.count(utf8.encode("hello world")), 2);
  counter.free();
});
