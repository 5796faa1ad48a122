// What a user of the adapters writes, against the libraries' own types; it only has to compile.
import Anthropic from "@anthropic-ai/sdk";
import { AIMessage, type BaseMessage, type BaseMessageLike } from "@langchain/core/messages";
import type { ModelMessage } from "ai";
import { adapters, createContextManager } from "galley";
import type { Transcript } from "galley";
import OpenAI from "openai";

const manager = createContextManager();
const model = { id: "m", limits: { context_window: 8192, max_output_tokens: 1024 } };

declare const chat: OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming;
const { body, token_count, warnings } = await adapters.chat.fit(manager, chat, { model, options: { tail_turns: 1 } });
await new OpenAI().chat.completions.create(body);
const tokens: number = token_count;
const places: (string | undefined)[] = warnings.map(({ path }) => path);
// @ts-expect-error a chat body is no Responses body
const wrong: OpenAI.Responses.ResponseCreateParams = body;
// @ts-expect-error a body has messages
await adapters.chat.fit(manager, { model: "m" });

declare const responses: OpenAI.Responses.ResponseCreateParamsNonStreaming;
await new OpenAI().responses.create((await adapters.responses.fit(manager, responses)).body);

declare const message: Anthropic.MessageCreateParamsNonStreaming;
const trimmed = await adapters.anthropic.trim(manager, message, { max_tokens: 1000, drop_functions: ["look"], drop_reasoning: true });
await new Anthropic().messages.create(trimmed.body);
const fits: boolean = trimmed.fits;

declare const history: ModelMessage[];
const list: ModelMessage[] = (await adapters.aiSdk.fit(manager, history, { model })).body;
const prompt = { system: "Be brief.", messages: history };
const both: { system: string; messages: ModelMessage[] } = (await adapters.aiSdk.fit(manager, prompt, { model })).body;

declare const instances: BaseMessage[];
const like: BaseMessageLike[] = (await adapters.langchain.fit(manager, instances, { model })).body;
await adapters.langchain.fit(manager, [new AIMessage("hi")], { model });

const transcript: Transcript = await adapters.chat.toTranscript(chat);
const written = await adapters.anthropic.fromTranscript<Anthropic.MessageCreateParamsNonStreaming>(transcript);
const sent: Anthropic.MessageCreateParamsNonStreaming = written.body;
