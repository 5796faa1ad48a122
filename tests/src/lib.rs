//! What the tests share: the suite's files, how a case is laid out, the reference tokenizer, and what holds of the
//! context manager.

pub mod asked;
pub mod fit;
pub mod generate;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use tiktoken_rs::CoreBPE;

/// The encodings that are counted exactly.
pub const ENCODINGS: [&str; 5] = [
    "o200k_base",
    "o200k_harmony",
    "cl100k_base",
    "p50k_base",
    "r50k_base",
];

/// The reference tokenizer of an encoding, `tiktoken-rs`.
pub fn reference(encoding: &str) -> &'static CoreBPE {
    match encoding {
        "o200k_base" => tiktoken_rs::o200k_base_singleton(),
        "o200k_harmony" => tiktoken_rs::o200k_harmony_singleton(),
        "cl100k_base" => tiktoken_rs::cl100k_base_singleton(),
        "p50k_base" => tiktoken_rs::p50k_base_singleton(),
        "r50k_base" => tiktoken_rs::r50k_base_singleton(),
        _ => panic!("the reference has no encoding named {encoding}"),
    }
}

/// The workspace's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default()
}

/// One file of the suite.
pub fn suite(name: &str) -> Value {
    read(&root().join("tests/suite").join(name))
}

/// The files of one of the suite's folders, by name.
pub fn suite_files(folder: &str) -> Vec<(String, Value)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(root().join("tests/suite").join(folder))
        .unwrap_or_else(|error| panic!("tests/suite/{folder}: {error}"))
        .map(|entry| entry.expect("a folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    files.sort();
    files
        .iter()
        .map(|path| {
            (
                path.file_stem()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned(),
                read(path),
            )
        })
        .collect()
}

fn read(path: &Path) -> Value {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Lays a case over the base: objects merge key by key, everything else replaces.
pub fn lay_over(base: Value, over: Value) -> Value {
    match (base, over) {
        (Value::Object(mut base), Value::Object(over)) => {
            for (key, value) in over {
                let merged = match base.remove(&key) {
                    Some(under) => lay_over(under, value),
                    None => value,
                };
                base.insert(key, merged);
            }
            Value::Object(base)
        }
        (_, over) => over,
    }
}

/// Writes packed values out: `{"$repeat": [c, n]}` and `{"$runs": [[c, n], …]}` are long strings, and
/// `{"$times": [n, value, …]}` in a list stands for n times those values.
pub fn unpack(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().flat_map(unpack_item).collect(),
        Value::Object(members) => match packed(&members) {
            Some(text) => Value::String(text),
            None => Value::Object(
                members
                    .into_iter()
                    .map(|(key, value)| (key, unpack(value)))
                    .collect(),
            ),
        },
        other => other,
    }
}

fn unpack_item(item: Value) -> Vec<Value> {
    let times = item
        .as_object()
        .filter(|members| members.len() == 1)
        .and_then(|members| members.get("$times"))
        .and_then(Value::as_array)
        .and_then(|times| {
            let (times, values) = times.split_first()?;
            Some((usize::try_from(times.as_u64()?).ok()?, values))
        });
    match times {
        Some((times, values)) => {
            let Value::Array(values) = unpack(Value::Array(values.to_vec())) else {
                return Vec::new();
            };
            std::iter::repeat_n(values, times).flatten().collect()
        }
        None => vec![unpack(item)],
    }
}

fn packed(members: &Map<String, Value>) -> Option<String> {
    let run = |run: &Value| {
        Some(
            run.get(0)?
                .as_str()?
                .repeat(usize::try_from(run.get(1)?.as_u64()?).ok()?),
        )
    };
    match (members.len(), members.get("$repeat"), members.get("$runs")) {
        (1, Some(one), _) => run(one),
        (1, _, Some(runs)) => runs.as_array()?.iter().map(run).collect(),
        _ => None,
    }
}

/// What a patch makes of a value.
pub fn patched(was: &Value, patch: &Value) -> Value {
    if let Some(value) = patch.get("set") {
        return value.clone();
    }
    if let Some(items) = patch.get("items").and_then(Value::as_array) {
        return items
            .iter()
            .map(|item| match item {
                Value::Number(index) => was[index.as_u64().unwrap() as usize].clone(),
                Value::Array(pair) => patched(&was[pair[0].as_u64().unwrap() as usize], &pair[1]),
                put => put["put"].clone(),
            })
            .collect();
    }
    let mut members: Map<String, Value> = was.as_object().unwrap().clone();
    for (key, patch) in patch["members"].as_object().unwrap() {
        match patch {
            Value::Null => members.remove(key),
            patch => members.insert(key.clone(), patched(&was[key], patch)),
        };
    }
    Value::Object(members)
}
