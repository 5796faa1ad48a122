//! What is written inside of texts: calls, reasoning, whole dialogues.

use serde_json::{Value, json};

use super::super::record::{At, word};
use super::line::{Line, Who};
use crate::json::{Notes, Place, value as parse};

/// The calls of a text that is one written as JSON, or a list of them: names and arguments.
pub(super) fn calls(content: &Value) -> Vec<(String, Value)> {
    let read = match content {
        Value::String(text) => json_of(text).or_else(|| quoted(text)),
        value => Some(value.clone()),
    };
    let call = |call: &Value| {
        let call = call
            .get("function")
            .filter(|inner| inner.is_object())
            .unwrap_or(call);
        let arguments = call.get("arguments").or_else(|| call.get("parameters"));
        let arguments = arguments.cloned().unwrap_or_else(|| json!({}));
        Some((word(call, "name")?.to_owned(), arguments))
    };
    match &read {
        Some(Value::Array(list)) => list
            .iter()
            .map(call)
            .collect::<Option<_>>()
            .unwrap_or_default(),
        Some(value) => call(value).into_iter().collect(),
        None => Vec::new(),
    }
}

fn json_of(text: &str) -> Option<Value> {
    parse(
        text.trim().as_bytes(),
        Place::default(),
        &mut Notes::default(),
    )
    .ok()
}

/// A call whose arguments are JSON in single quotes: `{"name": "f", "arguments": '{"a": 1}'}`.
fn quoted(text: &str) -> Option<Value> {
    let (head, rest) = text.split_once('\'')?;
    let (arguments, tail) = rest.rsplit_once('\'')?;
    let mut call = json_of(&format!("{head}null{tail}"))?;
    *call.get_mut("arguments")? = Value::from(arguments);
    Some(call)
}

/// The reasoning that a text begins with between its tags, and what comes after.
pub(super) fn thought(text: &str) -> (Option<&str>, &str) {
    let inner = text.trim_start().strip_prefix("<think>");
    match inner.and_then(|inner| inner.split_once("</think>")) {
        Some((thought, rest)) => (Some(thought), rest),
        None => (None, text),
    }
}

/// The type of a picture by the ending of its path.
pub(super) fn picture_type(path: Option<&str>) -> &'static str {
    let ending = path
        .and_then(|path| path.rsplit_once('.'))
        .map_or("", |(_, ending)| ending);
    match ending.to_ascii_lowercase().as_str() {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        _ => "image/*",
    }
}

/// How the sets write who speaks, at the beginning of a line.
const MARKS: [(&str, Who); 6] = [
    ("USER:", Who::User),
    ("Human:", Who::User),
    ("ASSISTANT:", Who::Model),
    ("Assistant:", Who::Model),
    ("FUNCTION RESPONSE:", Who::Result),
    ("SYSTEM:", Who::System),
];

fn marked(line: &str) -> Option<(&Who, &str)> {
    MARKS
        .iter()
        .find_map(|(mark, who)| Some((who, line.strip_prefix(mark)?)))
}

/// Whether a text is a dialogue: it begins with a speaker's mark, and another's follows.
pub(super) fn is_dialogue(text: &str) -> bool {
    let text = text.trim_start();
    marked(text).is_some() && text.lines().skip(1).any(|line| marked(line).is_some())
}

/// The lines of a dialogue. Blanks around what is said, and the mark of its end, only part the lines.
pub(super) fn dialogue(text: &str, at: &At) -> Vec<Line> {
    let mut said: Vec<(&Who, String)> = Vec::new();
    for line in text.trim_start().split_inclusive('\n') {
        match (marked(line), said.last_mut()) {
            (Some((who, words)), _) => said.push((who, words.to_owned())),
            (None, Some((_, words))) => words.push_str(line),
            (None, None) => {}
        }
    }
    let line = |(who, words): (&Who, String)| {
        let words = words.trim();
        let words = words
            .strip_suffix("<|endoftext|>")
            .unwrap_or(words)
            .trim_end();
        match (who, words.strip_prefix("<functioncall>")) {
            (Who::Model, Some(call)) => Line::said(Who::Call, call.trim_start(), at.clone()),
            _ => Line::said(who.clone(), words, at.clone()),
        }
    };
    said.into_iter().map(line).collect()
}
