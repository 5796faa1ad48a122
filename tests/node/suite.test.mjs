// The kernel's cases through the built package. `tests/tests/kernel.rs` says what a case may hold.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openConversation } from "../../pkg/js/index.js";
import { kernelCases } from "./cases.mjs";

const cases = kernelCases();
const places = (warnings = []) => warnings.map(({ path, offset }) => path ?? offset ?? null);

test("the suite is there", () => assert.ok(cases.length >= 29));

for (const { file, shows, conversation, opened = [], request, expect, then = [] } of cases) {
  test(`${file}: ${shows}`, () => {
    const source = typeof conversation === "string" ? conversation : JSON.stringify(conversation);
    const session = openConversation(source);
    assert.deepStrictEqual(places(session.warnings), opened);
    const steps = expect ? [{ request, expect }, ...then] : then;
    for (const step of steps) compare(step.expect ?? {}, take(session, step));
  });
}

function take(session, step) {
  try {
    if (step.seal) return session.seal(step.seal, step.as);
    if (step.settle) return { turn: session.settle(step.settle, step.answer) };
    if (step.append) return { turn: session.append(step.append) };
    return session.estimate(step.request);
  } catch (refusal) {
    return { refusal };
  }
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
