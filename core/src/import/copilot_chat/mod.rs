//! Chats of Copilot in VS Code: `{requesterUsername, responderUsername, requests}`, a request a question and its
//! answer; or the journal of one (`journal.rs`).
//!
//! Where `result.metadata.toolCallRounds` is there, it holds the rounds as the model said them; else the answer
//! is what the page showed (`response`). A `renderedUserMessage` is what was sent; what the person wrote stands
//! aside then.

mod journal;

pub(super) use journal::is_line;

use serde_json::{Value, json};

use super::Ask;
use super::lines::LOOKED_AT;
use super::pen::{Answer, Pen};
use super::record::{At, Record, conversations, facts, filled, flag, id, word};
use super::rounds::{Back, Call, Step};
use super::time::millis;
use super::tree::title;
use crate::json::Notes;
use crate::transcript::{Imported, Usage};

/// Whether a value is such a chat.
pub(super) fn is_chat(value: &Value) -> bool {
    let requests = value.get("requests").and_then(Value::as_array);
    let known =
        value.get("responderUsername").is_some() || value.get("requesterUsername").is_some();
    let asked = |all: &Vec<Value>| {
        let one =
            |request: &Value| request.get("message").is_some() && request.get("response").is_some();
        all.iter().take(LOOKED_AT).any(one)
    };
    requests.is_some_and(|all| known || asked(all))
}

/// The chats of a file.
pub(super) fn read(records: Vec<Record>, _: &Ask, notes: &mut Notes) -> Vec<Imported> {
    let (lines, chats): (Vec<Record>, Vec<Record>) = records
        .into_iter()
        .partition(|record| is_line(&record.value));
    let mut found = conversations(chats, is_chat, notes, chat);
    if !lines.is_empty() {
        // Places are those in the state that the lines lead to.
        found.push(chat(&Record::whole(journal::replayed(lines, notes))));
    }
    found
}

fn chat(record: &Record) -> Imported {
    let value = &record.value;
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    let keys = [
        "sessionId",
        "version",
        "creationDate",
        "lastMessageDate",
        "initialLocation",
    ];
    pen.facts(facts(value, &keys), millis(value.get("creationDate")));
    for record in record.members("requests") {
        match record.value.is_object() {
            true => request(&mut pen, &record),
            false => pen.not_a_message(&record.at),
        }
    }
    let first = value
        .pointer("/requests/0/message/text")
        .and_then(Value::as_str);
    let first = first.map(title);
    pen.name(filled(value, "customTitle").or(first.as_deref()));
    pen.finish()
}

fn request(pen: &mut Pen, Record { value, at }: &Record) {
    let time = millis(value.get("timestamp"));
    let message = value.get("message").unwrap_or(&Value::Null);
    let written = message
        .as_str()
        .or_else(|| word(message, "text"))
        .unwrap_or_default();
    let metadata = value.pointer("/result/metadata").unwrap_or(&Value::Null);
    let rendered = metadata
        .get("renderedUserMessage")
        .and_then(Value::as_array);
    let rendered: Vec<&str> = rendered
        .into_iter()
        .flatten()
        .filter_map(|part| word(part, "text"))
        .collect();
    // What the first question was sent with, of the machine and its workspace.
    let context = metadata.get("renderedGlobalContext");
    let context: Vec<&str> = context
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|part| word(part, "text"))
        .collect();
    if !context.is_empty() {
        pen.injected(&json!(context), false, "global_context", at, time);
    }
    match rendered.is_empty() {
        true => pen.user(&json!(written), at, time),
        false => {
            let says = "questions were sent with what was looked up for them; what the person wrote stands aside";
            pen.count("written_aside", "", says, at);
            pen.user(&json!(rendered), at, time);
            pen.aside("written", written, None, time);
        }
    }
    let rounds = metadata.get("toolCallRounds").and_then(Value::as_array);
    let steps = match rounds.map(Vec::as_slice) {
        Some(rounds @ [_, ..]) => in_rounds(rounds, metadata),
        _ => as_shown(pen, value, at),
    };
    let failed = value
        .pointer("/result/errorDetails/message")
        .and_then(Value::as_str);
    let silent = |step: &Step| matches!(step, Step::Said(part) if word(part, "text") == Some(""));
    if steps.iter().all(silent) && failed.is_none() {
        return;
    }
    let counted = value.pointer("/result/usage").unwrap_or(&Value::Null);
    let number = |keys: [&str; 2]| {
        let places = [metadata, counted, value].into_iter();
        let mut found = places.flat_map(|place| keys.map(|key| place.get(key)?.as_u64()));
        found.find_map(|number| number)
    };
    let usage = Usage {
        input: number(["promptTokens", "inputTokens"]),
        output: number(["outputTokens", "completionTokens"]),
        ..Usage::default()
    };
    let answer = Answer {
        stop_reason: flag(value, "isCanceled").then_some("aborted"),
        error: failed,
        // What was asked for may be a choice of several.
        model: filled(metadata, "resolvedModel").or(word(value, "modelId")),
        usage: (usage != Usage::default()).then_some(usage),
        timestamp: time,
        ..Answer::default()
    };
    pen.rounds(steps, answer, at);
}

/// The rounds as the model said them, each call followed by what it came back with.
fn in_rounds(rounds: &[Value], metadata: &Value) -> Vec<Step> {
    let mut steps = Vec::new();
    for round in rounds {
        let thought = round.get("thinking");
        let thought =
            thought.and_then(|thinking| thinking.as_str().or_else(|| word(thinking, "text")));
        steps.extend(thought.filter(|text| !text.is_empty()).map(Step::thought));
        steps.extend(
            word(round, "response")
                .filter(|text| !text.is_empty())
                .map(Step::words),
        );
        let calls = round
            .get("toolCalls")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let (mut made, mut back) = (Vec::new(), Vec::new());
        for call in calls {
            let own = id(call, "id").unwrap_or_default();
            let result = metadata
                .get("toolCallResults")
                .and_then(|results| results.get(&own));
            back.extend(result.map(|result| {
                Step::Back(Back {
                    call: own.clone(),
                    content: result.get("content").map(said).unwrap_or_default(),
                    ..Back::default()
                })
            }));
            let call = Call {
                id: own,
                function: word(call, "name").unwrap_or_default().to_owned(),
                arguments: call.get("arguments").cloned().unwrap_or_default(),
            };
            made.push(Step::Called(call, None));
        }
        steps.extend(made.into_iter().chain(back));
    }
    steps
}

/// The parts of a result: texts, also those of a tree.
fn said(content: &Value) -> Value {
    let part = |part: &Value| match part.get("value") {
        Some(Value::String(text)) => json!({"type": "text", "text": text}),
        Some(value) => {
            let text = value
                .get("node")
                .map(leaves)
                .filter(|text| !text.is_empty());
            json!({"type": "text", "text": text.unwrap_or_else(|| value.to_string())})
        }
        None => part.clone(),
    };
    match content.as_array() {
        Some(parts) => parts.iter().map(part).collect(),
        None => content.clone(),
    }
}

/// The words at the leaves of a tree, which is what the model reads of it.
fn leaves(tree: &Value) -> String {
    let mut words = String::new();
    let mut open = vec![tree];
    while let Some(node) = open.pop() {
        if let Some(text) = word(node, "text") {
            if flag(node, "lineBreakBefore") && !words.is_empty() {
                words.push('\n');
            }
            words.push_str(text);
        }
        let children = node.get("children").and_then(Value::as_array);
        open.extend(children.into_iter().flatten().rev());
    }
    words
}

/// The answer as the page showed it, the fragments of its words joined.
fn as_shown(pen: &mut Pen, request: &Value, at: &At) -> Vec<Step> {
    let parts = request.get("response").and_then(Value::as_array);
    let (mut steps, mut words) = (Vec::new(), String::new());
    for part in parts.into_iter().flatten() {
        match shown(pen, part, at) {
            Some(Step::Said(part)) if word(&part, "type") == Some("text") => {
                words.push_str(word(&part, "text").unwrap_or_default());
            }
            Some(step) => {
                steps.push(Step::words(&std::mem::take(&mut words)));
                steps.push(step);
            }
            None => {}
        }
    }
    steps.push(Step::words(&words));
    steps
}

/// A part of an answer as the page showed it; none of what only the page has a use for.
fn shown(pen: &mut Pen, part: &Value, at: &At) -> Option<Step> {
    let value = part.get("value").or_else(|| part.pointer("/content/value"));
    let text = value.and_then(Value::as_str);
    match (word(part, "kind"), text) {
        (None | Some("markdownContent"), Some(text)) => Some(Step::words(text)),
        (Some("thinking"), Some(text)) => Some(Step::thought(text)),
        (Some("toolInvocationSerialized"), _) => {
            let call = Call {
                id: id(part, "toolCallId").unwrap_or_default(),
                function: word(part, "toolId").unwrap_or_default().to_owned(),
                arguments: part
                    .pointer("/resultDetails/input")
                    .or_else(|| part.get("toolSpecificData"))
                    .cloned()
                    .unwrap_or_else(|| json!({})),
            };
            let says = "calls are as the page showed them; what the model wrote is not in the file";
            pen.count("calls_as_shown", "", says, at);
            let details = part.get("resultDetails");
            let output = details.and_then(|details| details.get("output"));
            let back = output.map(|output| Back {
                call: call.id.clone(),
                content: said(output),
                failed: details.is_some_and(|details| flag(details, "isError")),
                ..Back::default()
            });
            Some(Step::Called(call, back))
        }
        (Some("inlineReference"), _) => {
            let target = part.get("inlineReference").unwrap_or(part);
            let name = word(part, "name").or_else(|| word(target, "name"));
            let path = word(target, "path").or_else(|| word(target, "fsPath"));
            let says = "references inside answers are read as the name they show";
            pen.count("references_as_names", "", says, at);
            Some(Step::words(name.or(path)?))
        }
        (kind, _) => {
            let kind = kind.unwrap_or("without a text");
            let says = "parts of answers that only the page has a use for are not kept";
            pen.count("parts_not_kept", kind, says, at);
            None
        }
    }
}
