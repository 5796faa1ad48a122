//! Where a compaction cuts: what is summarised, and what stays word for word.

use super::Protected;
use super::calls::last_answers;
use super::item::{Item, carries_result};
use crate::transcript::AgentMessage;

/// Where the messages are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// How many messages are summarised.
    pub head_len: usize,
    /// Index of the first that stays; none when all are summarised.
    pub tail_start: Option<usize>,
}

impl Selection {
    fn at(index: usize) -> Self {
        Self {
            head_len: index,
            tail_start: Some(index),
        }
    }
}

/// Where each message may be cut off from those before it: at an answer or a person's words, with no result at or
/// after it of a call before it.
pub fn safe_cuts(items: &[Item]) -> Vec<bool> {
    let last = last_answers(items);
    let mut open = 0;
    items
        .iter()
        .enumerate()
        .map(|(index, item)| {
            let speaks = match item.message() {
                AgentMessage::Assistant { .. } => true,
                AgentMessage::User { .. } => !carries_result(item.message()),
                _ => false,
            };
            let safe = speaks && open < index.max(1);
            open = open.max(last.get(index).copied().unwrap_or_default());
            safe
        })
        .collect()
}

/// Selects the newest turns, `tail_turns` at most, that fit into `budget` tokens; sizes are the messages' own.
pub fn select(
    items: &[Item],
    sizes: &[u64],
    budget: u64,
    tail_turns: usize,
    protected: &Protected,
) -> Selection {
    let all = items.len();
    let safe = safe_cuts(items);
    let is_user = |item: &Item| matches!(item.message(), AgentMessage::User { .. });
    let turns: Vec<usize> = (0..all)
        .filter(|index| items.get(*index).is_some_and(is_user))
        .collect();
    let bound = protected.first().unwrap_or(all);
    let safe = |index: usize| index <= bound && safe.get(index) == Some(&true);
    if (tail_turns == 0 || turns.is_empty()) && bound == all {
        return Selection {
            head_len: all,
            tail_start: None,
        };
    }
    let size = |from: usize, to: usize| {
        let sizes = sizes.get(from..to).unwrap_or_default();
        sizes.iter().copied().fold(0, u64::saturating_add)
    };
    let (mut total, mut keep, mut end) = (0u64, None, all);
    for start in turns.iter().rev().take(tail_turns).copied() {
        let turn = size(start, end);
        if total.saturating_add(turn) <= budget {
            total = total.saturating_add(turn);
            if safe(start) {
                keep = Some(start);
            }
            end = start;
            continue;
        }
        let room = budget - total;
        if room > 0 {
            let mut rest = turn;
            let partial = (start + 1..end).find(|index| {
                rest = rest.saturating_sub(size(*index - 1, *index));
                safe(*index) && rest <= room
            });
            keep = partial.or(keep);
        }
        break;
    }
    if let Some(keep) = keep {
        return Selection::at(keep);
    }
    let fallback = turns
        .iter()
        .rev()
        .copied()
        .find(|start| *start > 0 && safe(*start));
    Selection::at(fallback.unwrap_or(0))
}
