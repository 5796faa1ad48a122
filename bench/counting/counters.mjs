// The counters that are compared, each as a function from a text to its tokens in o200k_base, with
// special-token text as plain text.
import { readFileSync } from "node:fs";

const built = new URL("../../pkg/dist/counter/", import.meta.url);

export const COUNTERS = {
  async galley() {
    const { default: load, Counter } = await import(new URL("o200k_base.js", built));
    await load({ module_or_path: readFileSync(new URL("o200k_base_bg.wasm", built)) });
    const counter = new Counter("o200k_base");
    const utf8 = new TextEncoder();
    return (text) => counter.count(utf8.encode(text));
  },
  async tiktoken() {
    const { get_encoding } = await import("tiktoken");
    const encoding = get_encoding("o200k_base");
    return (text) => encoding.encode_ordinary(text).length;
  },
  async "gpt-tokenizer"() {
    const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
    const options = { disallowedSpecial: new Set() };
    return (text) => countTokens(text, options);
  },
  async "ai-tokenizer"() {
    const { default: Tokenizer } = await import("ai-tokenizer");
    const tokenizer = new Tokenizer(await import("ai-tokenizer/encoding/o200k_base"));
    return (text) => tokenizer.encode(text, [], []).length;
  },
  async "js-tiktoken"() {
    const { Tiktoken } = await import("js-tiktoken/lite");
    const { default: ranks } = await import("js-tiktoken/ranks/o200k_base");
    const encoding = new Tiktoken(ranks);
    return (text) => encoding.encode(text, [], []).length;
  },
};
