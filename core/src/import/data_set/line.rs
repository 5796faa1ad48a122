//! What one speaker says in a row.

use serde_json::{Map, Value, json};

use super::super::pen::{Answer, Outcome, Pen, Piece};
use super::super::record::{At, text_of, word};
use super::super::time::millis;
use super::words;
use crate::json::{Notes, Place, value as parse};

/// Who speaks.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Who {
    System,
    User,
    Model,
    /// The model calls: the words are a call written as JSON, or several.
    Call,
    /// What the last call came back with.
    Result,
    /// A speaker whose name is not known here.
    Other(String),
}

/// What one speaker says.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub who: Who,
    content: Value,
    /// What stands beside the words: calls, ids, a name, and what is not read.
    beside: Map<String, Value>,
    at: At,
}

const SPEAKERS: [&str; 4] = ["from", "role", "speaker", "sender"];
const WORDS: [&str; 3] = ["value", "content", "text"];

/// Members beside the words that a message has.
const KNOWN: [&str; 5] = [
    "tool_calls",
    "tool_call_id",
    "name",
    "reasoning_content",
    "timestamp",
];

/// Whether an item of a list is a line with a speaker and words.
pub(super) fn is(item: &Value) -> bool {
    let has = |keys: &[&str]| keys.iter().any(|key| item.get(*key).is_some());
    has(&SPEAKERS) && has(&WORDS)
}

/// Whether a line's words are parts whose own words are a `value`.
pub(super) fn is_typed(item: &Value) -> bool {
    let parts = item.get("content").and_then(Value::as_array);
    let typed = |part: &Value| part.get("value").is_some() && word(part, "type").is_some();
    parts.is_some_and(|parts| parts.iter().any(typed))
}

/// The lines of a list. Bare texts are said by turns.
pub(super) fn lines(items: &[Value], at: &At, first: Who) -> Vec<Line> {
    let mut next = first;
    let mut found = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let line = Line::of(item, at.inside(&format!("/{index}")), next);
        next = match line.who {
            Who::User => Who::Model,
            _ => Who::User,
        };
        found.push(line);
    }
    found
}

/// The lines of a column: a list, one line, a text, or a dialogue in a text.
pub(super) fn member(value: &Value, at: &At, who: Who) -> Vec<Line> {
    match value {
        Value::Array(items) => lines(items, at, who),
        Value::String(text) if words::is_dialogue(text) => words::dialogue(text, at),
        Value::Null => Vec::new(),
        value => vec![Line::of(value, at.clone(), who)],
    }
}

/// The lines of a list of pairs, each a question and its answer.
pub(super) fn pairs(history: Option<&Value>, at: &At, found: &mut Vec<Line>) {
    let pairs = history.and_then(Value::as_array).into_iter().flatten();
    for (index, pair) in pairs.enumerate() {
        let items = pair.as_array().map(Vec::as_slice).unwrap_or_default();
        found.extend(lines(
            items,
            &at.inside(&format!("/history/{index}")),
            Who::User,
        ));
    }
}

/// The functions of a row, often a list written as a text.
pub(super) fn tools(pen: &mut Pen, value: Option<&Value>, at: &At) {
    let read = match value {
        None | Some(Value::Null) => return,
        Some(Value::String(text)) if text.trim().is_empty() => return,
        Some(Value::String(text)) => {
            parse(text.as_bytes(), Place::default(), &mut Notes::default()).ok()
        }
        Some(value) => Some(value.clone()),
    };
    match read {
        Some(list @ Value::Array(_)) => pen.tools(&list, at),
        Some(one @ Value::Object(_)) => pen.tools(&json!([one]), at),
        _ => pen.tell(
            "tools_unreadable",
            "the functions are no list and no JSON of one; they are not read",
            at,
        ),
    }
}

impl Line {
    pub fn said(who: Who, text: impl Into<String>, at: At) -> Self {
        Self {
            who,
            content: Value::String(text.into()),
            beside: Map::new(),
            at,
        }
    }

    /// A line, said by this one when it names no speaker.
    fn of(item: &Value, at: At, who: Who) -> Self {
        let Some(members) = item.as_object() else {
            return Self {
                who,
                content: item.clone(),
                beside: Map::new(),
                at,
            };
        };
        let speaker = SPEAKERS.iter().find_map(|key| word(item, key));
        let words = WORDS.iter().find(|key| item.get(**key).is_some());
        let other = |key: &String| {
            !SPEAKERS.contains(&key.as_str()) && words.is_none_or(|words| words != key)
        };
        let beside = members
            .iter()
            .filter(|(key, value)| other(key) && !value.is_null());
        Self {
            who: speaker.map_or(who, named),
            content: words
                .and_then(|key| item.get(*key))
                .cloned()
                .unwrap_or_default(),
            beside: beside
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect(),
            at,
        }
    }

    /// Whether two lines are the same words of the same speaker.
    pub fn says_as(&self, other: &Self) -> bool {
        self.who == other.who && self.content == other.content
    }

    /// Its words, to name a branch by.
    pub fn words(&self) -> String {
        text_of(Some(&self.content))
    }

    pub fn write(&self, pen: &mut Pen, pictures: &mut Pictures<'_>) {
        let Self {
            who,
            content,
            beside,
            at,
        } = self;
        let time = millis(beside.get("timestamp"));
        for key in beside.keys().filter(|key| !KNOWN.contains(&key.as_str())) {
            let says = "members beside a speaker's words are not kept";
            pen.count("member_not_kept", key, says, at);
        }
        let own = |key: &str| beside.get(key).and_then(Value::as_str).unwrap_or_default();
        match who {
            Who::System => pen.system("system", &parts(content, who, pictures), at, time),
            Who::User | Who::Model => {
                let mut message = beside.clone();
                message.retain(|key, _| KNOWN.contains(&key.as_str()));
                let role = if *who == Who::User {
                    "user"
                } else {
                    "assistant"
                };
                message.insert("role".to_owned(), Value::from(role));
                message.insert("content".to_owned(), parts(content, who, pictures));
                pen.message(Value::Object(message), at, time);
            }
            Who::Call => {
                let calls = words::calls(content);
                if calls.is_empty() {
                    let says = "calls that are no JSON with a name are read as words";
                    pen.count("call_unreadable", "", says, at);
                }
                let said = match calls.is_empty() {
                    true => vec![Piece::Part(
                        json!({"type": "text", "text": text_of(Some(content))}),
                    )],
                    false => calls
                        .into_iter()
                        .map(|(name, arguments)| Piece::Call(String::new(), name, arguments))
                        .collect(),
                };
                let known = Answer {
                    timestamp: time,
                    ..Answer::default()
                };
                pen.answer(said, known, at);
            }
            Who::Result => {
                let result = Outcome {
                    call: own("tool_call_id"),
                    function: own("name"),
                    content: parts(content, who, pictures),
                    ..Outcome::default()
                };
                pen.result(result, at, time);
            }
            Who::Other(name) => {
                let says = "lines of speakers that are not known here are kept aside";
                pen.count("role_unknown", name, says, at);
                pen.aside(name, &text_of(Some(content)), None, time);
            }
        }
    }
}

/// The speaker of a tag, in the spellings of the sets.
fn named(tag: &str) -> Who {
    match tag.to_ascii_lowercase().as_str() {
        "system" | "developer" => Who::System,
        "human" | "user" | "prompter" | "customer" | "person" => Who::User,
        "gpt" | "assistant" | "chatgpt" | "bing" | "bard" | "claude" | "model" | "bot" | "ai"
        | "chatbot" => Who::Model,
        "function_call" | "function-call" | "tool_call" => Who::Call,
        "observation" | "tool" | "function" | "function_response" | "function-response"
        | "tool_response" => Who::Result,
        _ => Who::Other(tag.to_owned()),
    }
}

/// A content as parts: pictures in their places, reasoning told from the words.
fn parts(content: &Value, who: &Who, pictures: &mut Pictures<'_>) -> Value {
    match content {
        Value::String(text) => {
            let (thought, rest) = match who {
                Who::Model => words::thought(text),
                _ => (None, text.as_str()),
            };
            let thought = thought.map(|thought| json!({"type": "thinking", "thinking": thought}));
            let parts: Vec<Value> = thought.into_iter().chain(pictures.in_words(rest)).collect();
            Value::Array(parts)
        }
        Value::Array(items) => items.iter().map(|item| part(item, pictures)).collect(),
        other => other.clone(),
    }
}

/// A part whose words are its `value`, in the reader's spelling.
fn part(item: &Value, pictures: &mut Pictures<'_>) -> Value {
    let value = item.get("value");
    match (word(item, "type"), value) {
        (Some("text"), Some(text)) => json!({"type": "text", "text": text}),
        (Some("reasoning"), Some(text)) => json!({"type": "thinking", "thinking": text}),
        (Some("tool_call"), Some(call)) => match words::calls(call).into_iter().next() {
            Some((name, arguments)) => {
                json!({"type": "tool_use", "id": "", "name": name, "input": arguments})
            }
            None => item.clone(),
        },
        (Some("image" | "image_url"), Some(address)) => pictures.part(address),
        (Some("image"), None)
            if word(item, "type")
                .is_some_and(|_| item.as_object().is_some_and(|m| m.len() == 1)) =>
        {
            pictures.next().unwrap_or_else(|| item.clone())
        }
        _ => item.clone(),
    }
}

/// The column of pictures, whose n-th one stands where the n-th token for one does.
#[derive(Debug)]
pub(super) struct Pictures<'r> {
    left: std::collections::VecDeque<&'r Value>,
    at: At,
}

const TOKEN: &str = "<image>";

impl<'r> Pictures<'r> {
    pub fn new(row: &'r Value, at: &At) -> Self {
        let (key, column) = match (row.get("images"), row.get("image")) {
            (Some(Value::Array(images)), _) => ("/images", images.iter().collect()),
            (_, Some(image)) if !image.is_null() => ("/image", [image].into()),
            _ => ("/images", [].into()),
        };
        Self {
            left: column,
            at: at.inside(key),
        }
    }

    fn next(&mut self) -> Option<Value> {
        let image = self.left.pop_front()?;
        Some(self.part(image))
    }

    /// A picture by its path, or by its bytes where they are there.
    fn part(&self, image: &Value) -> Value {
        let path = image
            .as_str()
            .or_else(|| word(image, "path").or(word(image, "url")));
        match word(image, "bytes") {
            Some(bytes) => {
                json!({"type": "image", "data": bytes, "mime": words::picture_type(path)})
            }
            None => json!({"type": "image_url", "image_url": {"url": path.unwrap_or_default()}}),
        }
    }

    /// Words with the pictures in their places.
    fn in_words(&mut self, text: &str) -> Vec<Value> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(TOKEN) {
            let Some(picture) = self.next() else { break };
            if !before.is_empty() {
                parts.push(json!({"type": "text", "text": before}));
            }
            parts.push(picture);
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(json!({"type": "text", "text": rest}));
        }
        parts
    }

    /// Tells the pictures that no token stands for.
    pub fn finish(self, pen: &mut Pen) {
        for _ in &self.left {
            let says = "pictures that no token stands for are not kept";
            pen.count("picture_not_placed", "", says, &self.at);
        }
    }
}
