//! Sessions of the iii session manager: its records on disk, lists of session entries, and replies of
//! `session::messages`, one or several pages.
//!
//! Records are replayed in order: the last one of an entry's id stands, and the last leaf is the end of the path,
//! whose order is that of the parents, not of the times. Of the compactions on the path the last one with words
//! counts; the window opens at the entry it names, after itself when it names none, and holds the whole path when
//! that entry is not on it. A context snapshot beside the session, or alone, is kept as what the engine counted.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::Ask;
use super::agent_messages::Writer;
use super::record::{At, Record, facts, id_of, rest, text_of, word};
use super::shapes::{has, is_type_of, object, text, within};
use super::time::millis;
use super::tree::{Node, Walk, walk};
use crate::json::Notes;
use crate::transcript::Imported;

/// A record of a session on disk, a session entry, an item of a page, a page, or a context snapshot.
pub(super) fn is(v: &Value) -> bool {
    let record = match text(v, "type") {
        Some("meta") => object(v, "meta"),
        Some("entry" | "append") => object(v, "entry"),
        Some("leaf") => v.get("entry_id").is_some(),
        Some("commit") => text(v, "entry_id").is_some(),
        _ => false,
    };
    let entry = v.get("parent_id").is_some() && is_type_of(v, "kind", "message")
        || has(v, "custom_type") && is_type_of(v, "kind", "custom");
    let item =
        |item: &Value| has(item, "entry_id") && (has(item, "message") || has(item, "custom"));
    record || entry || item(v) || within(v, "messages", item) || snapshot(v).is_some()
}

/// One entry of a session, as the last record of its id has it.
#[derive(Debug)]
struct Entry<'r> {
    id: String,
    parent: Option<String>,
    /// The message, or what a custom entry says.
    body: Body<'r>,
    at: At,
    time: i64,
}

#[derive(Clone, Copy, Debug)]
enum Body<'r> {
    Message(&'r Value),
    Custom(&'r str, &'r Value),
}

/// A session, replayed.
#[derive(Debug, Default)]
struct Session<'r> {
    entries: Vec<Entry<'r>>,
    ids: BTreeMap<String, usize>,
    leaf: Option<String>,
    meta: Option<&'r Value>,
    snapshots: Vec<&'r Value>,
    /// The last page says that there are more after it.
    goes_on: Option<At>,
}

/// The conversation of a session.
pub(super) fn read(records: Vec<Record>, ask: &Ask, _: &mut Notes) -> Vec<Imported> {
    let records: Vec<Record> = records.into_iter().flat_map(Record::items).collect();
    let mut writer = Writer::new();
    let mut session = Session::default();
    for record in &records {
        session.record(&record.value, &record.at, &mut writer);
    }
    around(&session, &mut writer);
    let walked = way(&session, ask, &mut writer);
    let path: Vec<&Entry<'_>> = walked
        .path
        .iter()
        .filter_map(|index| session.entries.get(*index))
        .collect();
    let newest = path
        .iter()
        .rposition(|entry| summary(entry).is_some_and(|text| !text.trim().is_empty()));
    let opens = newest.map(|index| opening(&path, index, &mut writer));
    for (index, entry) in path.iter().enumerate() {
        if opens == Some(index)
            && let Some(compaction) = newest.and_then(|index| path.get(index))
        {
            compacted(&mut writer, compaction);
        }
        match entry.body {
            Body::Message(message) => writer.message(message, &entry.at, entry.time),
            Body::Custom(..) if newest == Some(index) => {}
            Body::Custom(kind, data) => {
                // One that the newest stands for, or that has no words, is no summary.
                let kind = match kind {
                    "compaction" => "compaction_not_used",
                    kind => kind,
                };
                let (text, details) = (word(data, "summary"), rest(data, &["summary"]));
                let text = text.unwrap_or_default();
                writer.pen.aside(kind, text, details, entry.time);
            }
        }
    }
    if path.is_empty() {
        let message = match session.snapshots.is_empty() {
            true => "the session has no entries here",
            false => {
                "this is a context snapshot: what the engine counted of a context, without its messages"
            }
        };
        let at = records
            .first()
            .map(|record| record.at.clone())
            .unwrap_or_default();
        writer.note("no_messages", &at, message);
    }
    let mut imported = writer.finish();
    imported.title = session
        .meta
        .and_then(|meta| word(meta, "title"))
        .filter(|title| !title.is_empty())
        .map(str::to_owned);
    imported.branches = walked.branches;
    vec![imported]
}

impl<'r> Session<'r> {
    fn record(&mut self, value: &'r Value, at: &At, writer: &mut Writer) {
        let page = value.get("messages").and_then(Value::as_array);
        if let Some(page) = page {
            for (index, item) in page.iter().enumerate() {
                self.item(item, at.inside(&format!("/messages/{index}")));
            }
            let cursor = word(value, "next_cursor").filter(|cursor| !cursor.is_empty());
            self.goes_on = cursor.map(|_| at.inside("/next_cursor"));
        }
        match word(value, "type") {
            Some("meta") => self.meta = value.get("meta"),
            Some("leaf") => {
                self.leaf = Some(word(value, "entry_id").unwrap_or_default().to_owned());
            }
            Some(kind @ ("entry" | "append")) => {
                let Some(entry) = value.get("entry") else {
                    return unread(writer, at);
                };
                let id = self.entry(entry, at.inside("/entry"), writer);
                if kind == "append" {
                    self.leaf = id;
                    self.meta = value.get("meta").or(self.meta);
                }
            }
            // What was made durable is in the file either way.
            Some("commit") => {}
            _ if snapshot(value).is_some() => self.snapshots.extend(snapshot(value)),
            _ if value.get("kind").is_some() => {
                self.entry(value, at.clone(), writer);
            }
            _ if value.get("entry_id").is_some() => self.item(value, at.clone()),
            _ if page.is_some() => {}
            _ => unread(writer, at),
        }
    }

    /// An entry with its envelope; it stands in the place where its id was met first.
    fn entry(&mut self, value: &'r Value, at: At, writer: &mut Writer) -> Option<String> {
        let body = match (word(value, "kind"), value.get("message")) {
            (Some("message"), Some(message)) => Body::Message(message),
            (Some("custom"), _) => custom(value),
            _ => {
                unread(writer, &at);
                return None;
            }
        };
        let entry = Entry {
            id: id_of(value, "id", self.entries.len()),
            parent: word(value, "parent_id").map(str::to_owned),
            at: match body {
                Body::Message(_) => at.inside("/message"),
                Body::Custom(..) => at,
            },
            body,
            time: millis(value.get("timestamp")),
        };
        let id = entry.id.clone();
        match self
            .ids
            .get(&id)
            .and_then(|index| self.entries.get_mut(*index))
        {
            Some(before) => *before = entry,
            None => {
                self.ids.insert(id.clone(), self.entries.len());
                self.entries.push(entry);
            }
        }
        Some(id)
    }

    /// An item of a page, which follows the one before it. A page read twice says the same again.
    fn item(&mut self, value: &'r Value, at: At) {
        let id = id_of(value, "entry_id", self.entries.len());
        if self.ids.contains_key(&id) {
            return;
        }
        let body = match (value.get("message"), value.get("custom")) {
            (Some(message), _) if message.is_object() => Body::Message(message),
            (_, Some(said)) => custom(said),
            _ => Body::Custom("unreadable", value),
        };
        self.ids.insert(id.clone(), self.entries.len());
        self.entries.push(Entry {
            id,
            parent: self.entries.last().map(|before| before.id.clone()),
            at: match body {
                Body::Message(_) => at.inside("/message"),
                Body::Custom(..) => at,
            },
            body,
            time: 0,
        });
    }
}

/// A custom entry's type and data.
fn custom(value: &Value) -> Body<'_> {
    const NOTHING: &Value = &Value::Null;
    let data = value.get("data").unwrap_or(NOTHING);
    Body::Custom(word(value, "custom_type").unwrap_or("custom"), data)
}

fn unread(writer: &mut Writer, at: &At) {
    let says = "records of kinds that are not known here are not read";
    writer.pen.count("record_unknown", "", says, at);
}

/// A context snapshot, bare or as the `context` of a status.
fn snapshot(value: &Value) -> Option<&Value> {
    let is = |value: &Value| {
        value.get("categories").is_some_and(Value::is_object) && value.get("usable").is_some()
    };
    [Some(value), value.get("context")]
        .into_iter()
        .flatten()
        .find(|value| is(value))
}

/// What stands around the messages: the session's facts, and what the engine counted.
fn around(session: &Session<'_>, writer: &mut Writer) {
    let pen = &mut writer.pen;
    if let Some(meta) = session.meta {
        let keys = [
            "session_id",
            "description",
            "status",
            "status_reason",
            "metadata",
            "forked_from",
            "draft",
            "created_at",
            "updated_at",
            "message_count",
        ];
        pen.facts(facts(meta, &keys), millis(meta.get("created_at")));
    }
    for snapshot in &session.snapshots {
        let details = Some((*snapshot).clone());
        pen.aside(
            "context_snapshot",
            "",
            details,
            millis(snapshot.get("timestamp")),
        );
        if let Some(model) = word(snapshot, "model") {
            pen.transcript().model = Some(model.to_owned());
        }
    }
    if let Some(at) = session.goes_on.clone() {
        let message = "this is only the oldest part of the session: the page names a next one that is not in the file";
        writer.note("pages_missing", &at, message);
    }
}

/// The path to the leaf, or to the end that is asked for.
fn way(session: &Session<'_>, ask: &Ask, writer: &mut Writer) -> Walk {
    let words: Vec<String> = session
        .entries
        .iter()
        .map(|entry| match entry.body {
            Body::Message(message) => text_of(message.get("content")),
            Body::Custom(..) => String::new(),
        })
        .collect();
    let mut nodes: Vec<Node<'_>> = Vec::new();
    for (index, (entry, words)) in session.entries.iter().zip(&words).enumerate() {
        let mut parent = entry.parent.as_deref();
        if parent.is_some_and(|parent| !session.ids.contains_key(parent)) {
            let says = "entries follow an entry that is not in the file; they go on from the one before them";
            writer.pen.count("parent_not_in_file", "", says, &entry.at);
            let before = index.checked_sub(1);
            parent = before.and_then(|before| Some(session.entries.get(before)?.id.as_str()));
        }
        nodes.push(Node {
            id: &entry.id,
            parent,
            words,
            turn: matches!(entry.body, Body::Message(message) if word(message, "role") == Some("user")),
            time: entry.time,
        });
    }
    let last = session.entries.last().map(|entry| entry.id.as_str());
    let leaf = session.leaf.as_deref().or(last);
    let walked = walk(&nodes, leaf, ask.branch.as_deref());
    if walked.dangling {
        let message = "the session's leaf is not in the file; its newest way is read";
        writer.note("current_not_found", &At::default(), message);
    }
    walked
}

/// The words of a compaction record.
fn summary<'r>(entry: &Entry<'r>) -> Option<&'r str> {
    match entry.body {
        Body::Custom("compaction", data) => word(data, "summary"),
        _ => None,
    }
}

/// Where on the path the window of a compaction opens.
fn opening(path: &[&Entry<'_>], compaction: usize, writer: &mut Writer) -> usize {
    let Some(entry) = path.get(compaction) else {
        return 0;
    };
    let Body::Custom(_, data) = entry.body else {
        return compaction;
    };
    let Some(kept) = word(data, "tail_start_entry_id") else {
        return whole_from(path, compaction, &entry.at, writer);
    };
    let Some(found) = path.iter().position(|entry| entry.id == kept) else {
        let message = "the compaction kept an entry that is not on the path; the whole path is read under its summary";
        writer.note("kept_entry_not_found", &entry.at, message);
        return 0;
    };
    whole_from(path, found, &entry.at, writer)
}

/// The place to cut at or before an index that parts no result from its call.
fn whole_from(path: &[&Entry<'_>], index: usize, at: &At, writer: &mut Writer) -> usize {
    let (before, after) = path.split_at(index.min(path.len()));
    let results = |entries: &[&Entry<'_>]| -> BTreeSet<String> {
        let ids = entries.iter().filter_map(|entry| match entry.body {
            Body::Message(message) => word(message, "function_call_id").map(str::to_owned),
            Body::Custom(..) => None,
        });
        ids.collect()
    };
    let (early, late) = (results(before), results(after));
    let parted = |entry: &&Entry<'_>| match entry.body {
        Body::Message(message) => {
            let blocks = message.get("content").and_then(Value::as_array);
            let mut ids = blocks
                .into_iter()
                .flatten()
                .filter_map(|block| word(block, "id"));
            ids.any(|id| late.contains(id) && !early.contains(id))
        }
        Body::Custom(..) => false,
    };
    match before.iter().position(parted) {
        Some(call) => {
            let message =
                "the compaction kept a result without its call; the window opens at the call";
            writer.note("cut_inside_calls", at, message);
            call
        }
        None => index,
    }
}

fn compacted(writer: &mut Writer, entry: &Entry<'_>) {
    let Body::Custom(_, data) = entry.body else {
        return;
    };
    let facts = match rest(data, &["summary"]) {
        Some(Value::Object(facts)) => facts,
        _ => Map::new(),
    };
    let text = word(data, "summary").unwrap_or_default();
    writer.pen.compaction(text, facts, entry.time);
}

#[cfg(test)]
mod tests {
    use super::super::pen::is_compaction;
    use super::super::{Ask, Format, open};
    use super::*;
    use crate::transcript::AgentMessage;
    use serde_json::json;

    fn entry(id: &str, parent: &str, message: Value) -> Value {
        let parent = Some(parent).filter(|parent| !parent.is_empty());
        json!({"kind": "message", "id": id, "parent_id": parent, "timestamp": 5, "message": message})
    }

    fn user(id: &str, parent: &str) -> Value {
        let text = json!([{"type": "text", "text": id}]);
        entry(
            id,
            parent,
            json!({"role": "user", "content": text, "timestamp": 5}),
        )
    }

    fn compaction(id: &str, parent: &str, kept: Value) -> Value {
        json!({"kind": "custom", "id": id, "parent_id": parent, "timestamp": 5, "custom_type": "compaction",
            "data": {"summary": id, "tail_start_entry_id": kept, "tokens_before": 9}})
    }

    fn opened(entries: &[Value], branch: Option<&str>) -> Imported {
        let ask = Ask {
            branch: branch.map(str::to_owned),
            ..Ask::default()
        };
        let mut opened = open(json!(entries).to_string().as_bytes(), &ask).unwrap();
        assert_eq!(opened.format, Format::IiiSession);
        opened.conversations.pop().unwrap()
    }

    /// What a window that opens at the summary holds, and what was told.
    fn window(entries: &[Value]) -> (Vec<String>, Vec<String>) {
        let imported = opened(entries, None);
        let from = imported.messages.iter().rposition(is_compaction).unwrap();
        let words = |message: &AgentMessage| match message {
            AgentMessage::FunctionResult { function_id, .. } => format!("result of {function_id}"),
            message => match message.content().first() {
                Some(crate::transcript::ContentBlock::Text { text }) => text.clone(),
                Some(_) => "call".to_owned(),
                None => String::new(),
            },
        };
        let codes = imported.warnings.into_iter().map(|warning| warning.code);
        let window = imported.messages.iter().skip(from).map(words);
        (window.collect(), codes.collect())
    }

    #[test]
    fn a_window_opens_where_the_newest_compaction_says() {
        let session = |kept: Value| {
            let older = compaction("older", "a", json!("a"));
            let newest = compaction("newest", "b", kept);
            [
                user("a", ""),
                older,
                user("b", "older"),
                newest,
                user("c", "newest"),
            ]
        };
        let none: [String; 0] = [];
        assert_eq!(
            window(&session(json!("b"))),
            (vec!["newest".into(), "b".into(), "c".into()], none.to_vec())
        );
        assert_eq!(
            window(&session(json!(null))),
            (vec!["newest".into(), "c".into()], none.to_vec())
        );
    }

    #[test]
    fn a_compaction_that_kept_an_entry_off_the_path_leaves_the_whole_path() {
        let entries = [
            user("a", ""),
            user("b", "a"),
            compaction("s", "b", json!("elsewhere")),
        ];
        let expected = (
            vec!["s".into(), "a".into(), "b".into()],
            vec!["kept_entry_not_found".into()],
        );
        assert_eq!(window(&entries), expected);
    }

    #[test]
    fn a_compaction_parts_no_result_from_its_call() {
        let call = |id: &str| json!({"type": "function_call", "id": id, "function_id": "f", "arguments": {}});
        let result = |id: &str| json!({"role": "function_result", "function_call_id": id, "function_id": "f", "content": [], "timestamp": 5});
        let calls = json!({"role": "assistant", "content": [call("c1"), call("c2")], "stop_reason": "function_call",
            "model": "m", "provider": "p", "timestamp": 5});
        for kept in [json!("r2"), json!(null)] {
            let entries = [
                user("a", ""),
                entry("b", "a", calls.clone()),
                entry("r1", "b", result("c1")),
                compaction("s", "r1", kept),
                entry("r2", "s", result("c2")),
            ];
            let held = ["s", "call", "result of f", "result of f"].map(str::to_owned);
            assert_eq!(
                window(&entries),
                (held.to_vec(), vec!["cut_inside_calls".into()])
            );
        }
    }

    #[test]
    fn a_branch_is_asked_for_by_its_last_entry() {
        let entries = [user("a", ""), user("b", "a"), user("c", "a")];
        let current = opened(&entries, None);
        let ids: Vec<_> = current
            .branches
            .iter()
            .map(|b| (b.id.as_str(), b.current))
            .collect();
        assert_eq!(ids, [("b", false), ("c", true)]);
        let other = opened(&entries, Some("b"));
        assert_eq!(
            other.messages[1].content(),
            [crate::transcript::ContentBlock::text("b")]
        );
    }
}
