//! Messages that crossed once, and answers that name them.

use galley_core::fit::Item;
use galley_core::json::{self, typed};
use galley_core::refusal::Refusal;
use galley_core::transcript::{AgentMessage, ContentBlock};
use serde_json::Value;
use wasm_bindgen::prelude::*;

/// A message as the host handed it in.
#[derive(Clone)]
pub struct Message {
    item: Item,
    /// The host's own form of it is what an answer would write: nothing unknown in it, nothing left out.
    whole: bool,
}

impl Message {
    /// The message.
    pub fn item(&self) -> Item {
        self.item.clone()
    }
}

/// A message as its line has it, and whether that is what would be written of it.
fn read(line: &str, written: &mut Vec<u8>) -> Result<(AgentMessage, bool), Refusal> {
    let message = match serde_json::from_str::<AgentMessage>(line) {
        Ok(message) => message,
        // What is wrong with it, or a lone surrogate, which is mended.
        Err(_) => {
            let value = json::read(line.as_bytes(), "invalid_request")?.value;
            typed(&value).map_err(|misfit| {
                let message = format!("invalid request: {}", misfit.message);
                Refusal::new("invalid_request", message).at(misfit.pointer)
            })?
        }
    };
    written.clear();
    let line = line.as_bytes();
    let whole = serde_json::to_writer(&mut *written, &message).is_ok()
        && (written == line || {
            let value = |text: &[u8]| serde_json::from_slice::<Value>(text).ok();
            written.len() == line.len() && value(written) == value(line)
        });
    Ok((message, whole))
}

/// Puts a text into the block of a message that it was taken out of.
fn put(message: &mut AgentMessage, block: u32, inner: u32, given: &str) {
    let (AgentMessage::User { content, .. }
    | AgentMessage::Assistant { content, .. }
    | AgentMessage::FunctionResult { content, .. }
    | AgentMessage::Custom { content, .. }) = message;
    let mut place = content.get_mut(block as usize);
    if let Some(ContentBlock::FunctionResult { content, .. }) = place {
        place = content.get_mut(inner as usize);
    }
    if let Some(
        ContentBlock::Text { text }
        | ContentBlock::Thinking { text, .. }
        | ContentBlock::Image { data: text, .. },
    ) = place
    {
        given.clone_into(text);
    }
}

/// Messages by their numbers.
#[derive(Default)]
pub struct Held {
    messages: Vec<Option<Message>>,
    free: Vec<u32>,
}

impl Held {
    /// Takes messages, a line each, and puts the long texts where they belong; all of them or none.
    pub fn take(
        &mut self,
        lines: &str,
        places: &[u32],
        texts: &[u8],
        spans: &[u32],
    ) -> Result<Vec<u32>, Refusal> {
        let mut taken = Vec::with_capacity(places.len());
        let mut written = Vec::new();
        for (line, place) in lines.split('\n').zip(places) {
            taken.push(read(line, &mut written).map_err(|refusal| {
                let path = refusal.path.clone().unwrap_or_default();
                refusal.at(format!("/messages/{place}{path}"))
            })?);
        }
        let mut rest = texts;
        for span in spans.chunks_exact(4) {
            let [line, block, inner, bytes] = span else {
                continue;
            };
            let (text, after) = rest.split_at_checked(*bytes as usize).unwrap_or_default();
            rest = after;
            let text = String::from_utf8_lossy(text);
            if let Some((message, _)) = taken.get_mut(*line as usize) {
                put(message, *block, *inner, &text);
            }
        }
        Ok(taken
            .into_iter()
            .map(|(message, whole)| {
                self.keep(Message {
                    item: Item::new(message),
                    whole,
                })
            })
            .collect())
    }

    fn keep(&mut self, message: Message) -> u32 {
        match self.free.pop() {
            Some(number) => {
                if let Some(place) = self.messages.get_mut(number as usize) {
                    *place = Some(message);
                }
                number
            }
            None => {
                self.messages.push(Some(message));
                (self.messages.len() - 1) as u32
            }
        }
    }

    /// The messages of these numbers.
    pub fn get(&self, numbers: &[u32]) -> Vec<Message> {
        let of = |number: &u32| self.messages.get(*number as usize)?.clone();
        numbers.iter().filter_map(of).collect()
    }

    /// Forgets a message.
    pub fn release(&mut self, number: u32) {
        if let Some(place) = self.messages.get_mut(number as usize)
            && place.take().is_some()
        {
            self.free.push(number);
        }
    }
}

/// In place of a place of the request: the message is a new one.
const NEW: u32 = u32::MAX;

/// An answer: its JSON without the messages, and the messages.
#[wasm_bindgen]
pub struct Answer {
    json: String,
    kept: Option<Vec<u32>>,
    changed: String,
}

impl Answer {
    /// An answer whose messages stood at `sources` of the request.
    pub fn new(response: Value, items: &[Item], sources: &[usize], requested: &[Message]) -> Self {
        let mut new = Vec::new();
        let mut kept = Vec::with_capacity(items.len());
        for (item, source) in items.iter().zip(sources) {
            let as_it_was = requested
                .get(*source)
                .is_some_and(|message| message.whole && message.item.is(item));
            if as_it_was {
                kept.push(*source as u32);
            } else {
                kept.push(NEW);
                new.push(item);
            }
        }
        Self {
            json: response.to_string(),
            kept: Some(kept),
            changed: serde_json::to_string(&new).unwrap_or_default(),
        }
    }

    /// The answer of a call that answers no messages.
    pub fn without_messages(response: Value) -> Self {
        Self {
            kept: None,
            ..Self::new(response, &[], &[], &[])
        }
    }
}

#[wasm_bindgen]
impl Answer {
    /// The answer without its messages, JSON.
    #[wasm_bindgen(getter)]
    pub fn json(&self) -> String {
        self.json.clone()
    }

    /// For each message its place in the request, or 2³²−1 for the next of the new ones; nothing when the call
    /// answers no messages.
    #[wasm_bindgen(getter)]
    pub fn kept(&self) -> Option<Vec<u32>> {
        self.kept.clone()
    }

    /// The new messages, a JSON list.
    #[wasm_bindgen(getter)]
    pub fn changed(&self) -> String {
        self.changed.clone()
    }
}
