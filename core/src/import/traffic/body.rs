//! A body as a recorder holds it: JSON in a text, in base64, in an envelope, or as it is; a stream is joined.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::MultiGzDecoder;
use serde_json::Value;

use crate::import::record::{At, word};
use crate::import::stream;
use crate::json::{self, Notes, Place, Text};
use crate::refusal::Warning;

/// A body, read.
#[derive(Debug)]
pub(super) struct Body {
    /// What it says.
    pub value: Value,
    at: At,
    /// Pointers into the file go on inside it; they do not where it is a text or was joined.
    inline: bool,
}

impl Body {
    /// A body that was put together of the events that begin at a place.
    pub fn joined(value: Value, at: At) -> Self {
        let inline = false;
        Self { value, at, inline }
    }

    /// A place inside of it, as near as the file has one.
    pub fn place(&self, pointer: &str) -> At {
        match self.inline {
            true => self.at.inside(pointer),
            false => self.at.clone(),
        }
    }
}

/// A body that is a text or JSON as it is. `None` when there is nothing or it cannot be read, which is told.
pub(super) fn plain(raw: &Value, at: At, notes: &mut Notes) -> Option<Body> {
    match raw {
        Value::Null => {
            missing(&at, notes);
            None
        }
        Value::String(text) => of_text(text, at, notes),
        // Pieces of a stream, as they came.
        Value::Array(items) if items.iter().any(is_piece) => {
            let place = Place::default();
            let events = items.iter().map(|value| stream::Event {
                value: value.clone(),
                place,
            });
            joined(events.collect(), at, notes)
        }
        value => Some(Body {
            value: value.clone(),
            at,
            inline: true,
        }),
    }
}

/// A body in an envelope that says how it is spelt: `{text, encoding}`, `{string}`, `{base64_string}`.
pub(super) fn enveloped(raw: &Value, at: At, notes: &mut Notes) -> Option<Body> {
    let Value::Object(envelope) = raw else {
        return plain(raw, at, notes);
    };
    let known = ["text", "string", "base64_string"];
    let held = known
        .into_iter()
        .find_map(|key| envelope.get_key_value(key));
    let Some((key, inner)) = held else {
        missing(&at, notes);
        return None;
    };
    let at = at.inside(&format!("/{key}"));
    let base64 = key == "base64_string" || word(raw, "encoding") == Some("base64");
    match inner {
        Value::String(text) if base64 => of_base64(text, at, notes),
        Value::Object(_) => enveloped(inner, at, notes),
        inner => plain(inner, at, notes),
    }
}

fn of_base64(text: &str, at: At, notes: &mut Notes) -> Option<Body> {
    let digits: String = text.split_ascii_whitespace().collect();
    let told = match STANDARD.decode(digits).map(inflated) {
        Ok(Some(bytes)) => match String::from_utf8(bytes) {
            Ok(text) => return of_text(&text, at, notes),
            Err(_) => "its bytes are no text",
        },
        Ok(None) => "it is compressed, and damaged or too large",
        Err(_) => "it is no base64",
    };
    unread(told, &at, notes);
    None
}

/// The most bytes that a compressed body may be.
const LARGEST: u64 = 64 * 1024 * 1024;

/// Bytes as they were before they were compressed, if they were (gzip).
fn inflated(bytes: Vec<u8>) -> Option<Vec<u8>> {
    if !bytes.starts_with(b"\x1f\x8b") {
        return Some(bytes);
    }
    let mut plain = Vec::new();
    let mut read = MultiGzDecoder::new(bytes.as_slice()).take(LARGEST);
    read.read_to_end(&mut plain).ok()?;
    (read.limit() > 0).then_some(plain)
}

/// A body out of a text that is JSON, a stream of events, or values by lines.
pub(super) fn of_text(text: &str, at: At, notes: &mut Notes) -> Option<Body> {
    let source = Text {
        bytes: text.as_bytes().into(),
        place: Place::default(),
    };
    let mut met = Notes::default();
    let trimmed = text.trim_start();
    if trimmed.is_empty() {
        missing(&at, notes);
        return None;
    }
    if !trimmed.starts_with(['{', '[']) {
        let events = stream::events(&source, &mut met);
        if events.is_empty() {
            unread("it is neither JSON nor a stream of events", &at, notes);
            return None;
        }
        tell(met, &at, notes);
        return joined(events, at, notes);
    }
    match json::value(text.as_bytes(), Place::default(), &mut met) {
        Ok(value) => {
            tell(met, &at, notes);
            let body = plain(&value, at, notes)?;
            Some(Body {
                inline: false,
                ..body
            })
        }
        Err(fault) => {
            let mut met = Notes::default();
            let events = stream::values(&source, &mut met);
            if events.iter().any(|event| is_piece(&event.value)) {
                tell(met, &at, notes);
                return joined(events, at, notes);
            }
            unread(&format!("it is no JSON: {}", fault.message), &at, notes);
            None
        }
    }
}

/// Whether a value of a list or a line is a piece of a stream.
fn is_piece(value: &Value) -> bool {
    ["candidates", "choices", "done"]
        .iter()
        .any(|key| value.get(*key).is_some())
        || value.pointer("/response/candidates").is_some()
}

fn joined(events: Vec<stream::Event>, at: At, notes: &mut Notes) -> Option<Body> {
    let (answers, strange) = stream::join(events);
    let told = |code: &str, message: String| at.of(Warning::new(code, message));
    if strange > 0 {
        let message = format!("{}: {strange}", stream::STRANGE);
        notes.push(told("events_not_read", message));
    }
    if answers.len() > 1 {
        let message = format!(
            "the first answer of the stream is kept; {} more are not",
            answers.len() - 1
        );
        notes.push(told("answers_not_kept", message));
    }
    let answer = answers.into_iter().next()?;
    if !answer.whole {
        notes.push(told("stream_cut_off", stream::CUT_OFF.to_owned()));
    }
    Some(Body::joined(answer.body, at))
}

/// What was noticed in a text, where the text stands in the file.
fn tell(met: Notes, at: &At, notes: &mut Notes) {
    let inside = met.finish().into_iter();
    notes.extend(inside.map(|warning| at.of(Warning::new(&warning.code, warning.message))));
}

fn missing(at: &At, notes: &mut Notes) {
    let message = "the body is not in the file";
    notes.push(at.of(Warning::new("body_missing", message)));
}

fn unread(why: &str, at: &At, notes: &mut Notes) {
    let message = format!("the body is not read: {why}");
    notes.push(at.of(Warning::new("body_unreadable", message)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use serde_json::json;
    use std::io::Write;

    #[test]
    fn compressed_bodies_are_read_up_to_a_bound() {
        let packed = |chunks: usize, chunk: &[u8]| {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            (0..chunks).for_each(|_| encoder.write_all(chunk).unwrap());
            encoder.finish().unwrap()
        };
        let whole = packed(1, b"{\"a\": 1}");
        let read = |bytes: &[u8]| {
            let mut notes = Notes::default();
            let raw = json!({"base64_string": STANDARD.encode(bytes)});
            let body = enveloped(&raw, At::default(), &mut notes);
            let told = notes.finish().into_iter().map(|warning| warning.code);
            (body.map(|body| body.value), told.collect::<Vec<_>>())
        };
        assert_eq!(read(&whole), (Some(json!({"a": 1})), vec![]));
        let unreadable = (None, vec!["body_unreadable".to_owned()]);
        assert_eq!(read(&whole[..whole.len() - 9]), unreadable);
        assert_eq!(read(&packed(65, &[b' '; 1024 * 1024])), unreadable);
    }
}
