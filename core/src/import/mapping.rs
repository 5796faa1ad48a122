//! Trees of messages spelled as `mapping`: an object of nodes by id, each with its parent and its children.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Ask;
use super::pen::Pen;
use super::record::{At, Record, word};
use super::tree::{Node, Walk, walk};
use crate::json::Notes;
use crate::refusal::{Warning, pointer_key};
use crate::transcript::Imported;

/// One node of a mapping.
#[derive(Debug)]
pub(super) struct Mapped<'r> {
    /// Its id.
    pub id: &'r str,
    /// The id of the node it follows.
    pub parent: Option<&'r str>,
    /// What was said; `null` at a root.
    pub message: &'r Value,
    /// Where the message stands.
    pub at: At,
}

/// Whether a value is a conversation whose messages are a mapping.
pub(super) fn is_mapped(value: &Value) -> bool {
    let Some(nodes) = value.get("mapping").and_then(Value::as_object) else {
        return false;
    };
    let is_node = |node: &Value| node.get("children").is_some_and(Value::is_array);
    let named = ["title", "create_time", "inserted_at", "current_node"];
    match nodes.is_empty() {
        true => named.iter().any(|key| value.get(key).is_some()),
        false => nodes.values().any(is_node),
    }
}

/// The nodes of a conversation in file order; `None` of a value that has no mapping.
pub(super) fn nodes(conversation: &Record) -> Option<Vec<Mapped<'_>>> {
    let mapping = conversation.value.get("mapping")?.as_object()?;
    // Some writers leave the parents out; then the lists of children tell them.
    let mut listed: BTreeMap<&str, &str> = BTreeMap::new();
    for (id, node) in mapping {
        let children = node.get("children").and_then(Value::as_array);
        for child in children.into_iter().flatten().filter_map(Value::as_str) {
            listed.entry(child).or_insert(id);
        }
    }
    let nodes = mapping.iter().map(|(id, node)| {
        let said = word(node, "parent");
        let parent = said.filter(|parent| mapping.contains_key(*parent));
        let pointer = format!("/mapping/{}/message", pointer_key(id));
        Mapped {
            id,
            parent: parent.or_else(|| listed.get(id.as_str()).copied()).or(said),
            message: node.get("message").unwrap_or(&Value::Null),
            at: conversation.at.inside(&pointer),
        }
    });
    Some(nodes.collect())
}

/// The conversations of an export whose messages are mappings; what has none is told.
pub(super) fn conversations(
    records: Vec<Record>,
    notes: &mut Notes,
    conversation: impl Fn(&Record, &[Mapped<'_>]) -> Imported,
) -> Vec<Imported> {
    let mut found = Vec::new();
    for record in records.into_iter().flat_map(Record::conversations) {
        match nodes(&record) {
            Some(nodes) => found.push(conversation(&record, &nodes)),
            None => {
                let message = "no tree of messages is here; it is skipped";
                notes.push(record.at.of(Warning::new("not_a_conversation", message)));
            }
        }
    }
    found
}

/// The way through a conversation that is asked for, else its current one; the others are told.
pub(super) fn walked<'r>(
    conversation: &Record,
    nodes: &[Mapped<'r>],
    node: impl Fn(&Mapped<'r>) -> Node<'r>,
    ask: &Ask,
    pen: &mut Pen,
) -> Walk {
    let tree: Vec<Node<'_>> = nodes.iter().map(node).collect();
    let current = word(&conversation.value, "current_node");
    let mut walked = walk(&tree, current, ask.branch.as_deref());
    walked.tell(pen, &conversation.at, |index| {
        nodes.get(index).map(|node| node.at.clone())
    });
    walked
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_parent_is_the_one_named_else_the_one_that_lists_the_node() {
        let conversation = Record::whole(json!({"mapping": {
            "root": {"children": ["a"]},
            "a": {"parent": null, "children": ["b", 7]},
            "b": {"parent": "gone", "children": []},
            "c/d": {"parent": "gone", "children": []},
            "e": null,
        }}));
        let nodes = nodes(&conversation).unwrap();
        let parents: Vec<_> = nodes.iter().map(|node| (node.id, node.parent)).collect();
        let expected = [
            ("root", None),
            ("a", Some("root")),
            ("b", Some("a")),
            ("c/d", Some("gone")),
            ("e", None),
        ];
        assert_eq!(parents, expected);
        assert_eq!(nodes[3].at.path, "/mapping/c~1d/message");
    }
}
