// The suite's files, unpacked: `{"$repeat": [c, n]}` and `{"$runs": [[c, n], …]}` are long strings,
// `{"$times": [n, value, …]}` in a list is n times those values, and a conversation is laid over the base
// file (objects merge key by key, lists replace; a string is a whole file as it stands).
import { readFileSync, readdirSync } from "node:fs";

const SUITE = new URL("../suite/", import.meta.url);

export function unpack(value) {
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      if (!item?.$times) return [unpack(item)];
      const [times, ...values] = item.$times;
      return Array(times).fill(unpack(values)).flat();
    });
  }
  if (value === null || typeof value !== "object") return value;
  if (value.$repeat) return value.$repeat[0].repeat(value.$repeat[1]);
  if (value.$runs) return value.$runs.map(([text, times]) => text.repeat(times)).join("");
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, unpack(member)]));
}

export function overlay(base, over) {
  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  if (!isObject(base) || !isObject(over)) return over;
  const laid = { ...base };
  for (const [key, value] of Object.entries(over)) laid[key] = key in base ? overlay(base[key], value) : value;
  return laid;
}

const json = (path) => unpack(JSON.parse(readFileSync(new URL(path, SUITE))));

export const templateCases = () => json("kernel-templates.json");

export function kernelCases() {
  const base = json("kernel-base.json");
  return readdirSync(new URL("kernel/", SUITE))
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => {
      const found = json(`kernel/${name}`);
      return { ...found, file: name, conversation: overlay(base, found.conversation) };
    });
}

/** What is asked of a case's conversation, in order. */
export const stepsOf = ({ request, expect, then = [] }) => (expect ? [{ request, expect }, ...then] : then);

/** Takes one step of an open conversation: its answer, or its refusal. */
export function take(session, step) {
  try {
    if (step.seal) return session.seal(step.seal, step.as);
    if (step.settle) return { turn: session.settle(step.settle, step.answer) };
    if (step.append) return { turn: session.append(step.append) };
    return session.estimate(step.request);
  } catch (refusal) {
    return { refusal };
  }
}
