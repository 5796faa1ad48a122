// Files of other tools. What reads them is a module of its own, loaded with the first; it says which stretch
// of a file it needs next, so that a large one is never held whole.
import { openConversation, openPicked } from "../dist/galley.js";
import { drive, taken } from "./drive.js";
import { importer } from "./importer.js";
import { Refusal, refusing } from "./refusal.js";

/** Opens a file of any known tool, as what it looks like or as `format`: what it is, the conversations in it, and each of them when asked for. */
export async function openFile(source, { format, signal, onProgress } = {}) {
  const bytes = await held(source, signal);
  const { Opening } = await importer(signal);
  const opening = () => new Opening(bytes.size, format?.toString());
  const file = await refusing(() => drive(opening(), bytes, { signal, onProgress }));
  const index = JSON.parse(file.index());
  return index.format === "galley" ? native(index, await bytes.read(0, bytes.size)) : new OpenedFile(index, file, bytes);
}

class OpenedFile {
  #file;
  #bytes;

  constructor({ format, conversations, warnings }, file, bytes) {
    this.format = format;
    this.conversations = conversations;
    this.warnings = warnings;
    this.#file = file;
    this.#bytes = bytes;
  }

  async open(index = 0, branch, options = {}) {
    const picked = await refusing(() => drive(this.#file.pick(index, branch), this.#bytes, options));
    const { text, warnings } = taken(picked);
    return openPicked(text, this.format, [...this.warnings, ...JSON.parse(warnings)]);
  }
}

// A native file is one conversation, and the engine reads it by itself.
function native({ format }, bytes) {
  const { title, turns } = openConversation(bytes).toJSON();
  const said = turns.find((turn) => turn.prompt?.text)?.prompt.text ?? "";
  const listed = { index: 0, title: title ?? said.slice(0, 80), turns: turns.length, bytes: bytes.length, branches: [] };
  return {
    format,
    conversations: [listed],
    warnings: [],
    async open(index = 0, branch) {
      if (index !== 0 || branch !== undefined) throw notFound(`A native file is one conversation without branches.`);
      return openConversation(bytes);
    },
  };
}

const notFound = (message) => new Refusal({ code: "not_found", status: 404, message });

/** A source as its size and a way to read stretches of it. */
async function held(source, signal) {
  if (typeof source === "string") return held(new TextEncoder().encode(wellFormed(source)), signal);
  if (source instanceof ArrayBuffer) return held(new Uint8Array(source), signal);
  if (source instanceof Uint8Array) {
    return { size: source.length, read: async (from, len) => source.subarray(from, from + len) };
  }
  if (source instanceof Blob) {
    return { size: source.size, read: async (from, len) => new Uint8Array(await source.slice(from, from + len).arrayBuffer()) };
  }
  if (source instanceof ReadableStream) return held(await gathered(source, signal), signal);
  throw new Refusal({
    code: "parameter_invalid",
    status: 422,
    message: "A file is given as a string, a Uint8Array, an ArrayBuffer, a Blob or a ReadableStream of bytes.",
  });
}

// A stream is read once and a file more often; a Blob need not stay in memory.
async function gathered(stream, signal) {
  const chunks = [];
  const reader = stream.getReader();
  for (;;) {
    signal?.throwIfAborted();
    const { done, value } = await reader.read();
    if (done) return new Blob(chunks);
    chunks.push(value);
  }
}

// A lone surrogate has no UTF-8; as a JSON escape it means the same and is told where it stands.
function wellFormed(text) {
  return text.replace(/[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g, (found) =>
    found.length === 2 ? found : `\\u${found.charCodeAt(0).toString(16)}`,
  );
}
