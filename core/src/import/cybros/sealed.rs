//! Entries as they are sent: a sealed request, or an estimate that renders one.

use serde_json::{Value, json};

use super::super::pen::{Answer, Outcome, Pen, Piece};
use super::super::record::{At, Record, flag, rest, word};
use crate::transcript::Imported;

/// Whether a value is a sealed request, or an estimate.
pub(super) fn is(value: &Value) -> bool {
    request(value).is_some() || estimate(value).is_some()
}

/// A request with its entries: `{"request": {"entries", "request_options"}}`, or what is in it.
fn request(value: &Value) -> Option<(&Value, &'static str)> {
    let is = |value: &Value| {
        value.get("entries").is_some_and(Value::is_array) && value.get("request_options").is_some()
    };
    let inner = value.get("request").map(|inner| (inner, "/request"));
    inner
        .into_iter()
        .chain([(value, "")])
        .find(|(value, _)| is(value))
}

/// An estimate, rendered or not: `{"context_estimate": {…}}`, or what is in it.
fn estimate(value: &Value) -> Option<(&Value, &'static str)> {
    let is = |value: &Value| {
        value.get("input_tokens").is_some() && value.get("tokenizer_exact").is_some()
    };
    let inner = value
        .get("context_estimate")
        .map(|inner| (inner, "/context_estimate"));
    inner
        .into_iter()
        .chain([(value, "")])
        .find(|(value, _)| is(value))
}

/// The conversation that entries are.
pub(super) fn read(record: &Record) -> Imported {
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    let Some((body, inside)) = request(&record.value).or_else(|| estimate(&record.value)) else {
        return pen.finish();
    };
    let at = record.at.inside(inside);
    let options = body.get("request_options").unwrap_or(&Value::Null);
    if let Some(instructions) = options.get("instructions").filter(|text| text.is_string()) {
        pen.system(
            "system",
            instructions,
            &at.inside("/request_options/instructions"),
            0,
        );
    }
    if let Some(tools) = options.get("tools") {
        pen.tools(tools, &at.inside("/request_options/tools"));
    }
    match body.get("entries").and_then(Value::as_array) {
        Some(list) => entries(&mut pen, list, &at.inside("/entries")),
        None => {
            let says = "an estimate that was not asked to render holds counts and no entries";
            pen.count("no_messages", "", says, &at);
        }
    }
    if options.is_null() {
        // What was measured of it, not what is sent.
        if let Some(Value::Object(facts)) = rest(body, &["entries"]) {
            pen.facts(facts, 0);
        }
    } else {
        pen.transcript().request = Some(body.clone());
    }
    pen.finish()
}

fn entries(pen: &mut Pen, list: &[Value], at: &At) {
    let mut list = list.iter().enumerate().peekable();
    while let Some((index, entry)) = list.next() {
        let at = at.inside(&format!("/{index}"));
        let payload = entry.get("payload").unwrap_or(&Value::Null);
        let own = |key: &str| word(payload, key).unwrap_or_default();
        match (word(entry, "type"), word(entry, "role")) {
            (Some("tool_result_item"), _) => {
                let result = Outcome {
                    call: own("call_id"),
                    function: own("name"),
                    content: payload.get("output").cloned().unwrap_or_default(),
                    failed: flag(payload, "is_error"),
                    details: Value::Null,
                };
                pen.result(result, &at, 0);
            }
            (_, Some("assistant")) | (Some("tool_call_item"), _) => {
                if entry.get("phase").is_some() {
                    let says = "the phase of an answer's words is not kept";
                    pen.count("phase_not_kept", "", says, &at);
                }
                let mut said = pieces(entry);
                let calls =
                    |(_, next): &(usize, &Value)| word(next, "type") == Some("tool_call_item");
                while let Some((_, call)) = list.next_if(calls) {
                    said.extend(pieces(call));
                }
                pen.answer(said, Answer::default(), &at);
            }
            (_, Some(role @ ("system" | "developer"))) => {
                pen.system(role, &json!(parts(entry)), &at, 0)
            }
            (_, Some("user")) => pen.user(&json!(parts(entry)), &at, 0),
            (kind, role) => {
                let kind = kind.or(role).unwrap_or_default();
                let says = "entries of kinds that are not known here are kept aside";
                pen.count("entry_unknown", kind, says, &at);
                pen.aside(kind, "", Some(entry.clone()), 0);
            }
        }
    }
}

/// What an entry of the model's says or calls.
fn pieces(entry: &Value) -> Vec<Piece> {
    let Some(payload) = entry.get("payload") else {
        return parts(entry).into_iter().map(Piece::Part).collect();
    };
    let own = |key: &str| word(payload, key).unwrap_or_default().to_owned();
    let arguments = payload.get("arguments").cloned().unwrap_or_default();
    vec![Piece::Call(own("call_id"), own("name"), arguments)]
}

/// The parts of an entry; an upload that is sent natively is a file that is not in the text.
fn parts(entry: &Value) -> Vec<Value> {
    let parts = entry.get("parts").and_then(Value::as_array);
    let part = |part: &Value| match word(part, "upload_public_id") {
        Some(id) => json!({"type": "file", "file": {"file_id": id}}),
        None => part.clone(),
    };
    parts.into_iter().flatten().map(part).collect()
}
