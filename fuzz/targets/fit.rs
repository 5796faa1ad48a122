//! Requests of the context manager: a case of the suite where the bytes are JSON, else one that they draw. What is
//! asked for also has to be trimmed.
#![no_main]

// Beside the suite, whose properties hold the same.
#[path = "../../tests/src/fit/mod.rs"]
mod fit;

use fit::{Case, check};
use galley_core::fit::Asked;
use serde_json::{Value, json};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(read @ Value::Object(_)) = serde_json::from_slice(bytes) else {
        check(&Case::drawn(bytes));
        return;
    };
    let mut case = Case::read(&read);
    if Asked::ALL.contains(&case.call.as_str()) {
        check(&case);
    }
    if let Some(request) = case.request.as_object_mut() {
        request.insert("max_tokens".to_owned(), json!(bytes.len()));
        case.call = "trim".to_owned();
        check(&case);
    }
});
