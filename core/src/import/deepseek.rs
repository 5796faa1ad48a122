//! DeepSeek conversations: the list of a data export, or one by itself.
//!
//! The messages are a tree like ChatGPT's, with no current one: the newest end is shown and every other is a
//! branch. Nobody is named as the author; a message is told by its fragments (`REQUEST` is the person's), or in
//! older files by its turn. What the service ran, a search or a page it opened, stands as a call with its result.

use serde_json::{Value, json};

use super::Ask;
use super::mapping::{self, Mapped, is_mapped};
use super::pen::{Answer, Outcome, Pen, Piece};
use super::record::{Record, facts, word};
use super::time::millis;
use super::tree::Node;
use crate::json::Notes;
use crate::transcript::Imported;
use crate::wire::chat::API_FORMAT;

/// Whether a value is a conversation of this export.
pub(super) fn is_conversation(value: &Value) -> bool {
    let set = |key: &str| value.get(key).is_some_and(|member| !member.is_null());
    let nodes = value.get("mapping").and_then(Value::as_object);
    let mut nodes = nodes.into_iter().flatten();
    let timed = set("inserted_at") && !set("create_time");
    is_mapped(value)
        && (timed || nodes.any(|(_, node)| node.pointer("/message/fragments").is_some()))
}

/// The conversations of an export.
pub(super) fn read(records: Vec<Record>, ask: &Ask, notes: &mut Notes) -> Vec<Imported> {
    mapping::conversations(records, notes, |record, nodes| {
        conversation(record, nodes, ask)
    })
}

fn conversation(record: &Record, nodes: &[Mapped<'_>], ask: &Ask) -> Imported {
    let value = &record.value;
    let mut pen = Pen::new(API_FORMAT);
    let walked = mapping::walked(record, nodes, node, ask, &mut pen);
    let keys = ["id", "inserted_at", "updated_at"];
    pen.facts(facts(value, &keys), millis(value.get("inserted_at")));
    let mut before = None;
    for node in walked.path.iter().filter_map(|index| nodes.get(*index)) {
        if node.message.is_object() {
            let person = is_person(node.message).unwrap_or(before != Some(true));
            message(&mut pen, node, person);
            before = Some(person);
        }
    }
    pen.name(word(value, "title"));
    let says = "neither the system prompt nor the texts of files are in the file; what was sent was larger";
    pen.tell("context_not_in_file", says, &record.at);
    pen.finish()
}

fn node<'r>(node: &Mapped<'r>) -> Node<'r> {
    let mut texts = fragments(node.message).filter(|(kind, _)| *kind != "THINK");
    Node {
        id: node.id,
        parent: node.parent,
        words: texts
            .find_map(|(_, fragment)| words(fragment))
            .or_else(|| words(node.message))
            .unwrap_or_default(),
        turn: is_person(node.message) == Some(true),
        time: millis(node.message.get("inserted_at")),
    }
}

/// The fragments of a message, by their types.
fn fragments(message: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let list = message.get("fragments").and_then(Value::as_array);
    let list = list.into_iter().flatten();
    list.map(|fragment| (word(fragment, "type").unwrap_or_default(), fragment))
}

fn words(fragment: &Value) -> Option<&str> {
    word(fragment, "content").filter(|text| !text.is_empty())
}

/// Whether a fragment is what the service ran, and what came of it.
fn is_run(kind: &str) -> bool {
    matches!(kind, "SEARCH" | "READ_LINK") || kind.starts_with("TOOL_")
}

/// Whether the person said it; `None` when the message does not tell.
fn is_person(message: &Value) -> Option<bool> {
    let mut kinds = fragments(message).map(|(kind, _)| kind).peekable();
    if kinds.peek().is_some() {
        return Some(kinds.any(|kind| kind == "REQUEST"));
    }
    let role = word(message, "role").or_else(|| message.pointer("/author/role")?.as_str());
    role.map(|role| role.eq_ignore_ascii_case("user"))
}

fn message(pen: &mut Pen, node: &Mapped<'_>, person: bool) {
    let (message, at) = (node.message, &node.at);
    let time = millis(message.get("inserted_at"));
    let mut pieces = Vec::new();
    let text = |text: &str| Piece::Part(json!({"type": "text", "text": text}));
    let thought = |text: &str| Piece::Part(json!({"type": "thinking", "thinking": text}));
    let answer = |pen: &mut Pen, pieces: &mut Vec<Piece>| {
        let answer = Answer {
            model: word(message, "model").filter(|model| !model.is_empty()),
            timestamp: time,
            ..Answer::default()
        };
        pen.answer(std::mem::take(pieces), answer, at);
    };
    // Older files have no fragments.
    pieces.extend(
        word(message, "reasoning_content")
            .filter(|text| !text.is_empty())
            .map(thought),
    );
    pieces.extend(words(message).map(text));
    let mut runs = 0;
    for (kind, fragment) in fragments(message) {
        match kind {
            "REQUEST" | "RESPONSE" | "TEMPLATE_RESPONSE" => {
                pieces.extend(words(fragment).map(text))
            }
            "THINK" => pieces.extend(words(fragment).map(thought)),
            "TIP" => {
                // A notice of the page, in no request.
                if let Some(text) = words(fragment) {
                    pen.aside("tip", text, None, time);
                }
            }
            _ if !person && is_run(kind) => {
                runs += 1;
                let function = kind.trim_start_matches("TOOL_").to_ascii_lowercase();
                let id = match runs {
                    1 => format!("{}/{function}", node.id),
                    more => format!("{}/{function}#{more}", node.id),
                };
                let input = facts(fragment, &["query", "queries", "url", "urls"]);
                let input = Value::Object(input);
                pieces.push(Piece::Call(id.clone(), function, input));
                answer(pen, &mut pieces);
                let content = words(fragment).map(str::to_owned);
                let found = ["results", "result"]
                    .iter()
                    .find_map(|key| fragment.get(*key));
                let content = content.or_else(|| Some(found?.to_string()));
                let outcome = Outcome {
                    call: &id,
                    content: json!(content),
                    ..Outcome::default()
                };
                pen.result(outcome, at, time);
            }
            _ => pieces.push(Piece::Part(fragment.clone())),
        }
    }
    let files = message.get("files").and_then(Value::as_array);
    pieces.extend(files.into_iter().flatten().map(|file| {
        let name = ["file_name", "name"].iter().find_map(|key| word(file, key));
        let id = ["id", "file_id"].iter().find_map(|key| word(file, key));
        Piece::Part(json!({"type": "file", "file": {"filename": name, "file_id": id}}))
    }));
    if pieces.is_empty() {
        let sender = if person { "user" } else { "assistant" };
        return pen.wordless(sender, at);
    }
    if !person {
        return answer(pen, &mut pieces);
    }
    let parts = pieces.into_iter().filter_map(|piece| match piece {
        Piece::Part(part) => Some(part),
        Piece::Call(..) => None,
    });
    pen.user(&parts.collect(), at, time);
}
