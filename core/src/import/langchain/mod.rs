//! Messages of LangChain in their four spellings, and the states, checkpoints and histories of LangGraph that hold
//! them.
//!
//! A state is read as its reducer left it: a message whose id was there before takes its place, and a removal
//! removes. A history of one thread is its newest state; states that went on from one apart are branches.

mod message;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde_json::Value;

use super::Ask;
use super::pen::Pen;
use super::record::{At, Record, rest};
use super::time::millis;
use super::tree::{Node, walk};
use crate::json::Notes;
use crate::transcript::Imported;
pub(super) use crate::wire::langchain::usage;
pub(super) use message::{is_own, message};

/// Where the messages of a container stand.
const LISTS: [&str; 5] = [
    "/messages",
    "/values/messages",
    "/channel_values/messages",
    "/checkpoint/channel_values/messages",
    "/kwargs/messages",
];

/// Whether a value is messages, a container of them, or a state.
pub(super) fn is(value: &Value) -> bool {
    let one = |value: &Value| {
        let held = list_of(value).and_then(|list| value.pointer(list));
        is_own(value) || is_state(value) || has_own(value) || held.is_some_and(has_own)
    };
    one(value) || value.as_array().is_some_and(|items| items.iter().any(one))
}

/// Whether a value is a list with messages in it.
fn has_own(value: &Value) -> bool {
    value
        .as_array()
        .is_some_and(|items| items.iter().any(is_own))
}

/// Whether a value is a conversation by itself.
pub(super) fn each(value: &Value) -> bool {
    list_of(value).is_some() && !is_state(value)
}

/// Whether a value is a state of a thread: a snapshot, or a checkpoint.
fn is_state(value: &Value) -> bool {
    let told = [
        "next",
        "config",
        "checkpoint",
        "created_at",
        "channel_versions",
        "versions_seen",
    ];
    list_of(value).is_some_and(|list| list.contains("values/"))
        && told.iter().any(|key| value.get(key).is_some())
}

/// The pointer of the messages in a container.
fn list_of(value: &Value) -> Option<&'static str> {
    let mut lists = LISTS.into_iter();
    lists.find(|list| value.pointer(list).is_some_and(Value::is_array))
}

/// The conversations of records: the states of a thread are one, loose messages are one, and a container is one by
/// itself.
pub(super) fn read(records: Vec<Record>, ask: &Ask, _: &mut Notes) -> Vec<Imported> {
    let (mut found, mut loose) = (Vec::new(), Vec::new());
    let mut threads: IndexMap<(String, String), Vec<Record>> = IndexMap::new();
    for record in records {
        // One message may be a list as well: a pair of who and what.
        let items = match is_own(&record.value) {
            true => vec![record],
            false => record.items(),
        };
        for item in items {
            match list_of(&item.value) {
                Some(_) if is_state(&item.value) => {
                    threads
                        .entry(thread_of(&item.value))
                        .or_default()
                        .push(item);
                }
                Some(_) => found.push(written(&item).finish()),
                None if has_own(&item.value) && !is_own(&item.value) => {
                    found.push(written(&item).finish());
                }
                None => loose.push(item),
            }
        }
    }
    found.extend(threads.values().filter_map(|states| thread(states, ask)));
    if !loose.is_empty() {
        let mut pen = pen();
        write(&mut pen, &loose);
        found.push(pen.finish());
    }
    found
}

fn pen() -> Pen {
    // Messages of every provider stand in one list.
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    pen
}

/// Writes the messages of a container or a list of them.
fn written(record: &Record) -> Pen {
    let mut pen = pen();
    let list = list_of(&record.value).unwrap_or_default();
    let value = record.value.pointer(list).cloned().unwrap_or_default();
    let at = record.at.inside(list);
    write(&mut pen, &Record { value, at }.items());
    pen
}

/// The first of the members at these pointers that is a text.
fn named(state: &Value, pointers: &[&str]) -> String {
    let found = pointers
        .iter()
        .find_map(|pointer| state.pointer(pointer)?.as_str());
    found.unwrap_or_default().to_owned()
}

const ID: [&str; 3] = [
    "/checkpoint/checkpoint_id",
    "/config/configurable/checkpoint_id",
    "/id",
];

const PARENT: [&str; 2] = [
    "/parent_checkpoint/checkpoint_id",
    "/parent_config/configurable/checkpoint_id",
];

/// Which thread a state is of, and which graph in it.
fn thread_of(state: &Value) -> (String, String) {
    let own = |key: &str| {
        let holders = ["checkpoint", "config/configurable", "metadata"];
        let pointers = holders.map(|holder| format!("/{holder}/{key}"));
        named(state, &pointers.each_ref().map(String::as_str))
    };
    (own("thread_id"), own("checkpoint_ns"))
}

/// The state of a thread that is asked for, else its newest.
fn thread(states: &[Record], ask: &Ask) -> Option<Imported> {
    let said = |record: &Record| {
        let list = record.value.pointer(list_of(&record.value)?)?;
        message::person(list.as_array()?.last()?)
    };
    let time = |record: &Record| {
        millis(
            record
                .value
                .get("created_at")
                .or_else(|| record.value.get("ts")),
        )
    };
    let told = states.iter().map(|state| {
        let words = said(state).unwrap_or_default();
        (
            named(&state.value, &ID),
            named(&state.value, &PARENT),
            words,
        )
    });
    let told: Vec<(String, String, String)> = told.collect();
    let nodes: Vec<Node<'_>> = told
        .iter()
        .zip(states)
        .map(|((id, parent, words), state)| Node {
            id,
            parent: Some(parent.as_str()).filter(|parent| !parent.is_empty()),
            words,
            turn: !words.is_empty(),
            time: time(state),
        })
        .collect();
    let linked = nodes.iter().any(|node| node.parent.is_some());
    let walked = match linked {
        true => walk(&nodes, None, ask.branch.as_deref()),
        false => Default::default(),
    };
    // A history without links has its newest state first.
    let newest = (0..states.len()).max_by_key(|index| {
        (
            nodes.get(*index).map_or(0, |node| node.time),
            Reverse(*index),
        )
    });
    let index = walked.path.last().copied().or(newest)?;
    let state = states.get(index)?;
    let mut pen = written(state);
    for other in states.iter().filter(|other| !std::ptr::eq(*other, state)) {
        let says = "states of the thread beside the one that is read are not shown by themselves";
        pen.count("states_not_shown", "", says, &other.at);
    }
    // A state alone always went on from one.
    let lost = walked.orphans.iter().filter(|_| states.len() > 1);
    for state in lost.filter_map(|index| states.get(*index)) {
        let says = "states went on from one that is not in the file";
        pen.count("parent_not_in_file", "", says, &state.at);
    }
    let held = ["values", "channel_values"].map(|key| {
        let others = rest(state.value.get(key)?, &["messages"])?;
        Some((key.to_owned(), others))
    });
    if let Some(Value::Object(mut facts)) = rest(&state.value, &["values", "channel_values"]) {
        facts.extend(held.into_iter().flatten());
        pen.facts(facts, time(state));
    }
    pen.transcript().branches = walked.branches;
    Some(pen.finish())
}

/// Writes the messages of a list as its reducer leaves them.
fn write(pen: &mut Pen, list: &[Record]) {
    let mut left: Vec<Option<&Record>> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for record in list {
        let (id, at) = (message::id(&record.value), &record.at);
        if !message::removes(&record.value) {
            let older = id.and_then(|id| left.get_mut(*places.get(id)?));
            match older {
                Some(older) => {
                    told(pen, "said anew", 1, at);
                    *older = Some(record);
                }
                None => {
                    places.extend(id.map(|id| (id, left.len())));
                    left.push(Some(record));
                }
            }
        } else if id == Some(message::ALL) {
            told(pen, "removed", left.iter().flatten().count(), at);
            left.clear();
            places.clear();
        } else {
            let place = id.and_then(|id| places.remove(id));
            let removed = place.and_then(|place| left.get_mut(place)?.take());
            let kind = match removed {
                Some(_) => "removed",
                None => "removed that are not there",
            };
            told(pen, kind, 1, at);
        }
    }
    for record in left.into_iter().flatten() {
        message(pen, &record.value, &record.at);
    }
}

fn told(pen: &mut Pen, kind: &str, times: usize, at: &At) {
    let says = "messages that the list itself takes back are not read";
    for _ in 0..times {
        pen.count("message_taken_back", kind, says, at);
    }
}

#[cfg(test)]
mod tests;
