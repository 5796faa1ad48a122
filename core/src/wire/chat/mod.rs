//! Chat Completions, read: messages in the spellings of every server and logger → a transcript.
//!
//! [`Reader`] takes messages one by one and never refuses one: what it cannot read it keeps as a custom
//! item or as text, with a warning at the message's JSON pointer. Texts are not changed.

mod parts;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::json::{Notes, Place, value as parse};
use crate::refusal::Warning;
use crate::role::Role;
use crate::transcript::{
    AgentFunction, AgentMessage, ContentBlock, Imported, OpenCalls, StopReason, SystemPiece, Usage,
};
use parts::{Part, parts, word};

/// The word of a model row for this wire.
pub const API_FORMAT: &str = "openai_chat";

/// Reads the messages of one conversation in order.
#[derive(Debug, Default)]
pub struct Reader {
    imported: Imported,
    open: OpenCalls<usize>,
    calls: Vec<Call>,
    used: BTreeSet<String>,
    copies: BTreeMap<String, usize>,
    notes: Notes,
}

#[derive(Debug)]
struct Call {
    id: String,
    name: String,
    pointer: String,
}

/// What stands beside the message of a choice.
#[derive(Debug, Default)]
pub struct Reply<'a> {
    /// `finish_reason`.
    pub finish_reason: Option<&'a str>,
    /// Milliseconds since 1970; 0 when unknown.
    pub timestamp: i64,
    /// What the provider counted.
    pub usage: Option<Usage>,
}

impl Reader {
    /// A reader for a file that names this model.
    pub fn new(model: Option<&str>) -> Self {
        let imported = Imported {
            model: model.filter(|model| !model.is_empty()).map(str::to_owned),
            api_format: Some(API_FORMAT.to_owned()),
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

    /// Reads one message.
    pub fn message(&mut self, value: &Value, pointer: &str) {
        let Some(message) = value.as_object() else {
            self.note(
                "not_a_message",
                pointer,
                "a message is an object; this is kept aside",
            );
            let text = value.as_str().map(ContentBlock::text);
            let details = text.is_none().then(|| value.clone());
            return self.aside("unreadable", text.into_iter().collect(), details);
        };
        let said = message
            .get("role")
            .and_then(Value::as_str)
            .unwrap_or_default();
        match said.to_ascii_lowercase().as_str() {
            "system" => self.system(Role::System, message, pointer),
            "developer" => self.system(Role::Developer, message, pointer),
            "user" | "human" => self.user(message, pointer),
            "assistant" | "bot" | "ai" | "model" => {
                self.assistant(message, pointer, Reply::default())
            }
            "tool" | "function" => self.result(message, pointer),
            "" if message.contains_key("tool_call_id") => self.result(message, pointer),
            "" if message.contains_key("tool_calls") => {
                self.assistant(message, pointer, Reply::default())
            }
            _ => {
                let told = format!("no role `{said}` is known; the message is kept aside");
                self.note("role_unknown", pointer, &told);
                let (content, _) = self.placed(message, pointer, 0);
                self.aside(said, content, Some(value.clone()));
            }
        }
    }

    /// Reads the message of a choice, an assistant's whatever it says.
    pub fn reply(&mut self, value: &Value, pointer: &str, reply: Reply<'_>) {
        match value.as_object() {
            Some(message) => self.assistant(message, pointer, reply),
            None => self.note("not_a_message", pointer, "a choice has no message here"),
        }
    }

    /// Reads tool definitions, `tools` or the older `functions`.
    pub fn tools(&mut self, list: Option<&Value>, pointer: &str) {
        let list = match list {
            None | Some(Value::Null) => return,
            Some(list) => list.as_array().map(Vec::as_slice).unwrap_or_default(),
        };
        for (index, item) in list.iter().enumerate() {
            let kind = word(item, "type").unwrap_or_default();
            let inner = item
                .get(kind)
                .filter(|inner| inner.is_object())
                .unwrap_or(item);
            let inner = inner
                .get("function")
                .filter(|inner| inner.is_object())
                .unwrap_or(inner);
            let built_in =
                word(inner, "type").filter(|word| !matches!(*word, "function" | "custom"));
            match word(inner, "name").or(built_in) {
                Some(name) => self.imported.tools.push(AgentFunction {
                    name: name.to_owned(),
                    description: word(inner, "description").unwrap_or_default().to_owned(),
                    parameters: inner.get("parameters").cloned().unwrap_or_default(),
                    label: None,
                    execution_mode: None,
                }),
                None => self.note(
                    "tool_unreadable",
                    &format!("{pointer}/{index}"),
                    "a tool needs a name",
                ),
            }
        }
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

    fn system(&mut self, role: Role, message: &Map<String, Value>, pointer: &str) {
        let before = self.imported.attachments.len();
        let (content, _) = self.placed(message, pointer, 0);
        self.imported.attachments.truncate(before);
        let mut texts = Vec::new();
        for block in content {
            match block {
                ContentBlock::Text { text } => texts.push(text),
                _ => self.note(
                    "part_not_kept",
                    pointer,
                    "a system text holds what is no text",
                ),
            }
        }
        if self.imported.messages.is_empty() {
            let pieces = texts.into_iter().map(|text| SystemPiece { role, text });
            return self.imported.system.extend(pieces);
        }
        self.imported.messages.push(AgentMessage::Custom {
            custom_type: "system_injection".to_owned(),
            content: texts.into_iter().map(ContentBlock::text).collect(),
            display: None,
            details: Some(json!({ "role": role.as_str() })),
            timestamp: 0,
        });
    }

    fn user(&mut self, message: &Map<String, Value>, pointer: &str) {
        if let Some(name) = message.get("name").and_then(Value::as_str) {
            let message = format!("the speaker's name {name:?} is not kept");
            self.note("name_not_kept", pointer, &message);
        }
        let (content, _) = self.placed(message, pointer, 0);
        self.imported.messages.push(AgentMessage::User {
            content,
            timestamp: 0,
        });
    }

    fn assistant(&mut self, message: &Map<String, Value>, pointer: &str, reply: Reply<'_>) {
        let mut content = thinking(message);
        let (words, mut refused) = self.placed(message, pointer, content.len());
        content.extend(words);
        if let Some(refusal) = message
            .get("refusal")
            .and_then(Value::as_str)
            .filter(|r| !r.is_empty())
        {
            refused = true;
            content.push(ContentBlock::text(refusal));
        }
        if let Some(audio) = message.get("audio").filter(|audio| audio.is_object()) {
            let said = word(audio, "transcript").map(str::to_owned);
            let id = word(audio, "id").unwrap_or("without an id");
            content.push(ContentBlock::text(
                said.unwrap_or_else(|| format!("[audio: {id}]")),
            ));
        }
        let before = content.len();
        let calls = message.get("tool_calls").and_then(Value::as_array);
        for (index, call) in calls.into_iter().flatten().enumerate() {
            content.extend(self.call(call, &format!("{pointer}/tool_calls/{index}")));
        }
        if let Some(call) = message.get("function_call").filter(|call| call.is_object()) {
            let call = json!({ "function": call });
            content.extend(self.call(&call, &format!("{pointer}/function_call")));
        }
        let called = content.len() > before;
        let native = reply.finish_reason.map(str::to_owned);
        self.imported.messages.push(AgentMessage::Assistant {
            content,
            stop_reason: match reply.finish_reason {
                _ if refused => StopReason::Error,
                Some(reason) => stop_reason(reason),
                None if called => StopReason::FunctionCall,
                None => StopReason::End,
            },
            native_stop_reason: native.or_else(|| refused.then(|| "refusal".to_owned())),
            error_message: None,
            error_kind: None,
            warnings: None,
            usage: reply.usage,
            model: self.imported.model.clone().unwrap_or_default(),
            provider: String::new(),
            timestamp: reply.timestamp,
        });
    }

    fn call(&mut self, call: &Value, pointer: &str) -> Option<ContentBlock> {
        let custom = call.get("custom");
        let body = call.get("function").or(custom).unwrap_or(call);
        if !body.is_object() {
            self.note(
                "call_unreadable",
                pointer,
                "a call is an object with a function; this one is not kept",
            );
            return None;
        }
        let said = word(call, "id").unwrap_or_default();
        let id = self.own_id(said);
        if !said.is_empty() && id != said {
            let message = format!("the call id {said} is used before; this call is {id}");
            self.note("call_id_repeated", pointer, &message);
        }
        let name = word(body, "name").unwrap_or("unknown").to_owned();
        let arguments = match body.get("arguments").or_else(|| body.get("input")) {
            Some(Value::String(text)) if custom.is_some() => {
                self.own_words(&id, text, Some(json!(text)))
            }
            Some(Value::String(text)) => {
                let read = parse(text.as_bytes(), Place::default(), &mut Notes::default()).ok();
                if read.is_none() && !text.is_empty() {
                    self.note(
                        "arguments_not_json",
                        pointer,
                        "the arguments are no JSON; they are kept as they are",
                    );
                }
                self.own_words(&id, text, read)
            }
            None | Some(Value::Null) => self.own_words(&id, "", None),
            Some(value) => value.clone(),
        };
        self.open
            .made(self.imported.messages.len(), said, &name, self.calls.len());
        self.calls.push(Call {
            id: id.clone(),
            name: name.clone(),
            pointer: pointer.to_owned(),
        });
        Some(ContentBlock::FunctionCall {
            id,
            function_id: name,
            arguments,
        })
    }

    /// The arguments as a value; the model's own string is kept where the value does not give it back.
    fn own_words(&mut self, id: &str, text: &str, value: Option<Value>) -> Value {
        let value = value.unwrap_or_else(|| json!({ "_raw": text }));
        let compact = value.to_string();
        if compact != text {
            self.imported
                .arguments
                .insert(id.to_owned(), text.to_owned());
        }
        value
    }

    /// The id itself, or for a repeated or empty one the next that is free.
    fn own_id(&mut self, said: &str) -> String {
        if !said.is_empty() && self.used.insert(said.to_owned()) {
            return said.to_owned();
        }
        let (base, from) = if said.is_empty() {
            ("call", 1)
        } else {
            (said, 2)
        };
        let next = self.copies.entry(base.to_owned()).or_insert(from);
        loop {
            let id = format!("{base}#{next}");
            *next += 1;
            if self.used.insert(id.clone()) {
                return id;
            }
        }
    }

    fn result(&mut self, message: &Map<String, Value>, pointer: &str) {
        let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
        let (said, name) = (text("tool_call_id"), text("name"));
        let call = self
            .open
            .answered(said, name)
            .and_then(|index| self.calls.get(index));
        let (id, known) = match call {
            Some(call) => (call.id.clone(), call.name.clone()),
            None => {
                self.note(
                    "result_without_call",
                    pointer,
                    "no call before it waits for this result",
                );
                let known = self.calls.iter().rev().find(|call| call.id == said);
                (
                    said.to_owned(),
                    known.map_or("unknown", |call| &call.name).to_owned(),
                )
            }
        };
        let (content, _) = self.placed(message, pointer, 0);
        self.imported.messages.push(AgentMessage::FunctionResult {
            function_call_id: id,
            function_id: if name.is_empty() {
                known
            } else {
                name.to_owned()
            },
            content,
            details: Value::Null,
            is_error: false,
            timestamp: 0,
        });
    }

    /// The content of the message that comes next, whose first block has this index; and whether it refuses.
    fn placed(
        &mut self,
        message: &Map<String, Value>,
        pointer: &str,
        first: usize,
    ) -> (Vec<ContentBlock>, bool) {
        let blank = |key: &str| match message.get(key) {
            None | Some(Value::Null) => true,
            Some(Value::String(text)) => text.is_empty(),
            Some(Value::Array(list)) => list.is_empty(),
            Some(_) => false,
        };
        let key = match blank("content") && !blank("content_parts") {
            true => "content_parts",
            false => "content",
        };
        let read = parts(
            message.get(key),
            &format!("{pointer}/{key}"),
            &mut self.notes,
        );
        let (mut blocks, mut refused) = (Vec::new(), false);
        for Part {
            block,
            stands_for,
            refusal,
        } in read
        {
            if let Some(mut facts) = stands_for {
                facts.message = self.imported.messages.len();
                facts.block = first + blocks.len();
                self.imported.attachments.push(facts);
            }
            refused |= refusal;
            blocks.push(block);
        }
        (blocks, refused)
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

/// The reasoning of a message, in the words of whichever server wrote it.
fn thinking(message: &Map<String, Value>) -> Vec<ContentBlock> {
    let details = message.get("reasoning_details").and_then(Value::as_array);
    let mut blocks: Vec<ContentBlock> = details.into_iter().flatten().filter_map(detail).collect();
    let readable = |block: &ContentBlock| matches!(block, ContentBlock::Thinking { text, .. } if !text.is_empty());
    if !blocks.iter().any(readable) {
        let plain = ["reasoning_content", "reasoning", "thinking"]
            .into_iter()
            .find_map(|key| {
                message
                    .get(key)
                    .and_then(Value::as_str)
                    .filter(|text| !text.is_empty())
            });
        let plain = plain.map(|text| ContentBlock::Thinking {
            text: text.to_owned(),
            signature: None,
        });
        blocks.splice(0..0, plain);
    }
    blocks
}

fn detail(detail: &Value) -> Option<ContentBlock> {
    let sealed = word(detail, "type") == Some("reasoning.encrypted");
    let signature = word(detail, if sealed { "data" } else { "signature" }).map(str::to_owned);
    let text = word(detail, "text").or_else(|| word(detail, "summary"));
    (text.is_some() || signature.is_some()).then(|| ContentBlock::Thinking {
        text: text.unwrap_or_default().to_owned(),
        signature,
    })
}

/// The transcript's word for a `finish_reason`.
fn stop_reason(reason: &str) -> StopReason {
    match reason {
        "length" | "max_tokens" => StopReason::Length,
        "tool_calls" | "function_call" => StopReason::FunctionCall,
        "cancelled" | "canceled" | "aborted" => StopReason::Aborted,
        "content_filter" | "refusal" | "error" => StopReason::Error,
        _ => StopReason::End,
    }
}

/// What a provider counted, cached tokens taken out of the input. `None` without a count.
pub fn usage(value: Option<&Value>) -> Option<Usage> {
    let value = value.filter(|value| value.is_object())?;
    let number = |path: &str| value.pointer(path).and_then(Value::as_u64);
    let cache_read = number("/prompt_tokens_details/cached_tokens")
        .or_else(|| number("/prompt_cache_hit_tokens"));
    let cache_write = number("/prompt_tokens_details/cache_write_tokens");
    let cached = cache_read
        .unwrap_or(0)
        .saturating_add(cache_write.unwrap_or(0));
    let usage = Usage {
        input: number("/prompt_tokens").map(|all| all.saturating_sub(cached)),
        output: number("/completion_tokens"),
        cache_read,
        cache_write,
        reasoning: number("/completion_tokens_details/reasoning_tokens"),
        cost_usd: value.get("cost").and_then(Value::as_f64),
    };
    (usage != Usage::default()).then_some(usage)
}

#[cfg(test)]
mod tests;
