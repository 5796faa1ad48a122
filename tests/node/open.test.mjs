// Files of other tools through the package: every fixture as the engine reads it, whatever it is handed in as.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { Refusal, convert, openConversation, openFile } from "../../pkg/js/index.js";

const SUITE = fileURLToPath(new URL("../suite/import/", import.meta.url));
const fixtures = readdirSync(SUITE, { recursive: true })
  .filter((name) => name.includes(".input."))
  .sort();
const bytesOf = (name) => new Uint8Array(readFileSync(SUITE + name));
// What is read by a guess is not opened unasked.
const optionsOf = (name) => (name.startsWith("guess/") ? { format: "guess" } : {});
const expected = (name) => JSON.parse(readFileSync(`${SUITE}${name.split(".input.")[0]}.expect.json`, "utf8"));
// What a file leaves to its defaults is spelled out by the version that writes it.
const asWritten = (file) => openConversation(JSON.stringify(file)).toJSON();

test("every fixture opens in wasm as it does natively, each of its conversations", async () => {
  assert.ok(fixtures.length >= 9);
  for (const name of fixtures) {
    const { opened, natives } = expected(name);
    const file = await openFile(bytesOf(name), optionsOf(name));
    assert.equal(file.format, opened.format, name);
    assert.equal(file.conversations.length, natives.length, name);
    for (const [index, native] of natives.entries()) {
      const session = await file.open(index);
      assert.deepStrictEqual(session.toJSON(), asWritten(native.file), `${name} ${index}`);
      const own = opened.conversations[index]?.warnings ?? [];
      // Of a native file everything is noticed in one reading.
      const told = file.format === "galley" ? [] : [...opened.warnings, ...own];
      assert.deepStrictEqual(session.warnings, [...told, ...native.warnings], `${name} ${index}`);
    }
  }
});

const chat = (content) => ({ messages: [{ role: "user", content }, { role: "assistant", content: "a" }] });
const several = JSON.stringify([chat("first"), chat("second \ud83d")]);

test("a file may be a string, bytes, a Blob or a stream, and packed", async () => {
  const bytes = new TextEncoder().encode(JSON.stringify([chat("first"), chat("second")]));
  const sources = [bytes, bytes.slice().buffer, new Blob([bytes]), new Blob([bytes]).stream(), new Uint8Array(gzipSync(bytes))];
  for (const source of [JSON.stringify([chat("first"), chat("second")]), ...sources]) {
    const file = await openFile(source);
    assert.deepEqual(file.conversations.map(({ index, title, turns }) => [index, title, turns]), [[0, "first", 1], [1, "second", 1]]);
    assert.equal((await file.open(1)).toJSON().turns[0].prompt.text, "second");
  }
  const { warnings } = await openFile(several);
  assert.deepEqual(warnings.map(({ code }) => code), ["lone_surrogate"]);
  await assert.rejects(openFile(7), { name: "Refusal", code: "parameter_invalid" });
});

test("what cannot be opened is refused by its place, and what is not there is not found", async () => {
  await assert.rejects(openFile(""), (error) => error instanceof Refusal && error.code === "file_invalid");
  await assert.rejects(openFile("[{]"), { code: "file_invalid", message: /byte/ });
  const file = await openFile(several);
  await assert.rejects(file.open(2), { code: "not_found" });
  await assert.rejects(file.open(0, "nowhere"), { code: "not_found" });
});

test("a format that is asked for is read whatever the file looks like", async () => {
  const file = JSON.stringify([{ role: "user", content: "hi" }]);
  assert.equal((await openFile(file)).format, "chat_completions");
  const asked = await openFile(file, { format: "agent_messages" });
  assert.equal(asked.format, "agent_messages");
  assert.equal((await asked.open()).pending.text, "hi");
  await assert.rejects(openFile(file, { format: "cybros" }), { code: "file_invalid", detail: "chat_completions" });
  for (const format of ["Pi", "", 0]) {
    await assert.rejects(openFile(file, { format }), { name: "Refusal", code: "parameter_invalid", message: /galley, chat_completions, / });
  }
  const unknown = JSON.stringify({ log: [{ who: "Ann", msg: "hi" }] });
  await assert.rejects(openFile(unknown), { code: "file_uncertain", detail: "guess" });
  assert.equal((await openFile(unknown, { format: "guess" })).conversations.length, 1);
});

test("a large list is read by slices, with progress, and can be given up", async () => {
  const one = JSON.stringify(chat("x".repeat(50_000)));
  const blob = new Blob(["[", ...Array.from({ length: 99 }, () => `${one},`), one, "]"]);
  const seen = [];
  const file = await openFile(blob, { onProgress: ({ loaded, total }) => seen.push([loaded, total]) });
  assert.equal(file.conversations.length, 100);
  assert.ok(seen.length > 3, "more than one slice");
  assert.deepEqual(seen.at(-1), [blob.size, blob.size]);
  const stop = new AbortController();
  await assert.rejects(openFile(blob, { signal: stop.signal, onProgress: () => stop.abort() }), { name: "AbortError" });
});

test("an open conversation is written as a body, with what is otherwise in it", async () => {
  const session = openConversation(JSON.stringify({ model: "m", temperature: 0, ...chat("hi") }));
  const { body, warnings } = await convert(session, "anthropic");
  assert.deepEqual(body.messages[0], { role: "user", content: [{ type: "text", text: "hi" }] });
  assert.deepEqual(warnings.map(({ code }) => code), ["options_not_written", "max_tokens_added"]);
  assert.deepEqual((await convert(session.toJSON(), "native")).body, session.toJSON());
  await assert.rejects(convert(session, "word"), { code: "parameter_invalid", path: "/to" });
});
