//! Conversations of OpenHands: a list of events, by lines, as a list or in an object, of either generation.
//!
//! A condensation takes events out of what is sent and puts a summary in their place: they stand before it, what it
//! kept behind it, as far as it was said before. Where events name their parents, what was gone back from is a branch.

mod actions;
mod events;

use std::collections::BTreeSet;

use serde_json::Value;

use super::Ask;
use super::lines::LOOKED_AT;
use super::pen::Pen;
use super::record::{At, Record, filled, id, rest, word};
use super::time::millis;
use super::tree::{Node, walk};
use crate::json::Notes;
use crate::transcript::Imported;

/// Where an object holds its events.
const LISTS: [&str; 4] = ["trajectory", "history", "events", "items"];

/// Whether a value is an event.
pub(super) fn is_event(value: &Value) -> bool {
    events::is(value) || actions::is(value)
}

/// Whether a value is a whole conversation.
pub(super) fn is_whole(value: &Value) -> bool {
    let events = LISTS.iter().find_map(|key| value.get(key)?.as_array());
    let mut looked_at = events.into_iter().flatten().take(LOOKED_AT);
    // The oldest evaluations hold pairs of an action and what came of it.
    looked_at.any(|event| is_event(event.get(0).unwrap_or(event)))
}

/// The conversations, those of lines and lists as one.
pub(super) fn read(records: Vec<Record>, ask: &Ask, _: &mut Notes) -> Vec<Imported> {
    let (whole, single): (Vec<Record>, Vec<Record>) = records
        .into_iter()
        .partition(|record| is_whole(&record.value));
    let mut found: Vec<Imported> = Vec::new();
    for record in &whole {
        let events = LISTS.iter().flat_map(|key| record.members(key));
        found.push(conversation(&record.value, events.collect(), ask));
    }
    if !single.is_empty() {
        found.push(conversation(&Value::Null, single, ask));
    }
    found
}

fn conversation(head: &Value, events: Vec<Record>, ask: &Ask) -> Imported {
    // OpenHands talks to every provider; the pen needs no wire to write what they said.
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    let events: Vec<Record> = events.into_iter().flat_map(Record::items).collect();
    let path = on_path(&events, &mut pen, ask);
    let older = events.iter().any(|event| actions::is(&event.value));
    let write = |pen: &mut Pen, events: &[&Record]| match older {
        true => actions::write(pen, events),
        false => events::write(pen, events),
    };
    let (heads, path): (Vec<&Record>, Vec<&Record>) = path.into_iter().partition(|event| {
        let system = [word(&event.value, "kind"), word(&event.value, "action")];
        system.contains(&Some("SystemPromptEvent")) || system.contains(&Some("system"))
    });
    write(&mut pen, &heads);
    if let Some(Value::Object(facts)) = rest(head, &LISTS) {
        pen.facts(facts, 0);
    }
    let mut left: Vec<&Record> = Vec::new();
    for event in path {
        let Some(condensed) = Condensed::of(event) else {
            left.push(event);
            continue;
        };
        let forgets =
            |event: &&Record| id(&event.value, "id").is_some_and(|id| condensed.forgets(&id));
        let (gone, kept): (Vec<&Record>, Vec<&Record>) = left.into_iter().partition(forgets);
        left = kept;
        match condensed.summary {
            Some(summary) => {
                write(&mut pen, &gone);
                pen.compaction(summary, Default::default(), time(event));
            }
            None => gone.iter().for_each(|event| not_sent(&mut pen, event)),
        }
        if !left.is_empty() {
            let says = "what a condensation kept stands behind its summary, though some of it is sent before";
            pen.count("kept_behind_summary", "", says, &event.at);
        }
    }
    write(&mut pen, &left);
    pen.name(filled(head, "title"));
    pen.finish()
}

fn time(event: &Record) -> i64 {
    millis(event.value.get("timestamp"))
}

/// What is shown of an event that is not sent.
fn not_sent(pen: &mut Pen, event: &Record) {
    let words = events::words(&event.value).or_else(|| actions::words(&event.value));
    let words = words.unwrap_or_default();
    pen.aside("not_sent", words, Some(event.value.clone()), time(event));
}

/// A condensation, of either generation.
struct Condensed<'v> {
    ids: BTreeSet<String>,
    /// The first and the last number that it forgets.
    range: Option<(u64, u64)>,
    summary: Option<&'v str>,
}

impl<'v> Condensed<'v> {
    fn of(event: &'v Record) -> Option<Self> {
        let value = &event.value;
        let older = word(value, "action") == Some("condensation");
        let body = match older {
            true => value.get("args")?,
            false => Some(value).filter(|value| word(value, "kind") == Some("Condensation"))?,
        };
        let ids = body.get("forgotten_event_ids").and_then(Value::as_array);
        let ids = ids.into_iter().flatten().filter_map(|id| match id {
            Value::String(id) => Some(id.clone()),
            Value::Number(id) => Some(id.to_string()),
            _ => None,
        });
        let number = |key: &str| body.get(key).and_then(Value::as_u64);
        let ends = (
            number("forgotten_events_start_id"),
            number("forgotten_events_end_id"),
        );
        Some(Self {
            ids: ids.collect(),
            range: ends.0.zip(ends.1),
            summary: filled(body, "summary"),
        })
    }

    fn forgets(&self, id: &str) -> bool {
        let within = |(first, last): (u64, u64)| {
            let number: Option<u64> = id.parse().ok();
            number.is_some_and(|number| first <= number && number <= last)
        };
        self.ids.contains(id) || self.range.is_some_and(within)
    }
}

/// The events on the way to the last one.
fn on_path<'r>(events: &'r [Record], pen: &mut Pen, ask: &Ask) -> Vec<&'r Record> {
    let mut met = BTreeSet::new();
    let mut ids = Vec::with_capacity(events.len());
    for (index, event) in events.iter().enumerate() {
        let own = id(&event.value, "id").filter(|own| met.insert(own.clone()));
        ids.push(own.unwrap_or_else(|| format!("#{index}")));
    }
    let mut nodes = Vec::with_capacity(events.len());
    let mut before = None;
    for (event, id) in events.iter().zip(&ids) {
        let parent = match filled(&event.value, "parent_id") {
            Some(parent) if met.contains(parent) => Some(parent),
            Some(_) => {
                let says = "events follow an event that is not in the file; they go on from the one before them";
                pen.count("parent_not_in_file", "", says, &event.at);
                before
            }
            None => before,
        };
        let words = events::words(&event.value).or_else(|| actions::words(&event.value));
        let told = ["llm_message", "action"];
        let told = told.iter().any(|key| event.value.get(key).is_some());
        nodes.push(Node {
            id,
            parent,
            words: words.unwrap_or_default(),
            turn: told && word(&event.value, "source") == Some("user"),
            time: time(event),
        });
        before = Some(id.as_str());
    }
    let last = ids.last().map(String::as_str);
    let mut walked = walk(&nodes, last, ask.branch.as_deref());
    walked.tell(pen, &At::default(), |index| {
        events.get(index).map(|event| event.at.clone())
    });
    let on_path = walked.path.iter();
    on_path.filter_map(|index| events.get(*index)).collect()
}
