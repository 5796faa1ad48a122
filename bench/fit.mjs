// A history of 10,000 messages and 10 MB made to fit: objects in, objects out.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createContextManager, loadEncoding } from "../pkg/js/index.js";
import { figure, median, ms } from "./figures.mjs";
import { history } from "./transcript.mjs";

const LIMITS = { context_window: 4_000_000, max_output_tokens: 8_000 };
const ROUNDS = 5;

const timed = async (work) => {
  const from = performance.now();
  await work();
  return performance.now() - from;
};

/** The median of some rounds, each with objects nobody has seen, and without the garbage of the one before. */
async function rounds(work) {
  const took = [];
  for (let round = 0; round < ROUNDS; round++) {
    const fresh = structuredClone(messages);
    globalThis.gc?.();
    // What was collected is forgotten by the engine too, before the clock runs.
    await new Promise((settled) => setTimeout(settled, 100));
    took.push(await work(fresh));
  }
  return median(took);
}

const messages = history(10_000, 10e6);
console.log(`  ${messages.length} messages, ${(JSON.stringify(messages).length / 1e6).toFixed(1)} MB`);

const manager = createContextManager();
for (const [name, id, target] of [
  ["heuristic", "any", 150],
  ["exact", "gpt-4o", 250],
]) {
  if (name === "exact") await loadEncoding("o200k_base");
  const model = { id, limits: LIMITS };
  const appended = [];
  const cold = await rounds(async (fresh) => {
    const took = await timed(() => manager.assemble({ messages: fresh, model }));
    fresh.push({ role: "user", content: [{ type: "text", text: "and now?" }], timestamp: 1 });
    appended.push(await timed(() => manager.assemble({ messages: fresh, model })));
    return took;
  });
  figure(`assemble, ${name}, cold counts`, cold, { unit: ms, target });
  figure(`assemble, ${name}, one message appended`, median(appended), { unit: ms, target: 10 });
}
figure(
  "prune, cold counts",
  await rounds((fresh) => timed(() => manager.prune({ messages: fresh }))),
  { unit: ms },
);

const native = mkdtempSync(join(tmpdir(), "galley-bench-"));
try {
  const path = join(native, "request.json");
  writeFileSync(path, JSON.stringify({ messages, model: { id: "any", limits: LIMITS } }));
  const words = ["run", "--quiet", "--profile", "bench", "-p", "galley-tests", "--example", "assemble", "--", path];
  figure("assemble, the engine alone, native", Number(execFileSync("cargo", words, { encoding: "utf8" })), { unit: ms, target: 50 });
} finally {
  rmSync(native, { recursive: true });
}

console.log("\n  the same work, beside others");
const counted = new WeakMap();
/** The same count for everybody: a quarter of the bytes of a message's JSON. */
const size = (message) => {
  if (!counted.has(message)) counted.set(message, Math.floor(Buffer.byteLength(JSON.stringify(message)) / 4));
  return counted.get(message);
};
const max_tokens = 200_000;

const { HumanMessage, AIMessage, ToolMessage, trimMessages } = await peer("@langchain/core/messages");
const theirs = messages.map(langchain);
await compare(
  "trim to 200,000 tokens",
  () => manager.trim({ messages, max_tokens }),
  "@langchain/core trimMessages",
  () => trimMessages(theirs, { maxTokens: max_tokens, strategy: "last", tokenCounter: (list) => list.reduce((sum, message) => sum + size(message), 0) }),
);

const { pruneMessages } = await peer("ai");
const models = messages.map(modelMessage);
await compare(
  "prune old results",
  () => manager.prune({ messages, options: { min_free_tokens: 1 } }),
  "ai pruneMessages",
  () => pruneMessages({ messages: models, toolCalls: "before-last-20-messages", emptyMessages: "remove" }),
);

// An agent keeps its message objects between requests, and so do both sides here: the first round is not timed.
async function compare(name, ours, peerName, theirs) {
  const medianOf = async (run) => {
    await run();
    const took = [];
    for (let round = 0; round < ROUNDS; round++) took.push(await timed(run));
    return median(took);
  };
  const [mine, other] = [await medianOf(ours), await medianOf(theirs)];
  figure(`${name}`, mine, { unit: ms, target: other });
  figure(`  ${peerName}`, other, { unit: ms });
  figure("  ratio", other / mine, { unit: (value) => `${value.toFixed(1)} x` });
}

/** A library as the tests install it. */
async function peer(name) {
  const { createRequire } = await import("node:module");
  const { pathToFileURL } = await import("node:url");
  return import(pathToFileURL(createRequire(new URL("../tests/package.json", import.meta.url)).resolve(name)).href);
}

function langchain(message) {
  const text = message.content.filter(({ type }) => type === "text").map(({ text }) => text).join("\n");
  if (message.role === "user") return new HumanMessage(text);
  if (message.role === "function_result") return new ToolMessage({ content: text, tool_call_id: message.function_call_id, name: message.function_id });
  const tool_calls = message.content.filter(({ type }) => type === "function_call").map(({ id, function_id, arguments: args }) => ({ id, name: function_id, args }));
  return new AIMessage({ content: text, tool_calls });
}

function modelMessage(message) {
  const part = (block) =>
    ({
      text: () => ({ type: "text", text: block.text }),
      thinking: () => ({ type: "reasoning", text: block.text }),
      function_call: () => ({ type: "tool-call", toolCallId: block.id, toolName: block.function_id, input: block.arguments }),
    })[block.type]();
  if (message.role !== "function_result") return { role: message.role, content: message.content.map(part) };
  const [{ text }] = message.content;
  return { role: "tool", content: [{ type: "tool-result", toolCallId: message.function_call_id, toolName: message.function_id, output: { type: "text", value: text } }] };
}
