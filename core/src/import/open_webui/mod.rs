//! Chats of Open WebUI: a list of `{id, title, chat}` as it exports them, or the inner chat by itself.
//!
//! `history.messages` is a tree by `parentId`, and `currentId` names the current end. Several models asked at
//! once answer side by side as children of one question, each a branch. Reasoning and calls are folded into an
//! answer's text (`details.rs`), newer files keep them as `output` items too, which count then. What was
//! retrieved for an answer (`sources`) stands aside: in which words it was sent is not in the file.

mod details;

use serde_json::{Value, json};

use super::Ask;
use super::pen::{Answer, Pen};
use super::record::{At, Record, conversations, facts, filled, id, text_of, word};
use super::rounds::Step;
use super::time::millis;
use super::tree::{Node, walk};
use crate::json::Notes;
use crate::refusal::pointer_key;
use crate::transcript::{Imported, Usage};
use crate::wire::{chat::API_FORMAT, usage};

/// Whether a value is a chat, with its envelope or without.
pub(super) fn is_chat(value: &Value) -> bool {
    let history = |chat: &Value| {
        let messages = chat.pointer("/history/messages");
        messages.is_some_and(Value::is_object)
    };
    let list = |chat: &Value| chat.get("messages").is_some_and(Value::is_array);
    history(value)
        || value
            .get("chat")
            .is_some_and(|chat| history(chat) || list(chat))
}

/// The chats of an export.
pub(super) fn read(records: Vec<Record>, ask: &Ask, notes: &mut Notes) -> Vec<Imported> {
    conversations(records, is_chat, notes, |record| chat(record, ask))
}

struct Message<'r> {
    id: String,
    parent: Option<String>,
    words: String,
    value: &'r Value,
    at: At,
}

fn chat(record: &Record, ask: &Ask) -> Imported {
    let (chat, at) = match record.value.get("chat") {
        Some(chat) if chat.is_object() => (chat, record.at.inside("/chat")),
        _ => (&record.value, record.at.clone()),
    };
    let mut pen = Pen::new(API_FORMAT);
    for pointer in ["/system", "/params/system"] {
        if let Some(system) = chat.pointer(pointer).and_then(Value::as_str)
            && !system.is_empty()
        {
            pen.system("system", &json!(system), &at.inside(pointer), 0);
            break;
        }
    }
    let mut around = facts(
        &record.value,
        &[
            "created_at",
            "updated_at",
            "archived",
            "pinned",
            "folder_id",
            "meta",
        ],
    );
    around.extend(facts(chat, &["id", "models", "params", "tags"]));
    around.extend(facts(&record.value, &["id"]));
    pen.facts(around, millis(record.value.get("created_at")));
    let messages = messages(chat, &at, &mut pen);
    let nodes: Vec<Node<'_>> = messages.iter().map(node).collect();
    let current = chat.pointer("/history/currentId").and_then(Value::as_str);
    let mut walked = walk(&nodes, current, ask.branch.as_deref());
    if let Some(tree) = chat.pointer("/history/messages") {
        for found in plain_list(chat) {
            if word(found, "id").is_some_and(|id| tree.get(id).is_none()) {
                let says = "messages of the plain list are not in the tree; the tree counts, they are not read";
                pen.count("list_not_in_tree", "", says, &at.inside("/messages"));
            }
        }
    }
    let place = |index: usize| messages.get(index).map(|message| message.at.clone());
    walked.tell(&mut pen, &at.inside("/history/currentId"), place);
    let path = walked.path.iter().filter_map(|index| messages.get(*index));
    for found in path {
        message(&mut pen, chat, found);
    }
    pen.name(filled(chat, "title").or_else(|| filled(&record.value, "title")));
    pen.finish()
}

/// The messages of the tree in file order; of a chat without one, the list, one after the other.
fn messages<'r>(chat: &'r Value, at: &At, pen: &mut Pen) -> Vec<Message<'r>> {
    let one = |value: &'r Value, id: String, parent: Option<String>, at: At| Message {
        id,
        parent,
        words: words_of(value),
        value,
        at,
    };
    let tree = chat.pointer("/history/messages").and_then(Value::as_object);
    let mut found: Vec<Message<'r>> = match tree.filter(|tree| !tree.is_empty()) {
        Some(tree) => {
            let placed = tree.iter().map(|(key, value)| {
                let place = at.inside(&format!("/history/messages/{}", pointer_key(key)));
                one(value, key.clone(), id(value, "parentId"), place)
            });
            placed.collect()
        }
        None => {
            let placed = plain_list(chat).iter().enumerate().map(|(index, value)| {
                let before = index.checked_sub(1).map(|before| before.to_string());
                let place = at.inside(&format!("/messages/{index}"));
                one(value, index.to_string(), before, place)
            });
            placed.collect()
        }
    };
    found.retain(|message| {
        let is = message.value.is_object();
        if !is {
            pen.not_a_message(&message.at);
        }
        is
    });
    found
}

fn plain_list(chat: &Value) -> &[Value] {
    let list = chat.get("messages").and_then(Value::as_array);
    list.map(Vec::as_slice).unwrap_or_default()
}

fn words_of(value: &Value) -> String {
    let text = text_of(value.get("content"));
    if !text.contains("<details") {
        return text;
    }
    let steps = details::unfold(&text).steps.into_iter();
    let words = steps.filter_map(|step| match step {
        Step::Said(part) => word(&part, "text").map(str::to_owned),
        _ => None,
    });
    words.collect::<Vec<_>>().join("\n\n")
}

fn node<'m>(message: &'m Message<'_>) -> Node<'m> {
    Node {
        id: &message.id,
        parent: message.parent.as_deref(),
        words: &message.words,
        turn: word(message.value, "role") == Some("user"),
        time: millis(message.value.get("timestamp")),
    }
}

fn message(pen: &mut Pen, chat: &Value, message: &Message<'_>) {
    let Message { value, at, .. } = message;
    let time = millis(value.get("timestamp"));
    let content = value.get("content").unwrap_or(&Value::Null);
    match word(value, "role").unwrap_or_default() {
        "user" => {
            let files = value.get("files").and_then(Value::as_array);
            match files.map(Vec::as_slice) {
                None | Some([]) => pen.user(content, at, time),
                Some(files) => {
                    let mut parts = match content {
                        Value::Array(parts) => parts.clone(),
                        Value::Null => Vec::new(),
                        text => vec![text.clone()],
                    };
                    parts.extend(files.iter().map(|found| file(pen, found, at)));
                    pen.user(&Value::Array(parts), at, time);
                }
            }
        }
        "assistant" => answer(pen, chat, value, content, at, time),
        role @ ("system" | "developer") => pen.system(role, content, at, time),
        role => pen.role_unknown(role, &text_of(Some(content)), value, at, time),
    }
}

/// A file of a question as a part: a picture, the text that was read out of it, or its name.
fn file(pen: &mut Pen, file: &Value, at: &At) -> Value {
    let url = filled(file, "url");
    if let (Some("image"), Some(url)) = (word(file, "type"), url) {
        return json!({"type": "image_url", "image_url": {"url": url}});
    }
    let text = file.pointer("/file/data/content").and_then(Value::as_str);
    let name = word(file, "name").or_else(|| word(file.get("file")?, "filename"));
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        let says =
            "the whole text of files stands in the question; the tool sends what it looks up in it";
        pen.count("file_text_whole", name.unwrap_or_default(), says, at);
        return json!({"type": "text", "text": text});
    }
    let own = id(file, "id").or_else(|| url.map(str::to_owned));
    json!({"type": "file", "file": {"filename": name, "file_id": own}})
}

fn answer(pen: &mut Pen, chat: &Value, value: &Value, content: &Value, at: &At, time: i64) {
    let error = value
        .get("error")
        .filter(|error| !matches!(error, Value::Null | Value::Bool(false)));
    let error = error.map(|error| {
        let words = error.as_str().or_else(|| word(error, "content"));
        words.map_or_else(|| error.to_string(), str::to_owned)
    });
    let first = chat.pointer("/models/0").and_then(Value::as_str);
    let cut_off = value.get("done") == Some(&Value::Bool(false)) && error.is_none();
    let facts = Answer {
        stop_reason: cut_off.then_some("aborted"),
        error: error.as_deref(),
        model: word(value, "model").or(first),
        usage: counted(value),
        timestamp: time,
        ..Answer::default()
    };
    let output = value.get("output").filter(|items| is_filled(items));
    match output {
        Some(items) => pen.reply(items, facts, at),
        None => {
            let steps = unfolded(pen, content, at);
            pen.rounds(steps, facts, at);
        }
    }
    if let Some(files) = value.get("files").filter(|files| is_filled(files)) {
        let says =
            "files that came with answers are kept aside; the model does not read them again";
        pen.count("files_aside", "", says, at);
        pen.aside("files", "", Some(files.clone()), time);
    }
    let sources = value.get("sources").or_else(|| value.get("citations"));
    if let Some(sources) = sources.filter(|sources| is_filled(sources)) {
        let says = "what was retrieved for answers is kept aside; in which words it was sent is not in the file";
        pen.count("sources_aside", "", says, at);
        pen.aside("sources", "", Some(sources.clone()), time);
    }
}

fn is_filled(list: &Value) -> bool {
    list.as_array().is_some_and(|items| !items.is_empty())
}

fn unfolded(pen: &mut Pen, content: &Value, at: &At) -> Vec<Step> {
    match content {
        Value::Null => Vec::new(),
        Value::String(text) => {
            let unfolded = details::unfold(text);
            for kind in unfolded.blocks {
                let says = "blocks folded into the text of answers are read as reasoning, calls and results";
                pen.count("details_unfolded", kind, says, at);
            }
            unfolded.steps
        }
        Value::Array(parts) => parts.iter().cloned().map(Step::Said).collect(),
        other => vec![Step::Said(other.clone())],
    }
}

/// What the provider counted, a local server in its own words.
fn counted(value: &Value) -> Option<Usage> {
    let counted = value.get("usage").or_else(|| value.get("info"));
    let number = |key: &str| counted?.get(key).and_then(Value::as_u64);
    let local = Usage {
        input: number("prompt_eval_count"),
        output: number("eval_count"),
        ..Usage::default()
    };
    usage(counted).or((local != Usage::default()).then_some(local))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::open;
    use crate::transcript::AgentMessage;

    #[test]
    fn every_branch_can_be_asked_for_and_keeps_its_times_and_models() {
        let message = |id: &str, parent: Value, role: &str, model: Value, time: u64| json!({"id": id, "parentId": parent, "role": role, "content": id, "model": model, "timestamp": time});
        let chat = json!({"chat": {"models": ["first"], "history": {"currentId": "b", "messages": {
            "q": message("q", json!(null), "user", json!(null), 1),
            "a": message("a", json!("q"), "assistant", json!("one"), 2),
            "b": message("b", json!("q"), "assistant", json!("two"), 3),
        }}}});
        for (branch, model, time) in [("a", "one", 2000), ("b", "two", 3000)] {
            let ask = Ask {
                branch: Some(branch.to_owned()),
                ..Ask::default()
            };
            // A byte order mark is no part of the file.
            let opened = open(format!("\u{feff}[{chat}]").as_bytes(), &ask).unwrap();
            assert_eq!(opened.warnings, []);
            let one = &opened.conversations[0];
            let ids: Vec<&str> = one.branches.iter().map(|b| b.id.as_str()).collect();
            assert_eq!(ids, ["a", "b"]);
            let said = one.messages.last().unwrap();
            assert_eq!(said.timestamp(), time);
            assert!(matches!(said, AgentMessage::Assistant { model: named, .. } if named == model));
        }
    }
}
