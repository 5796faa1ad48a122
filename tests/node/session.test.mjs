// An open conversation through the built package: what is sent from it, the answers that come back, and
// what crosses the boundary unharmed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusal, catalogue, loadEncoding, openConversation } from "../../pkg/js/index.js";

const MODEL = { model: "test/model", input_tokens: 8192 };
const FILE = { galley: "conversation/1", models: [MODEL], turns: [{ text: "first" }] };
const open = (more = {}) => openConversation(JSON.stringify({ ...FILE, ...more }));
const refused = (code, more = {}) => (error) => error instanceof Refusal && error.code === code && Object.entries(more).every(([key, value]) => error[key] === value);

test("what is sealed is what was previewed, and each request begins with the one before", () => {
  const session = open();
  let before = [];
  for (let at = 0; at < 5; at++) {
    const request = { prompt: `question ${at}`, model: MODEL.model };
    const preview = session.estimate({ ...request, render: true });
    const { request: sealed, turn } = session.seal(request, { id: `send${at}`, at: 1735689600 + at, options: { temperature: 0 } });
    assert.deepEqual(sealed.entries, preview.entries);
    assert.deepEqual(sealed.request_options, { temperature: 0 });
    assert.deepEqual([turn.id, turn.status, turn.kind, turn.created_at], [`send${at}`, "running", "direct_reply", 1735689600 + at]);
    assert.deepEqual(sealed.entries.slice(0, before.length), before);
    before = sealed.entries;
    assert.equal(session.settle(turn.id, { content: `answer ${at}` }).status, "completed");
  }
  assert.equal(session.toJSON().turns.length, 6);
});

test("a turn is settled once, and only a turn that is there", () => {
  const session = open();
  const { turn } = session.seal({ prompt: "x", model: MODEL.model });
  session.settle(turn.id, { content: "y" });
  assert.throws(() => session.settle(turn.id, { content: "z" }), refused("variant_settled", { status: 409 }));
  assert.throws(() => session.settle("nobody", { content: "z" }), refused("not_found", { status: 404 }));
});

test("a refused send appends nothing", () => {
  const session = open();
  const before = session.toJSON();
  assert.throws(() => session.seal({ prompt: "x".repeat(1_100_000), model: MODEL.model }), refused("content_too_large"));
  assert.throws(() => session.seal({ prompt: "x", model: "nowhere/none" }), refused("unknown_model"));
  assert.throws(() => session.seal({ prompt: "x", model: MODEL.model, colour: 1 }), refused("parameter_invalid"));
  assert.throws(() => session.seal({ prompt: "x", model: MODEL.model }, { colour: 1 }), refused("parameter_invalid"));
  assert.deepEqual(session.toJSON(), before);
});

test("an appended turn is history; unknown fields come back in the file", () => {
  const session = open({ note: { of: "another tool" }, turns: [{ text: "first", score: 0.25 }] });
  session.append({ kind: "message", role: "assistant", text: "second", mark: ["kept"] });
  assert.deepEqual(
    session.estimate({ prompt: "third", model: MODEL.model, render: true }).entries.map((entry) => [entry.role, entry.parts[0].text]),
    [["user", "first"], ["assistant", "second"], ["user", "third"]],
  );
  const file = JSON.parse(JSON.stringify(session));
  assert.deepEqual(file.note, { of: "another tool" });
  assert.deepEqual([file.turns[0].score, file.turns[1].mark], [0.25, ["kept"]]);
  assert.deepEqual(openConversation(JSON.stringify(session)).toJSON(), file);
});

test("bytes, an ArrayBuffer and text are the same file; nothing else is one", () => {
  const bytes = new TextEncoder().encode(JSON.stringify(FILE));
  const file = openConversation(JSON.stringify(FILE)).toJSON();
  assert.deepEqual(openConversation(bytes).toJSON(), file);
  assert.deepEqual(openConversation(bytes.buffer).toJSON(), file);
  assert.deepEqual(openConversation(Buffer.from(bytes)).toJSON(), file);
  for (const other of [undefined, null, 3, FILE]) assert.throws(() => openConversation(other), refused("parameter_invalid"));
});

test("lone surrogates neither break nor vanish: in a file they are a warning at their place", () => {
  const half = "a\ud83d b";
  for (const text of [`[{"role":"user","content":"${half}"},\n{"role":"user","content":"x"}]`, JSON.stringify([{ role: "user", content: half }])]) {
    const session = openConversation(text);
    assert.ok(session.warnings.some(({ line, message }) => line === 1 && /surrogate/i.test(message)), JSON.stringify(session.warnings));
  }
  const answer = open().estimate({ prompt: half, model: MODEL.model, render: true });
  assert.equal(answer.entries.at(-1).parts[0].text, "first\n\na\ufffd b");
});

test("pending words are offered, and null where there are none is undefined", () => {
  const session = openConversation(JSON.stringify([{ role: "user", content: "anyone there?" }]));
  assert.equal(session.pending.text, "anyone there?");
  assert.equal(open({ turns: [{ text: "said" }, { kind: "message", role: "assistant", text: "heard" }] }).pending, undefined);
});

test("an encoding that is not loaded is refused by name, and counts in every session once it is", async () => {
  const row = { model: "test/cl100k", input_tokens: 8192, counter: "cl100k_base" };
  const request = { prompt: "hello world", model: row };
  const [early, late] = [open(), open()];
  assert.throws(() => early.estimate(request), refused("token_counter_unavailable", { detail: "cl100k_base" }));
  assert.throws(() => early.estimate(request), (error) => /loadEncoding\("cl100k_base"\)/.test(error.message));
  const encoding = await loadEncoding("cl100k_base");
  for (const session of [early, late, open()]) {
    const answer = session.estimate(request);
    assert.equal(answer.tokenizer_exact, true);
    assert.equal(answer.input_tokens, encoding.count("first\n\nhello world"));
  }
});

test("the catalogue's rows are dated and have a source, and a model of it needs no row", () => {
  const rows = catalogue();
  assert.ok(rows.length > 5);
  for (const row of rows) assert.ok(row.model && row.source && /^\d{4}-\d{2}-\d{2}$/.test(row.dated), JSON.stringify(row));
  const counted = rows.find((row) => row.counter === undefined && row.input_tokens);
  assert.equal(open().estimate({ prompt: "x", model: counted.model }).catalog_input_token_limit, counted.input_tokens);
});

test("several conversations in one file are refused by name", () => {
  const two = [1, 2].map((at) => JSON.stringify({ messages: [{ role: "user", content: `number ${at}` }, { role: "assistant", content: "yes" }] })).join("\n");
  assert.throws(() => openConversation(two), refused("several_conversations"));
});

test("an integer that no number holds is rounded, as JSON.parse does, and nothing else is lost", () => {
  const text = '{"galley":"conversation/1","kept":-3186688093288599293,"turns":[{"text":"hi"}]}';
  const file = openConversation(text).toJSON();
  assert.equal(file.kept, JSON.parse(text).kept);
  assert.equal(file.turns.length, 1);
});
