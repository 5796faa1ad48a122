//! Sessions of Grok CLI, in either of the two files that it keeps of one: what the model is given, and what the
//! person was shown.

mod history;
mod updates;

use serde_json::Value;

use super::Ask;
use super::record::{Record, word};
use crate::json::Notes;
use crate::transcript::Imported;

/// Whether a value is a line of such a file.
pub(super) fn is(value: &Value) -> bool {
    history::is(value) || updates::is(value)
}

/// Whether a line is how such a file begins: it says nothing else than what the model is told first.
fn begins(value: &Value) -> bool {
    let told = word(value, "type") == Some("system") && word(value, "content").is_some();
    told && value.as_object().is_some_and(|members| members.len() == 2)
}

/// The conversation of each kind of file among the lines.
pub(super) fn read(records: Vec<Record>, ask: &Ask, _: &mut Notes) -> Vec<Imported> {
    let of_history = |record: &Record| begins(&record.value) || history::is(&record.value);
    let both = records.iter().any(of_history);
    let (shown, given): (Vec<Record>, Vec<Record>) = records
        .into_iter()
        .partition(|record| !both || updates::is(&record.value));
    let mut found = Vec::new();
    if !given.is_empty() {
        found.push(history::read(given));
    }
    if !shown.is_empty() {
        found.push(updates::read(shown, ask));
    }
    found
}
