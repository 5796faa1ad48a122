//! Sessions of Crush, as it prints them: `{meta, messages: [{role, parts}]}`.
//!
//! What it prints leaves some things out: the bytes of files, what errors said, which message is a summary.

use serde_json::{Value, json};

use super::Ask;
use super::pen::{Answer, Outcome, Pen, Piece};
use super::record::{Record, conversations, facts, filled, flag, rest, word};
use super::time::millis;
use crate::json::Notes;
use crate::transcript::Imported;

/// Whether a value is such a session.
pub(super) fn is(value: &Value) -> bool {
    let meta = value.get("meta").unwrap_or(&Value::Null);
    let counted = meta.get("prompt_tokens").is_some_and(Value::is_number);
    let messages = value.get("messages").is_some_and(Value::is_array);
    messages && counted && word(meta, "id").is_some()
}

/// The conversations of a file.
pub(super) fn read(records: Vec<Record>, _: &Ask, notes: &mut Notes) -> Vec<Imported> {
    conversations(records, is, notes, session)
}

fn session(record: &Record) -> Imported {
    let meta = record.value.get("meta").unwrap_or(&Value::Null);
    // It talks to every provider; the pen needs no wire to read what they said.
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    if let Some(Value::Object(told)) = rest(meta, &["title"]) {
        pen.facts(told, millis(meta.get("created")));
    }
    for message in record.members("messages") {
        match word(&message.value, "role").unwrap_or_default() {
            "assistant" => assistant(&mut pen, &message),
            "tool" => results(&mut pen, &message),
            role => said(&mut pen, &message, role),
        }
    }
    pen.name(filled(meta, "title"));
    pen.finish()
}

fn parts(message: &Record) -> impl Iterator<Item = &Value> {
    let parts = message.value.get("parts").and_then(Value::as_array);
    parts.into_iter().flatten()
}

fn time(message: &Record) -> i64 {
    millis(message.value.get("created"))
}

/// What a part says; `None` when nothing of it is for the model.
fn part(pen: &mut Pen, part: &Value, message: &Record) -> Option<Value> {
    match word(part, "type").unwrap_or_default() {
        "text" => filled(part, "text").map(|text| json!({"type": "text", "text": text})),
        "reasoning" => {
            let text = filled(part, "thinking")?;
            Some(json!({"type": "thinking", "thinking": text}))
        }
        "image_url" => {
            let url = word(part, "url")?;
            Some(json!({"type": "image_url", "image_url": {"url": url}}))
        }
        "finish" => None,
        "binary" => {
            let says = "the bytes of files are not in the file";
            let kind = word(part, "mime_type").unwrap_or_default();
            pen.count("attachment_not_in_file", kind, says, &message.at);
            None
        }
        kind => {
            let says = "parts of kinds that are not known here are kept aside";
            let kind = match kind {
                "" => "part",
                kind => kind,
            };
            pen.count("part_unknown", kind, says, &message.at);
            pen.aside(kind, "", Some(part.clone()), time(message));
            None
        }
    }
}

/// What the person said, or another who is no model.
fn said(pen: &mut Pen, message: &Record, role: &str) {
    let content: Vec<Value> = parts(message)
        .filter_map(|one| part(pen, one, message))
        .collect();
    let (content, time) = (Value::Array(content), time(message));
    match role {
        _ if content == json!([]) => pen.wordless(role, &message.at),
        "user" => pen.user(&content, &message.at, time),
        "system" => pen.system(role, &content, &message.at, time),
        role => {
            let words = super::record::text_of(Some(&content));
            pen.role_unknown(role, &words, &message.value, &message.at, time);
        }
    }
}

fn assistant(pen: &mut Pen, message: &Record) {
    let mut pieces = Vec::new();
    let mut stop_reason = None;
    for one in parts(message) {
        match word(one, "type") {
            Some("tool_call") => {
                let own = |key: &str| word(one, key).unwrap_or_default().to_owned();
                let input = one.get("input").cloned().unwrap_or_else(|| json!({}));
                pieces.push(Piece::Call(own("tool_call_id"), own("name"), input));
            }
            Some("finish") => stop_reason = filled(one, "reason"),
            _ => pieces.extend(part(pen, one, message).map(Piece::Part)),
        }
    }
    let answer = Answer {
        stop_reason,
        model: filled(&message.value, "model"),
        timestamp: time(message),
        ..Answer::default()
    };
    match (pieces.is_empty(), stop_reason) {
        (false, _) => pen.answer(pieces, answer, &message.at),
        (true, Some(reason @ ("error" | "canceled" | "permission_denied"))) => {
            pen.aside(reason, "", None, time(message));
        }
        (true, _) => pen.wordless("assistant", &message.at),
    }
}

fn results(pen: &mut Pen, message: &Record) {
    for one in parts(message) {
        if word(one, "type") != Some("tool_result") {
            if let Some(said) = part(pen, one, message) {
                pen.injected(&json!([said]), true, "tool", &message.at, time(message));
            }
            continue;
        }
        let beside = facts(one, &["mime_type", "metadata"]);
        let outcome = Outcome {
            call: word(one, "tool_call_id").unwrap_or_default(),
            function: word(one, "name").unwrap_or_default(),
            content: json!(word(one, "content").unwrap_or_default()),
            failed: flag(one, "is_error"),
            details: match beside.is_empty() {
                true => Value::Null,
                false => Value::Object(beside),
            },
        };
        pen.result(outcome, &message.at, time(message));
    }
}
