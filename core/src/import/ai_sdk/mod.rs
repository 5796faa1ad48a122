//! Messages of the AI SDK: UI messages as apps store them, the model messages that are sent, and lists in which
//! both stand beside each other.
//!
//! Every message is read by what it has: `parts`, a content of parts, or what version 4 and before put beside
//! the text. One UI message holds several calls of the model: each `step-start` begins another answer, and what
//! the functions of an answer came back with follows it. Sources, data and approvals are not sent; they are kept
//! aside, an approval next to its call.

pub(super) mod devtools;
mod parts;

use std::borrow::Cow;

use indexmap::IndexMap;
use serde_json::{Value, json};

use super::Ask;
use super::pen::{Answer, Pen};
use super::record::{At, Record, rest, word};
use super::time::millis;
use crate::json::Notes;
use crate::transcript::{Imported, Usage};
use parts::Step;

/// The conversations of records: a chat with its messages is one by itself, loose messages of one chat are one
/// together.
pub(super) fn read(records: Vec<Record>, _: &Ask, _: &mut Notes) -> Vec<Imported> {
    let mut found = Vec::new();
    let mut loose: IndexMap<String, Pen> = IndexMap::new();
    for record in records.into_iter().flat_map(Record::items) {
        if is_chat(&record.value) {
            found.push(chat(&record));
        } else {
            // Rows of a table name the chat they are of.
            let chat = word(&record.value, "chatId").unwrap_or_default();
            let pen = loose.entry(chat.to_owned()).or_insert_with(pen);
            message(pen, &record.value, &record.at);
        }
    }
    found.extend(loose.into_values().map(Pen::finish));
    found
}

/// Whether a value is a chat of its own, not a message of one.
pub(super) fn is_chat(value: &Value) -> bool {
    value.get("messages").is_some_and(Value::is_array)
}

/// Whether a message is spelled as only the AI SDK spells one.
pub(super) fn is_own(message: &Value) -> bool {
    let list = |key: &str| message.get(key).and_then(Value::as_array);
    let typed = |part: &Value| word(part, "type").is_some();
    word(message, "role").is_some()
        && (list("parts").is_some_and(|parts| parts.iter().any(typed))
            || list("content").is_some_and(|parts| parts.iter().any(parts::is_own))
            || list("toolInvocations").is_some()
            || list("experimental_attachments").is_some())
}

/// What is read of a message.
const MEMBERS: [&str; 15] = [
    "id",
    "chatId",
    "role",
    "parts",
    "content",
    "createdAt",
    "metadata",
    "finish_reason",
    "reasoning",
    "toolInvocations",
    "experimental_attachments",
    "attachments",
    "data",
    "providerOptions",
    "revisionId",
];

/// What is read of its metadata.
const METADATA: [&str; 6] = [
    "createdAt",
    "model",
    "modelId",
    "usage",
    "totalUsage",
    "finishReason",
];

fn pen() -> Pen {
    // The messages stand before any wire.
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    pen
}

/// A stored chat, or the body that a page posts to its server.
fn chat(record: &Record) -> Imported {
    let value = &record.value;
    let mut pen = pen();
    let model = word(value, "model").map(str::to_owned);
    pen.transcript().title = word(value, "title").map(str::to_owned);
    pen.transcript().model = model;
    for key in ["system", "instructions"] {
        instructions(
            &mut pen,
            value.get(key),
            &record.at.inside(&format!("/{key}")),
        );
    }
    for Record { value, at } in record.members("messages") {
        message(&mut pen, &value, &at);
    }
    tools(&mut pen, value.get("tools"), &record.at.inside("/tools"));
    pen.finish()
}

/// The system texts beside the messages: a text, a message, or a list of either.
fn instructions(pen: &mut Pen, value: Option<&Value>, at: &At) {
    match value {
        None | Some(Value::Null) => {}
        Some(Value::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                instructions(pen, Some(item), &at.inside(&format!("/{index}")));
            }
        }
        Some(message @ Value::Object(_)) => {
            let content = message.get("content").or_else(|| message.get("text"));
            pen.system("system", content.unwrap_or(message), at, 0);
        }
        Some(text) => pen.system("system", text, at, 0),
    }
}

/// The functions that could be called: a list of them, or an object by their names.
fn tools(pen: &mut Pen, value: Option<&Value>, at: &At) {
    let definition = |name: Option<&str>, tool: &Value| {
        let schemas = ["inputSchema", "parameters", "input_schema"];
        let schema = schemas.into_iter().find_map(|key| tool.get(key));
        let schema = schema.map(|schema| schema.get("jsonSchema").unwrap_or(schema));
        json!({
            "name": name.or_else(|| word(tool, "name")),
            "description": tool.get("description"),
            "parameters": schema,
        })
    };
    let list = match value {
        Some(Value::Array(tools)) => tools.iter().map(|tool| definition(None, tool)).collect(),
        Some(Value::Object(tools)) => {
            let named = tools.iter();
            named
                .map(|(name, tool)| definition(Some(name), tool))
                .collect()
        }
        _ => Vec::new(),
    };
    pen.tools(&Value::Array(list), at);
}

/// One message of any version.
pub(super) fn message(pen: &mut Pen, message: &Value, at: &At) {
    let metadata = message.get("metadata").unwrap_or(&Value::Null);
    let said = message
        .get("createdAt")
        .or_else(|| metadata.get("createdAt"));
    let time = millis(said);
    for (holder, known) in [(message, &MEMBERS[..]), (metadata, &METADATA)] {
        let others = rest(holder, known).filter(|_| is_own(message));
        let keys = others.as_ref().and_then(Value::as_object);
        for key in keys.into_iter().flat_map(|others| others.keys()) {
            let says = "what an app keeps beside the words of its messages is not read";
            pen.count("metadata_not_kept", key, says, at);
        }
    }
    match word(message, "role").unwrap_or_default() {
        "data" => {
            let data = message.get("data").or_else(|| message.get("content"));
            let text = data.map(Value::to_string).unwrap_or_default();
            pen.aside("data", &text, None, time);
        }
        _ if !is_own(message) => pen.message(message.clone(), at, time),
        "system" => {
            let texts: String = parts(message).iter().filter_map(parts::text).collect();
            pen.system("system", &json!(texts), at, time);
        }
        "assistant" => answers(pen, message, metadata, at, time),
        "tool" => {
            let mut step = Step::default();
            parts(message)
                .iter()
                .for_each(|part| step.add(part, pen, at));
            step.after(pen, at, time);
        }
        "user" => parts::said(pen, &parts(message), at, time),
        role => {
            let says = "messages of roles that are not known here are kept aside";
            pen.count("role_unknown", role, says, at);
            let texts: String = parts(message).iter().filter_map(parts::text).collect();
            pen.aside(role, &texts, rest(message, &["role"]), time);
        }
    }
}

/// The answers of one message of the model's, each with what its functions came back with.
fn answers(pen: &mut Pen, message: &Value, metadata: &Value, at: &At, time: i64) {
    let parts = parts(message);
    let mut steps = vec![Step::default()];
    for (index, part) in parts.iter().enumerate() {
        if parts::superseded(part, parts.get(index + 1..).unwrap_or_default()) {
            let says = "what a later part of the same call says anew is not read";
            pen.count("part_superseded", "", says, at);
            continue;
        }
        let begins = steps.last().is_some_and(|step| step.ends_before(part));
        if begins {
            steps.push(Step::default());
        }
        if let Some(step) = steps.last_mut() {
            step.add(part, pen, at);
        }
    }
    steps.retain(|step| !step.is_empty());
    if steps.is_empty() {
        steps.push(Step::default());
    }
    // A total over several answers is the size of none of them.
    let total = metadata.get("totalUsage").filter(|_| steps.len() == 1);
    let reported = usage(metadata.get("usage").or(total));
    if reported.is_none() && metadata.get("totalUsage").is_some_and(Value::is_object) {
        let says = "totals over several answers are no answer's usage and are not kept";
        pen.count("usage_not_kept", "", says, at);
    }
    let last = steps.len().saturating_sub(1);
    for (index, step) in steps.into_iter().enumerate() {
        let reason = word(metadata, "finishReason").or_else(|| word(message, "finish_reason"));
        let answer = Answer {
            stop_reason: reason.filter(|_| index == last),
            model: word(metadata, "model").or_else(|| word(metadata, "modelId")),
            usage: reported.clone().filter(|_| index == last),
            timestamp: time,
            ..Answer::default()
        };
        step.write(pen, answer, at);
    }
}

/// The parts of a message of any version. Parts say all but for the files that version 4 put beside them; without
/// parts the content does, and the other members beside it.
fn parts(message: &Value) -> Cow<'_, [Value]> {
    let list = |key: &str| message.get(key).and_then(Value::as_array);
    let filled = |key: &str| list(key).filter(|list| !list.is_empty());
    let mut parts = match filled("parts").or_else(|| list("content")) {
        Some(parts) => Cow::Borrowed(parts.as_slice()),
        None => Cow::Owned(beside(message)),
    };
    let files = filled("experimental_attachments").or_else(|| filled("attachments"));
    if let Some(files) = files {
        let files = files.iter().map(|file| {
            json!({"type": "file", "filename": file.get("name"), "mediaType": file.get("contentType"), "url": file.get("url")})
        });
        parts.to_mut().extend(files);
    }
    parts
}

/// The members that version 4 and before had in the place of parts.
fn beside(message: &Value) -> Vec<Value> {
    let own = |key: &str| word(message, key).filter(|text| !text.is_empty());
    let text = own("content").map(|text| json!({"type": "text", "text": text}));
    let reasoning = own("reasoning").map(|text| json!({"type": "reasoning", "text": text}));
    let calls = message.get("toolInvocations").and_then(Value::as_array);
    let typed = |call| json!({"type": "tool-invocation", "toolInvocation": call});
    let calls: Vec<Value> = calls.into_iter().flatten().map(typed).collect();
    // The text of such a message came last; with a call that still waits it came before it.
    let waits = |call: &Value| call.pointer("/toolInvocation/result").is_none();
    let (first, last) = match calls.iter().any(waits) {
        true => (text, None),
        false => (None, text),
    };
    let parts = reasoning.into_iter().chain(first).chain(calls);
    parts.chain(last).collect()
}

/// What a provider counted, in the words of any version; the input comes with what the cache had a part in.
fn usage(value: Option<&Value>) -> Option<Usage> {
    let number = |paths: &[&str]| {
        let found = paths.iter().find_map(|path| value?.pointer(path));
        found.and_then(Value::as_u64)
    };
    let cache_read = number(&[
        "/inputTokens/cacheRead",
        "/inputTokenDetails/cacheReadTokens",
        "/cachedInputTokens",
    ]);
    let cache_write = number(&[
        "/inputTokens/cacheWrite",
        "/inputTokenDetails/cacheWriteTokens",
    ]);
    let cached = cache_read
        .unwrap_or(0)
        .saturating_add(cache_write.unwrap_or(0));
    let all = number(&["/inputTokens/total", "/inputTokens", "/promptTokens"]);
    let usage = Usage {
        input: all.map(|all| all.saturating_sub(cached)),
        output: number(&["/outputTokens/total", "/outputTokens", "/completionTokens"]),
        cache_read,
        cache_write,
        reasoning: number(&[
            "/outputTokens/reasoning",
            "/outputTokenDetails/reasoningTokens",
            "/reasoningTokens",
        ]),
        cost_usd: None,
    };
    (usage != Usage::default()).then_some(usage)
}

#[cfg(test)]
mod tests;
