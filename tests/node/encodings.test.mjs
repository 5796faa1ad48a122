// Vocabularies as assets, in Node: loaded once, exact, and missing names are refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusal, loadEncoding } from "../../pkg/js/index.js";

// Counts of the reference tokenizer (tiktoken 0.12), special-token text as plain text.
const COUNTS = [
  ["o200k_base", "hello world", 2],
  ["o200k_base", "<|endoftext|>", 7],
  ["cl100k_base", "<|endoftext|>", 7],
  ["o200k_base", "", 0],
];

for (const [name, text, tokens] of COUNTS) {
  test(`${name} counts ${JSON.stringify(text)}`, async () => {
    const encoding = await loadEncoding(name);
    assert.equal(encoding.name, name);
    assert.equal(encoding.count(text), tokens);
  });
}

test("every encoding loads, and the same load is answered twice", async () => {
  for (const name of ["o200k_base", "o200k_harmony", "cl100k_base", "p50k_base", "r50k_base"]) {
    const [first, second] = await Promise.all([loadEncoding(name), loadEncoding(name)]);
    assert.equal(first, second);
    assert.ok(first.count("The quick brown fox") > 0, name);
  }
});

test("a lone surrogate counts as the replacement character", async () => {
  const encoding = await loadEncoding("o200k_base");
  assert.equal(encoding.count("a\ud800b"), encoding.count("a\ufffdb"));
});

test("an unknown encoding is refused by name", async () => {
  await assert.rejects(loadEncoding("gpt2"), (error) => error instanceof Refusal && error.code === "token_counter_unavailable" && /o200k_base/.test(error.message));
  await assert.rejects(loadEncoding("__proto__"), { name: "Refusal" });
});
