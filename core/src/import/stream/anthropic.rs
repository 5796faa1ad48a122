//! Anthropic events: a message that starts, blocks by index, and at the end why it stopped and the last count.

use serde_json::{Map, Value};

use super::{index_of, object, word_of};
use crate::json::{Notes, Place, value as parse};

struct Block {
    index: u64,
    block: Map<String, Value>,
    /// A call's input, as far as it came.
    input: String,
}

/// The message, and whether it was ended.
pub(super) fn join(events: Vec<Map<String, Value>>) -> (Map<String, Value>, bool) {
    let (mut body, mut blocks, mut whole) = (Map::new(), Vec::new(), false);
    for mut event in events {
        let index = index_of(&event, "index").unwrap_or(0);
        match word_of(&event, "type") {
            "message_start" => body.extend(object(&mut event, "message").into_iter().flatten()),
            "content_block_start" => blocks.push(Block {
                index,
                block: object(&mut event, "content_block").unwrap_or_default(),
                input: String::new(),
            }),
            "content_block_delta" => {
                if let Some(delta) = object(&mut event, "delta") {
                    goes_on(&mut blocks, index, delta);
                }
            }
            "message_delta" => {
                let delta = object(&mut event, "delta").into_iter().flatten();
                body.extend(delta.filter(|(_, member)| !member.is_null()));
                if let Some(last) = object(&mut event, "usage") {
                    let mut usage = object(&mut body, "usage").unwrap_or_default();
                    usage.extend(last.into_iter().filter(|(_, member)| !member.is_null()));
                    body.insert("usage".to_owned(), Value::Object(usage));
                }
            }
            "message_stop" => whole = true,
            _ => {}
        }
    }
    body.entry("type").or_insert_with(|| "message".into());
    let content = blocks.into_iter().map(Block::whole).collect();
    body.insert("content".to_owned(), Value::Array(content));
    (body, whole)
}

fn goes_on(blocks: &mut Vec<Block>, index: u64, delta: Map<String, Value>) {
    let kind = word_of(&delta, "type").to_owned();
    let place = blocks.iter().rposition(|block| block.index == index);
    let place = place.unwrap_or_else(|| {
        // The capture began after the block did.
        let kind = match kind.as_str() {
            "input_json_delta" => "tool_use",
            "thinking_delta" | "signature_delta" => "thinking",
            _ => "text",
        };
        blocks.push(Block {
            index,
            block: Map::from_iter([("type".to_owned(), kind.into())]),
            input: String::new(),
        });
        blocks.len() - 1
    });
    let Some(Block { block, input, .. }) = blocks.get_mut(place) else {
        return;
    };
    for (key, piece) in delta {
        match (key.as_str(), piece) {
            ("type", _) | (_, Value::Null) => {}
            ("partial_json", Value::String(more)) => input.push_str(&more),
            ("citation", citation) => match block.get_mut("citations") {
                Some(Value::Array(citations)) => citations.push(citation),
                _ => {
                    block.insert("citations".to_owned(), Value::Array(vec![citation]));
                }
            },
            (_, Value::String(more)) => match block.get_mut(&key) {
                Some(Value::String(text)) => text.push_str(&more),
                _ => {
                    block.insert(key, Value::String(more));
                }
            },
            (_, piece) => {
                block.insert(key, piece);
            }
        }
    }
}

impl Block {
    fn whole(mut self) -> Value {
        if !self.input.is_empty() {
            let read = parse(
                self.input.as_bytes(),
                Place::default(),
                &mut Notes::default(),
            );
            let input = read.unwrap_or(Value::String(self.input));
            self.block.insert("input".to_owned(), input);
        }
        Value::Object(self.block)
    }
}
