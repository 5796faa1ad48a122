//! What an observer wrote down of a request and its answer, in any of the spellings observers have.

use serde_json::{Value, json};

use super::cut::{Inside, inside};
use crate::import::pen::{Answer, Pen};
use crate::import::record::{At, word};
use crate::refusal::Warning;

/// Words that stand before everything else: a text, parts, or messages of their own.
pub(super) fn system(pen: &mut Pen, value: &Value, at: &At) {
    let (value, told) = opened(value);
    tell(pen, &told, at);
    let messages = value
        .as_array()
        .filter(|items| items.iter().any(|item| word(item, "role").is_some()));
    match (messages, &value) {
        (_, Value::Null) => {}
        (Some(messages), _) => {
            for item in messages {
                let parts = item.get("parts").or_else(|| item.get("content"));
                said(pen, "system", parts.unwrap_or(item), at);
            }
        }
        (None, value) => said(pen, "system", value, at),
    }
}

fn said(pen: &mut Pen, role: &str, content: &Value, at: &At) {
    let content = match content {
        Value::Array(parts) => parts.iter().map(part).collect(),
        Value::Object(_) => Value::Array(vec![part(content)]),
        other => other.clone(),
    };
    pen.message(json!({"role": role, "content": content}), at, 0);
}

/// A request: a text, a message, a list of them, or an object that holds them.
pub(super) fn input(pen: &mut Pen, value: &Value, at: &At) {
    let (inner, told) = opened(value);
    match &inner {
        Value::Null => return,
        Value::Array(items) => match items.as_slice() {
            // A batch of one.
            [Value::Array(_)] => items.iter().for_each(|item| input(pen, item, at)),
            items if items.iter().any(is_message) => {
                let defined: Vec<Value> = items.iter().filter_map(definition).collect();
                let said = items.iter().filter(|item| definition(item).is_none());
                said.for_each(|item| message(pen, item, at));
                if !defined.is_empty() {
                    tools(pen, &Value::Array(defined), at);
                }
            }
            _ => return other(pen, value, at),
        },
        Value::Object(_) if is_message(&inner) => message(pen, &inner, at),
        Value::Object(_) => match request(pen, &inner, at) {
            true => {}
            false => return other(pen, value, at),
        },
        _ => return other(pen, value, at),
    }
    tell(pen, &told, at);
}

/// A request's members; `false` when it holds nothing that was said.
fn request(pen: &mut Pen, request: &Value, at: &At) -> bool {
    let first = |keys: &[&str]| {
        let members = keys.iter().filter_map(|key| request.get(*key));
        members.into_iter().find(|member| !member.is_null())
    };
    let Some(held) = first(&["messages", "contents", "prompt", "input"]) else {
        return false;
    };
    let keys = [
        "system",
        "instructions",
        "systemInstruction",
        "system_instruction",
    ];
    if let Some(words) = first(&keys) {
        system(pen, words.get("parts").unwrap_or(words), at);
    }
    input(pen, held, at);
    if let Some(list) = first(&["tools", "functions"]) {
        tools(pen, list, at);
    }
    true
}

/// Words; a value that is none is its JSON.
fn other(pen: &mut Pen, value: &Value, at: &At) {
    match value {
        Value::String(_) => pen.user(value, at, 0),
        value => {
            let says = "an input that is neither words nor messages reads as its JSON";
            pen.count("content_reshaped", "", says, at);
            pen.user(&Value::String(value.to_string()), at, 0);
        }
    }
}

/// The definition of a function that an observer appends to the messages as one of a tool's.
fn definition(message: &Value) -> Option<Value> {
    let alone = word(message, "role") == Some("tool") && message.get("tool_call_id").is_none();
    let content = message.get("content").filter(|_| alone)?;
    let inner = content.get("function").unwrap_or(content);
    let schema = ["parameters", "input_schema"];
    let has_schema = schema
        .iter()
        .any(|key| inner.get(*key).is_some_and(Value::is_object));
    let defines = word(content, "type") == Some("function") || has_schema;
    (word(inner, "name").is_some() && defines).then(|| content.clone())
}

fn is_message(value: &Value) -> bool {
    ["role", "parts", "type", "tool_call_id"]
        .iter()
        .any(|key| value.get(*key).is_some())
}

/// An answer: a text, a message, or a response that holds one.
pub(super) fn output(pen: &mut Pen, value: &Value, answer: Answer<'_>, at: &At) {
    let (inner, told) = opened(value);
    let items = inner.as_array().map(Vec::as_slice);
    let first = match items {
        Some([first, others @ ..]) if word(first, "role").is_some() => {
            if !others.is_empty() {
                pen.count(
                    "choices_not_kept",
                    "",
                    "the first answer is kept; more are not",
                    at,
                );
            }
            first
        }
        _ => &inner,
    };
    let held = [
        "/choices/0/message",
        "/message",
        "/candidates/0/content",
        "/messages/0",
    ];
    let held = held
        .iter()
        .find_map(|path| first.pointer(path))
        .unwrap_or(first);
    let reason = [
        "/finish_reason",
        "/choices/0/finish_reason",
        "/candidates/0/finishReason",
    ];
    let reason = reason.iter().find_map(|path| first.pointer(path)?.as_str());
    let members = [
        "content",
        "parts",
        "tool_calls",
        "toolCalls",
        "function_call",
        "text",
        "role",
    ];
    let said = members.iter().any(|key| held.get(*key).is_some());
    let parts = items
        .filter(|items| !items.is_empty() && items.iter().all(|item| word(item, "type").is_some()));
    let message = match (held, parts) {
        (Value::Object(_), _) if said => {
            tell(pen, &told, at);
            spelled(held)
        }
        (_, Some(parts)) => {
            tell(pen, &told, at);
            json!({"content": parts.iter().map(part).collect::<Vec<_>>()})
        }
        (Value::Null, _) if answer.error.is_none() => return,
        (Value::Null, _) => json!({"content": []}),
        _ => match value {
            Value::String(_) => json!({"content": value}),
            value => json!({"content": value.to_string()}),
        },
    };
    let answer = Answer {
        stop_reason: answer.stop_reason.or(reason),
        ..answer
    };
    pen.reply(&message, answer, at);
}

/// Definitions of functions: a list, of which each may be JSON in a text.
pub(super) fn tools(pen: &mut Pen, value: &Value, at: &At) {
    let (value, told) = opened(value);
    tell(pen, &told, at);
    let list = match value {
        Value::Array(items) => items,
        Value::Null => return,
        one => vec![one],
    };
    let list = list.iter().map(|item| {
        let (mut tool, told) = opened(item);
        tell(pen, &told, at);
        if let Some(parameters) = tool.get_mut("parameters") {
            *parameters = opened(parameters).0;
        }
        tool
    });
    let list = Value::Array(list.collect());
    pen.tools(&list, at);
}

/// JSON that stands in a text, opened, with what was mended in it; words stay words.
fn opened(value: &Value) -> (Value, Vec<Warning>) {
    match value.as_str().map(inside) {
        Some(Inside::Json(value, told)) => (value, told),
        Some(Inside::Words) | None => (value.clone(), Vec::new()),
    }
}

fn tell(pen: &mut Pen, told: &[Warning], at: &At) {
    for warning in told {
        pen.note(&warning.code, &warning.message, at);
    }
}

fn message(pen: &mut Pen, value: &Value, at: &At) {
    match value {
        Value::String(_) => pen.user(value, at, 0),
        value => pen.message(spelled(value), at, 0),
    }
}

/// A message in a spelling that the wires have.
fn spelled(message: &Value) -> Value {
    let mut spelled = message.clone();
    let Value::Object(members) = &mut spelled else {
        return spelled;
    };
    let role = word(message, "role").unwrap_or_default().to_owned();
    // An object is the text of a model's answer that was to be one.
    let content = match members
        .remove("parts")
        .or_else(|| members.remove("content"))
    {
        Some(Value::Array(parts)) => Some(parts.iter().map(part).collect()),
        Some(Value::String(text)) => Some(parts_of(&text).unwrap_or(Value::String(text))),
        Some(Value::Object(inner)) if !inner.contains_key("type") => {
            Some(Value::String(Value::Object(inner).to_string()))
        }
        content => content,
    };
    members.extend(content.map(|content| ("content".to_owned(), content)));
    for (own, known) in [("toolCalls", "tool_calls"), ("toolCallId", "tool_call_id")] {
        if let Some(member) = members.remove(own) {
            members.insert(known.to_owned(), member);
        }
    }
    if let Some(calls) = members.get_mut("tool_calls") {
        *calls = opened(calls).0;
        let calls = calls.as_array_mut();
        calls.into_iter().flatten().for_each(call);
    }
    if role.is_empty() && members.contains_key("content") && !members.contains_key("tool_call_id") {
        members.insert("role".to_owned(), Value::from("user"));
    }
    spelled
}

/// A call whose members have another's names.
fn call(call: &mut Value) {
    if let Some(inner) = call.get_mut("tool_call") {
        *call = inner.take();
    }
    let Value::Object(members) = call else { return };
    for (own, known) in [
        ("toolCallId", "id"),
        ("toolName", "name"),
        ("args", "arguments"),
        ("input", "arguments"),
    ] {
        if !members.contains_key("custom")
            && let Some(member) = members.remove(own)
        {
            members.entry(known).or_insert(member);
        }
    }
}

/// The parts that a text spells as JSON: some observers keep texts only.
fn parts_of(text: &str) -> Option<Value> {
    match inside(text) {
        Inside::Json(Value::Array(parts), _) if !parts.is_empty() => {
            let typed = parts.iter().all(|part| word(part, "type").is_some());
            typed.then(|| parts.iter().map(part).collect())
        }
        _ => None,
    }
}

/// A part in a spelling that the wires have. One that is not known stays as it is and is shown as such.
fn part(part: &Value) -> Value {
    let of = |keys: &[&str]| keys.iter().find_map(|key| part.get(*key)).cloned();
    let text = |value: Option<Value>| match value {
        Some(Value::String(text)) => text,
        Some(value) => value.to_string(),
        None => String::new(),
    };
    let content = part.get("content").filter(|content| content.is_string());
    match (word(part, "type").unwrap_or_default(), content) {
        ("text", Some(content)) => json!({"type": "text", "text": content}),
        ("reasoning" | "thinking", Some(content)) => {
            json!({"type": "thinking", "thinking": content})
        }
        ("tool_call" | "tool-call", _) => json!({
            "type": "tool_use",
            "id": of(&["id", "toolCallId"]), "name": of(&["name", "toolName"]),
            "input": of(&["arguments", "input", "args"]),
        }),
        ("tool_call_response" | "tool-result", _) => {
            let came = of(&["response", "result", "output"]);
            let kind = came.as_ref().and_then(|came| word(came, "type"));
            let failed = kind.is_some_and(|kind| kind.starts_with("error"));
            let came = match kind {
                Some("text" | "json" | "error-text" | "error-json" | "content") => {
                    came.as_ref().and_then(|came| came.get("value")).cloned()
                }
                _ => came,
            };
            let came = match came {
                Some(Value::Array(parts))
                    if parts.iter().all(|part| word(part, "type").is_some()) =>
                {
                    parts.iter().map(self::part).collect()
                }
                came => Value::String(text(came)),
            };
            json!({
                "type": "tool_result", "tool_use_id": of(&["id", "toolCallId"]),
                "content": came, "is_error": failed,
            })
        }
        ("blob", Some(data)) => {
            let mime = of(&["mime_type"]).unwrap_or_default();
            json!({"inlineData": {"mimeType": mime, "data": data}})
        }
        ("uri", _) => {
            json!({"fileData": {"mimeType": of(&["mime_type"]), "fileUri": of(&["uri"])}})
        }
        ("file", None) if part.get("file_id").is_some() => {
            json!({"fileData": {"mimeType": of(&["mime_type"]), "fileUri": of(&["file_id"])}})
        }
        ("file", None) if part.get("mediaType").is_some() => {
            let (mime, data) = (text(of(&["mediaType"])), text(of(&["data", "url"])));
            match data.contains(':') {
                true => json!({"type": "file", "file": {"file_data": data}}),
                false => json!({"inlineData": {"mimeType": mime, "data": data}}),
            }
        }
        ("image", None) if part.get("image").is_some_and(Value::is_string) => {
            let data = text(of(&["image"]));
            match data.contains(':') {
                true => json!({"type": "image_url", "image_url": {"url": data}}),
                false => {
                    json!({"type": "image", "source": {"type": "base64", "media_type": of(&["mediaType", "mimeType"]), "data": data}})
                }
            }
        }
        _ => part.clone(),
    }
}
