//! How much of history rides: newest to oldest inside an entry, a token and a byte bound. Numbers only.

use serde::{Deserialize, Serialize};

/// What one segment weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weight {
    /// Its fill cost.
    pub tokens: u64,
    /// Its canonical bytes as entries of its own.
    pub bytes: u64,
}

/// What the selection stays within. Equality fits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Most segments.
    pub entries: Option<u64>,
    /// Most tokens.
    pub tokens: Option<u64>,
    /// Most bytes.
    pub bytes: u64,
}

/// Which bound ended the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SkippedReason {
    /// The entry bound.
    EntryLimit,
    /// The token or the byte bound.
    BudgetExceeded,
    /// Nothing tighter, but content lies beyond the candidate window.
    CandidateLimit,
}

/// What rides: the segments from `first` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Index of the oldest selected segment; the number of segments when none is.
    pub first: usize,
    /// The bound that ended the walk, when one did.
    pub reason: Option<SkippedReason>,
    /// Tokens of what rides.
    pub tokens: u64,
}

/// Walks `segments` (oldest first) from its end and stops at the first bound that would be crossed.
pub fn select(segments: &[Weight], bounds: Bounds) -> Selection {
    let mut taken = Selection {
        first: segments.len(),
        reason: None,
        tokens: 0,
    };
    let (mut entries, mut bytes) = (0_u64, 0_u64);
    for (index, weight) in segments.iter().enumerate().rev() {
        if bounds.entries.is_some_and(|most| entries + 1 > most) {
            taken.reason = Some(SkippedReason::EntryLimit);
            break;
        }
        let tokens = taken.tokens.saturating_add(weight.tokens);
        bytes = bytes.saturating_add(weight.bytes);
        if bounds.tokens.is_some_and(|most| tokens > most) || bytes > bounds.bytes {
            taken.reason = Some(SkippedReason::BudgetExceeded);
            break;
        }
        entries += 1;
        taken.tokens = tokens;
        taken.first = index;
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(list: &[(u64, u64)]) -> Vec<Weight> {
        list.iter()
            .map(|(tokens, bytes)| Weight {
                tokens: *tokens,
                bytes: *bytes,
            })
            .collect()
    }

    #[test]
    fn the_first_bound_that_would_be_crossed_ends_the_walk() {
        use SkippedReason::{BudgetExceeded, EntryLimit};
        let three = weights(&[(4, 10), (4, 10), (4, 10)]);
        let wide = Bounds {
            entries: None,
            tokens: None,
            bytes: 1_000,
        };
        for (bounds, first, reason) in [
            (wide, 0, None),
            (
                Bounds {
                    tokens: Some(8),
                    ..wide
                },
                1,
                Some(BudgetExceeded),
            ),
            (
                Bounds {
                    tokens: Some(7),
                    ..wide
                },
                2,
                Some(BudgetExceeded),
            ),
            (Bounds { bytes: 20, ..wide }, 1, Some(BudgetExceeded)),
            (Bounds { bytes: 19, ..wide }, 2, Some(BudgetExceeded)),
            (
                Bounds {
                    entries: Some(0),
                    ..wide
                },
                3,
                Some(EntryLimit),
            ),
            (
                Bounds {
                    entries: Some(2),
                    tokens: Some(4),
                    ..wide
                },
                2,
                Some(BudgetExceeded),
            ),
            (
                Bounds {
                    entries: Some(1),
                    tokens: Some(4),
                    ..wide
                },
                2,
                Some(EntryLimit),
            ),
            (
                Bounds {
                    entries: Some(3),
                    tokens: Some(12),
                    bytes: 30,
                },
                0,
                None,
            ),
        ] {
            let selection = select(&three, bounds);
            assert_eq!(
                (selection.first, selection.reason),
                (first, reason),
                "{bounds:?}"
            );
            assert_eq!(selection.tokens, 4 * (3 - first as u64));
        }
        assert_eq!(
            select(
                &[],
                Bounds {
                    entries: Some(0),
                    ..wide
                }
            )
            .reason,
            None
        );
    }
}
