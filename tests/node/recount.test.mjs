// What a provider counted of a request, beside what the package counts of the same one.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Refusal, loadEncoding, openConversation, openFile } from "../../pkg/js/index.js";

const OWN = new URL("../e2e/fixtures/chat-completions-stored.json", import.meta.url);
const REAL = new URL("../../../shared/samples/chat-completions-stored.json", import.meta.url);
await loadEncoding("o200k_base");

test("a stored request counts as an estimate of it does, and its provider's count stands beside", async () => {
  const stored = JSON.parse(readFileSync(OWN, "utf8"));
  const session = await (await openFile(JSON.stringify(stored))).open();
  const answered = session.toJSON().turns.at(-1);
  const { request_tokens, tokenizer_exact, sealed, usage } = session.recount(answered.id);
  const { choices, usage: reported, ...asked } = stored;
  const before = openConversation(JSON.stringify(asked));
  const estimate = before.estimate({ prompt: before.pending.text, model: answered.usage.model });
  assert.deepEqual({ request_tokens, tokenizer_exact, sealed }, { request_tokens: estimate.request_tokens, tokenizer_exact: true, sealed: false });
  assert.equal(usage.input_tokens, reported.prompt_tokens);
});

test("a stored request that nobody here wrote counts within two per cent of its provider's count", { skip: !existsSync(REAL) }, () => {
  const session = openConversation(readFileSync(REAL));
  const { request_tokens, usage } = session.recount(session.toJSON().turns.at(-1).id);
  assert.equal(usage.input_tokens, 52_529);
  assert.ok(Math.abs(request_tokens - usage.input_tokens) < 0.02 * usage.input_tokens, `${request_tokens} against ${usage.input_tokens}`);
});

test("what was sealed is counted as it was sealed, for whatever model is asked for", () => {
  const session = openConversation(JSON.stringify({ galley: "conversation/1", models: [{ model: "m", input_tokens: 8192 }], turns: [{ text: "first" }] }));
  const request = { prompt: "and this", model: "m", history: { max_entries: 0 } };
  const { request_tokens } = session.estimate(request);
  const { turn } = session.seal(request);
  session.settle(turn.id, { content: "so", usage: { status: "succeeded", input_tokens: 9, output_tokens: 1, cache_read_tokens: 4 } });
  const usage = { status: "succeeded", input_tokens: 9, output_tokens: 1, cache_read_tokens: 4 };
  assert.deepEqual(session.recount(turn.id), { usage, request_tokens, tokenizer_exact: false, sealed: true });
  assert.equal(session.recount(turn.id, undefined, { counter: "o200k_base" }).request_tokens, 2);
  assert.throws(() => session.recount("nobody"), (error) => error instanceof Refusal && error.code === "not_found");
  assert.throws(() => session.recount(turn.id, undefined, { colour: 1 }), (error) => error instanceof Refusal && error.code === "parameter_invalid");
});
