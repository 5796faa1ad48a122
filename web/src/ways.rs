//! What would make a request fit, cheapest first, worked out from the plan's own numbers.

use crate::protocol::{BlockRow, Model, Plan};
use crate::share;
use crate::words::n;

/// Whether a plan goes, and by how much it does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Within every bound; tokens left below the nearer limit, when one is known.
    Fits(Option<u64>),
    /// Beyond the advisory limit by so many, within the hard one.
    PastAdvisory(u64),
    /// Blocks the window cannot fund, short by so many in all.
    Short(u64),
    /// Beyond the hard limit by so many.
    TooLong(u64),
    /// More bytes than the seal takes, by so many.
    TooLarge(u64),
    /// A text that cannot be stored.
    NotStorable,
}

impl Verdict {
    /// Whether a send would go.
    pub fn goes(&self) -> bool {
        matches!(self, Verdict::Fits(_) | Verdict::PastAdvisory(_))
    }
}

/// What becomes of a plan when it is sent.
pub fn verdict(plan: &Plan) -> Verdict {
    if !plan.storage.within_bound {
        return match plan.storage.refusal.as_deref() {
            Some("content_not_storable") => Verdict::NotStorable,
            _ => Verdict::TooLarge(plan.storage.bytes.saturating_sub(plan.storage.bound)),
        };
    }
    let over = |limit: Option<u64>| {
        limit
            .and_then(|limit| plan.request_tokens.checked_sub(limit))
            .filter(|over| *over > 0)
    };
    if let Some(over) = over(plan.catalog_input_token_limit) {
        return Verdict::TooLong(over);
    }
    if let Some(over) = over(plan.advisory_input_token_limit) {
        return Verdict::PastAdvisory(over);
    }
    match shortfall(plan) {
        0 => Verdict::Fits(
            share::planning_window(plan).map(|limit| limit.saturating_sub(plan.request_tokens)),
        ),
        short => Verdict::Short(short),
    }
}

/// Tokens the required blocks need beyond what the pool holds.
pub fn shortfall(plan: &Plan) -> u64 {
    if !plan.blocks.iter().any(|block| block.state == "floor_unmet") {
        return 0;
    }
    let floors: u64 = floors(plan).map(|block| block.tokens).sum();
    match plan.pool {
        Some(pool) if floors > pool => floors - pool,
        _ => floors_unmet(plan).map(short_by).sum(),
    }
}

/// What one unmet block is short by, as far as its own grant says.
pub fn short_by(block: &BlockRow) -> u64 {
    block
        .tokens
        .saturating_sub(block.allocated_tokens.unwrap_or(0))
}

fn floors(plan: &Plan) -> impl Iterator<Item = &BlockRow> {
    plan.blocks.iter().filter(|block| block.kind != "history")
}

fn floors_unmet(plan: &Plan) -> impl Iterator<Item = &BlockRow> {
    plan.blocks
        .iter()
        .filter(|block| block.state == "floor_unmet")
}

/// One way to make it fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    /// What to do, in a few words.
    pub what: String,
    /// What it costs and gives.
    pub why: String,
    /// What the page can do about it by itself.
    pub act: Act,
}

/// A change the page can make.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Set history's share.
    Share(f64),
    /// Go to this block's text.
    Block(usize),
    /// Take another model.
    Model(String),
    /// Nothing here: it is the person's to do.
    None,
}

/// The ways, cheapest first: history that gives room costs nothing written; then a shorter block,
/// the largest first; then a larger window. Nothing when it goes.
pub fn ways(plan: &Plan, models: &[Model], share: Option<f64>) -> Vec<Way> {
    let verdict = verdict(plan);
    let over = match verdict {
        Verdict::Fits(_) | Verdict::NotStorable => return Vec::new(),
        Verdict::PastAdvisory(over) | Verdict::Short(over) | Verdict::TooLong(over) => over,
        Verdict::TooLarge(bytes) => return vec![too_large(plan, bytes)],
    };
    let mut out = Vec::new();
    if let Some(way) = less_history(plan, over, share) {
        out.push(way);
    }
    out.extend(shorter_blocks(plan, over));
    out.extend(larger_window(plan, models));
    out
}

fn less_history(plan: &Plan, over: u64, share: Option<f64>) -> Option<Way> {
    let window = share::planning_window(plan)?;
    let history: u64 = plan
        .blocks
        .iter()
        .filter(|block| block.kind == "history")
        .map(|block| block.tokens)
        .sum();
    let room = history.checked_sub(over).filter(|_| history > 0)?;
    // The least grant that still keeps what fits: the newest run of segments within the room.
    let steps = share::steps(&plan.rail, window);
    let best = steps
        .iter()
        .rev()
        .find(|step| share::grant(window, step.share) <= room)?;
    if share.is_some_and(|now| now <= best.share) {
        return None;
    }
    Some(Way {
        what: format!("History share {}", crate::words::share(best.share)),
        why: format!(
            "keeps the newest {} segments in {} tokens",
            best.segments,
            n(share::grant(window, best.share))
        ),
        act: Act::Share(best.share),
    })
}

fn shorter_blocks(plan: &Plan, over: u64) -> Vec<Way> {
    let mut floors: Vec<&BlockRow> = floors(plan)
        .filter(|block| block.tokens > 0 && block.state != "carried")
        .collect();
    floors.sort_by(|a, b| b.tokens.cmp(&a.tokens).then(a.index.cmp(&b.index)));
    let enough: Vec<Way> = floors
        .iter()
        .filter(|block| block.tokens >= over)
        .take(2)
        .map(|block| Way {
            what: format!("{} shorter by {}", block.block, n(over)),
            why: format!(
                "of its {} tokens, {} bytes or about {} words",
                n(block.tokens),
                n(over * 4),
                n(over * 3 / 4)
            ),
            act: Act::Block(block.index),
        })
        .collect();
    if !enough.is_empty() || floors.is_empty() {
        return enough;
    }
    let mut sum = 0;
    let together: Vec<&str> = floors
        .iter()
        .take_while(|block| {
            let short = sum < over;
            sum += block.tokens;
            short
        })
        .map(|block| block.block.as_str())
        .collect();
    vec![Way {
        what: format!("{} shorter by {} together", together.join(", "), n(over)),
        why: "no block alone is that long".to_owned(),
        act: Act::Block(floors[0].index),
    }]
}

/// Models whose windows take the request as it stands: those counted alike first, then those of the
/// file, then the nearest window.
fn larger_window(plan: &Plan, models: &[Model]) -> Vec<Way> {
    let need = plan
        .request_tokens
        .max(floors(plan).map(|block| block.tokens).sum::<u64>() + plan.tools_tokens);
    let now = models
        .iter()
        .find(|model| Some(&model.model) == plan.model.as_ref());
    let alike = |model: &Model| {
        now.is_some_and(|now| now.counter == model.counter && !now.counter.is_null())
    };
    let mut found: Vec<(u64, u64, &Model)> = models
        .iter()
        .filter(|model| Some(&model.model) != plan.model.as_ref())
        .filter_map(|model| {
            let hard = model.input_tokens.or(model.combined_tokens);
            let pool = share::usable(hard, model.effective_input_tokens)?;
            Some((pool, hard.unwrap_or(pool), model))
        })
        .filter(|(pool, ..)| *pool >= need)
        .collect();
    found.sort_by_key(|(_, window, model)| {
        (
            !alike(model),
            model.origin != "file",
            *window,
            model.model.clone(),
        )
    });
    found
        .into_iter()
        .take(2)
        .map(|(pool, window, model)| Way {
            what: model.model.clone(),
            why: format!(
                "usable {} of a window of {}, {}; {}",
                n(pool),
                n(window),
                model.origin,
                if alike(model) {
                    "counted by the same tokenizer"
                } else {
                    "its tokenizer may count otherwise"
                }
            ),
            act: Act::Model(model.model.clone()),
        })
        .collect()
}

fn too_large(plan: &Plan, bytes: u64) -> Way {
    let largest = plan
        .entries
        .iter()
        .enumerate()
        .max_by_key(|(_, entry)| entry.bytes);
    Way {
        what: format!("{} bytes fewer", n(bytes)),
        why: largest.map_or_else(String::new, |(index, entry)| {
            format!(
                "the largest is entry {index}, {}, {} bytes",
                entry.role,
                n(entry.bytes)
            )
        }),
        act: Act::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{RowState, SegmentState, Storage};
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn block(block: &str, index: usize, tokens: u64, granted: u64) -> BlockRow {
        BlockRow {
            block: block.into(),
            index,
            kind: block.split(':').next().unwrap_or_default().into(),
            state: if granted < tokens {
                "floor_unmet".into()
            } else {
                "selected".into()
            },
            tokens,
            allocated_tokens: Some(granted),
            ..BlockRow::default()
        }
    }

    fn plan(blocks: Vec<BlockRow>, request: u64, hard: u64) -> Plan {
        Plan {
            blocks,
            request_tokens: request,
            input_tokens: request,
            catalog_input_token_limit: Some(hard),
            pool: Some(hard - hard / 8),
            storage: Storage {
                within_bound: true,
                ..Storage::default()
            },
            ..Plan::default()
        }
    }

    #[test]
    fn what_fits_needs_nothing() {
        let plan = plan(vec![block("input", 0, 100, 100)], 100, 8192);
        assert_eq!(verdict(&plan), Verdict::Fits(Some(8092)));
        assert!(ways(&plan, &[], None).is_empty());
    }

    #[test]
    fn history_gives_room_first() {
        let mut plan = plan(
            vec![
                block("memory", 0, 7000, 7000),
                block("history", 1, 3000, 3000),
            ],
            10_000,
            8192,
        );
        plan.rail = [1500, 1000, 500]
            .map(|tokens| RowState {
                state: SegmentState::Selected,
                tokens,
                candidate: true,
                entry: None,
            })
            .to_vec();
        let ways = ways(&plan, &[], None);
        assert_eq!(ways[0].act, Act::Share(0.0611));
        assert!(
            ways[1].what.starts_with("memory shorter by 1,808"),
            "{}",
            ways[1].what
        );
    }

    #[test]
    fn an_unfunded_block_names_its_shortfall_and_a_larger_window() {
        let plan = plan(
            vec![
                block("slot:persona", 0, 9000, 0),
                block("history", 1, 0, 0),
                block("input", 2, 10, 10),
            ],
            9010,
            8192,
        );
        let mut plan = plan;
        plan.catalog_input_token_limit = Some(9100);
        plan.pool = Some(7962);
        assert_eq!(verdict(&plan), Verdict::Short(1048));
        let row = |model: &str, window| Model {
            model: model.into(),
            input_tokens: Some(window),
            ..Model::default()
        };
        let models = [
            row("small", 4096),
            row("large", 1_000_000),
            row("next", 16_384),
        ];
        let names: Vec<String> = ways(&plan, &models, None)
            .into_iter()
            .map(|way| way.what)
            .collect();
        assert_eq!(names, ["slot:persona shorter by 1,048", "next", "large"]);
    }

    #[test]
    fn too_many_bytes_name_the_largest_entry() {
        let mut plan = plan(vec![], 10, 8192);
        plan.storage = Storage {
            bytes: 110,
            bound: 100,
            within_bound: false,
            refusal: Some("content_too_large".into()),
        };
        assert_eq!(verdict(&plan), Verdict::TooLarge(10));
        assert_eq!(ways(&plan, &[], None)[0].what, "10 bytes fewer");
    }
}
