//! Sessions of Goose: an export (`{conversation: […]}`), and the older JSONL of a facts line and messages.
//!
//! What a message is for stands in its `metadata`: a model sees what is `agentVisible`, a person what is
//! `userVisible`, and both are so unless said otherwise. A compaction takes its messages from the model and puts a
//! summary there that the person does not see. Results stand in messages of the user's role.

use serde_json::{Map, Value, json};

use super::Ask;
use super::pen::{Answer, Outcome, Pen, Piece};
use super::record::{At, Record, facts, text_of, word};
use super::time::millis;
use crate::json::Notes;
use crate::transcript::Imported;

/// The session, or the sessions.
pub(super) fn read(records: Vec<Record>, _: &Ask, _: &mut Notes) -> Vec<Imported> {
    let (whole, lines): (Vec<Record>, Vec<Record>) = records
        .into_iter()
        .partition(|record| record.value.get("conversation").is_some());
    let mut found: Vec<Imported> = whole
        .iter()
        .map(|export| session(&export.value, export.members("conversation")))
        .collect();
    if !lines.is_empty() {
        let (messages, heads): (Vec<Record>, Vec<Record>) =
            lines.into_iter().partition(|line| is_message(&line.value));
        let head = heads.into_iter().next().map(|head| head.value);
        found.push(session(&head.unwrap_or_default(), messages));
    }
    found
}

/// Whether a value is a session, or a line of one.
pub(super) fn is(value: &Value) -> bool {
    let own = [
        "toolRequest",
        "toolResponse",
        "frontendToolRequest",
        "systemNotification",
    ];
    let list = |key: &str| {
        value
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let block = |block: &Value| word(block, "type").is_some_and(|kind| own.contains(&kind));
    let facts = value.get("metadata").is_some_and(Value::is_object);
    let line = is_message(value) && (facts || list("content").any(block));
    let head = ["message_count", "conversation"]
        .iter()
        .any(|key| value.get(*key).is_some());
    line || word(value, "working_dir").is_some() && head || list("conversation").any(is_message)
}

fn is_message(value: &Value) -> bool {
    let said = value.get("content").is_some_and(Value::is_array);
    said && word(value, "role").is_some() && value.get("created").is_some_and(Value::is_number)
}

fn session(head: &Value, messages: Vec<Record>) -> Imported {
    // Goose talks to every provider; the pen needs no wire to write what they said.
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    pen.transcript().title = word(head, "name")
        .or_else(|| word(head, "description"))
        .map(str::to_owned);
    let model = head
        .pointer("/model_config/model_name")
        .and_then(Value::as_str);
    pen.transcript().model = model.map(str::to_owned);
    let keys = [
        "id",
        "working_dir",
        "created_at",
        "updated_at",
        "session_type",
        "provider_name",
        "total_tokens",
        "input_tokens",
        "output_tokens",
        "accumulated_total_tokens",
        "accumulated_input_tokens",
        "accumulated_output_tokens",
    ];
    pen.facts(facts(head, &keys), millis(head.get("created_at")));
    let last_summary = messages
        .iter()
        .enumerate()
        .rev()
        .find_map(|(index, record)| {
            let before = messages.get(..index).unwrap_or_default();
            let gone = before
                .iter()
                .any(|record| !sees(&record.value, "agentVisible"));
            (is_hidden(&record.value) && gone).then_some(index)
        });
    let mut goose = Goose { pen, gone: false };
    for (index, record) in messages.iter().enumerate() {
        goose.message(record, last_summary.is_some_and(|last| index <= last));
    }
    goose.pen.finish()
}

fn sees(message: &Value, who: &str) -> bool {
    let said = message
        .get("metadata")
        .and_then(|metadata| metadata.get(who));
    said.and_then(Value::as_bool).unwrap_or(true)
}

/// Whether the person does not see a message that says something.
fn is_hidden(message: &Value) -> bool {
    let blocks = message.get("content").and_then(Value::as_array);
    let said = |block: &Value| word(block, "type") == Some("text");
    !sees(message, "userVisible") && blocks.is_some_and(|blocks| blocks.iter().all(said))
}

struct Goose {
    pen: Pen,
    /// Messages stood since the last summary that the model does not see any more.
    gone: bool,
}

impl Goose {
    /// Writes a message; `summed_up` when a summary may come after it or is it.
    fn message(&mut self, record: &Record, summed_up: bool) {
        let (value, at) = (&record.value, &record.at);
        let time = millis(value.get("created"));
        let gone = !sees(value, "agentVisible");
        if summed_up && self.gone && is_hidden(value) {
            self.gone = false;
            let text = text_of(value.get("content"));
            return self.pen.compaction(&text, Map::new(), time);
        }
        if gone && !summed_up {
            return self.pen.aside(
                "not_sent",
                &text_of(value.get("content")),
                Some(value.clone()),
                time,
            );
        }
        self.gone |= gone;
        let blocks = value.get("content").and_then(Value::as_array);
        let blocks: Vec<(usize, &Value)> = blocks.into_iter().flatten().enumerate().collect();
        match word(value, "role").unwrap_or_default() {
            "assistant" => self.answer(&blocks, at, time),
            "user" => self.user(value, &blocks, at, time),
            role => self.pen.role_unknown(
                role,
                &text_of(value.get("content").or(Some(value))),
                value,
                at,
                time,
            ),
        }
    }

    fn user(&mut self, value: &Value, blocks: &[(usize, &Value)], at: &At, time: i64) {
        let mut words = Vec::new();
        for (index, block) in blocks {
            let place = at.inside(&format!("/content/{index}"));
            match word(block, "type") {
                Some("toolResponse") => self.result(block, &place, time),
                _ => words.extend(self.part(block, &place, time)),
            }
        }
        if words.is_empty() && !blocks.is_empty() {
            return;
        }
        let words = Value::Array(words);
        match sees(value, "userVisible") {
            true => self.pen.user(&words, at, time),
            false => self.pen.injected(&words, false, "agent_only", at, time),
        }
    }

    fn answer(&mut self, blocks: &[(usize, &Value)], at: &At, time: i64) {
        let mut pieces = Vec::new();
        for (index, block) in blocks {
            let place = at.inside(&format!("/content/{index}"));
            match word(block, "type") {
                Some("toolRequest" | "frontendToolRequest") => {
                    pieces.push(self.call(block, &place))
                }
                _ => pieces.extend(self.part(block, &place, time).map(Piece::Part)),
            }
        }
        if pieces.is_empty() && !blocks.is_empty() {
            return;
        }
        let model = self.pen.transcript().model.clone();
        let answer = Answer {
            model: model.as_deref(),
            timestamp: time,
            ..Answer::default()
        };
        self.pen.answer(pieces, answer, at);
    }

    /// Words, reasoning and pictures; what only the tool and the person see stands aside.
    fn part(&mut self, block: &Value, at: &At, time: i64) -> Option<Value> {
        match word(block, "type").unwrap_or_default() {
            "redactedThinking" => {
                let sealed = block.get("data");
                Some(json!({"type": "thinking", "thinking": "", "signature": sealed}))
            }
            "reasoning" => Some(json!({"type": "thinking", "thinking": block.get("text")})),
            kind @ ("toolConfirmationRequest" | "actionRequired" | "systemNotification") => {
                let said = ["msg", "prompt"].iter().find_map(|key| word(block, key));
                self.pen
                    .aside(kind, said.unwrap_or_default(), Some(block.clone()), time);
                None
            }
            "text" | "image" | "thinking" => Some(block.clone()),
            kind => {
                let says = "blocks of types that are not known here are kept aside";
                self.pen.count("part_unknown", kind, says, at);
                self.pen.aside(kind, "", Some(block.clone()), time);
                None
            }
        }
    }

    fn call(&mut self, block: &Value, at: &At) -> Piece {
        let id = word(block, "id").unwrap_or_default().to_owned();
        let call = block.get("toolCall").unwrap_or(&Value::Null);
        let made = call.get("value").unwrap_or(call);
        let name = word(made, "name").unwrap_or_default().to_owned();
        if word(call, "status") == Some("error") {
            let says = "calls that Goose itself could not read are shown with what it said of them";
            self.pen.count("call_unreadable", "", says, at);
            return Piece::Call(id, name, json!({"error": call.get("error")}));
        }
        let arguments = made.get("arguments").cloned().filter(|a| !a.is_null());
        Piece::Call(id, name, arguments.unwrap_or_else(|| json!({})))
    }

    fn result(&mut self, block: &Value, at: &At, time: i64) {
        let result = block.get("toolResult").unwrap_or(&Value::Null);
        let value = result.get("value").unwrap_or(result);
        let items = value.get("content").unwrap_or(value).as_array();
        // What is marked for the person alone is not sent.
        let (sent, kept): (Vec<&Value>, Vec<&Value>) = items
            .into_iter()
            .flatten()
            .partition(|item| is_for_the_model(item));
        let error = word(result, "status") == Some("error");
        let mut details = facts(value, &["structuredContent"]);
        if !kept.is_empty() {
            details.insert("shown_only".to_owned(), json!(kept));
        }
        let content = match error {
            true => result.get("error").map(|error| match error.as_str() {
                Some(text) => json!(text),
                None => json!(error.to_string()),
            }),
            false => Some(Value::Array(sent.into_iter().map(item).collect())),
        };
        let outcome = Outcome {
            call: word(block, "id").unwrap_or_default(),
            content: content.unwrap_or_default(),
            failed: error || value.get("isError") == Some(&Value::Bool(true)),
            details: Some(details)
                .filter(|facts| !facts.is_empty())
                .map(Value::Object)
                .unwrap_or_default(),
            ..Outcome::default()
        };
        self.pen.result(outcome, at, time);
    }
}

fn is_for_the_model(item: &Value) -> bool {
    let audience = item
        .pointer("/annotations/audience")
        .and_then(Value::as_array);
    audience.is_none_or(|audience| audience.is_empty() || audience.contains(&json!("assistant")))
}

/// A piece of a result; a resource by its text.
fn item(item: &Value) -> Value {
    let resource = item
        .get("resource")
        .filter(|_| word(item, "type") == Some("resource"));
    match resource.and_then(|resource| word(resource, "text")) {
        Some(text) => json!({"type": "text", "text": text}),
        None => match resource {
            Some(resource) => {
                json!({"type": "file", "file": {"filename": resource.get("uri"), "file_data": word(resource, "blob").map(|blob| {
                    let mime = word(resource, "mimeType").unwrap_or("application/octet-stream");
                    format!("data:{mime};base64,{blob}")
                })}})
            }
            None => item.clone(),
        },
    }
}
