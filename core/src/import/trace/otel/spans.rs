//! Spans out of their containers: OTLP in either spelling, Jaeger, dumps of an SDK, rows of a table.

use serde_json::{Map, Value};

use super::attributes::{attributes, plain};
use crate::import::record::{At, Record, word};
use crate::import::time::millis;

/// A span, or a log record that speaks of one.
#[derive(Debug, Default)]
pub(super) struct Span {
    pub trace: String,
    pub id: String,
    pub name: String,
    /// Milliseconds since 1970.
    pub start: i64,
    pub end: i64,
    pub attributes: Map<String, Value>,
    pub events: Vec<Event>,
    /// What it says went wrong.
    pub error: Option<String>,
    /// It is a log record: one event of the span that it names.
    pub log: bool,
    pub at: At,
}

impl Span {
    /// Adds what a log says of this span, or the span to what logs said of it.
    pub fn join(&mut self, other: Self) {
        let (mut span, log) = match self.log {
            true => (other, std::mem::take(self)),
            false => (std::mem::take(self), other),
        };
        span.events.extend(log.events);
        *self = span;
    }
}

/// Something that happened within a span.
#[derive(Debug)]
pub(super) struct Event {
    pub name: String,
    pub attributes: Map<String, Value>,
}

/// Where lists of spans stand, from the outside in, in the spellings there are.
const OTLP: [[&str; 3]; 6] = [
    ["resourceSpans", "scopeSpans", "spans"],
    ["resource_spans", "scope_spans", "spans"],
    ["resourceSpans", "instrumentationLibrarySpans", "spans"],
    ["resourceLogs", "scopeLogs", "logRecords"],
    ["resource_logs", "scope_logs", "log_records"],
    ["data", "spans", ""],
];

/// Whether a value is a container of spans, or one.
pub(super) fn is(value: &Value) -> bool {
    let list = |key: &str| value.get(key).is_some_and(Value::is_array);
    let first = |key: &str| value.get(key).and_then(|list| list.get(0));
    OTLP.iter().take(5).any(|[outer, ..]| list(outer))
        || first("data").is_some_and(|trace| trace.get("spans").is_some_and(Value::is_array))
        || first("spans").is_some_and(is_span)
        || is_span(value)
}

fn is_span(value: &Value) -> bool {
    let has = |key: &str| value.get(key).is_some();
    let marked = |key: &String| key.starts_with("attributes.");
    let flat = || {
        value
            .as_object()
            .is_some_and(|members| members.keys().any(marked))
    };
    let id = has("spanId") || has("span_id") || has("spanID");
    id && (has("attributes") || has("tags"))
        || value.pointer("/context/span_id").is_some()
        || value.pointer("/_spanContext/spanId").is_some()
        || flat() && has("name")
}

/// The spans of a record.
pub(super) fn spans(record: Record) -> Vec<Span> {
    let mut found = Vec::new();
    for [outer, middle, inner] in OTLP {
        let mut inside = record.members(outer);
        for key in [middle, inner].into_iter().filter(|key| !key.is_empty()) {
            inside = inside
                .iter()
                .flat_map(|record| record.members(key))
                .collect();
        }
        found.extend(inside.iter().map(span));
    }
    if found.is_empty() {
        let inside = match record.value.get("spans").is_some_and(Value::is_array) {
            true => record.members("spans"),
            false => record.items(),
        };
        found.extend(inside.iter().filter(|one| is_span(&one.value)).map(span));
    }
    found
}

fn span(Record { value, at }: &Record) -> Span {
    let first = |paths: &[&str]| {
        let found = paths.iter().filter_map(|path| value.pointer(path));
        found.into_iter().find(|found| !found.is_null())
    };
    let text = |paths: &[&str]| {
        first(paths)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let mut span = Span {
        trace: text(&[
            "/traceId",
            "/trace_id",
            "/traceID",
            "/context/trace_id",
            "/context.trace_id",
        ]),
        id: text(&[
            "/spanId",
            "/span_id",
            "/spanID",
            "/context/span_id",
            "/context.span_id",
        ]),
        name: text(&["/name", "/operationName", "/eventName", "/event_name"]),
        start: time(first(&[
            "/startTimeUnixNano",
            "/start_time_unix_nano",
            "/startTime",
            "/start_time",
            "/timeUnixNano",
        ])),
        end: time(first(&[
            "/endTimeUnixNano",
            "/end_time_unix_nano",
            "/endTime",
            "/end_time",
        ])),
        attributes: attributes(first(&["/attributes", "/tags"])),
        at: at.clone(),
        ..Span::default()
    };
    if let (Some(length), 0) = (value.get("duration").and_then(Value::as_f64), span.end) {
        // Jaeger's, in microseconds; a cast saturates.
        span.end = span.start.saturating_add((length / 1000.0) as i64);
    }
    let flat = value.as_object().into_iter().flatten();
    let flat = flat.filter_map(|(key, value)| Some((key.strip_prefix("attributes.")?, value)));
    span.attributes
        .extend(flat.map(|(key, value)| (key.to_owned(), value.clone())));
    let failed = first(&["/status/code", "/status/status_code", "/status_code"]);
    let failed = failed.is_some_and(|code| {
        code.as_u64() == Some(2) || code.as_str().is_some_and(|code| code.ends_with("ERROR"))
    });
    if failed {
        let says = first(&["/status/message", "/status/description", "/status_message"]);
        let says = says.and_then(Value::as_str).filter(|says| !says.is_empty());
        span.error = Some(says.unwrap_or("the span ended with an error").to_owned());
    }
    let events = first(&["/events", "/logs"]).and_then(Value::as_array);
    span.events.extend(events.into_iter().flatten().map(event));
    span.log = value.get("body").is_some() || value.get("eventName").is_some();
    if span.log {
        span.events.push(event(value));
        span.attributes = Map::new();
    }
    span
}

fn event(value: &Value) -> Event {
    let listed = value.get("attributes").or_else(|| value.get("fields"));
    let mut attributes = attributes(listed);
    match value.get("body").map(plain) {
        Some(Value::Object(members)) => attributes.extend(members),
        Some(Value::Null) | None => {}
        Some(words) => {
            attributes.insert("content".to_owned(), words);
        }
    }
    let named = ["name", "eventName", "event_name"]
        .iter()
        .find_map(|key| word(value, key));
    let named = named.or_else(|| {
        attributes
            .get("event.name")
            .or(attributes.get("event"))?
            .as_str()
    });
    Event {
        name: named.unwrap_or_default().to_owned(),
        attributes,
    }
}

/// A time in nanoseconds or microseconds, or as any log spells it.
fn time(value: Option<&Value>) -> i64 {
    let number = value.and_then(|value| match value {
        Value::String(text) => text.parse::<i64>().ok(),
        value => value.as_i64(),
    });
    match number {
        Some(nanos) if nanos > 100_000_000_000_000_000 => nanos / 1_000_000,
        Some(micros) if micros > 100_000_000_000_000 => micros / 1000,
        _ => millis(value),
    }
}
