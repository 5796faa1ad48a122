//! Every turn and what became of it: the evidence behind the counts.

use serde::Serialize;

use super::history::Candidates;
use super::select::{Selection, SkippedReason, Weight};
use crate::conversation::Conversation;
use crate::conversation::native::Visibility;

/// What became of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TurnState {
    /// It rides, whole or in part.
    Selected,
    /// A bound left it out.
    Skipped,
    /// A summary stands for it.
    Compacted,
    /// It is excluded from context.
    Excluded,
    /// It is hidden.
    Hidden,
    /// It was deleted.
    Deleted,
    /// It bears nothing that could ride.
    Empty,
    /// It stands at or after the position that is read up to.
    Later,
}

/// One turn of the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct TurnTrace {
    /// Its id.
    pub turn: String,
    /// Its index in the file.
    pub index: usize,
    /// Its position.
    pub position: i64,
    /// What became of it.
    pub state: TurnState,
    /// Its segments in the candidate window.
    pub segments: u64,
    /// How many of them ride.
    pub selected: u64,
    /// Tokens of all of them.
    pub tokens: u64,
    /// The bound that left out what does not ride.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<SkippedReason>,
}

/// Traces every turn that reaches the conversation, by position.
pub fn trace_turns(
    c: &Conversation,
    before: Option<i64>,
    candidates: &Candidates,
    weights: &[Weight],
    selection: &Selection,
    reason: Option<SkippedReason>,
) -> Vec<TurnTrace> {
    let mut sums = vec![(0_u64, 0_u64, 0_u64); c.turns.len()];
    for (place, (segment, weight)) in candidates.segments.iter().zip(weights).enumerate() {
        if let Some(sum) = segment.source.turn.and_then(|turn| sums.get_mut(turn)) {
            sum.0 += 1;
            sum.1 += u64::from(place >= selection.first);
            sum.2 = sum.2.saturating_add(weight.tokens);
        }
    }
    c.reachable()
        .into_iter()
        .filter_map(|index| {
            let turn = c.turns.get(index)?;
            let (segments, selected, tokens) = sums.get(index).copied().unwrap_or_default();
            let position = c.position(index);
            let state = match turn.visibility {
                _ if turn.deleted => TurnState::Deleted,
                Visibility::Hidden => TurnState::Hidden,
                Visibility::ExcludedFromContext => TurnState::Excluded,
                Visibility::Visible if before.is_some_and(|before| position >= before) => {
                    TurnState::Later
                }
                Visibility::Visible if candidates.compacted.contains(&index) => {
                    TurnState::Compacted
                }
                Visibility::Visible if selected > 0 => TurnState::Selected,
                Visibility::Visible if segments > 0 || candidates.beyond.contains(&index) => {
                    TurnState::Skipped
                }
                Visibility::Visible => TurnState::Empty,
            };
            let cut = if candidates.beyond.contains(&index) {
                Some(SkippedReason::CandidateLimit)
            } else if segments > selected {
                selection.reason.or(reason)
            } else {
                None
            };
            Some(TurnTrace {
                turn: turn.id.clone(),
                index,
                position,
                state,
                segments,
                selected,
                tokens,
                reason: cut.filter(|_| matches!(state, TurnState::Selected | TurnState::Skipped)),
            })
        })
        .collect()
}
