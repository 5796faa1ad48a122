// Adapters through the built package. The suite says what becomes of a body (`tests/tests/adapters.rs` how it is
// written down); here that is done to the caller's own objects, which come back as they are where nothing changed.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage, coerceMessageLikeToMessage } from "@langchain/core/messages";
import { Refusal, adapters, createContextManager } from "../../pkg/js/index.js";

const ADAPTER = { chat: "chat", responses: "responses", anthropic: "anthropic", gemini: "gemini", ai_sdk: "aiSdk", langchain: "langchain" };
const SUITE = new URL("../suite/adapters/", import.meta.url);
const PNG = "iVBORw0KGgo=";

/** Limits that leave exactly this many tokens. */
const usable = (tokens) => ({ id: "any", limits: { context_window: tokens + 100, max_output_tokens: 100 } });
const exact = (options) => ({ reserved_tokens: 0, ...options });
const x = (tokens) => "x".repeat(tokens * 4);
const user = (content) => ({ role: "user", content });
const assistant = (content) => ({ role: "assistant", content });
const manager = (host = {}) => createContextManager({ summarize: () => "S", ...host });

/** The items of a body, whatever its shape. */
const items = (body) => (Array.isArray(body) ? body : (body.messages ?? body.input ?? body.contents));

/** Every item and every part of one that is as it was is the object that it was. */
function shares(body, was) {
  for (const item of items(body)) {
    const same = items(was).filter((one) => isDeepStrictEqual(one, item));
    if (same.length > 0) assert.ok(same.includes(item), `this item is a copy: ${JSON.stringify(item)}`);
  }
  const parts = (of) => items(of).flatMap((item) => [item.content, item.parts].flatMap((list) => (Array.isArray(list) ? list : [])));
  for (const part of parts(body).filter((part) => typeof part === "object")) {
    const same = parts(was).filter((one) => isDeepStrictEqual(one, part));
    if (same.length > 0) assert.ok(same.includes(part), `this part is a copy: ${JSON.stringify(part)}`);
  }
}

/** A manager that answers what a case says was fitted. */
function scripted({ fitted = {} }) {
  const { from = 0, changed = {}, system_prompt } = fitted;
  return {
    countTokens: async () => ({ tokens: 1 }),
    async assemble(request) {
      const messages = request.messages.slice(from);
      for (const [index, content] of Object.entries(changed)) messages[index - from] = { ...request.messages[index], content };
      const applied = { compacted: from > 0 };
      return { messages, system_prompt: system_prompt ?? request.system_prompt?.trimEnd() ?? "", token_count: 1, usable: 9, applied };
    },
  };
}

for (const name of readdirSync(SUITE)) {
  const found = JSON.parse(readFileSync(new URL(name, SUITE)));
  test(`${found.name}: ${found.shows}`, async () => {
    const { shape, body, becomes = body, summary } = found;
    const kept = structuredClone(body);
    const adapter = adapters[ADAPTER[shape]];
    const model = { id: "any" };
    const done = found.trim
      ? await adapter.trim(createContextManager(), body, { model, max_tokens: 1_000_000, ...found.trim })
      : await adapter.fit(scripted(found), body, { model, options: { previous_summary: summary } });
    assert.deepEqual(done.body, becomes);
    assert.deepEqual(body, kept, "the caller's body is as it was");
    shares(done.body, body);
    if (isDeepStrictEqual(becomes, body)) assert.equal(done.body, body);
    if (found.first !== undefined) assert.equal(done.applied.tail_start_index, found.first);
    const transcript = await adapter.toTranscript(body);
    const written = await adapter.fromTranscript(transcript);
    if (found.same) assert.deepEqual(written.body, bare(body));
  });
}

// A bound of the answer is put where one is due; nothing in a transcript says which.
const bare = (body) => (body.max_tokens ? { ...body, max_tokens: 4096 } : body);

test("a call goes with its result when the budget cuts between them", async () => {
  const call = { id: "c1", type: "function", function: { name: "look", arguments: JSON.stringify({ text: x(4000) }) } };
  const body = { model: "m", messages: [user("go"), { role: "assistant", content: null, tool_calls: [call] }, { role: "tool", tool_call_id: "c1", content: "one" }, assistant("done")] };
  const { body: fitted, applied } = await adapters.chat.fit(manager(), body, { model: usable(3000), options: exact() });
  assert.equal(applied.compacted, true);
  assert.deepEqual(fitted.messages.map(({ role }) => role), ["system", "user", "assistant"]);
  assert.equal(fitted.messages.at(-1), body.messages.at(-1));
});

test("the last call and its result are kept together, or the floor is unmet and said so", async () => {
  const calls = (id) => ({ role: "assistant", content: null, tool_calls: [{ id, type: "function", function: { name: "look", arguments: "{}" } }] });
  const result = (id) => ({ role: "tool", tool_call_id: id, content: id });
  const body = { model: "m", messages: [{ role: "system", content: "Be brief." }, user("go"), calls("t1"), result("t1"), calls("t2"), result("t2")] };
  const { body: least, fits, token_count } = await adapters.chat.trim(manager(), body, { max_tokens: 10 });
  assert.equal(fits, false);
  assert.ok(token_count > 10);
  assert.deepEqual(least.messages.map(({ role }) => role), ["system", "user", "assistant", "tool"]);
  assert.equal(least.messages[2], body.messages[4]);
  await assert.rejects(adapters.chat.fit(manager({ summarize: undefined }), body, { model: usable(10), options: exact() }), { code: "context/overflow" });
});

test("signed thinking of the latest turn stays as it was while its neighbours are pruned", async () => {
  const latest = assistant([{ type: "thinking", thinking: "hm", signature: "s" }, { type: "redacted_thinking", data: "d" }, { type: "tool_use", id: "c1", name: "look", input: {} }]);
  const body = { model: "m", max_tokens: 9, messages: [user("go"), latest, user([{ type: "tool_result", tool_use_id: "c1", content: x(3000) }])] };
  const done = await adapters.anthropic.fit(manager(), body, { model: usable(1000), options: exact({ max_result_tokens: 200 }) });
  assert.equal(done.applied.capped_parts, 1);
  assert.equal(done.body.messages[1], latest);
  assert.match(done.body.messages[2].content[0].content, /result capped: was ~3000 tokens/);
  assert.equal(done.body.messages[2].content[0].tool_use_id, "c1");
});

test("a compaction that leaves no user turn has one put in front, which is counted", async () => {
  const body = { model: "m", max_tokens: 9, messages: [user(x(3000)), assistant("r0"), assistant("r1")] };
  const done = await adapters.anthropic.fit(manager(), body, { model: usable(2500), options: exact() });
  assert.deepEqual(done.body.messages.map(({ role }) => role), ["user", "assistant", "assistant"]);
  const again = await adapters.anthropic.toTranscript(done.body);
  const { tokens } = await manager().countTokens({ ...again, model: usable(2500) });
  assert.equal(done.token_count, tokens);
});

test("a system text is paid once, and never lost", async () => {
  const room = 1000;
  const system = x(200);
  const of = (tokens) => ({ model: "m", instructions: system, input: [user(x(tokens))] });
  // What a message costs beside its words.
  const { token_count } = await adapters.responses.fit(manager(), of(0 + 1), { model: usable(room), options: exact() });
  const framing = token_count - 200 - 1;
  const most = of(room - 200 - framing);
  assert.equal((await adapters.responses.fit(manager(), most, { model: usable(room), options: exact() })).body, most);
  const { body } = await adapters.responses.fit(manager(), { ...of(0), input: [user(x(3000)), assistant("a"), user("b")] }, { model: usable(2500), options: exact() });
  assert.equal(body.instructions, `${system}\n\n# Conversation summary\n\nS`);
});

test("a system text alone over the limit is refused with both numbers", async () => {
  const body = { model: "m", max_tokens: 9, system: [{ type: "text", text: x(300) }], messages: [user("hi")] };
  await assert.rejects(adapters.anthropic.fit(manager(), body, { model: usable(200), options: exact() }), (refusal) => {
    assert.ok(refusal instanceof Refusal);
    assert.match(`${refusal.code}: ${refusal.message}`, /context\/overflow.*requires 3\d\d tokens.*usable budget is 200/);
    return true;
  });
});

test("a body of a system text alone, or of nothing, is a body", async () => {
  for (const messages of [[], [{ role: "system", content: "Be brief." }]]) {
    const body = { model: "m", messages };
    assert.equal((await adapters.chat.fit(manager(), body, { model: usable(100), options: exact() })).body, body);
  }
});

test("later system texts are counted and stay", async () => {
  const later = { role: "developer", content: x(100) };
  const body = { model: "m", messages: [user(x(3000)), assistant("a"), later, user("b")] };
  const done = await adapters.chat.fit(manager(), body, { model: usable(2500), options: exact() });
  assert.ok(done.body.messages.includes(later));
  assert.ok(done.token_count > 100);
  await assert.rejects(adapters.chat.fit(manager(), body, { model: usable(120), options: exact() }), { code: "context/overflow" });
});

test("a picture of 1.9 MB costs what a picture costs, wherever it stands", async () => {
  const data = PNG.slice(0, 8) + "A".repeat(1_900_000);
  const url = `data:image/png;base64,${data}`;
  const bodies = [
    [adapters.chat, { model: "m", messages: [user([{ type: "image_url", image_url: { url } }])] }],
    [adapters.responses, { model: "m", input: [user([{ type: "input_image", image_url: url }])] }],
    [adapters.anthropic, { model: "m", max_tokens: 9, messages: [user([{ type: "image", source: { type: "base64", media_type: "image/png", data } }])] }],
    [adapters.gemini, { contents: [{ role: "user", parts: [{ inlineData: { mimeType: "image/png", data } }] }] }],
    [adapters.responses, { model: "m", input: [user("see"), { type: "function_call", call_id: "c", name: "f", arguments: "{}" }, { type: "function_call_output", call_id: "c", output: JSON.stringify([{ type: "image", data, mimeType: "image/png" }]) }] }],
    [adapters.aiSdk, [user([{ type: "image", image: data, mediaType: "image/png" }])]],
  ];
  for (const [adapter, body] of bodies) {
    const { token_count, body: fitted } = await adapter.fit(manager(), body, { model: usable(100_000), options: exact() });
    assert.ok(token_count > 4096 && token_count < 4400, `${token_count}`);
    assert.equal(fitted, body);
  }
});

test("pruning goes on past a part that is pruned already, and twice is as once", async () => {
  const call = (id) => ({ type: "function_call", call_id: id, name: "look", arguments: "{}" });
  const output = (call_id, text) => ({ type: "function_call_output", call_id, output: text });
  const pruned = "[output of look pruned: was ~3000 tokens; re-call it if still needed]";
  const body = { model: "m", input: [user("a"), call("c1"), output("c1", x(3000)), call("c2"), output("c2", pruned), call("c3"), output("c3", x(3000)), user("b"), user("c")] };
  const pruning = manager({ config: { protect_recent_tokens: 0, min_free_tokens: 1 } });
  const asked = { model: usable(100_000), options: exact() };
  const first = await adapters.responses.fit(pruning, body, asked);
  assert.deepEqual([2, 4, 6].map((index) => first.body.input[index].output), [pruned, pruned, pruned]);
  assert.equal(first.body.input[4], body.input[4]);
  const second = await adapters.responses.fit(pruning, first.body, asked);
  assert.equal(second.applied.pruned_tokens, 0);
  assert.equal(second.body, first.body);
  assert.deepEqual((await adapters.responses.fit(pruning, body, asked)).body, first.body);
});

test("a message that was counted once is handed over as the same object the next time", async () => {
  const real = manager();
  const handed = [];
  const watched = { countTokens: (request) => real.countTokens(request), assemble: (request) => (handed.push(request.messages), real.assemble(request)) };
  const first = { model: "m", messages: [user("a"), assistant("b")] };
  const asked = { model: usable(1000), options: exact() };
  await adapters.chat.fit(watched, first, asked);
  await adapters.chat.fit(watched, { ...first, messages: [...first.messages, user("c")] }, asked);
  assert.deepEqual(handed.map(({ length }) => length), [2, 3]);
  for (const index of [0, 1]) assert.equal(handed[1][index], handed[0][index]);
});

test("a body without a model says so, and one that is none is refused at its place", async () => {
  await assert.rejects(adapters.aiSdk.fit(manager(), [user("hi")]), { code: "parameter_invalid", path: "/model" });
  await assert.rejects(adapters.chat.fit(manager(), { messages: "hi" }), { code: "parameter_invalid", path: "/messages" });
});

test("messages of LangChain are instances on both sides, and the untouched are the same ones", async () => {
  const list = [
    new SystemMessage("Be brief."),
    new HumanMessage(x(3000)),
    new AIMessage({ content: "I look.", tool_calls: [{ id: "c1", name: "look", args: { a: 1 }, type: "tool_call" }] }),
    new ToolMessage({ content: x(900), tool_call_id: "c1", name: "look" }),
    new HumanMessage("and?"),
    new AIMessage("done"),
  ];
  const asked = { model: usable(100_000), options: exact({ max_result_tokens: 100 }) };
  const { body } = await adapters.langchain.fit(manager(), list, asked);
  for (const index of [0, 1, 2, 4, 5]) assert.equal(body[index], list[index]);
  const [capped, was] = [body[3], list[3]];
  assert.ok(capped instanceof ToolMessage);
  assert.match(capped.content, /result capped/);
  assert.deepEqual([capped.tool_call_id, capped.toJSON().kwargs.content], ["c1", capped.content]);
  assert.equal(was.content, x(900), "the caller's own instance is as it was");
  const compacted = await adapters.langchain.fit(manager(), list, { model: usable(2500), options: exact() });
  assert.ok(compacted.body[0] instanceof SystemMessage);
  assert.match(compacted.body[0].content, /Be brief\.\n\n# Conversation summary\n\nS/);
  assert.equal(compacted.body.at(-1), list.at(-1));
  const { body: written } = await adapters.langchain.fromTranscript(await adapters.langchain.toTranscript(list));
  const instances = written.map(coerceMessageLikeToMessage);
  assert.deepEqual(instances.map((message) => message.getType()), list.map((message) => message.getType()));
  assert.deepEqual(instances[2].tool_calls, list[2].tool_calls);
});

test("bytes and addresses of the AI SDK are read, and stay what they are", async () => {
  const bytes = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a]);
  const picture = { type: "image", image: bytes, mediaType: "image/png" };
  const linked = { type: "image", image: new URL("https://a.example/b.png") };
  const input = { system: "Be brief.", messages: [user([picture, linked]), assistant("ok"), user("next")] };
  const { body, token_count } = await adapters.aiSdk.fit(manager(), input, { model: usable(100_000), options: exact() });
  assert.equal(body, input);
  assert.ok(token_count > 4096);
  const blind = manager({ resolveModel: (id) => ({ model: { id, provider: "p", context_window: 9000, max_output_tokens: 100, supports_vision: false } }) });
  const seen = await adapters.aiSdk.fit(blind, input, { model: { id: "blind" } });
  assert.equal(seen.body.messages[0].content[0].type, "text");
  assert.equal(seen.body.messages[0].content[1], linked);
  assert.equal(seen.body.messages[1], input.messages[1]);
});
