//! Rows that are messages of trees: `{message_id, parent_id, role: "prompter" | "assistant", text}`.

use serde_json::{Value, json};

use super::super::Ask;
use super::super::pen::Pen;
use super::super::record::{Record, id_of, word};
use super::super::time::millis;
use super::super::tree::{Node, walk};
use crate::transcript::Imported;

const READ: [&str; 8] = [
    "message_id",
    "parent_id",
    "message_tree_id",
    "role",
    "text",
    "created_date",
    "user_id",
    "lang",
];

/// Whether a row is a message of a tree.
pub(super) fn is_node(value: &Value) -> bool {
    let role = matches!(word(value, "role"), Some("prompter" | "assistant"));
    let linked = value.get("parent_id").is_some();
    role && linked && word(value, "message_id").is_some() && word(value, "text").is_some()
}

/// The trees of rows, each a conversation.
pub(super) fn read(rows: &[Record], ask: &Ask) -> Vec<Imported> {
    let mut trees: indexmap::IndexMap<&str, Vec<&Record>> = indexmap::IndexMap::new();
    for row in rows {
        let tree = word(&row.value, "message_tree_id").unwrap_or_default();
        trees.entry(tree).or_default().push(row);
    }
    trees.into_values().map(|rows| tree(&rows, ask)).collect()
}

fn tree(rows: &[&Record], ask: &Ask) -> Imported {
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    let ids: Vec<String> = rows
        .iter()
        .enumerate()
        .map(|(index, row)| id_of(&row.value, "message_id", index))
        .collect();
    let nodes = rows.iter().zip(&ids).map(|(row, id)| Node {
        id,
        parent: word(&row.value, "parent_id"),
        words: word(&row.value, "text").unwrap_or_default(),
        turn: word(&row.value, "role") == Some("prompter"),
        time: millis(row.value.get("created_date")),
    });
    let nodes: Vec<Node<'_>> = nodes.collect();
    let walked = walk(&nodes, None, ask.branch.as_deref());
    for row in walked.orphans.iter().filter_map(|index| rows.get(*index)) {
        let says = "messages follow one that is not in the file; each begins a way of its own";
        pen.count("parent_not_in_file", "", says, &row.at);
    }
    for row in walked.path.iter().filter_map(|index| rows.get(*index)) {
        let Record { value, at } = row;
        for (key, member) in value.as_object().into_iter().flatten() {
            if !READ.contains(&key.as_str()) && !member.is_null() {
                let says = "members beside a speaker's words are not kept";
                pen.count("member_not_kept", key, says, at);
            }
        }
        let role = match word(value, "role") {
            Some("prompter") => "user",
            _ => "assistant",
        };
        let message = json!({"role": role, "content": value.get("text")});
        pen.message(message, at, millis(value.get("created_date")));
    }
    pen.name(None);
    let mut imported = pen.finish();
    imported.branches = walked.branches;
    imported
}
