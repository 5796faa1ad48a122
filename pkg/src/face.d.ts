/**
 * Any JSON value.
 */
export type Value = unknown;

/**
 * What the engine says when it will not. Every error of the package that is the contract's is one.
 */
export class Refusal extends Error {
    constructor(fields: { code: string; message: string; status: number; path?: string; detail?: string });
}

/**
 * The encodings whose vocabularies the package carries, each an asset of its own.
 */
export type EncodingName = "o200k_base" | "o200k_harmony" | "cl100k_base" | "p50k_base" | "r50k_base";

/**
 * A loaded encoding.
 */
export interface Encoding {
    /**
     * Its name.
     */
    readonly name: EncodingName;
    /**
     * Tokens of a text, exactly as the model's own tokenizer counts it: text of special tokens is plain
     * text, and a lone surrogate counts as U+FFFD.
     */
    count(text: string): number;
}

/**
 * What `loadEncoding` may be told.
 */
export interface LoadOptions {
    /**
     * Ends the load.
     */
    signal?: AbortSignal;
    /**
     * Bytes so far; `total` is 0 where it is not known.
     */
    onProgress?: (progress: { loaded: number; total: number }) => void;
}

/**
 * Loads an encoding, once. From then on the engine counts with it for every model that declares it.
 */
export function loadEncoding(name: EncodingName, options?: LoadOptions): Promise<Encoding>;

/**
 * What `openFile` may be told.
 */
export interface OpenOptions {
    /**
     * What the file is, where its shape does not say so or says it wrongly.
     */
    format?: Format;
    /**
     * Ends the opening.
     */
    signal?: AbortSignal;
    /**
     * How far the file has been read, in bytes.
     */
    onProgress?: (progress: { loaded: number; total: number }) => void;
}

/**
 * A file whose contents are known; none of its conversations is held.
 */
export interface OpenedFile {
    /**
     * What it is.
     */
    readonly format: Format;
    /**
     * Its conversations in file order.
     */
    readonly conversations: Listed[];
    /**
     * What could not be read outside of the conversations, and what was mended, by position.
     */
    readonly warnings: Warning[];
    /**
     * Opens one conversation, on the branch of this id or on its current one.
     */
    open(index?: number, branch?: string, options?: Omit<OpenOptions, "format">): Promise<Session>;
}

/**
 * Opens a file of any known tool: a native file, an export, a log, an archive or a packed one of them. Only what is
 * asked for is read; a Blob of any size is never held whole. Throws a `Refusal` when nothing in it can be read.
 */
export function openFile(source: string | Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array>, options?: OpenOptions): Promise<OpenedFile>;

/**
 * What a conversation can be written as: the native file, the body of a request to a provider, or what a library
 * takes: `{ system, messages }` of the AI SDK, a list of LangChain's.
 */
export type Target = "native" | "chat" | "responses" | "anthropic" | "gemini" | "ai_sdk" | "langchain";

/**
 * Writes an open conversation, or a native file. A body holds what is visible and sent, from the newest summary on;
 * `warnings` say what of the conversation is otherwise in it.
 */
export function convert(conversation: Session | Conversation, to: Target): Promise<{ body: Value; warnings: Warning[] }>;

/**
 * What `createContextManager` may be told. Whatever waits is a callback of yours.
 */
export interface ContextManagerOptions {
    /**
     * The configuration, or what fetches it, anew on every `onConfigChange`.
     */
    config?: Partial<Config> | (() => Partial<Config> | Promise<Partial<Config>>);
    /**
     * Model rows that win over the built-in catalogue.
     */
    catalogue?: ModelRow[];
    /**
     * Sentences of your own, by the names of those they replace.
     */
    wording?: Record<string, string>;
    /**
     * The time, milliseconds since 1970.
     */
    now?: () => number;
    /**
     * What is known of a model, in place of the catalogue; `null` when it is unknown. What it throws is in the error.
     */
    resolveModel?: (id: string, provider?: string) => ModelReply | null | Promise<ModelReply | null>;
    /**
     * A summary of `prompt`, written by the model as `system_prompt` says. An error whose `kind` is `"unavailable"`
     * says that there is nobody to ask, `"empty"` that there is no text; any other that it failed.
     */
    summarize?: (request: { system_prompt: string; prompt: string; model: string; provider?: string }) => string | Promise<string>;
    /**
     * Where leases are kept; in memory without it.
     */
    leases?: LeaseStore;
}

/**
 * Where it is kept who compacts a history.
 */
export interface LeaseStore {
    /**
     * The lease of a key.
     */
    get(key: string): Lease | null | Promise<Lease | null>;
    /**
     * Puts a lease, or none, and answers the one that was there, at once.
     */
    swap(key: string, record: Lease | null): Lease | null | Promise<Lease | null>;
}

/**
 * The calls of the context manager by their words, each with its request and its answer.
 */
export interface ContextCalls {
    assemble: [AssembleRequest, AssembleResponse];
    compact: [CompactRequest, CompactResponse];
    prune: [PruneRequest, PruneResponse];
    count_tokens: [CountTokensRequest, CountTokensResponse];
}

/**
 * Makes what an agent asks before every request: a history and a model in, what fits out. A message object that was
 * handed in once keeps its counts, and one that no pass changed comes back as the object it is; what lies inside of
 * `arguments` and `details` must not be changed in place.
 */
export interface ContextManager {
    /**
     * The system prompt and the messages that fit. Throws `context/overflow` when nothing makes them fit.
     */
    assemble(request: AssembleRequest): Promise<AssembleResponse>;
    /**
     * A summary of the head, and where the tail begins.
     */
    compact(request: CompactRequest): Promise<CompactResponse>;
    /**
     * Old results as one line each.
     */
    prune(request: PruneRequest): Promise<PruneResponse>;
    /**
     * Tokens of everything.
     */
    countTokens(request: CountTokensRequest): Promise<CountTokensResponse>;
    /**
     * The answer of a call, or its refusal, and what was done part by part; of a dry run only what would be done.
     */
    explain<Call extends keyof ContextCalls>(
        call: Call,
        request: ContextCalls[Call][0],
        extras?: Partial<Extras>,
    ): Promise<{ response?: ContextCalls[Call][1]; error?: Refusal; detail: Detail }>;
    /**
     * The newest turns that fit, without a model being asked.
     */
    trim(request: TrimRequest): Promise<TrimResponse>;
    /**
     * Sets members of the configuration, `null` back to the default; or says what fetches the whole of it.
     */
    configure(config: { [Name in keyof Config]?: Config[Name] | null } | (() => Partial<Config> | Promise<Partial<Config>>)): Promise<void>;
    /**
     * `context::on-config-change`: fetches the configuration anew. One that cannot be fetched or read changes nothing.
     */
    onConfigChange(event?: { id?: string | null }): Promise<{ ok: boolean }>;
    /**
     * `context::on-models-changed`: models are asked for anew.
     */
    modelsChanged(event?: { provider?: string | null }): Promise<{ ok: boolean }>;
}

/**
 * Makes a context manager. Its module is loaded with the first call.
 */
export function createContextManager(options?: ContextManagerOptions): ContextManager;

/**
 * The messages of the request that an answer was for, with what was appended to the answer's since; `undo` is of the
 * detail of that answer.
 */
export function undo(messages: AgentMessage[], requested: AgentMessage[], undo: Undo): AgentMessage[];

/**
 * What a body is fitted for and with.
 */
export interface FitOptions {
    /**
     * The model; of the body when it names one, and without limits then.
     */
    model?: ModelInput;
    /**
     * The functions, where the body holds them as code or not at all.
     */
    tools?: AgentFunction[];
    /**
     * Texts that are counted by name.
     */
    parts?: Record<string, string>;
    /**
     * Those of `assemble`. A `previous_summary` that stands in the body's system text is taken out of it first.
     */
    options?: AssembleOptions;
}

/**
 * A body that fits, and what was done to it. `token_count` is of the body as it is; `tail_start_index` is the item of
 * the caller's list that is the first one left.
 */
export interface FittedBody<Body> extends Omit<AssembleResponse, "messages"> {
    /**
     * The body; the caller's own object when nothing changed, and else a copy that shares with it whatever did not.
     */
    body: Body;
    /**
     * What is otherwise for the provider's sake, or could not be read, by JSON pointer of the caller's body.
     */
    warnings: Warning[];
}

/**
 * What a body is trimmed to.
 */
export interface TrimOptions extends Pick<FitOptions, "model" | "tools"> {
    /**
     * Tokens that it may have.
     */
    max_tokens: number;
    /**
     * Whether reasoning goes from all answers but the newest.
     */
    drop_reasoning?: boolean;
    /**
     * Functions whose calls go, with their results and what was asked of the person about them.
     */
    drop_functions?: string[];
}

/**
 * A body that was trimmed. Where it does not fit, it is the least that can be sent.
 */
export interface TrimmedBody<Body> extends Pick<FittedBody<Body>, "body" | "warnings"> {
    /**
     * Tokens of what is left.
     */
    token_count: number;
    /**
     * Whether that is at most `max_tokens`.
     */
    fits: boolean;
}

/**
 * A transcript with what only its shape has a place for.
 */
export interface Transcript {
    messages: AgentMessage[];
    system_prompt?: string;
    tools?: AgentFunction[];
    model?: string;
    /**
     * The pieces of `system_prompt`, as long as that is what they are together.
     */
    system?: { role: "system" | "developer"; text: string }[];
    /**
     * The wire it was read from; reasoning goes back to no other.
     */
    api_format?: string;
    /**
     * The model's own spelling of a call's arguments, by call id.
     */
    arguments?: Record<string, string>;
    attachments?: Value[];
    warnings?: Warning[];
}

/**
 * Bodies of one shape: read as a transcript, written from one, and fitted as their caller holds them. `Like` is what
 * has the shape; what goes in comes out as the same type.
 */
export interface Adapter<Like> {
    /**
     * The body as a transcript.
     */
    toTranscript(body: Like): Promise<Transcript & { warnings: Warning[] }>;
    /**
     * A transcript as a body of the shape, and what of it is otherwise in that.
     */
    fromTranscript<Body extends Like>(transcript: Transcript): Promise<{ body: Body; warnings: Warning[] }>;
    /**
     * What `assemble` answers for the body, done to it. Throws `context/overflow` when nothing makes it fit.
     */
    fit<Body extends Like>(manager: ContextManager, body: Body, asked?: FitOptions): Promise<FittedBody<Body>>;
    /**
     * What `trim` answers for the body, done to it.
     */
    trim<Body extends Like>(manager: ContextManager, body: Body, asked: TrimOptions): Promise<TrimmedBody<Body>>;
}

/**
 * A message that an adapter put into a list of LangChain's, which takes it as one of its own.
 */
export type LangChainEntry = { role: "system" | "user"; content: string };

/**
 * The same of LangChain's messages: those that are left and are no other are the caller's own instances.
 */
export interface LangChainAdapter {
    toTranscript(messages: readonly unknown[]): Promise<Transcript & { warnings: Warning[] }>;
    fromTranscript<Message = LangChainEntry>(transcript: Transcript): Promise<{ body: Message[]; warnings: Warning[] }>;
    fit<Message>(manager: ContextManager, messages: readonly Message[], asked?: FitOptions): Promise<FittedBody<(Message | LangChainEntry)[]>>;
    trim<Message>(manager: ContextManager, messages: readonly Message[], asked: TrimOptions): Promise<TrimmedBody<(Message | LangChainEntry)[]>>;
}

/**
 * One adapter for each shape in which callers hold a conversation: request bodies of Chat Completions, Responses,
 * Anthropic Messages and Gemini; `ModelMessage[]` of the AI SDK, or an object with them, its system text and tools;
 * messages of LangChain.
 */
export const adapters: {
    readonly chat: Adapter<{ messages: readonly object[] }>;
    readonly responses: Adapter<{ input?: string | readonly object[] }>;
    readonly anthropic: Adapter<{ messages: readonly object[] }>;
    readonly gemini: Adapter<{ contents: readonly object[] }>;
    readonly aiSdk: Adapter<readonly object[] | { messages?: readonly object[] }>;
    readonly langchain: LangChainAdapter;
};

/**
 * The text of a summariser's answer that came in frames, as `router::chat` streams it: JSON texts, or the objects they
 * are. Throws what a frame tells, with the `kind` that `summarize` hands on.
 */
export function foldFrames(frames: Iterable<string | object>): Promise<string>;
