// What a user of the package writes; it only has to compile. Each expected error shows that the
// declaration beside it says something.
import { Refusal, Session, catalogue, checkTemplate, createContextManager, loadEncoding, openConversation, undo } from "galley";
import type { AgentMessage, AssembleResponse, ContextManager, Conversation, Encoding, Estimate, EstimateRequest, ModelRow, Turn } from "galley";
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

const session: Session = openConversation(JSON.stringify(file));
const request: EstimateRequest = { prompt: session.pending?.text ?? "hi", model, history: { max_entries: 20 }, render: true };
const answer = session.estimate(request);
const counts: Estimate = answer;
const rows: [string, number, number | null | undefined][] | undefined = answer.blocks?.map((row) => [row.block, row.tokens, row.allocated_tokens]);
// @ts-expect-error bounds are numbers
session.estimate({ history: { max_entries: "20" } });
// @ts-expect-error a session comes from openConversation
new Session();

const { turn: running } = session.seal(request, { options: { temperature: 0 }, at: 1735689600 });
session.settle(running.id ?? "", { content: "an answer", usage: { status: "succeeded", input_tokens: 12, output_tokens: 3 } });
session.append({ text: "a note" });
const saved: Conversation = session.toJSON();
const places: (string | undefined)[] = session.warnings.map((warning) => warning.path);
const dated: (string | undefined)[] = catalogue().map((row) => row.dated);

init(new Uint8Array());

const manager: ContextManager = createContextManager({ summarize: async ({ prompt }) => prompt.slice(0, 9), resolveModel: () => null });
const message: AgentMessage = { role: "user", content: [{ type: "text", text: "hi" }], timestamp: 1 };
const sent: AssembleResponse = await manager.assemble({ messages: [message], model: { id: "m" }, options: { tail_turns: 2 } });
const summary: string | undefined = sent.applied.summary;
const compacted = await manager.compact({ messages: [message], model: { id: "m" } });
if (compacted.status === "ok") compacted.summary.trim();
// @ts-expect-error a request has a model
await manager.assemble({ messages: [message] });
const { response, detail } = await manager.explain("prune", { messages: [message] }, { dry_run: true });
const freed: number | undefined = response?.pruned_tokens;
const back: AgentMessage[] = detail.undo ? undo(sent.messages, [message], detail.undo) : [];
await manager.configure({ tail_turns: 3, lease_dir: null });
// @ts-expect-error no such member
await manager.configure({ tail_turn: 3 });
