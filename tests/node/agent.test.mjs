// The example agent, as a user of the package has it, against the scripted model on loopback.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { startModel } from "../../pkg/examples/agent/model.mjs";
import { project } from "./packed.mjs";

const agent = readFileSync(new URL("../../pkg/examples/agent/agent.mjs", import.meta.url), "utf8");
const user = project({ "agent.mjs": agent });
after(user.remove);

test("an agent stays in budget through many turns, and goes on where it stopped", async () => {
  const model = await startModel({ input_tokens: 15_000 });
  try {
    const session = join(user.folder, "session.json");
    // Every turn is a process of its own: only the file goes on.
    for (let turn = 1; turn <= 6; turn++) {
      const words = ["agent.mjs", model.url, session, `Question ${turn}: what do the pages say?`];
      const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: user.folder });
      assert.equal(stdout, "I have read 3 pages.\n");
    }
    const { messages, boundary, summary } = JSON.parse(readFileSync(session, "utf8"));
    assert.equal(messages.length, 6 * 8, "the session keeps every message");
    assert.equal(model.seen.refused, 0);
    assert.ok(model.seen.largest <= 15_000 && model.seen.largest > 5_000, `${model.seen.largest} tokens`);
    assert.ok(model.seen.summaries >= 2, "it was compacted more than once");
    assert.match(summary, new RegExp(`summary ${model.seen.summaries}:`), "the newest summary is the one that is kept");
    assert.ok(boundary > 0 && boundary < messages.length);
    assert.match(model.seen.prompts.at(-1), new RegExp(`<previous-summary>[^]*summary ${model.seen.summaries - 1}:[^]*</previous-summary>`));
  } finally {
    await model.stop();
  }
});
