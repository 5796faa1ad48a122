//! Reads `[{"conversation": …, "request": …}, …]` and prints each estimate, or its refusal, as the engine
//! answers natively. The package's tests hold the wasm's answers against it.

use std::io;

use galley_core::session::Session;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cases: Vec<Value> = serde_json::from_reader(io::stdin().lock())?;
    let mut answers = Vec::with_capacity(cases.len());
    for case in &cases {
        let file = serde_json::to_vec(&case["conversation"])?;
        let answer =
            Session::open(&file).and_then(|mut session| session.estimate(&case["request"]));
        answers.push(match answer {
            Ok(answer) => serde_json::to_value(answer)?,
            Err(refusal) => json!({ "refusal": refusal }),
        });
    }
    serde_json::to_writer(io::stdout().lock(), &answers)?;
    Ok(())
}
