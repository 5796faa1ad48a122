//! Requests and answers as they are on the wire.
//!
//! Members that a request does not know are ignored; `null` is absent.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::estimate::EstimatorName;
use super::item::Item;
use crate::transcript::AgentFunction;

#[cfg(feature = "types")]
use crate::transcript::AgentMessage;

/// A model by its id, or with its limits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct ModelInput {
    /// The model's id.
    pub id: String,
    /// The provider's id, where several have a model of this id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Its limits; nobody is asked for them then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<ModelLimits>,
}

/// The limits of a model, tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct ModelLimits {
    /// Input and output together.
    pub context_window: u64,
    /// The longest answer.
    pub max_output_tokens: u64,
    /// The input alone, where that has a limit of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_limit: Option<u64>,
}

/// How much a model is asked to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ThinkingLevel {
    /// Hardly.
    Minimal,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// As much as it can.
    Xhigh,
}

impl ThinkingLevel {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Xhigh => "xhigh",
        }
    }
}

/// What `context::assemble` is asked.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct AssembleRequest {
    /// The history; required.
    #[cfg_attr(
        feature = "types",
        schemars(with = "Option<Vec<AgentMessage>>"),
        tsify(type = "AgentMessage[] | null")
    )]
    pub messages: Option<Vec<Item>>,
    /// The model that is to answer.
    pub model: ModelInput,
    /// The system prompt.
    #[serde(default)]
    pub system_prompt: Option<String>,
    /// The functions the model may call: counted, never answered.
    #[serde(default)]
    pub tools: Option<Vec<AgentFunction>>,
    /// Texts by name whose sizes are wanted; they count nowhere else.
    #[serde(default)]
    #[cfg_attr(feature = "types", tsify(type = "Record<string, string> | null"))]
    pub parts: Option<IndexMap<String, String>>,
    /// What is otherwise than configured.
    #[serde(default)]
    pub options: Option<AssembleOptions>,
}

/// What one assembly does otherwise than configured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct AssembleOptions {
    /// Tokens kept free, in place of the default reserve.
    #[serde(default)]
    pub reserved_tokens: Option<u64>,
    /// Turns that a compaction keeps word for word.
    #[serde(default)]
    pub tail_turns: Option<usize>,
    /// Whether history may be summarised; true unless said.
    #[serde(default)]
    pub allow_compaction: Option<bool>,
    /// Whether old results may be pruned; true unless said.
    #[serde(default)]
    pub allow_prune: Option<bool>,
    /// Functions whose results pruning leaves.
    #[serde(default)]
    pub protected_functions: Option<Vec<String>>,
    /// A single result is at most this many tokens; 0 is no limit.
    #[serde(default)]
    pub max_result_tokens: Option<u64>,
    /// Tokens of the request that no prompt, message or function stands for.
    #[serde(default)]
    pub request_overhead_tokens: Option<u64>,
    /// How much the model is asked to think, for which room is kept where its row says how much.
    #[serde(default)]
    pub thinking_level: Option<ThinkingLevel>,
    /// What compactions of one history exclude each other by; a hash of the messages unless said.
    #[serde(default)]
    pub lease_key: Option<String>,
    /// The summary of an earlier compaction.
    #[serde(default)]
    pub previous_summary: Option<String>,
}

/// What `context::compact` is asked.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct CompactRequest {
    /// The history; required.
    #[cfg_attr(
        feature = "types",
        schemars(with = "Option<Vec<AgentMessage>>"),
        tsify(type = "AgentMessage[] | null")
    )]
    pub messages: Option<Vec<Item>>,
    /// The model, which also summarises.
    pub model: ModelInput,
    /// What is otherwise than configured.
    #[serde(default)]
    pub options: Option<CompactOptions>,
}

/// What one compaction does otherwise than configured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct CompactOptions {
    /// Turns that stay word for word.
    #[serde(default)]
    pub tail_turns: Option<usize>,
    /// The summary of an earlier compaction.
    #[serde(default)]
    pub previous_summary: Option<String>,
    /// Tokens of the newest messages that stay word for word.
    #[serde(default)]
    pub preserve_recent_tokens: Option<u64>,
    /// What compactions of one history exclude each other by; a hash of the messages unless said.
    #[serde(default)]
    pub lease_key: Option<String>,
}

/// What `context::prune` is asked.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct PruneRequest {
    /// The history; required.
    #[cfg_attr(
        feature = "types",
        schemars(with = "Option<Vec<AgentMessage>>"),
        tsify(type = "AgentMessage[] | null")
    )]
    pub messages: Option<Vec<Item>>,
    /// The model, for whose tokenizer results are counted.
    #[serde(default)]
    pub model: Option<ModelInput>,
    /// What is otherwise than configured.
    #[serde(default)]
    pub options: Option<PruneOptions>,
}

/// What one pruning does otherwise than configured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct PruneOptions {
    /// Tokens of the newest results that stay.
    #[serde(default)]
    pub protect_recent_tokens: Option<u64>,
    /// A result goes after this many later user turns; 0 is never.
    #[serde(default)]
    pub decay_user_turns: Option<usize>,
    /// The newest user turns that are not looked at.
    #[serde(default)]
    pub protected_user_turns: Option<usize>,
    /// Nothing goes when less would be freed, tokens.
    #[serde(default)]
    pub min_free_tokens: Option<u64>,
    /// A longer result may go whatever its age, bytes.
    #[serde(default)]
    pub max_output_chars: Option<usize>,
    /// Functions whose results stay.
    #[serde(default)]
    pub protected_functions: Option<Vec<String>>,
}

/// What `context::count-tokens` is asked.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct CountTokensRequest {
    /// The messages; required.
    #[cfg_attr(
        feature = "types",
        schemars(with = "Option<Vec<AgentMessage>>"),
        tsify(type = "AgentMessage[] | null")
    )]
    pub messages: Option<Vec<Item>>,
    /// The model they are counted for.
    pub model: ModelInput,
    /// The system prompt.
    #[serde(default)]
    pub system_prompt: Option<String>,
    /// The functions the model may call.
    #[serde(default)]
    pub tools: Option<Vec<AgentFunction>>,
    /// Texts by name whose sizes are wanted; they count nowhere else.
    #[serde(default)]
    #[cfg_attr(feature = "types", tsify(type = "Record<string, string> | null"))]
    pub parts: Option<IndexMap<String, String>>,
}

/// Where the limits of a model came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ModelResolved {
    /// The request.
    Inline,
    /// The host, or the catalogue.
    Router,
    /// Nowhere: cautious ones stand in.
    Fallback,
}

/// Tokens of messages, role by role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct ByRoleTokens {
    /// Of `user` messages, results inside of them included.
    pub user: u64,
    /// Of `assistant` messages.
    pub assistant: u64,
    /// Of `function_result` messages.
    pub function_result: u64,
    /// Of `custom` messages.
    pub custom: u64,
}

/// What `context::assemble` answers. `token_count` is at most `usable`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct AssembleResponse {
    /// The system prompt, a summary rendered into it.
    pub system_prompt: String,
    /// What the model is to see.
    #[cfg_attr(
        feature = "types",
        schemars(with = "Vec<AgentMessage>"),
        tsify(type = "AgentMessage[]")
    )]
    pub messages: Vec<Item>,
    /// Tokens of everything: prompt, messages, functions, overhead.
    pub token_count: u64,
    /// Tokens there is room for.
    pub usable: u64,
    /// The longest answer, tokens.
    pub effective_max_output_tokens: u64,
    /// Where the limits came from.
    pub model_resolved: ModelResolved,
    /// What was done.
    pub applied: Applied,
    /// What `token_count` is made of.
    pub breakdown: AssembleBreakdown,
}

/// What an assembly did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct Applied {
    /// Tokens of everything before the first pass.
    pub initial_token_count: u64,
    /// Whether results were pruned or reduced.
    pub pruned: bool,
    /// Tokens that freed.
    pub pruned_tokens: u64,
    /// How many results were capped.
    pub capped_parts: u64,
    /// Tokens that freed.
    pub capped_tokens: u64,
    /// Whether history was summarised.
    pub compacted: bool,
    /// The summary: to be kept, and given as `previous_summary` from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Index into the request's messages of the first that stayed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tail_start_index: Option<usize>,
    /// Tokens of what was summarised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_before: Option<u64>,
    /// The same number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summarized_head_tokens: Option<u64>,
}

/// What a `token_count` is made of, but for the overhead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct AssembleBreakdown {
    /// Of the system prompt, a summary in it included.
    pub system_prompt_tokens: u64,
    /// Of the functions.
    pub tools_tokens: u64,
    /// Of the messages.
    pub by_role: ByRoleTokens,
    /// How it was counted.
    pub estimator: EstimatorName,
    /// Of the texts asked for by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", tsify(type = "Record<string, number>"))]
    pub by_part: Option<IndexMap<String, u64>>,
}

/// What `context::compact` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum CompactResponse {
    /// There is a summary.
    Ok {
        /// The summary.
        summary: String,
        /// Index of the first message that stays; `null` when all are summarised.
        tail_start_index: Option<usize>,
        /// Tokens of what is summarised.
        tokens_before: u64,
        /// Tokens of the summary and of what stays.
        tokens_after: u64,
        /// Whether an earlier summary was carried on.
        used_prior_summary: bool,
    },
    /// Somebody else is at it.
    Busy,
    /// There is nothing to summarise, or the summary is blank.
    Empty,
    /// There is no summariser, it failed, or its summary is no smaller than what it stands for.
    Overflow,
}

/// What `context::prune` answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct PruneResponse {
    /// The messages, as many and in the same order.
    #[cfg_attr(
        feature = "types",
        schemars(with = "Vec<AgentMessage>"),
        tsify(type = "AgentMessage[]")
    )]
    pub messages: Vec<Item>,
    /// Tokens that were freed.
    pub pruned_tokens: u64,
    /// How many results went.
    pub pruned_parts: u64,
    /// How many results were looked at.
    pub scanned_parts: u64,
}

/// What `context::count-tokens` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct CountTokensResponse {
    /// Of everything.
    pub tokens: u64,
    /// Of the messages.
    pub by_role: Option<ByRoleTokens>,
    /// How it was counted.
    pub estimator: EstimatorName,
    /// Of the functions, when there were any to count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools_tokens: Option<u64>,
    /// Of the texts asked for by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", tsify(type = "Record<string, number>"))]
    pub by_part: Option<IndexMap<String, u64>>,
}

/// What `context::on-config-change` is told: that the configuration is to be fetched again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct OnConfigChangeEvent {
    /// The configuration's id, which nothing depends on.
    #[serde(default)]
    pub id: Option<String>,
}

/// What `context::on-models-changed` is told: that hosts are to be asked for models anew.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct OnModelsChangedEvent {
    /// The provider whose models changed, which nothing depends on.
    #[serde(default)]
    pub provider: Option<String>,
}

/// What both answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct Acknowledged {
    /// Always true.
    pub ok: bool,
}
