//! What a text, a message and a function cost, in tokens.
//!
//! A pass takes an estimator as given and never asks which one it is.

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::measure::{counted_bytes, json_bytes};
use crate::tokens::{Encoding, ModelRow};
use crate::transcript::{AgentFunction, AgentMessage, ContentBlock};

/// What an image costs where no row says otherwise, tokens.
pub const IMAGE_TOKENS: u64 = 4096;

/// How a count was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EstimatorName {
    /// The model's own tokenizer counted.
    Tokenizer,
    /// A quarter of the bytes.
    #[default]
    Heuristic,
}

/// What everything costs under one way of counting. All sums saturate.
pub trait Estimator {
    /// How it counts.
    fn kind(&self) -> EstimatorName;
    /// Tokens of a text.
    fn text(&self, text: &str) -> u64;
    /// Tokens of an image of this MIME type, whatever its size.
    fn image(&self, mime: &str) -> u64;
    /// Tokens of a message, images included. `text` is those of its only text, where they are known.
    fn message(&self, message: &AgentMessage, text: Option<u64>) -> u64;
    /// Tokens of a function's declaration.
    fn function(&self, function: &AgentFunction) -> u64;
}

/// A quarter of the bytes: of a text, or of the JSON of everything else.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heuristic;

impl Estimator for Heuristic {
    fn kind(&self) -> EstimatorName {
        EstimatorName::Heuristic
    }

    fn text(&self, text: &str) -> u64 {
        text.len() as u64 / 4
    }

    fn image(&self, _: &str) -> u64 {
        IMAGE_TOKENS
    }

    /// Of the JSON without the bytes of images and, in a function result that was not denied, without `details`.
    fn message(&self, message: &AgentMessage, _: Option<u64>) -> u64 {
        let mut images = 0u64;
        each_image(message.content(), &mut |_, _| images += 1);
        let text = counted_bytes(message) / 4;
        text.saturating_add(images.saturating_mul(IMAGE_TOKENS))
    }

    fn function(&self, function: &AgentFunction) -> u64 {
        json_bytes(function) / 4
    }
}

/// The model's own tokenizer, and what its row says of framing and images.
#[derive(Clone)]
pub struct Exact {
    encoding: Rc<dyn Encoding>,
    row: ModelRow,
}

impl Exact {
    /// Counts with `encoding`; framing per text and the cost of images are the row's.
    pub fn new(encoding: Rc<dyn Encoding>, row: ModelRow) -> Self {
        Self { encoding, row }
    }

    /// Whether both are bound to count alike.
    pub fn same(&self, other: &Self) -> bool {
        let place = |exact: &Self| Rc::as_ptr(&exact.encoding).cast::<()>();
        place(self) == place(other) && self.row == other.row
    }

    fn framed(&self, text: &str) -> u64 {
        self.encoding
            .count(text)
            .saturating_add(self.row.framing.per_text)
    }

    fn blocks(&self, blocks: &[ContentBlock]) -> u64 {
        let cost = |block: &ContentBlock| match block {
            ContentBlock::Text { text } | ContentBlock::Thinking { text, .. } => self.framed(text),
            ContentBlock::Image { mime, .. } => self.image(mime),
            ContentBlock::FunctionCall {
                function_id,
                arguments,
                ..
            } => self
                .framed(function_id)
                .saturating_add(self.framed(&arguments.to_string())),
            ContentBlock::FunctionResult { content, .. } => self.blocks(content),
        };
        blocks.iter().map(cost).fold(0, u64::saturating_add)
    }
}

impl Estimator for Exact {
    fn kind(&self) -> EstimatorName {
        EstimatorName::Tokenizer
    }

    fn text(&self, text: &str) -> u64 {
        self.encoding.count(text)
    }

    fn image(&self, mime: &str) -> u64 {
        self.row
            .token_cost
            .get(mime)
            .copied()
            .unwrap_or(IMAGE_TOKENS)
    }

    /// Of what the model reads: texts, reasoning, the names and the compact arguments of calls, results.
    fn message(&self, message: &AgentMessage, text: Option<u64>) -> u64 {
        match (message.content(), text) {
            ([ContentBlock::Text { .. }], Some(text)) => {
                text.saturating_add(self.row.framing.per_text)
            }
            (content, _) => self.blocks(content),
        }
    }

    fn function(&self, function: &AgentFunction) -> u64 {
        self.framed(&serde_json::to_string(function).unwrap_or_default())
    }
}

/// Whether a result's details say that the call was denied, which the model is told.
pub fn is_denied(details: &Value) -> bool {
    details.get("status").and_then(Value::as_str) == Some("denied")
}

/// Calls `met` with the MIME type and the data of every image, those inside of inline results included.
pub fn each_image<'a>(blocks: &'a [ContentBlock], met: &mut impl FnMut(&'a str, &'a str)) {
    // A stack of our own: how deep results nest is the caller's word.
    let mut open: Vec<&'a [ContentBlock]> = vec![blocks];
    while let Some(blocks) = open.pop() {
        for block in blocks {
            match block {
                ContentBlock::Image { mime, data } => met(mime, data),
                ContentBlock::FunctionResult { content, .. } => open.push(content),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tokens(message: Value) -> u64 {
        Heuristic.message(&serde_json::from_value(message).unwrap(), None)
    }

    fn image(mime: &str) -> Value {
        json!({"type": "image", "mime": mime, "data": "A".repeat(9999)})
    }

    #[test]
    fn the_contracts_check_values() {
        assert_eq!(
            tokens(
                json!({"role": "user", "content": [{"type": "text", "text": "hello"}], "timestamp": 1})
            ),
            18
        );
        assert_eq!(
            tokens(json!({"role": "user", "content": [image("image/png")], "timestamp": 1})),
            4117
        );
        let inline = json!({"type": "function_result", "function_call_id": "c1", "content": [image("image/jpeg")]});
        assert_eq!(
            tokens(
                json!({"role": "user", "content": [image("image/png"), inline], "timestamp": 1})
            ),
            8241
        );
        for (details, expected) in [
            (json!(null), 38),
            (json!({}), 38),
            (json!({"content": "x".repeat(4000)}), 38),
            (json!({"status": "ok", "reason": "x".repeat(400)}), 38),
            (json!({"status": "denied", "reason": "x".repeat(400)}), 145),
        ] {
            let result = json!({"role": "function_result", "function_call_id": "c", "function_id": "f",
                "content": [{"type": "text", "text": "body"}], "details": details, "timestamp": 3});
            assert_eq!(tokens(result), expected);
        }
    }

    #[test]
    fn special_words_and_long_runs_are_plain_text() {
        for (text, tokens) in [
            ("<|endoftext|><|im_start|>".to_owned(), 6),
            ("^".repeat(1_000_000), 250_000),
        ] {
            assert_eq!(Heuristic.text(&text), tokens);
        }
    }
}
