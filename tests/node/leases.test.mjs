// Who compacts a history: leases in memory and as files, and what a host does that is late or fails.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createContextManager, foldFrames } from "../../pkg/js/index.js";
import { fileLeases } from "../../pkg/js/context/files.node.js";

const folder = mkdtempSync(join(tmpdir(), "galley-leases-"));
after(() => rmSync(folder, { recursive: true }));
const scope = join(folder, "context_lease");

const user = (text) => ({ role: "user", content: [{ type: "text", text }], timestamp: 1 });
const BIG = { id: "big", limits: { context_window: 200_000, max_output_tokens: 8_000 } };
const request = (options) => ({ messages: [user("x".repeat(36_000)), user("q2"), user("q3")], model: BIG, options });

test("a lease outlives its store and is gone when it is cleared", async () => {
  const record = { nonce: "n", ts: 7 };
  assert.equal(await (await fileLeases(folder)).swap("session-42", record), null);
  const restarted = await fileLeases(folder);
  assert.deepStrictEqual(await restarted.get("session-42"), record);
  assert.deepStrictEqual(await (await fileLeases(folder)).swap("session-42", { nonce: "m", ts: 8 }), record, "cold, too");
  await (await fileLeases(folder)).swap("session-42", null);
  assert.equal(existsSync(join(scope, "session-42.json")), false);
  assert.equal(await (await fileLeases(folder)).get("session-42"), null);
});

test("a key is a file of the folder, whatever it holds", async () => {
  const leases = await fileLeases(folder);
  const record = { nonce: "n", ts: 7 };
  for (const [key, name] of [
    ["../escape/é", "..%2Fescape%2F%C3%A9.json"],
    ["s_abc-123.x", "s_abc-123.x.json"],
  ]) {
    await leases.swap(key, record);
    assert.deepStrictEqual(JSON.parse(readFileSync(join(scope, name))), record);
    await leases.swap(key, null);
  }
  assert.deepStrictEqual(readdirSync(scope), []);
});

test("a file that holds no lease is free", async () => {
  for (const text of ['"just a string"', "{", '{"nonce": 1, "ts": 2}', ""]) {
    writeFileSync(join(scope, "k.json"), text);
    assert.equal(await (await fileLeases(folder)).get("k"), null);
  }
});

test("swaps of a key come one after the other", async () => {
  const leases = await fileLeases(folder);
  const before = await Promise.all(["a", "b", "c"].map((nonce) => leases.swap("turns", { nonce, ts: 1 })));
  assert.deepStrictEqual(before.map((record) => record?.nonce ?? null), [null, "a", "b"]);
  await leases.swap("turns", null);
});

test("two compactions of a history exclude each other, in memory and by files", async () => {
  for (const lease_dir of [undefined, folder]) {
    let finish, begun;
    const summary = new Promise((resolve) => (finish = () => resolve("## Goal\n- go on")));
    const asked = new Promise((resolve) => (begun = resolve));
    const config = lease_dir === undefined ? {} : { lease_dir };
    const summarize = () => (begun(), summary);
    const manager = createContextManager({ config, summarize });
    const other = lease_dir === undefined ? manager : createContextManager({ config, summarize });
    const first = manager.compact(request());
    // It holds its lease once its summariser is asked.
    await asked;
    assert.deepStrictEqual(await other.compact(request()), { status: "busy" });
    finish();
    assert.equal((await other.compact(request({ lease_key: "another" }))).status, "ok", "another key is free");
    assert.equal((await first).status, "ok");
    assert.equal((await other.compact(request())).status, "ok", "it was given back");
  }
  assert.deepStrictEqual(readdirSync(scope).filter((name) => name !== "k.json"), []);
});

test("a folder that cannot be made leaves the configuration as it was", async () => {
  const manager = createContextManager({ config: { tail_turns: 1 }, summarize: () => "## Goal" });
  writeFileSync(join(folder, "file"), "");
  await assert.rejects(manager.configure({ lease_dir: join(folder, "file", "inside"), tail_turns: 0 }));
  assert.equal((await manager.compact(request())).tail_start_index, 2, "one turn stays, as before");
});

test("a summariser that is late, fails or has nothing to say leaves the history as it is", async () => {
  const status = async (summarize, config = {}) => (await createContextManager({ config, summarize }).compact(request())).status;
  assert.equal(await status(() => new Promise(() => {}), { summarizer_timeout_ms: 1 }), "overflow");
  assert.equal(await status(() => Promise.reject(new Error("429"))), "overflow");
  assert.equal(await status(() => " \n"), "empty");
  assert.equal(await status(() => undefined), "empty");
  assert.equal(await status(() => 42), "empty");
  assert.equal(await status(undefined), "overflow");
});

test("a bound beyond what a timer can wait is no bound", async () => {
  const slow = () => new Promise((resolve) => setTimeout(resolve, 20, "## Goal"));
  const manager = createContextManager({ config: { summarizer_timeout_ms: 10_000_000_000 }, summarize: slow });
  assert.equal((await manager.compact(request())).status, "ok");
});

test("a summariser that streams is folded into its text, or into what failed", async () => {
  const frames = [{ type: "text_delta", delta: "## Goal\n" }, '{"type":"text_delta","delta":"- go on"}', "junk"];
  const manager = createContextManager({ summarize: () => foldFrames(frames) });
  assert.equal((await manager.compact(request())).summary, "## Goal\n- go on");
  frames.push({ type: "stop", stop_reason: "error", error_message: "broken" });
  const { response, detail } = await manager.explain("compact", request());
  assert.deepStrictEqual([response.status, detail.compaction.message], ["overflow", "broken"]);
  frames.length = 0;
  assert.equal((await manager.compact(request())).status, "empty");
});
