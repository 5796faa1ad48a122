//! Conversations of llama.cpp's web UI: JSONL, a session line and then a message a line; or, older, a list of
//! `{conv, messages}`.
//!
//! The messages are a tree by `parent` below an empty root, and `currNode` names the current end. Calls are
//! Chat Completions calls (a list, or its JSON as a text).

use serde_json::{Value, json};

use super::Ask;
use super::pen::{Answer, Outcome, Pen};
use super::record::{At, Record, conversations, facts, filled, id, text_of, word};
use super::rounds::{Call, Step};
use super::time::millis;
use super::tree::{Node, walk};
use crate::json::{Notes, Place, value as parse};
use crate::refusal::Warning;
use crate::transcript::{Imported, Usage};
use crate::wire::chat::API_FORMAT;

/// Whether a value is a line of such a log.
pub(super) fn is_line(value: &Value) -> bool {
    let message = value.get("message");
    let of_one = message.is_some_and(|message| message.get("convId").is_some());
    match word(value, "type") {
        Some("session") => word(value, "harness") == Some("llama.app"),
        Some("message") => of_one,
        _ => false,
    }
}

/// Whether a value is a conversation in one object.
pub(super) fn is_whole(value: &Value) -> bool {
    value.get("conv").is_some_and(Value::is_object)
        && value.get("messages").is_some_and(Value::is_array)
}

/// The conversations of a file.
pub(super) fn read(records: Vec<Record>, ask: &Ask, notes: &mut Notes) -> Vec<Imported> {
    if !records.iter().any(|record| is_line(&record.value)) {
        return conversations(records, is_whole, notes, |record| {
            let head = record.value.get("conv").unwrap_or(&Value::Null);
            let messages = record.members("messages");
            chat(head, &record.at.inside("/conv"), &messages, ask)
        });
    }
    let mut logs: Vec<(Value, At, Vec<Record>)> = Vec::new();
    for Record { value, at } in records {
        if word(&value, "type") == Some("session") {
            logs.push((value, at, Vec::new()));
            continue;
        }
        if logs.is_empty() {
            logs.push((Value::Null, at.clone(), Vec::new()));
        }
        if let (Some((_, _, messages)), Some(message)) = (logs.last_mut(), value.get("message")) {
            let message = message.clone();
            messages.push(Record {
                value: message,
                at: at.inside("/message"),
            });
        } else {
            let message = "a line that is neither a session nor a message is not read";
            notes.push(at.of(Warning::new("not_a_message", message)));
        }
    }
    let logs = logs.iter();
    logs.map(|(head, at, messages)| chat(head, at, messages, ask))
        .collect()
}

fn chat(head: &Value, at: &At, messages: &[Record], ask: &Ask) -> Imported {
    let mut pen = Pen::new(API_FORMAT);
    let said = messages.iter().enumerate();
    let said: Vec<(String, Option<String>, String)> = said
        .map(|(index, Record { value, .. })| {
            let own = id(value, "id").unwrap_or_else(|| format!("#{index}"));
            (own, id(value, "parent"), text_of(value.get("content")))
        })
        .collect();
    let nodes = messages
        .iter()
        .zip(&said)
        .map(|(record, (id, parent, words))| Node {
            id,
            // An old root's parent is -1.
            parent: parent.as_deref().filter(|parent| *parent != "-1"),
            words,
            turn: word(&record.value, "role") == Some("user"),
            time: millis(record.value.get("timestamp")),
        });
    let nodes: Vec<Node<'_>> = nodes.collect();
    let current = id(head, "currNode");
    let mut walked = walk(&nodes, current.as_deref(), ask.branch.as_deref());
    let place = |index: usize| messages.get(index).map(|record| record.at.clone());
    walked.tell(&mut pen, at, place);
    let path = walked.path.iter().filter_map(|index| messages.get(*index));
    let mut path: Vec<&Record> = path
        .filter(|record| word(&record.value, "type") != Some("root"))
        .collect();
    let system = |record: &&Record| word(&record.value, "role") == Some("system");
    let leading = path.iter().take_while(|record| system(record)).count();
    let said = path.split_off(leading);
    path.into_iter()
        .for_each(|record| message(&mut pen, record));
    let keys = [
        "id",
        "lastModified",
        "thinkingEnabled",
        "forkedFromConversationId",
        "pinned",
    ];
    pen.facts(facts(head, &keys), millis(head.get("lastModified")));
    said.into_iter()
        .for_each(|record| message(&mut pen, record));
    pen.name(word(head, "name"));
    pen.finish()
}

fn message(pen: &mut Pen, Record { value, at }: &Record) {
    let time = millis(value.get("timestamp"));
    let content = value.get("content").unwrap_or(&Value::Null);
    match word(value, "role").unwrap_or_default() {
        "user" => {
            let extra = value.get("extra").and_then(Value::as_array);
            match extra.map(Vec::as_slice) {
                None | Some([]) => pen.user(content, at, time),
                Some(extra) => {
                    let mut parts = vec![content.clone()];
                    parts.extend(extra.iter().flat_map(|found| attached(pen, found, at)));
                    pen.user(&Value::Array(parts), at, time);
                }
            }
        }
        "assistant" => answer(pen, value, content, at, time),
        "tool" => {
            let outcome = Outcome {
                call: word(value, "toolCallId").unwrap_or_default(),
                content: content.clone(),
                ..Outcome::default()
            };
            pen.result(outcome, at, time);
        }
        role @ ("system" | "developer") => pen.system(role, content, at, time),
        role => pen.role_unknown(role, &text_of(Some(content)), value, at, time),
    }
}

/// An attachment of a question as parts.
fn attached(pen: &mut Pen, extra: &Value, at: &At) -> Vec<Value> {
    let name = word(extra, "name");
    let picture = |url: &str| json!({"type": "image_url", "image_url": {"url": url}});
    let pictures = extra.get("images").and_then(Value::as_array);
    let pictures = pictures.into_iter().flatten().filter_map(Value::as_str);
    let pictures: Vec<Value> = pictures.map(picture).collect();
    let text = filled(extra, "content");
    let mime = word(extra, "mimeType").unwrap_or("application/octet-stream");
    let data = word(extra, "base64Data").map(|data| format!("data:{mime};base64,{data}"));
    if let Some(url) = word(extra, "base64Url") {
        vec![picture(url)]
    } else if !pictures.is_empty() {
        pictures
    } else if let Some(text) = text {
        let says =
            "the text of files stands by itself; the tool sends it under the name of the file";
        pen.count("file_text_alone", name.unwrap_or_default(), says, at);
        vec![json!({"type": "text", "text": text})]
    } else {
        vec![
            json!({"type": "file", "file": {"filename": name, "file_data": data, "file_id": name}}),
        ]
    }
}

fn answer(pen: &mut Pen, value: &Value, content: &Value, at: &At, timestamp: i64) {
    let mut steps = Vec::new();
    let thought = word(value, "reasoningContent").or_else(|| word(value, "thinking"));
    steps.extend(thought.filter(|text| !text.is_empty()).map(Step::thought));
    match content {
        Value::Null => {}
        Value::String(text) if text.is_empty() => {}
        said => steps.push(Step::Said(said.clone())),
    }
    let read;
    let calls = match value.get("toolCalls") {
        Some(Value::String(text)) if !text.is_empty() => {
            read = parse(text.as_bytes(), Place::default(), &mut Notes::default());
            if read.is_err() {
                let says = "calls whose list is no JSON are not read";
                pen.count("calls_unreadable", "", says, at);
            }
            read.as_ref().ok()
        }
        other => other,
    };
    for call in calls.and_then(Value::as_array).into_iter().flatten() {
        let function = call.get("function").unwrap_or(call);
        let call = Call {
            id: id(call, "id").unwrap_or_default(),
            function: word(function, "name").unwrap_or_default().to_owned(),
            arguments: function.get("arguments").cloned().unwrap_or_default(),
        };
        steps.push(Step::Called(call, None));
    }
    let number = |key: &str| value.get("timings")?.get(key).and_then(Value::as_u64);
    let usage = Usage {
        input: number("prompt_n"),
        output: number("predicted_n"),
        cache_read: number("cache_n"),
        ..Usage::default()
    };
    let facts = Answer {
        model: word(value, "model"),
        usage: (usage != Usage::default()).then_some(usage),
        timestamp,
        ..Answer::default()
    };
    pen.rounds(steps, facts, at);
}
