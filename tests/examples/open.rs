//! `open FILE`: seconds from a file's bytes to the list of what is in it.

use std::time::Instant;

use galley_core::import::{Ask, Opening, Step};

fn main() {
    let path = std::env::args().nth(1).expect("a file is named");
    let bytes = std::fs::read(path).expect("the file can be read");
    let began = Instant::now();
    let mut opening = Opening::new(bytes.len() as u64, Ask::default());
    while let Step::Read { from, len } = opening.step() {
        let (from, len) = (from as usize, len as usize);
        opening.give(&bytes[from..from + len]).expect("it opens");
    }
    let file = opening.finish().expect("it opens");
    assert!(!file.conversations.is_empty());
    println!("{}", began.elapsed().as_secs_f64());
}
