//! `assemble REQUEST`: milliseconds of the engine's own work on a request whose messages nobody has counted; the
//! median of some rounds.

use std::rc::Rc;
use std::time::Instant;

use galley_core::fit::{Asked, Extras, Manager, Step};

fn main() {
    let path = std::env::args().nth(1).expect("a request file");
    let text = std::fs::read(path).expect("a file that can be read");
    let request = serde_json::from_slice(&text).expect("JSON");
    let mut took: Vec<f64> = (0..9)
        .map(|_| {
            let manager = Rc::new(Manager::default());
            let asked = Asked::read("assemble", &request).expect("a request");
            let from = Instant::now();
            let mut run = manager.call(asked, Extras::default(), 0, String::new());
            assert!(matches!(run.step(), Step::Done(_)), "its limits are in it");
            from.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    took.sort_by(f64::total_cmp);
    println!("{}", took[took.len() / 2]);
}
