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
 * What a conversation can be written as: the native file, or the body of a request to a provider.
 */
export type Target = "native" | "chat" | "responses" | "anthropic" | "gemini";

/**
 * Writes an open conversation, or a native file. A body holds what is visible and sent, from the newest summary on;
 * `warnings` say what of the conversation is otherwise in it.
 */
export function convert(conversation: Session | Conversation, to: Target): Promise<{ body: Value; warnings: Warning[] }>;
