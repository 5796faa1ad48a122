//! How much room there is, and what each block and history were granted of it.

use super::allocator::{Grants, Want, allocate};
use crate::template::Template;
use crate::tokens::ModelRow;

/// The tokens that may be filled: the advisory bound itself, else a hard window less its answer room.
pub fn usable(row: &ModelRow) -> Option<u64> {
    if let Some(advisory) = row.advisory_window() {
        return Some(advisory);
    }
    let window = row.hard_window()?;
    Some(
        window
            .saturating_sub(32_768)
            .max(window - window.div_ceil(8)),
    )
}

/// A share of the planning window, in binary64 as the contract counts it.
pub fn share_tokens(window: u64, share: f64) -> u64 {
    (window as f64 * share).floor() as u64
}

/// What the allocator granted: per block in template order, `None` where it excluded one; and history's bound.
pub struct Grant {
    /// The model declares no window, so nothing is sized.
    pub windowless: bool,
    /// Per block.
    pub blocks: Vec<Option<u64>>,
    /// History's bound.
    pub history: Option<u64>,
    /// The allocator could not give history its minimum.
    pub history_excluded: bool,
}

/// Shares the pool out; a stated share of the window is history's own measure.
pub fn grant(
    template: &Template,
    costs: &[u64],
    preface: u64,
    pool: Option<u64>,
    share: Option<u64>,
) -> Grant {
    let (at, bounds) = template.history().unwrap_or_default();
    let Some(pool) = pool else {
        return Grant {
            windowless: true,
            blocks: vec![None; costs.len()],
            history: bounds.max_tokens,
            history_excluded: false,
        };
    };
    // The input block's place is last; a regenerated turn's sealed preface comes after it.
    let mut floors: Vec<u64> = costs
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != at)
        .map(|(_, cost)| *cost)
        .collect();
    floors.push(preface);
    let want = Want {
        min_tokens: bounds.min_tokens.unwrap_or(0),
        max_tokens: bounds.max_tokens,
    };
    let grants: Grants = allocate(pool, &floors, want);
    let funded = grants.all_floors_funded();
    let stated = share.map(|share| share.min(bounds.max_tokens.unwrap_or(u64::MAX)));
    let history = match (funded, stated) {
        (false, _) => 0,
        (true, Some(stated)) => stated,
        (true, None) => grants.history.unwrap_or(0),
    };
    let mut blocks = grants.floors;
    blocks.pop();
    blocks.insert(at.min(blocks.len()), Some(history));
    let history_excluded = stated.is_none() && grants.history.is_none();
    Grant {
        windowless: false,
        blocks,
        history: Some(history),
        history_excluded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_answer_room_of_a_hard_window() {
        for (row, pool) in [
            (json!({"input_tokens": 200_000}), Some(175_000)),
            (json!({"input_tokens": 8_192}), Some(7_168)),
            (json!({"input_tokens": 1_000_000}), Some(967_232)),
            (
                json!({"input_tokens": 1_050_000, "effective_input_tokens": 272_000}),
                Some(272_000),
            ),
            (json!({"combined_tokens": 262_144}), Some(229_376)),
            (json!({"input_tokens": 8_000}), Some(7_000)),
            (json!({"input_tokens": 400}), Some(350)),
            (json!({"input_tokens": 7}), Some(6)),
            (json!({"input_tokens": 0}), None),
            (json!({"input_tokens": u64::MAX}), Some(u64::MAX - 32_768)),
        ] {
            let row: ModelRow = serde_json::from_value(row).unwrap();
            assert_eq!(usable(&row), pool);
        }
    }

    #[test]
    fn a_share_is_of_the_whole_window() {
        assert_eq!(share_tokens(8_192, 0.0004), 3);
        assert_eq!(share_tokens(100, 0.5), 50);
        assert_eq!(share_tokens(u64::MAX, 1.0), u64::MAX);
    }
}
