//! Sessions of Gemini CLI: JSONL that is replayed, and the one JSON object it was before.
//!
//! A line is facts of the session, a message, `{"$set": …}` or `{"$rewindTo": id}`. A message with the id of one
//! before replaces it; a `$set` that holds messages replaces all of them; a rewind takes out a message and what
//! follows it. What a rewind took out is a branch that was left. A session whose facts are missing or broken is
//! read all the same. Sessions of Qwen Code are read too, which is a fork of it.

mod qwen;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::Ask;
use super::pen::{Answer, Outcome, Pen, Piece};
use super::record::{Record, facts, text_of, word};
use super::time::millis;
use super::tree::{Node, walk};
use crate::json::Notes;
use crate::transcript::Imported;
use crate::wire;
pub(super) use qwen::is as is_qwen;

/// The conversation of a session.
pub(super) fn read(records: Vec<Record>, ask: &Ask, _: &mut Notes) -> Vec<Imported> {
    if records.iter().any(|record| is_qwen(&record.value)) {
        return vec![qwen::read(records, ask)];
    }
    let mut pen = Pen::new(wire::gemini::API_FORMAT);
    let mut replay = Replay::default();
    for record in records {
        replay.line(record, &mut pen);
    }
    replay.write(pen, ask)
}

/// A message and what it follows.
struct Said {
    /// Its id; one that stood before has a number behind it.
    id: String,
    record: Record,
    parent: Option<usize>,
}

/// The session, line by line.
#[derive(Default)]
struct Replay {
    facts: Map<String, Value>,
    said: Vec<Said>,
    /// The messages that stand, as indexes.
    standing: Vec<usize>,
    /// How often an id was given.
    given: BTreeMap<String, usize>,
}

impl Replay {
    fn line(&mut self, record: Record, pen: &mut Pen) {
        let value = &record.value;
        if let Some(id) = word(value, "$rewindTo") {
            return self.rewind(id, &record, pen);
        }
        if is_message(value) {
            return self.message(record);
        }
        let (patch, at) = match value.get("$set") {
            Some(patch) => (patch, "/$set/messages"),
            None => (value, "/messages"),
        };
        let Some(members) = patch.as_object() else {
            let says = "lines that are neither a message nor facts of the session are not read";
            return pen.count("line_type_unknown", "", says, &record.at);
        };
        let own = members.iter().filter(|(key, _)| *key != "messages");
        self.facts
            .extend(own.map(|(key, value)| (key.clone(), value.clone())));
        let messages = patch.get("messages").and_then(Value::as_array);
        if let Some(messages) = messages.filter(|list| !list.is_empty() || at.starts_with("/$")) {
            let items = messages.iter().enumerate();
            let items = items.map(|(index, value)| Record {
                value: value.clone(),
                at: record.at.inside(&format!("{at}/{index}")),
            });
            self.checkpoint(items.collect());
        }
    }

    fn message(&mut self, record: Record) {
        let id = word(&record.value, "id").unwrap_or_default();
        let before = self
            .standing
            .iter()
            .copied()
            .find(|index| self.is(*index, id));
        match before.and_then(|index| self.said.get_mut(index)) {
            Some(said) => said.record = record,
            None => {
                let index = self.said(record, self.standing.last().copied());
                self.standing.push(index);
            }
        }
    }

    /// Whether a message was written under this id.
    fn is(&self, index: usize, id: &str) -> bool {
        let said = self.said.get(index);
        !id.is_empty() && said.is_some_and(|said| word(&said.record.value, "id") == Some(id))
    }

    fn said(&mut self, record: Record, parent: Option<usize>) -> usize {
        let id = word(&record.value, "id").unwrap_or("message").to_owned();
        let times = self.given.entry(id.clone()).or_default();
        *times += 1;
        let id = match *times {
            1 => id,
            times => format!("{id}#{times}"),
        };
        self.said.push(Said { id, record, parent });
        self.said.len() - 1
    }

    /// All messages anew. Those that stood in the same place stay what they were.
    fn checkpoint(&mut self, records: Vec<Record>) {
        let stood = std::mem::take(&mut self.standing);
        let mut same = true;
        for (place, record) in records.into_iter().enumerate() {
            let id = word(&record.value, "id").unwrap_or_default();
            let kept = stood
                .get(place)
                .copied()
                .filter(|index| self.is(*index, id));
            same &= kept.is_some();
            match kept
                .filter(|_| same)
                .and_then(|index| Some((index, self.said.get_mut(index)?)))
            {
                Some((index, said)) => {
                    said.record = record;
                    self.standing.push(index);
                }
                None => {
                    let index = self.said(record, self.standing.last().copied());
                    self.standing.push(index);
                }
            }
        }
    }

    fn rewind(&mut self, id: &str, record: &Record, pen: &mut Pen) {
        let place = self.standing.iter().position(|index| self.is(*index, id));
        if place.is_none() {
            let says =
                "rewinds go to a message that does not stand: nothing before them does any more";
            pen.count("rewind_to_unknown", "", says, &record.at);
        }
        self.standing.truncate(place.unwrap_or(0));
    }

    fn write(self, mut pen: Pen, ask: &Ask) -> Vec<Imported> {
        let summary = self.facts.get("summary").and_then(Value::as_str);
        pen.transcript().title = summary.map(str::to_owned);
        let keys = [
            "sessionId",
            "projectHash",
            "startTime",
            "kind",
            "directories",
        ];
        let head = Value::Object(self.facts);
        pen.facts(facts(&head, &keys), millis(head.get("startTime")));
        let words: Vec<String> = self
            .said
            .iter()
            .map(|said| text_of(said.record.value.get("content")))
            .collect();
        let nodes: Vec<Node<'_>> = self
            .said
            .iter()
            .zip(&words)
            .map(|(said, words)| Node {
                id: &said.id,
                parent: said
                    .parent
                    .and_then(|index| Some(self.said.get(index)?.id.as_str())),
                words,
                turn: word(&said.record.value, "type") == Some("user")
                    && !is_put_in(said.record.value.get("content").unwrap_or(&Value::Null)),
                time: millis(said.record.value.get("timestamp")),
            })
            .collect();
        let leaf = self.standing.last().and_then(|index| self.said.get(*index));
        let mut walked = walk(
            &nodes,
            leaf.map(|leaf| leaf.id.as_str()),
            ask.branch.as_deref(),
        );
        if leaf.is_none() {
            walked.taken_back(&mut pen, ask.branch.as_deref());
        }
        for said in walked.path.iter().filter_map(|index| self.said.get(*index)) {
            message(&mut pen, &said.record);
        }
        pen.transcript().branches = walked.branches;
        vec![pen.finish()]
    }
}

const TYPES: [&str; 6] = ["user", "gemini", "qwen", "info", "error", "warning"];

/// Whether a value is a session, or a line of one.
pub(super) fn is(value: &Value) -> bool {
    let has = |key: &str| value.get(key).is_some_and(|member| !member.is_null());
    let facts = has("sessionId") && has("projectHash");
    facts || has("$set") || has("$rewindTo") || is_message(value) || is_qwen(value)
}

/// Whether a line is a message.
fn is_message(value: &Value) -> bool {
    let known = word(value, "type").is_some_and(|kind| TYPES.contains(&kind));
    let said = ["content", "toolCalls", "thoughts", "tokens"];
    known && word(value, "id").is_some() && said.iter().any(|key| value.get(*key).is_some())
}

fn message(pen: &mut Pen, record: &Record) {
    let value = &record.value;
    let time = millis(value.get("timestamp"));
    let content = value.get("content").unwrap_or(&Value::Null);
    match word(value, "type").unwrap_or_default() {
        "user" if is_put_in(content) => pen.injected(content, false, "context", &record.at, time),
        "user" => pen.user(content, &record.at, time),
        "gemini" | "qwen" => answer(pen, record, content, time),
        kind @ ("info" | "error" | "warning") => {
            pen.aside(kind, &text_of(Some(content)), None, time)
        }
        kind => {
            let says = "messages of types that are not known here are kept aside";
            pen.count("line_type_unknown", kind, says, &record.at);
            pen.aside(kind, &text_of(Some(content)), Some(value.clone()), time);
        }
    }
    if value
        .get("displayContent")
        .is_some_and(|shown| shown != content)
    {
        let says = "what the page showed in the place of what was sent is not kept; messages";
        pen.count("display_not_kept", "", says, &record.at);
    }
}

/// Whether the tool put the words in: it tells of the workspace before the person speaks.
fn is_put_in(content: &Value) -> bool {
    let text = text_of(Some(content));
    text.trim_start().starts_with("<session_context>")
}

fn answer(pen: &mut Pen, record: &Record, content: &Value, time: i64) {
    let value = &record.value;
    let list = |key: &str| {
        value
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let mut pieces: Vec<Piece> = list("thoughts").map(thought).collect();
    match content {
        Value::Null => {}
        Value::String(text) if text.is_empty() => {}
        Value::Array(parts) => pieces.extend(parts.iter().cloned().map(Piece::Part)),
        other => pieces.push(Piece::Part(other.clone())),
    }
    for call in list("toolCalls") {
        let own = |key: &str| word(call, key).unwrap_or_default().to_owned();
        let arguments = call.get("args").cloned().unwrap_or_else(|| json!({}));
        pieces.push(Piece::Call(own("id"), own("name"), arguments));
    }
    let answer = Answer {
        model: word(value, "model"),
        usage: value.get("tokens").and_then(usage),
        timestamp: time,
        ..Answer::default()
    };
    pen.answer(pieces, answer, &record.at);
    for call in list("toolCalls") {
        if let Some(result) = call.get("result").filter(|result| !result.is_null()) {
            let status = word(call, "status").unwrap_or_default();
            let (content, said_failed) = result_of(result);
            let outcome = Outcome {
                call: word(call, "id").unwrap_or_default(),
                function: word(call, "name").unwrap_or_default(),
                content,
                failed: said_failed || matches!(status, "error" | "cancelled"),
                details: Value::Object(facts(call, &["status", "resultDisplay"])),
            };
            let time = match millis(call.get("timestamp")) {
                0 => time,
                ended => ended,
            };
            pen.result(outcome, &record.at, time);
        }
    }
}

fn thought(thought: &Value) -> Piece {
    let own = ["subject", "description"].map(|key| word(thought, key).unwrap_or_default());
    let texts: Vec<&str> = own.into_iter().filter(|text| !text.is_empty()).collect();
    Piece::Part(json!({"type": "thinking", "thinking": texts.join("\n\n")}))
}

/// What a call came back with, in parts: the words of its responses, and what stands beside them.
pub(super) fn result_of(result: &Value) -> (Value, bool) {
    let Some(parts) = result.as_array() else {
        return (result.clone(), false);
    };
    let (mut content, mut failed) = (Vec::new(), false);
    for part in parts {
        let Some(response) = part.get("functionResponse") else {
            content.push(part.clone());
            continue;
        };
        let said = response.get("response").unwrap_or(&Value::Null);
        failed |= word(said, "error").is_some();
        match word(said, "output").or_else(|| word(said, "error")) {
            Some(text) => content.push(json!({"text": text})),
            None if said.is_null() => {}
            None => content.push(json!({"text": said.to_string()})),
        }
        let pictures = response.get("parts").and_then(Value::as_array);
        content.extend(pictures.into_iter().flatten().cloned());
    }
    (Value::Array(content), failed)
}

/// What the provider counted, in its own words for it.
fn usage(tokens: &Value) -> Option<crate::transcript::Usage> {
    let number = |key: &str| tokens.get(key).cloned().unwrap_or_default();
    qwen::counted(json!({
        "promptTokenCount": tokens.get("input")?,
        "candidatesTokenCount": number("output"),
        "cachedContentTokenCount": number("cached"),
        "thoughtsTokenCount": number("thoughts"),
        "toolUsePromptTokenCount": number("tool"),
        "totalTokenCount": number("total"),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::open;
    use crate::transcript::AgentMessage;

    fn line(id: &str, kind: &str) -> String {
        json!({"id": id, "timestamp": "2026-01-01T00:00:00Z", "type": kind, "content": id})
            .to_string()
    }

    fn texts(log: &[String], branch: Option<&str>) -> (Vec<String>, Vec<String>) {
        let ask = Ask {
            branch: branch.map(str::to_owned),
            ..Ask::default()
        };
        let mut opened = open(log.join("\n").as_bytes(), &ask).unwrap();
        let one = opened.conversations.remove(0);
        let said = |message: &AgentMessage| format!("{:?}", message.content());
        let told = |branch: &crate::transcript::Branch| {
            format!(
                "{} {}",
                branch.id,
                if branch.current { "now" } else { "left" }
            )
        };
        let texts = one.messages.iter().map(said).collect();
        (texts, one.branches.iter().map(told).collect())
    }

    #[test]
    fn what_was_taken_back_is_a_branch_that_can_be_asked_for() {
        let mut log = vec![line("a", "user"), line("b", "gemini"), line("c", "user")];
        log.push(json!({"$rewindTo": "b"}).to_string());
        assert_eq!(texts(&log, None).0.len(), 1);
        log.push(line("d", "gemini"));
        let only = [line("a", "user"), json!({"$rewindTo": "a"}).to_string()];
        assert_eq!(texts(&only, None).0.len(), 1);
        let (now, branches) = texts(&log, None);
        assert_eq!(
            (now.len(), branches),
            (2, vec!["c left".to_owned(), "d now".to_owned()])
        );
        assert_eq!(texts(&log, Some("c")).0.len(), 3);
        log.push(json!({"$rewindTo": "a"}).to_string());
        let (now, branches) = texts(&log, None);
        assert_eq!(
            (now.len(), branches),
            (0, vec!["c left".to_owned(), "d left".to_owned()])
        );
        assert_eq!(texts(&log, Some("d")).0.len(), 2);
    }
}
