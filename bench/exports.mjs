// Exports of the sizes people have, made up: a ChatGPT export of many conversations, a long Claude Code log.
import { createWriteStream } from "node:fs";
import { once } from "node:events";

const WORDS = "the press prints what the galley shows and nothing else is read before it goes out again with care ".repeat(8);
const words = (seed, length) => WORDS.slice(seed % 97, (seed % 97) + length);

function chat(number) {
  const mapping = { root: { id: "root", message: null, parent: null, children: ["0"] } };
  const count = 50;
  for (let at = 0; at < count; at++) {
    const id = String(at);
    const role = at % 2 ? "assistant" : "user";
    mapping[id] = {
      id,
      parent: at === 0 ? "root" : String(at - 1),
      children: at + 1 < count ? [String(at + 1)] : [],
      message: {
        id,
        author: { role, name: null, metadata: {} },
        create_time: 1_700_000_000 + number * 100 + at,
        content: { content_type: "text", parts: [words(number + at, 700) + (at % 7 ? "" : ' "quoted" \u{1f600} ünïcode')] },
        status: "finished_successfully",
        weight: 1,
        metadata: role === "assistant" ? { model_slug: "gpt-4o", request_id: `r${number}-${at}` } : {},
        recipient: "all",
      },
    };
  }
  return JSON.stringify({ title: `Conversation ${number}`, create_time: 1_700_000_000 + number * 100, mapping, current_node: String(count - 1), conversation_id: `c${number}` });
}

function* session(bytes) {
  let written = 0;
  let parent = null;
  for (let at = 0; written < bytes; at++) {
    const uuid = `u${at}`;
    const line = (type, message) => JSON.stringify({ parentUuid: parent, isSidechain: false, userType: "external", cwd: "/home/a/project", sessionId: "s1", version: "2.0.0", gitBranch: "main", type, message, uuid, timestamp: new Date(1_700_000_000_000 + at * 1000).toISOString() });
    const kind = at % 4;
    const text =
      kind === 0
        ? line("user", { role: "user", content: words(at, 300) })
        : kind === 1
          ? line("assistant", { id: `m${at}`, role: "assistant", model: "claude", content: [{ type: "tool_use", id: `t${at}`, name: "Read", input: { file_path: `/home/a/${at}.rs` } }], stop_reason: "tool_use", usage: { input_tokens: 10, output_tokens: 5 } })
          : kind === 2
            ? line("user", { role: "user", content: [{ type: "tool_result", tool_use_id: `t${at - 1}`, content: words(at, 700).repeat(6) }] })
            : line("assistant", { id: `m${at}`, role: "assistant", model: "claude", content: [{ type: "text", text: words(at, 600) }], stop_reason: "end_turn", usage: { input_tokens: 20, output_tokens: 50 } });
    parent = uuid;
    written += text.length + 1;
    yield `${text}\n`;
  }
}

async function write(path, pieces) {
  const file = createWriteStream(path);
  for (const piece of pieces) if (!file.write(piece)) await once(file, "drain");
  file.end();
  await once(file, "finish");
}

/** An export of this many conversations, about 50 KB each. */
export const chatgpt = (path, conversations) =>
  write(path, (function* () {
    for (let at = 0; at < conversations; at++) yield `${at ? ",\n" : "["}${chat(at)}`;
    yield "]";
  })());

/** One long session log. */
export const claudeCode = (path, bytes) => write(path, session(bytes));
