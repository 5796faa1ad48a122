//! A plan of the engine as the page reads it: ids and numbers, and the entries in sight.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use galley_core::assembly::Plan;
use galley_core::assembly::segment::{Entry, Part};
use galley_core::assembly::turns::TurnState;
use galley_core::json::canonical;
use galley_core::session::Session;
use galley_web::face::face;
use galley_web::protocol::{
    self, Counter, EntryFace, EntryMeta, FacePart, Origin, RowState, SegmentState, View,
};
use galley_web::share;
use serde_json::Value;

use super::facts::{self, Line, Rows};

/// The numbers of a plan. `stand_in` is the label of what counted in place of a tokenizer that is not here.
pub fn sheet(
    session: &mut Session,
    plan: &Plan,
    rows: &mut Rows,
    stand_in: Option<Counter>,
) -> protocol::Plan {
    let row = &plan.model.row;
    if rows.priced_by != row.counter {
        rows.priced.clear();
        rows.priced_by = row.counter.clone();
    }
    let lines = lines_of_candidates(plan, rows);
    let entries = metas(session, plan, &lines);
    let tools_tokens = plan.tools_tokens();
    protocol::Plan {
        input_tokens: plan.input_tokens,
        tokenizer_exact: plan.tokenizer_exact && stand_in.is_none(),
        catalog_input_token_limit: row.hard_window(),
        advisory_input_token_limit: row.advisory_window(),
        message_count: plan.entries.len() as u64,
        history: again(&plan.history),
        mechanism: again(&plan.mechanism),
        storage: again(&plan.storage),
        blocks: again(&plan.blocks),
        memory: protocol::Memory {
            included: plan.memory.0,
            omitted: plan.memory.1,
        },
        slots: again(&plan.slots),
        tools_tokens,
        request_tokens: plan.request_tokens(),
        warnings: plan.warnings.iter().map(facts::notice).collect(),
        counter: stand_in.unwrap_or_else(|| counter(plan)),
        model: row.model.clone(),
        model_from: again(&plan.model.from),
        pool: share::usable(row.hard_window(), row.advisory_window())
            .map(|pool| pool.saturating_sub(tools_tokens)),
        rail: fates(session, plan, rows, &lines, &entries),
        entries,
    }
}

/// The same value in the page's own type: both speak the wire's names.
pub fn again<T: serde::de::DeserializeOwned + Default>(value: &impl serde::Serialize) -> T {
    serde_json::to_value(value)
        .and_then(serde_json::from_value)
        .unwrap_or_default()
}

fn counter(plan: &Plan) -> Counter {
    match (&plan.counter.encoding, plan.counter.safety_factor) {
        (Some(encoding), Some(factor)) => Counter::Anchored(encoding.clone(), factor),
        (Some(encoding), None) => Counter::Exact(encoding.clone()),
        (None, _) if plan.tokenizer_exact => Counter::Exact(plan.counter.method.to_owned()),
        _ => Counter::Bytes,
    }
}

/// The line of the rail each candidate segment is. A round's segments are its line; a turn's others are
/// its lines without a round, in order: what laid nothing stands first, and what stands for a peer's whole
/// answer belongs to its last line.
fn lines_of_candidates(plan: &Plan, rows: &Rows) -> Vec<Option<usize>> {
    let mut spans: BTreeMap<usize, Range<usize>> = BTreeMap::new();
    for (at, line) in rows.lines.iter().enumerate() {
        spans.entry(line.turn).or_insert(at..at).end = at + 1;
    }
    let mut out = Vec::with_capacity(plan.candidates.segments.len());
    for group in plan
        .candidates
        .segments
        .chunk_by(|a, b| a.source.turn == b.source.turn)
    {
        let span = group
            .first()
            .and_then(|segment| spans.get(&segment.source.turn?).cloned())
            .unwrap_or(0..0);
        let round = |row: usize| rows.lines.get(row).and_then(|line| line.what.round());
        let plain: Vec<usize> = span.clone().filter(|&row| round(row).is_none()).collect();
        let asked = group
            .iter()
            .filter(|segment| segment.source.round.is_none())
            .count();
        let mut next = plain.len().saturating_sub(asked);
        for segment in group {
            out.push(match segment.source.round {
                Some(_) => span.clone().find(|&row| round(row) == segment.source.round),
                None => {
                    next += 1;
                    plain.get(next - 1).copied().or(span.clone().next_back())
                }
            });
        }
    }
    out
}

/// The metas of all entries: role, bytes, and where each part comes from.
fn metas(session: &Session, plan: &Plan, lines: &[Option<usize>]) -> Vec<EntryMeta> {
    let turns = &session.conversation().turns;
    // History lays its selected candidates in one run, beginning here.
    let first = plan.candidates.segments.get(plan.first_selected);
    let laid_at = first.and_then(|first| {
        plan.placed
            .iter()
            .position(|placed| Rc::ptr_eq(first, &placed.segment))
    });
    let row_of = |at: usize| -> Option<usize> {
        let candidate = at.checked_sub(laid_at?)? + plan.first_selected;
        lines.get(candidate).copied().flatten()
    };
    let origin = |at: usize| -> Option<Origin> {
        let placed = plan.placed.get(at)?;
        let source = placed.segment.source;
        let turn = source.turn.and_then(|turn| turns.get(turn));
        let round = source
            .round
            .and_then(|round| turn?.active().body.run.as_ref()?.rounds.get(round));
        Some(Origin {
            block: placed.block.to_string(),
            turn: turn.map(|turn| turn.id.clone()),
            round: round.map(|round| round.key.clone()),
            tokens: placed.tokens,
            row: row_of(at),
        })
    };
    plan.entries
        .iter()
        .map(|merged| EntryMeta {
            role: match &merged.entry {
                Entry::Message { role, .. } => again(role),
                Entry::Call(_) => "call".to_owned(),
                Entry::Output(_) => "result".to_owned(),
            },
            bytes: merged.entry.bytes(),
            segments: (merged.from..merged.to).filter_map(origin).collect(),
        })
        .collect()
}

/// What became of each line of the rail.
fn fates(
    session: &mut Session,
    plan: &Plan,
    rows: &mut Rows,
    lines: &[Option<usize>],
    entries: &[EntryMeta],
) -> Vec<RowState> {
    let mut out = vec![RowState::default(); rows.lines.len()];
    for (candidate, row) in lines.iter().enumerate() {
        let Some(row) = *row else { continue };
        out[row].candidate = true;
        out[row].tokens += plan
            .weights
            .get(candidate)
            .map_or(0, |weight| weight.tokens);
        if candidate >= plan.first_selected {
            out[row].state = SegmentState::Selected;
        } else if out[row].state == SegmentState::Silent {
            out[row].state = SegmentState::Skipped;
        }
    }
    for (index, entry) in entries.iter().enumerate() {
        for row in entry.segments.iter().filter_map(|segment| segment.row) {
            out[row].entry.get_or_insert(index);
        }
    }
    let turns: BTreeMap<usize, TurnState> = plan
        .turns
        .iter()
        .map(|trace| (trace.index, trace.state))
        .collect();
    let Rows { lines, priced, .. } = rows;
    for (at, line) in lines.iter().enumerate() {
        if out[at].candidate {
            continue;
        }
        out[at].tokens = *priced.entry(at).or_insert_with(|| price(session, line));
        out[at].state = match turns.get(&line.turn) {
            Some(TurnState::Compacted) => SegmentState::Compacted,
            Some(TurnState::Excluded | TurnState::Hidden | TurnState::Deleted) => {
                SegmentState::Excluded
            }
            Some(TurnState::Skipped) => SegmentState::Skipped,
            _ => SegmentState::Silent,
        };
    }
    out
}

/// What a line would cost that the plan does not price.
fn price(session: &mut Session, line: &Line) -> u64 {
    let turn = session.conversation().turns.get(line.turn);
    let texts = turn.map_or_else(Vec::new, |turn| facts::texts(turn, line.what));
    texts.iter().map(|text| session.fill(text)).sum()
}

/// The entries of a view, as the page shows them.
pub fn faces(session: &mut Session, plan: &Plan, view: View) -> Vec<EntryFace> {
    let to = view.to.min(plan.entries.len());
    (view.from.min(to)..to)
        .filter_map(|index| {
            let merged = plan.entries.get(index)?;
            let sealed = serde_json::to_value(plan.entry(index)?).ok()?;
            // What cannot be written canonically cannot be stored either; it is shown as JSON writes it.
            let canonical = canonical::write(&sealed).unwrap_or_else(|_| sealed.to_string());
            let mut face = face(index, &sealed, &canonical, split(plan, index), view.whole);
            let words: Vec<String> = merged
                .entry
                .texts()
                .iter()
                .map(|words| words.text.as_str().to_owned())
                .collect();
            face.tokens = words.iter().map(|words| session.fill(words)).sum();
            Some(face)
        })
        .collect()
}

/// A message's texts by segment, when several segments made it.
fn split(plan: &Plan, index: usize) -> Option<Vec<FacePart>> {
    let merged = plan.entries.get(index)?;
    let Entry::Message { .. } = &merged.entry else {
        return None;
    };
    let placed = plan.placed.get(merged.from..merged.to)?;
    if placed.len() < 2 {
        return None;
    }
    let parts = placed.iter().enumerate().flat_map(|(segment, placed)| {
        placed
            .segment
            .parts
            .iter()
            .filter(|part| !part.is_blank())
            .map(move |part| FacePart {
                segment,
                text: match part {
                    Part::Words(words) => words.text.as_str().to_owned(),
                    Part::Upload(id, _) => Value::from(format!("upload {}", id.id)).to_string(),
                },
            })
    });
    Some(parts.collect())
}
