//! A request, worked out: what is sent, and why.
//!
//! A plan holds texts by handle; [`Plan::entry`] writes one entry out.

use std::rc::Rc;

use indexmap::IndexMap;
use serde_json::Value;

use super::history::Candidates;
use super::merge::Merged;
use super::resolve::Resolved;
use super::segment::Segment;
use super::select::{SkippedReason, Weight};
use super::turns::TurnTrace;
use crate::conversation::native::{Mechanism, PrefaceEntry};
use crate::refusal::Warning;
use crate::role::Role;
use crate::seal::{self, Storage};
use crate::template::Template;
use crate::tokens::{CounterLabel, Text};

/// The state of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BlockState {
    /// It rendered and was funded.
    Selected,
    /// It rendered nothing.
    Empty,
    /// The window could not fund it; its bytes send whole.
    FloorUnmet,
    /// A lead equal to the one the window carries, laid once.
    Carried,
}

/// One row per block of the template, in its order.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct BlockRow {
    /// The block's key.
    pub block: String,
    /// Its index.
    pub index: usize,
    /// Its type.
    pub r#type: &'static str,
    /// The role of its first segment; null when it rendered nothing.
    pub role: Option<Role>,
    /// Its state.
    pub state: BlockState,
    /// Its fill cost.
    pub tokens: u64,
    /// The allocator's grant; null on a model with no declared window.
    pub allocated_tokens: Option<u64>,
}

/// What history kept, skipped and stands for.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct HistoryEvidence {
    /// Segments that ride.
    pub selected: u64,
    /// Segments of the window that do not, and content-bearing turns beyond it.
    pub skipped: u64,
    /// The bound that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped_reason: Option<SkippedReason>,
    /// Content-bearing turns that a summary stands for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compacted: Option<u64>,
}

/// A segment where it was placed.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// The segment.
    pub segment: Rc<Segment>,
    /// The block that placed it, by its key.
    pub block: Rc<str>,
    /// Its fill cost.
    pub tokens: u64,
}

/// One tool definition's size.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct ToolRow {
    /// The name the model calls it by.
    pub name: String,
    /// Tokens of its compact JSON.
    pub tokens: u64,
}

/// A request, worked out.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Whether the caller asked to see what the send would seal.
    pub render: bool,
    /// The word it compiled under.
    pub mechanism: Mechanism,
    /// The template it compiled.
    pub template: Template,
    /// The caller's id.
    pub caller: String,
    /// The ingress speaker's id.
    pub ingress: Option<String>,
    /// The addressee's id.
    pub addressee: String,
    /// The model.
    pub model: Resolved,
    /// What the counts are labelled with.
    pub counter: CounterLabel,
    /// Whether the model's own tokenizer counted.
    pub tokenizer_exact: bool,
    /// One row per block.
    pub blocks: Vec<BlockRow>,
    /// Everything placed, in order.
    pub placed: Vec<Placed>,
    /// The entries; their ranges are indexes of `placed`.
    pub entries: Vec<Merged>,
    /// What history kept.
    pub history: HistoryEvidence,
    /// Every turn and what became of it.
    pub turns: Vec<TurnTrace>,
    /// The history candidates and their weights, oldest first.
    pub candidates: Rc<Candidates>,
    /// One weight per candidate segment.
    pub weights: Vec<Weight>,
    /// The first selected candidate.
    pub first_selected: usize,
    /// The storage measure.
    pub storage: Storage,
    /// Memory documents in the request, and left out.
    pub memory: (u64, u64),
    /// Registered documents compiled: slot and version.
    pub slots: IndexMap<String, u64>,
    /// What the send would seal with the turn.
    pub preface: Vec<PrefaceEntry>,
    /// Tool definitions.
    pub tools: Vec<ToolRow>,
    /// Their texts, held so that they stay counted.
    pub tool_texts: Vec<Text>,
    /// The definitions as the send carries them.
    pub tool_definitions: Vec<Value>,
    /// Tokens of the entries, framing included.
    pub input_tokens: u64,
    /// Of those, what the wire adds.
    pub framing_tokens: u64,
    /// What was noticed.
    pub warnings: Vec<Warning>,
}

impl Plan {
    /// Tokens of the tool definitions.
    pub fn tools_tokens(&self) -> u64 {
        self.tools.iter().map(|tool| tool.tokens).sum()
    }

    /// Everything a provider would count: entries and tool definitions.
    pub fn request_tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.tools_tokens())
    }

    /// One entry as the send writes it.
    pub fn entry(&self, index: usize) -> Option<seal::Entry> {
        self.entries.get(index).map(|merged| merged.entry.sealed())
    }

    /// All entries as the send writes them.
    pub fn sealed(&self) -> Vec<seal::Entry> {
        self.entries
            .iter()
            .map(|merged| merged.entry.sealed())
            .collect()
    }
}
