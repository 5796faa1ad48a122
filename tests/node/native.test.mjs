// What the package says and what the Rust crate says are one: every answer of the suite as a whole, the
// schema of the native file, and the cases against that schema.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import Ajv from "ajv/dist/2020.js";
import { openConversation } from "../../pkg/js/index.js";
import { kernelCases, stepsOf, take } from "./cases.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SCHEMA = "pkg/schema/conversation-1.json";
const example = (name, input) => execFileSync("cargo", ["run", "--quiet", "-p", "galley-pkg", "--example", name], { cwd: ROOT, input, encoding: "utf8", maxBuffer: 1 << 28 });

const cases = kernelCases();
const textOf = ({ conversation }) => (typeof conversation === "string" ? conversation : JSON.stringify(conversation));
// Of a refusal what crosses is its members; Error adds a stack of its own.
const plain = ({ refusal, ...answer }) =>
  refusal ? JSON.parse(JSON.stringify({ refusal: { code: refusal.code, message: refusal.message, status: refusal.status, path: refusal.path, detail: refusal.detail } })) : answer;

test("the wasm answers as the native engine does, member for member, at every step of every case", () => {
  const asked = cases.map((found) => ({ source: textOf(found), steps: stepsOf(found) }));
  const native = JSON.parse(example("answers", JSON.stringify(asked)));
  assert.equal(native.length, cases.length);
  for (const [at, { source, steps }] of asked.entries()) {
    const session = openConversation(source);
    const answers = steps.map((step) => plain(take(session, step)));
    assert.deepStrictEqual({ warnings: session.warnings, answers, file: session.toJSON() }, native[at], cases[at].file);
  }
});

test("the committed schema is the Rust types'", () => {
  assert.equal(readFileSync(`${ROOT}${SCHEMA}`, "utf8"), example("schema"), `${SCHEMA} is stale. Run: make types (and commit it)`);
});

test("every conversation of the suite holds to the schema, and it refuses what is none", () => {
  const holds = new Ajv({ strict: false, validateFormats: false }).compile(JSON.parse(readFileSync(`${ROOT}${SCHEMA}`)));
  // What was opened with a warning was mended first.
  for (const found of cases.filter(({ opened }) => !opened)) assert.ok(holds(JSON.parse(textOf(found))), `${found.file}: ${JSON.stringify(holds.errors)}`);
  for (const none of [3, [], { turns: "none" }, { turns: [{ kind: "note" }] }]) assert.equal(holds(none), false, JSON.stringify(none));
});
