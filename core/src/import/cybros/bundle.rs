//! The `conversation.json` of the older export bundle: a turn is an input and an output message, and one whose
//! `variant_index` is above that of another in its place is an alternative.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::Ask;
use super::super::pen::{Answer, Pen, Piece};
use super::super::record::{Record, id_of, rest, word};
use super::super::time::millis;
use super::super::tree::{Node, walk};
use super::{attach, title};
use crate::transcript::Imported;

pub(super) fn is(value: &Value) -> bool {
    word(value, "bundle_kind") == Some("conversation_export")
}

/// The conversation of a bundle.
pub(super) fn read(record: &Record, ask: &Ask) -> Imported {
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    let Record { value, at } = record;
    let conversation = value.get("conversation").unwrap_or(&Value::Null);
    pen.transcript().title = title(conversation);
    if let Some(Value::Object(facts)) = rest(value, &["messages", "bundle_kind"]) {
        pen.facts(facts, millis(conversation.get("created_at")));
    }
    let messages = record.members("messages");
    let places = messages.iter().enumerate();
    let ids = places.map(|(index, message)| id_of(&message.value, "message_public_id", index));
    let ids: Vec<String> = ids.collect();
    if value.get("messages").is_none() {
        let says = "this is a bundle's table of contents; open the conversation.json beside it";
        pen.count("no_messages", "", says, at);
    }
    let mut nodes: Vec<Node<'_>> = Vec::new();
    // The first of each place of a turn, which others are alternatives to.
    let mut firsts: BTreeMap<(&str, bool), (u64, usize)> = BTreeMap::new();
    let mut turns: Vec<&str> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let (turn, variant) = (turn_of(&message.value), variant(&message.value));
        if !firsts.contains_key(&(turn, true)) && !firsts.contains_key(&(turn, false)) {
            turns.push(turn);
        }
        let first = firsts
            .entry((turn, is_input(&message.value)))
            .or_insert((variant, index));
        *first = (*first).min((variant, index));
    }
    let first = |turn: &str, input: bool| {
        let (_, index) = firsts.get(&(turn, input))?;
        ids.get(*index).map(String::as_str)
    };
    // The end of each turn, which the next one follows.
    let mut ends: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    let mut end = None;
    for turn in &turns {
        ends.insert(turn, end);
        end = first(turn, false).or(first(turn, true)).or(end);
    }
    for (message, id) in messages.iter().zip(&ids) {
        let turn = turn_of(&message.value);
        let before = ends.get(turn).copied().flatten();
        nodes.push(Node {
            id,
            parent: match is_input(&message.value) {
                true => before,
                false => first(turn, true).or(before),
            },
            words: word(&message.value, "content").unwrap_or_default(),
            turn: is_input(&message.value),
            time: millis(message.value.get("created_at")),
        });
    }
    let walked = walk(&nodes, end, ask.branch.as_deref());
    for message in walked.path.iter().filter_map(|index| messages.get(*index)) {
        let Record { value, at } = message;
        let time = millis(value.get("created_at"));
        let content = value.get("content").unwrap_or(&Value::Null);
        match is_input(value) {
            true => pen.user(content, at, time),
            false => {
                let text = content.as_str().filter(|text| !text.is_empty());
                let said = text.map(|text| Piece::Part(json!({"type": "text", "text": text})));
                let known = Answer {
                    timestamp: time,
                    ..Answer::default()
                };
                pen.answer(said.into_iter().collect(), known, at);
            }
        }
        attach(&mut pen, value.get("attachments"), at);
    }
    let mut imported = pen.finish();
    imported.branches = walked.branches;
    imported
}

fn turn_of(message: &Value) -> &str {
    word(message, "turn_public_id").unwrap_or_default()
}

fn variant(message: &Value) -> u64 {
    message
        .get("variant_index")
        .and_then(Value::as_u64)
        .unwrap_or(0)
}

fn is_input(message: &Value) -> bool {
    match word(message, "slot") {
        Some(slot) => slot == "input",
        None => word(message, "role") == Some("user"),
    }
}
