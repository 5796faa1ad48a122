//! The lines of the rail: turns and segments, with the cut, the bound and the turn being written
//! drawn as lines of their own; and the strip, which is the same list by width.

use std::ops::Range;

use crate::protocol::{Doc, Plan, RailRow, RowState, SegmentState};

/// One line of the rail; all are of one height.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// A segment: its place in [`Doc::rail`].
    Row(usize),
    /// Turns a summary stands for, folded.
    Folded(Range<usize>),
    /// Reading starts at this row.
    Cut(usize),
    /// The bound that stopped history.
    Bound,
    /// Everything below has not been sent.
    Now,
    /// The words being written.
    Next,
}

/// The fate of a row under a plan; before the first plan nothing is known.
pub fn state_of(plan: Option<&Plan>, row: usize) -> RowState {
    plan.and_then(|plan| plan.rail.get(row))
        .cloned()
        .unwrap_or_default()
}

/// The lines, oldest first. With a search only matching rows are lines, and nothing is folded.
pub fn lines(doc: &Doc, plan: Option<&Plan>, search: &str, unfolded: bool) -> Vec<Line> {
    let wanted = search.trim().to_lowercase();
    if !wanted.is_empty() {
        return (0..doc.rail.len())
            .filter(|&row| matches(&doc.rail[row], &wanted))
            .map(Line::Row)
            .collect();
    }
    let mut out = Vec::with_capacity(doc.rail.len() + 4);
    let cut = (0..doc.rail.len())
        .rposition(|row| state_of(plan, row).state == SegmentState::Compacted)
        .map_or(0, |last| last + 1);
    if cut > 0 {
        if unfolded {
            out.extend((0..cut).map(Line::Row));
        } else {
            out.push(Line::Folded(0..cut));
        }
        if cut < doc.rail.len() {
            out.push(Line::Cut(cut));
        }
    }
    let bound = bound(doc, plan, cut);
    for row in cut..doc.rail.len() {
        if bound == Some(row) {
            out.push(Line::Bound);
        }
        out.push(Line::Row(row));
    }
    if bound == Some(doc.rail.len()) {
        out.push(Line::Bound);
    }
    out.push(Line::Now);
    out.push(Line::Next);
    out
}

/// The row above which the bound is drawn: after the newest skipped one.
fn bound(doc: &Doc, plan: Option<&Plan>, cut: usize) -> Option<usize> {
    plan?.history.skipped_reason.as_ref()?;
    (cut..doc.rail.len())
        .rev()
        .find(|&row| state_of(plan, row).state == SegmentState::Skipped)
        .map(|row| row + 1)
}

/// Whether a row speaks of these words, given in lower case.
fn matches(row: &RailRow, wanted: &str) -> bool {
    row.head.to_lowercase().contains(wanted)
        || row.speaker.to_lowercase().contains(wanted)
        || row.turn.to_lowercase() == wanted
        || row
            .calls
            .iter()
            .any(|call| call.to_lowercase().contains(wanted))
}

/// The line whose request the provider counted: the row itself, else the newest of its turn after it.
pub fn reported(doc: &Doc, row: usize) -> Option<usize> {
    let rows = doc.rail.get(row..)?;
    let own = rows.first()?;
    if own.reported.is_some() {
        return Some(row);
    }
    let of_turn = rows.iter().take_while(|other| other.turn == own.turn);
    let (after, _) = of_turn
        .enumerate()
        .filter(|(_, row)| row.reported.is_some())
        .last()?;
    Some(row + after)
}

/// How many turns a range of rows holds.
pub fn turns(doc: &Doc, rows: Range<usize>) -> usize {
    let mut count = 0;
    let mut last = None;
    for row in doc.rail.get(rows).unwrap_or_default() {
        if last != Some(&row.turn) {
            count += 1;
            last = Some(&row.turn);
        }
    }
    count
}

/// A cell of the strip: rows of one state drawn as one.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The rows.
    pub rows: Range<usize>,
    /// Their state.
    pub state: SegmentState,
    /// Their tokens.
    pub tokens: u64,
}

/// A group of the strip, under one label.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// `Compacted`, `Skipped` or `Selected`; what is excluded stands where it stood.
    pub state: SegmentState,
    /// Its cells.
    pub cells: Vec<Cell>,
    /// Its tokens, without what is excluded.
    pub tokens: u64,
}

/// The strip of a plan in at most about `most` cells: beyond that neighbours of one turn and state
/// are drawn as one, then neighbours of one state. A compacted turn is always one cell.
pub fn strip(doc: &Doc, plan: &Plan, most: usize) -> Vec<Group> {
    let cells = |by_turn: bool, run: usize| -> Vec<Cell> {
        let mut cells: Vec<Cell> = Vec::new();
        let mut rows_in_last = 0;
        for (row, state) in plan
            .rail
            .iter()
            .enumerate()
            .filter(|(_, state)| state.state != SegmentState::Silent)
        {
            let turn = doc.rail.get(row).map(|row| &row.turn);
            let joins = cells.last().is_some_and(|last| {
                let same_turn = turn == doc.rail.get(last.rows.start).map(|row| &row.turn);
                last.state == state.state
                    && ((same_turn && (by_turn || state.state == SegmentState::Compacted))
                        || rows_in_last < run)
            });
            match cells.last_mut() {
                Some(last) if joins => {
                    last.rows.end = row + 1;
                    last.tokens += state.tokens;
                    rows_in_last += 1;
                }
                _ => {
                    cells.push(Cell {
                        rows: row..row + 1,
                        state: state.state,
                        tokens: state.tokens,
                    });
                    rows_in_last = 1;
                }
            }
        }
        cells
    };
    let mut all = cells(false, 1);
    if all.len() > most {
        all = cells(true, 1);
    }
    if all.len() > most {
        all = cells(true, plan.rail.len().div_ceil(most.max(1)).max(2));
    }
    let mut groups: Vec<Group> = Vec::new();
    for cell in all {
        let tokens = if cell.state == SegmentState::Excluded {
            0
        } else {
            cell.tokens
        };
        match groups.last_mut() {
            Some(group) if cell.state == SegmentState::Excluded || group.state == cell.state => {
                group.tokens += tokens;
                group.cells.push(cell);
            }
            Some(group) if group.state == SegmentState::Excluded => {
                group.state = cell.state;
                group.tokens += tokens;
                group.cells.push(cell);
            }
            _ => groups.push(Group {
                state: cell.state,
                tokens,
                cells: vec![cell],
            }),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::History;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn case(states: &[(&str, SegmentState)]) -> (Doc, Plan) {
        let rail = states.iter().map(|(turn, _)| RailRow {
            turn: (*turn).into(),
            head: format!("words of {turn}"),
            ..RailRow::default()
        });
        let doc = Doc {
            rail: rail.collect(),
            ..Doc::default()
        };
        let rows = states.iter().map(|&(_, state)| RowState {
            state,
            tokens: 10,
            candidate: true,
            entry: None,
        });
        let plan = Plan {
            rail: rows.collect(),
            history: History {
                skipped_reason: Some("budget_exceeded".into()),
                ..History::default()
            },
            ..Plan::default()
        };
        (doc, plan)
    }

    use SegmentState::{Compacted, Excluded, Selected, Skipped};

    #[test]
    fn the_rail_draws_the_cut_and_the_bound() {
        let (doc, plan) = case(&[
            ("1", Compacted),
            ("2", Compacted),
            ("3", Skipped),
            ("4", Excluded),
            ("5", Selected),
        ]);
        assert_eq!(
            lines(&doc, Some(&plan), "", false),
            [
                Line::Folded(0..2),
                Line::Cut(2),
                Line::Row(2),
                Line::Bound,
                Line::Row(3),
                Line::Row(4),
                Line::Now,
                Line::Next
            ]
        );
        assert_eq!(
            lines(&doc, Some(&plan), "", true)[..3],
            [Line::Row(0), Line::Row(1), Line::Cut(2)]
        );
        assert_eq!(
            lines(&doc, Some(&plan), " WORDS of 4", false),
            [Line::Row(3)]
        );
        assert_eq!(turns(&doc, 0..2), 2);
    }

    #[test]
    fn what_a_provider_counted_of_a_turn_is_found_from_its_rows() {
        let (mut doc, _) = case(&[
            ("1", Selected),
            ("1", Selected),
            ("1", Selected),
            ("2", Selected),
        ]);
        doc.rail[1].reported = Some(7);
        doc.rail[2].reported = Some(9);
        let found: Vec<_> = (0..5).map(|row| reported(&doc, row)).collect();
        assert_eq!(found, [Some(2), Some(1), Some(2), None, None]);
    }

    #[test]
    fn nothing_selected_puts_the_bound_last() {
        let (doc, plan) = case(&[("1", Skipped), ("2", Skipped)]);
        assert_eq!(lines(&doc, Some(&plan), "", false)[2], Line::Bound);
    }

    #[test]
    fn the_strip_groups_by_state_and_keeps_the_excluded_where_they_stood() {
        let (doc, plan) = case(&[
            ("1", Compacted),
            ("1", Compacted),
            ("3", Skipped),
            ("4", Excluded),
            ("5", Selected),
            ("6", Selected),
        ]);
        let groups = strip(&doc, &plan, 120);
        let states: Vec<_> = groups
            .iter()
            .map(|group| (group.state, group.cells.len(), group.tokens))
            .collect();
        assert_eq!(
            states,
            [(Compacted, 1, 20), (Skipped, 2, 10), (Selected, 2, 20)]
        );
    }

    #[test]
    fn a_long_strip_stays_short_and_loses_no_token() {
        let names: Vec<String> = (0..3000).map(|row| (row / 3).to_string()).collect();
        let states: Vec<(&str, SegmentState)> = names
            .iter()
            .enumerate()
            .map(|(row, name)| (name.as_str(), if row < 1000 { Skipped } else { Selected }))
            .collect();
        let (doc, plan) = case(&states);
        let groups = strip(&doc, &plan, 120);
        let cells: usize = groups.iter().map(|group| group.cells.len()).sum();
        assert!(cells <= 130, "{cells}");
        assert_eq!(groups.iter().map(|group| group.tokens).sum::<u64>(), 30_000);
    }
}
