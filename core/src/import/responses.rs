//! OpenAI Responses: requests, responses, lists of items as the API and the dashboard give them out, compactions.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::json::Notes;
use crate::transcript::Imported;
use crate::wire::responses::{API_FORMAT, is_item};
use crate::wire::{Reader, Reply, usage};

use super::exchange::{self, Api, model};
use super::record::{Record, word};
use super::time::millis;
use super::{Ask, shapes};

/// The API.
pub(super) const API: Api = Api {
    api_format: API_FORMAT,
    shows,
    is_message: |value| of_type(value) || shapes::is_message(value),
    body,
    request,
};

/// Whether a file, or a line of one, is of this API.
pub(super) fn is(value: &Value) -> bool {
    exchange::is(&API, value)
}

/// Whether a value is a conversation by itself.
pub(super) fn each(value: &Value) -> bool {
    !(API.is_message)(value)
}

/// The conversations of records.
pub(super) fn read(records: Vec<Record>, _: &Ask, notes: &mut Notes) -> Vec<Imported> {
    exchange::read(&API, records, notes)
}

fn of_type(value: &Value) -> bool {
    let kind = word(value, "type").unwrap_or_default();
    (is_item(kind) || kind == "message") && value.get("stop_reason").is_none()
}

fn shows(value: &Value) -> bool {
    let known = [
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "compaction",
        "item_reference",
    ];
    let item = |value: &Value| {
        word(value, "type").is_some_and(|kind| known.contains(&kind)) && of_type(value)
    };
    let part = |value: &Value| {
        let parts = value.get("content").and_then(Value::as_array);
        let kinds = parts.into_iter().flatten();
        value.get("role").is_some()
            && kinds
                .filter_map(|part| word(part, "type"))
                .any(|kind| matches!(kind, "input_text" | "output_text"))
    };
    let shown = |value: &Value| item(value) || part(value);
    let within = |key: &str| {
        let items = value.get(key).and_then(Value::as_array);
        items.into_iter().flatten().map(entry).any(shown)
    };
    let output = value.get("output").is_some_and(Value::is_array);
    let object = word(value, "object").unwrap_or_default();
    let input = value
        .get("input")
        .is_some_and(|input| input.is_string() || input.is_array());
    shown(value)
        || output && matches!(object, "response" | "response.compaction")
        || !object.is_empty() && within("data")
        || within("input")
        || input
            && value.get("model").is_some_and(Value::is_string)
            && value.get("messages").is_none()
}

/// An entry of a list: an item, or what the dashboard puts around one.
fn entry(value: &Value) -> &Value {
    value.get("item").unwrap_or(value)
}

fn body(reader: &mut Reader, body: &Value, at: &str) -> bool {
    if let Some(items) = body.get("data").and_then(Value::as_array) {
        list(reader, body, items, at);
        return true;
    }
    let (input, output) = (body.get("input"), body.get("output"));
    let output = output.filter(|output| output.is_array());
    if output.is_none() && !input.is_some_and(|input| input.is_string() || input.is_array()) {
        return false;
    }
    model(reader, body, &["model"]);
    let instructions = body.get("instructions").filter(|text| !text.is_null());
    // What a response repeats of its request is not said twice.
    let fresh = reader.transcript().system.is_empty() && reader.transcript().messages.is_empty();
    if let Some(instructions) = instructions.filter(|_| fresh) {
        let pointer = format!("{at}/instructions");
        match instructions.is_array() {
            true => reader.messages(instructions, &pointer),
            false => reader.instructions(instructions, &pointer),
        }
    }
    for member in ["previous_response_id", "conversation"] {
        if body.get(member).is_some_and(|id| !id.is_null()) && fresh {
            let pointer = format!("{at}/{member}");
            let message = "what was said before stands with the provider and not in this file";
            reader.note("earlier_not_in_file", &pointer, message);
        }
    }
    match input {
        Some(words @ Value::String(_)) => {
            reader.message(
                &json!({"role": "user", "content": words}),
                &format!("{at}/input"),
            );
        }
        Some(items @ Value::Array(_)) => reader.messages(items, &format!("{at}/input")),
        _ => {}
    }
    if reader.transcript().tools.is_empty() {
        reader.tools(body.get("tools"), &format!("{at}/tools"));
    }
    let pointer = format!("{at}/output");
    match output {
        Some(items) if word(body, "object") == Some("response.compaction") => {
            reader.messages(items, &pointer);
        }
        Some(items) => {
            let cut = body
                .pointer("/incomplete_details/reason")
                .and_then(Value::as_str);
            let status = word(body, "status").filter(|status| *status != "completed");
            let reply = Reply {
                stop_reason: cut.or(status),
                error: body.pointer("/error/message").and_then(Value::as_str),
                usage: usage(body.get("usage")),
                timestamp: millis(body.get("created_at")),
                ..Reply::default()
            };
            reader.reply(items, &pointer, reply);
        }
        None => {}
    }
    true
}

/// A list that the API or the dashboard gave out, which may begin with the newest item.
fn list(reader: &mut Reader, body: &Value, items: &[Value], at: &str) {
    let mut placed: Vec<(usize, &Value)> = items.iter().enumerate().collect();
    if newest_first(items) {
        placed.reverse();
        let message = "the list begins with its newest item; it is read from its end";
        reader.note("order_reversed", &format!("{at}/data"), message);
    }
    if body.get("has_more").and_then(Value::as_bool) == Some(true) {
        let message = "the list goes on in further pages; only this one is here";
        reader.note("more_not_in_file", &format!("{at}/has_more"), message);
    }
    for (index, value) in placed {
        if let Some(info) = value.get("response_info") {
            model(reader, info, &["model"]);
        }
        let inside = if value.get("item").is_some() {
            "/item"
        } else {
            ""
        };
        reader.message(entry(value), &format!("{at}/data/{index}{inside}"));
    }
}

/// Whether results stand before their calls or, without any, an answer before everything and words at the end.
fn newest_first(items: &[Value]) -> bool {
    let mut called = BTreeSet::new();
    let mut answered = BTreeSet::new();
    let mut any = false;
    for item in items.iter().map(entry) {
        let kind = word(item, "type").unwrap_or_default();
        let Some(id) = word(item, "call_id") else {
            continue;
        };
        if kind.ends_with("_output") {
            any |= called.contains(id);
            answered.insert(id);
        } else if answered.contains(id) {
            return true;
        } else {
            called.insert(id);
        }
    }
    let ends = [items.first(), items.last()].map(|item| item.map(entry));
    let roles = ends.map(|item| item.and_then(|item| word(item, "role")));
    !any && roles == [Some("assistant"), Some("user")]
}

fn request(body: &Value) -> Option<Value> {
    let sent = body.get("input").is_some() && body.get("output").is_none();
    let known = ["model", "prompt", "instructions", "tools"];
    let known = known.into_iter().any(|key| body.get(key).is_some());
    (sent && known).then(|| body.clone())
}
