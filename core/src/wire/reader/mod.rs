//! Messages of any provider's shape, one by one, as a transcript.
//!
//! [`Reader`] never refuses a message: what it cannot read it keeps as a custom item or as text, with a warning
//! at the message's JSON pointer. Texts are not changed. Which shape a message has is decided for each by itself:
//! its role says who speaks, its parts say what they are.
//!
//! ```
//! use galley_core::wire::Reader;
//! let mut reader = Reader::new("openai_chat", None);
//! reader.messages(&serde_json::json!([
//!     {"role": "user", "content": "hi"},
//!     {"role": "model", "parts": [{"text": "hello"}]},
//!     {"type": "function_call_output", "call_id": "c", "output": "lost"},
//! ]), "");
//! let imported = reader.finish();
//! assert_eq!(imported.messages.len(), 3);
//! assert_eq!(imported.warnings[0].code, "result_without_call");
//! ```

mod answer;
mod calls;
mod langchain;
mod sources;
mod tools;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::json::Notes;
use crate::refusal::Warning;
use crate::role::Role;
use crate::transcript::{AgentMessage, ContentBlock, Imported, OpenCalls, SystemPiece, Usage};

use super::parts::{Aside, Part, Said, Summary, parts};
use super::{responses, usage, word};
pub use sources::{Source, Sources};

/// Reads the messages of one conversation in order.
#[derive(Debug, Default)]
pub struct Reader {
    imported: Imported,
    open: OpenCalls<usize>,
    calls: Vec<Made>,
    used: BTreeSet<String>,
    copies: BTreeMap<String, usize>,
    before: Before,
    notes: Notes,
    sources: Option<Sources>,
}

/// A call that was read.
#[derive(Debug)]
struct Made {
    id: String,
    name: String,
    pointer: String,
}

/// What was read last, for items that go on with an answer.
#[derive(Debug, Default, PartialEq)]
enum Before {
    /// A message, whole or not.
    #[default]
    Message,
    /// An item of an answer.
    Item,
    /// An answer that is known to be whole.
    Whole,
}

/// What is known of an answer beside its words.
#[derive(Debug, Default)]
pub struct Reply<'a> {
    /// The provider's word for why it stopped.
    pub stop_reason: Option<&'a str>,
    /// What went wrong.
    pub error: Option<&'a str>,
    /// The model's id; of the file when unknown.
    pub model: Option<&'a str>,
    /// The provider's id.
    pub provider: Option<&'a str>,
    /// What the provider counted.
    pub usage: Option<Usage>,
    /// Milliseconds since 1970; 0 when unknown.
    pub timestamp: i64,
}

impl Reader {
    /// A reader for a file of this wire that names this model.
    pub fn new(api_format: &str, model: Option<&str>) -> Self {
        let imported = Imported {
            model: model.filter(|model| !model.is_empty()).map(str::to_owned),
            api_format: Some(api_format.to_owned()),
            ..Imported::default()
        };
        Self {
            imported,
            ..Self::default()
        }
    }

    /// Reads `messages`, whose JSON pointer is given. Anything but a list is one warning.
    pub fn messages(&mut self, list: &Value, pointer: &str) {
        match list.as_array() {
            Some(list) => {
                for (index, message) in list.iter().enumerate() {
                    self.message(message, &format!("{pointer}/{index}"));
                }
            }
            None => self.note("not_a_list", pointer, "a list of messages is expected here"),
        }
    }

    /// Reads one message, or one item of an answer.
    pub fn message(&mut self, value: &Value, pointer: &str) {
        let Some(message) = value.as_object() else {
            self.note(
                "not_a_message",
                pointer,
                "a message is an object; this is kept aside",
            );
            let text = value.as_str().map(ContentBlock::text);
            let details = text.is_none().then(|| value.clone());
            self.stands(pointer);
            return self.aside("unreadable", text.into_iter().collect(), details);
        };
        let kind = word(value, "type").unwrap_or_default();
        let said = word(value, "role").unwrap_or_default();
        if responses::is_item(kind) {
            let read = parts(Some(value), pointer, &mut self.notes);
            return self.items(read);
        }
        match said.to_ascii_lowercase().as_str() {
            role @ ("system" | "developer") => {
                let read = self.content(message, pointer);
                self.system(Role::parse(role).unwrap_or(Role::System), read, pointer);
            }
            "user" | "human" => self.user(message, pointer),
            "assistant" | "bot" | "ai" | "model" => self.assistant(message, pointer),
            "tool" | "function" => self.results(message, pointer),
            "" if message.contains_key("tool_call_id") => self.results(message, pointer),
            "" if message.contains_key("tool_calls") => self.assistant(message, pointer),
            "" if message.get("parts").is_some_and(Value::is_array) => self.user(message, pointer),
            "" if !kind.is_empty() => {
                let told = format!("no item of the type `{kind}` is known; it is kept aside");
                self.note("item_type_unknown", pointer, &told);
                self.stands(pointer);
                self.aside(kind, Vec::new(), Some(value.clone()));
            }
            _ => {
                let told = format!("no role `{said}` is known; the message is kept aside");
                self.note("role_unknown", pointer, &told);
                let read = self.content(message, pointer);
                let at = self.imported.messages.len();
                self.stands(pointer);
                let (content, _) = self.placed(read, at, 0);
                self.aside(said, content, Some(value.clone()));
            }
        }
    }

    /// Reads a system text that stands beside the messages.
    pub fn instructions(&mut self, content: &Value, pointer: &str) {
        let read = match content.get("parts").and(content.as_object()) {
            Some(message) => self.content(message, pointer),
            None => parts(Some(content), pointer, &mut self.notes),
        };
        self.system(Role::System, read, pointer);
    }

    /// What has been read so far, for who knows more of it than the messages say: their times, what stands
    /// between them.
    pub fn transcript(&mut self) -> &mut Imported {
        &mut self.imported
    }

    /// Says something about the file at a JSON pointer.
    pub fn note(&mut self, code: &str, pointer: &str, message: &str) {
        self.notes.push(Warning::new(code, message).at(pointer));
    }

    /// The conversation, its unanswered calls told.
    pub fn finish(mut self) -> Imported {
        for index in std::mem::take(&mut self.open).left() {
            if let Some(call) = self.calls.get(index) {
                let message = format!("the call {} has no result in the file", call.id);
                self.notes
                    .push(Warning::new("call_unanswered", message).at(&*call.pointer));
            }
        }
        self.imported.warnings = self.notes.finish();
        self.imported
    }

    fn system(&mut self, role: Role, read: Vec<Part>, pointer: &str) {
        self.before = Before::Message;
        let (mut texts, mut places) = (Vec::new(), Vec::new());
        for part in read {
            match part {
                Part::Said(Said {
                    block: ContentBlock::Text { text },
                    pointer,
                    ..
                }) => {
                    texts.push(text);
                    places.push(pointer);
                }
                Part::Tools(tools, pointer) => self.tools(Some(&tools), &pointer),
                Part::Aside(aside) => self.unread(aside),
                _ => self.note(
                    "part_not_kept",
                    pointer,
                    "a system text holds what is no text",
                ),
            }
        }
        if self.imported.messages.is_empty() {
            self.system_stands(places);
            let pieces = texts.into_iter().map(|text| SystemPiece { role, text });
            return self.imported.system.extend(pieces);
        }
        self.stands(pointer);
        self.imported.messages.push(AgentMessage::Custom {
            custom_type: "system_injection".to_owned(),
            content: texts.into_iter().map(ContentBlock::text).collect(),
            display: None,
            details: Some(json!({ "role": role.as_str() })),
            timestamp: 0,
        });
    }

    /// Words of the person; results among them come first, as their wire has it.
    fn user(&mut self, message: &Map<String, Value>, pointer: &str) {
        self.before = Before::Message;
        if let Some(name) = message.get("name").and_then(Value::as_str) {
            let message = format!("the speaker's name {name:?} is not kept");
            self.note("name_not_kept", pointer, &message);
        }
        let (mut words, mut answers) = (Vec::new(), 0);
        for part in self.content(message, pointer) {
            match part {
                Part::Result(outcome) => {
                    answers += 1;
                    self.result(outcome);
                }
                Part::Aside(aside) => self.unread(aside),
                Part::Tools(tools, pointer) => self.tools(Some(&tools), &pointer),
                Part::Summary(summary) => self.summary(summary),
                part @ (Part::Said(_) | Part::Call(_)) => words.push(part),
            }
        }
        if words.is_empty() && answers > 0 {
            return;
        }
        let at = self.imported.messages.len();
        if words.is_empty() {
            self.stands(pointer);
        }
        let (content, _) = self.placed(words, at, 0);
        self.imported.messages.push(AgentMessage::User {
            content,
            timestamp: 0,
        });
    }

    /// An answer as one message of a list, or an item of an answer that is a message.
    fn assistant(&mut self, message: &Map<String, Value>, pointer: &str) {
        let text = |key: &str| message.get(key).and_then(Value::as_str);
        if let Some(reason) = message.get("stop_reason") {
            // A whole response among the messages says what is known of it.
            let reply = Reply {
                stop_reason: reason.as_str(),
                model: text("model"),
                usage: usage(message.get("usage")),
                ..Reply::default()
            };
            return self.response(message, pointer, reply);
        }
        let typed = text("type") == Some("message");
        let joins = match self.before {
            Before::Whole => false,
            Before::Item => true,
            Before::Message => typed,
        };
        self.answered(message, pointer, joins);
        self.before = match typed || joins {
            true => Before::Item,
            false => Before::Message,
        };
        if message.contains_key("phase") {
            let says = "the phase of an answer's words is not kept";
            self.note("phase_not_kept", pointer, says);
        }
    }

    /// The blocks that parts are in the message at this index, whose first one has this index in it; and whether
    /// they refuse.
    fn placed(
        &mut self,
        parts: Vec<Part>,
        message: usize,
        first: usize,
    ) -> (Vec<ContentBlock>, bool) {
        let (mut blocks, mut refused) = (Vec::new(), false);
        for part in parts {
            let block = first + blocks.len();
            match part {
                Part::Said(said) => {
                    self.stand(message, Some(block), &said.pointer);
                    if let Some(mut facts) = said.stands_for {
                        facts.message = message;
                        facts.block = block;
                        self.imported.attachments.push(facts);
                    }
                    refused |= said.refusal;
                    blocks.push(said.block);
                }
                Part::Call(call) => {
                    self.stand(message, Some(block), &call.pointer);
                    blocks.push(self.call(call, message));
                }
                Part::Result(outcome) => {
                    let (content, _) = self.placed(outcome.content, message, block);
                    blocks.push(ContentBlock::FunctionResult {
                        function_call_id: outcome.id,
                        content,
                        is_error: Some(outcome.failed).filter(|failed| *failed),
                    });
                }
                Part::Tools(tools, pointer) => self.tools(Some(&tools), &pointer),
                Part::Summary(_) | Part::Aside(..) => {}
            }
        }
        (blocks, refused)
    }

    /// A summary in the place of everything before it, and after it what is read all the same.
    fn summary(&mut self, summary: Summary) {
        let is_summary = |message: &AgentMessage| matches!(message, AgentMessage::Custom { custom_type, .. } if custom_type == "compaction");
        let sent = |message: &&AgentMessage| !matches!(message, AgentMessage::Custom { .. });
        let messages = &self.imported.messages;
        let start = messages.iter().rposition(is_summary).map_or(0, |at| at + 1);
        let since = messages.get(start..).unwrap_or_default();
        let mut details = Map::new();
        let replaced = since.iter().filter(sent).count();
        details.insert("replaces_messages".to_owned(), Value::from(replaced));
        let kept: Vec<(usize, AgentMessage)> = since
            .iter()
            .enumerate()
            .filter(|(_, message)| {
                summary.keeps_users && matches!(message, AgentMessage::User { .. })
            })
            .map(|(index, message)| (start + index, message.clone()))
            .collect();
        let text = match summary.sealed {
            Some(sealed) => {
                let text = format!("[summary: sealed, {} bytes]", sealed.len());
                details.insert("encrypted_content".to_owned(), Value::from(sealed));
                text
            }
            None => summary.text,
        };
        let text = Some(text).filter(|text| !text.is_empty());
        let content = text.map(ContentBlock::text).into_iter().collect();
        self.stands(&summary.pointer);
        self.aside("compaction", content, Some(Value::Object(details)));
        for (from, message) in kept {
            let to = self.imported.messages.len();
            let mut facts = self.imported.attachments.clone();
            facts.retain(|facts| facts.message == from);
            facts.iter_mut().for_each(|facts| facts.message = to);
            self.imported.attachments.append(&mut facts);
            self.imported.messages.push(message);
        }
    }

    /// The parts of a message's content.
    fn content(&mut self, message: &Map<String, Value>, pointer: &str) -> Vec<Part> {
        let key = content_key(message);
        let at = format!("{pointer}/{key}");
        parts(message.get(key), &at, &mut self.notes)
    }

    fn unread(&mut self, aside: Aside) {
        self.stands(&aside.pointer);
        self.aside(&aside.kind, Vec::new(), Some(aside.value));
    }

    fn aside(&mut self, custom_type: &str, content: Vec<ContentBlock>, details: Option<Value>) {
        self.imported.messages.push(AgentMessage::Custom {
            custom_type: custom_type.to_owned(),
            content,
            display: None,
            details,
            timestamp: 0,
        });
    }
}

/// Which member holds a message's content.
fn content_key(message: &Map<String, Value>) -> &'static str {
    let blank = |key: &str| match message.get(key) {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Array(list)) => list.is_empty(),
        Some(_) => false,
    };
    let keys = ["content", "content_parts", "parts"];
    keys.into_iter()
        .find(|key| !blank(key))
        .unwrap_or("content")
}
