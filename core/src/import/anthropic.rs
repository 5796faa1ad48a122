//! Anthropic Messages: requests, responses, lines of a batch and of its results, bare lists.

use serde_json::Value;

use crate::json::Notes;
use crate::transcript::Imported;
use crate::wire::Reader;
use crate::wire::anthropic::API_FORMAT;

use super::exchange::{self, Api, model};
use super::record::{Record, word};
use super::{Ask, shapes};

/// The API.
pub(super) const API: Api = Api {
    api_format: API_FORMAT,
    shows,
    is_message: shapes::is_message,
    body,
    request,
};

/// Whether a file, or a line of one, is of this API. Messages of nothing but texts read alike in this shape and
/// as Chat Completions, and count as those.
pub(super) fn is(value: &Value) -> bool {
    let batch = |value: &Value| {
        value.get("custom_id").is_some()
            && (value.pointer("/params/messages").is_some()
                || value.pointer("/result/type").is_some_and(Value::is_string))
    };
    exchange::is(&API, value) || batch(value)
}

/// Whether a value is a conversation by itself.
pub(super) fn each(value: &Value) -> bool {
    !(API.is_message)(value)
}

/// The conversations of records.
pub(super) fn read(records: Vec<Record>, _: &Ask, notes: &mut Notes) -> Vec<Imported> {
    exchange::read(&API, records, notes)
}

fn shows(value: &Value) -> bool {
    let items = |key: &str| {
        value
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let response = word(value, "type") == Some("message")
        && value.get("stop_reason").is_some()
        && value.get("content").is_some_and(Value::is_array);
    response
        || has_blocks(value)
        || items("messages").any(has_blocks)
        || items("tools").any(|tool| tool.get("input_schema").is_some())
        || is_claudes(value)
}

/// Whether a request is to a model of this provider and in its shape.
fn is_claudes(request: &Value) -> bool {
    let messages = request.get("messages").and_then(Value::as_array);
    let mut messages = messages.into_iter().flatten().peekable();
    let known = |message: &Value| {
        matches!(word(message, "role"), Some("user" | "assistant"))
            && message.get("tool_calls").is_none()
    };
    word(request, "model").is_some_and(|model| model.starts_with("claude"))
        && request.get("max_tokens").is_some()
        && messages.peek().is_some()
        && messages.all(known)
}

/// Whether a message has blocks that only this shape has.
fn has_blocks(message: &Value) -> bool {
    let blocks = message.get("content").and_then(Value::as_array);
    message.get("role").is_some()
        && blocks.into_iter().flatten().any(|block| {
            let kind = word(block, "type").unwrap_or_default();
            let sourced = block.pointer("/source/type").is_some_and(Value::is_string);
            match kind {
                "tool_use" | "tool_result" | "redacted_thinking" | "server_tool_use" => true,
                "thinking" => block.get("thinking").is_some_and(Value::is_string),
                "image" | "document" => sourced,
                _ => block.get("cache_control").is_some(),
            }
        })
}

fn body(reader: &mut Reader, body: &Value, at: &str) -> bool {
    if body.get("role").is_some() && body.get("content").is_some() {
        model(reader, body, &["model"]);
        reader.message(body, at);
        edited(reader, body, at);
        return true;
    }
    let Some(messages) = body.get("messages") else {
        return false;
    };
    model(reader, body, &["model"]);
    if let Some(system) = body.get("system").filter(|system| !system.is_null()) {
        reader.instructions(system, &format!("{at}/system"));
    }
    reader.messages(messages, &format!("{at}/messages"));
    reader.tools(body.get("tools"), &format!("{at}/tools"));
    true
}

/// Tells what the model did not see of what the file still holds.
fn edited(reader: &mut Reader, body: &Value, at: &str) {
    let path = "/context_management/applied_edits";
    let edits = body.pointer(path).and_then(Value::as_array);
    let kinds = edits.into_iter().flatten();
    let kinds: Vec<&str> = kinds.filter_map(|edit| word(edit, "type")).collect();
    if !kinds.is_empty() {
        let message = format!(
            "the provider cleared parts of what it was sent, which stand here all the same: {}",
            kinds.join(", ")
        );
        reader.note("context_edited", &format!("{at}{path}"), &message);
    }
}

fn request(body: &Value) -> Option<Value> {
    let sent = body.get("messages").is_some_and(Value::is_array);
    let named = body.get("model").is_some_and(Value::is_string);
    (sent && named).then(|| body.clone())
}
