//! The encodings, each with the vocabulary it reads and the engine's pattern that cuts text into
//! pieces.

/// One encoding.
pub(crate) struct Encoding {
    name: &'static str,
    /// The name in its vocabulary file; encodings that differ only in special tokens share one.
    pub(crate) vocabulary: &'static str,
    /// One of the patterns for which the engine has a hand-written scanner.
    pub(crate) pattern: &'static str,
}

const ENCODINGS: [Encoding; 5] = [
    encoding("o200k_base", "o200k_base", splintr::O200K_BASE_PATTERN),
    encoding("o200k_harmony", "o200k_base", splintr::O200K_BASE_PATTERN),
    encoding("cl100k_base", "cl100k_base", splintr::CL100K_BASE_PATTERN),
    encoding("p50k_base", "p50k_base", splintr::GPT2_PATTERN),
    encoding("r50k_base", "r50k_base", splintr::GPT2_PATTERN),
];

const fn encoding(name: &'static str, vocabulary: &'static str, pattern: &'static str) -> Encoding {
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
