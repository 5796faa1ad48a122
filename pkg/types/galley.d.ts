// Generated from the Rust types by `make types`; do not edit.

/**
 * How far an agent may be addressed.
 */
export type Access = "full" | "read" | "fenced";

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
 * A function the model may call.
 */
export interface AgentFunction {
    /**
     * Its name.
     */
    name: string;
    /**
     * What it does.
     */
    description: string;
    /**
     * JSON Schema of its arguments; always written.
     */
    parameters?: Value;
    /**
     * A name for people.
     */
    label?: string;
    /**
     * Whether calls of it may run side by side.
     */
    execution_mode?: ExecutionMode;
}

/**
 * One item of a transcript.
 */
export type AgentMessage = { role: "user"; content: ContentBlock[]; timestamp: number } | { role: "assistant"; content: ContentBlock[]; stop_reason: StopReason; native_stop_reason?: string; error_message?: string; error_kind?: ErrorKind; warnings?: string[]; usage?: MessageUsage; model: string; provider: string; timestamp: number } | { role: "function_result"; function_call_id: string; function_id: string; content: ContentBlock[]; details?: Value; is_error?: boolean; timestamp: number } | { role: "custom"; custom_type: string; content: ContentBlock[]; display?: string; details?: Value; timestamp: number };

/**
 * One conversation further up.
 */
export type Ancestor = { depth?: number; conversation?: string; boundary_position?: number; creating_user?: string } & { [unknown: string]: any };

/**
 * What came back from the provider.
 */
export interface Answer {
    /**
     * The adopted final text.
     */
    content?: string;
    /**
     * The rounds behind it.
     */
    run?: Run;
    /**
     * What the provider reported.
     */
    usage?: Usage;
    /**
     * How it ended; default `completed`.
     */
    status?: string;
    /**
     * The label of the final text.
     */
    phase?: string;
    /**
     * Where the label comes from.
     */
    native_origin?: NativeOrigin;
}

/**
 * What an assembly did.
 */
export interface Applied {
    /**
     * Tokens of everything before the first pass.
     */
    initial_token_count: number;
    /**
     * Whether results were pruned or reduced.
     */
    pruned: boolean;
    /**
     * Tokens that freed.
     */
    pruned_tokens: number;
    /**
     * How many results were capped.
     */
    capped_parts: number;
    /**
     * Tokens that freed.
     */
    capped_tokens: number;
    /**
     * Whether history was summarised.
     */
    compacted: boolean;
    /**
     * The summary: to be kept, and given as `previous_summary` from then on.
     */
    summary?: string;
    /**
     * Index into the request's messages of the first that stayed.
     */
    tail_start_index?: number;
    /**
     * Tokens of what was summarised.
     */
    tokens_before?: number;
    /**
     * The same number.
     */
    summarized_head_tokens?: number;
}

/**
 * What a `token_count` is made of, but for the overhead.
 */
export interface AssembleBreakdown {
    /**
     * Of the system prompt, a summary in it included.
     */
    system_prompt_tokens: number;
    /**
     * Of the functions.
     */
    tools_tokens: number;
    /**
     * Of the messages.
     */
    by_role: ByRoleTokens;
    /**
     * How it was counted.
     */
    estimator: EstimatorName;
    /**
     * Of the texts asked for by name.
     */
    by_part?: Record<string, number>;
}

/**
 * What one assembly does otherwise than configured.
 */
export interface AssembleOptions {
    /**
     * Tokens kept free, in place of the default reserve.
     */
    reserved_tokens?: number | null;
    /**
     * Turns that a compaction keeps word for word.
     */
    tail_turns?: number | null;
    /**
     * Whether history may be summarised; true unless said.
     */
    allow_compaction?: boolean | null;
    /**
     * Whether old results may be pruned; true unless said.
     */
    allow_prune?: boolean | null;
    /**
     * Functions whose results pruning leaves.
     */
    protected_functions?: string[] | null;
    /**
     * A single result is at most this many tokens; 0 is no limit.
     */
    max_result_tokens?: number | null;
    /**
     * Tokens of the request that no prompt, message or function stands for.
     */
    request_overhead_tokens?: number | null;
    /**
     * How much the model is asked to think, for which room is kept where its row says how much.
     */
    thinking_level?: ThinkingLevel | null;
    /**
     * What compactions of one history exclude each other by; a hash of the messages unless said.
     */
    lease_key?: string | null;
    /**
     * The summary of an earlier compaction.
     */
    previous_summary?: string | null;
}

/**
 * What `context::assemble` is asked.
 */
export interface AssembleRequest {
    /**
     * The history; required.
     */
    messages: AgentMessage[] | null;
    /**
     * The model that is to answer.
     */
    model: ModelInput;
    /**
     * The system prompt.
     */
    system_prompt?: string | null;
    /**
     * The functions the model may call: counted, never answered.
     */
    tools?: AgentFunction[] | null;
    /**
     * Texts by name whose sizes are wanted; they count nowhere else.
     */
    parts?: Record<string, string> | null;
    /**
     * What is otherwise than configured.
     */
    options?: AssembleOptions | null;
}

/**
 * What `context::assemble` answers. `token_count` is at most `usable`.
 */
export interface AssembleResponse {
    /**
     * The system prompt, a summary rendered into it.
     */
    system_prompt: string;
    /**
     * What the model is to see.
     */
    messages: AgentMessage[];
    /**
     * Tokens of everything: prompt, messages, functions, overhead.
     */
    token_count: number;
    /**
     * Tokens there is room for.
     */
    usable: number;
    /**
     * The longest answer, tokens.
     */
    effective_max_output_tokens: number;
    /**
     * Where the limits came from.
     */
    model_resolved: ModelResolved;
    /**
     * What was done.
     */
    applied: Applied;
    /**
     * What `token_count` is made of.
     */
    breakdown: AssembleBreakdown;
}

/**
 * What the answerer may do with a root.
 */
export type BindingAccess = "read" | "write";

/**
 * One row per block of the template, in its order.
 */
export interface BlockRow {
    /**
     * The block's key.
     */
    block: string;
    /**
     * Its index.
     */
    index: number;
    /**
     * Its type.
     */
    type: string;
    /**
     * The role of its first segment; null when it rendered nothing.
     */
    role: Role | null;
    /**
     * Its state.
     */
    state: BlockState;
    /**
     * Its fill cost.
     */
    tokens: number;
    /**
     * The allocator's grant; null on a model with no declared window.
     */
    allocated_tokens: number | null;
}

/**
 * The state of a block.
 */
export type BlockState = "selected" | "empty" | "floor_unmet" | "carried";

/**
 * What a candidate answered. Unknown fields of a turn or a variant are kept here.
 */
export type Body = { model?: string; content?: string; phase?: string; native_origin?: NativeOrigin; run?: Run; usage?: Usage; request?: Value; trace?: Value } & { [unknown: string]: any };

/**
 * One way through a conversation that has several.
 */
export interface Branch {
    /**
     * What it is asked for by: the file's id of its last message, or what stands for one where it gives none.
     */
    id: string;
    /**
     * The first words that are its own.
     */
    title: string;
    /**
     * How often the person spoke on it.
     */
    turns: number;
    /**
     * The file has it as the current one.
     */
    current: boolean;
}

/**
 * How much room there is, tokens.
 */
export interface Budget {
    /**
     * The input limit, or the window without the longest answer.
     */
    base: number;
    /**
     * Kept free.
     */
    reserved: number;
    /**
     * Kept for thinking.
     */
    thinking: number;
    /**
     * What is left.
     */
    usable: number;
}

/**
 * Tokens of messages, role by role.
 */
export interface ByRoleTokens {
    /**
     * Of `user` messages, results inside of them included.
     */
    user: number;
    /**
     * Of `assistant` messages.
     */
    assistant: number;
    /**
     * Of `function_result` messages.
     */
    function_result: number;
    /**
     * Of `custom` messages.
     */
    custom: number;
}

/**
 * One call of a tool.
 */
export type Call = { id?: string; name?: string; arguments?: string } & { [unknown: string]: any };

/**
 * The word of a call entry.
 */
export type CallItem = "tool_call_item";

/**
 * A call as the wire carries it.
 */
export interface CallPayload {
    type: "function_call";
    /**
     * Its id.
     */
    call_id: string;
    /**
     * The tool as called.
     */
    name: string;
    /**
     * The model's own string.
     */
    arguments: string;
}

/**
 * What a call came back with.
 */
export type CallResult = { status?: string; output?: string; is_error?: boolean; error_key?: string; error_detail?: string; uploads?: string[] } & { [unknown: string]: any };

/**
 * What one compaction does otherwise than configured.
 */
export interface CompactOptions {
    /**
     * Turns that stay word for word.
     */
    tail_turns?: number | null;
    /**
     * The summary of an earlier compaction.
     */
    previous_summary?: string | null;
    /**
     * Tokens of the newest messages that stay word for word.
     */
    preserve_recent_tokens?: number | null;
    /**
     * What compactions of one history exclude each other by; a hash of the messages unless said.
     */
    lease_key?: string | null;
}

/**
 * What `context::compact` is asked.
 */
export interface CompactRequest {
    /**
     * The history; required.
     */
    messages: AgentMessage[] | null;
    /**
     * The model, which also summarises.
     */
    model: ModelInput;
    /**
     * What is otherwise than configured.
     */
    options?: CompactOptions | null;
}

/**
 * What `context::compact` answers.
 */
export type CompactResponse = { status: "ok"; summary: string; tail_start_index: number | null; tokens_before: number; tokens_after: number; used_prior_summary: boolean } | { status: "busy" } | { status: "empty" } | { status: "overflow" };

/**
 * Calls of a replaced round that are still to be read.
 */
export type CompactedFan = { source?: string; calls?: string[] } & { [unknown: string]: any };

/**
 * What was, or would be, summarised.
 */
export interface Compaction {
    /**
     * What came of it.
     */
    outcome: CompactionOutcome;
    /**
     * What the host said of it.
     */
    message?: string;
    /**
     * How many messages are summarised.
     */
    head_len: number;
    /**
     * Index of the first message that stays.
     */
    tail_start_index: number | null;
    /**
     * Tokens of what is summarised.
     */
    head_tokens: number;
    /**
     * Tokens of the summary, when there is one, also one that was not taken.
     */
    summary_tokens?: number;
    /**
     * The text begins with a section in marks of its own (`<analysis>…</analysis>`) that more follows: most likely
     * notes, and the summary behind them. It is kept whole; who asks the summariser cuts it.
     */
    scratchpad: boolean;
    /**
     * What the summariser is told.
     */
    system_prompt: string;
    /**
     * What it is asked.
     */
    prompt: string;
}

/**
 * What came of a compaction.
 */
export type CompactionOutcome = "done" | "dry" | "busy" | "nothing" | "unavailable" | "failed" | "empty" | "not_smaller";

/**
 * The configuration; every member has its default, an unknown one is refused.
 */
export interface Config {
    /**
     * The default reserve is at most this many tokens.
     */
    reserved_tokens_cap?: number;
    /**
     * The default reserve, percent of the context window.
     */
    reserved_pct?: number;
    /**
     * Turns that a compaction keeps word for word.
     */
    tail_turns?: number;
    /**
     * Tokens of the newest results that pruning keeps.
     */
    protect_recent_tokens?: number;
    /**
     * Pruning lets a result go after this many later user turns; 0 is never.
     */
    decay_user_turns?: number;
    /**
     * The newest user turns that pruning does not look at.
     */
    protected_user_turns?: number;
    /**
     * Pruning does nothing when it would free less, tokens.
     */
    min_free_tokens?: number;
    /**
     * A longer result may be pruned at once, and is cut for the summariser, bytes.
     */
    max_output_chars?: number;
    /**
     * A single result is at most this many tokens; 0 is no limit.
     */
    max_result_tokens?: number;
    /**
     * How long a lease holds, seconds.
     */
    lease_ttl_secs?: number;
    /**
     * Plan with a window of 8192 and 1024 out when the limits of a model are not known.
     */
    allow_fallback_limits?: boolean;
    /**
     * How long one call of the summariser may take, milliseconds.
     */
    summarizer_timeout_ms?: number;
    /**
     * The folder of lease files; leases are in memory without one.
     */
    lease_dir?: string | null;
}

/**
 * One piece of a message.
 */
export type ContentBlock = { type: "text"; text: string } | { type: "image"; mime: string; data: string } | { type: "thinking"; text: string; signature?: string } | { type: "function_call"; id: string; function_id: string; arguments?: Value } | { type: "function_result"; function_call_id: string; content: ContentBlock[]; is_error?: boolean };

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
 * A whole conversation with everything a request made from it can carry.
 */
export type Conversation = { galley?: string; id?: string; kind?: ConversationKind; side?: boolean; creating_user?: string; answering_user?: string; ancestors?: Ancestor[]; reasoning_replay_downgraded?: boolean; workspace?: Workspace; users?: Record<string, User>; speakers?: Record<string, Speaker>; documents?: Document[] | Record<string, Document>; memory?: MemoryDocument[]; memory_bindings?: MemoryBinding[]; skills?: Skill[]; uploads?: Record<string, Upload>; execution_defaults?: ExecutionDeclaration; current_model?: string; models?: ModelRow[]; turns?: Turn[]; pending?: Seed } & { [unknown: string]: any };

/**
 * Where a conversation comes from.
 */
export type ConversationKind = "conversation" | "child" | "scheduled" | "standalone";

/**
 * What `context::count-tokens` is asked.
 */
export interface CountTokensRequest {
    /**
     * The messages; required.
     */
    messages: AgentMessage[] | null;
    /**
     * The model they are counted for.
     */
    model: ModelInput;
    /**
     * The system prompt.
     */
    system_prompt?: string | null;
    /**
     * The functions the model may call.
     */
    tools?: AgentFunction[] | null;
    /**
     * Texts by name whose sizes are wanted; they count nowhere else.
     */
    parts?: Record<string, string> | null;
}

/**
 * What `context::count-tokens` answers.
 */
export interface CountTokensResponse {
    /**
     * Of everything.
     */
    tokens: number;
    /**
     * Of the messages.
     */
    by_role: ByRoleTokens | null;
    /**
     * How it was counted.
     */
    estimator: EstimatorName;
    /**
     * Of the functions, when there were any to count.
     */
    tools_tokens?: number;
    /**
     * Of the texts asked for by name.
     */
    by_part?: Record<string, number>;
}

/**
 * How a row says that text is counted.
 */
export type CounterRow = string | DeclaredCounter;

/**
 * A counter that is not the model's own tokenizer.
 */
export type DeclaredCounter = { kind: "anchored"; encoding: string; safety_factor: number } | { kind: "table"; counts: Record<string, number> };

/**
 * What a call did. Messages are named by their index in the request.
 */
export interface Detail {
    /**
     * The model's limits and where they came from, when the call looked for them.
     */
    model?: ResolvedModel;
    /**
     * The room that leaves.
     */
    budget?: Budget;
    /**
     * How everything was counted.
     */
    estimator: EstimatorName;
    /**
     * The encoding that the model's row names; loaded, it counts exactly.
     */
    encoding?: string;
    /**
     * Tokens of everything before the first pass.
     */
    tokens_before: number;
    /**
     * Tokens of everything after the last one, also when that is too much. Where something would be summarised, in
     * a dry run, they are without the summary, which nobody knows yet.
     */
    tokens_after: number;
    /**
     * The passes in order, those that did nothing too.
     */
    passes: Pass[];
    /**
     * What was, or would be, summarised.
     */
    compaction?: Compaction;
    /**
     * What `tokens_after` is made of.
     */
    sizes: Sizes;
    /**
     * How the messages of the request are had again.
     */
    undo?: Undo;
}

/**
 * A registered document.
 */
export type Document = { slot?: string; owner?: string; role?: Role; content?: string; version?: number; literal?: boolean } & { [unknown: string]: any };

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
 * The encodings whose vocabularies the package carries, each an asset of its own.
 */
export type EncodingName = "o200k_base" | "o200k_harmony" | "cl100k_base" | "p50k_base" | "r50k_base";

/**
 * One sealed entry: a message, a call or a result.
 */
export type Entry = { type: CallItem; payload: CallPayload } | { type: OutputItem; payload: OutputPayload } | { role: Role; parts: Part[]; phase?: string; native_origin?: NativeOrigin };

/**
 * The segments of one entry.
 */
export interface EntryTrace {
    /**
     * In order.
     */
    segments: SegmentTrace[];
}

/**
 * What kind of failure.
 */
export type ErrorKind = "auth_expired" | "rate_limited" | "context_overflow" | "transient" | "permanent";

/**
 * What an estimate answers. Without `render` it is the counts alone. `preface`, `tools_tokens`,
 * `request_tokens`, `warnings` and `trace` are the engine's own, beside the contract's members.
 */
export type Estimate = { input_tokens: number; tokenizer_exact: boolean; catalog_input_token_limit: number | null; advisory_input_token_limit: number | null; message_count: number; history: HistoryEvidence; tools_tokens: number; request_tokens: number; warnings: Warning[] } & (Preview | {});

/**
 * The body of an estimate. `caller`, `before_position`, `regenerate`, `merge` and `wording` are the engine's
 * own; a door that speaks HTTP refuses them.
 */
export interface EstimateRequest {
    /**
     * The words.
     */
    prompt?: string;
    /**
     * An id from the file or the catalogue, or a row.
     */
    model?: string | ModelRow;
    /**
     * How much history is wanted.
     */
    history?: HistoryIntent;
    /**
     * Which earlier reasoning rides again.
     */
    reasoning_replay?: ReasoningReplay;
    /**
     * The caller's own texts, 1 to 16.
     */
    inline?: InlineEntry[];
    /**
     * Values of the template's declared variables.
     */
    variables?: Record<string, string>;
    /**
     * A trial template, compiled in place of the addressee's.
     */
    template?: any;
    /**
     * The addressee: an id or `@handle`.
     */
    answering_user_public_id?: string;
    /**
     * The same, as an SDK spells it.
     */
    to?: string;
    /**
     * An ingress speaker the caller controls.
     */
    speaker_public_id?: string;
    /**
     * Replaces the addressee's declared configuration.
     */
    execution_declaration?: ExecutionDeclaration;
    /**
     * `{"model": id}` or a row.
     */
    model_selection?: string | ModelRow;
    /**
     * 1 to 8 models; the first one that is known is used when the one before them is not.
     */
    fallback_models?: (string | ModelRow)[];
    /**
     * Whether the answer carries what the send would seal.
     */
    render?: boolean;
    /**
     * Who sends; default the creating user.
     */
    caller?: string;
    /**
     * Today, `YYYY-MM-DD`; without it `{{date}}` renders empty.
     */
    date?: string;
    /**
     * Upload ids that follow the words.
     */
    attachments?: string[];
    /**
     * Tool definitions in place of the declared ones.
     */
    tools?: Tool[];
    /**
     * Reads only what is strictly below this position.
     */
    before_position?: number;
    /**
     * Asks the reply at this position again, or from one of its rounds on.
     */
    regenerate?: Regenerate;
    /**
     * How adjacent texts of one entry are kept; default `fold`.
     */
    merge?: Merge;
    /**
     * Replacements of the engine's own sentences by name.
     */
    wording?: Record<string, string>;
}

/**
 * How a count was made.
 */
export type EstimatorName = "tokenizer" | "heuristic";

/**
 * What an answerer declares for its requests.
 */
export interface ExecutionDeclaration {
    /**
     * The word the request compiles under.
     */
    prompt_mechanism?: Mechanism;
    /**
     * A template, as written.
     */
    prompt_template?: Value;
    /**
     * A system prompt in place of the registered one.
     */
    system_prompt?: string;
    /**
     * Tools.
     */
    tools?: Tool[];
    /**
     * A compaction policy, as written.
     */
    compaction_policy?: Value;
    /**
     * The model to answer with.
     */
    default_model?: string;
    /**
     * Bytes of memory content a request may carry.
     */
    memory_context_limit?: number;
}

/**
 * Whether calls may run side by side.
 */
export type ExecutionMode = "parallel" | "sequential";

/**
 * What is asked of a manager, besides what the contract's requests have members for.
 */
export interface Extras {
    /**
     * Nothing is summarised and no lease is taken; what would be summarised is told.
     */
    dry_run?: boolean;
    /**
     * Messages, by their index in the request, that no pass changes and no compaction takes.
     */
    protected_messages?: number[];
}

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
 * A format that is read.
 */
export type Format = "galley" | "chat_completions" | "chatgpt" | "claude_ai" | "claude_code" | "codex" | "deepseek" | "pi" | "har" | "cassette" | "event_stream" | "lhar" | "langfuse" | "otel" | "gemini_cli" | "opencode" | "goose" | "cline" | "copilot_cli" | "amp" | "kiro" | "gptme" | "openhands" | "grok_cli" | "hermes" | "crush" | "aider" | "agent_messages" | "iii_session" | "responses" | "anthropic" | "gemini" | "ai_studio" | "gemini_takeout" | "ai_sdk" | "ai_sdk_devtools" | "cybros" | "langchain" | "open_webui" | "librechat" | "sillytavern" | "lm_studio" | "jan" | "cherry_studio" | "llama_cpp" | "grok" | "copilot_chat" | "langsmith" | "data_set" | "inspect" | "atif" | "guess";

/**
 * Tokens that the wire adds: `fixed` + `per_text` × number of texts.
 */
export interface Framing {
    /**
     * Once a request.
     */
    fixed?: number;
    /**
     * Once a counted text.
     */
    per_text?: number;
}

/**
 * What history kept, skipped and stands for.
 */
export interface HistoryEvidence {
    /**
     * Segments that ride.
     */
    selected: number;
    /**
     * Segments of the window that do not, and content-bearing turns beyond it.
     */
    skipped: number;
    /**
     * The bound that ended it.
     */
    skipped_reason?: SkippedReason;
    /**
     * Content-bearing turns that a summary stands for.
     */
    compacted?: number;
}

/**
 * How much history is wanted.
 */
export interface HistoryIntent {
    /**
     * Most segments.
     */
    max_entries?: number;
    /**
     * Share of the planning window, above 0 and at most 1.
     */
    token_budget_share?: number;
}

/**
 * A text of the caller's own: placed by position, or in place of a slot's document.
 */
export interface InlineEntry {
    /**
     * Its role; an override without one takes the document's.
     */
    role?: Role;
    /**
     * Its text.
     */
    text?: string;
    /**
     * `lead` (the default) or `tail`.
     */
    position?: Position;
    /**
     * The slot whose document it replaces.
     */
    slot?: "system_prompt" | "character" | "persona";
}

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
 * A message that an adapter put into a list of LangChain's, which takes it as one of its own.
 */
export type LangChainEntry = { role: "system" | "user"; content: string };

/**
 * Who holds a lease, and since when.
 */
export interface Lease {
    /**
     * Whose it is.
     */
    nonce: string;
    /**
     * Since when, milliseconds since 1970.
     */
    ts: number;
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
 * A conversation of a file, as a list of them shows it.
 */
export interface Listed {
    /**
     * Its number in the file, from 0.
     */
    index: number;
    /**
     * Its name, or its first words.
     */
    title: string;
    /**
     * How often the person spoke.
     */
    turns: number;
    /**
     * How many bytes of the (unpacked) file it takes; 0 when it is not apart from the others.
     */
    bytes: number;
    /**
     * The ways through it, when it has several.
     */
    branches: Branch[];
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
 * The word a request compiles under.
 */
export type Mechanism = "default" | "assembly" | "raw";

/**
 * An explicit memory root.
 */
export type MemoryBinding = { name?: string; root?: string; subject?: string; access?: BindingAccess } & { [unknown: string]: any };

/**
 * Memory documents in the request, and left out for room.
 */
export interface MemoryCounts {
    /**
     * In it.
     */
    included: number;
    /**
     * Left out.
     */
    omitted: number;
}

/**
 * A memory document.
 */
export type MemoryDocument = { path?: string; owner?: string; content?: string; written_at?: string } & { [unknown: string]: any };

/**
 * How adjacent texts of one entry are kept.
 */
export type Merge = "fold" | "parts";

/**
 * The size of a message.
 */
export interface MessageSize {
    /**
     * Index of the message.
     */
    message: number;
    /**
     * Its role.
     */
    role: string;
    /**
     * Tokens.
     */
    tokens: number;
}

/**
 * What a provider counted, tokens. `input` is without what came from or went to the cache.
 */
export interface MessageUsage {
    /**
     * Tokens in that no cache had a part in.
     */
    input?: number;
    /**
     * Tokens out.
     */
    output?: number;
    /**
     * Tokens read from the cache.
     */
    cache_read?: number;
    /**
     * Tokens written to the cache.
     */
    cache_write?: number;
    /**
     * Of the tokens out, how many were reasoning.
     */
    reasoning?: number;
    /**
     * What it cost, US dollars.
     */
    cost_usd?: number;
}

/**
 * A model by its id, or with its limits.
 */
export interface ModelInput {
    /**
     * The model's id.
     */
    id: string;
    /**
     * The provider's id, where several have a model of this id.
     */
    provider?: string;
    /**
     * Its limits; nobody is asked for them then.
     */
    limits?: ModelLimits;
}

/**
 * The limits of a model, tokens.
 */
export interface ModelLimits {
    /**
     * Input and output together.
     */
    context_window: number;
    /**
     * The longest answer.
     */
    max_output_tokens: number;
    /**
     * The input alone, where that has a limit of its own.
     */
    input_limit?: number;
}

/**
 * What a host knows of a model; members that are not listed are ignored.
 */
export interface ModelRecord {
    /**
     * The model's id.
     */
    id: string;
    /**
     * The provider's id.
     */
    provider?: string;
    /**
     * Input and output together, tokens.
     */
    context_window: number;
    /**
     * The longest answer, tokens.
     */
    max_output_tokens: number;
    /**
     * The input alone, tokens.
     */
    input_limit?: number | null;
    /**
     * Tokens of thinking by level.
     */
    thinking_budgets?: Record<string, number> | null;
    /**
     * Whether it sees images.
     */
    supports_vision?: boolean | null;
}

/**
 * What a host answers when it is asked for a model.
 */
export interface ModelReply {
    /**
     * The model; nothing when it is not known.
     */
    model?: ModelRecord | null;
    /**
     * The longest answer as things are set up, tokens.
     */
    effective_max_output_tokens?: number | null;
}

/**
 * Where the limits of a model came from.
 */
export type ModelResolved = "inline" | "router" | "fallback";

/**
 * What is declared about one model. Windows and limits are tokens.
 */
export interface ModelRow {
    /**
     * The row's id, for example `openai_api/gpt-x`. Required in the file and the catalogue; a row
     * given in a request may be nameless.
     */
    model?: string;
    /**
     * The provider's id, which reasoning replay and `native_origin` compare.
     */
    provider_id?: string;
    /**
     * The provider's own name of the model.
     */
    model_id?: string;
    /**
     * The wire the model is spoken to on: `openai_responses`, `openai_chat`, `anthropic_messages`
     * or `gemini`.
     */
    api_format?: string;
    /**
     * The hard limit of the input alone.
     */
    input_tokens?: number;
    /**
     * The hard limit of input and output together.
     */
    combined_tokens?: number;
    /**
     * The advisory limit: how much input the model is worth filling with.
     */
    effective_input_tokens?: number;
    /**
     * The longest answer the model gives.
     */
    max_output_tokens?: number;
    /**
     * How text is counted; missing means there is no tokenizer and fill is bytes/4.
     */
    counter?: CounterRow;
    /**
     * What the wire adds to the counted texts of a request.
     */
    framing?: Framing;
    /**
     * Whether the model reasons at all as it is called.
     */
    reasoning_enabled?: boolean;
    /**
     * The model's own replay mode, when neither the request nor the conversation says one.
     */
    reasoning_replay?: ReplayMode;
    /**
     * The form in which reasoning is handed back to this model.
     */
    replay_format?: ReplayFormat;
    /**
     * Tokens kept for thinking, by thinking level.
     */
    thinking_budgets?: Record<string, number>;
    /**
     * What the model reads, for example `["text","image"]`, which is also what a missing list means.
     */
    input_modalities?: string[];
    /**
     * The image MIME types the wire takes; missing means every one.
     */
    image_types?: string[];
    /**
     * The MIME types the wire takes natively that are no images, for example `application/pdf`.
     */
    file_types?: string[];
    /**
     * Tokens of one native attachment, by its MIME type; undeclared costs 0.
     */
    token_cost?: Record<string, number>;
    /**
     * Where the figures come from, for a reader.
     */
    source?: string;
    /**
     * The day the figures were read, `YYYY-MM-DD`.
     */
    dated?: string;
}

/**
 * The wire, provider and model a label comes from.
 */
export interface NativeOrigin {
    /**
     * The provider.
     */
    provider_id?: string;
    /**
     * The model.
     */
    model_id?: string;
    /**
     * The wire.
     */
    api_format?: string;
}

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
 * The word of a result entry.
 */
export type OutputItem = "tool_result_item";

/**
 * A result as the wire carries it.
 */
export interface OutputPayload {
    type: "function_call_output";
    /**
     * The call's id.
     */
    call_id: string;
    /**
     * The tool as called.
     */
    name: string;
    /**
     * What came back.
     */
    output: string;
    /**
     * Present only when true.
     */
    is_error?: boolean;
}

/**
 * One part of a message.
 */
export type Part = { type: "text"; text: string } | { type: "upload"; upload_public_id: string };

/**
 * One part that a pass wrote anew.
 */
export interface PartChange {
    /**
     * Index of the message.
     */
    message: number;
    /**
     * Index of its block, where it is one.
     */
    block?: number;
    /**
     * The function whose result it is.
     */
    function_id?: string;
    /**
     * The call it answers.
     */
    function_call_id?: string;
    /**
     * Tokens of the message before.
     */
    tokens_before: number;
    /**
     * Tokens of the message after.
     */
    tokens_after: number;
}

/**
 * One pass.
 */
export interface Pass {
    /**
     * Which one.
     */
    pass: PassName;
    /**
     * Tokens of everything before it.
     */
    tokens_before: number;
    /**
     * Tokens of everything after it.
     */
    tokens_after: number;
    /**
     * Why it did nothing.
     */
    idle?: string;
    /**
     * What it wrote anew.
     */
    parts: PartChange[];
    /**
     * Where what a provider keeps of the request before stops to hold.
     */
    prefix?: PrefixBreak;
}

/**
 * The word for a pass.
 */
export type PassName = "images" | "cap" | "prune" | "compaction" | "emergency";

/**
 * Where a positioned inline entry stands.
 */
export type Position = "lead" | "tail";

/**
 * One sealed entry between history and the words.
 */
export type PrefaceEntry = { role?: Role; parts?: Part[]; block?: string; carried?: boolean } & { [unknown: string]: any };

/**
 * Where a cached prefix ends.
 */
export interface PrefixBreak {
    /**
     * The system prompt changed: nothing of the prefix holds.
     */
    system_prompt: boolean;
    /**
     * Index of the first message that changed.
     */
    message?: number;
    /**
     * Tokens from there to the end, which are paid for anew.
     */
    tokens: number;
}

/**
 * The rendered half.
 */
export interface Preview {
    /**
     * `assembly` or `default`.
     */
    mechanism: Mechanism;
    /**
     * The entries as the seal writes them.
     */
    entries: Entry[];
    /**
     * Their measure.
     */
    storage: Storage;
    /**
     * One row per block of the template.
     */
    blocks: BlockRow[];
    /**
     * Memory documents.
     */
    memory: MemoryCounts;
    /**
     * Registered documents compiled: slot and version.
     */
    slots: Record<string, number>;
    /**
     * What the send would seal with the turn.
     */
    preface: PrefaceEntry[];
    /**
     * Where everything comes from.
     */
    trace: Trace;
}

/**
 * What one pruning does otherwise than configured.
 */
export interface PruneOptions {
    /**
     * Tokens of the newest results that stay.
     */
    protect_recent_tokens?: number | null;
    /**
     * A result goes after this many later user turns; 0 is never.
     */
    decay_user_turns?: number | null;
    /**
     * The newest user turns that are not looked at.
     */
    protected_user_turns?: number | null;
    /**
     * Nothing goes when less would be freed, tokens.
     */
    min_free_tokens?: number | null;
    /**
     * A longer result may go whatever its age, bytes.
     */
    max_output_chars?: number | null;
    /**
     * Functions whose results stay.
     */
    protected_functions?: string[] | null;
}

/**
 * What `context::prune` is asked.
 */
export interface PruneRequest {
    /**
     * The history; required.
     */
    messages: AgentMessage[] | null;
    /**
     * The model, for whose tokenizer results are counted.
     */
    model?: ModelInput | null;
    /**
     * What is otherwise than configured.
     */
    options?: PruneOptions | null;
}

/**
 * What `context::prune` answers.
 */
export interface PruneResponse {
    /**
     * The messages, as many and in the same order.
     */
    messages: AgentMessage[];
    /**
     * Tokens that were freed.
     */
    pruned_tokens: number;
    /**
     * How many results went.
     */
    pruned_parts: number;
    /**
     * How many results were looked at.
     */
    scanned_parts: number;
}

/**
 * Which earlier reasoning rides again.
 */
export interface ReasoningReplay {
    /**
     * `none`, `last_turn` or `all`.
     */
    mode: ReplayMode;
}

/**
 * Our count of a request that was sent, and its provider's.
 */
export interface Recount {
    /**
     * What the provider reported for it. Its `input_tokens` are to be compared with `request_tokens`: both
     * hold everything that was read, from a cache or not.
     */
    usage?: Usage;
    /**
     * Tokens of its entries, framing included, and of its tool definitions.
     */
    request_tokens: number;
    /**
     * Whether the model's own tokenizer counted.
     */
    tokenizer_exact: boolean;
    /**
     * Whether the entries are those that were sealed. Otherwise they are what the file has of the request, laid as
     * the addressee declares it: what the file does not have, the provider counted and this does not.
     */
    sealed: boolean;
}

/**
 * A request, template or file that is refused. Nothing that was loaded before is touched by it.
 */
export interface Refusal {
    /**
     * The contract's word, `prompt_template_invalid` for one.
     */
    code: string;
    /**
     * One sentence that names the place and what can be done.
     */
    message: string;
    /**
     * The HTTP status the code answers with.
     */
    status: number;
    /**
     * JSON pointer (RFC 6901) of the place, where there is one.
     */
    path?: string;
    /**
     * The code's own detail word or name.
     */
    detail?: string;
}

/**
 * What the engine says when it will not. Every error of the package that is the contract's is one.
 */
export class Refusal extends Error {
    constructor(fields: { code: string; message: string; status: number; path?: string; detail?: string });
}

/**
 * Which reply is asked again.
 */
export interface Regenerate {
    /**
     * Its position.
     */
    position: number;
    /**
     * The key of the round that is asked again: those before it ride after the words, as they stood.
     */
    round?: string;
}

/**
 * The form in which reasoning is handed back.
 */
export type ReplayFormat = "none" | "responses_reasoning" | "responses_reasoning_text" | "anthropic_thinking" | "gemini_thought" | "chat_reasoning";

/**
 * Which earlier turns hand their reasoning back.
 */
export type ReplayMode = "none" | "last_turn" | "all";

/**
 * A model with its limits.
 */
export interface ResolvedModel {
    /**
     * Where the limits came from.
     */
    model_resolved: ModelResolved;
    /**
     * The limits, tokens.
     */
    limits: ModelLimits;
    /**
     * Tokens of thinking by level.
     */
    thinking_budgets: Record<string, number>;
    /**
     * Whether it sees images; absent when that is not known.
     */
    vision?: boolean;
    /**
     * Why there are no limits of its own.
     */
    reason?: string;
}

/**
 * Who an entry speaks as.
 */
export type Role = "system" | "developer" | "user" | "assistant";

/**
 * One model step: what it read first, what it said, what it called and what came back.
 */
export type Round = { key?: string; output?: string; calls?: Call[]; results?: Record<string, CallResult>; trace?: Value; usage?: Usage; steers?: string[]; material?: string[]; arrived_summary?: string; pruned_before?: string; compacted_fan?: CompactedFan; tips?: Record<string, string>; request?: Value } & { [unknown: string]: any };

/**
 * The rounds behind a reply.
 */
export type Run = { rounds?: Round[] } & { [unknown: string]: any };

/**
 * How a send is written down.
 */
export interface SealAs {
    /**
     * The generation options, kept verbatim.
     */
    options?: Record<string, any>;
    /**
     * The turn's id; default `t` and its position.
     */
    id?: string;
    /**
     * When, as the turn's `created_at`.
     */
    at?: string | number;
}

/**
 * What a send wrote.
 */
export interface Sealed {
    /**
     * What goes to the provider.
     */
    request: SealedRequest;
    /**
     * The turn that was appended.
     */
    turn: Turn;
}

/**
 * The sealed bytes of one request.
 */
export interface SealedRequest {
    /**
     * The entries, verbatim.
     */
    entries: Entry[];
    /**
     * The options, and the tools when there are any.
     */
    request_options: Record<string, any>;
}

/**
 * Words with uploads. A plain string reads as words alone.
 */
export interface Seed {
    /**
     * The words.
     */
    text: string;
    /**
     * Upload ids that follow them.
     */
    uploads?: string[];
}

/**
 * Where one segment comes from.
 */
export interface SegmentTrace {
    /**
     * The block that placed it.
     */
    block: string;
    /**
     * The turn's id.
     */
    turn?: string;
    /**
     * The round's key.
     */
    round?: string;
    /**
     * Its fill cost.
     */
    tokens: number;
}

/**
 * An open conversation: what is asked of it, what is sent from it, and the answers that come back.
 */
export class Session {
    private constructor();
    free(): void;
    /**
     * Appends a turn that no send wrote.
     */
    append(turn: Turn): Turn;
    /**
     * Sizes a request; with `render: true` shows what the send would seal. Writes nothing.
     */
    estimate(request: EstimateRequest): Estimate & Partial<Preview>;
    /**
     * Counts a request that was sent, for comparing with what its provider counted: the one that a round of a
     * reply answered, or the reply's newest. Without `model` it is counted for the one that answered. Throws
     * `not_found` for a reply or a round that is not there.
     */
    recount(turn: string, round: string | null | undefined, model?: string | ModelRow): Recount;
    /**
     * Writes what the send carries and appends its turn, running.
     */
    seal(request: EstimateRequest, sealAs?: SealAs): Sealed;
    /**
     * Puts an answer onto the turn that waits for it. Throws `not_found`, and `variant_settled` when it
     * has one.
     */
    settle(id: string, answer: Answer): Turn;
    /**
     * The native file: fields the engine does not know are in it as they came.
     */
    toJSON(): Conversation;
    /**
     * Last words of the file that nobody has answered.
     */
    readonly pending: Seed | undefined;
    /**
     * What could not be read, or was mended, by position.
     */
    readonly warnings: Warning[];
}

/**
 * What a count is made of; the sum of all is the count.
 */
export interface Sizes {
    /**
     * Of the system prompt.
     */
    system_prompt: number;
    /**
     * Of each function.
     */
    tools: ToolSize[];
    /**
     * Of each message that is left.
     */
    messages: MessageSize[];
    /**
     * What the request says comes on top.
     */
    overhead: number;
}

/**
 * A skill of the catalogue.
 */
export type Skill = { callable?: string; name?: string; description?: string; executor?: string } & { [unknown: string]: any };

/**
 * Which bound ended the walk.
 */
export type SkippedReason = "entry_limit" | "budget_exceeded" | "candidate_limit";

/**
 * An outside voice, represented by an agent.
 */
export type Speaker = { kind?: SpeakerKind; display_name?: string; controller?: string } & { [unknown: string]: any };

/**
 * What a speaker that is no user is.
 */
export type SpeakerKind = "ingress";

/**
 * Why the model stopped.
 */
export type StopReason = "end" | "length" | "function_call" | "aborted" | "error";

/**
 * What a preview says about storage.
 */
export interface Storage {
    /**
     * Canonical bytes of all entries.
     */
    bytes: number;
    /**
     * The seal's bound, bytes.
     */
    bound: number;
    /**
     * Whether the seal takes them.
     */
    within_bound: boolean;
    /**
     * The word it refuses with, else.
     */
    refusal?: string;
}

/**
 * What a conversation can be written as: the native file, the body of a request to a provider, or what a library
 * takes: `{ system, messages }` of the AI SDK, a list of LangChain's.
 */
export type Target = "native" | "chat" | "responses" | "anthropic" | "gemini" | "ai_sdk" | "langchain";

/**
 * How much a model is asked to think.
 */
export type ThinkingLevel = "minimal" | "low" | "medium" | "high" | "xhigh";

/**
 * A tool definition.
 */
export type Tool = { name?: string; alias?: string; description?: string; parameters?: Value; deferred?: boolean } & { [unknown: string]: any };

/**
 * The size of a function's declaration.
 */
export interface ToolSize {
    /**
     * The function.
     */
    name: string;
    /**
     * Tokens.
     */
    tokens: number;
}

/**
 * For each entry its segments, for each turn what became of it.
 */
export interface Trace {
    /**
     * One per entry.
     */
    entries: EntryTrace[];
    /**
     * One per turn that reaches the conversation.
     */
    turns: TurnTrace[];
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
 * What `trim` is asked.
 */
export interface TrimRequest {
    /**
     * The history; required.
     */
    messages: AgentMessage[] | null;
    /**
     * Tokens that prompt, functions and messages may have together.
     */
    max_tokens: number;
    /**
     * The model they are counted for.
     */
    model?: ModelInput | null;
    /**
     * The system prompt; it stays, and takes its room first.
     */
    system_prompt?: string | null;
    /**
     * The functions the model may call; they stay too.
     */
    tools?: AgentFunction[] | null;
    /**
     * Whether reasoning goes from all answers but the newest.
     */
    drop_reasoning?: boolean;
    /**
     * Functions whose calls and results go, with the reasoning that led to them.
     */
    drop_functions?: string[];
}

/**
 * What `trim` answers.
 */
export interface TrimResponse {
    /**
     * The messages that are left; customs are not among them.
     */
    messages: AgentMessage[];
    /**
     * Index in the request of each.
     */
    sources: number[];
    /**
     * Tokens of everything that is left.
     */
    token_count: number;
    /**
     * Whether that is at most `max_tokens`. Where it is not, the least that can be sent is left: what stays when
     * no turn fits is never cut between a call and its result.
     */
    fits: boolean;
    /**
     * What `token_count` is made of.
     */
    sizes: Sizes;
    /**
     * Answers that lost reasoning, by their index in the request: a wire that pairs reasoning with what follows
     * it must be told.
     */
    reasoning_dropped: number[];
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
 * One item of the timeline. Which fields it carries depends on its kind: a message has `text`, a reply
 * has `prompt`, `preface` and `content` or `run`, a summary has `content` (or `text`).
 */
export interface Turn extends Body {
    /**
     * Its id; default `t` and its position.
     */
    id?: string;
    /**
     * Its place; default one after the turn before it.
     */
    position?: number;
    /**
     * What it is.
     */
    kind?: TurnKind;
    /**
     * Default user; assistant for a reply.
     */
    role?: Role;
    /**
     * `completed`, `running`, `failed`, `canceled`, …; default completed.
     */
    status?: string;
    /**
     * Whether it is context.
     */
    visibility?: Visibility;
    /**
     * Deleted turns are kept as rows.
     */
    deleted?: boolean;
    /**
     * The conversation it was written in; default this one.
     */
    conversation?: string;
    /**
     * Its voice: a user, a speaker or `system`; default the creating user.
     */
    speaker?: string;
    /**
     * Who answers it; default the stored answerer.
     */
    answering_user?: string;
    /**
     * `person`, `agent`, `task_result` or `child`; default person.
     */
    origin?: string;
    /**
     * The conversation it was sent from, when another.
     */
    sender_conversation?: string;
    /**
     * When, as the file says it.
     */
    created_at?: Value;
    /**
     * The words of a message.
     */
    text?: string;
    /**
     * Uploads that follow the words of a message.
     */
    uploads?: string[];
    /**
     * The seed: the words that opened a reply.
     */
    prompt?: string | Seed;
    /**
     * What was sealed between history and the words.
     */
    preface?: PrefaceEntry[];
    /**
     * Candidates.
     */
    variants?: Variant[];
    /**
     * The candidate that counts; default the last.
     */
    active_variant?: string;
    /**
     * False: the other tool did not show the turn though it was sent.
     */
    display?: boolean;
}

/**
 * What a turn is.
 */
export type TurnKind = "message" | "direct_reply" | "compaction_summary";

/**
 * What became of a turn.
 */
export type TurnState = "selected" | "skipped" | "compacted" | "excluded" | "hidden" | "deleted" | "empty" | "later";

/**
 * One turn of the conversation.
 */
export interface TurnTrace {
    /**
     * Its id.
     */
    turn: string;
    /**
     * Its index in the file.
     */
    index: number;
    /**
     * Its position.
     */
    position: number;
    /**
     * What became of it.
     */
    state: TurnState;
    /**
     * Its segments in the candidate window.
     */
    segments: number;
    /**
     * How many of them ride.
     */
    selected: number;
    /**
     * Tokens of all of them.
     */
    tokens: number;
    /**
     * The bound that left out what does not ride.
     */
    reason?: SkippedReason;
}

/**
 * How the messages of the request are had again from what came of them.
 */
export interface Undo {
    /**
     * How many messages the request had.
     */
    requested: number;
    /**
     * How many the answer had; what stands behind them was appended since and stays.
     */
    answered: number;
}

/**
 * Facts about an upload.
 */
export type Upload = { filename?: string; content_type?: string; byte_size?: number } & { [unknown: string]: any };

/**
 * What a provider reported for one request, tokens.
 */
export type Usage = { status?: string; model?: string; input_tokens?: number; output_tokens?: number; cache_read_tokens?: number; cache_write_tokens?: number } & { [unknown: string]: any };

/**
 * A human or an agent.
 */
export type User = { kind?: UserKind; handle?: string; display_name?: string; steward?: string; prompt_mechanism?: Mechanism; prompt_template?: Value; tools?: Tool[]; compaction_policy?: Value; default_model?: string; memory_context_limit?: number; access?: Access } & { [unknown: string]: any };

/**
 * Human or agent.
 */
export type UserKind = "human" | "agent";

/**
 * Any JSON value.
 */
export type Value = unknown;

/**
 * One candidate of a turn.
 */
export interface Variant extends Body {
    /**
     * Its id.
     */
    id?: string;
    /**
     * Its status; default the turn's.
     */
    status?: string;
    /**
     * Its seed; default the turn's.
     */
    prompt?: string | Seed;
    /**
     * Its preface; default the turn's.
     */
    preface?: PrefaceEntry[];
}

/**
 * Whether a turn is context.
 */
export type Visibility = "visible" | "hidden" | "excluded_from_context";

/**
 * Something the engine did not change or could not read, and went on.
 */
export interface Warning {
    /**
     * A short word for the kind of thing.
     */
    code: string;
    /**
     * One sentence.
     */
    message: string;
    /**
     * JSON pointer into the file or the request.
     */
    path?: string;
    /**
     * Line of the source, from 1.
     */
    line?: number;
    /**
     * Byte offset in the source, from 0.
     */
    offset?: number;
}

/**
 * The workspace around a conversation.
 */
export type Workspace = { name?: string } & { [unknown: string]: any };

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
 * The built-in model rows, dated, each with the source of its figures. Rows of a file or a request win
 * over them.
 */
export function catalogue(): ModelRow[];

/**
 * Checks an assembly template by itself. Throws a `Refusal` at the JSON pointer of its first fault.
 */
export function checkTemplate(template: Value): void;

/**
 * Writes an open conversation, or a native file. A body holds what is visible and sent, from the newest summary on;
 * `warnings` say what of the conversation is otherwise in it.
 */
export function convert(conversation: Session | Conversation, to: Target): Promise<{ body: Value; warnings: Warning[] }>;

/**
 * Makes a context manager. Its module is loaded with the first call.
 */
export function createContextManager(options?: ContextManagerOptions): ContextManager;

/**
 * The text of a summariser's answer that came in frames, as `router::chat` streams it: JSON texts, or the objects they
 * are. Throws what a frame tells, with the `kind` that `summarize` hands on.
 */
export function foldFrames(frames: Iterable<string | object>): Promise<string>;

/**
 * Loads an encoding, once. From then on the engine counts with it for every model that declares it.
 */
export function loadEncoding(name: EncodingName, options?: LoadOptions): Promise<Encoding>;

/**
 * Opens a file that holds one conversation: a native file, or an export of another tool. Throws a
 * `Refusal` when nothing in it can be read, and `several_conversations` when it holds more than one.
 */
export function openConversation(source: string | Uint8Array | ArrayBuffer): Session;

/**
 * Opens a file of any known tool: a native file, an export, a log, an archive or a packed one of them. Only what is
 * asked for is read; a Blob of any size is never held whole. Throws a `Refusal` when nothing in it can be read.
 */
export function openFile(source: string | Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array>, options?: OpenOptions): Promise<OpenedFile>;

/**
 * The messages of the request that an answer was for, with what was appended to the answer's since; `undo` is of the
 * detail of that answer.
 */
export function undo(messages: AgentMessage[], requested: AgentMessage[], undo: Undo): AgentMessage[];
