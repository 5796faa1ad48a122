//! The wrappings of Chat Completions: besides those of every API a stored log, and fine-tuning examples by line.

use serde_json::{Value, json};

use crate::json::Notes;
use crate::transcript::Imported;
use crate::wire::chat::API_FORMAT;
use crate::wire::{Reader, Reply, usage};

use super::exchange::{self, Api, model};
use super::record::Record;
use super::time::millis;
use super::{Ask, shapes};

/// What a stored log holds beside the request it answers.
const REPLY_MEMBERS: [&str; 8] = [
    "object",
    "id",
    "created",
    "request_id",
    "choices",
    "usage",
    "system_fingerprint",
    "compression",
];

/// The API.
pub(super) const API: Api = Api {
    api_format: API_FORMAT,
    shows: shapes::is_message,
    is_message: shapes::is_message,
    body,
    request,
};

/// The conversations of records.
pub(super) fn read(records: Vec<Record>, _: &Ask, notes: &mut Notes) -> Vec<Imported> {
    let mut found = Vec::new();
    let mut others = Vec::new();
    for record in records {
        match preference(&record) {
            Some(examples) => found.extend(examples),
            None => others.push(record),
        }
    }
    found.extend(exchange::read(&API, others, notes));
    found
}

/// A request body, a response, or both in one object; or the oldest fine-tuning example.
fn body(reader: &mut Reader, body: &Value, at: &str) -> bool {
    if shapes::is_completion_pair(body) {
        let prompt = json!({"role": "user", "content": body.get("prompt")});
        reader.message(&prompt, &format!("{at}/prompt"));
        let completion = json!({"content": body.get("completion")});
        reader.reply(&completion, &format!("{at}/completion"), Reply::default());
        return true;
    }
    let (messages, choices) = (body.get("messages"), body.get("choices"));
    if messages.is_none() && choices.is_none() {
        return false;
    }
    model(reader, body, &["model"]);
    if let Some(system) = body.get("system").filter(|system| !system.is_null()) {
        let pointer = format!("{at}/system");
        reader.instructions(system, &pointer);
        let message = "a system text beside the messages is Anthropic's way; without its blocks both read alike";
        reader.note("format_ambiguous", &pointer, message);
    }
    if let Some(messages) = messages {
        reader.messages(messages, &format!("{at}/messages"));
    }
    for list in ["tools", "functions"] {
        reader.tools(body.get(list), &format!("{at}/{list}"));
    }
    let choices = choices.and_then(Value::as_array).map(Vec::as_slice);
    let Some([choice, others @ ..]) = choices else {
        return true;
    };
    let pointer = format!("{at}/choices/0");
    let reply = Reply {
        stop_reason: choice.get("finish_reason").and_then(Value::as_str),
        timestamp: millis(body.get("created")),
        usage: usage(body.get("usage")),
        ..Reply::default()
    };
    let old = choice.get("text").map(|text| json!({ "content": text }));
    match choice.get("message").or(old.as_ref()) {
        Some(message) => reader.reply(message, &format!("{pointer}/message"), reply),
        None => reader.note(
            "not_a_message",
            &pointer,
            "the choice has no message; it is not kept",
        ),
    }
    if !others.is_empty() {
        let message = format!("the first choice is kept; {} more are not", others.len());
        reader.note("choices_not_kept", &format!("{at}/choices/1"), &message);
    }
    true
}

fn request(body: &Value) -> Option<Value> {
    let mut sent = body.as_object()?.clone();
    if !sent.contains_key("messages") || !sent.get("model").is_some_and(Value::is_string) {
        return None;
    }
    if sent.contains_key("choices") {
        sent.retain(|key, _| !REPLY_MEMBERS.contains(&key.as_str()));
    }
    Some(Value::Object(sent))
}

/// A preference example: the same words, and the answer that was and the one that was not preferred.
fn preference(Record { value, at }: &Record) -> Option<Vec<Imported>> {
    let input = value.get("input").filter(|input| input.is_object())?;
    let path = &at.path;
    let one = |output: &str| {
        let answer = value.get(output)?;
        let mut reader = Reader::new(API_FORMAT, None);
        if let Some(messages) = input.get("messages") {
            reader.messages(messages, &format!("{path}/input/messages"));
        }
        reader.tools(input.get("tools"), &format!("{path}/input/tools"));
        reader.messages(answer, &format!("{path}/{output}"));
        let mut imported = reader.finish();
        for warning in &mut imported.warnings {
            *warning = at.placed(warning.clone());
        }
        imported.title = Some(output.to_owned());
        Some(imported)
    };
    let outputs = ["preferred_output", "non_preferred_output"];
    Some(outputs.into_iter().filter_map(one).collect())
}
