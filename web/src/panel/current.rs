//! What is current everywhere: in the rail, the strip, the blocks and the entries.

use leptos::prelude::*;

use super::Panel;

/// What is current.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Current {
    /// A line of the rail.
    Row(usize),
    /// A block of the template.
    Block(usize),
    /// An entry.
    Entry(usize),
}

impl Panel {
    /// Whether a line of the rail is current, or belongs to what is.
    pub fn is_row_current(self, row: usize) -> bool {
        match self.current.get() {
            Some(Current::Row(now)) => now == row,
            Some(Current::Entry(entry)) => self.plan.with(|plan| {
                plan.as_ref()
                    .and_then(|plan| plan.rail.get(row))
                    .is_some_and(|row| row.entry == Some(entry))
            }),
            _ => false,
        }
    }

    /// Whether an entry is current, or holds what is.
    pub fn is_entry_current(self, entry: usize) -> bool {
        match self.current.get() {
            Some(Current::Entry(now)) => now == entry,
            Some(Current::Row(row)) => self.plan.with(|plan| {
                plan.as_ref()
                    .and_then(|plan| plan.entries.get(entry))
                    .is_some_and(|entry| entry.segments.iter().any(|part| part.row == Some(row)))
            }),
            Some(Current::Block(block)) => self.plan.with(|plan| {
                plan.as_ref().is_some_and(|plan| {
                    let key = plan
                        .blocks
                        .get(block)
                        .filter(|block| block.kind != "history")
                        .map(|block| &block.block);
                    plan.entries.get(entry).is_some_and(|entry| {
                        entry.segments.iter().any(|part| Some(&part.block) == key)
                    })
                })
            }),
            None => false,
        }
    }
}
