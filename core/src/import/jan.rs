//! Threads of Jan: `messages.jsonl`, an Assistants message a line, and `thread.json` beside it; or a list of such
//! messages as the Assistants API answers it, which begins with the newest.

use serde_json::{Value, json};

use super::Ask;
use super::lines::LOOKED_AT;
use super::pen::{Answer, Outcome, Pen};
use super::record::{At, Record, facts, flag, id, text_of, word};
use super::rounds::{Back, Call, Step};
use super::time::millis;
use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::Imported;
use crate::wire::usage;

/// Whether a value is a message, a thread, or a list of messages.
pub(super) fn is_thread(value: &Value) -> bool {
    let object = |value: &Value| word(value, "object").map(str::to_owned);
    let message = |value: &Value| object(value).as_deref() == Some("thread.message");
    let list = value
        .as_array()
        .or_else(|| value.get("data").and_then(Value::as_array));
    list.is_some_and(|items| items.iter().take(LOOKED_AT).any(message))
        || message(value)
        || object(value).as_deref() == Some("thread") && value.get("assistants").is_some()
}

/// The thread of a file.
pub(super) fn read(records: Vec<Record>, _: &Ask, notes: &mut Notes) -> Vec<Imported> {
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    let mut messages = Vec::new();
    for record in records {
        let listed = record.members("data");
        match listed.is_empty() {
            true => messages.extend(record.items()),
            false => messages.extend(newest_last(listed)),
        }
    }
    let is_head = |record: &Record| word(&record.value, "object") == Some("thread");
    let (heads, messages): (Vec<Record>, Vec<Record>) = messages.into_iter().partition(is_head);
    for head in &heads {
        thread(&mut pen, head);
    }
    if let Some(head) = heads.first().filter(|_| messages.is_empty()) {
        let message = "this is the thread alone; its messages are in the messages.jsonl beside it";
        notes.push(head.at.of(Warning::new("messages_not_in_file", message)));
    }
    for record in &messages {
        match record.value.is_object() {
            true => message(&mut pen, record),
            false => pen.not_a_message(&record.at),
        }
    }
    pen.name(heads.first().and_then(|head| word(&head.value, "title")));
    vec![pen.finish()]
}

fn newest_last(mut messages: Vec<Record>) -> Vec<Record> {
    let time =
        |record: Option<&Record>| record.map_or(0, |record| millis(record.value.get("created_at")));
    if time(messages.first()) > time(messages.last()) {
        messages.reverse();
    }
    messages
}

fn thread(pen: &mut Pen, Record { value, at }: &Record) {
    let imported = pen.transcript();
    let model = value
        .pointer("/assistants/0/model/id")
        .and_then(Value::as_str);
    imported.model = model.map(str::to_owned);
    let instructions = "/assistants/0/instructions";
    let system = value.pointer(instructions).and_then(Value::as_str);
    if let Some(system) = system.filter(|text| !text.is_empty()) {
        pen.system("system", &json!(system), &at.inside(instructions), 0);
    }
    let keys = ["id", "created", "updated", "metadata", "assistants"];
    pen.facts(facts(value, &keys), millis(value.get("created")));
}

fn message(pen: &mut Pen, Record { value, at }: &Record) {
    let time = millis(value.get("created_at"));
    let content = value.get("content").unwrap_or(&Value::Null);
    match word(value, "role").unwrap_or_default() {
        "user" => {
            let named = value.get("attachments").and_then(Value::as_array);
            let named = named.into_iter().flatten().map(|file| {
                let own = id(file, "file_id").or_else(|| id(file, "id"));
                json!({"type": "file", "file": {"filename": word(file, "name"), "file_id": own}})
            });
            let parts = match content {
                Value::Array(parts) => parts.clone(),
                Value::Null => Vec::new(),
                text => vec![text.clone()],
            };
            pen.user(&parts.into_iter().chain(named).collect(), at, time);
        }
        "assistant" => answer(pen, value, content, at, time),
        "tool" => {
            let outcome = Outcome {
                call: word(value, "tool_call_id").unwrap_or_default(),
                content: content.clone(),
                ..Outcome::default()
            };
            pen.result(outcome, at, time);
        }
        role @ ("system" | "developer") => pen.system(role, content, at, time),
        role => pen.role_unknown(role, &text_of(Some(content)), value, at, time),
    }
}

fn answer(pen: &mut Pen, value: &Value, content: &Value, at: &At, timestamp: i64) {
    let mut steps: Vec<Step> = match content {
        Value::Array(parts) => parts.iter().map(step).collect(),
        Value::Null => Vec::new(),
        other => vec![Step::Said(other.clone())],
    };
    let metadata = value.get("metadata").unwrap_or(&Value::Null);
    let calls = metadata.get("tool_calls").and_then(Value::as_array);
    steps.extend(calls.into_iter().flatten().map(kept_beside));
    let status = word(value, "status").unwrap_or_default();
    let code = value.get("error_code").filter(|code| !code.is_null());
    let code = code.map(|code| {
        code.as_str()
            .map_or_else(|| code.to_string(), str::to_owned)
    });
    let error = code.or_else(|| (status == "error").then(|| status.to_owned()));
    let facts = Answer {
        stop_reason: matches!(status, "stopped" | "incomplete").then_some("aborted"),
        error: error.as_deref(),
        model: word(metadata, "model").or_else(|| word(metadata, "modelId")),
        usage: usage(metadata.get("usage")),
        timestamp,
        ..Answer::default()
    };
    pen.rounds(steps, facts, at);
}

fn step(part: &Value) -> Step {
    let text = || {
        let text = part.get("text").or_else(|| part.get("reasoning"));
        text.and_then(|text| text.as_str().or_else(|| word(text, "value")))
            .unwrap_or_default()
    };
    match word(part, "type") {
        Some("reasoning") => Step::thought(text()),
        Some("tool_call") => {
            let function = word(part, "tool_name").unwrap_or_default().to_owned();
            let call = Call {
                id: id(part, "tool_call_id").unwrap_or_default(),
                function: function.clone(),
                arguments: part.get("input").cloned().unwrap_or_default(),
            };
            let back = part
                .get("output")
                .filter(|output| !output.is_null())
                .map(|output| Back {
                    call: call.id.clone(),
                    function,
                    content: said(output),
                    failed: flag(output, "isError"),
                    ..Back::default()
                });
            Step::Called(call, back)
        }
        _ => Step::Said(part.clone()),
    }
}

/// A call that is kept beside the content, with what it came back with.
fn kept_beside(kept: &Value) -> Step {
    let tool = kept.get("tool").unwrap_or(kept);
    let function = tool.get("function").unwrap_or(tool);
    let name = word(function, "name").unwrap_or_default().to_owned();
    let call = Call {
        id: id(tool, "id").unwrap_or_default(),
        function: name.clone(),
        arguments: function.get("arguments").cloned().unwrap_or_default(),
    };
    let response = kept.get("response").filter(|response| !response.is_null());
    let back = response.map(|response| Back {
        call: call.id.clone(),
        function: name,
        content: said(response),
        failed: flag(response, "isError") || word(response, "error").is_some_and(|e| !e.is_empty()),
        ..Back::default()
    });
    Step::Called(call, back)
}

/// What a tool said: its content, an error, or a text by itself.
fn said(output: &Value) -> Value {
    let content = output.get("content").filter(|content| !content.is_null());
    let error = || output.get("error").filter(|error| error.is_string());
    content.or_else(error).unwrap_or(output).clone()
}
