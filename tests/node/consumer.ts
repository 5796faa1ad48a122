// What a user of the package writes; it only has to compile. Each expected error shows that the
// declaration beside it says something.
import { Refusal, checkTemplate, loadEncoding } from "galley";
import type { Conversation, Encoding, ModelRow, Turn } from "galley";
import { init } from "galley/manual";

const encoding: Encoding = await loadEncoding("o200k_base", { onProgress: ({ loaded, total }) => loaded / total });
const tokens: number = encoding.count("hello");
// @ts-expect-error no such encoding
await loadEncoding("o300k");
// @ts-expect-error a count is a number
const text: string = encoding.count("hello");

try {
  checkTemplate({ blocks: [{ type: "history" }, { type: "input" }] });
} catch (error) {
  if (error instanceof Refusal) {
    const place: string | undefined = error.path;
    const status: number = error.status;
    // @ts-expect-error a refusal has a code, not a kind
    error.kind;
  }
}

const turn: Turn = { kind: "message", text: "hi" };
const file: Conversation = { galley: "conversation/1", turns: [turn] };
const model: ModelRow = { model: "openai_api/gpt-x", input_tokens: 8192 };
// @ts-expect-error a turn is of one of three kinds
const other: Turn = { kind: "note" };

init(new Uint8Array());
