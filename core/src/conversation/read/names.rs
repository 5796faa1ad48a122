//! Ids and handles: `[A-Za-z0-9_.:-]{1,64}`. They stand unescaped in what a model reads, so any other is
//! replaced wherever it is used.

use std::collections::{BTreeMap, BTreeSet};

use crate::json::Notes;
use crate::refusal::Warning;

/// Whether an id or handle may stand as it is.
pub(super) fn is_name(id: &str) -> bool {
    (1..=64).contains(&id.len())
        && id
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':' | b'-'))
}

/// Ids of one kind, each replaced by the same name wherever it is met.
pub(super) struct Names {
    prefix: &'static str,
    taken: BTreeSet<String>,
    new: BTreeMap<String, String>,
    next: usize,
}

impl Names {
    /// Names that begin with `prefix` and leave the ids alone that are in use.
    pub fn new(prefix: &'static str, taken: impl IntoIterator<Item = String>) -> Self {
        Self {
            prefix,
            taken: taken.into_iter().collect(),
            new: BTreeMap::new(),
            next: 1,
        }
    }

    /// Replaces an id that is no name, and says so the first time.
    pub fn settle(&mut self, id: &mut String, at: &str, notes: &mut Notes) {
        if is_name(id) {
            return;
        }
        if let Some(new) = self.new.get(id.as_str()) {
            new.clone_into(id);
            return;
        }
        let new = self.free();
        let message = format!("{id:?} is no id or handle; it reads as {new}");
        notes.push(Warning::new("name_replaced", message).at(at));
        self.new.insert(std::mem::replace(id, new.clone()), new);
    }

    /// The next name that nothing has.
    pub fn free(&mut self) -> String {
        loop {
            let name = format!("{}{}", self.prefix, self.next);
            self.next += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}
