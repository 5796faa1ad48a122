//! The encodings, each with the vocabulary it reads and the way it cuts text into pieces.

use crate::pieces::Pattern;

/// One encoding.
pub(crate) struct Encoding {
    name: &'static str,
    /// The name in its vocabulary file; encodings that differ only in special tokens share one.
    pub(crate) vocabulary: &'static str,
    /// How it cuts text into pieces.
    pub(crate) pattern: Pattern,
}

const ENCODINGS: [Encoding; 5] = [
    encoding("o200k_base", "o200k_base", Pattern::O200k),
    encoding("o200k_harmony", "o200k_base", Pattern::O200k),
    encoding("cl100k_base", "cl100k_base", Pattern::Cl100k),
    encoding("p50k_base", "p50k_base", Pattern::Gpt2),
    encoding("r50k_base", "r50k_base", Pattern::Gpt2),
];

const fn encoding(name: &'static str, vocabulary: &'static str, pattern: Pattern) -> Encoding {
    Encoding {
        name,
        vocabulary,
        pattern,
    }
}

/// The encoding of this name.
pub(crate) fn find(name: &str) -> Option<&'static Encoding> {
    ENCODINGS.iter().find(|encoding| encoding.name == name)
}
