//! What the page and its worker say of a fit: what the context manager would make of the open conversation.
//!
//! Numbers cross with every answer, parts by range, texts by range of bytes. Members that `galley-core` answers
//! keep its names.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Counter, Refusal};

/// What is asked of the context manager; the conversation is the worker's own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FitRequest {
    /// The model, as the contract's `model`.
    pub model: Value,
    /// Every member of the configuration; `null` is its default.
    pub config: Map<String, Value>,
    /// The contract's `options`.
    pub options: Map<String, Value>,
}

/// A question about a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// Make the conversation fit, and tell the parts in sight.
    Assemble {
        /// What is asked.
        request: FitRequest,
        /// The parts in sight.
        view: PartView,
    },
    /// Tell parts of the last fit.
    Parts {
        /// Which.
        view: PartView,
    },
    /// Texts of the last fit: where they differ, and how they begin.
    Look {
        /// Whose.
        look: Look,
    },
    /// More of one of those texts.
    Text {
        /// Whose.
        look: Look,
        /// Which of its texts.
        side: Side,
        /// The first byte.
        from: u64,
        /// One past the last.
        to: u64,
    },
}

/// An answer about a fit.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// What came of it.
    Assembled {
        /// The numbers.
        fit: Box<Fit>,
        /// The parts in sight.
        parts: Parts,
    },
    /// Parts of the last fit.
    Parts(Parts),
    /// Texts of the last fit; none when it has no such part.
    Looked {
        /// Whose.
        look: Look,
        /// Stretch by stretch, side by side.
        stretches: Vec<Stretch>,
    },
    /// More of a text of the last fit.
    Text {
        /// Whose.
        look: Look,
        /// Which of its texts.
        side: Side,
        /// The byte it begins at.
        at: u64,
        /// The text.
        text: String,
    },
}

/// A half-open range of the parts of one pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartView {
    /// The pass, by its word.
    pub pass: String,
    /// The first part.
    pub from: usize,
    /// One past the last.
    pub to: usize,
}

/// Whose texts are looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    /// A part that a pass wrote anew: what it was, and what it became.
    Part {
        /// The pass, by its word.
        pass: String,
        /// Index of the message.
        message: usize,
        /// Index of its block, where it is one.
        block: Option<usize>,
    },
    /// What the summariser would read.
    Summariser,
}

/// A text of a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// What a part was.
    Old,
    /// What it became.
    New,
    /// What the summariser is told.
    Told,
    /// What it is asked.
    Asked,
}

/// What became of a stretch of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It is on both sides.
    Kept,
    /// It is gone.
    Out,
    /// It is new.
    In,
    /// There is nothing to set it against.
    Alone,
}

/// A stretch of one side's text, and the part of it that has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// Of which text.
    pub side: Side,
    /// What became of it.
    pub fate: Fate,
    /// Where it begins, bytes.
    pub from: u64,
    /// Where it ends.
    pub to: u64,
    /// The byte at which `text` begins.
    pub at: u64,
    /// What has come of it.
    pub text: String,
}

impl Stretch {
    /// Where the text that has come ends.
    pub fn end(&self) -> u64 {
        self.at + self.text.len() as u64
    }

    /// Takes more of the text, which stands right before or right after what is here; anything else is dropped.
    pub fn take(&mut self, at: u64, text: &str) {
        if at == self.end() && at < self.to {
            self.text.push_str(text);
        } else if at >= self.from && at + text.len() as u64 == self.at {
            self.text.insert_str(0, text);
            self.at = at;
        }
    }
}

/// What the context manager would make of the conversation, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fit {
    /// How many messages the conversation is.
    pub messages: u64,
    /// Why there is no answer.
    pub refusal: Option<Refusal>,
    /// How it was counted.
    pub counter: Counter,
    /// Where the limits came from: `inline`, `router` or `fallback`.
    pub model_resolved: String,
    /// The limits.
    pub limits: Limits,
    /// The room they leave.
    pub budget: Budget,
    /// Tokens of everything before the first pass.
    pub tokens_before: u64,
    /// Tokens of everything after the last one.
    pub tokens_after: u64,
    /// The passes, in order.
    pub passes: Vec<Pass>,
    /// What would be summarised.
    pub compaction: Option<Compaction>,
    /// Tokens after the last pass, by what they are for.
    pub shares: Vec<(String, u64)>,
    /// The largest messages of what is left.
    pub largest: Vec<Large>,
}

impl Fit {
    /// A pass, by its word.
    pub fn pass(&self, word: &str) -> Option<&Pass> {
        self.passes.iter().find(|pass| pass.pass == word)
    }
}

/// A model's limits, tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Input and output together.
    pub context_window: u64,
    /// The longest answer.
    pub max_output_tokens: u64,
    /// The input alone.
    pub input_limit: Option<u64>,
}

/// The room a model leaves, tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Budget {
    /// The input limit, or the window without the longest answer.
    pub base: u64,
    /// Kept free.
    pub reserved: u64,
    /// Kept for thinking.
    pub thinking: u64,
    /// What is left.
    pub usable: u64,
}

/// One pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pass {
    /// Its word.
    pub pass: String,
    /// Tokens before it.
    pub tokens_before: u64,
    /// Tokens after it.
    pub tokens_after: u64,
    /// Why it did nothing.
    pub idle: Option<String>,
    /// How many parts it wrote anew.
    pub parts: usize,
    /// Where a cached prefix ends.
    pub prefix: Option<PrefixBreak>,
}

/// Where a cached prefix ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PrefixBreak {
    /// The system prompt changed.
    pub system_prompt: bool,
    /// Index of the first message that changed.
    pub message: Option<usize>,
    /// Tokens from there to the end.
    pub tokens: u64,
}

/// What would be summarised.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Compaction {
    /// `dry` when a summary is all that is missing.
    pub outcome: String,
    /// How many messages are summarised.
    pub head_len: usize,
    /// Index of the first message that stays.
    pub tail_start_index: Option<usize>,
    /// Tokens of what is summarised.
    pub head_tokens: u64,
    /// Bytes of what the summariser would read.
    pub bytes: u64,
}

/// A message of what is left.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Large {
    /// Index of the message.
    pub message: usize,
    /// Its role.
    pub role: String,
    /// The function, of a result.
    pub function_id: Option<String>,
    /// The line of the rail it stands in, of a result.
    pub row: Option<usize>,
    /// Tokens.
    pub tokens: u64,
}

/// Parts of one pass.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parts {
    /// The pass, by its word.
    pub pass: String,
    /// The place of the first.
    pub from: usize,
    /// They.
    pub parts: Vec<Part>,
}

/// A part that a pass wrote anew.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Part {
    /// Index of the message.
    pub message: usize,
    /// Index of its block, where it is one.
    pub block: Option<usize>,
    /// The function, of a result.
    pub function_id: Option<String>,
    /// The line of the rail it stands in, of a result.
    pub row: Option<usize>,
    /// Tokens of the message before.
    pub tokens_before: u64,
    /// Tokens of the message after.
    pub tokens_after: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_stretch_grows_at_either_end_and_nowhere_else() {
        let mut stretch = Stretch {
            side: Side::Old,
            fate: Fate::Kept,
            from: 0,
            to: 12,
            at: 4,
            text: "efgh".into(),
        };
        stretch.take(8, "ij");
        stretch.take(8, "ij");
        stretch.take(2, "cd");
        stretch.take(0, "b");
        assert_eq!((stretch.at, stretch.text.as_str()), (2, "cdefghij"));
    }
}
