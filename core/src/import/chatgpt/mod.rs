//! ChatGPT conversations: the list of a data export or of one of its shards, one by itself,
//! `{"conversations": […]}`.
//!
//! The messages are a tree. The way from `current_node` back to the root is shown, every other end is a branch;
//! neither the order of the file nor the times say what came after what. What the assistant says to a recipient
//! is a call, whatever it looks like, and what a tool says next is its result: calls have no ids, so each takes
//! that of its message. The person's custom instructions and the memory are system texts, though the page hides
//! them. The service's own system prompt and the definitions of its tools are in no export.

mod content;
mod write;

use serde_json::Value;

use super::Ask;
use super::mapping::{self, Mapped};
use super::pen::Pen;
use super::record::{Record, facts, word};
use super::time::millis;
use super::tree::Node;
use crate::json::Notes;
use crate::transcript::Imported;
use write::Writer;

/// The conversations of an export.
pub(super) fn read(records: Vec<Record>, ask: &Ask, notes: &mut Notes) -> Vec<Imported> {
    mapping::conversations(records, notes, |record, nodes| {
        conversation(record, nodes, ask)
    })
}

fn conversation(record: &Record, nodes: &[Mapped<'_>], ask: &Ask) -> Imported {
    let value = &record.value;
    // Messages of every wire the service ever spoke stand in one export.
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    let walked = mapping::walked(record, nodes, node, ask, &mut pen);
    let model = word(value, "default_model_slug");
    pen.transcript().model = model.map(str::to_owned);
    let keys = [
        "conversation_id",
        "id",
        "create_time",
        "update_time",
        "gizmo_id",
        "gizmo_type",
        "is_archived",
        "is_starred",
        "memory_scope",
        "voice",
        "async_status",
    ];
    pen.facts(facts(value, &keys), millis(value.get("create_time")));
    let mut writer = Writer::new(pen, model);
    for index in &walked.path {
        if let Some(node) = nodes.get(*index) {
            writer.message(node);
        }
    }
    let mut pen = writer.finish();
    pen.name(word(value, "title"));
    let says = "neither the service's own system prompt nor its tools' definitions are in the file; what was sent was larger";
    pen.tell("context_not_in_file", says, &record.at);
    pen.finish()
}

fn node<'r>(node: &Mapped<'r>) -> Node<'r> {
    let message = node.message;
    let content = message.get("content");
    let role = message.pointer("/author/role").and_then(Value::as_str);
    let shown = !content::is_hidden(message) && !content.is_some_and(content::is_context);
    Node {
        id: node.id,
        parent: node.parent,
        words: match content {
            Some(content) if shown && role != Some("system") => content::first_words(content),
            _ => "",
        },
        turn: shown && role == Some("user"),
        time: millis(message.get("create_time")),
    }
}

#[cfg(test)]
mod tests;
