//! What a call did, part by part: what its answer has no members for.

use serde::Serialize;

use super::change::Change;
use super::estimate::EstimatorName;
use super::item::{Item, Scale};
use super::model::{Budget, ResolvedModel};
use crate::transcript::AgentFunction;

/// What a call did. Messages are named by their index in the request.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct Detail {
    /// The model's limits and where they came from, when the call looked for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ResolvedModel>,
    /// The room that leaves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// How everything was counted.
    pub estimator: EstimatorName,
    /// The encoding that the model's row names; loaded, it counts exactly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Tokens of everything before the first pass.
    pub tokens_before: u64,
    /// Tokens of everything after the last one, also when that is too much. Where something would be summarised, in
    /// a dry run, they are without the summary, which nobody knows yet.
    pub tokens_after: u64,
    /// The passes in order, those that did nothing too.
    pub passes: Vec<Pass>,
    /// What was, or would be, summarised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compaction: Option<Compaction>,
    /// What `tokens_after` is made of.
    pub sizes: Sizes,
    /// How the messages of the request are had again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<Undo>,
}

/// The word for a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PassName {
    /// Images that are not seen, or were.
    Images,
    /// Results over their limit.
    Cap,
    /// Old results.
    Prune,
    /// History that is summarised.
    Compaction,
    /// The largest results, when nothing else helped.
    Emergency,
}

/// One pass.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct Pass {
    /// Which one.
    pub pass: PassName,
    /// Tokens of everything before it.
    pub tokens_before: u64,
    /// Tokens of everything after it.
    pub tokens_after: u64,
    /// Why it did nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<String>,
    /// What it wrote anew.
    pub parts: Vec<PartChange>,
    /// Where what a provider keeps of the request before stops to hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<PrefixBreak>,
}

/// One part that a pass wrote anew.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct PartChange {
    /// Index of the message.
    pub message: usize,
    /// Index of its block, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<usize>,
    /// The function whose result it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function_id: Option<String>,
    /// The call it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function_call_id: Option<String>,
    /// Tokens of the message before.
    pub tokens_before: u64,
    /// Tokens of the message after.
    pub tokens_after: u64,
    /// The message before; not written out, for a request may be long.
    #[serde(skip)]
    pub old: Option<Item>,
    /// The message after.
    #[serde(skip)]
    pub new: Option<Item>,
}

/// Where a cached prefix ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct PrefixBreak {
    /// The system prompt changed: nothing of the prefix holds.
    pub system_prompt: bool,
    /// Index of the first message that changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<usize>,
    /// Tokens from there to the end, which are paid for anew.
    pub tokens: u64,
}

/// What came of a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CompactionOutcome {
    /// There is a summary.
    Done,
    /// It was only asked what would be summarised.
    Dry,
    /// Somebody else is at it.
    Busy,
    /// There is nothing that could be summarised.
    Nothing,
    /// There is no summariser.
    Unavailable,
    /// The summariser failed.
    Failed,
    /// The summary is blank.
    Empty,
    /// The summary is no smaller than what it stands for.
    NotSmaller,
}

/// What was, or would be, summarised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct Compaction {
    /// What came of it.
    pub outcome: CompactionOutcome,
    /// What the host said of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How many messages are summarised.
    pub head_len: usize,
    /// Index of the first message that stays.
    pub tail_start_index: Option<usize>,
    /// Tokens of what is summarised.
    pub head_tokens: u64,
    /// Tokens of the summary, when there is one, also one that was not taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary_tokens: Option<u64>,
    /// The text begins with a section in marks of its own (`<analysis>…</analysis>`) that more follows: most likely
    /// notes, and the summary behind them. It is kept whole; who asks the summariser cuts it.
    pub scratchpad: bool,
    /// What the summariser is told.
    pub system_prompt: String,
    /// What it is asked.
    pub prompt: String,
}

/// What a count is made of; the sum of all is the count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct Sizes {
    /// Of the system prompt.
    pub system_prompt: u64,
    /// Of each function.
    pub tools: Vec<ToolSize>,
    /// Of each message that is left.
    pub messages: Vec<MessageSize>,
    /// What the request says comes on top.
    pub overhead: u64,
}

/// The size of a function's declaration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct ToolSize {
    /// The function.
    pub name: String,
    /// Tokens.
    pub tokens: u64,
}

/// The size of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct MessageSize {
    /// Index of the message.
    pub message: usize,
    /// Its role.
    pub role: &'static str,
    /// Tokens.
    pub tokens: u64,
}

impl Sizes {
    /// The sizes of messages, each with its index in the request, and of functions.
    pub fn of<'a>(
        items: impl Iterator<Item = (usize, &'a Item)>,
        tools: &[AgentFunction],
        scale: &Scale,
    ) -> Self {
        Self {
            system_prompt: 0,
            tools: tools
                .iter()
                .map(|tool| ToolSize {
                    name: tool.name.clone(),
                    tokens: scale.function(tool),
                })
                .collect(),
            messages: items
                .map(|(message, item)| MessageSize {
                    message,
                    role: item.message().role(),
                    tokens: item.tokens(scale),
                })
                .collect(),
            overhead: 0,
        }
    }
}

/// How the messages of the request are had again from what came of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct Undo {
    /// How many messages the request had.
    pub requested: usize,
    /// How many the answer had; what stands behind them was appended since and stays.
    pub answered: usize,
}

impl PartChange {
    /// A change with the index that its message has in the request.
    pub fn of(change: &Change, sources: &[usize]) -> Self {
        Self {
            message: sources
                .get(change.message)
                .copied()
                .unwrap_or(change.message),
            block: change.block,
            function_id: change.function_id.clone(),
            function_call_id: change.function_call_id.clone(),
            tokens_before: change.before,
            tokens_after: change.after,
            old: change.old.clone(),
            new: change.new.clone(),
        }
    }
}

impl Compaction {
    /// Nothing was summarised.
    pub fn none(outcome: CompactionOutcome) -> Self {
        Self {
            outcome,
            message: None,
            head_len: 0,
            tail_start_index: None,
            head_tokens: 0,
            summary_tokens: None,
            scratchpad: false,
            system_prompt: String::new(),
            prompt: String::new(),
        }
    }

    /// Whether it was only asked what would be summarised.
    pub fn is_dry(&self) -> bool {
        self.outcome == CompactionOutcome::Dry
    }

    /// Why nothing was summarised.
    pub fn idle(&self) -> Option<String> {
        let why = match self.outcome {
            CompactionOutcome::Done | CompactionOutcome::Dry => return None,
            CompactionOutcome::Busy => "somebody else compacts this history",
            CompactionOutcome::Nothing => "there is no head that could be summarised",
            CompactionOutcome::Unavailable => "there is no summariser",
            CompactionOutcome::Failed => "the summariser failed",
            CompactionOutcome::Empty => "the summary is blank",
            CompactionOutcome::NotSmaller => "the summary is no smaller than what it stands for",
        };
        Some(match &self.message {
            Some(message) if !message.is_empty() => format!("{why}: {message}"),
            _ => why.to_owned(),
        })
    }
}
