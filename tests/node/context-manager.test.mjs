// The context manager's cases through the built package, and what JavaScript has beyond them.
// `tests/tests/context_manager.rs` says what a case may hold; single passes are played there only.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { createContextManager, undo } from "../../pkg/js/index.js";
import { unpack } from "./cases.mjs";

const SUITE = new URL("../suite/context-manager/", import.meta.url);
const CALLS = { assemble: "assemble", compact: "compact", prune: "prune", count_tokens: "countTokens" };

const cases = readdirSync(SUITE)
  .filter((name) => name.endsWith(".json"))
  .sort()
  .map((name) => unpack(JSON.parse(readFileSync(new URL(name, SUITE)))))
  .filter((found) => found.function in CALLS);

test("the suite is there", () => assert.ok(cases.length > 120));

for (const found of cases) {
  test(`${found.name}: ${found.shows}`, async () => {
    const host = scripted(found.env);
    for (const step of [found, ...(found.then ?? [])]) await play(host, step);
  });
}

/** A manager in the outside of a case, and what it asked of that. */
function scripted({ config, router, now_ms, leases = {}, summarizer = [], lease_store_fails, wording }) {
  const host = { summarized: [], routed: [], leases: new Map(Object.entries(leases)), words: wording };
  const answers = [...summarizer];
  const failing = () => {
    throw new Error("the store fails");
  };
  host.manager = createContextManager({
    config,
    wording,
    now: () => now_ms,
    resolveModel(id, provider) {
      host.routed.push(provider === undefined ? { id } : { id, provider });
      if (router.down) throw new Error("it is down");
      const model = router.models[id];
      return model ? { model, effective_max_output_tokens: model.effective_max_output_tokens } : null;
    },
    async summarize({ system_prompt, prompt, model, provider = null }) {
      host.summarized.push({ system_prompt, user_prompt: prompt, model, provider });
      const answer = answers.shift() ?? { error: "unavailable" };
      if (answer.error) throw Object.assign(new Error("as scripted"), { kind: answer.error });
      return answer;
    },
    leases: {
      get: (key) => (lease_store_fails ? failing() : (host.leases.get(key) ?? null)),
      swap(key, record) {
        if (lease_store_fails) failing();
        const before = host.leases.get(key) ?? null;
        if (record) host.leases.set(key, record);
        else host.leases.delete(key);
        return before;
      },
    },
  });
  return host;
}

async function play(host, { function: call, request, expect }) {
  Object.assign(host, { summarized: [], routed: [] });
  const given = JSON.stringify(request);
  let response, error;
  try {
    response = await host.manager[CALLS[call]](request);
  } catch (refusal) {
    error = refusal.code.startsWith("context/") ? `${refusal.code}: ${refusal.message}` : refusal.message;
  }
  assert.equal(JSON.stringify(request), given, "the request is the caller's");
  if (expect.response) assert.deepStrictEqual(response, reduced(expect.response, response, host.words), error);
  if (typeof expect.error === "string") assert.equal(error, expect.error);
  for (const part of expect.error?.$contains ?? []) assert.ok(error?.includes(part), `${error} has ${part}`);
  if (expect.router_calls) assert.deepStrictEqual(host.routed, expect.router_calls);
  if (expect.leases_after) assert.deepStrictEqual(Object.fromEntries(host.leases), expect.leases_after);
  if (expect.summarizer_calls) summarized(host.summarized, expect.summarizer_calls);
}

function summarized(calls, { count, ...members }) {
  assert.equal(calls.length, count);
  for (const call of calls) {
    for (const [name, expected] of Object.entries(members)) {
      if (expected?.contains || expected?.lacks) {
        for (const part of expected.contains ?? []) assert.ok(call[name].includes(part), `${call[name]} has ${part}`);
        for (const part of expected.lacks ?? []) assert.ok(!call[name].includes(part), `lacks ${part}`);
      } else {
        assert.deepStrictEqual(call[name], expected);
      }
    }
  }
}

/** `{"$reduced": reference}` is the words for it, a space, and the reference with its members in any order. */
function reduced(expected, answered, words) {
  if (expected?.$reduced) {
    const [, reference] = String(answered).split(`${words.REDUCED} `);
    assert.deepStrictEqual(JSON.parse(reference), expected.$reduced);
    return answered;
  }
  if (Array.isArray(expected)) return expected.map((item, index) => reduced(item, answered?.[index], words));
  if (expected === null || typeof expected !== "object") return expected;
  return Object.fromEntries(Object.entries(expected).map(([key, member]) => [key, reduced(member, answered?.[key], words)]));
}

const BIG = { id: "big", limits: { context_window: 200_000, max_output_tokens: 8_000 } };
const user = (text, timestamp = 1) => ({ role: "user", content: [{ type: "text", text }], timestamp });
const call = (id, function_id = "shell::run", timestamp = 2) => ({
  role: "assistant",
  content: [{ type: "function_call", id, function_id, arguments: { q: 1 } }],
  stop_reason: "function_call",
  model: "m",
  provider: "p",
  timestamp,
});
const result = (id, text, function_id = "shell::run", timestamp = 3) => ({
  role: "function_result",
  function_call_id: id,
  function_id,
  content: [{ type: "text", text }],
  details: {},
  is_error: false,
  timestamp,
});

test("a message that no pass changed comes back as the object it was", async () => {
  const manager = createContextManager();
  const messages = [user("dump"), call("c"), result("c", "x".repeat(200_000)), user("go on")];
  for (let round = 0; round < 2; round++) {
    const answer = await manager.assemble({ messages, model: BIG });
    assert.deepStrictEqual([0, 1, 3].map((index) => answer.messages[index] === messages[index]), [true, true, true]);
    assert.match(answer.messages[2].content[0].text, /result capped/);
    assert.equal(messages[2].content[0].text.length, 200_000);
  }
});

test("what the contract does not know is not in an answer, and not in the caller's way", async () => {
  const manager = createContextManager();
  const message = { ...user("hi"), id: 7 };
  const reordered = { timestamp: 1, content: [{ text: "hi", type: "text" }], role: "user" };
  const { messages } = await manager.prune({ messages: [message, reordered] });
  assert.deepStrictEqual(messages, [user("hi"), user("hi")]);
  assert.equal(message.id, 7);
  assert.ok(messages[1] === reordered, "the same members in another order are the same message");
});

test("a message that was changed in place is counted anew", async () => {
  const manager = createContextManager();
  const message = user("hello");
  const count = async () => (await manager.countTokens({ messages: [message], model: { id: "any" } })).tokens;
  const before = await count();
  message.content[0].text += "x".repeat(400);
  assert.equal(await count(), before + 100);
  message.content.push({ type: "text", text: "" });
  assert.equal(await count(), before + 106);
});

test("an object that stands in the list twice is answered twice", async () => {
  const manager = createContextManager();
  const again = user("again");
  const messages = [again, user("between"), again];
  for (let round = 0; round < 3; round++) {
    const answer = await manager.prune({ messages });
    assert.deepStrictEqual(answer.messages.map((message, index) => message === messages[index]), [true, true, true]);
    // Changed in place it is new to the manager, at both its places.
    again.content[0].text += "!";
  }
});

test("a message that does not fit is refused at its place", async () => {
  const manager = createContextManager();
  const wrong = (message) => manager.countTokens({ messages: [user("ok"), message], model: { id: "any" } });
  for (const [message, path] of [
    [{ role: "user", content: "hi", timestamp: 1 }, "/messages/1/content"],
    [{ role: "tool", content: [], timestamp: 1 }, "/messages/1"],
    [null, "/messages/1"],
    [{ role: "user", content: [], timestamp: 1.5 }, "/messages/1"],
  ]) {
    const refusal = await wrong(message).catch((error) => error);
    assert.equal(refusal.name, "Refusal");
    assert.match(refusal.message, /^invalid request: /);
    assert.ok(refusal.path.startsWith(path.slice(0, 11)), `${refusal.path} is at ${path}`);
  }
  const cycle = {};
  cycle.self = cycle;
  await assert.rejects(wrong(cycle), { code: "parameter_invalid" });
});

test("what was done is told part by part, and undone", async () => {
  const manager = createContextManager({ config: { protect_recent_tokens: 0, min_free_tokens: 1 } });
  const messages = [user("task"), call("c1"), result("c1", "x".repeat(20_000)), user("next"), user("done")];
  const { response, detail } = await manager.explain("assemble", { messages, model: BIG });
  const pass = detail.passes.find((found) => found.pass === "prune");
  assert.deepStrictEqual(pass.parts.map(({ message, function_id }) => [message, function_id]), [[2, "shell::run"]]);
  assert.equal(pass.prefix.message, 2);
  assert.equal(detail.tokens_after, response.token_count);
  const { system_prompt, tools, messages: sizes, overhead } = detail.sizes;
  const sum = [...tools, ...sizes].reduce((total, { tokens }) => total + tokens, system_prompt + overhead);
  assert.equal(sum, response.token_count);
  const later = [...response.messages, user("and then")];
  const restored = undo(later, messages, detail.undo);
  assert.deepStrictEqual(restored, [...messages, user("and then")]);
  assert.throws(() => undo([], messages, detail.undo), { code: "parameter_invalid" });
});

test("a refused call tells what it tried", async () => {
  const manager = createContextManager();
  const small = { id: "small", limits: { context_window: 5_000, max_output_tokens: 500 } };
  const messages = [user("x".repeat(40_000))];
  const { response, error, detail } = await manager.explain("assemble", { messages, model: small });
  assert.equal(response, undefined);
  assert.equal(error.code, "context/overflow");
  assert.equal(detail.passes.length, 5);
  assert.ok(detail.tokens_after > detail.budget.usable);
});

test("a dry run summarises nothing and says what it would", async () => {
  let asked = 0;
  const manager = createContextManager({ summarize: () => `${asked++}` });
  const small = { id: "small", limits: { context_window: 5_000, max_output_tokens: 500 } };
  const messages = [user("x".repeat(12_000)), user("y".repeat(12_000)), user("recent"), user("newest")];
  const { response, detail } = await manager.explain("assemble", { messages, model: small }, { dry_run: true });
  assert.deepStrictEqual([response, asked], [undefined, 0]);
  assert.deepStrictEqual([detail.compaction.outcome, detail.compaction.tail_start_index], ["dry", 2]);
  assert.match(detail.compaction.prompt, /<conversation>/);
});

test("a summary that is no smaller than what it stands for is refused with both sizes", async () => {
  const manager = createContextManager({ summarize: () => "long ".repeat(9_000) });
  const messages = [user("x".repeat(36_000)), user("q2"), user("q3")];
  const { response, detail } = await manager.explain("compact", { messages, model: BIG });
  assert.deepStrictEqual(response, { status: "overflow" });
  const { outcome, summary_tokens, head_tokens } = detail.compaction;
  assert.deepStrictEqual([outcome, summary_tokens >= head_tokens], ["not_smaller", true]);
});

test("the configuration is strict, partly set, and fetched anew", async () => {
  const manager = createContextManager();
  const old = result("c", "x".repeat(4_000));
  const messages = [user("a"), call("c"), old, user("b"), user("c")];
  const pruned = async () => (await manager.prune({ messages })).pruned_parts;
  assert.equal(await pruned(), 0);
  await assert.rejects(manager.configure({ tail_turn: 1 }), { code: "parameter_invalid", path: "/tail_turn" });
  await manager.configure({ protect_recent_tokens: 0 });
  assert.equal(await pruned(), 0);
  await manager.configure({ min_free_tokens: 1 });
  assert.equal(await pruned(), 1, "members that are not named stay");
  await manager.configure({ protect_recent_tokens: null });
  assert.equal(await pruned(), 0, "null is the default");

  let stored = { protect_recent_tokens: 0, min_free_tokens: 1 };
  await manager.configure(() => stored);
  assert.equal(await pruned(), 1);
  stored = { protect_recent_tokens: 0 };
  assert.deepStrictEqual(await manager.onConfigChange({ id: "context-manager" }), { ok: true });
  assert.equal(await pruned(), 0, "what the whole does not name is the default");
  stored = { protect_recent_tokens: 0, min_free_tokens: "few" };
  assert.deepStrictEqual(await manager.onConfigChange(), { ok: true });
  assert.equal(await pruned(), 0, "what does not read changes nothing");
});

test("models are asked for once a minute, and anew when they changed", async () => {
  let now = 0;
  let asked = 0;
  const model = { id: "m", context_window: 1_000, max_output_tokens: 100 };
  const manager = createContextManager({ now: () => now, resolveModel: () => (asked++, { model }) });
  const assemble = () => manager.assemble({ messages: [], model: { id: "m" } });
  assert.equal((await assemble()).model_resolved, "router");
  await assemble();
  assert.equal(asked, 1);
  assert.deepStrictEqual(await manager.modelsChanged({ provider: "p" }), { ok: true });
  await assemble();
  assert.equal(asked, 2);
  now = 60_001;
  await assemble();
  assert.equal(asked, 3);
});

test("limits come from the catalogue when nobody is asked", async () => {
  const manager = createContextManager({ catalogue: [{ model: "own", combined_tokens: 10_000, max_output_tokens: 1_000 }] });
  const own = await manager.assemble({ messages: [], model: { id: "own" } });
  assert.deepStrictEqual([own.model_resolved, own.usable], ["router", 8_000]);
  const listed = await manager.assemble({ messages: [], model: { id: "gpt-5", provider: "openai" } });
  assert.deepStrictEqual([listed.model_resolved, listed.usable], ["router", 252_000]);
  const unknown = await manager.assemble({ messages: [], model: { id: "nobody knows" } });
  assert.deepStrictEqual([unknown.model_resolved, unknown.usable], ["fallback", 6_349]);
});
