//! A transcript, written from another tool's records in order.
//!
//! The records carry messages of provider shapes; [`Pen`] hands them to the reader that stands for all of them,
//! one message or one group of blocks at a time, and adds what only the tool's file knows.

use serde_json::{Map, Value, json};

use crate::refusal::Warning;
use crate::transcript::{AgentMessage, ContentBlock, Imported, StopReason, Usage};
use crate::wire::chat::{Reader, Reply};

use super::record::At;

/// A piece of an answer.
#[derive(Debug)]
pub(super) enum Piece {
    /// Words, reasoning or a picture.
    Part(Value),
    /// A call: id, function, arguments (a text is the model's own string).
    Call(String, String, Value),
}

/// What a log says of an answer beside its blocks.
#[derive(Debug, Default)]
pub(super) struct Answer<'a> {
    pub stop_reason: Option<&'a str>,
    pub error: Option<&'a str>,
    pub model: Option<&'a str>,
    pub provider: Option<&'a str>,
    pub usage: Option<Usage>,
    pub timestamp: i64,
}

/// What a call came back with.
#[derive(Debug, Default)]
pub(super) struct Outcome<'a> {
    /// The call's id; empty when the log gives none.
    pub call: &'a str,
    /// The function's name; empty when only the call says it.
    pub function: &'a str,
    pub content: Value,
    pub failed: bool,
    pub details: Value,
}

/// Writes a transcript.
#[derive(Debug)]
pub(super) struct Pen {
    reader: Reader,
    places: Vec<At>,
    told: Vec<Told>,
}

/// A kind of thing that is told once, with how often it was met.
#[derive(Debug)]
struct Told {
    code: &'static str,
    at: At,
    kinds: Vec<(String, usize)>,
    says: &'static str,
}

impl Pen {
    /// A pen for a log whose messages were of this wire.
    pub fn new(api_format: &str) -> Self {
        let mut reader = Reader::new(None);
        reader.transcript().api_format = Some(api_format.to_owned());
        let (places, told) = (Vec::new(), Vec::new());
        Self {
            reader,
            places,
            told,
        }
    }

    /// What is written so far.
    pub fn transcript(&mut self) -> &mut Imported {
        self.reader.transcript()
    }

    /// Words of the person, a text or parts.
    pub fn user(&mut self, content: &Value, at: &At, timestamp: i64) {
        let pointer = self.pointer(at);
        self.reader
            .message(&json!({"role": "user", "content": content}), &pointer);
        if let Some(AgentMessage::User {
            timestamp: time, ..
        }) = self.last()
        {
            *time = timestamp;
        }
    }

    /// What the tool put in for the model, not the person: sent as a user's words. A tool that did not show it
    /// says so by `shown`.
    pub fn injected(&mut self, content: &Value, shown: bool, kind: &str, at: &At, timestamp: i64) {
        self.user(content, at, timestamp);
        let Some(last) = self.last() else { return };
        let texts = |block: &ContentBlock| matches!(block, ContentBlock::Text { .. });
        // A picture among them has no place in an injected text; those stay plain words.
        if let AgentMessage::User { content, .. } = last
            && content.iter().all(texts)
        {
            *last = AgentMessage::Custom {
                custom_type: "system_injection".to_owned(),
                content: std::mem::take(content),
                display: (!shown).then(|| "hidden".to_owned()),
                details: Some(json!({"role": "user", "injected": kind})),
                timestamp,
            };
        }
    }

    /// A system text after the first words.
    pub fn system(&mut self, role: &str, content: &Value, at: &At, time: i64) {
        let pointer = self.pointer(at);
        self.reader
            .message(&json!({"role": role, "content": content}), &pointer);
        if let Some(AgentMessage::Custom { timestamp, .. }) = self.last() {
            *timestamp = time;
        }
    }

    /// What the model said.
    pub fn answer(&mut self, pieces: Vec<Piece>, answer: Answer<'_>, at: &At) {
        let pointer = self.pointer(at);
        let (mut parts, mut calls) = (Vec::new(), Vec::new());
        let mut sorted = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Part(part) => {
                    sorted.push((false, parts.len()));
                    parts.push(part);
                }
                Piece::Call(id, name, arguments) => {
                    sorted.push((true, calls.len()));
                    calls.push(
                        json!({"id": id, "function": {"name": name, "arguments": arguments}}),
                    );
                }
            }
        }
        let words = parts.len();
        let message = json!({"content": parts, "tool_calls": calls});
        let reply = Reply {
            finish_reason: answer.stop_reason.map(plain_reason),
            timestamp: answer.timestamp,
            usage: answer.usage,
        };
        self.reader.reply(&message, &pointer, reply);
        let places = sorted
            .into_iter()
            .map(|(call, index)| if call { words + index } else { index });
        self.in_order(&places.collect::<Vec<usize>>());
        if let Some(AgentMessage::Assistant {
            native_stop_reason,
            stop_reason,
            error_message,
            model,
            provider,
            ..
        }) = self.last()
        {
            *native_stop_reason = answer
                .stop_reason
                .map(str::to_owned)
                .or(native_stop_reason.take());
            if answer.error.is_some() && *stop_reason == StopReason::End {
                *stop_reason = StopReason::Error;
            }
            *error_message = answer.error.map(str::to_owned);
            *model = answer.model.unwrap_or_default().to_owned();
            *provider = answer.provider.unwrap_or_default().to_owned();
        }
        if let Some(model) = answer.model {
            self.transcript().model = Some(model.to_owned());
        }
    }

    /// Puts the blocks of the last message, words before calls, into the order they were said in.
    fn in_order(&mut self, order: &[usize]) {
        let Imported {
            messages,
            attachments,
            ..
        } = self.reader.transcript();
        let index = messages.len().saturating_sub(1);
        let Some(AgentMessage::Assistant { content, .. }) = messages.last_mut() else {
            return;
        };
        if content.len() != order.len() || order.is_sorted() {
            return;
        }
        let mut blocks: Vec<Option<ContentBlock>> =
            std::mem::take(content).into_iter().map(Some).collect();
        let said = order
            .iter()
            .filter_map(|from| blocks.get_mut(*from)?.take());
        *content = said.collect();
        for facts in attachments
            .iter_mut()
            .filter(|facts| facts.message == index)
        {
            facts.block = order
                .iter()
                .position(|from| *from == facts.block)
                .unwrap_or(0);
        }
    }

    /// What a call came back with.
    pub fn result(&mut self, result: Outcome<'_>, at: &At, time: i64) {
        let pointer = self.pointer(at);
        let (id, name) = (result.call, result.function);
        let message =
            json!({"role": "tool", "tool_call_id": id, "name": name, "content": result.content});
        self.reader.message(&message, &pointer);
        if let Some(AgentMessage::FunctionResult {
            details,
            is_error,
            timestamp,
            ..
        }) = self.last()
        {
            *details = result.details;
            *is_error = result.failed;
            *timestamp = time;
        }
    }

    /// Something of the tool's own that was not sent.
    pub fn aside(&mut self, custom_type: &str, text: &str, details: Option<Value>, timestamp: i64) {
        self.custom(custom_type, text, None, details, timestamp);
    }

    /// The facts of the session, which the tool shows nowhere in the conversation.
    pub fn facts(&mut self, facts: Map<String, Value>, timestamp: i64) {
        if !facts.is_empty() {
            let hidden = Some("hidden".to_owned());
            self.custom("session", "", hidden, Some(Value::Object(facts)), timestamp);
        }
    }

    /// A summary that stands for the messages before it back to the last one.
    pub fn compaction(&mut self, summary: &str, mut facts: Map<String, Value>, timestamp: i64) {
        let kinds = self.transcript().messages.iter().rev();
        let since = kinds.take_while(|message| !is_compaction(message));
        let replaced = since
            .filter(|message| !matches!(message, AgentMessage::Custom { .. }))
            .count();
        facts.insert("replaces_messages".to_owned(), Value::from(replaced));
        self.custom(
            "compaction",
            summary,
            None,
            Some(Value::Object(facts)),
            timestamp,
        );
    }

    fn custom(
        &mut self,
        custom_type: &str,
        text: &str,
        display: Option<String>,
        details: Option<Value>,
        timestamp: i64,
    ) {
        let text = Some(text).filter(|text| !text.is_empty());
        self.transcript().messages.push(AgentMessage::Custom {
            custom_type: custom_type.to_owned(),
            content: text.map(ContentBlock::text).into_iter().collect(),
            display,
            details,
            timestamp,
        });
    }

    /// Tells something once, with what kinds of it were met and how often.
    pub fn count(&mut self, code: &'static str, kind: &str, says: &'static str, at: &At) {
        let index = match self.told.iter().position(|told| told.code == code) {
            Some(index) => index,
            None => {
                let (at, kinds) = (at.clone(), Vec::new());
                self.told.push(Told {
                    code,
                    at,
                    kinds,
                    says,
                });
                self.told.len() - 1
            }
        };
        let Some(told) = self.told.get_mut(index) else {
            return;
        };
        match told.kinds.iter_mut().find(|(known, _)| known == kind) {
            Some((_, times)) => *times += 1,
            None => told.kinds.push((kind.to_owned(), 1)),
        }
    }

    /// The transcript, with what was noticed where it stands in the source.
    pub fn finish(self) -> Imported {
        let mut imported = self.reader.finish();
        for warning in &mut imported.warnings {
            // The reader's pointers are of messages in another spelling; the record is what the file has.
            let path = warning.path.take().unwrap_or_default();
            let number = path
                .trim_start_matches('/')
                .split('/')
                .next()
                .unwrap_or_default();
            let place = number
                .parse()
                .ok()
                .and_then(|number: usize| self.places.get(number));
            if let Some(at) = place {
                *warning = at.of(warning.clone());
            }
        }
        let told = self.told.into_iter().map(|told| {
            let kinds = told
                .kinds
                .iter()
                .map(|(kind, times)| match kind.is_empty() {
                    true => times.to_string(),
                    false => format!("{times} {kind}"),
                });
            let message = format!("{}: {}", told.says, kinds.collect::<Vec<_>>().join(", "));
            told.at.of(Warning::new(told.code, message))
        });
        imported.warnings.extend(told);
        imported
    }

    fn pointer(&mut self, at: &At) -> String {
        self.places.push(at.clone());
        format!("/{}", self.places.len() - 1)
    }

    fn last(&mut self) -> Option<&mut AgentMessage> {
        self.transcript().messages.last_mut()
    }
}

/// Whether a message is a compaction marker.
pub(super) fn is_compaction(message: &AgentMessage) -> bool {
    matches!(message, AgentMessage::Custom { custom_type, .. } if custom_type == "compaction")
}

/// A stop reason of any of the logs in the reader's words.
fn plain_reason(reason: &str) -> &str {
    match reason {
        "tool_use" | "toolUse" | "tool-calls" => "tool_calls",
        "max_tokens" | "max_output_tokens" | "model_context_window_exceeded" => "length",
        "interrupted" | "user_cancelled" => "aborted",
        "safety" => "content_filter",
        other => other,
    }
}
