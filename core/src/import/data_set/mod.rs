//! Rows of data sets, each a conversation by itself: ShareGPT and its kin, Alpaca, preferences, chat columns, and
//! the trees of OASST, whose rows are messages.
//!
//! The answer that was chosen is the main way of a preference, the rejected one a branch beside it. Columns that
//! are no part of the conversation are kept as its facts.

mod line;
mod tree;
mod words;

use serde_json::Value;

use super::Ask;
use super::pen::Pen;
use super::record::{At, Record, rest, word};
use super::tree::{Node, walk};
use crate::json::Notes;
use crate::refusal::{Warning, pointer_key};
use crate::transcript::Imported;
use line::{Line, Pictures, Who};

/// Columns that hold a conversation of speakers and words.
const DIALOGUES: [&str; 5] = ["conversations", "conversation", "items", "messages", "data"];

/// Columns that are read, whatever else a row has.
const READ: [&str; 16] = [
    "chosen",
    "rejected",
    "chosen_messages",
    "rejected_messages",
    "prompt",
    "completion",
    "instruction",
    "input",
    "output",
    "history",
    "chat",
    "system",
    "system_prompt",
    "tools",
    "images",
    "image",
];

/// The conversations of rows.
pub(super) fn read(records: Vec<Record>, ask: &Ask, notes: &mut Notes) -> Vec<Imported> {
    let rows = records.into_iter().flat_map(Record::items);
    let (nodes, rows): (Vec<Record>, Vec<Record>) = rows.partition(|row| tree::is_node(&row.value));
    let mut found = Vec::new();
    for row in rows {
        match each(&row.value) {
            true => found.push(conversation(&row, ask)),
            false => {
                let message = "no conversation is in this row; it is skipped";
                notes.push(row.at.of(Warning::new("not_a_conversation", message)));
            }
        }
    }
    found.extend(tree::read(&nodes, ask));
    found
}

/// Whether a value is of this format.
pub(super) fn is(value: &Value) -> bool {
    each(value) || tree::is_node(value)
}

/// Whether a value is a conversation by itself.
pub(super) fn each(value: &Value) -> bool {
    let has = |key: &str| value.get(key).is_some_and(|member| !member.is_null());
    let judged = value.get("label").is_some_and(Value::is_boolean);
    let dialogue = DIALOGUES.iter().any(|key| {
        let items = value.get(*key).and_then(Value::as_array);
        items.is_some_and(|items| match *key {
            "messages" => judged || items.iter().any(line::is_typed),
            "data" => has("id") && items.len() > 1 && items.iter().all(Value::is_string),
            _ => items.iter().any(line::is),
        })
    });
    dialogue
        || has("instruction") && has("output")
        || has("chosen") && has("rejected")
        || has("chosen_messages") && has("rejected_messages")
        || has("prompt") && has("completion") && judged
        || word(value, "chat").is_some_and(words::is_dialogue)
}

/// One row.
fn conversation(row: &Record, ask: &Ask) -> Imported {
    let Record { value, at } = row;
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    pen.transcript().model = word(value, "model").map(str::to_owned);
    for key in ["system", "system_prompt"] {
        let system = word(value, key).filter(|text| !text.is_empty());
        if let Some(system) = system {
            // The older function sets write the role's name before its words.
            let system = system.strip_prefix("SYSTEM: ").unwrap_or(system);
            pen.system(
                "system",
                &Value::from(system),
                &at.inside(&format!("/{key}")),
                0,
            );
        }
    }
    line::tools(&mut pen, value.get("tools"), &at.inside("/tools"));
    let (shared, chosen, rejected) = ways(value, at);
    let (nodes, current) = nodes(&shared, &chosen, &rejected);
    let views: Vec<Node<'_>> = nodes
        .iter()
        .map(|node| Node {
            id: &node.id,
            parent: node.follows.as_deref(),
            words: &node.words,
            turn: matches!(node.line.who, Who::User),
            time: 0,
        })
        .collect();
    let walked = walk(&views, current.as_deref(), ask.branch.as_deref());
    let mut pictures = Pictures::new(value, at);
    for node in walked.path.iter().filter_map(|index| nodes.get(*index)) {
        node.line.write(&mut pen, &mut pictures);
    }
    pictures.finish(&mut pen);
    pen.name(None);
    let mut read = READ.to_vec();
    read.extend(DIALOGUES);
    if let Some(Value::Object(facts)) = rest(value, &read) {
        pen.facts(facts, 0);
    }
    let mut imported = pen.finish();
    imported.branches = walked.branches;
    imported
}

/// A line with its place in the tree that a preference is.
struct Placed<'l> {
    id: String,
    follows: Option<String>,
    words: String,
    line: &'l Line,
}

/// The lines as nodes, and the id of the chosen end.
fn nodes<'l>(
    shared: &'l [Line],
    chosen: &'l [Line],
    rejected: &'l [Line],
) -> (Vec<Placed<'l>>, Option<String>) {
    let mut nodes: Vec<Placed<'l>> = Vec::new();
    let mut add = |lines: &'l [Line], name: &str, mut follows: Option<String>| {
        for (index, line) in lines.iter().enumerate() {
            let id = match index + 1 == lines.len() && !name.is_empty() {
                true => name.to_owned(),
                false => format!("{name}#{index}"),
            };
            nodes.push(Placed {
                follows: follows.replace(id.clone()),
                id,
                words: line.words(),
                line,
            });
        }
        follows
    };
    let fork = add(shared, "", None);
    let end = add(chosen, "chosen", fork.clone());
    add(rejected, "rejected", fork);
    (nodes, end)
}

/// The lines of a row: those of every way, those of the chosen one, those of the rejected one.
fn ways(value: &Value, at: &At) -> (Vec<Line>, Vec<Line>, Vec<Line>) {
    let mut shared = Vec::new();
    if let Some(instruction) = word(value, "instruction") {
        line::pairs(value.get("history"), at, &mut shared);
        let input = word(value, "input").filter(|input| !input.is_empty());
        let asked = input.map_or_else(
            || instruction.to_owned(),
            |input| format!("{instruction}\n{input}"),
        );
        shared.push(Line::said(Who::User, asked, at.inside("/instruction")));
    }
    for key in DIALOGUES {
        if let Some(items) = value.get(key).and_then(Value::as_array) {
            shared.extend(line::lines(
                items,
                &at.inside(&format!("/{key}")),
                Who::User,
            ));
        }
    }
    if let Some(chat) = word(value, "chat") {
        shared.extend(words::dialogue(chat, &at.inside("/chat")));
    }
    if let Some(prompt) = value.get("prompt") {
        shared.extend(line::member(prompt, &at.inside("/prompt"), Who::User));
    }
    for key in ["output", "completion"] {
        if let Some(answer) = value.get(key).filter(|answer| !answer.is_null()) {
            shared.extend(line::member(
                answer,
                &at.inside(&format!("/{key}")),
                Who::Model,
            ));
        }
    }
    let way = |keys: [&str; 2]| {
        let found = keys
            .into_iter()
            .find_map(|key| Some((key, value.get(key)?)));
        let lines = found.map(|(key, said)| {
            line::member(
                said,
                &at.inside(&format!("/{}", pointer_key(key))),
                Who::Model,
            )
        });
        lines.unwrap_or_default()
    };
    let mut chosen = way(["chosen", "chosen_messages"]);
    let mut rejected = way(["rejected", "rejected_messages"]);
    // Both may begin with the words they answer, beside a prompt that says them as well or without one.
    let same = chosen
        .iter()
        .zip(&rejected)
        .take_while(|(one, other)| one.says_as(other))
        .count();
    rejected.drain(..same);
    let common: Vec<Line> = chosen.drain(..same).collect();
    if !ends_with(&shared, &common) {
        if ends_with(&common, &shared) {
            shared.clear();
        }
        shared.extend(common);
    }
    (shared, chosen, rejected)
}

fn ends_with(lines: &[Line], end: &[Line]) -> bool {
    let last = lines.iter().rev().zip(end.iter().rev());
    lines.len() >= end.len() && last.into_iter().all(|(one, other)| one.says_as(other))
}

#[cfg(test)]
mod tests;
