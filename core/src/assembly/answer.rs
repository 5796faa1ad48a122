//! The answer of an estimate, as its wire carries it.

use indexmap::IndexMap;
use serde::Serialize;

use super::plan::{BlockRow, HistoryEvidence, Plan};
use super::turns::TurnTrace;
use crate::conversation::Conversation;
use crate::conversation::native::{Mechanism, PrefaceEntry};
use crate::refusal::Warning;
use crate::seal::{self, Storage};

/// What an estimate answers. Without `render` it is the counts alone. `preface`, `tools_tokens`,
/// `request_tokens`, `warnings` and `trace` are the engine's own, beside the contract's members.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify))]
pub struct Estimate {
    /// Tokens of the entries, framing included.
    pub input_tokens: u64,
    /// Whether the model's own tokenizer counted.
    pub tokenizer_exact: bool,
    /// The hard bound.
    pub catalog_input_token_limit: Option<u64>,
    /// The advisory bound.
    pub advisory_input_token_limit: Option<u64>,
    /// How many entries.
    pub message_count: usize,
    /// What history kept.
    pub history: HistoryEvidence,
    /// Tokens of the tool definitions.
    pub tools_tokens: u64,
    /// Both.
    pub request_tokens: u64,
    /// What was noticed.
    pub warnings: Vec<Warning>,
    /// What the send would carry.
    #[serde(flatten)]
    pub preview: Option<Preview>,
}

/// The rendered half.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify))]
pub struct Preview {
    /// `assembly` or `default`.
    pub mechanism: Mechanism,
    /// The entries as the seal writes them.
    pub entries: Vec<seal::Entry>,
    /// Their measure.
    pub storage: Storage,
    /// One row per block of the template.
    pub blocks: Vec<BlockRow>,
    /// Memory documents.
    pub memory: MemoryCounts,
    /// Registered documents compiled: slot and version.
    #[cfg_attr(feature = "types", tsify(type = "Record<string, number>"))]
    pub slots: IndexMap<String, u64>,
    /// What the send would seal with the turn.
    pub preface: Vec<PrefaceEntry>,
    /// Where everything comes from.
    pub trace: Trace,
}

/// Memory documents in the request, and left out for room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify))]
pub struct MemoryCounts {
    /// In it.
    pub included: u64,
    /// Left out.
    pub omitted: u64,
}

/// For each entry its segments, for each turn what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify))]
pub struct Trace {
    /// One per entry.
    pub entries: Vec<EntryTrace>,
    /// One per turn that reaches the conversation.
    pub turns: Vec<TurnTrace>,
}

/// The segments of one entry.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify))]
pub struct EntryTrace {
    /// In order.
    pub segments: Vec<SegmentTrace>,
}

/// Where one segment comes from.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify))]
pub struct SegmentTrace {
    /// The block that placed it.
    pub block: String,
    /// The turn's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// The round's key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<String>,
    /// Its fill cost.
    pub tokens: u64,
}

impl Estimate {
    /// The answer to a plan.
    pub fn of(plan: &Plan, conversation: &Conversation) -> Self {
        Self {
            input_tokens: plan.input_tokens,
            tokenizer_exact: plan.tokenizer_exact,
            catalog_input_token_limit: plan.model.row.hard_window(),
            advisory_input_token_limit: plan.model.row.advisory_window(),
            message_count: plan.entries.len(),
            history: plan.history.clone(),
            tools_tokens: plan.tools_tokens(),
            request_tokens: plan.request_tokens(),
            warnings: plan.warnings.clone(),
            preview: plan.render.then(|| Preview {
                mechanism: plan.mechanism,
                entries: plan.sealed(),
                storage: plan.storage.clone(),
                blocks: plan.blocks.clone(),
                memory: MemoryCounts {
                    included: plan.memory.0,
                    omitted: plan.memory.1,
                },
                slots: plan.slots.clone(),
                preface: plan.preface.clone(),
                trace: Trace {
                    entries: (0..plan.entries.len())
                        .map(|index| entry_trace(plan, conversation, index))
                        .collect(),
                    turns: plan.turns.clone(),
                },
            }),
        }
    }
}

/// Where one entry comes from.
pub fn entry_trace(plan: &Plan, conversation: &Conversation, index: usize) -> EntryTrace {
    let range = plan
        .entries
        .get(index)
        .map_or(0..0, |merged| merged.from..merged.to);
    let segments = plan
        .placed
        .get(range)
        .unwrap_or_default()
        .iter()
        .map(|placed| {
            let turn = placed
                .segment
                .source
                .turn
                .and_then(|turn| conversation.turns.get(turn));
            let round = placed.segment.source.round.and_then(|round| {
                turn?
                    .active()
                    .body
                    .run
                    .as_ref()?
                    .rounds
                    .get(round)
                    .map(|round| round.key.clone())
            });
            SegmentTrace {
                block: placed.block.to_string(),
                turn: turn.map(|turn| turn.id.clone()),
                round,
                tokens: placed.tokens,
            }
        })
        .collect();
    EntryTrace { segments }
}
