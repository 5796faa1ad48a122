//! Where each shape has its messages, its system text and its functions, and what of them stands where.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::refusal::Refusal;

use super::super::{Reader, Shape, Sources, word};
use super::work::Work;

impl Shape {
    /// Whether it is refused when the person does not speak first.
    pub(super) fn person_first(self) -> bool {
        matches!(self, Self::Anthropic | Self::Gemini)
    }

    /// Whether a text can stand among the pictures of a result.
    pub(super) fn mixes_results(self) -> bool {
        self != Self::Gemini
    }
}

/// The place of the messages.
pub(super) fn list(shape: Shape, body: &Value) -> Result<&'static str, Refusal> {
    let list = match shape {
        Shape::Chat | Shape::Anthropic => "/messages",
        Shape::Responses => "/input",
        Shape::Gemini => "/contents",
        Shape::AiSdk | Shape::LangChain if body.is_array() => "",
        Shape::AiSdk | Shape::LangChain => "/messages",
    };
    match body.pointer(list) {
        Some(Value::Array(_)) => Ok(list),
        Some(Value::String(_)) if shape == Shape::Responses => Ok(list),
        _ => {
            let message = format!("a {} body has a list of messages here", shape.as_str());
            Err(Refusal::parameter(list, message))
        }
    }
}

/// The members beside the messages that hold the system text, first the one that is written where there is none.
fn beside(shape: Shape) -> &'static [&'static str] {
    match shape {
        Shape::Chat | Shape::LangChain => &[],
        Shape::Responses => &["instructions"],
        Shape::Anthropic => &["system"],
        Shape::Gemini => &["systemInstruction", "system_instruction"],
        Shape::AiSdk => &["system", "instructions"],
    }
}

/// Reads the system text beside the messages.
pub(super) fn system(shape: Shape, body: &Value, reader: &mut Reader) {
    for key in beside(shape) {
        let pointer = format!("/{key}");
        match (body.get(*key), shape) {
            (None | Some(Value::Null), _) => {}
            (Some(Value::Array(messages)), Shape::AiSdk) => {
                for (index, message) in messages.iter().enumerate() {
                    reader.message(message, &format!("{pointer}/{index}"));
                }
            }
            (Some(message @ Value::Object(_)), Shape::AiSdk) => reader.message(message, &pointer),
            (Some(content), _) => reader.instructions(content, &pointer),
        }
    }
}

/// Reads the functions.
pub(super) fn tools(shape: Shape, body: &Value, reader: &mut Reader) {
    for key in ["tools", "functions"] {
        let pointer = format!("/{key}");
        match (body.get(key), shape) {
            (Some(Value::Object(tools)), Shape::AiSdk) => {
                let schema = |tool: &Value| {
                    let schema = tool.get("inputSchema").cloned().unwrap_or_default();
                    schema.get("jsonSchema").cloned().unwrap_or(schema)
                };
                let tools = tools.iter().map(|(name, tool)| {
                    json!({"name": name, "description": tool.get("description"), "parameters": schema(tool)})
                });
                reader.tools(Some(&tools.collect()), &pointer);
            }
            (tools, _) => reader.tools(tools, &pointer),
        }
    }
}

/// Adds a text where the system text ends; `last` is the place of its last piece.
pub(super) fn add_to_system(shape: Shape, work: &mut Work, last: Option<&str>, text: &str) {
    let part = match shape {
        Shape::Gemini => json!({ "text": text }),
        Shape::Responses => json!({"type": "input_text", "text": text}),
        _ => json!({"type": "text", "text": text}),
    };
    let message = json!({"role": "system", "content": text});
    let Some(last) = last else {
        let key = beside(shape).first().filter(|_| !work.is_list());
        return match (shape, key) {
            (Shape::Gemini, Some(key)) => work.member("", key, json!({ "parts": [part] })),
            (_, Some(key)) => work.member("", key, json!(text)),
            // A list of the AI SDK's alone may hold no system message.
            (Shape::AiSdk, None) => work.insert(0, json!({"role": "user", "content": text})),
            (_, None) => work.insert(0, message),
        };
    };
    let was = work.get(last);
    let own = was
        .as_str()
        .or_else(|| word(was, "text"))
        .map(str::trim_end);
    match (own, was.is_string()) {
        (None | Some(""), _) => work.say(last, text),
        (Some(own), true) => {
            let own = format!("{own}\n\n{text}");
            work.say(last, &own);
        }
        (Some(_), false) => {
            let holder = last.rsplit_once('/').map_or("", |(holder, _)| holder);
            work.push(holder, part);
        }
    }
}

/// What of a transcript stands where.
#[derive(Debug, Default)]
pub(super) struct Places {
    messages: BTreeMap<usize, Vec<(Option<usize>, String)>>,
    items: BTreeMap<usize, Vec<(usize, String)>>,
    counts: BTreeMap<String, usize>,
}

impl Places {
    pub fn new(sources: &Sources, list: &str) -> Self {
        let mut places = Self::default();
        for source in &sources.blocks {
            let (message, block) = (source.message, source.block);
            let known = places.messages.entry(message).or_default();
            // A block without a place of its own stands where its result does.
            let whole = known.iter().find(|(block, _)| block.is_none());
            let pointer = match (source.pointer.is_empty(), whole) {
                (true, Some((_, whole))) => whole.clone(),
                _ => source.pointer.clone(),
            };
            known.push((block, pointer.clone()));
            *places.counts.entry(pointer.clone()).or_default() += 1;
            if let Some(item) = item(&pointer, list) {
                places
                    .items
                    .entry(item)
                    .or_default()
                    .push((message, pointer));
            }
        }
        for pointer in &sources.system {
            if let Some(item) = item(pointer, list) {
                let stands = (usize::MAX, pointer.clone());
                places.items.entry(item).or_default().push(stands);
            }
        }
        places
    }

    /// The place of a block.
    pub fn block(&self, message: usize, block: usize) -> Option<String> {
        let known = self.messages.get(&message)?;
        let found = known.iter().find(|(number, _)| *number == Some(block));
        found.map(|(_, pointer)| pointer.clone())
    }

    /// The place of a message as a whole: of a result, or of one in which no block is read.
    pub fn whole(&self, message: usize) -> Option<String> {
        let known = self.messages.get(&message)?;
        let found = known.iter().find(|(number, _)| number.is_none());
        found.map(|(_, pointer)| pointer.clone())
    }

    /// Every place of a message.
    pub fn of(&self, message: usize) -> Vec<String> {
        let known = self.messages.get(&message).into_iter().flatten();
        known.map(|(_, pointer)| pointer.clone()).collect()
    }

    /// Whether one block alone stands at a place.
    pub fn is_alone(&self, pointer: &str) -> bool {
        self.counts.get(pointer) == Some(&1)
    }

    /// What of the transcript an item of the list is: messages and places, a system text as no message.
    pub fn item(&self, index: usize) -> &[(usize, String)] {
        self.items
            .get(&index)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// The item that a message begins with: the first it was read from, or what goes with that and is not read.
    pub fn front(&self, message: usize) -> Option<usize> {
        let first = *self.items_of(message).first()?;
        let read = (0..first)
            .rev()
            .take_while(|index| self.item(*index).is_empty());
        read.last().or(Some(first))
    }

    /// The items that a message was read from.
    pub fn items_of(&self, message: usize) -> Vec<usize> {
        let all = self.items.iter();
        let own = all.filter(|(_, held)| held.iter().any(|(known, _)| *known == message));
        own.map(|(index, _)| *index).collect()
    }
}

/// The index of the item that a place is in.
fn item(pointer: &str, list: &str) -> Option<usize> {
    let rest = pointer.strip_prefix(list)?.strip_prefix('/')?;
    rest.split('/').next()?.parse().ok()
}

/// Whether a value is a text with nothing to see in it.
pub(super) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// The type of what stands at a place.
pub(super) fn kind(value: &Value) -> &str {
    word(value, "type").unwrap_or_default()
}
