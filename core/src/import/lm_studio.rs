//! Conversations of LM Studio: `{name, systemPrompt, messages: [{versions, currentlySelected}]}`.
//!
//! A version is one step (`content`) or several (`steps`), whose blocks hold words, reasoning, calls and results.
//! The versions that are not selected are branches that end there. Where a question has `preprocessed` words,
//! those were sent and what the person wrote stands aside.

use serde_json::{Value, json};

use super::Ask;
use super::lines::LOOKED_AT;
use super::pen::{Answer, Pen};
use super::record::{At, Record, conversations, facts, id, rest, text_of, word};
use super::rounds::{Back, Call, Step};
use super::time::millis;
use super::ways::{Way, Ways, walk};
use crate::json::Notes;
use crate::transcript::{Imported, Usage};

/// Whether a value is such a conversation.
pub(super) fn is_chat(value: &Value) -> bool {
    let messages = value.get("messages").and_then(Value::as_array);
    let versions = |message: &Value| message.get("versions").is_some_and(Value::is_array);
    messages.is_some_and(|messages| messages.iter().take(LOOKED_AT).any(versions))
}

/// The conversations of a file.
pub(super) fn read(records: Vec<Record>, ask: &Ask, notes: &mut Notes) -> Vec<Imported> {
    conversations(records, is_chat, notes, |record| chat(record, ask))
}

fn chat(record: &Record, ask: &Ask) -> Imported {
    let Record { value, at } = record;
    let mut pen = Pen::new("");
    let imported = pen.transcript();
    imported.api_format = None;
    let model = value
        .pointer("/lastUsedModel/identifier")
        .and_then(Value::as_str);
    imported.model = model.map(str::to_owned);
    if let Some((pointer, system)) = system(value) {
        pen.system("system", &json!(system), &at.inside(&pointer), 0);
    }
    let keys = ["createdAt", "pinned", "preset", "tokenCount", "clientInput"];
    pen.facts(facts(value, &keys), millis(value.get("createdAt")));
    let messages = value.get("messages").and_then(Value::as_array);
    let messages = messages.map(Vec::as_slice).unwrap_or_default();
    let ways: Vec<Ways> = messages.iter().enumerate().map(ways).collect();
    let (path, branches) = walk(&ways, ask.branch.as_deref());
    pen.transcript().branches = branches;
    for (index, message) in messages.iter().enumerate() {
        if versions(message).is_empty() {
            pen.not_a_message(&at.inside(&format!("/messages/{index}")));
        }
    }
    for (index, way) in path {
        if let Some(version) = messages
            .get(index)
            .and_then(|message| versions(message).get(way))
        {
            let place = at.inside(&format!("/messages/{index}/versions/{way}"));
            write(&mut pen, version, &place);
        }
    }
    pen.name(word(value, "name"));
    pen.finish()
}

/// The system prompt and its place: the chat's own one beats the common one.
fn system(value: &Value) -> Option<(String, &str)> {
    let fields = value.pointer("/perChatPredictionConfig/fields");
    let fields = fields
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .enumerate();
    let own = fields
        .filter(|(_, field)| word(field, "key") == Some("llm.prediction.systemPrompt"))
        .filter_map(|(index, field)| {
            let pointer = format!("/perChatPredictionConfig/fields/{index}/value");
            Some((pointer, word(field, "value")?))
        });
    let common = word(value, "systemPrompt").map(|text| ("/systemPrompt".to_owned(), text));
    own.chain(common).find(|(_, text)| !text.is_empty())
}

fn versions(message: &Value) -> &[Value] {
    let versions = message.get("versions").and_then(Value::as_array);
    versions.map(Vec::as_slice).unwrap_or_default()
}

fn ways((index, message): (usize, &Value)) -> Ways {
    let versions = versions(message);
    let selected = message.get("currentlySelected").and_then(Value::as_u64);
    let selected = selected.and_then(|number| usize::try_from(number).ok());
    let way = |(number, version): (usize, &Value)| {
        let words = match version.get("steps") {
            None => text_of(version.get("content")),
            Some(_) => {
                let spoken = steps(version).iter().filter(|step| !thinks(step));
                let words: Vec<String> = spoken.map(|step| text_of(step.get("content"))).collect();
                words.join("\n\n")
            }
        };
        Way {
            id: format!("{index}/{number}"),
            words,
            turn: word(version, "role") == Some("user"),
            time: steps(version).first().map_or(0, time),
        }
    };
    Ways {
        ways: versions.iter().enumerate().map(way).collect(),
        chosen: selected.unwrap_or(0).min(versions.len().saturating_sub(1)),
    }
}

fn steps(version: &Value) -> &[Value] {
    let steps = version.get("steps").and_then(Value::as_array);
    steps.map(Vec::as_slice).unwrap_or_default()
}

fn thinks(step: &Value) -> bool {
    step.get("style")
        .is_some_and(|style| word(style, "type") == Some("thinking"))
}

/// A step's identifier begins with its time.
fn time(step: &Value) -> i64 {
    let number = word(step, "stepIdentifier").and_then(|id| id.split('-').next());
    millis(number.map(Value::from).as_ref())
}

fn write(pen: &mut Pen, version: &Value, at: &At) {
    let null = Value::Null;
    let written = version.get("content").unwrap_or(&null);
    match word(version, "role").unwrap_or_default() {
        "assistant" => answer(pen, version, at),
        role @ ("system" | "developer") => pen.system(role, &parts(written), at, 0),
        "user" => {
            let sent = version
                .pointer("/preprocessed/content")
                .filter(|sent| !sent.is_null());
            pen.user(&parts(sent.unwrap_or(written)), at, 0);
            if sent.is_some_and(|sent| text_of(Some(sent)) != text_of(Some(written))) {
                let says = "questions were sent with what was looked up for them; what the person wrote stands aside";
                pen.count("written_aside", "", says, at);
                pen.aside("written", &text_of(Some(written)), None, 0);
            }
        }
        role => pen.role_unknown(role, &text_of(Some(written)), version, at, 0),
    }
}

/// A content with its files as parts.
fn parts(content: &Value) -> Value {
    match content.as_array() {
        Some(items) => items.iter().map(part).collect(),
        None => content.clone(),
    }
}

fn part(item: &Value) -> Value {
    let name = word(item, "fileIdentifier");
    match (word(item, "type"), word(item, "fileType")) {
        (Some("file"), Some("image")) => json!({"type": "input_image", "file_id": name}),
        (Some("file"), _) => {
            let shown = word(item, "name").or(name);
            json!({"type": "file", "file": {"filename": shown, "file_id": name}})
        }
        _ => item.clone(),
    }
}

fn answer(pen: &mut Pen, version: &Value, at: &At) {
    let sender = version.pointer("/senderInfo/senderName");
    let sender = sender.and_then(Value::as_str);
    let (mut said, mut generated) = (Vec::new(), None);
    if version.get("steps").is_none() {
        let content = version.get("content").and_then(Value::as_array);
        said.extend(
            content
                .into_iter()
                .flatten()
                .map(|item| Step::Said(part(item))),
        );
    }
    let time = steps(version).first().map_or(0, time);
    for step in steps(version) {
        let kind = word(step, "type").unwrap_or_default();
        // What the page shows while it works.
        if matches!(kind, "status" | "debugInfoBlock") {
            continue;
        }
        if kind == "toolStatus" {
            failed(pen, step, time, at);
            continue;
        }
        if kind != "contentBlock" {
            let says = "steps that are no part of the conversation are not kept";
            pen.count("steps_not_kept", kind, says, at);
            continue;
        }
        if step.get("shouldIncludeInContext") == Some(&Value::Bool(false)) {
            let kind = if thinks(step) { "thinking" } else { "text" };
            let says = "blocks were not sent again with later questions";
            pen.count("not_sent_again", kind, says, at);
            if !thinks(step) {
                pen.aside("not_sent_again", &text_of(step.get("content")), None, time);
                continue;
            }
        }
        let content = step.get("content").and_then(Value::as_array);
        for block in content
            .into_iter()
            .flatten()
            .map(|item| block(item, thinks(step)))
        {
            if matches!(said.last(), Some(Step::Back(_))) && !matches!(block, Step::Back(_)) {
                let round = std::mem::take(&mut said);
                pen.rounds(round, facts_of(generated.take(), sender, time), at);
            }
            said.push(block);
        }
        generated = step.get("genInfo").or(generated);
    }
    pen.rounds(said, facts_of(generated, sender, time), at);
}

/// Keeps aside why a call was not written as one, not allowed or not answered; of others a step says nothing new.
fn failed(pen: &mut Pen, step: &Value, time: i64, at: &At) {
    let status = step.pointer("/statusState/status");
    let why = |status: &Value| {
        let why = ["error", "denyReason"];
        why.iter()
            .find_map(|key| word(status, key).map(str::to_owned))
    };
    let Some((status, why)) = status.and_then(|status| Some((status, why(status)?))) else {
        return;
    };
    let kind = word(status, "type").unwrap_or_default();
    pen.count("call_failed", kind, "calls failed; why stands aside", at);
    pen.aside(
        "call_failed",
        &why,
        rest(status, &["error", "denyReason"]),
        time,
    );
}

/// What the tool says of what was generated in one go.
fn facts_of<'a>(
    generated: Option<&'a Value>,
    sender: Option<&'a str>,
    timestamp: i64,
) -> Answer<'a> {
    let stats = generated.and_then(|generated| generated.get("stats"));
    let number = |key: &str| stats?.get(key).and_then(Value::as_u64);
    let usage = Usage {
        input: number("promptTokensCount"),
        output: number("predictedTokensCount"),
        ..Usage::default()
    };
    let model = generated.and_then(|generated| word(generated, "identifier"));
    Answer {
        stop_reason: stats.and_then(|stats| word(stats, "stopReason")),
        model: model.or(sender),
        usage: (usage != Usage::default()).then_some(usage),
        timestamp,
        ..Answer::default()
    }
}

fn block(item: &Value, thinking: bool) -> Step {
    let own = |key: &str| word(item, key).unwrap_or_default().to_owned();
    match word(item, "type") {
        Some("text") if thinking => Step::thought(&own("text")),
        Some("toolCallRequest") => {
            let call = Call {
                id: id(item, "callId").unwrap_or_default(),
                function: own("name"),
                arguments: item.get("parameters").cloned().unwrap_or_default(),
            };
            Step::Called(call, None)
        }
        Some("toolCallResult") => Step::Back(Back {
            call: id(item, "callId").unwrap_or_default(),
            content: item.get("content").cloned().unwrap_or_default(),
            ..Back::default()
        }),
        _ => Step::Said(part(item)),
    }
}
