//! Cybros conversations: pages of turns with the decks of their candidates, a conversation read, a history read,
//! a sealed request, a rendered estimate, and the `conversation.json` of the older export bundle.
//!
//! A direct reply is two messages, the words that opened it and the answer; there is no turn of the person's own.
//! Pages are put together by the turns' positions. A turn that left the context, hidden or excluded, is kept aside.
//! Rounds are previews in a page: what they called and got back is not in it.

mod bundle;
mod sealed;
mod turns;

use std::collections::BTreeMap;

use serde_json::Value;

use super::Ask;
use super::pen::Pen;
use super::record::{At, Record, id_of, rest, word};
use super::time::millis;
use super::tree::{Node, walk};
use crate::json::Notes;
use crate::transcript::{AgentMessage, Attachment, ContentBlock, Imported};

/// The conversations of records: pages are one together, a request or a bundle is one by itself.
pub(super) fn read(records: Vec<Record>, ask: &Ask, _: &mut Notes) -> Vec<Imported> {
    let mut found = Vec::new();
    let mut pages = Vec::new();
    for record in records.into_iter().flat_map(Record::items) {
        match () {
            () if sealed::is(&record.value) => found.push(sealed::read(&record)),
            () if bundle::is(&record.value) => found.push(bundle::read(&record, ask)),
            () => pages.push(record),
        }
    }
    if !pages.is_empty() {
        found.push(together(&pages, ask));
    }
    found
}

/// Whether a value is of this format.
pub(super) fn is(value: &Value) -> bool {
    each(value) || turns::is(value)
}

/// Whether a value is a conversation by itself.
pub(super) fn each(value: &Value) -> bool {
    sealed::is(value) || bundle::is(value)
}

/// A turn, where it stands, and on which page.
#[derive(Clone, Debug)]
struct Turn<'r> {
    value: &'r Value,
    at: At,
    page: usize,
}

/// What pages say, put together.
#[derive(Debug, Default)]
struct Pages<'r> {
    turns: Vec<Turn<'r>>,
    /// The turns by their id, as long as they stand in the order of the file.
    ids: BTreeMap<&'r str, usize>,
    pages: usize,
    decks: Vec<&'r Vec<Value>>,
    conversation: Option<&'r Value>,
    /// A page says that there are older turns, or newer ones, that it does not hold.
    older: Option<(i64, At)>,
    newer: Option<(i64, At)>,
}

fn together(records: &[Record], ask: &Ask) -> Imported {
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    let mut pages = Pages::default();
    for Record { value, at } in records {
        pages.page(value, at, &mut pen);
    }
    pages.turns.sort_by_key(|turn| position(turn.value));
    pages.tell_gaps(&mut pen);
    if let Some(conversation) = pages.conversation {
        pen.transcript().title = title(conversation);
        if let Some(Value::Object(facts)) = rest(conversation, &["title"]) {
            pen.facts(facts, millis(conversation.get("created_at")));
        }
    }
    if pages.turns.is_empty() {
        let says = "a conversation read holds no turns; open its pages of turns beside it";
        let at = records.first().map(|record| record.at.clone());
        pen.count("no_messages", "", says, &at.unwrap_or_default());
    }
    let candidates = candidates(&pages);
    let mut nodes: Vec<Node<'_>> = Vec::new();
    let mut before = None;
    for candidate in &candidates {
        nodes.push(Node {
            id: &candidate.id,
            parent: candidate.follows.as_deref(),
            words: candidate.words(),
            turn: turns::is_of_person(candidate.turn),
            time: millis(candidate.turn.get("created_at")),
        });
        if candidate.active {
            before = Some(candidate.id.as_str());
        }
    }
    let walked = walk(&nodes, before, ask.branch.as_deref());
    for candidate in walked
        .path
        .iter()
        .filter_map(|index| candidates.get(*index))
    {
        turns::write(&mut pen, candidate.turn, candidate.variant, candidate.at);
    }
    turns::tell_speakers(&mut pen, &pages.turns);
    let mut imported = pen.finish();
    imported.branches = walked.branches;
    imported
}

impl<'r> Pages<'r> {
    fn page(&mut self, value: &'r Value, at: &At, pen: &mut Pen) {
        if let Some(conversation) = value.get("conversation").filter(|found| found.is_object()) {
            let id = |conversation: &Value| word(conversation, "public_id").map(str::to_owned);
            if self
                .conversation
                .is_some_and(|known| id(known) != id(conversation))
            {
                let says = "pages of several conversations are in the file; their turns are read as one conversation's";
                pen.count("conversations_mixed", "", says, at);
            }
            // The fuller read of one conversation counts.
            let members = |value: &Value| value.as_object().map_or(0, serde_json::Map::len);
            let fuller = self
                .conversation
                .is_none_or(|known| members(known) <= members(conversation));
            self.conversation = Some(conversation).filter(|_| fuller).or(self.conversation);
        }
        if let Some(deck) = value.get("variants").and_then(Value::as_array) {
            self.decks.push(deck);
        }
        self.pages += 1;
        let turns = value.get("turns").and_then(Value::as_array);
        let mut held = Vec::new();
        for (index, turn) in turns.into_iter().flatten().enumerate() {
            held.push(position(turn));
            self.turn(turn, at.inside(&format!("/turns/{index}")), pen);
        }
        match value.get("turn").filter(|turn| turn.is_object()) {
            Some(turn) => self.turn(turn, at.inside("/turn"), pen),
            None if value.get("position").is_some() => self.turn(value, at.clone(), pen),
            None => {}
        }
        if value.get("truncated").is_some() && turns.is_some() {
            let says = "a history read cuts words at 2,000 characters a field and 12,000 a page and leaves hidden turns, summaries and runs out; open pages of turns for the whole";
            pen.count("history_read_cut", "", says, at);
        }
        let pagination = value.get("pagination").unwrap_or(&Value::Null);
        let more = |cursor: &str, flag: &str| match pagination.get(flag) {
            Some(told) => told.as_bool() == Some(true),
            None => pagination
                .get(cursor)
                .is_some_and(|cursor| !cursor.is_null()),
        };
        let place = at.inside("/pagination");
        if let Some(first) = held
            .iter()
            .min()
            .filter(|_| more("before_position", "has_older"))
        {
            self.older = self
                .older
                .take()
                .into_iter()
                .chain([(*first, place.clone())])
                .min_by_key(|(at, _)| *at);
        }
        if let Some(last) = held
            .iter()
            .max()
            .filter(|_| more("after_position", "has_newer"))
        {
            self.newer = self
                .newer
                .take()
                .into_iter()
                .chain([(*last, place)])
                .max_by_key(|(at, _)| *at);
        }
    }

    /// A turn; of one that several pages hold the last reading counts.
    fn turn(&mut self, turn: &'r Value, at: At, pen: &mut Pen) {
        if !turn.is_object() {
            return pen.count(
                "not_a_turn",
                "",
                "turns that are no objects are not read",
                &at,
            );
        }
        if let Some(deck) = turn.get("variants").and_then(Value::as_array) {
            self.decks.push(deck);
        }
        let turn = Turn {
            value: turn,
            at,
            page: self.pages,
        };
        let known =
            word(turn.value, "public_id").map(|id| *self.ids.entry(id).or_insert(self.turns.len()));
        match known.and_then(|index| self.turns.get_mut(index)) {
            Some(known) => *known = turn,
            None => self.turns.push(turn),
        }
    }

    fn tell_gaps(&self, pen: &mut Pen) {
        let first = self.turns.first().map(|turn| position(turn.value));
        let last = self.turns.last().map(|turn| position(turn.value));
        let is_first = |at: i64| first.is_none_or(|first| at <= first);
        let is_last = |at: i64| last.is_none_or(|last| at >= last);
        let says = "there are turns whose pages are not in the file";
        if let Some((_, at)) = self.older.as_ref().filter(|(at, _)| is_first(*at)) {
            pen.count("pages_missing", "page before the first", says, at);
        }
        for pair in self.turns.windows(2) {
            if let [before, after] = pair
                && before.page != after.page
                && position(before.value).saturating_add(1) < position(after.value)
            {
                pen.count("pages_missing", "between two, maybe", says, &after.at);
            }
        }
        if let Some((_, at)) = self.newer.as_ref().filter(|(at, _)| is_last(*at)) {
            pen.count("pages_missing", "page after the last", says, at);
        }
    }
}

/// A turn with one of its candidates.
struct Candidate<'r> {
    id: String,
    follows: Option<String>,
    turn: &'r Value,
    variant: &'r Value,
    active: bool,
    at: &'r At,
}

impl<'r> Candidate<'r> {
    /// What tells it from the others of its deck.
    fn words(&self) -> &'r str {
        let (variant, turn) = (self.variant, self.turn);
        let said = word(variant, "content").or(word(variant, "content_preview"));
        said.or(word(turn, "content"))
            .or(word(turn, "prompt"))
            .unwrap_or_default()
    }
}

/// The turns in order, each with every candidate that the file holds of it.
fn candidates<'r>(pages: &'r Pages<'r>) -> Vec<Candidate<'r>> {
    const NONE: &Value = &Value::Null;
    let mut found: Vec<Candidate<'_>> = Vec::new();
    let mut follows = None;
    for (
        index,
        Turn {
            value: turn, at, ..
        },
    ) in pages.turns.iter().enumerate()
    {
        let active = turn.get("active_variant").unwrap_or(NONE);
        let named = |variant: &Value| match word(variant, "public_id") {
            Some(id) => id.to_owned(),
            None => id_of(turn, "public_id", index),
        };
        let id = named(active);
        let candidate = |variant: &'r Value, active: bool| Candidate {
            id: named(variant),
            follows: follows.clone(),
            turn,
            variant,
            active,
            at,
        };
        let is_active =
            |variant: &Value| word(variant, "public_id").is_some_and(|known| known == id);
        let deck = pages.decks.iter().find(|deck| deck.iter().any(is_active));
        let others = deck.into_iter().flat_map(|deck| deck.iter());
        let others = others.filter(|variant| !is_active(variant));
        found.extend(others.map(|variant| candidate(variant, false)));
        found.push(candidate(active, true));
        follows = Some(id);
    }
    found
}

fn position(turn: &Value) -> i64 {
    let position = turn.get("position");
    let number = position.and_then(|at| at.as_i64().or_else(|| at.as_str()?.parse().ok()));
    number.unwrap_or(i64::MAX)
}

fn title(conversation: &Value) -> Option<String> {
    let title = word(conversation, "title").filter(|title| !title.is_empty());
    title.map(str::to_owned)
}

/// Puts the files that are named beside the last message into it, as placeholders with their facts.
fn attach(pen: &mut Pen, files: Option<&Value>, at: &At) {
    for file in files.and_then(Value::as_array).into_iter().flatten() {
        let own = |keys: [&str; 2]| {
            let found = keys.into_iter().find_map(|key| word(file, key));
            found.map(str::to_owned)
        };
        let mut facts = Attachment {
            filename: own(["filename", "name"]).unwrap_or_default(),
            content_type: own(["content_type", "mime_type"]).unwrap_or_default(),
            byte_size: file.get("byte_size").and_then(Value::as_u64).unwrap_or(0),
            reference: own(["relative_path", "public_id"]),
            ..Attachment::default()
        };
        let (name, kind, bytes) = (&facts.filename, &facts.content_type, facts.byte_size);
        let placeholder =
            ContentBlock::text(format!("[Attachment: {name} ({kind}, {bytes} bytes)]"));
        let transcript = pen.transcript();
        facts.message = transcript.messages.len().saturating_sub(1);
        let Some(
            AgentMessage::User { content, .. }
            | AgentMessage::Assistant { content, .. }
            | AgentMessage::Custom { content, .. },
        ) = transcript.messages.last_mut()
        else {
            return;
        };
        facts.block = content.len();
        content.push(placeholder);
        transcript.attachments.push(facts);
        let says = "attachments stand for what has no readable bytes here; they are not counted";
        pen.count("attachment_not_read", "", says, at);
    }
}

#[cfg(test)]
mod tests;
