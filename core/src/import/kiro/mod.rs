//! Sessions of Kiro CLI: a log by lines, `{version, kind, data}`, and the conversation that it saves as one object.
//!
//! A log is only added to: a line goes back to before an earlier one, takes the last words of the person out of what
//! is sent, or begins anew. What was gone back from is a branch that was left. A compaction holds the messages that
//! it kept; it stands before the first of them, as the model reads it.

mod saved;

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::Ask;
use super::pen::{Answer, Outcome, Pen, Piece};
use super::record::{At, Record, facts, filled, id, word};
use super::time::millis;
use super::tree::{Node, walk};
use crate::json::Notes;
use crate::transcript::Imported;

pub(super) use saved::is as is_saved;

const KINDS: [&str; 7] = [
    "Prompt",
    "AssistantMessage",
    "ToolResults",
    "Compaction",
    "ResetTo",
    "CancelledPrompt",
    "Clear",
];

/// The conversation of a log, and those that were saved.
pub(super) fn read(records: Vec<Record>, ask: &Ask, _: &mut Notes) -> Vec<Imported> {
    let records = records.into_iter().flat_map(Record::items);
    let (whole, lines): (Vec<Record>, Vec<Record>) =
        records.partition(|record| is_saved(&record.value));
    let mut found: Vec<Imported> = whole.iter().map(saved::conversation).collect();
    if !lines.is_empty() {
        found.push(log(&lines, ask));
    }
    found
}

/// Whether a value is a line of a log.
pub(super) fn is_line(value: &Value) -> bool {
    let kind = word(value, "kind").is_some_and(|kind| KINDS.contains(&kind));
    kind && word(value, "version").is_some()
}

fn data(record: &Record) -> &Value {
    record.value.get("data").unwrap_or(&Value::Null)
}

fn kind(record: &Record) -> &str {
    word(&record.value, "kind").unwrap_or_default()
}

fn log(records: &[Record], ask: &Ask) -> Imported {
    // The log does not say which wire its messages went over.
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    let path = on_path(records, &mut pen, ask);
    let cleared = path.iter().rposition(|record| kind(record) == "Clear");
    let sent_from = cleared.map_or(0, |at| at + 1);
    let cancelled = cancelled(&path, &mut pen);
    let kept = kept_from(&path, sent_from);
    for (index, record) in path.iter().enumerate() {
        for compaction in kept.get(&index).into_iter().flatten() {
            compacted(&mut pen, compaction, &path);
        }
        match index < sent_from || cancelled.contains(&index) {
            true => not_sent(&mut pen, record),
            false => line(&mut pen, record),
        }
    }
    pen.name(None);
    pen.finish()
}

/// The lines on the way to the last one.
fn on_path<'r>(records: &'r [Record], pen: &mut Pen, ask: &Ask) -> Vec<&'r Record> {
    let mut met = BTreeSet::new();
    let mut ids = Vec::with_capacity(records.len());
    for (index, record) in records.iter().enumerate() {
        let own = id(data(record), "message_id").filter(|own| met.insert(own.clone()));
        ids.push(own.unwrap_or_else(|| format!("#{index}")));
    }
    let mut nodes: Vec<Node<'_>> = Vec::with_capacity(records.len());
    for ((index, record), id) in records.iter().enumerate().zip(&ids) {
        let mut parent = index.checked_sub(1);
        if kind(record) == "ResetTo" {
            let target = data(record).get("target_index").and_then(Value::as_u64);
            match target.and_then(|target| usize::try_from(target).ok()) {
                Some(target) if target <= index => parent = target.checked_sub(1),
                _ => {
                    let says = "lines go back to before one that does not stand before them; they go on from the line before";
                    pen.count("reset_unknown", "", says, &record.at);
                }
            }
        }
        nodes.push(Node {
            id,
            parent: parent.and_then(|parent| ids.get(parent).map(String::as_str)),
            words: words(data(record)),
            turn: kind(record) == "Prompt",
            time: time(data(record)),
        });
    }
    let last = ids.last().map(String::as_str);
    let mut walked = walk(&nodes, last, ask.branch.as_deref());
    walked.tell(pen, &At::default(), |index| {
        records.get(index).map(|record| record.at.clone())
    });
    let on_path = walked.path.iter();
    on_path.filter_map(|index| records.get(*index)).collect()
}

/// Where on the path something stands that a later line takes out of what is sent.
fn cancelled(path: &[&Record], pen: &mut Pen) -> BTreeSet<usize> {
    let mut cancelled = BTreeSet::new();
    let mut said: Vec<usize> = Vec::new();
    for (index, record) in path.iter().enumerate() {
        match kind(record) {
            "Prompt" | "ToolResults" | "AssistantMessage" => said.push(index),
            "Clear" => said.clear(),
            "CancelledPrompt" => {
                let of_the_person = |index: &usize| {
                    let last = path.get(*index).map(|record| kind(record));
                    last != Some("AssistantMessage")
                };
                match said.pop_if(|index| of_the_person(index)) {
                    Some(index) => {
                        cancelled.insert(index);
                    }
                    None => {
                        let says = "lines cancel words of the person that are not there";
                        pen.count("cancels_nothing", "", says, &record.at);
                    }
                }
            }
            _ => {}
        }
    }
    cancelled
}

/// The compactions by the place on the path of what each kept first; by their own where they kept nothing.
fn kept_from<'r>(path: &[&'r Record], sent_from: usize) -> BTreeMap<usize, Vec<&'r Record>> {
    let mut kept: BTreeMap<usize, Vec<&Record>> = BTreeMap::new();
    for (index, record) in path.iter().enumerate().skip(sent_from) {
        if kind(record) != "Compaction" {
            continue;
        }
        let ids: BTreeSet<String> = snapshot(record).filter_map(|m| id(m, "id")).collect();
        let is_kept = |record: &&Record| {
            let own = id(data(record), "message_id");
            own.is_some_and(|own| ids.contains(&own))
        };
        let before = path.get(sent_from..index).unwrap_or_default();
        let first = before.iter().position(is_kept);
        let place = first.map_or(index, |first| sent_from + first);
        kept.entry(place).or_default().push(record);
    }
    kept
}

fn snapshot(compaction: &Record) -> impl Iterator<Item = &Value> {
    let messages = data(compaction).get("messages_snapshot");
    messages.and_then(Value::as_array).into_iter().flatten()
}

/// A summary, and behind it what it kept that the log does not have elsewhere.
fn compacted(pen: &mut Pen, record: &Record, path: &[&Record]) {
    let summary = word(data(record), "summary").unwrap_or_default();
    pen.compaction(summary, facts(data(record), &["strategy"]), 0);
    let lines: BTreeMap<String, &Record> = path
        .iter()
        .filter_map(|record| Some((id(data(record), "message_id")?, *record)))
        .collect();
    for (index, message) in snapshot(record).enumerate() {
        let at = record
            .at
            .inside(&format!("/data/messages_snapshot/{index}"));
        let own = id(message, "id").and_then(|own| lines.get(&own));
        if let Some(line) = own {
            if data(line).get("content") != message.get("content") {
                let says = "messages that a compaction kept are sent in another form than they were said in; they are shown as they were said";
                pen.count("kept_in_another_form", "", says, &at);
            }
            continue;
        }
        let is_summary = !summary.is_empty() && words(message).contains(summary);
        match word(message, "role") {
            _ if is_summary => {}
            Some("assistant") => answer(pen, message, &at),
            _ => user(pen, message, false, &at),
        }
    }
}

fn not_sent(pen: &mut Pen, record: &Record) {
    match kind(record) {
        "Prompt" | "AssistantMessage" | "ToolResults" => pen.aside(
            "not_sent",
            words(data(record)),
            Some(record.value.clone()),
            time(data(record)),
        ),
        "Compaction" => {
            let summary = word(data(record), "summary").unwrap_or_default();
            pen.aside("not_sent", summary, Some(json!({"kind": "Compaction"})), 0);
        }
        _ => line(pen, record),
    }
}

fn line(pen: &mut Pen, record: &Record) {
    let (data, at) = (data(record), record.at.inside("/data"));
    match kind(record) {
        "Prompt" => user(pen, data, true, &at),
        "ToolResults" => user(pen, data, false, &at),
        "AssistantMessage" => answer(pen, data, &at),
        // It stands before what it kept.
        "Compaction" => {}
        kind @ ("ResetTo" | "CancelledPrompt" | "Clear") => {
            let details = record.value.get("data").cloned();
            pen.aside(kind, "", details, 0);
        }
        kind => {
            let says = "lines of kinds that are not known here are kept aside";
            let kind = match kind {
                "" => "without a kind",
                kind => kind,
            };
            pen.count("line_type_unknown", kind, says, &record.at);
            pen.aside(kind, "", Some(record.value.clone()), 0);
        }
    }
}

fn time(data: &Value) -> i64 {
    millis(data.pointer("/meta/timestamp"))
}

/// The first text of a message.
fn words(message: &Value) -> &str {
    let content = message.get("content").and_then(Value::as_array);
    let mut texts = content.into_iter().flatten();
    let text = texts.find(|block| word(block, "kind") == Some("text"));
    text.and_then(|block| word(block, "data"))
        .unwrap_or_default()
}

fn blocks<'v>(message: &'v Value, at: &At) -> Vec<(&'v Value, At)> {
    let content = message.get("content").and_then(Value::as_array);
    let placed = content.into_iter().flatten().enumerate();
    let placed = placed.map(|(index, block)| (block, at.inside(&format!("/content/{index}"))));
    placed.collect()
}

/// What is sent as the person's: their words, or what functions came back with.
fn user(pen: &mut Pen, message: &Value, spoken: bool, at: &At) {
    let time = time(message);
    let meta = message.get("meta").unwrap_or(&Value::Null);
    if let Some(context) = filled(meta, "additionalContext") {
        let at = at.inside("/meta/additionalContext");
        pen.injected(&json!(context), false, "additional_context", &at, time);
    }
    let blocks = blocks(message, at);
    let mut parts = Vec::new();
    let mut results = 0;
    for (block, place) in &blocks {
        let body = block.get("data").unwrap_or(&Value::Null);
        match word(block, "kind") {
            Some("toolResult") => {
                results += 1;
                let call = word(body, "toolUseId").unwrap_or_default();
                let details = message.get("results").and_then(|results| results.get(call));
                result(pen, body, details, place, time);
            }
            _ => parts.extend(part(pen, block, place, time)),
        }
    }
    if !parts.is_empty() {
        let parts = Value::Array(parts);
        match spoken {
            true => pen.user(&parts, at, time),
            false => pen.injected(&parts, false, "tool_results", at, time),
        }
    } else if results == 0 && blocks.is_empty() {
        pen.wordless("user", at);
    }
}

fn answer(pen: &mut Pen, message: &Value, at: &At) {
    let blocks = blocks(message, at);
    let mut pieces = Vec::new();
    for (block, place) in &blocks {
        let body = block.get("data").unwrap_or(&Value::Null);
        match word(block, "kind") {
            Some("toolUse") => {
                let own = |key: &str| word(body, key).unwrap_or_default().to_owned();
                let input = body.get("input").cloned().unwrap_or_else(|| json!({}));
                pieces.push(Piece::Call(own("toolUseId"), own("name"), input));
            }
            Some("text") if body == "" => {}
            _ => pieces.extend(part(pen, block, place, 0).map(Piece::Part)),
        }
    }
    if !pieces.is_empty() {
        pen.answer(pieces, Answer::default(), at);
    } else if blocks
        .iter()
        .all(|(block, _)| word(block, "kind") == Some("text"))
    {
        pen.wordless("assistant", at);
    }
}

/// Words, reasoning or a picture; anything else is told and stands aside.
fn part(pen: &mut Pen, block: &Value, at: &At, time: i64) -> Option<Value> {
    let body = block.get("data").unwrap_or(&Value::Null);
    let kind = word(block, "kind").unwrap_or("without a kind");
    let known = match kind {
        "text" => body.as_str().map(|text| json!({"type": "text", "text": text})),
        "json" => Some(json!({"type": "text", "text": body.to_string()})),
        "image" => picture(body),
        "thinking" => word(body, "text").map(|text| {
            json!({"type": "thinking", "thinking": text, "signature": body.get("signature")})
        }),
        _ => None,
    };
    if known.is_none() {
        let says = "blocks of kinds that are not known here are kept aside";
        pen.count("part_unknown", kind, says, at);
        pen.aside(kind, "", Some(block.clone()), time);
    }
    known
}

/// A picture, whose bytes stand as a list of numbers.
fn picture(image: &Value) -> Option<Value> {
    let source = image.get("source")?;
    let list = source.get("data").or_else(|| source.get("Bytes"))?;
    let data = match list {
        Value::Array(numbers) => {
            let bytes = numbers
                .iter()
                .map(|number| u8::try_from(number.as_u64()?).ok());
            STANDARD.encode(bytes.collect::<Option<Vec<u8>>>()?)
        }
        text => text.as_str()?.to_owned(),
    };
    let mime = format!("image/{}", word(image, "format").unwrap_or("*"));
    Some(json!({"type": "image", "data": data, "mimeType": mime}))
}

fn result(pen: &mut Pen, body: &Value, details: Option<&Value>, at: &At, time: i64) {
    let blocks = blocks(body, at);
    let parts: Vec<Value> = blocks
        .iter()
        .filter_map(|(block, place)| part(pen, block, place, time))
        .collect();
    // What a success says beside its content is the content again.
    let failed = word(body, "status") == Some("error");
    let keys: &[&str] = match failed {
        true => &["tool", "result"],
        false => &["tool"],
    };
    let details = details.map(|details| Value::Object(facts(details, keys)));
    let outcome = Outcome {
        call: word(body, "toolUseId").unwrap_or_default(),
        content: Value::Array(parts),
        failed,
        details: details.unwrap_or_default(),
        ..Outcome::default()
    };
    pen.result(outcome, at, time);
}
