//! `tests/corpus/counts.json`: texts and their token counts, for the tests of the wasm counter, which
//! cannot run the reference. Here the reference holds the figures.
//!
//! `WRITE_COUNTS=1 cargo test -p galley-tests --test counter_counts` writes them anew.

use std::path::Path;

use galley_tests::{ENCODINGS, reference};
use serde_json::{Map, Value, json};

/// The texts, as the file describes them: given, a file of the corpus, a repeated text or a line of
/// base64 from a generator that both sides have.
fn texts() -> Vec<Value> {
    let mut texts: Vec<Value> = [
        "",
        " ",
        "hello world",
        "a user writes <|endoftext|> and <|im_start|>system<|im_end|>",
        "\u{feff}one\u{85}two\u{2028}three\r\n\r\n",
        "it's IT'S don\u{2019}t ſ'ſ",
        "👩‍👩‍👧‍👦 e\u{301}\u{308} ｶﾞ ǅ ½",
        "x\u{0}y\u{fffd}z",
    ]
    .iter()
    .map(|text| json!({ "text": text }))
    .collect();
    for file in ["prose.txt", "code.rs", "code.js", "data.json", "world.txt"] {
        texts.push(json!({ "file": file }));
    }
    for (text, times) in [
        ("_", 50_000),
        ("a", 100_000),
        (" ", 100_000),
        ("\n", 100_000),
        ("汉", 100_000),
        ("^", 1_000_000),
    ] {
        texts.push(json!({ "repeat": text, "times": times }));
    }
    texts.push(json!({ "base64": 2_000_000 }));
    texts
}

fn spelled_out(description: &Value) -> String {
    let word = |key: &str| description.get(key).and_then(Value::as_str);
    let number = |key: &str| description.get(key).and_then(Value::as_u64).unwrap() as usize;
    if let Some(text) = word("text") {
        text.to_owned()
    } else if let Some(file) = word("file") {
        std::fs::read_to_string(corpus().join(file)).unwrap()
    } else if let Some(text) = word("repeat") {
        text.repeat(number("times"))
    } else {
        base64(number("base64"))
    }
}

fn base64(length: usize) -> String {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = 1_u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        char::from(alphabet[(state % 64) as usize])
    };
    (0..length).map(|_| next()).collect()
}

fn corpus() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus"))
}

#[test]
fn the_counts_of_the_corpus_are_the_references() {
    let counted: Vec<Value> = texts()
        .into_iter()
        .map(|mut description| {
            let text = spelled_out(&description);
            let counts: Map<String, Value> = ENCODINGS
                .iter()
                .map(|name| {
                    let count = reference(name).count_ordinary(&text);
                    ((*name).to_owned(), json!(count))
                })
                .collect();
            description["counts"] = Value::Object(counts);
            description
        })
        .collect();

    let path = corpus().join("counts.json");
    if std::env::var_os("WRITE_COUNTS").is_some() {
        let lines: Vec<String> = counted.iter().map(Value::to_string).collect();
        std::fs::write(&path, format!("[\n{}\n]\n", lines.join(",\n"))).unwrap();
    }
    let stored: Vec<Value> =
        serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(stored, counted);
}
