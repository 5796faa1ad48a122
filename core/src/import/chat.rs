//! The wrappings of Chat Completions: a bare list, `{messages}`, a request body, a batch line and its result
//! line, a stored log, a bare response, fine-tuning examples by line.

use serde_json::{Map, Value, json};

use crate::json::Notes;
use crate::refusal::{Warning, pointer_key};
use crate::transcript::Imported;
use crate::wire::chat::API_FORMAT;
use crate::wire::{Reader, Reply, usage};

use super::record::{At, Record};
use super::{Ask, shapes};

/// What a stored log holds beside the request it answers.
const REPLY_MEMBERS: [&str; 8] = [
    "object",
    "id",
    "created",
    "request_id",
    "choices",
    "usage",
    "system_fingerprint",
    "compression",
];

/// The conversations of records: messages are one together, any other record is one by itself.
pub(super) fn read(records: Vec<Record>, _: &Ask, notes: &mut Notes) -> Vec<Imported> {
    let mut found = Vec::new();
    let mut loose = Loose::default();
    for Record { value, at } in records {
        if shapes::is_message(&value) {
            loose.message(&value, at);
            continue;
        }
        let mut met = Notes::default();
        for mut imported in wrapped(&value, &at.path, &mut met) {
            for warning in &mut imported.warnings {
                *warning = at.placed(warning.clone());
            }
            found.push(imported);
        }
        let placed = met.finish().into_iter();
        notes.extend(placed.map(|warning| at.placed(warning)));
    }
    found.extend(loose.finish());
    found
}

/// Messages that stand one a line.
#[derive(Default)]
struct Loose {
    reader: Reader,
    places: Vec<At>,
}

impl Loose {
    fn message(&mut self, value: &Value, at: At) {
        if self.places.is_empty() {
            self.reader = Reader::new(API_FORMAT, None);
        }
        // The pointer's first segment is the message's number until the warnings are placed in their lines.
        self.reader
            .message(value, &format!("/{}", self.places.len()));
        self.places.push(at);
    }

    fn finish(self) -> Option<Imported> {
        if self.places.is_empty() {
            return None;
        }
        let mut imported = self.reader.finish();
        for warning in &mut imported.warnings {
            let path = warning.path.take().unwrap_or_default();
            let (number, rest) = match path.trim_start_matches('/').split_once('/') {
                Some((number, rest)) => (number.to_owned(), format!("/{rest}")),
                None => (path.trim_start_matches('/').to_owned(), String::new()),
            };
            let place = number
                .parse()
                .ok()
                .and_then(|number: usize| self.places.get(number));
            if let Some(at) = place {
                *warning = at.inside(&rest).of(warning.clone());
            }
        }
        Some(imported)
    }
}

/// The conversations of one wrapping at a JSON pointer.
fn wrapped(value: &Value, at: &str, notes: &mut Notes) -> Vec<Imported> {
    let Some(object) = value.as_object() else {
        if let Some(list) = value.as_array() {
            let mut reader = Reader::new(API_FORMAT, None);
            list.iter()
                .enumerate()
                .for_each(|(index, item)| reader.message(item, &format!("{at}/{index}")));
            return vec![reader.finish()];
        }
        notes
            .push(Warning::new("not_a_conversation", "no messages are here; it is skipped").at(at));
        return Vec::new();
    };
    let title = object.get("custom_id").and_then(Value::as_str);
    let mut found = if let Some(body) = object.get("body").and_then(Value::as_object) {
        vec![exchange(body, &format!("{at}/body"))]
    } else if let Some(response) = object
        .get("response")
        .filter(|_| !object.contains_key("messages"))
    {
        match response.get("body").and_then(Value::as_object) {
            Some(body) if body.contains_key("choices") => {
                vec![exchange(body, &format!("{at}/response/body"))]
            }
            _ => {
                let message = "the batch has no answer here; it is skipped";
                notes.push(Warning::new("no_answer", message).at(format!("{at}/response")));
                Vec::new()
            }
        }
    } else if let Some(input) = object.get("input").and_then(Value::as_object) {
        preference(object, input, at)
    } else if shapes::is_completion_pair(value) {
        let mut reader = Reader::new(API_FORMAT, None);
        let prompt = json!({"role": "user", "content": object.get("prompt")});
        reader.message(&prompt, &format!("{at}/prompt"));
        let completion = json!({"content": object.get("completion")});
        reader.reply(&completion, &format!("{at}/completion"), Reply::default());
        vec![reader.finish()]
    } else if object.contains_key("messages") || object.contains_key("choices") {
        vec![exchange(object, at)]
    } else if shapes::is_message(value) {
        let mut reader = Reader::new(API_FORMAT, None);
        reader.message(value, at);
        vec![reader.finish()]
    } else {
        notes
            .push(Warning::new("not_a_conversation", "no messages are here; it is skipped").at(at));
        Vec::new()
    };
    for imported in &mut found {
        imported.title = title.map(str::to_owned).or(imported.title.take());
    }
    found
}

/// A request body, a response, or both in one object.
fn exchange(object: &Map<String, Value>, at: &str) -> Imported {
    let model = object.get("model").and_then(Value::as_str);
    let mut reader = Reader::new(API_FORMAT, model);
    if let Some(system) = object.get("system").filter(|system| !system.is_null()) {
        let pointer = format!("{at}/system");
        reader.instructions(system, &pointer);
        let message = "a system text beside the messages is Anthropic's way; without its blocks both read alike";
        reader.note("format_ambiguous", &pointer, message);
    }
    if let Some(messages) = object.get("messages") {
        reader.messages(messages, &format!("{at}/messages"));
    }
    for list in ["tools", "functions"] {
        reader.tools(object.get(list), &format!("{at}/{list}"));
    }
    let choices = object
        .get("choices")
        .and_then(Value::as_array)
        .map(Vec::as_slice);
    if let Some([choice, others @ ..]) = choices {
        let pointer = format!("{at}/choices/0");
        let created = object.get("created").and_then(Value::as_f64).unwrap_or(0.0);
        let reply = Reply {
            stop_reason: choice.get("finish_reason").and_then(Value::as_str),
            // Seconds, as the wire says them, to milliseconds; a cast saturates.
            timestamp: (created * 1000.0) as i64,
            usage: usage(object.get("usage")),
            ..Reply::default()
        };
        let old = choice.get("text").map(|text| json!({ "content": text }));
        match choice.get("message").or(old.as_ref()) {
            Some(message) => reader.reply(message, &format!("{pointer}/message"), reply),
            None => reader.note(
                "not_a_message",
                &pointer,
                "the choice has no message; it is not kept",
            ),
        }
        if !others.is_empty() {
            let message = format!("the first choice is kept; {} more are not", others.len());
            reader.note("choices_not_kept", &format!("{at}/choices/1"), &message);
        }
    }
    let mut imported = reader.finish();
    if imported.model.is_some() && object.contains_key("messages") {
        let mut body = object.clone();
        if object.contains_key("choices") {
            body.retain(|key, _| !REPLY_MEMBERS.contains(&key.as_str()));
        }
        imported.request = Some(Value::Object(body));
    }
    imported
}

/// A preference example: the same words, and the answer that was and the one that was not preferred.
fn preference(object: &Map<String, Value>, input: &Map<String, Value>, at: &str) -> Vec<Imported> {
    let outputs = ["preferred_output", "non_preferred_output"];
    let one = |output: &str| {
        let mut reader = Reader::new(API_FORMAT, None);
        if let Some(messages) = input.get("messages") {
            reader.messages(messages, &format!("{at}/input/messages"));
        }
        reader.tools(input.get("tools"), &format!("{at}/input/tools"));
        if let Some(messages) = object.get(output) {
            reader.messages(messages, &format!("{at}/{}", pointer_key(output)));
        }
        Imported {
            title: Some(output.to_owned()),
            ..reader.finish()
        }
    };
    outputs
        .into_iter()
        .filter(|output| object.contains_key(*output))
        .map(one)
        .collect()
}
