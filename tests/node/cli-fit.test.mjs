// The context manager in a terminal: a request file in, the contract's answer out.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../../pkg/js/cli.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "galley-fit-"));
after(() => rmSync(folder, { recursive: true }));

const file = (name, value) => {
  const path = join(folder, name);
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  return path;
};
const galley = (words, input = "") => spawnSync(process.execPath, [CLI, ...words], { encoding: "utf8", input });
const answer = ({ stdout }) => JSON.parse(stdout);

const user = (text) => ({ role: "user", content: [{ type: "text", text }], timestamp: 1 });
const SMALL = { id: "small", limits: { context_window: 5_000, max_output_tokens: 500 } };
const LONG = { messages: [user("x".repeat(12_000)), user("y".repeat(12_000)), user("recent"), user("newest")], model: SMALL };

test("a request is counted, exactly where its model has a vocabulary", () => {
  const counted = (model) => answer(galley(["count", "-"], JSON.stringify({ messages: [user("hello world")], model: { id: model } })));
  assert.deepStrictEqual(counted("any"), { tokens: 19, by_role: { user: 19, assistant: 0, function_result: 0, custom: 0 }, estimator: "heuristic" });
  assert.deepStrictEqual(counted("gpt-4o"), { tokens: 2, by_role: { user: 2, assistant: 0, function_result: 0, custom: 0 }, estimator: "tokenizer" });
});

test("a history is summarised with the summary that is given", () => {
  const summary = file("summary.md", "## Goal\n- go on");
  const { applied, messages } = answer(galley(["assemble", file("long.json", LONG), "--summary", summary]));
  assert.deepStrictEqual([applied.compacted, applied.summary, applied.tail_start_index], [true, "## Goal\n- go on", 2]);
  assert.deepStrictEqual(messages, LONG.messages.slice(2));
  assert.equal(answer(galley(["compact", file("long.json", LONG), "--summary", summary])).status, "ok");
  assert.deepStrictEqual(answer(galley(["compact", file("long.json", LONG)])), { status: "overflow" });
});

test("what does not fit is refused with both numbers, and told", () => {
  const refused = galley(["assemble", file("long.json", LONG)]);
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /context\/overflow: assembled context requires 6068 tokens but usable budget is 4000/);
  const told = galley(["assemble", file("long.json", LONG), "--explain"]);
  assert.equal(told.status, 1);
  const { response, error, detail } = answer(told);
  assert.deepStrictEqual([response, error.code, detail.tokens_after], [undefined, "context/overflow", 6068]);
  const dry = answer(galley(["assemble", file("long.json", LONG), "--dry-run"]));
  assert.equal(dry.detail.compaction.outcome, "dry");
});

test("old results are pruned by the configuration of a file", () => {
  const result = { role: "function_result", function_call_id: "c", function_id: "f", content: [{ type: "text", text: "x".repeat(8_000) }], timestamp: 1 };
  const request = file("prune.json", { messages: [user("a"), result, user("b"), user("c")] });
  assert.equal(answer(galley(["prune", request])).pruned_parts, 0);
  const config = file("config.json", { protect_recent_tokens: 0, min_free_tokens: 1 });
  const pruned = answer(galley(["prune", request, "--config", config]));
  assert.equal(pruned.messages[1].content[0].text, "[output of f pruned: was ~2000 tokens; re-call it if still needed]");
  const wrong = galley(["prune", request, "--config", file("wrong.json", { tail_turn: 1 })]);
  assert.deepStrictEqual([wrong.status, /tail_turn/.test(wrong.stderr)], [1, true]);
});

test("what is no request is refused at its place", () => {
  const wrong = galley(["count", "-"], JSON.stringify({ messages: [{ role: "user", content: "hi", timestamp: 1 }], model: { id: "m" } }));
  assert.equal(wrong.status, 1);
  assert.match(wrong.stderr, /invalid request: .*\(at \/messages\/0/);
  assert.match(galley(["count", "-"], "{}").stderr, /context\/invalid_request|missing field `model`/);
  assert.equal(galley(["count"]).status, 2);
});
