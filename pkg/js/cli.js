#!/usr/bin/env node
// The terminal's door. Exit codes: 0 answered, 1 refused or unreadable, 2 called wrongly.
import { readFileSync } from "node:fs";
import { parseWords, UsageError } from "./cli/words.js";
import { listText, modelsText, previewText } from "./cli/text.js";

const USAGE = `usage:
  galley preview FILE [--to @HANDLE] [--var NAME=VALUE ...] [--template FILE] [--model ID]
                      [--prompt TEXT] [--format WORD] [--pick N] [--branch ID] [--json]
      what the send would carry; FILE (of any known tool) or - for standard input
  galley list FILE [--format WORD] [--json]
      the conversations in a file, their branches, and what could not be read
      (--format says what the file is, where it does not show)
  galley convert FILE --to native|chat|responses|anthropic|gemini|ai_sdk|langchain
                      [--format WORD] [--pick N] [--branch ID]
      the conversation as a file of that shape, on standard output
  galley assemble|compact|prune|count REQUEST [--config FILE] [--summary FILE] [--explain]
                      [--dry-run]
      what the context manager answers to a request file of its contract (- for standard input);
      --summary is the text that stands for the summariser's, --explain tells what was done
  galley models [--json]
      the built-in catalogue, with the source and the date of each row
  galley --version | --help
`;

const FLAGS = {
  preview: { to: "one", var: "many", template: "one", model: "one", prompt: "one", format: "one", pick: "one", branch: "one", json: "none" },
  list: { format: "one", json: "none" },
  convert: { to: "one", format: "one", pick: "one", branch: "one" },
  models: { json: "none" },
};
// The context manager's calls by their commands.
const CALLS = { assemble: "assemble", compact: "compact", prune: "prune", count: "count_tokens" };
for (const name of Object.keys(CALLS)) {
  FLAGS[name] = { config: "one", summary: "one", explain: "none", "dry-run": "none" };
}

const COMMANDS = { preview, list, convert, models };
for (const [name, call] of Object.entries(CALLS)) COMMANDS[name] = ({ words, flags }) => fitted(call, oneFile(name, words), flags);

async function preview({ words, flags }) {
  const file = oneFile("preview", words);
  if (file === "-" && flags.template === "-") throw new UsageError("Standard input can be the FILE or the template, not both.");
  const variables = flags.var && variablesOf(flags.var);

  const conversation = await picked(await opened(file, flags), flags);
  for (const warning of conversation.warnings) complain(`warning: ${placed(warning)}`);

  const request = { ...wordsFor(flags.prompt, conversation.pending), render: true };
  if (flags.to) request.to = flags.to;
  if (variables) request.variables = variables;
  if (flags.model) request.model = flags.model;
  if (flags.template) request.template = jsonOf(flags.template);

  const answer = await counted(() => conversation.estimate(request));
  return flags.json ? `${JSON.stringify(answer, null, 2)}\n` : previewText(answer);
}

async function list({ words, flags }) {
  const { format, conversations, warnings } = await opened(oneFile("list", words), flags);
  if (flags.json) return `${JSON.stringify({ format, conversations, warnings }, null, 2)}\n`;
  for (const warning of warnings) complain(`warning: ${placed(warning)}`);
  return listText(format, conversations);
}

async function convert({ words, flags }) {
  const file = oneFile("convert", words);
  if (flags.to === undefined) throw new UsageError("convert needs --to and what to write: native, chat, responses, anthropic, gemini, ai_sdk or langchain.");
  const conversation = await picked(await opened(file, flags), flags);
  const { convert } = await import("./index.js");
  const { body, warnings } = await convert(conversation, flags.to);
  for (const warning of [...conversation.warnings, ...warnings]) complain(`warning: ${placed(warning)}`);
  return `${JSON.stringify(body, null, 2)}\n`;
}

async function fitted(call, file, { config, summary, explain, "dry-run": dry_run = false }) {
  const request = jsonOf(file);
  const { createContextManager, loadEncoding } = await import("./index.js");
  const text = summary === undefined ? undefined : new TextDecoder().decode(read(summary));
  const manager = createContextManager({
    ...(config !== undefined && { config: jsonOf(config) }),
    ...(text !== undefined && { summarize: () => text }),
  });
  // A model whose row names a vocabulary is counted with it.
  if (request?.model) {
    const { detail } = await manager.explain("count_tokens", { messages: [], model: request.model });
    if (detail.encoding) await loadEncoding(detail.encoding);
  }
  const { response, error, detail } = await manager.explain(call, request, { dry_run });
  const answer = explain || dry_run ? { response, ...(error && { error: { ...error, message: error.message } }), detail } : response;
  if (error && !explain && !dry_run) throw error;
  if (error) process.exitCode = 1;
  return `${JSON.stringify(answer, null, 2)}\n`;
}

function oneFile(command, [file, ...more]) {
  if (file === undefined) throw new UsageError(`${command} needs a FILE, or - for standard input.`);
  if (more.length > 0) throw new UsageError(`${command} takes one FILE; what is ${more.map((word) => `'${word}'`).join(", ")}?`);
  return file;
}

async function opened(file, { format }) {
  const { openFile } = await import("./index.js");
  return openFile(read(file), { format });
}

// One of several is never chosen silently.
async function picked(file, { pick, branch }) {
  const count = file.conversations.length;
  if (pick === undefined && count > 1) {
    throw new Unreadable(`the file holds ${count} conversations: choose one with --pick N ('galley list FILE' names them).`);
  }
  if (pick !== undefined && !/^\d+$/.test(pick)) throw new UsageError(`--pick takes a number from 'galley list', not '${pick}'.`);
  return file.open(Number(pick ?? 0), branch);
}

async function models({ words, flags }) {
  if (words.length > 0) throw new UsageError("models takes no FILE.");
  const { catalogue } = await import("./index.js");
  const rows = catalogue();
  return flags.json ? `${JSON.stringify(rows, null, 2)}\n` : modelsText(rows);
}

// Without --prompt, the words are the file's own last ones, when nobody has answered them.
function wordsFor(prompt, pending) {
  if (prompt !== undefined) return { prompt };
  if (pending === undefined) return {};
  return { prompt: pending.text, ...(pending.uploads?.length > 0 && { attachments: pending.uploads }) };
}

// A model's vocabulary is loaded when the engine asks for it, and the question is put again.
async function counted(ask) {
  const { loadEncoding } = await import("./index.js");
  try {
    return ask();
  } catch (refusal) {
    if (refusal.code !== "token_counter_unavailable" || !refusal.detail) throw refusal;
    await loadEncoding(refusal.detail);
    return ask();
  }
}

function variablesOf(words) {
  const variables = {};
  for (const word of words) {
    const at = word.indexOf("=");
    if (at < 0) throw new UsageError(`--var takes NAME=VALUE; '${word}' has no '='.`);
    variables[word.slice(0, at)] = word.slice(at + 1);
  }
  return variables;
}

function read(file) {
  try {
    return new Uint8Array(readFileSync(file === "-" ? 0 : file));
  } catch (error) {
    throw new Unreadable(`${file === "-" ? "standard input" : file} cannot be read: ${error.message}`);
  }
}

function jsonOf(file) {
  try {
    return JSON.parse(new TextDecoder().decode(read(file)));
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable(`${file} is not JSON: ${error.message}`);
  }
}

class Unreadable extends Error {}

function placed({ message, path, line }) {
  // The root of a file is no place in it.
  const place = path || (line === undefined ? undefined : `line ${line}`);
  return place === undefined ? message : `${message} (at ${place})`;
}

function complain(line) {
  process.stderr.write(`galley: ${line}\n`);
}

async function main(argv) {
  const [command, ...rest] = argv;
  if (command === undefined) throw new UsageError("name a command.");
  if (command === "--help" || command === "-h" || command === "help") return USAGE;
  if (command === "--version") {
    return `${JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version}\n`;
  }
  if (!Object.hasOwn(COMMANDS, command)) throw new UsageError(`there is no command '${command}'.`);
  if (rest.includes("--help")) return USAGE;
  return COMMANDS[command](parseWords(rest, FLAGS[command]));
}

// A reader that has seen enough (`| head`) closes the pipe; that is no fault of ours.
process.stdout.on("error", (error) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

try {
  process.stdout.write(await main(process.argv.slice(2)));
} catch (error) {
  if (error instanceof UsageError) {
    complain(error.message);
    process.stderr.write(USAGE);
    process.exitCode = 2;
  } else if (error.name === "Refusal") {
    complain(`${error.code}: ${placed(error)}`);
    process.exitCode = 1;
  } else if (error instanceof Unreadable) {
    complain(error.message);
    process.exitCode = 1;
  } else {
    throw error;
  }
}
