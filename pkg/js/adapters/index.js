// Request bodies as their callers hold them: read for the context manager, and brought into what it answers.
import { fit } from "../context/module.js";
import { Refusal, json, refusing } from "../refusal.js";
import { patched } from "./patch.js";
import { aiSdkSeen, langchainSeen } from "./seen.js";

class Adapter {
  #shape;
  #seen;
  #last = new WeakMap();

  /** `seen` makes of a caller's objects what JSON has of them, each thing where it was. */
  constructor(shape, seen = (body) => ({ body, warnings: [] })) {
    this.#shape = shape;
    this.#seen = seen;
  }

  async toTranscript(body) {
    const { read, warnings } = await this.#read(body);
    const transcript = JSON.parse(read.transcript());
    return { ...transcript, warnings: [...warnings, ...(transcript.warnings ?? [])] };
  }

  async fromTranscript(transcript) {
    const { writeBody } = await fit();
    return JSON.parse(await refusing(() => writeBody(this.#shape, json(transcript))));
  }

  async fit(manager, body, asked = {}) {
    const fitted = await this.#fit(manager, body, asked, 0);
    // What the provider needs in front is counted as well; should it not fit any more, it gets its room first.
    return fitted.token_count > fitted.usable ? this.#fit(manager, body, asked, fitted.token_count - fitted.usable) : fitted;
  }

  async trim(manager, body, { max_tokens, model, tools, drop_reasoning, drop_functions }) {
    const { read, seen, request, standing } = await this.#request(manager, body, { model, tools });
    const room = max_tokens - (await counted(manager, standing, request.model));
    const { messages, sources, ...answer } = await manager.trim({ ...request, max_tokens: Math.max(room, 0), drop_reasoning, drop_functions });
    const changed = messages.map((message, index) => [sources[index], message]).filter(([source, message]) => request.messages[source] !== message);
    const done = await this.#bring(read, body, seen, { kept: sources, changed: Object.fromEntries(changed) });
    const added = await counted(manager, done.added, request.model);
    const token_count = answer.token_count + (max_tokens - room) + added;
    return { body: done.body, token_count, fits: token_count <= max_tokens, warnings: done.warnings };
  }

  async #fit(manager, body, { model, tools, parts, options = {} }, room) {
    const { read, seen, request, standing } = await this.#request(manager, body, { model, tools, summary: options.previous_summary });
    const overhead = (options.request_overhead_tokens ?? 0) + (await counted(manager, standing, request.model)) + room;
    const { messages, ...answer } = await manager.assemble({ ...request, parts, options: { ...options, request_overhead_tokens: overhead } });
    const from = request.messages.length - messages.length;
    const changed = messages.map((message, index) => [from + index, message]).filter(([index, message]) => request.messages[index] !== message);
    const fitted = { kept: messages.map((_, index) => from + index), changed: Object.fromEntries(changed), system_prompt: answer.system_prompt };
    const done = await this.#bring(read, body, seen, fitted);
    const added = await counted(manager, done.added, request.model);
    const applied = answer.applied.compacted ? { ...answer.applied, tail_start_index: done.first } : answer.applied;
    return { body: done.body, ...answer, token_count: answer.token_count - room + added, applied, warnings: done.warnings };
  }

  async #request(manager, body, { model, tools, summary }) {
    const { read, warnings } = await this.#read(body);
    const { standing, model: id, ...request } = JSON.parse(read.request(summary ?? undefined));
    if (!model && !id) {
      throw new Refusal({ code: "parameter_invalid", status: 422, path: "/model", message: "The body names no model: say which one it is for by `model`, { id, provider?, limits? }." });
    }
    if (tools) request.tools = tools;
    request.messages = this.#known(manager, request.messages);
    return { read, seen: warnings, request: { ...request, model: model ?? { id } }, standing };
  }

  // A manager counts a message object once: one that says what a message of its last request said is that one.
  #known(manager, messages) {
    const last = this.#last.get(manager);
    const texts = messages.map((message) => JSON.stringify(message));
    const known = texts.map((text, index) => last?.get(text) ?? messages[index]);
    this.#last.set(manager, new Map(texts.map((text, index) => [text, known[index]])));
    return known;
  }

  async #bring(read, body, seen, fitted) {
    const { patch, first, added, warnings } = JSON.parse(await refusing(() => read.fit(json(fitted))));
    return { body: patched(body, patch), first, added: added && [added], warnings: [...seen, ...warnings] };
  }

  async #read(body) {
    const { Body } = await fit();
    const { body: seen, warnings } = this.#seen(body);
    return { read: await refusing(() => new Body(this.#shape, json(seen))), warnings };
  }
}

/** Tokens of messages that no request has among its own. */
async function counted(manager, messages, model) {
  return messages?.length ? (await manager.countTokens({ messages, model })).tokens : 0;
}

/** One adapter for each shape in which callers hold a conversation. */
export const adapters = Object.freeze({
  chat: new Adapter("chat"),
  responses: new Adapter("responses"),
  anthropic: new Adapter("anthropic"),
  gemini: new Adapter("gemini"),
  aiSdk: new Adapter("ai_sdk", aiSdkSeen),
  langchain: new Adapter("langchain", langchainSeen),
});
