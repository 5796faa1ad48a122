//! Counts a text over and over and prints the speed: MB/s on the first run and on the best of five.
//!
//! `cargo run --release -p galley-counter --example speed -- ENCODING VOCABULARY TEXT`, where the
//! vocabulary is a `.bin` of the `vocabularies` example or a decompressed `.vocab`.

use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || {
        arguments
            .next()
            .ok_or("usage: speed ENCODING VOCABULARY TEXT")
    };
    let (encoding, vocabulary, text) = (next()?, next()?, next()?);
    let vocabulary = std::fs::read(vocabulary)?;
    let text = std::fs::read_to_string(text)?;

    let started = Instant::now();
    let counter = galley_counter::Counter::new(&encoding, &vocabulary)?;
    let load = started.elapsed();
    let speeds: Vec<f64> = (0..5)
        .map(|_| {
            let started = Instant::now();
            std::hint::black_box(counter.count(&text));
            text.len() as f64 / 1e6 / started.elapsed().as_secs_f64()
        })
        .collect();
    println!(
        "{} tokens, load {:.0} ms, {:.1} MB/s first, {:.1} MB/s best",
        counter.count(&text),
        load.as_secs_f64() * 1e3,
        speeds[0],
        speeds.iter().copied().fold(0.0, f64::max)
    );
    Ok(())
}
