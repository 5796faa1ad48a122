// The command line's words, its text form, and how it ends.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { previewText } from "../../pkg/js/cli/text.js";
import { UsageError, parseWords } from "../../pkg/js/cli/words.js";

const CLI = fileURLToPath(new URL("../../pkg/js/cli.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "galley-cli-"));
after(() => rmSync(folder, { recursive: true }));

const file = (name, value) => {
  const path = join(folder, name);
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  return path;
};
const galley = (words, input) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...words], { encoding: "utf8", input: input ?? "" });
  return { status, stdout, stderr };
};

const ROOM = file("room.json", {
  galley: "conversation/1",
  creating_user: "human",
  answering_user: "agent",
  users: {
    human: { kind: "human", handle: "human", display_name: "You" },
    agent: {
      kind: "agent",
      handle: "agent",
      display_name: "Narrator",
      prompt_mechanism: "assembly",
      prompt_template: {
        variables: { mood: "calm" },
        blocks: [{ type: "slot", slot: "system_prompt" }, { type: "inline", role: "developer", text: "Mood: {{mood}}." }, { type: "memory" }, { type: "history" }, { type: "input" }],
      },
    },
  },
  documents: { system_prompt: { content: "You are the room's narrator.", version: 4 } },
  models: [
    { model: "test/exact", input_tokens: 128000, effective_input_tokens: 100000, counter: "o200k_base" },
    { model: "test/plain" },
  ],
  turns: [{ text: "first" }],
});

const ANSWER = {
  mechanism: "assembly",
  input_tokens: 812,
  tokenizer_exact: true,
  catalog_input_token_limit: 128000,
  advisory_input_token_limit: null,
  history: { selected: 4, skipped: 12, skipped_reason: "budget_exceeded", compacted: 9 },
  storage: { bytes: 158, bound: 1048576, within_bound: false, refusal: "content_too_large" },
  blocks: [
    { block: "slot:system_prompt", index: 0, type: "slot", role: "system", state: "selected", tokens: 6, allocated_tokens: 6 },
    { block: "memory", index: 1, type: "memory", role: null, state: "empty", tokens: 0, allocated_tokens: null },
    { block: "history", index: 2, type: "history", role: "user", state: "selected", tokens: 10003, allocated_tokens: 99991 },
  ],
  memory: { included: 0, omitted: 0 },
  slots: {},
  entries: [{ role: "user", parts: [{ type: "text", text: "hi" }] }],
};

test("the text form", () => {
  assert.equal(
    previewText(ANSWER),
    `mechanism: assembly
tokens:    812 (exact)  limit 128000  advisory -
history:   selected 4  skipped 12 (budget_exceeded)  compacted 9
storage:   158 of 1048576 bytes (over: content_too_large)
blocks:
  #  block               type     role    state     tokens  allocated
  0  slot:system_prompt  slot     system  selected       6          6
  1  memory              memory   -       empty          0          -
  2  history             history  user    selected   10003      99991
memory:    0 included, 0 omitted
slots:     (none registered)

entries:
[
  {
    "role": "user",
    "parts": [
      {
        "type": "text",
        "text": "hi"
      }
    ]
  }
]
`,
  );
});

test("words and flags", () => {
  const arity = { var: "many", to: "one", json: "none" };
  assert.deepEqual(parseWords(["-", "--var", "a=1", "b=2=3", "--json", "--var=c=4", "--to=@x"], arity), {
    words: ["-"],
    flags: { var: ["a=1", "b=2=3", "c=4"], json: true, to: "@x" },
  });
  for (const wrong of [["--what"], ["--to"], ["--to", "--json"], ["--to", "a", "--to", "b"], ["--json=yes"], ["--var"], ["--var", "--json"]]) {
    assert.throws(() => parseWords(wrong, arity), UsageError, wrong.join(" "));
  }
});

test("preview counts exactly when the model's tokenizer is known", () => {
  const { status, stdout, stderr } = galley(["preview", ROOM, "--model", "test/exact", "--prompt", "and this question", "--var", "mood=grey"]);
  assert.equal(stderr, "");
  assert.equal(status, 0);
  assert.match(stdout, /^mechanism: assembly\ntokens: {4}\d+ \(exact\) {2}limit 128000 {2}advisory 100000\n/);
  assert.match(stdout, /^slots: {5}system_prompt v4$/m);
  assert.match(stdout, /Mood: grey\./);
});

test("preview without a tokenizer says estimated and no limit", () => {
  const { status, stdout } = galley(["preview", ROOM, "--model", "test/plain", "--prompt", "x"]);
  assert.equal(status, 0);
  assert.match(stdout, /\(estimated\) {2}limit - {2}advisory -$/m);
});

test("preview reads standard input, a trial template, and writes JSON", () => {
  const template = file("template.json", { blocks: [{ type: "history" }, { type: "input" }] });
  const { status, stdout } = galley(["preview", "-", "--model", "test/plain", "--prompt", "x", "--template", template, "--json"], JSON.stringify({ galley: "conversation/1", models: [{ model: "test/plain" }], turns: [{ text: "hi" }] }));
  assert.equal(status, 0);
  const answer = JSON.parse(stdout);
  assert.equal(answer.mechanism, "assembly");
  assert.deepEqual(answer.entries, [{ role: "user", parts: [{ type: "text", text: "hi\n\nx" }] }]);
});

test("without --prompt the words are those that nobody answered", () => {
  const file = [{ role: "system", content: "Be brief." }, { role: "user", content: "anyone there?" }];
  const { status, stdout, stderr } = galley(["preview", "-", "--model", "openai_api/unlisted", "--json"], JSON.stringify(file));
  assert.match(stderr, /unknown_model/);
  assert.equal(status, 1);
  const row = { galley: "conversation/1", models: [{ model: "test/plain" }], pending: { text: "anyone there?" }, turns: [] };
  const answered = galley(["preview", "-", "--model", "test/plain", "--json"], JSON.stringify(row));
  assert.deepEqual(JSON.parse(answered.stdout).entries, [{ role: "user", parts: [{ type: "text", text: "anyone there?" }] }], answered.stderr);
  assert.equal(stdout, "");
});

test("a refusal names its place and exits 1", () => {
  const template = file("bad.json", { blocks: [{ type: "lorebook" }, { type: "input" }] });
  const { status, stdout, stderr } = galley(["preview", ROOM, "--model", "test/plain", "--prompt", "x", "--template", template]);
  assert.deepEqual([status, stdout], [1, ""]);
  assert.match(stderr, /^galley: prompt_template_invalid: .* \(at .*\/blocks\/0\/type\)$/m);
  // Of a file that is nothing known as a whole there is no place to name.
  const unknown = galley(["list", file("unknown.json", { data: {} })]);
  assert.match(unknown.stderr, /^galley: file_invalid: .*is read$/m);
});

for (const [what, words, code, message] of [
  ["a file that is not there", ["preview", join(folder, "none.json")], 1, /none\.json cannot be read/],
  ["an empty file", ["preview", file("empty.json", "")], 1, /galley: \w+: /],
  ["a template that is no JSON", ["preview", ROOM, "--template", file("no.json", "{")], 1, /no\.json is not JSON/],
  ["a variable without =", ["preview", ROOM, "--var", "mood"], 2, /'mood' has no '='/],
  ["no file", ["preview"], 2, /needs a FILE/],
  ["two files", ["preview", "a", "b"], 2, /what is 'b'/],
  ["no command", [], 2, /name a command/],
  ["an unknown command", ["print"], 2, /no command 'print'/],
  ["an unknown flag", ["preview", ROOM, "--colour"], 2, /no flag --colour/],
]) {
  test(`${what} exits ${code}`, () => {
    const { status, stdout, stderr } = galley(words);
    assert.deepEqual([status, stdout], [code, ""]);
    assert.match(stderr, message);
  });
}

const chat = (words) => ({ messages: [{ role: "user", content: words }, { role: "assistant", content: "a" }] });
const SEVERAL = file("several.jsonl", [chat("first"), chat("second")].map((one) => JSON.stringify(one)).join("\n"));

test("list names the conversations of a file, and preview takes the one that is picked", () => {
  const { status, stdout, stderr } = galley(["list", SEVERAL]);
  assert.deepEqual([status, stderr], [0, ""]);
  assert.match(stdout, /^format: chat_completions\n#  turns  bytes  title\n0 +1 +\d+ +first\n1 +1 +\d+ +second\n$/);
  const listed = JSON.parse(galley(["list", SEVERAL, "--json"]).stdout);
  assert.deepEqual(listed.conversations.map(({ title }) => title), ["first", "second"]);
  const words = ["--model", "openai_api/gpt-4o", "--prompt", "x", "--json"];
  const chosen = galley(["preview", SEVERAL, "--pick", "1", ...words]);
  assert.equal(chosen.status, 0, chosen.stderr);
  assert.equal(JSON.parse(chosen.stdout).entries[0].parts[0].text, "second");
  const several = galley(["preview", SEVERAL, ...words]);
  assert.equal(several.status, 1);
  assert.match(several.stderr, /2 conversations: choose one with --pick N/);
  assert.match(galley(["preview", SEVERAL, "--pick", "2", ...words]).stderr, /not_found/);
  assert.equal(galley(["preview", SEVERAL, "--pick", "one", ...words]).status, 2);
});

test("a branch of a conversation is listed and can be previewed", () => {
  const tree = fileURLToPath(new URL("../suite/import/chatgpt/branches.input.json", import.meta.url));
  const { conversations } = JSON.parse(galley(["list", tree, "--json"]).stdout);
  const { index, branches } = conversations.find(({ branches }) => branches.length > 1);
  const other = branches.find(({ current }) => !current);
  const preview = (...more) => galley(["preview", tree, "--pick", String(index), "--model", "openai_api/gpt-4o", "--prompt", "x", "--json", ...more]);
  const [now, then] = [preview(), preview("--branch", other.id)];
  assert.deepEqual([now.status, then.status], [0, 0], then.stderr);
  assert.notEqual(now.stdout, then.stdout);
  assert.match(galley(["list", tree]).stdout, new RegExp(`^ +\\d+ +  [* ] ${other.id}`, "m"));
});

test("--format says what a file is", () => {
  const unknown = file("unknown.json", { log: [{ who: "Ann", msg: "hi" }, { who: "Bot", msg: "hello" }] });
  const silent = galley(["list", unknown]);
  assert.deepEqual([silent.status, silent.stdout], [1, ""]);
  assert.match(silent.stderr, /file_uncertain: .*`guess`/);
  const { status, stdout, stderr } = galley(["list", unknown, "--format", "guess"]);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^format: guess\n/);
  const preview = galley(["preview", unknown, "--format", "guess", "--model", "openai_api/gpt-4o", "--prompt", "x", "--json"]);
  assert.equal(preview.status, 0, preview.stderr);
  assert.equal(JSON.parse(preview.stdout).entries[0].parts[0].text, "hi");
  assert.match(preview.stderr, /warning: the file is read by a guess/);
  const wrong = galley(["list", unknown, "--format", "word"]);
  assert.equal(wrong.status, 1);
  assert.match(wrong.stderr, /parameter_invalid: there is no format "word"; there are galley, /);
});

test("convert writes a file as a body of each provider, and what opens again is the same conversation", () => {
  const body = (to) => galley(["convert", SEVERAL, "--pick", "1", "--to", to]);
  const written = Object.fromEntries(["native", "chat", "responses", "anthropic", "gemini"].map((to) => [to, body(to)]));
  for (const [to, { status, stderr }] of Object.entries(written)) assert.equal(status, 0, `${to}: ${stderr}`);
  assert.equal(JSON.parse(written.native.stdout).galley, "conversation/1");
  assert.deepEqual(JSON.parse(written.chat.stdout).messages.map(({ role, content }) => [role, content]), [["user", "second"], ["assistant", "a"]]);
  assert.equal(JSON.parse(written.gemini.stdout).contents[1].role, "model");
  for (const { stdout } of Object.values(written)) {
    const { conversations } = JSON.parse(galley(["list", "-", "--json"], stdout).stdout);
    assert.deepEqual(conversations.map(({ title, turns }) => [title, turns]), [["second", 1]]);
  }
  assert.equal(galley(["convert", SEVERAL, "--pick", "1"]).status, 2);
  assert.match(body("word").stderr, /native, chat, responses, anthropic, gemini, ai_sdk, langchain are/);
});

test("models lists the catalogue with source and date", () => {
  const { status, stdout } = galley(["models"]);
  assert.equal(status, 0);
  const [header, ...rows] = stdout.trimEnd().split("\n");
  assert.match(header, /^model +counter +input +combined +output +dated +source$/);
  assert.ok(rows.length > 5);
  for (const row of rows) assert.match(row, / \d{4}-\d{2}-\d{2} /, row);
  const listed = JSON.parse(galley(["models", "--json"]).stdout);
  assert.equal(listed.length, rows.length);
});
