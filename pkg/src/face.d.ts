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
