//! The reference tokenizer, `tiktoken-rs`: where the vocabularies come from, and what the tests
//! compare with.

use tiktoken_rs::CoreBPE;

use crate::vocabulary;

/// The names of the vocabularies, each of which serves the encoding of the same name.
pub const VOCABULARIES: [&str; 4] = ["o200k_base", "cl100k_base", "p50k_base", "r50k_base"];

/// The reference's tokenizer of an encoding.
pub fn tokenizer(encoding: &str) -> Option<&'static CoreBPE> {
    Some(match encoding {
        "o200k_base" => tiktoken_rs::o200k_base_singleton(),
        "o200k_harmony" => tiktoken_rs::o200k_harmony_singleton(),
        "cl100k_base" => tiktoken_rs::cl100k_base_singleton(),
        "p50k_base" => tiktoken_rs::p50k_base_singleton(),
        "r50k_base" => tiktoken_rs::r50k_base_singleton(),
        _ => return None,
    })
}

/// The [`vocabulary`] file of this name.
pub fn vocabulary_file(name: &str) -> Option<Vec<u8>> {
    vocabulary::pack(name, &tokens(tokenizer(name)?))
}

/// The reference's tokens by rank; the rank of a special token is empty.
fn tokens(reference: &CoreBPE) -> Vec<Vec<u8>> {
    let specials = reference.special_tokens();
    // No rank of these encodings reaches this far.
    let mut tokens: Vec<Vec<u8>> = (0..210_000)
        .map(|rank| {
            let token = reference.decode_bytes(&[rank]).unwrap_or_default();
            let special = std::str::from_utf8(&token).is_ok_and(|text| specials.contains(text));
            if special { Vec::new() } else { token }
        })
        .collect();
    let end = tokens
        .iter()
        .rposition(|token| !token.is_empty())
        .map_or(0, |last| last + 1);
    tokens.truncate(end);
    tokens
}
