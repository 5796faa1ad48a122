//! Gemini's API: requests, responses whole or streamed, lines of a batch and of its results, bare contents.

use serde_json::{Map, Value, json};

use crate::json::Notes;
use crate::transcript::Imported;
use crate::wire::gemini::API_FORMAT;
use crate::wire::{Reader, Reply, usage};

use super::exchange::{self, Api, either, model};
use super::record::{Record, word};
use super::time::millis;
use super::{Ask, stream};

/// The API.
pub(super) const API: Api = Api {
    api_format: API_FORMAT,
    shows,
    is_message: is_content,
    body,
    request,
};

/// Whether a file, or a line of one, is of this API.
pub(super) fn is(value: &Value) -> bool {
    exchange::is(&API, value)
}

/// Whether a value is a conversation by itself; a content is none, nor is a piece of a streamed response.
pub(super) fn each(value: &Value) -> bool {
    !is_content(value) && !is_response(value)
}

/// The conversations of records. Responses that stand beside each other are one that was streamed.
pub(super) fn read(records: Vec<Record>, _: &Ask, notes: &mut Notes) -> Vec<Imported> {
    let streamed = records.len() > 1 && records.iter().all(|record| is_response(&record.value));
    let records = match (streamed, records.first()) {
        (true, Some(first)) => {
            let at = first.at.clone();
            let value = records.into_iter().map(|record| record.value).collect();
            vec![Record { value, at }]
        }
        _ => records,
    };
    exchange::read(&API, records, notes)
}

fn is_content(value: &Value) -> bool {
    let parts = value.get("parts").and_then(Value::as_array);
    parts.is_some_and(|parts| parts.iter().all(|part| word(part, "type").is_none()))
}

fn is_response(value: &Value) -> bool {
    value.get("candidates").is_some_and(Value::is_array)
}

fn shows(value: &Value) -> bool {
    let contents = value.get("contents");
    let listed = contents.and_then(Value::as_array);
    is_content(value)
        || is_response(value)
        || listed.is_some_and(|list| list.is_empty() || list.iter().any(is_content))
        || contents.is_some_and(is_content)
}

fn body(reader: &mut Reader, body: &Value, at: &str) -> bool {
    if let Some(pieces) = body.as_array() {
        let streamed = !pieces.is_empty() && pieces.iter().all(is_response);
        return streamed && self::body(reader, &stream::of_gemini(pieces), at);
    }
    let contents = either(body, &["contents"]);
    if contents.is_none() && !is_response(body) {
        return false;
    }
    model(reader, body, &["model", "modelVersion", "model_version"]);
    if let Some(contents) = contents {
        // A Python client holds in `config` what the wire has beside the contents.
        for inside in ["", "/config"] {
            let source = body.pointer(inside).unwrap_or(&Value::Null);
            for key in ["systemInstruction", "system_instruction"] {
                if let Some(system) = either(source, &[key]) {
                    reader.instructions(system, &format!("{at}{inside}/{key}"));
                }
            }
            reader.tools(source.get("tools"), &format!("{at}{inside}/tools"));
        }
        let pointer = format!("{at}/contents");
        match contents {
            Value::Array(items) if items.first().is_some_and(Value::is_string) => {
                let words = json!({"role": "user", "content": items});
                reader.message(&words, &pointer);
            }
            Value::Array(_) => reader.messages(contents, &pointer),
            Value::String(_) => {
                reader.message(&json!({"role": "user", "content": contents}), &pointer);
            }
            content => reader.message(content, &pointer),
        }
    }
    if is_response(body) {
        answer(reader, body, at);
    }
    true
}

fn answer(reader: &mut Reader, body: &Value, at: &str) {
    let candidates = body.get("candidates").and_then(Value::as_array);
    let blocked = either(body, &["promptFeedback", "prompt_feedback"]);
    let blocked = blocked.and_then(|told| either(told, &["blockReason", "block_reason"]));
    let first = candidates.and_then(|candidates| candidates.first());
    let reason = first.and_then(|first| either(first, &["finishReason", "finish_reason"]));
    let reason = reason.or(blocked).and_then(Value::as_str);
    let told = first.and_then(|first| either(first, &["finishMessage", "finish_message"]));
    let counted = either(body, &["usageMetadata", "usage_metadata"]);
    let time = either(body, &["createTime", "create_time"]);
    let reply = Reply {
        stop_reason: reason,
        error: told.and_then(Value::as_str),
        usage: usage(counted),
        timestamp: millis(time),
        ..Reply::default()
    };
    let nothing = Value::Object(Map::new());
    let content = first.and_then(|first| either(first, &["content"]));
    let pointer = format!("{at}/candidates/0");
    reader.reply(
        content.unwrap_or(&nothing),
        &format!("{pointer}/content"),
        reply,
    );
    let grounded = [
        "groundingMetadata",
        "grounding_metadata",
        "citationMetadata",
    ];
    if first.is_some_and(|first| either(first, &grounded).is_some()) {
        let message = "the sources that the answer names are not kept";
        reader.note("sources_not_kept", &pointer, message);
    }
    let others = candidates.map_or(0, Vec::len).saturating_sub(1);
    if others > 0 {
        let message = format!("the first candidate is kept; {others} more are not");
        reader.note("choices_not_kept", &format!("{at}/candidates/1"), &message);
    }
}

fn request(body: &Value) -> Option<Value> {
    let sent = body.get("contents").is_some() && !is_response(body);
    sent.then(|| body.clone())
}
