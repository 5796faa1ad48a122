//! What is laid where: the evidence of history, the block rows, the placed segments, the preface.

use std::rc::Rc;

use super::blocks::Rendered;
use super::grant::Grant;
use super::history::Candidates;
use super::plan::{BlockRow, BlockState, HistoryEvidence, Placed};
use super::segment::Part;
use super::select::{Selection, SkippedReason, Weight};
use crate::conversation::native::PrefaceEntry;
use crate::seal;
use crate::template::{self, Template};
use crate::tokens::Texts;

/// What history kept, skipped and stands for.
pub fn evidence(selection: &Selection, candidates: &Candidates) -> HistoryEvidence {
    let beyond = candidates.beyond.len() as u64;
    let compacted = candidates.compacted.len() as u64;
    HistoryEvidence {
        selected: (candidates.segments.len() - selection.first) as u64,
        skipped: selection.first as u64 + beyond,
        skipped_reason: selection
            .reason
            .or((beyond > 0).then_some(SkippedReason::CandidateLimit)),
        compacted: (compacted > 0).then_some(compacted),
    }
}

/// Whether this request's lead equals, segment by segment, the one its window carries.
pub fn is_carried(rendered: &Rendered, candidates: &Candidates, first: usize) -> bool {
    let Some(lead) = rendered.lead.as_ref().filter(|lead| !lead.is_empty()) else {
        return false;
    };
    candidates
        .carriers
        .last()
        .is_some_and(|carrier| carrier.first >= first && carrier.lead == *lead)
}

#[expect(
    clippy::too_many_arguments,
    reason = "one row says where each of these went"
)]
pub fn block_rows(
    template: &Template,
    rendered: &Rendered,
    costs: &[u64],
    grant: &Grant,
    carried: bool,
    selection: &Selection,
    candidates: &Candidates,
    weights: &[Weight],
) -> Vec<BlockRow> {
    let mut rows = Vec::with_capacity(template.blocks.len());
    for (index, block) in template.blocks.iter().enumerate() {
        let segments = rendered
            .blocks
            .get(index)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let granted = grant.blocks.get(index).copied().flatten();
        let allocated = if grant.windowless {
            None
        } else {
            Some(granted.unwrap_or(0))
        };
        let cost = costs.get(index).copied().unwrap_or(0);
        let row = |role, state, tokens, allocated_tokens| BlockRow {
            block: block.key(index),
            index,
            r#type: block.type_word(),
            role,
            state,
            tokens,
            allocated_tokens,
        };
        rows.push(match block {
            template::Block::History(_) => {
                let role = candidates
                    .segments
                    .get(selection.first)
                    .map(|segment| segment.role);
                let state = match role {
                    Some(_) => BlockState::Selected,
                    None if grant.history_excluded && !weights.is_empty() => BlockState::FloorUnmet,
                    None => BlockState::Empty,
                };
                row(role, state, selection.tokens, grant.history)
            }
            _ if segments.is_empty() => row(None, BlockState::Empty, 0, allocated),
            template::Block::Lead if carried => row(
                segments.first().map(|s| s.role),
                BlockState::Carried,
                0,
                allocated,
            ),
            _ => {
                let unmet = !grant.windowless && granted.is_none();
                let state = if unmet {
                    BlockState::FloorUnmet
                } else {
                    BlockState::Selected
                };
                row(segments.first().map(|s| s.role), state, cost, allocated)
            }
        });
    }
    rows
}

/// Blocks in template order, and what the send seals with the turn.
pub fn place(
    template: &Template,
    rendered: &Rendered,
    candidates: &Candidates,
    weights: &[Weight],
    first: usize,
    carried: bool,
    texts: &mut Texts,
) -> (Vec<Placed>, Vec<PrefaceEntry>) {
    let history_at = template.history().map_or(0, |(at, _)| at);
    let input_at = template.blocks.len().saturating_sub(1);
    let mut placed = Vec::with_capacity(candidates.segments.len() - first + template.blocks.len());
    let mut preface = Vec::new();
    for (index, block) in template.blocks.iter().enumerate() {
        let key: Rc<str> = block.key(index).into();
        if index == history_at {
            for (segment, weight) in candidates.segments.iter().zip(weights).skip(first) {
                placed.push(Placed {
                    segment: segment.clone(),
                    block: key.clone(),
                    tokens: weight.tokens,
                });
            }
            continue;
        }
        if index == input_at {
            // Asked again: what was sealed with the turn stands where it stood.
            for (segment, sealed) in rendered.resealed.iter().zip(&rendered.resealed_as) {
                let still = sealed.carried && carried;
                let tokens = segment.fill(texts);
                let block: Rc<str> = sealed.block.as_deref().unwrap_or("lead").into();
                if !still {
                    placed.push(Placed {
                        segment: segment.clone(),
                        block,
                        tokens,
                    });
                }
                preface.push(PrefaceEntry {
                    carried: still,
                    ..sealed.clone()
                });
            }
        }
        let segments = rendered
            .blocks
            .get(index)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let stays_out = carried && matches!(block, template::Block::Lead) && index > history_at;
        for segment in segments {
            if index > history_at && index < input_at {
                preface.push(PrefaceEntry {
                    role: segment.role,
                    parts: segment
                        .parts
                        .iter()
                        .filter(|part| !part.is_blank())
                        .map(sealed_part)
                        .collect(),
                    block: Some(key.to_string()),
                    carried: stays_out,
                    ..PrefaceEntry::default()
                });
            }
            if !stays_out {
                let tokens = segment.fill(texts);
                placed.push(Placed {
                    segment: segment.clone(),
                    block: key.clone(),
                    tokens,
                });
            }
        }
    }
    // What its earlier rounds said and got back follows the words that opened the turn.
    let input: Rc<str> = template
        .blocks
        .get(input_at)
        .map_or_else(String::new, |block| block.key(input_at))
        .into();
    placed.extend(rendered.rounds.iter().map(|segment| Placed {
        segment: segment.clone(),
        block: input.clone(),
        tokens: segment.fill(texts),
    }));
    (placed, preface)
}

fn sealed_part(part: &Part) -> seal::Part {
    match part {
        Part::Words(words) => seal::Part::Text {
            text: words.text.as_str().to_owned(),
        },
        Part::Upload(id, _) => seal::Part::Upload {
            upload_public_id: id.id.to_string(),
        },
    }
}
