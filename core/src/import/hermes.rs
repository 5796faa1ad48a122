//! Sessions of Hermes Agent: those that it exports, one a line, those that it saves whole, and the logs of its
//! gateway, which begin with what the session is.
//!
//! A session that was compressed goes on in another one; where an export holds all of them, each stands for those
//! before it. What was taken back is there and says that it is not active.

use serde_json::{Map, Value, json};

use super::Ask;
use super::pen::{Answer, Outcome, Pen};
use super::record::{Record, filled, rest, text_of, word};
use super::time::millis;
use crate::json::Notes;
use crate::transcript::Imported;
use crate::wire::usage;

/// Whether a value is a whole session.
pub(super) fn is_whole(value: &Value) -> bool {
    let has = |key: &str| value.get(key).is_some_and(|member| !member.is_null());
    let exported = has("source") && has("started_at");
    let counted = has("message_count") || has("tool_call_count") || has("model_config");
    let saved = has("session_id") && has("session_start");
    let messages = value.get("messages").is_some_and(Value::is_array);
    messages && (exported && has("id") && counted || saved)
}

/// Whether a value is how a gateway's log begins.
pub(super) fn begins(value: &Value) -> bool {
    let about = ["tools", "platform", "model"];
    let about = about.iter().any(|key| value.get(key).is_some());
    word(value, "role") == Some("session_meta") && about
}

/// The conversations of a file.
pub(super) fn read(records: Vec<Record>, _: &Ask, _: &mut Notes) -> Vec<Imported> {
    let records = records.into_iter().flat_map(Record::items);
    let (whole, log): (Vec<Record>, Vec<Record>) =
        records.partition(|record| is_whole(&record.value));
    let mut found: Vec<Imported> = whole.iter().map(session).collect();
    if !log.is_empty() {
        let mut pen = pen();
        let head = log.iter().find(|row| begins(&row.value));
        let model = head.and_then(|head| word(&head.value, "model"));
        for row in &log {
            message(&mut pen, row, model);
        }
        pen.name(None);
        found.push(pen.finish());
    }
    found
}

fn pen() -> Pen {
    // It talks to every provider; the pen needs no wire to read what they said.
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    pen
}

fn session(record: &Record) -> Imported {
    let value = &record.value;
    let mut pen = pen();
    if let Some(prompt) = filled(value, "system_prompt") {
        pen.system(
            "system",
            &json!(prompt),
            &record.at.inside("/system_prompt"),
            0,
        );
    }
    if let Some(tools) = value.get("tools").filter(|tools| tools.is_array()) {
        pen.tools(tools, &record.at.inside("/tools"));
    }
    let apart = ["messages", "segments", "system_prompt", "title", "tools"];
    if let Some(Value::Object(told)) = rest(value, &apart) {
        let began = value
            .get("started_at")
            .or_else(|| value.get("session_start"));
        pen.facts(told, millis(began));
    }
    let segments = record.members("segments");
    let model = |value| filled(value, "model");
    for (index, segment) in segments.iter().enumerate() {
        if index > 0 {
            let mut told = Map::new();
            if let Some(id) = word(&segment.value, "id") {
                told.insert("session".to_owned(), json!(id));
            }
            // The summary is the first that is said then.
            pen.compaction("", told, millis(segment.value.get("started_at")));
        }
        for row in segment.members("messages") {
            message(&mut pen, &row, model(&segment.value));
        }
    }
    if segments.is_empty() {
        for row in record.members("messages") {
            message(&mut pen, &row, model(value));
        }
    }
    pen.name(filled(value, "title"));
    pen.finish()
}

/// A column that is JSON, or a text of it.
fn column(value: &Value, key: &str) -> Option<Value> {
    match value.get(key)? {
        Value::Null => None,
        Value::String(text) => serde_json::from_str(text).ok(),
        told => Some(told.clone()),
    }
}

fn message(pen: &mut Pen, row: &Record, model: Option<&str>) {
    let Record { value, at } = row;
    let time = millis(value.get("timestamp"));
    let shown = value.get("content").unwrap_or(&Value::Null);
    let content = match filled(value, "api_content") {
        Some(sent) if shown.as_str() != Some(sent) => {
            let says = "what the page showed in the place of what was sent is not kept; messages";
            pen.count("display_not_kept", "", says, at);
            json!(sent)
        }
        _ => shown.clone(),
    };
    let off = matches!(value.get("active"), Some(Value::Bool(false)))
        || value.get("active").and_then(Value::as_i64) == Some(0);
    let hidden = word(value, "display_kind") == Some("hidden");
    let nothing = content.is_null() || content == json!("") || content == json!([]);
    match word(value, "role").unwrap_or_default() {
        "session_meta" => {
            if let Some(Value::Object(told)) = rest(value, &["role", "tools", "content"]) {
                pen.facts(told, time);
            }
            if let Some(tools) = value.get("tools").filter(|tools| tools.is_array()) {
                pen.tools(tools, &at.inside("/tools"));
            }
        }
        _ if off => {
            let words = text_of(Some(&content));
            pen.aside("not_sent", &words, Some(value.clone()), time);
        }
        "assistant" => {
            let mut message = Map::new();
            message.insert("content".to_owned(), content);
            for key in ["tool_calls", "reasoning_details"] {
                match column(value, key) {
                    Some(told) => {
                        message.insert(key.to_owned(), told);
                    }
                    None if filled(value, key).is_some() => {
                        let says = "what should be JSON in a text and is none is not read";
                        pen.count("column_unreadable", key, says, at);
                    }
                    None => {}
                }
            }
            let thought = filled(value, "reasoning_content").or_else(|| filled(value, "reasoning"));
            if let Some(thought) = thought {
                message.insert("reasoning_content".to_owned(), json!(thought));
            }
            if let Some(items) = column(value, "codex_reasoning_items") {
                let items = items.as_array().into_iter().flatten();
                let sealed = items.filter_map(|item| filled(item, "encrypted_content"));
                let sealed: Vec<Value> = sealed
                    .map(|data| json!({"type": "reasoning.encrypted", "data": data}))
                    .collect();
                message
                    .entry("reasoning_details")
                    .or_insert_with(|| Value::Array(sealed));
            }
            let answer = Answer {
                stop_reason: filled(value, "finish_reason"),
                model: filled(value, "model").or(model),
                usage: usage(value.get("usage")),
                timestamp: time,
                ..Answer::default()
            };
            let called = message
                .get("tool_calls")
                .and_then(Value::as_array)
                .is_some_and(|calls| !calls.is_empty());
            match nothing && !called && thought.is_none() {
                true => pen.wordless("assistant", at),
                false => pen.reply(&Value::Object(message), answer, at),
            }
        }
        "tool" => {
            let outcome = Outcome {
                call: word(value, "tool_call_id").unwrap_or_default(),
                function: filled(value, "tool_name")
                    .or_else(|| word(value, "name"))
                    .unwrap_or_default(),
                content,
                ..Outcome::default()
            };
            pen.result(outcome, at, time);
        }
        role @ ("user" | "system") if nothing => pen.wordless(role, at),
        "user" if hidden => pen.injected(&content, false, "hidden", at, time),
        "user" => pen.user(&content, at, time),
        "system" => pen.system("system", &content, at, time),
        "" => pen.not_a_message(at),
        role => pen.role_unknown(role, &text_of(Some(&content)), value, at, time),
    }
}
