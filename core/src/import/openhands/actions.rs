//! Events of the first generation: `{action, args}` and `{observation, content, extras}`.
//!
//! An action of the model's holds the whole answer that it is of, in `tool_call_metadata`, and so do the others of
//! that answer. Where it does not, the call is shown as it was recorded. What stands between a delegation and its
//! end is the conversation of another agent.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::super::pen::{Answer, Outcome, Pen, Piece};
use super::super::record::{At, Record, filled, id, rest, word};
use super::super::time::millis;
use super::time;
use crate::wire::usage;

const SENT_BESIDE: &str =
    "what was looked up and what the person ran is sent in texts that are not in the file";

/// Whether a value is such an event.
pub(super) fn is(value: &Value) -> bool {
    let action = word(value, "action").is_some() && value.get("args").is_some_and(Value::is_object);
    let extras = value.get("extras").is_some_and(Value::is_object);
    let observation = word(value, "observation").is_some() && extras;
    (action || observation) && word(value, "source").is_some()
}

/// The first words of an event.
pub(super) fn words(value: &Value) -> Option<&str> {
    let args = value.get("args").unwrap_or(&Value::Null);
    let own = filled(args, "content").or_else(|| filled(value, "content"));
    own.or_else(|| filled(args, "thought"))
        .or_else(|| filled(value, "message"))
}

/// What is known of the calls that were written.
#[derive(Default)]
struct Calls {
    /// Answers that are written.
    answers: BTreeSet<String>,
    /// Calls that are shown as recorded, by the event of each.
    recorded: BTreeMap<String, String>,
}

/// Writes events in order.
pub(super) fn write(pen: &mut Pen, events: &[&Record]) {
    let mut calls = Calls::default();
    let mut index = 0;
    while let Some(event) = events.get(index) {
        index += 1;
        match word(&event.value, "observation") {
            Some(kind) => observed(pen, event, kind, &mut calls),
            None => action(pen, event, &mut calls),
        }
        if word(&event.value, "action") == Some("delegate") {
            let others = events.get(index..).unwrap_or_default();
            let ends = |event: &&Record| word(&event.value, "observation") == Some("delegate");
            if let Some(apart) = others.iter().position(ends).filter(|apart| *apart > 0) {
                let agent = event.value.pointer("/args/agent").and_then(Value::as_str);
                let says = "events of sub-agents are conversations of their own and are not shown; by agent";
                pen.count(
                    "sub_agents_apart",
                    agent.unwrap_or_default(),
                    says,
                    &event.at,
                );
                index += apart;
            }
        }
    }
}

fn action(pen: &mut Pen, event: &Record, calls: &mut Calls) {
    let Record { value, at } = event;
    let time = time(event);
    let args = value.get("args").unwrap_or(&Value::Null);
    let by_user = word(value, "source") == Some("user");
    let response = value.pointer("/tool_call_metadata/model_response");
    match word(value, "action").unwrap_or_default() {
        "message" if by_user => pen.user(&said(args), &at.inside("/args"), time),
        "message" => {
            let parts = said(args);
            let pieces = parts.as_array().into_iter().flatten();
            let pieces: Vec<Piece> = pieces.cloned().map(Piece::Part).collect();
            let answer = Answer {
                timestamp: time,
                ..Answer::default()
            };
            pen.answer(pieces, answer, &at.inside("/args"));
        }
        "system" => {
            let content = args.get("content").unwrap_or(&Value::Null);
            pen.system("system", content, &at.inside("/args/content"), time);
            if let Some(tools) = args.get("tools").filter(|tools| tools.is_array()) {
                pen.tools(tools, &at.inside("/args/tools"));
            }
        }
        kind @ ("recall" | "change_agent_state" | "null" | "start" | "condensation_request") => {
            let says = "events that say nothing in the conversation are not kept";
            pen.count("lines_not_kept", kind, says, at);
        }
        "finish" => finish(pen, event, response),
        kind if by_user => {
            let command = filled(args, "command").unwrap_or(kind);
            pen.count("sent_beside_words", "", SENT_BESIDE, at);
            pen.injected(&json!(format!("$ {command}")), true, "command", at, time);
        }
        kind => match response {
            Some(response) => answered(pen, response, at, time, calls),
            None => recorded(pen, event, kind, calls),
        },
    }
}

/// Words and pictures of a message.
fn said(args: &Value) -> Value {
    let text = word(args, "content").unwrap_or_default();
    let mut parts = vec![json!({"type": "text", "text": text})];
    let pictures = ["image_urls", "images_urls"];
    let pictures = pictures.iter().find_map(|key| args.get(key)?.as_array());
    for url in pictures.into_iter().flatten() {
        parts.push(json!({"type": "image_url", "image_url": {"url": url}}));
    }
    Value::Array(parts)
}

fn reply<'v>(response: &'v Value, time: i64) -> Answer<'v> {
    let reason = response.pointer("/choices/0/finish_reason");
    let created = millis(response.get("created"));
    Answer {
        stop_reason: reason.and_then(Value::as_str),
        model: word(response, "model"),
        usage: usage(response.get("usage")),
        timestamp: if created == 0 { time } else { created },
        ..Answer::default()
    }
}

/// The answer that an action is of, once.
fn answered(pen: &mut Pen, response: &Value, at: &At, time: i64, calls: &mut Calls) {
    let known = id(response, "id").is_some_and(|id| !calls.answers.insert(id));
    let message = response.pointer("/choices/0/message");
    let place = at.inside("/tool_call_metadata/model_response/choices/0/message");
    match message {
        Some(message) if !known => pen.reply(message, reply(response, time), &place),
        Some(_) => {}
        None => pen.wordless("assistant", at),
    }
}

/// The end of a task is sent as words, and no call of it.
fn finish(pen: &mut Pen, event: &Record, response: Option<&Value>) {
    let Record { value, at } = event;
    let args = value.get("args").unwrap_or(&Value::Null);
    let message = response.and_then(|response| response.pointer("/choices/0/message"));
    let texts = [
        filled(args, "thought"),
        message.and_then(|message| filled(message, "content")),
        filled(args, "final_thought"),
    ];
    let mut words: Vec<&str> = Vec::new();
    for text in texts.into_iter().flatten() {
        if !words.contains(&text) {
            words.push(text);
        }
    }
    let parts: Vec<Value> = words
        .iter()
        .map(|text| json!({"type": "text", "text": text}))
        .collect();
    let time = time(event);
    match (parts.is_empty(), word(value, "source") == Some("user")) {
        (true, _) => pen.aside("finish", "", Some(value.clone()), time),
        (false, true) => pen.user(&Value::Array(parts), at, time),
        (false, false) => {
            // The call that ended the answer is not sent.
            let called = |reason: &&str| matches!(*reason, "tool_calls" | "tool_use");
            let reply = reply(response.unwrap_or(&Value::Null), time);
            let answer = Answer {
                stop_reason: reply.stop_reason.filter(|reason| !called(reason)),
                ..reply
            };
            pen.answer(parts.into_iter().map(Piece::Part).collect(), answer, at);
        }
    }
}

/// A call that the file has without the answer that it is of.
fn recorded(pen: &mut Pen, event: &Record, kind: &str, calls: &mut Calls) {
    let Record { value, at } = event;
    let args = value.get("args").unwrap_or(&Value::Null);
    let says =
        "calls are shown as they were recorded; the model's own words for them are not in the file";
    pen.count("call_as_recorded", "", says, at);
    let own = id(value, "id").unwrap_or_default();
    let call = format!("event {own}");
    calls.recorded.insert(own, call.clone());
    // To think aloud is a function too, and the thought what it is called with.
    let said = match kind {
        "think" => "",
        _ => "thought",
    };
    let thought = filled(args, said).map(|text| json!({"type": "text", "text": text}));
    let mut pieces: Vec<Piece> = thought.into_iter().map(Piece::Part).collect();
    let arguments = rest(args, &[said]).unwrap_or_else(|| json!({}));
    pieces.push(Piece::Call(call, kind.to_owned(), arguments));
    let answer = Answer {
        timestamp: time(event),
        ..Answer::default()
    };
    pen.answer(pieces, answer, at);
}

fn observed(pen: &mut Pen, event: &Record, kind: &str, calls: &mut Calls) {
    let Record { value, at } = event;
    let time = time(event);
    let extras = value.get("extras").unwrap_or(&Value::Null);
    let content = word(value, "content").unwrap_or_default();
    let metadata = value.get("tool_call_metadata").unwrap_or(&Value::Null);
    let cause = id(value, "cause").and_then(|cause| calls.recorded.remove(&cause));
    let call = filled(metadata, "tool_call_id").or(cause.as_deref());
    match (kind, call) {
        ("agent_state_changed" | "null" | "condense", _) => {
            let says = "events that say nothing in the conversation are not kept";
            pen.count("lines_not_kept", kind, says, at);
        }
        // What the tool looked up is sent as text that it makes of this.
        ("recall", _) => {
            pen.count("sent_beside_words", "", SENT_BESIDE, at);
            pen.aside("sent_with", content, Some(extras.clone()), time);
        }
        (_, Some(call)) => {
            let details = extras.as_object().is_some_and(|extras| !extras.is_empty());
            let outcome = Outcome {
                call,
                function: word(metadata, "function_name").unwrap_or_default(),
                content: json!(content),
                failed: matches!(kind, "error" | "user_rejected"),
                details: Some(extras.clone()).filter(|_| details).unwrap_or_default(),
            };
            pen.result(outcome, at, time);
        }
        (_, None) => pen.injected(&json!(content), true, kind, at, time),
    }
}
