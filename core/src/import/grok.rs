//! The data export of Grok: `{conversations: [{conversation, responses: [{response}]}]}`.
//!
//! Responses are a tree by `parent_response_id`; no current end is named, so the newest one is read.

use serde_json::{Value, json};

use super::Ask;
use super::lines::LOOKED_AT;
use super::pen::{Answer, Pen};
use super::record::{Record, conversations, facts, filled, id, rest, word};
use super::rounds::Step;
use super::time::millis;
use super::tree::{Node, walk};
use crate::json::Notes;
use crate::transcript::Imported;

/// Whether a value is an export or one conversation of one.
pub(super) fn is_export(value: &Value) -> bool {
    let all = value.get("conversations").and_then(Value::as_array);
    all.is_some_and(|all| all.iter().take(LOOKED_AT).any(is_chat)) || is_chat(value)
}

fn is_chat(value: &Value) -> bool {
    let responses = value.get("responses").is_some_and(Value::is_array);
    responses && value.get("conversation").is_some_and(Value::is_object)
}

/// The conversations of an export.
pub(super) fn read(records: Vec<Record>, ask: &Ask, notes: &mut Notes) -> Vec<Imported> {
    let all = records.into_iter().flat_map(Record::conversations);
    conversations(all.collect(), is_chat, notes, |record| chat(record, ask))
}

fn chat(record: &Record, ask: &Ask) -> Imported {
    let head = record.value.get("conversation").unwrap_or(&Value::Null);
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    let around = rest(head, &["title"]);
    let around = around.as_ref().and_then(Value::as_object).cloned();
    pen.facts(around.unwrap_or_default(), millis(head.get("create_time")));
    let mut responses: Vec<Record> = record
        .members("responses")
        .into_iter()
        .map(|Record { value, at }| match value.get("response") {
            Some(response) if response.is_object() => Record {
                at: at.inside("/response"),
                value: response.clone(),
            },
            _ => Record { value, at },
        })
        .collect();
    responses.retain(|record| {
        let said = record.value.get("message").is_some();
        if !said {
            pen.not_a_message(&record.at);
        }
        said
    });
    let ids: Vec<(Option<String>, Option<String>)> = responses
        .iter()
        .map(|Record { value, .. }| (id(value, "_id"), id(value, "parent_response_id")))
        .collect();
    let nodes = responses
        .iter()
        .zip(&ids)
        .map(|(record, (id, parent))| Node {
            id: id.as_deref().unwrap_or(&record.at.path),
            parent: parent.as_deref(),
            words: word(&record.value, "message").unwrap_or_default(),
            turn: by_person(&record.value),
            time: millis(record.value.get("create_time")),
        });
    // Without any link they are a line.
    let linked = ids.iter().any(|(_, parent)| parent.is_some());
    let nodes: Vec<Node<'_>> = nodes.collect();
    let path: Vec<usize> = match linked {
        false => (0..nodes.len()).collect(),
        true => {
            let mut walked = walk(&nodes, None, ask.branch.as_deref());
            let place = |index: usize| responses.get(index).map(|record| record.at.clone());
            walked.tell(&mut pen, &record.at, place);
            walked.path
        }
    };
    for record in path.iter().filter_map(|index| responses.get(*index)) {
        response(&mut pen, record);
    }
    pen.name(word(head, "title"));
    pen.finish()
}

fn by_person(response: &Value) -> bool {
    word(response, "sender").is_some_and(|sender| sender.eq_ignore_ascii_case("human"))
}

fn response(pen: &mut Pen, Record { value, at }: &Record) {
    let time = millis(value.get("create_time"));
    let mut parts = Vec::new();
    let words = filled(value, "message");
    parts.extend(words.map(|text| json!({"type": "text", "text": text})));
    let files = value.get("file_attachments").and_then(Value::as_array);
    parts.extend(files.into_iter().flatten().map(|file| {
        let own = file.as_str().map(str::to_owned).or_else(|| id(file, "id"));
        let name = word(file, "name").or_else(|| word(file, "file_name"));
        json!({"type": "file", "file": {"filename": name, "file_id": own}})
    }));
    let pictures = value.get("generated_image_urls").and_then(Value::as_array);
    parts.extend(
        pictures
            .into_iter()
            .flatten()
            .map(|url| json!({"type": "image_url", "image_url": {"url": url}})),
    );
    if by_person(value) {
        return pen.user(&Value::Array(parts), at, time);
    }
    let sender = word(value, "sender").unwrap_or_default();
    if !sender.eq_ignore_ascii_case("assistant") {
        return pen.role_unknown(sender, words.unwrap_or_default(), value, at, time);
    }
    let mut steps: Vec<Step> = filled(value, "thinking_trace")
        .map(Step::thought)
        .into_iter()
        .collect();
    steps.extend(parts.into_iter().map(Step::Said));
    let error = value.get("error").filter(|error| !error.is_null());
    let error = error.map(|error| {
        error
            .as_str()
            .map_or_else(|| error.to_string(), str::to_owned)
    });
    let answer = Answer {
        stop_reason: (value.get("partial") == Some(&Value::Bool(true))).then_some("aborted"),
        error: error.as_deref(),
        model: word(value, "model"),
        timestamp: time,
        ..Answer::default()
    };
    pen.rounds(steps, answer, at);
    // What stood beside the words: what was searched and found, the steps of the agents, cards of the page.
    let keys = [
        "query",
        "steps",
        "agent_thinking_traces",
        "web_search_results",
        "cited_web_search_results",
        "xpost_ids",
        "card_attachments_json",
    ];
    let mut beside = facts(value, &keys);
    beside.retain(|_, found| !is_empty(found));
    if !beside.is_empty() {
        let says = "what was searched for answers is kept aside; in which words it was sent is not in the file";
        pen.count("sources_aside", "", says, at);
        pen.aside("sources", "", Some(Value::Object(beside)), time);
    }
}

fn is_empty(value: &Value) -> bool {
    let nothing = value.as_array().is_some_and(Vec::is_empty);
    nothing || value.as_str().is_some_and(str::is_empty)
}
