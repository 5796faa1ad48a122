//! Writes the vocabulary files, from the reference tokenizer's own vocabularies.
//!
//! `cargo run -p galley-counter --example vocabularies -- FOLDER`

use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder: PathBuf = std::env::args_os()
        .nth(1)
        .ok_or("name a folder to write to")?
        .into();
    std::fs::create_dir_all(&folder)?;
    for (name, reference) in [
        ("o200k_base", tiktoken_rs::o200k_base_singleton()),
        ("cl100k_base", tiktoken_rs::cl100k_base_singleton()),
        ("p50k_base", tiktoken_rs::p50k_base_singleton()),
        ("r50k_base", tiktoken_rs::r50k_base_singleton()),
    ] {
        let file = galley_counter::vocabulary::pack(name, &tokens(reference))
            .ok_or("not a byte-pair vocabulary")?;
        std::fs::write(folder.join(format!("{name}.bin")), file)?;
    }
    Ok(())
}

/// The reference's tokens by rank; the rank of a special token is empty.
fn tokens(reference: &tiktoken_rs::CoreBPE) -> Vec<Vec<u8>> {
    let specials = reference.special_tokens();
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
