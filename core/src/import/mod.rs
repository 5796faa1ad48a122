//! Files of other tools, opened: bytes → the conversations in them, and what could not be read by position.
//!
//! [`open`] looks at the bytes, then at the shape of the JSON, never at a file's name. What it recognises
//! and cannot read yet is refused by its name with what to do instead; within a format nothing is refused
//! as a whole. A native file is only recognised here: `conversation::read` reads it.
//!
//! A further format is one file beside `chat.rs` that turns JSON into [`Imported`] through its room of
//! `wire`, its row of `shapes.rs` saying so, and a word of [`Format`].
//!
//! ```
//! let opened = galley_core::import::open(br#"[{"role": "user", "content": "hi"}]"#).unwrap();
//! assert_eq!(opened.format, galley_core::import::Format::ChatCompletions);
//! assert_eq!(opened.conversations[0].messages.len(), 1);
//! ```

mod chat;
mod claude_code;
mod codex;
mod lines;
mod pi;
mod session;
mod shapes;
mod sniff;
mod time;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json::{self, Fault, Notes, Place, Text};
use crate::refusal::{Refusal, Warning};
use crate::transcript::Imported;
use session::Record;
use shapes::Shape;

/// The code of a file that cannot be read: it is empty, damaged, or no conversation at all.
pub const INVALID: &str = "file_invalid";

/// The code of a file of a known kind that is not read; the detail is the kind's word.
pub const UNSUPPORTED: &str = "file_unsupported";

/// A format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// The native file.
    Galley,
    /// Chat Completions messages in any of their wrappings.
    ChatCompletions,
    /// A Claude Code session log, or a capture of its stream-json output.
    ClaudeCode,
    /// A Codex rollout of any of its three generations.
    Codex,
    /// A session log of pi or OpenClaw.
    Pi,
}

/// A file, opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct Opened {
    /// What it is.
    pub format: Format,
    /// Its conversations in file order; none of a native file, which is read by `conversation::read`.
    pub conversations: Vec<Imported>,
    /// What could not be read outside of the conversations, and what was mended, by position.
    pub warnings: Vec<Warning>,
}

/// Opens a file. Refuses `file_invalid` what is empty, damaged from the start or no conversation, naming the
/// place, and `file_unsupported` what it recognises but cannot read, saying what to do.
pub fn open(bytes: &[u8]) -> Result<Opened, Refusal> {
    if let Some(kind) = sniff::magic(bytes) {
        return Err(kind.refusal());
    }
    let mut notes = Notes::default();
    let text = json::text(bytes, &mut notes);
    let Some(start) = sniff::start(&text.bytes) else {
        return Err(Refusal::new(
            INVALID,
            "the file is empty: choose the file that holds the conversation",
        ));
    };
    if lines::first_is_whole(&text, start) {
        return in_lines(&text, notes);
    }
    match json::value(&text.bytes, text.place, &mut notes) {
        Ok(value) => whole(value, text.place, notes),
        Err(_) if lines::any_is_whole(&text) => in_lines(&text, notes),
        Err(fault) => Err(match sniff::plain_text(&text.bytes, start) {
            Some(kind) => kind.refusal(),
            None => unreadable(&fault),
        }),
    }
}

fn whole(value: Value, place: Place, mut notes: Notes) -> Result<Opened, Refusal> {
    match shapes::of(&value) {
        Some(Shape::Galley) => Ok(Opened {
            format: Format::Galley,
            conversations: Vec::new(),
            warnings: notes.finish(),
        }),
        Some(Shape::ChatCompletions) => Ok(Opened {
            format: Format::ChatCompletions,
            conversations: chat::conversations(&value, &mut notes),
            warnings: notes.finish(),
        }),
        Some(Shape::Foreign(kind)) => Err(kind.refusal()),
        Some(session) => Ok(log(&session, vec![Record::new(value, place)], notes)),
        None => Err(unknown(&value)),
    }
}

fn in_lines(text: &Text<'_>, mut notes: Notes) -> Result<Opened, Refusal> {
    let found = lines::values(text).take(lines::LOOKED_AT);
    let found: Vec<Value> = found.flat_map(|line| line.values).collect();
    let session = found.iter().find_map(shapes::session);
    let shape = session.or_else(|| found.iter().find_map(shapes::of));
    match (shape, found.first()) {
        (Some(Shape::Foreign(kind)), _) => Err(kind.refusal()),
        (Some(Shape::Galley), _) => Err(Refusal::new(
            INVALID,
            "a native file is one JSON object and nothing after it; this one goes on",
        )),
        (Some(Shape::ChatCompletions), _) => Ok(Opened {
            format: Format::ChatCompletions,
            conversations: chat::lines(text, &mut notes),
            warnings: notes.finish(),
        }),
        (Some(session), _) => {
            let records = session::records(text, &mut notes);
            Ok(log(&session, records, notes))
        }
        (None, Some(value)) => Err(unknown(value)),
        (None, None) => Err(Refusal::new(INVALID, "no line of the file is JSON")),
    }
}

/// The conversation of a session log.
fn log(shape: &Shape, records: Vec<Record>, notes: Notes) -> Opened {
    let (format, conversation) = match shape {
        Shape::Codex => (Format::Codex, codex::conversation(records)),
        Shape::Pi => (Format::Pi, pi::conversation(records)),
        _ => (Format::ClaudeCode, claude_code::conversation(records)),
    };
    Opened {
        format,
        conversations: vec![conversation],
        warnings: notes.finish(),
    }
}

fn unreadable(fault: &Fault) -> Refusal {
    let mut refusal = fault.refusal(INVALID);
    if fault.offset == 0 || (fault.line, fault.column) == (1, 1) {
        refusal.message.push_str(
            "; a conversation is expected: a native file, or Chat Completions messages as JSON or JSONL",
        );
    }
    refusal
}

fn unknown(value: &Value) -> Refusal {
    let seen = match value {
        Value::Object(members) if members.is_empty() => "an empty object".to_owned(),
        Value::Object(members) => {
            let keys: Vec<&str> = members.keys().take(6).map(String::as_str).collect();
            format!("an object with {}", keys.join(", "))
        }
        Value::Array(items) if items.is_empty() => "an empty list".to_owned(),
        Value::Array(_) => "a list of something else than messages".to_owned(),
        _ => "a single value".to_owned(),
    };
    let message = format!(
        "the file is JSON but no conversation that is known here: it is {seen}; a list of messages with role and content, or an object with messages, is read"
    );
    Refusal::new(INVALID, message).at("")
}

#[cfg(test)]
mod tests;
