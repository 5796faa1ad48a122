//! Exact token counting for OpenAI's encodings, native and in wasm, on the kept crate `tiktoken`.
//!
//! The promise: counts equal the reference tokenizer's, token for token, whatever the text, with
//! special-token text read as plain text.
//!
//! ```
//! let counter = galley_counter::Counter::new("o200k_base").unwrap();
//! assert_eq!(counter.count("hello world"), 2);
//! assert_eq!(counter.ends("hello world"), [5, 11]);
//! ```
//!
//! # Which vocabularies
//!
//! `tiktoken` compiles vocabularies in; the features of this crate say which. In wasm that is one, so
//! that a page loads the encoding it needs and no other.
//!
//! # What it keeps in memory
//!
//! A vocabulary is unpacked when the first counter needs it, and stays. The engine remembers the tokens
//! of pieces it has met in a table of 4,096 places, 1.2 MB a thread, where a new piece takes the place
//! of an old one: a long session holds no more than a short one.

use std::fmt;

use tiktoken::CoreBpe;

#[cfg(target_arch = "wasm32")]
mod js;

/// The encodings, each with the vocabulary it reads; they share one when they differ only in special
/// tokens, which are plain text here.
const ENCODINGS: [(&str, &str); 5] = [
    ("o200k_base", "o200k_base"),
    ("o200k_harmony", "o200k_base"),
    ("cl100k_base", "cl100k_base"),
    ("p50k_base", "p50k_base"),
    ("r50k_base", "r50k_base"),
];

/// Counts tokens in one encoding.
pub struct Counter {
    name: &'static str,
    engine: &'static CoreBpe,
}

impl Counter {
    /// A counter for the encoding `name`. The first one of a vocabulary unpacks it.
    ///
    /// Refuses an unknown name, and an encoding whose vocabulary this build does not carry.
    pub fn new(name: &str) -> Result<Counter, Fault> {
        let (name, vocabulary) = ENCODINGS
            .into_iter()
            .find(|(known, _)| *known == name)
            .ok_or_else(|| Fault::UnknownEncoding(name.to_owned()))?;
        let engine =
            tiktoken::get_encoding(vocabulary).ok_or(Fault::NotCarried { name, vocabulary })?;
        Ok(Counter { name, engine })
    }

    /// The encoding's name.
    pub fn name(&self) -> &str {
        self.name
    }

    /// Tokens of `text`.
    pub fn count(&self, text: &str) -> u64 {
        self.engine.count(text) as u64
    }

    /// The ranks of the tokens of `text`, in order.
    pub fn ranks(&self, text: &str) -> Vec<u32> {
        self.engine.encode(text)
    }

    /// The byte offset in `text` at which each token ends, ascending; the last is its length. A
    /// token may end inside a character.
    pub fn ends(&self, text: &str) -> Vec<usize> {
        let mut end = 0;
        self.ranks(text)
            .into_iter()
            .map(|rank| {
                end += self.engine.decode(&[rank]).len();
                end
            })
            .collect()
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl galley_core::tokens::Encoding for Counter {
    fn name(&self) -> &str {
        self.name
    }

    fn count(&self, text: &str) -> u64 {
        Counter::count(self, text)
    }
}

/// Why there is no counter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// No encoding has this name.
    UnknownEncoding(String),
    /// The encoding is known, and its vocabulary is in another build.
    NotCarried {
        /// The encoding that was asked for.
        name: &'static str,
        /// The vocabulary it reads, which names the module that carries it.
        vocabulary: &'static str,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::UnknownEncoding(name) => {
                let known = ENCODINGS.map(|(name, _)| name).join(", ");
                write!(f, "no encoding is named \"{name}\"; use one of {known}")
            }
            Fault::NotCarried { name, vocabulary } => {
                write!(
                    f,
                    "this module does not carry \"{name}\"; load \"{vocabulary}.js\""
                )
            }
        }
    }
}

impl std::error::Error for Fault {}
