// What the package says and what the Rust crate says are one: every answer of the suite as a whole, the
// schema of the native file, and the cases against that schema; every committed schema, and the context manager's
// against their contract.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import Ajv from "ajv/dist/2020.js";
import { openConversation } from "../../pkg/js/index.js";
import { kernelCases, stepsOf, take } from "./cases.mjs";
import { facts } from "./facts.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SCHEMAS = `${ROOT}pkg/schema`;
const example = (name, input, ...args) => execFileSync("cargo", ["run", "--quiet", "-p", "galley-pkg", "--example", name, "--", ...args], { cwd: ROOT, input, encoding: "utf8", maxBuffer: 1 << 28 });

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

test("the committed schemas are the Rust types'", () => {
  const fresh = mkdtempSync(join(tmpdir(), "galley-schema-"));
  try {
    example("schema", "", fresh);
    const all = (folder) => Object.fromEntries(readdirSync(folder).sort().map((name) => [name, readFileSync(join(folder, name), "utf8")]));
    assert.deepEqual(all(SCHEMAS), all(fresh), "pkg/schema is stale. Run: make types (and commit it)");
  } finally {
    rmSync(fresh, { recursive: true });
  }
});

test("what the context manager is asked and answers is the contract's, property by property", () => {
  const contract = JSON.parse(readFileSync(`${ROOT}tests/suite/context-manager-schemas.json`, "utf8"));
  const ours = { schemas: {}, definitions: {} };
  for (const name of readdirSync(SCHEMAS).filter((name) => name.startsWith("context-"))) {
    const { $schema, ...rest } = JSON.parse(readFileSync(`${SCHEMAS}/${name}`, "utf8"));
    assert.equal($schema, "http://json-schema.org/draft-07/schema#");
    const { root, ...definitions } = facts(rest);
    ours.schemas[name] = root;
    for (const [type, told] of Object.entries(definitions)) assert.deepEqual((ours.definitions[type] ??= told), told, `${type} in ${name}`);
  }
  assert.deepEqual(ours, contract);
});

test("every conversation of the suite holds to the schema, and it refuses what is none", () => {
  const holds = new Ajv({ strict: false, validateFormats: false }).compile(JSON.parse(readFileSync(`${SCHEMAS}/conversation-1.json`)));
  // What was opened with a warning was mended first.
  for (const found of cases.filter(({ opened }) => !opened)) assert.ok(holds(JSON.parse(textOf(found))), `${found.file}: ${JSON.stringify(holds.errors)}`);
  for (const none of [3, [], { turns: "none" }, { turns: [{ kind: "note" }] }]) assert.equal(holds(none), false, JSON.stringify(none));
});
