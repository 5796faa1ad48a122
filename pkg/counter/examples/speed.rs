//! Counts text files natively in o200k, with the counter and the reference, and prints a line of JSON
//! for each: `{"file", "tokens", "reference", "mb_per_s"}`. The counter has not seen the text before.
//!
//! `cargo run --profile quick -p galley-counter --example speed -- FILE...`

use std::time::Instant;

use galley_counter::Counter;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let reference = tiktoken_rs::o200k_base_singleton();
    let counter = Counter::new("o200k_base")?;
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file)?;
        let started = Instant::now();
        let tokens = counter.count(&text);
        let speed = text.len() as f64 / 1e6 / started.elapsed().as_secs_f64();
        println!(
            "{{\"file\":{file:?},\"tokens\":{tokens},\"reference\":{},\"mb_per_s\":{speed:.1}}}",
            reference.count_ordinary(&text)
        );
    }
    Ok(())
}
