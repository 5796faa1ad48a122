//! What a text is that is no JSON, by how it begins.
//!
//! One row of [`KINDS`] is one kind of text: how it is recognised, and what to do with it when nobody reads it.

use super::sniff::{self, Foreign};
use super::traffic::{cassette, event_stream};
use super::{Format, aider};
use crate::refusal::Refusal;

/// A kind of text.
#[derive(Debug)]
pub(super) enum Kind {
    /// A format that is read.
    Reads(Format),
    /// One that is not.
    Foreign(Foreign),
}

impl Kind {
    /// What a text of this kind is; refuses `file_unsupported` what is not read.
    pub fn format(&self) -> Result<Format, Refusal> {
        match self {
            Self::Reads(format) => Ok(*format),
            Self::Foreign(kind) => Err(kind.refusal()),
        }
    }
}

/// Recognises a text, given from its first byte on that is not blank. None of the formats that are read begins
/// as JSON does.
pub(super) fn of(text: &[u8]) -> Option<&'static Kind> {
    let found = KINDS.iter().find(|(is, _)| is(text));
    found.map(|(_, kind)| kind)
}

/// The formats that are read.
pub(super) fn read() -> impl Iterator<Item = Format> {
    KINDS.iter().filter_map(|(_, kind)| kind.format().ok())
}

type Test = fn(&[u8]) -> bool;

const fn kind(id: &'static str, name: &'static str, advice: &'static str) -> Kind {
    Kind::Foreign(sniff::kind(id, name, advice))
}

/// The kinds in the order they are tried.
const KINDS: &[(Test, Kind)] = &[
    (aider::is_history, Kind::Reads(Format::Aider)),
    (
        |text| begins(text, &["<!", "<html", "<HTML", "<head", "<div", "<?xml"]),
        kind(
            "html",
            "an HTML page",
            "choose the JSON file that was exported beside it, or export once more as JSON (of Takeout, My Activity has it)",
        ),
    ),
    (event_stream::is, Kind::Reads(Format::EventStream)),
    (cassette::is_yaml, Kind::Reads(Format::Cassette)),
    (
        |text| begins(text, &["# ", "## ", "#### ", "> ", "-*-", "**"]),
        kind(
            "markdown",
            "Markdown or plain text",
            "open the JSON export of the conversation; text alone does not say who spoke",
        ),
    ),
];

/// Whether a text begins with one of these.
fn begins(text: &[u8], words: &[&str]) -> bool {
    words.iter().any(|word| text.starts_with(word.as_bytes()))
}
