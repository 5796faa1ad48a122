//! Conversations of LibreChat, a flat list or a tree of `children`, and the histories of ChatbotUI that the same
//! people have.
//!
//! `branches: false` says that the list is one path in its order; else the messages are a tree by
//! `parentMessageId` and the newest end is the current one, for no file names another. `content` counts before
//! `text`. `promptPrefix` is the system prompt.

mod content;
pub(super) mod nested;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::Ask;
use super::lines::LOOKED_AT;
use super::pen::{Answer, Pen};
use super::record::{At, Record, conversations, facts, flag, id, rest, text_of, word};
use super::rounds::{Step, said};
use super::time::millis;
use super::tree::{Node, walk};
use crate::json::Notes;
use crate::transcript::Imported;
use content::{answered, file, is_file, step};

/// The member whose messages hold those that follow them.
const TREE: &str = "messagesTree";

/// The member of a message that holds those that follow it.
const BELOW: &str = "children";

/// The parent of a first message.
const ROOT: &str = "00000000-0000-0000-0000-000000000000";

/// Whether a value is a conversation.
pub(super) fn is_chat(value: &Value) -> bool {
    let said = ["messages", TREE]
        .into_iter()
        .any(|key| value.get(key).is_some());
    value.get("conversationId").is_some() && said
}

/// Whether a value is a ChatbotUI file.
pub(super) fn is_history(value: &Value) -> bool {
    let history = value.get("history").and_then(Value::as_array);
    let chat = |chat: &Value| chat.get("messages").is_some_and(Value::is_array);
    value.get("version").is_some()
        && history.is_some_and(|chats| chats.iter().take(LOOKED_AT).any(chat))
}

/// The conversations of a file.
pub(super) fn read(records: Vec<Record>, ask: &Ask, notes: &mut Notes) -> Vec<Imported> {
    match records.as_slice() {
        [only] if is_history(&only.value) => {
            let chats = only.members("history");
            let is = |value: &Value| value.get("messages").is_some_and(Value::is_array);
            conversations(chats, is, notes, chatbot_ui)
        }
        _ => conversations(records, is_chat, notes, |record| chat(record, ask)),
    }
}

struct Message<'r> {
    id: String,
    parent: Option<String>,
    words: String,
    value: &'r Value,
    at: At,
}

fn chat(record: &Record, ask: &Ask) -> Imported {
    let Record { value, at } = record;
    let mut pen = Pen::new("");
    let imported = pen.transcript();
    imported.api_format = None;
    let options = value.get("options").unwrap_or(&Value::Null);
    imported.model = word(options, "model").map(str::to_owned);
    for key in ["promptPrefix", "system", "instructions"] {
        if let Some(system) = word(options, key).filter(|text| !text.is_empty()) {
            pen.system(
                "system",
                &json!(system),
                &at.inside(&format!("/options/{key}")),
                0,
            );
            break;
        }
    }
    let mut around = facts(value, &["conversationId", "endpoint", "exportAt"]);
    around.extend(
        rest(options, &["promptPrefix", "system", "instructions"])
            .map(|left| ("options".to_owned(), left)),
    );
    pen.facts(around, 0);
    let messages = messages(value, at, &mut pen);
    let nodes: Vec<Node<'_>> = messages.iter().map(node).collect();
    let mut walked = walk(&nodes, None, ask.branch.as_deref());
    let place = |index: usize| messages.get(index).map(|message| message.at.clone());
    walked.tell(&mut pen, at, place);
    for index in walked.path {
        if let Some(found) = messages.get(index) {
            message(&mut pen, found.value, &found.at);
        }
    }
    pen.name(word(value, "title"));
    pen.finish()
}

/// The messages of the list or of the tree, each with the one it follows.
fn messages<'r>(chat: &'r Value, at: &At, pen: &mut Pen) -> Vec<Message<'r>> {
    let mut found = Found {
        in_order: chat.get("branches") == Some(&Value::Bool(false)),
        messages: Vec::new(),
    };
    // Messages that are still to be read, the next one last; the parent of each.
    let mut waiting: Vec<(&'r Value, At, Option<String>)> = Vec::new();
    let listed = |list: &'r Value, at: &At, above: Option<String>| {
        let items = list.as_array().into_iter().flatten().enumerate();
        let items =
            items.map(|(index, value)| (value, at.inside(&format!("/{index}")), above.clone()));
        items.collect::<Vec<_>>().into_iter().rev()
    };
    for key in ["messages", TREE] {
        let at = at.inside(&format!("/{key}"));
        match chat.get(key) {
            Some(Value::Object(tree)) if key == TREE => found.flat(tree, &at, pen),
            Some(list) => waiting.extend(listed(list, &at, None)),
            None => {}
        }
        while let Some((value, at, above)) = waiting.pop() {
            let own = found.message(value, &at, above, pen);
            if let (Some(own), Some(children)) = (own, value.get(BELOW)) {
                waiting.extend(listed(
                    children,
                    &at.inside(&format!("/{BELOW}")),
                    Some(own),
                ));
            }
        }
    }
    found.messages
}

struct Found<'r> {
    /// Each message follows the one before it.
    in_order: bool,
    messages: Vec<Message<'r>>,
}

impl<'r> Found<'r> {
    /// Takes a message, which follows the one `above` it, else the one it names, and answers its id.
    fn message(
        &mut self,
        value: &'r Value,
        at: &At,
        above: Option<String>,
        pen: &mut Pen,
    ) -> Option<String> {
        if !value.is_object() {
            pen.not_a_message(at);
            return None;
        }
        let own = id(value, "messageId").unwrap_or_else(|| at.path.clone());
        let named = || id(value, "parentMessageId").filter(|parent| parent != ROOT);
        let before = || self.messages.last().map(|message| message.id.clone());
        let parent = match (above, self.in_order) {
            (Some(above), _) => Some(above),
            (None, true) => before(),
            (None, false) => named(),
        };
        self.messages.push(Message {
            id: own.clone(),
            parent,
            words: words(value),
            value,
            at: at.clone(),
        });
        Some(own)
    }

    /// Takes the messages of a tree laid flat, by their pointers.
    fn flat(&mut self, tree: &'r Map<String, Value>, at: &At, pen: &mut Pen) {
        let mut ids: BTreeMap<&str, String> = BTreeMap::new();
        for (path, value) in tree {
            let above = path.rsplit_once('/').and_then(|(list, _)| {
                let message = list.strip_suffix(BELOW)?.strip_suffix('/')?;
                ids.get(message).cloned()
            });
            if let Some(own) = self.message(value, &at.inside(path), above, pen) {
                ids.insert(path, own);
            }
        }
    }
}

fn words(value: &Value) -> String {
    let said = text_of(value.get("content"));
    match said.is_empty() {
        true => word(value, "text").unwrap_or_default().to_owned(),
        false => said,
    }
}

fn node<'m>(message: &'m Message<'_>) -> Node<'m> {
    Node {
        id: &message.id,
        parent: message.parent.as_deref(),
        words: &message.words,
        turn: flag(message.value, "isCreatedByUser"),
        time: millis(message.value.get("createdAt")),
    }
}

fn message(pen: &mut Pen, value: &Value, at: &At) {
    let time = millis(value.get("createdAt"));
    let content = value.get("content").and_then(Value::as_array);
    let content = content.filter(|parts| !parts.is_empty());
    let text = word(value, "text").unwrap_or_default();
    // The words of an error were shown and are never sent.
    let failed = flag(value, "error").then_some(text);
    let list = |key: &str| {
        value
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let files = list("files").chain(list("attachments"));
    let (files, found): (Vec<&Value>, Vec<&Value>) = files.partition(|file| is_file(file));
    for found in found {
        let kind = word(found, "type").unwrap_or_default();
        let says = "what tools keep of their work beside an answer is kept aside";
        pen.count("attachments_aside", kind, says, at);
        pen.aside("attachment", "", rest(found, &[]), time);
    }
    let files = files.into_iter().map(|found| Step::Said(file(found)));
    let words = Some(text).filter(|text| content.is_none() && !text.is_empty());
    let words = words.filter(|_| failed.is_none()).map(Step::words);
    let parts = content.map(Vec::as_slice).unwrap_or_default();
    if flag(value, "isCreatedByUser") {
        let steps = parts.iter().filter_map(step).chain(words).chain(files);
        return pen.user(&said(steps.collect()), at, time);
    }
    let broken = parts.iter().find_map(|part| {
        let error = part.get("error").or_else(|| part.get("text"));
        error
            .filter(|_| word(part, "type") == Some("error"))?
            .as_str()
    });
    let answer = Answer {
        stop_reason: match word(value, "finish_reason") {
            None if flag(value, "unfinished") => Some("aborted"),
            reason => reason,
        },
        error: broken.or(failed),
        model: word(value, "model"),
        provider: word(value, "endpoint"),
        timestamp: time,
        ..Answer::default()
    };
    answered(
        pen,
        parts,
        words.into_iter().chain(files).collect(),
        answer,
        at,
    );
}

/// A conversation of a ChatbotUI history.
fn chatbot_ui(record: &Record) -> Imported {
    let Record { value, at } = record;
    let model = value.get("model").and_then(|model| word(model, "id"));
    let mut pen = Pen::new(crate::wire::chat::API_FORMAT);
    if let Some(prompt) = word(value, "prompt").filter(|text| !text.is_empty()) {
        pen.system("system", &json!(prompt), &at.inside("/prompt"), 0);
    }
    pen.facts(facts(value, &["id", "temperature", "folderId"]), 0);
    for Record { value, at } in record.members("messages") {
        let content = value.get("content").cloned().unwrap_or_default();
        match word(&value, "role").unwrap_or_default() {
            "user" => pen.user(&content, &at, 0),
            "assistant" => {
                let answer = Answer {
                    model,
                    ..Answer::default()
                };
                pen.rounds(vec![Step::Said(content)], answer, &at);
            }
            role @ ("system" | "developer") => pen.system(role, &content, &at, 0),
            role => {
                let says = "messages of roles that are not known here are kept aside";
                pen.count("role_unknown", role, says, &at);
                pen.aside(role, &text_of(Some(&content)), None, 0);
            }
        }
    }
    pen.name(word(value, "name"));
    let mut imported = pen.finish();
    imported.model = model.map(str::to_owned).or(imported.model);
    imported
}
