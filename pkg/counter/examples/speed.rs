//! Counts text files natively, with the counter and the reference, and prints a line of JSON for each:
//! `{"file", "tokens", "reference", "mb_per_s"}`. The counter has not seen the text before.
//!
//! `cargo run --profile counter -p galley-counter --features reference --example speed -- ENCODING FILE...`

use std::time::Instant;

use galley_counter::{Counter, reference};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let encoding = arguments.next().ok_or("name an encoding and text files")?;
    let vocabulary = reference::vocabulary_file(&encoding).ok_or("no such vocabulary")?;
    let oracle = reference::tokenizer(&encoding).ok_or("no such encoding")?;
    let counter = Counter::new(&encoding, &vocabulary)?;
    for file in arguments {
        let text = std::fs::read_to_string(&file)?;
        let started = Instant::now();
        let tokens = counter.count(&text);
        let speed = text.len() as f64 / 1e6 / started.elapsed().as_secs_f64();
        println!(
            "{{\"file\":{file:?},\"tokens\":{tokens},\"reference\":{},\"mb_per_s\":{speed:.1}}}",
            oracle.count_ordinary(&text)
        );
    }
    Ok(())
}
