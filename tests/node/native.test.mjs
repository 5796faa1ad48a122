// What the package says and what the Rust crate says are one: every answer of the suite as a whole, the
// schema of the native file, and the cases against that schema.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import Ajv from "ajv/dist/2020.js";
import { openConversation } from "../../pkg/js/index.js";
import { kernelCases } from "./cases.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SCHEMA = "pkg/schema/conversation-1.json";
const example = (name, input) => execFileSync("cargo", ["run", "--quiet", "-p", "galley-pkg", "--example", name], { cwd: ROOT, input, encoding: "utf8", maxBuffer: 1 << 28 });

const cases = kernelCases().filter(({ conversation }) => typeof conversation === "object");

test("the wasm answers as the native engine does, member for member", () => {
  const native = JSON.parse(example("answers", JSON.stringify(cases.map(({ conversation, request }) => ({ conversation, request })))));
  assert.equal(native.length, cases.length);
  for (const [at, { file, conversation, request }] of cases.entries()) {
    let answer;
    try {
      answer = openConversation(JSON.stringify(conversation)).estimate(request);
    } catch (error) {
      assert.equal(error.name, "Refusal", String(error.stack));
      const { code, message, status, path, detail } = error;
      answer = { refusal: JSON.parse(JSON.stringify({ code, message, status, path, detail })) };
    }
    assert.deepStrictEqual(answer, native[at], file);
  }
});

test("the committed schema is the Rust types'", () => {
  assert.equal(readFileSync(`${ROOT}${SCHEMA}`, "utf8"), example("schema"), `${SCHEMA} is stale. Run: make types (and commit it)`);
});

test("every conversation of the suite holds to the schema, and it refuses what is none", () => {
  const holds = new Ajv({ strict: false, validateFormats: false }).compile(JSON.parse(readFileSync(`${ROOT}${SCHEMA}`)));
  for (const { file, conversation } of cases) assert.ok(holds(conversation), `${file}: ${JSON.stringify(holds.errors)}`);
  for (const none of [3, [], { turns: "none" }, { turns: [{ kind: "note" }] }]) assert.equal(holds(none), false, JSON.stringify(none));
});
