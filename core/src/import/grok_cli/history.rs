//! What the model is given: items that say their type, of which those the person did not write say why.
//!
//! The tool writes this file anew when what is sent changes, so all of it is sent. It has no times.

use serde_json::{Map, Value, json};

use super::super::pen::{Answer, Outcome, Pen, Piece};
use super::super::record::{At, Record, filled, rest, text_of, word};
use super::super::tree::title;
use crate::transcript::Imported;

/// What stands around the person's own words.
const QUERY: [&str; 2] = ["<user_query>", "</user_query>"];

/// Whether a value is an item. What stands first in a file looks like many others and says nothing.
pub(super) fn is(value: &Value) -> bool {
    let text = |key: &str| word(value, key).is_some();
    let of_others = [
        "role",
        "id",
        "uuid",
        "message",
        "timestamp",
        "parts",
        "data",
    ];
    if of_others.iter().any(|key| value.get(key).is_some()) {
        return false;
    }
    match word(value, "type").unwrap_or_default() {
        "user" => {
            let told = text("synthetic_reason") || value.get("prompt_index").is_some();
            let framed = QUERY
                .iter()
                .all(|frame| text_of(value.get("content")).contains(frame));
            value.get("content").is_some() && (told || framed)
        }
        "assistant" => {
            let calls = value.get("tool_calls").and_then(Value::as_array);
            let flat = |call: &Value| word(call, "name").and(word(call, "arguments")).is_some();
            let calls = calls.is_some_and(|calls| calls.iter().any(flat));
            text("content") && (text("model_id") || calls)
        }
        "tool_result" => text("tool_call_id") && text("content"),
        "backend_tool_call" => value.pointer("/kind/tool_type").is_some(),
        "custom_tool_output" => text("call_id") && value.get("content").is_some(),
        _ => false,
    }
}

/// The conversation of a file.
pub(super) fn read(records: Vec<Record>) -> Imported {
    let mut log = Log {
        pen: Pen::new(""),
        thoughts: Vec::new(),
        at: At::default(),
        title: None,
        compactions: 0,
    };
    // It speaks to servers of either of OpenAI's wires.
    log.pen.transcript().api_format = None;
    for record in &records {
        log.item(record);
    }
    log.thought();
    let title = log.title.take();
    log.pen.name(title.as_deref());
    log.pen.finish()
}

struct Log {
    pen: Pen,
    /// What the model thought before what it says.
    thoughts: Vec<Piece>,
    at: At,
    title: Option<String>,
    compactions: usize,
}

impl Log {
    fn item(&mut self, record: &Record) {
        let Record { value, at } = record;
        let kind = word(value, "type").or_else(|| word(value, "role"));
        match kind.unwrap_or_default() {
            "reasoning" => {
                self.at = at.clone();
                self.thoughts.extend(reasoning(value));
            }
            "assistant" => self.assistant(value, at),
            "backend_tool_call" => self.by_server(value, at),
            "system" => {
                self.thought();
                let content = value.get("content").unwrap_or(&Value::Null);
                self.pen.system("system", content, at, 0);
            }
            "user" => {
                self.thought();
                self.user(value, at);
            }
            "tool_result" | "tool" | "custom_tool_output" => {
                self.thought();
                self.result(value, at);
            }
            kind => {
                let says = "lines of types that are not known here are kept aside";
                let kind = match kind {
                    "" => "without a type",
                    kind => kind,
                };
                self.pen.count("line_type_unknown", kind, says, at);
                let text = text_of(value.get("content"));
                self.pen.aside(kind, &text, Some(value.clone()), 0);
            }
        }
    }

    /// Thoughts that nothing was said after.
    fn thought(&mut self) {
        let thoughts = std::mem::take(&mut self.thoughts);
        if !thoughts.is_empty() {
            self.pen.answer(thoughts, Answer::default(), &self.at);
        }
    }

    fn user(&mut self, value: &Value, at: &At) {
        let content = parts(value.get("content"));
        let text = text_of(Some(&content));
        let query = query(&text);
        match word(value, "synthetic_reason").unwrap_or("human") {
            "human" | "interjection" if text.is_empty() && content == json!([]) => {
                self.pen.wordless("user", at);
            }
            // What the tool tells at the beginning has no reason of its own.
            "human" if query.is_none() && text.trim_start().starts_with("<user_info>") => {
                self.pen.injected(&content, false, "user_info", at, 0);
            }
            "human" | "interjection" => {
                let first = || title(query.unwrap_or(&text));
                self.title.get_or_insert_with(first);
                self.pen.user(&content, at, 0);
            }
            reason => {
                self.compactions += usize::from(reason == "compaction_meta");
                if self.compactions == 2 {
                    let says = "a compaction wrote this file anew: what was said before it and is not sent is not in the file";
                    self.pen.tell("earlier_not_in_file", says, at);
                    self.compactions += 1;
                }
                self.pen.injected(&content, false, reason, at, 0);
            }
        }
    }

    fn assistant(&mut self, value: &Value, at: &At) {
        let mut pieces = std::mem::take(&mut self.thoughts);
        if pieces.is_empty() {
            // Older files hold the thoughts with what was said.
            let own = value.pointer("/reasoning/text").and_then(Value::as_str);
            let own = own.or_else(|| word(value, "reasoning_content"));
            let items = value.get("raw_output").and_then(Value::as_array);
            let items = items.into_iter().flatten();
            let items = items.filter(|item| word(item, "type") == Some("reasoning"));
            pieces.extend(items.flat_map(reasoning));
            if let Some(text) = own.filter(|text| pieces.is_empty() && !text.is_empty()) {
                pieces.push(Piece::Part(json!({"type": "thinking", "thinking": text})));
            }
        }
        if let Value::Array(said) = parts(value.get("content")) {
            pieces.extend(said.into_iter().map(Piece::Part));
        }
        let calls = value.get("tool_calls").and_then(Value::as_array);
        for call in calls.into_iter().flatten() {
            let function = call.get("function").unwrap_or(call);
            let own = |value: &Value, key: &str| word(value, key).unwrap_or_default().to_owned();
            let arguments = function.get("arguments").cloned();
            let arguments = arguments.unwrap_or_else(|| json!({}));
            pieces.push(Piece::Call(
                own(call, "id"),
                own(function, "name"),
                arguments,
            ));
        }
        let answer = Answer {
            model: filled(value, "model_id"),
            ..Answer::default()
        };
        match pieces.is_empty() {
            true => self.pen.wordless("assistant", at),
            false => self.pen.answer(pieces, answer, at),
        }
    }

    /// A call that the server answered itself. What it found is told to the model there.
    fn by_server(&mut self, value: &Value, at: &At) {
        let call = value.get("kind").unwrap_or(&Value::Null);
        let kind = word(call, "tool_type").unwrap_or_default();
        let name = filled(call, "name").unwrap_or(kind);
        let id = word(call, "id").unwrap_or_default();
        let code = call.get("code").map(|code| json!({"code": code}));
        let action = call.get("action");
        let asked = action.and_then(|action| rest(action, &["sources"]));
        let asked = asked.or_else(|| call.get("input").cloned()).or(code);
        let arguments = asked.unwrap_or_else(|| json!({}));
        let mut pieces = std::mem::take(&mut self.thoughts);
        pieces.push(Piece::Call(id.to_owned(), name.to_owned(), arguments));
        self.pen.answer(pieces, Answer::default(), at);
        let list = |at: &str| call.pointer(at).and_then(Value::as_array);
        let sources = list("/action/sources").into_iter().flatten();
        let sources = sources.filter_map(|source| word(source, "url"));
        let logs = list("/outputs").into_iter().flatten();
        let logs = logs.filter_map(|output| word(output, "logs"));
        let found: Vec<&str> = sources.chain(logs).collect();
        let says = "what functions of the server came back with is not in the file beyond where it is from and what was printed";
        self.pen.count("result_not_in_file", name, says, at);
        let outcome = Outcome {
            call: id,
            function: name,
            content: json!(found.join("\n")),
            failed: word(call, "status") == Some("failed"),
            ..Outcome::default()
        };
        self.pen.result(outcome, at, 0);
    }

    fn result(&mut self, value: &Value, at: &At) {
        let in_order = value.get("ordered_content").and_then(Value::as_array);
        let content = match in_order.is_some_and(|list| !list.is_empty()) {
            true => parts(value.get("ordered_content")),
            false => {
                let mut content = parts(value.get("content"));
                if let (Value::Array(content), Value::Array(images)) =
                    (&mut content, parts(value.get("images")))
                {
                    content.extend(images);
                }
                content
            }
        };
        let call = filled(value, "tool_call_id").or_else(|| word(value, "call_id"));
        let outcome = Outcome {
            call: call.unwrap_or_default(),
            function: word(value, "name").unwrap_or_default(),
            content,
            ..Outcome::default()
        };
        self.pen.result(outcome, at, 0);
    }
}

/// The person's own words within what is sent.
fn query(text: &str) -> Option<&str> {
    let [opens, closes] = QUERY;
    let (_, rest) = text.split_once(opens)?;
    let (query, _) = rest.split_once(closes)?;
    Some(query.trim())
}

/// A thought, with what the provider sealed.
fn reasoning(item: &Value) -> Option<Piece> {
    let said = text_of(item.get("content"));
    let text = match said.is_empty() {
        true => text_of(item.get("summary")),
        false => said,
    };
    let mut thought = Map::new();
    thought.insert("type".to_owned(), json!("thinking"));
    thought.insert("thinking".to_owned(), json!(text));
    let sealed = filled(item, "encrypted_content");
    if let Some(sealed) = sealed {
        thought.insert("signature".to_owned(), json!(sealed));
    }
    (!text.is_empty() || sealed.is_some()).then_some(Piece::Part(Value::Object(thought)))
}

/// Words and pictures.
fn parts(content: Option<&Value>) -> Value {
    let parts = match content {
        Some(Value::String(text)) if !text.is_empty() => {
            vec![json!({"type": "text", "text": text})]
        }
        Some(Value::Array(parts)) => parts
            .iter()
            .map(|part| match (word(part, "type"), part.get("url")) {
                (Some("image"), Some(url)) => {
                    json!({"type": "image_url", "image_url": {"url": url}})
                }
                _ => part.clone(),
            })
            .collect(),
        _ => Vec::new(),
    };
    Value::Array(parts)
}
