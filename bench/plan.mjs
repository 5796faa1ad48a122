// From an edit to a new plan, in the npm package's wasm under Node, on a conversation of a million
// tokens; and how many texts each edit counted again.
import { readFileSync } from "node:fs";
import load, { Counter } from "../pkg/dist/counter/o200k_base.js";
import { installEncoding } from "../pkg/dist/galley.js";
import { openConversation } from "../pkg/js/index.js";
import { ROW, conversation } from "./conversation.mjs";
import { figure, median, ms, p95 } from "./figures.mjs";

const TIMES = 200;
await load({ module_or_path: readFileSync(new URL("../pkg/dist/counter/o200k_base_bg.wasm", import.meta.url)) });
const counter = new Counter(ROW.counter);
let counted = 0;
installEncoding(ROW.counter, {
  count(utf8) {
    counted++;
    return counter.count(utf8);
  },
});

const timed = (work) => {
  const from = performance.now();
  const value = work();
  return [performance.now() - from, value];
};

const file = JSON.stringify(conversation(1_000_000, ROW));
const [opening, session] = timed(() => openConversation(file));
const base = { model: ROW.model, prompt: "What did we decide about the cache?", template: { blocks: [{ type: "slot", slot: "system_prompt" }, { type: "inline", role: "developer", text: "Be brief." }, { type: "history" }, { type: "input" }] } };
const [first, answer] = timed(() => session.estimate(base));

const tokens = (value) => (typeof value === "string" ? counter.count(new TextEncoder().encode(value)) : Object.values(value ?? {}).reduce((sum, member) => sum + tokens(member), 0));
const whole = tokens(JSON.parse(file).turns);
console.log(`  conversation: ${(file.length / 1e6).toFixed(1)} MB, ${whole.toLocaleString("en")} tokens; the seal's byte bound lets ${answer.input_tokens.toLocaleString("en")} of them into the request`);
figure("open the file", opening, { unit: ms });
figure("first plan, every text counted", first, { unit: ms });
figure("texts counted", counted, { unit: String });

const edits = {
  "a letter typed in the prompt": (at) => ({ ...base, prompt: base.prompt + "abcdefghij".repeat(30).slice(0, at + 1) }),
  "a letter typed in an inline block": (at) => ({ ...base, template: { blocks: base.template.blocks.map((block) => (block.type === "inline" ? { ...block, text: `Be brief${"!".repeat(at + 1)}` } : block)) } }),
  "the history bound dragged, entries": (at) => ({ ...base, history: { max_entries: 1 + (at % 200) } }),
  "the history bound dragged, tokens": (at) => ({ ...base, history: { token_budget_share: (1 + (at % 99)) / 100 } }),
};
for (const [name, edit] of Object.entries(edits)) {
  const times = [];
  counted = 0;
  for (let at = 0; at < TIMES; at++) times.push(timed(() => session.estimate(edit(at)))[0]);
  console.log();
  figure(`${name}: median`, median(times), { unit: ms });
  figure(`${name}: p95`, p95(times), { unit: ms, target: 4 });
  figure(`${name}: texts counted again, an edit`, counted / TIMES, { unit: (value) => value.toFixed(2) });
}

const rendered = [];
for (let at = 0; at < 20; at++) rendered.push(timed(() => session.estimate({ ...base, prompt: `${base.prompt}${at}`, render: true }))[0]);
console.log();
figure("rendered, all entries handed to JavaScript: median", median(rendered), { unit: ms });
