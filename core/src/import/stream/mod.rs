//! The events of a streamed answer, joined into the body that the same answer has when it is not streamed.
//!
//! Whose stream it is shows in the events, not in an address. A stream that was cut off is joined as far as it
//! came; one that follows another begins where its first event says so.

mod anthropic;
mod chat;
mod events;
mod gemini;
mod grow;
mod responses;

use serde_json::{Map, Value};

use super::record::word;
use crate::json::Place;

pub(super) use events::{Event, events, values};

/// What is said of an answer whose last event never came.
pub(super) const CUT_OFF: &str =
    "the stream ends before its last event; the answer is what had come";

/// What is said of events that are passed over.
pub(super) const STRANGE: &str = "events of no kind that is known are not read";

/// An answer, joined.
#[derive(Debug)]
pub(super) struct Joined {
    /// The body in its provider's shape; `error` holds what the provider says went wrong on the way.
    pub body: Value,
    /// Its last event came.
    pub whole: bool,
    /// Where its first event stands.
    pub place: Place,
}

/// The answers that events spell, in order, and how many events are of no stream that is known.
pub(super) fn join(events: Vec<Event>) -> (Vec<Joined>, usize) {
    let mut answers: Vec<Stream> = Vec::new();
    let mut strange = 0;
    for Event { value, place } in events {
        let value = unwrapped(value);
        let open = answers.last_mut();
        match (wire(&value), open) {
            (Some(Wire::Any), Some(open)) => open.add(value),
            (Some(Wire::Any), None) => {
                if value.get("error").is_some() {
                    answers.push(Stream::new(Wire::Chat, value, place));
                }
            }
            (Some(wire), Some(open)) if wire == open.wire && !open.is_followed_by(&value) => {
                open.add(value);
            }
            (Some(wire), _) => answers.push(Stream::new(wire, value, place)),
            (None, _) => strange += 1,
        }
    }
    (answers.into_iter().map(Stream::join).collect(), strange)
}

/// The response that Gemini gave out in pieces.
pub(super) fn of_gemini(pieces: &[Value]) -> Value {
    let pieces = pieces.iter().filter_map(Value::as_object).cloned();
    Value::Object(gemini::join(pieces.collect()).0)
}

/// Whose events they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wire {
    Chat,
    Responses,
    Anthropic,
    Gemini,
    Ollama,
    /// An event of whichever stream it stands in.
    Any,
}

struct Stream {
    wire: Wire,
    place: Place,
    events: Vec<Map<String, Value>>,
    error: Option<Value>,
}

impl Stream {
    fn new(wire: Wire, first: Value, place: Place) -> Self {
        let mut stream = Self {
            wire,
            place,
            events: Vec::new(),
            error: None,
        };
        stream.add(first);
        stream
    }

    fn add(&mut self, event: Value) {
        let Value::Object(mut event) = event else {
            return;
        };
        match event.remove("error").filter(|error| !error.is_null()) {
            Some(error) => self.error = Some(error),
            None if word_of(&event, "type") == "error" => {
                self.error = Some(Value::Object(event));
                return;
            }
            None => {}
        }
        self.events.push(event);
    }

    /// Whether an event of the same wire begins another answer.
    fn is_followed_by(&self, event: &Value) -> bool {
        let other = |key: &str| {
            let said = self.events.iter().rev().map(|event| word_of(event, key));
            let said = said.into_iter().find(|id| !id.is_empty());
            let next = word(event, key).filter(|id| !id.is_empty());
            said.zip(next).is_some_and(|(said, next)| said != next)
        };
        match self.wire {
            Wire::Chat => other("id"),
            Wire::Gemini => other("responseId"),
            Wire::Responses => word(event, "type") == Some("response.created"),
            Wire::Anthropic => word(event, "type") == Some("message_start"),
            Wire::Ollama => self.events.last().is_some_and(is_done),
            Wire::Any => false,
        }
    }

    fn join(self) -> Joined {
        let (mut body, whole) = match self.wire {
            Wire::Chat | Wire::Any => chat::join(self.events),
            Wire::Responses => responses::join(self.events),
            Wire::Anthropic => anthropic::join(self.events),
            Wire::Gemini => gemini::join(self.events),
            Wire::Ollama => ollama(self.events),
        };
        if let Some(error) = self.error {
            body.insert("error".to_owned(), error);
        }
        Joined {
            body: Value::Object(body),
            whole,
            place: self.place,
        }
    }
}

/// The event inside of what the Gemini command line's own server puts around it.
fn unwrapped(mut event: Value) -> Value {
    match event.get_mut("response") {
        Some(inner) if inner.get("candidates").is_some() => inner.take(),
        _ => event,
    }
}

fn wire(event: &Value) -> Option<Wire> {
    let has = |key: &str| event.get(key).is_some_and(|member| !member.is_null());
    let list = |key: &str| event.get(key).is_some_and(Value::is_array);
    let kind = word(event, "type").unwrap_or_default();
    match kind {
        "ping" | "error" => return Some(Wire::Any),
        "message_start"
        | "content_block_start"
        | "content_block_delta"
        | "content_block_stop"
        | "message_delta"
        | "message_stop" => return Some(Wire::Anthropic),
        _ if kind.starts_with("response.") => return Some(Wire::Responses),
        _ => {}
    }
    if list("choices") {
        Some(Wire::Chat)
    } else if list("candidates") || has("usageMetadata") || has("promptFeedback") {
        Some(Wire::Gemini)
    } else if event.get("done").is_some_and(Value::is_boolean)
        && (has("message") || has("response"))
    {
        Some(Wire::Ollama)
    } else {
        has("error").then_some(Wire::Any)
    }
}

/// Ollama's lines: messages that go on, and the counts with the last one.
fn ollama(lines: Vec<Map<String, Value>>) -> (Map<String, Value>, bool) {
    let whole = lines.last().is_some_and(is_done);
    let mut body = Map::new();
    for mut line in lines {
        for key in ["message", "response", "thinking"] {
            if let Some(piece) = line.remove(key) {
                grow::member(&mut body, key, piece);
            }
        }
        body.extend(line);
    }
    (body, whole)
}

fn is_done(line: &Map<String, Value>) -> bool {
    line.get("done").and_then(Value::as_bool) == Some(true)
}

fn word_of<'a>(event: &'a Map<String, Value>, key: &str) -> &'a str {
    event.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A member that is a place in a list.
fn index_of(event: &Map<String, Value>, key: &str) -> Option<u64> {
    event.get(key).and_then(Value::as_u64)
}

/// A member that is an object, taken out.
fn object(event: &mut Map<String, Value>, key: &str) -> Option<Map<String, Value>> {
    match event.remove(key) {
        Some(Value::Object(object)) => Some(object),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
