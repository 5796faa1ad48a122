// The kernel's cases through the built package. `tests/tests/kernel.rs` says what a case may hold.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openConversation } from "../../pkg/js/index.js";
import { kernelCases, stepsOf, take } from "./cases.mjs";

const cases = kernelCases();
const places = (warnings = []) => warnings.map(({ path, offset }) => path ?? offset ?? null);

test("the suite is there", () => assert.ok(cases.length >= 29));

for (const found of cases) {
  const { file, shows, conversation, opened = [] } = found;
  test(`${file}: ${shows}`, () => {
    const source = typeof conversation === "string" ? conversation : JSON.stringify(conversation);
    const session = openConversation(source);
    assert.deepStrictEqual(places(session.warnings), opened);
    for (const step of stepsOf(found)) compare(step.expect ?? {}, take(session, step));
  });
}

function compare(expect, answer) {
  if (answer.refusal && !expect.refusal) throw answer.refusal;
  const { refusal, turn, warned, absent = [], ...members } = expect;
  for (const [name, expected] of Object.entries({ refusal, turn })) {
    if (!expected) continue;
    assert.ok(answer[name], `has a ${name}`);
    for (const [key, value] of Object.entries(expected)) {
      assert.deepStrictEqual(answer[name][key] ?? null, value, `${name}.${key}`);
    }
  }
  if (warned) assert.deepStrictEqual(places(answer.warnings), warned);
  for (const name of absent) assert.equal(answer[name], undefined, name);
  assert.deepStrictEqual(Object.fromEntries(Object.keys(members).map((key) => [key, answer[key]])), members);
}
