//! A transcript, written from another tool's records in order.
//!
//! The records carry messages of provider shapes; [`Pen`] hands them to the reader that stands for all of them,
//! one message or one group of blocks at a time, and adds what only the tool's file knows.

use serde_json::{Map, Value, json};

use crate::refusal::Warning;
use crate::transcript::{AgentMessage, ContentBlock, Imported};
use crate::wire::Reader;
pub(super) use crate::wire::{Reply as Answer, file};

use super::record::{At, rest};
use super::tree::title;

/// A piece of an answer.
#[derive(Debug)]
pub(super) enum Piece {
    /// Words, reasoning or a picture.
    Part(Value),
    /// A call: id, function, arguments (a text is the model's own string).
    Call(String, String, Value),
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
        Self {
            reader: Reader::new(api_format, None),
            places: Vec::new(),
            told: Vec::new(),
        }
    }

    /// What is written so far.
    pub fn transcript(&mut self) -> &mut Imported {
        self.reader.transcript()
    }

    /// Words of the person, a text or parts.
    pub fn user(&mut self, content: &Value, at: &At, timestamp: i64) {
        self.message(json!({"role": "user", "content": content}), at, timestamp);
    }

    /// Reads a message in any provider's shape, or an item of an answer.
    pub fn message(&mut self, message: Value, at: &At, timestamp: i64) {
        let pointer = self.pointer(at);
        let from = self.transcript().messages.len();
        self.reader.message(&message, &pointer);
        let read = self.transcript().messages.iter_mut().skip(from);
        read.for_each(|message| message.set_timestamp(timestamp));
        self.look(from, at);
    }

    /// Tells of characters in the messages since an index that no page shows and a model reads all the same. There
    /// are tools that take them out when they load a session; here they stay.
    fn look(&mut self, from: usize, at: &At) {
        let messages = self.transcript().messages.iter().skip(from);
        let mut texts = messages
            .flat_map(AgentMessage::content)
            .map(|block| match block {
                ContentBlock::Text { text } => text.as_str(),
                _ => "",
            });
        if texts.any(|text| text.contains(|c| ('\u{e0000}'..='\u{e007f}').contains(&c))) {
            let says = "texts hold Unicode tag characters, which no page shows and a model reads; messages";
            self.count("tag_characters", "", says, at);
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

    /// A system text; after the first words it stands where it was said.
    pub fn system(&mut self, role: &str, content: &Value, at: &At, time: i64) {
        self.message(json!({"role": role, "content": content}), at, time);
    }

    /// What the model said.
    pub fn answer(&mut self, pieces: Vec<Piece>, answer: Answer<'_>, at: &At) {
        let blocks = pieces.into_iter().map(|piece| match piece {
            Piece::Part(part) => part,
            Piece::Call(id, name, input) => {
                json!({"type": "tool_use", "id": id, "name": name, "input": input})
            }
        });
        let message = json!({"content": blocks.collect::<Vec<Value>>()});
        self.reply(&message, answer, at);
    }

    /// What the model said, as a provider's message or as a list of its items.
    pub fn reply(&mut self, message: &Value, answer: Answer<'_>, at: &At) {
        let pointer = self.pointer(at);
        let model = answer.model.map(str::to_owned);
        let from = self.transcript().messages.len();
        self.reader.reply(message, &pointer, answer);
        self.look(from, at);
        if model.is_some() {
            self.transcript().model = model;
        }
    }

    /// What a call came back with.
    pub fn result(&mut self, result: Outcome<'_>, at: &At, time: i64) {
        let (id, name) = (result.call, result.function);
        let message =
            json!({"role": "tool", "tool_call_id": id, "name": name, "content": result.content});
        self.message(message, at, time);
        if let Some(AgentMessage::FunctionResult {
            details, is_error, ..
        }) = self.last()
        {
            *details = result.details;
            *is_error = result.failed;
        }
    }

    /// The functions the model could call, a list in any wire's spelling.
    pub fn tools(&mut self, list: &Value, at: &At) {
        let pointer = self.pointer(at);
        self.reader.tools(Some(list), &pointer);
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

    /// The conversation's name: the file's own, else the person's first words.
    pub fn name(&mut self, own: Option<&str>) {
        let said = |message: &AgentMessage| match message {
            AgentMessage::User { content, .. } => content.iter().find_map(|block| match block {
                ContentBlock::Text { text } if !text.trim().is_empty() => Some(title(text)),
                _ => None,
            }),
            _ => None,
        };
        let transcript = self.transcript();
        transcript.title = match own.filter(|own| !own.trim().is_empty()) {
            Some(own) => Some(own.to_owned()),
            None => transcript.messages.iter().find_map(said),
        };
    }

    /// A message whose role is not known: kept aside, its words and what stands beside them.
    pub fn role_unknown(&mut self, role: &str, words: &str, message: &Value, at: &At, time: i64) {
        let says = "messages of roles that are not known here are kept aside";
        self.count("role_unknown", role, says, at);
        self.aside(role, words, rest(message, &["role", "content"]), time);
    }

    /// What stands where a message should and is none.
    pub fn not_a_message(&mut self, at: &At) {
        let says = "what stands among the messages and is none is not read";
        self.count("not_a_message", "", says, at);
    }

    /// A message in which nothing is said.
    pub fn wordless(&mut self, role: &str, at: &At) {
        let says = "messages without words are not kept";
        self.count("message_empty", role, says, at);
    }

    /// Tells something that is so once in a conversation.
    pub fn tell(&mut self, code: &'static str, says: &'static str, at: &At) {
        let (at, kinds) = (at.clone(), Vec::new());
        self.told.push(Told {
            code,
            at,
            kinds,
            says,
        });
    }

    /// Says something about a place.
    pub fn note(&mut self, code: &str, message: &str, at: &At) {
        let pointer = self.pointer(at);
        self.reader.note(code, &pointer, message);
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
            let kinds = kinds.collect::<Vec<_>>().join(", ");
            let message = match kinds.is_empty() {
                true => told.says.to_owned(),
                false => format!("{}: {kinds}", told.says),
            };
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
