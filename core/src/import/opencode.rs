//! Exports of opencode: `{info, messages: [{info, parts}]}`, one session.
//!
//! A message's parts are its words, calls with what they came back with, and marks of its steps; a step is one
//! answer. What a compaction summed up stands before its summary, and the tail it kept after it. A session that
//! was taken back to a message goes on from there; the rest is a branch that was left.

use serde_json::{Value, json};

use super::Ask;
use super::pen::{Answer, Outcome, Pen, Piece};
use super::record::{At, Record, facts, flag, text_of, word};
use super::time::millis;
use super::tree::{Node, walk};
use crate::json::Notes;
use crate::transcript::{Imported, Usage};

/// The session of an export.
pub(super) fn read(records: Vec<Record>, ask: &Ask, _: &mut Notes) -> Vec<Imported> {
    records.iter().map(|record| session(record, ask)).collect()
}

fn session(export: &Record, ask: &Ask) -> Imported {
    // opencode talks to every provider; the pen needs no wire to write what they said.
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    let info = export.value.get("info").unwrap_or(&Value::Null);
    pen.transcript().title = word(info, "title").map(str::to_owned);
    let messages = export.members("messages");
    let reverted = info.get("revert").filter(|revert| revert.is_object());
    let path = on_path(&messages, reverted, &mut pen, ask);
    // Words for the system stand with each message of the person's; they are written where they change.
    let mut system = path.first().and_then(Message::system);
    if let (Some(first), Some(message)) = (system, path.first()) {
        pen.system("system", &json!(first), &message.record.at, 0);
    }
    let keys = ["id", "directory", "version", "parentID"];
    pen.facts(facts(info, &keys), created(info));
    for message in &path {
        let own = message.system();
        if let Some(own) = own.filter(|_| own != system) {
            pen.system("system", &json!(own), &message.record.at, message.time());
        }
        system = own.or(system);
        message.write(&mut pen);
    }
    pen.finish()
}

fn created(info: &Value) -> i64 {
    millis(info.pointer("/time/created"))
}

fn id(record: &Record) -> &str {
    let id = record.value.pointer("/info/id").and_then(Value::as_str);
    id.unwrap_or_default()
}

fn role(record: &Record) -> &str {
    let role = record.value.pointer("/info/role").and_then(Value::as_str);
    role.unwrap_or_default()
}

/// The messages in the order in which they are read: each compaction before the tail it kept.
fn on_path<'r>(
    messages: &'r [Record],
    reverted: Option<&'r Value>,
    pen: &mut Pen,
    ask: &Ask,
) -> Vec<Message<'r>> {
    let to = reverted.and_then(|revert| word(revert, "messageID"));
    let place = to.and_then(|to| messages.iter().position(|record| id(record) == to));
    // Taken back to a part of a message, the parts before it stand.
    let part = reverted.and_then(|revert| word(revert, "partID"));
    let end = place.map(|place| if part.is_some() { place + 1 } else { place });
    let last = |end: usize| messages.get(..end).and_then(<[Record]>::last).map(id);
    let words: Vec<String> = messages
        .iter()
        .map(|m| text_of(m.value.get("parts")))
        .collect();
    let mut before = None;
    let nodes: Vec<Node<'_>> = messages
        .iter()
        .zip(&words)
        .map(|(record, words)| Node {
            id: id(record),
            parent: before.replace(id(record)),
            words,
            turn: role(record) == "user",
            time: 0,
        })
        .collect();
    let walked = walk(&nodes, end.and_then(last), ask.branch.as_deref());
    let nothing = end == Some(0) && ask.branch.is_none();
    let path = if nothing { Vec::new() } else { walked.path };
    pen.transcript().branches = walked.branches;
    let cut = part.filter(|_| path.last().copied() == place);
    let mut read: Vec<Message<'_>> = Vec::new();
    let mut compaction = None;
    for (index, record) in path
        .iter()
        .filter_map(|index| Some((*index, messages.get(*index)?)))
    {
        let message = Message {
            record,
            until: cut.filter(|_| Some(index) == place),
        };
        if let Some(kept) = message.compaction() {
            compaction = Some(kept);
        } else if message.is_summary() {
            let kept = compaction
                .take()
                .and_then(|kept| word(kept, "tail_start_id"));
            let tail = kept.and_then(|kept| read.iter().position(|m| id(m.record) == kept));
            read.insert(tail.unwrap_or(read.len()), message);
            continue;
        }
        read.push(message);
    }
    read
}

struct Message<'r> {
    record: &'r Record,
    /// The part from which on it was taken back.
    until: Option<&'r str>,
}

impl<'r> Message<'r> {
    fn parts(&self) -> impl Iterator<Item = (usize, &'r Value)> {
        let parts = self.record.value.get("parts").and_then(Value::as_array);
        let until = self.until;
        let stands =
            move |(_, part): &(usize, &Value)| until.is_none() || word(part, "id") != until;
        parts.into_iter().flatten().enumerate().take_while(stands)
    }

    /// What asks for a compaction, when this does.
    fn compaction(&self) -> Option<&'r Value> {
        let mut parts = self.parts().map(|(_, part)| part);
        parts.find(|part| word(part, "type") == Some("compaction"))
    }

    fn system(&self) -> Option<&'r str> {
        let system = self.record.value.pointer("/info/system")?.as_str();
        system.filter(|text| !text.trim().is_empty())
    }

    fn time(&self) -> i64 {
        millis(self.record.value.pointer("/info/time/created"))
    }

    fn is_summary(&self) -> bool {
        self.record.value.pointer("/info/summary") == Some(&Value::Bool(true))
    }

    fn write(&self, pen: &mut Pen) {
        let info = self.record.value.get("info").unwrap_or(&Value::Null);
        let at = &self.record.at;
        match role(self.record) {
            "assistant" if self.is_summary() => {
                let parts: Vec<Value> = self.parts().map(|(_, part)| part.clone()).collect();
                let said = parts
                    .into_iter()
                    .filter(|part| word(part, "type") == Some("text"));
                let text = text_of(Some(&Value::Array(said.collect())));
                let facts = facts(info, &["modelID", "providerID", "tokens"]);
                pen.compaction(&text, facts, created(info));
            }
            "assistant" => Steps::new(info, at).write(self, pen),
            "user" => self.user(info, pen),
            role => pen.role_unknown(
                role,
                &text_of(self.record.value.get("content")),
                &self.record.value,
                at,
                created(info),
            ),
        }
    }

    /// The person's words, and between them what the tool put in for them.
    fn user(&self, info: &Value, pen: &mut Pen) {
        let (at, time) = (&self.record.at, created(info));
        let mut words: Vec<Value> = Vec::new();
        let mut from = 0;
        let flush = |words: &mut Vec<Value>, from: usize, pen: &mut Pen| {
            if !words.is_empty() {
                let words = Value::Array(std::mem::take(words));
                pen.user(&words, &at.inside(&format!("/parts/{from}")), time);
            }
        };
        for (index, part) in self.parts() {
            let place = at.inside(&format!("/parts/{index}"));
            match word(part, "type").unwrap_or_default() {
                "text" if flag(part, "ignored") => {
                    pen.aside(
                        "ignored",
                        word(part, "text").unwrap_or_default(),
                        None,
                        time,
                    );
                }
                "text" if flag(part, "synthetic") => {
                    flush(&mut words, from, pen);
                    let text = json!(word(part, "text").unwrap_or_default());
                    pen.injected(&text, false, "synthetic", &place, time);
                }
                "text" => {
                    from = if words.is_empty() { index } else { from };
                    words.push(part.clone());
                }
                "file" => match file(part) {
                    Some(file) => {
                        from = if words.is_empty() { index } else { from };
                        words.push(file);
                    }
                    None => pen.aside("file", "", Some(named(part)), time),
                },
                "compaction" => {}
                kind => other(kind, part, &place, time, pen),
            }
        }
        flush(&mut words, from, pen);
    }
}

/// A file as a part; `None` for one whose text was put in as words.
fn file(part: &Value) -> Option<Value> {
    let mime = word(part, "mime").unwrap_or_default();
    let url = word(part, "url").unwrap_or_default();
    match mime {
        "text/plain" | "application/x-directory" => None,
        _ if mime.starts_with("image/") => {
            Some(json!({"type": "image_url", "image_url": {"url": url}}))
        }
        _ => Some(
            json!({"type": "file", "file": {"filename": word(part, "filename"), "file_data": url}}),
        ),
    }
}

/// The facts of a file, but for its bytes.
fn named(part: &Value) -> Value {
    let mut facts = facts(part, &["mime", "filename", "url"]);
    if word(part, "url").is_some_and(|url| url.starts_with("data:")) {
        facts.shift_remove("url");
    }
    Value::Object(facts)
}

/// Marks and notices: told, and kept aside where they say something.
fn other(kind: &str, part: &Value, at: &At, time: i64, pen: &mut Pen) {
    match kind {
        "snapshot" | "patch" | "step-start" | "step-finish" | "agent" => {
            let says = "marks that say nothing in the conversation are not kept";
            pen.count("lines_not_kept", kind, says, at);
        }
        "subtask" | "retry" => pen.aside(kind, "", Some(part.clone()), time),
        _ => {
            let says = "parts of types that are not known here are kept aside";
            let kind = if kind.is_empty() {
                "without a type"
            } else {
                kind
            };
            pen.count("part_unknown", kind, says, at);
            pen.aside(kind, "", Some(part.clone()), time);
        }
    }
}

/// The steps of an answer: each is one request to the model.
struct Steps<'r> {
    info: &'r Value,
    at: &'r At,
    pieces: Vec<Piece>,
    tools: Vec<(usize, &'r Value)>,
    wrote: bool,
}

impl<'r> Steps<'r> {
    fn new(info: &'r Value, at: &'r At) -> Self {
        Self {
            info,
            at,
            pieces: Vec::new(),
            tools: Vec::new(),
            wrote: false,
        }
    }

    fn write(mut self, message: &Message<'r>, pen: &mut Pen) {
        let time = created(self.info);
        for (index, part) in message.parts() {
            let place = self.at.inside(&format!("/parts/{index}"));
            match word(part, "type").unwrap_or_default() {
                "text" if flag(part, "ignored") => {
                    pen.aside(
                        "ignored",
                        word(part, "text").unwrap_or_default(),
                        None,
                        time,
                    );
                }
                "text" => self.pieces.push(Piece::Part(part.clone())),
                "reasoning" => self.pieces.push(Piece::Part(json!({
                    "type": "thinking",
                    "thinking": word(part, "text").unwrap_or_default(),
                    "signature": signature(part.get("metadata")),
                }))),
                "file" => self.pieces.extend(file(part).map(Piece::Part)),
                "tool" => {
                    let own = |key: &str| word(part, key).unwrap_or_default().to_owned();
                    let input = part.pointer("/state/input").cloned();
                    let input = input.unwrap_or_else(|| json!({}));
                    self.pieces
                        .push(Piece::Call(own("callID"), own("tool"), input));
                    self.tools.push((index, part));
                }
                "step-finish" => {
                    let tokens = part.get("tokens");
                    let used = usage(tokens, part.get("cost"));
                    self.step(used, word(part, "reason"), None, pen);
                }
                kind => other(kind, part, &place, time, pen),
            }
        }
        let info = self.info;
        let error = info.get("error").filter(|error| error.is_object());
        if !self.pieces.is_empty() || !self.wrote {
            let used = match self.wrote {
                true => None,
                false => usage(info.get("tokens"), info.get("cost")),
            };
            self.step(used, word(info, "finish"), error, pen);
        } else if let Some(error) = error {
            pen.aside("error", failure(error), Some(error.clone()), time);
        }
    }

    fn step(
        &mut self,
        usage: Option<Usage>,
        reason: Option<&str>,
        error: Option<&Value>,
        pen: &mut Pen,
    ) {
        let aborted = error.and_then(|error| word(error, "name")) == Some("MessageAbortedError");
        let answer = Answer {
            stop_reason: if aborted { Some("aborted") } else { reason },
            error: error.map(failure),
            model: word(self.info, "modelID"),
            provider: word(self.info, "providerID"),
            usage,
            timestamp: created(self.info),
        };
        pen.answer(std::mem::take(&mut self.pieces), answer, self.at);
        self.wrote = true;
        for (index, part) in std::mem::take(&mut self.tools) {
            let at = self.at.inside(&format!("/parts/{index}"));
            result(part, &at, pen);
        }
    }
}

fn failure(error: &Value) -> &str {
    let message = error.pointer("/data/message").and_then(Value::as_str);
    message.or_else(|| word(error, "name")).unwrap_or("error")
}

/// What the provider signed, under whichever provider's name.
fn signature(metadata: Option<&Value>) -> Option<&str> {
    let providers = metadata?.as_object()?.values();
    let keys = [
        "signature",
        "redactedData",
        "reasoningEncryptedContent",
        "thoughtSignature",
    ];
    providers
        .into_iter()
        .find_map(|own| keys.iter().find_map(|key| word(own, key)))
}

fn result(part: &Value, at: &At, pen: &mut Pen) {
    let state = part.get("state").unwrap_or(&Value::Null);
    let failed = word(state, "status") == Some("error");
    let said = state.get(if failed { "error" } else { "output" });
    let Some(said) = said.filter(|said| !said.is_null()) else {
        return;
    };
    let mut content = vec![json!({"type": "text", "text": text_or_json(said)})];
    let attachments = state.get("attachments").and_then(Value::as_array);
    content.extend(attachments.into_iter().flatten().filter_map(file));
    let mut details = facts(state, &["title", "metadata"]);
    if let Some(cleared) = state.pointer("/time/compacted").filter(|at| !at.is_null()) {
        let says = "results that the model did not see any more are shown as they were; times";
        pen.count("results_cleared", "", says, at);
        details.insert("cleared_at".to_owned(), cleared.clone());
    }
    let outcome = Outcome {
        call: word(part, "callID").unwrap_or_default(),
        function: word(part, "tool").unwrap_or_default(),
        content: Value::Array(content),
        failed,
        details: Some(details)
            .filter(|facts| !facts.is_empty())
            .map(Value::Object)
            .unwrap_or_default(),
    };
    let ended = millis(state.pointer("/time/end"));
    pen.result(outcome, at, ended);
}

fn text_or_json(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// What the provider counted; the input comes without what the cache had a part in, and the output without the
/// reasoning, which is put to it.
fn usage(tokens: Option<&Value>, cost: Option<&Value>) -> Option<Usage> {
    let number = |path: &str| tokens?.pointer(path).and_then(Value::as_u64);
    let usage = Usage {
        input: number("/input"),
        output: number("/output").map(|own| own.saturating_add(number("/reasoning").unwrap_or(0))),
        cache_read: number("/cache/read"),
        cache_write: number("/cache/write"),
        reasoning: number("/reasoning"),
        cost_usd: cost.and_then(Value::as_f64),
    };
    (usage != Usage::default()).then_some(usage)
}
