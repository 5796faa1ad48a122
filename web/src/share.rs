//! The history share that matters: at which shares one more segment, one less, or all come in.

use crate::protocol::{Plan, RowState, SegmentState};
use crate::words::n;

/// A share worth stopping at.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The share, at most four decimals.
    pub share: f64,
    /// Segments selected under it.
    pub segments: usize,
}

/// The grant of a share: `floor(window × share)` in binary64, as the engine rounds it.
pub fn grant(window: u64, share: f64) -> u64 {
    (window as f64 * share).floor() as u64
}

/// The smallest share of four decimals that grants at least these tokens; none above 1.
pub fn share_for(window: u64, tokens: u64) -> Option<f64> {
    if window == 0 || tokens > window {
        return None;
    }
    let mut steps = ((tokens as f64 / window as f64) * 10_000.0).floor() as u64;
    while steps <= 10_000 {
        let share = steps as f64 / 10_000.0;
        if steps > 0 && grant(window, share) >= tokens {
            return Some(share);
        }
        steps += 1;
    }
    None
}

/// Every share at which one more segment comes in, newest first, as far as a share can reach.
/// `rows` are the lines of the rail, oldest first; what lies beyond the candidate window no share brings in.
pub fn steps(rows: &[RowState], window: u64) -> Vec<Step> {
    let mut found: Vec<Step> = Vec::new();
    let mut sum = 0u64;
    let mut segments = 0usize;
    for row in rows.iter().rev().filter(|row| row.candidate) {
        sum = sum.saturating_add(row.tokens);
        segments += 1;
        let Some(share) = share_for(window, sum) else {
            break;
        };
        match found.last_mut() {
            Some(last) if last.share == share => last.segments = segments,
            _ => found.push(Step { share, segments }),
        }
    }
    found
}

/// The share that takes one segment more than now.
pub fn one_more(steps: &[Step], selected: usize) -> Option<&Step> {
    steps.iter().find(|step| step.segments > selected)
}

/// The share that takes one segment less than now.
pub fn one_less(steps: &[Step], selected: usize) -> Option<&Step> {
    steps.iter().rev().find(|step| step.segments < selected)
}

/// Tokens a request may take of a window: the advisory bound itself, else the hard one less the room
/// an answer needs, as the engine sets it aside.
pub fn usable(hard: Option<u64>, advisory: Option<u64>) -> Option<u64> {
    advisory.or_else(|| {
        let window = hard.filter(|window| *window > 0)?;
        let eighth = (window as f64 * 0.875).floor() as u64;
        Some(window.saturating_sub(32_768).max(eighth))
    })
}

/// What ended history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The bound in segments.
    Entries,
    /// The next segment asks for more tokens than are left.
    Tokens {
        /// What it asks for.
        asked: u64,
        /// What is left of the grant.
        left: u64,
    },
    /// The bytes one request may store: its word is the same as for tokens.
    Bytes,
    /// Turns older than the candidate window.
    Window,
}

/// What ended history under a plan, if anything did.
pub fn stop(plan: &Plan) -> Option<Stop> {
    Some(match plan.history.skipped_reason.as_deref()? {
        "entry_limit" => Stop::Entries,
        "candidate_limit" => Stop::Window,
        _ => {
            let asked = plan
                .rail
                .iter()
                .rev()
                .find(|row| row.state == SegmentState::Skipped)
                .map_or(0, |row| row.tokens);
            let history = plan.blocks.iter().find(|block| block.kind == "history")?;
            match history
                .allocated_tokens
                .map(|grant| grant.saturating_sub(history.tokens))
            {
                Some(left) if left < asked => Stop::Tokens { asked, left },
                _ => Stop::Bytes,
            }
        }
    })
}

impl Stop {
    /// In words.
    pub fn words(self) -> String {
        match self {
            Stop::Entries => "entry_limit".to_owned(),
            Stop::Tokens { asked, left } => format!("{} asked, {} left", n(asked), n(left)),
            Stop::Bytes => "the bytes one request may store".to_owned(),
            Stop::Window => "candidate_limit".to_owned(),
        }
    }
}

/// The window a share is taken of: advisory, else hard.
pub fn planning_window(plan: &Plan) -> Option<u64> {
    plan.advisory_input_token_limit
        .or(plan.catalog_input_token_limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn rows(tokens: &[u64]) -> Vec<RowState> {
        tokens
            .iter()
            .map(|&tokens| RowState {
                state: SegmentState::Skipped,
                tokens,
                candidate: true,
                entry: None,
            })
            .collect()
    }

    #[test]
    fn what_lies_beyond_the_window_no_share_brings_in() {
        let mut rail = rows(&[500, 100, 100]);
        rail[0].candidate = false;
        let segments: Vec<usize> = steps(&rail, 1_000)
            .iter()
            .map(|step| step.segments)
            .collect();
        assert_eq!(segments, [1, 2]);
    }

    #[test]
    fn a_share_grants_what_it_was_asked_for() {
        for window in [7, 8192, 14_336, 272_000, 1_000_000] {
            for tokens in [1, window / 3, window / 2, window - 1, window] {
                if tokens == 0 {
                    continue;
                }
                let share = share_for(window, tokens).unwrap();
                assert!(grant(window, share) >= tokens, "{window} {tokens} {share}");
                let below = ((share * 10_000.0).round() - 1.0) / 10_000.0;
                assert!(
                    below <= 0.0 || grant(window, below) < tokens,
                    "{window} {tokens} {share} is not the least"
                );
            }
        }
        assert_eq!(share_for(100, 101), None);
        assert_eq!(share_for(0, 1), None);
    }

    #[test]
    fn an_advisory_bound_is_usable_whole() {
        assert_eq!(usable(Some(1_050_000), Some(272_000)), Some(272_000));
        assert_eq!(usable(Some(200_000), None), Some(175_000));
        assert_eq!(usable(Some(1_000_000), None), Some(967_232));
        assert_eq!(usable(None, None), None);
    }

    #[test]
    fn steps_count_from_the_newest() {
        let steps = steps(&rows(&[5000, 300, 20, 100]), 1000);
        assert_eq!(
            steps,
            [
                Step {
                    share: 0.1,
                    segments: 1
                },
                Step {
                    share: 0.12,
                    segments: 2
                },
                Step {
                    share: 0.42,
                    segments: 3
                },
            ]
        );
        assert_eq!(one_more(&steps, 1).map(|step| step.share), Some(0.12));
        assert_eq!(one_less(&steps, 3).map(|step| step.share), Some(0.12));
        assert_eq!(one_more(&steps, 3), None);
    }

    #[test]
    fn a_stop_says_which_bound_it_was() {
        use crate::protocol::{BlockRow, History};
        let plan = |reason: &str, tokens, grant| Plan {
            history: History {
                skipped_reason: Some(reason.into()),
                ..History::default()
            },
            blocks: vec![BlockRow {
                kind: "history".into(),
                tokens,
                allocated_tokens: grant,
                ..BlockRow::default()
            }],
            rail: rows(&[543]),
            ..Plan::default()
        };
        assert_eq!(
            stop(&plan("budget_exceeded", 4114, Some(4300))),
            Some(Stop::Tokens {
                asked: 543,
                left: 186
            })
        );
        assert_eq!(
            stop(&plan("budget_exceeded", 100, Some(4300))),
            Some(Stop::Bytes)
        );
        assert_eq!(stop(&plan("budget_exceeded", 100, None)), Some(Stop::Bytes));
        assert_eq!(
            stop(&plan("entry_limit", 100, Some(100))),
            Some(Stop::Entries)
        );
        assert_eq!(stop(&Plan::default()), None);
    }
}
