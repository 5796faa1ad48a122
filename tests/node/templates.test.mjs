// Every template of the suite, through the built package: the refusal it must get, or none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusal, checkTemplate } from "../../pkg/js/index.js";
import { templateCases } from "./cases.mjs";

const cases = templateCases();

function refusalOf(template) {
  try {
    checkTemplate(template);
  } catch (refusal) {
    assert.ok(refusal instanceof Refusal && refusal instanceof Error, String(refusal));
    assert.ok(refusal.message.length > 0 && refusal.status === 422);
    return { code: refusal.code, path: refusal.path };
  }
  return null;
}

test("the suite has templates that pass and templates that are refused", () => {
  assert.ok(cases.some(({ expect }) => expect === null));
  assert.ok(cases.filter(({ expect }) => expect !== null).length > 40);
});

for (const { name, template, expect } of cases) {
  test(`template: ${name}`, () => assert.deepEqual(refusalOf(template), expect));
}

test("what has no JSON is refused, not read as something else", () => {
  const cycle = {};
  cycle.self = cycle;
  for (const template of [undefined, () => {}, cycle]) {
    assert.throws(() => checkTemplate(template), { name: "Refusal", code: "parameter_invalid" });
  }
});
