//! A transcript as what is handed to the AI SDK: its `system` and its `messages`.

use serde_json::{Map, Value, json};

use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::Imported;

use super::super::outgoing::{Outcome, Rules, Said, Step, Word, instructions, simple, steps};
use super::API_FORMAT;

const RULES: Rules = Rules {
    api_format: API_FORMAT,
    pictures: &["image/png", "image/jpeg", "image/webp", "image/gif"],
    answers_show: true,
    results_show: true,
    links: true,
    blank: str::is_empty,
    empties: true,
    systems: false,
    joins_answers: false,
    joins_words: false,
    words_first: false,
    results_in_order: false,
    failures: true,
    results_in_parts: true,
    any_arguments: false,
    ids: true,
    names: simple,
    // Whose a signature is stands in none.
    thinks: |_, signature| signature.is_none(),
    ends_thinking: true,
    options: &[],
};

/// `{ system, messages }`, and what of the transcript is otherwise in it, by message.
pub fn write(imported: &Imported) -> (Value, Vec<Warning>) {
    let mut notes = Notes::default();
    let (system, steps) = steps(imported, &RULES, &mut notes);
    let mut messages = Vec::new();
    for step in steps {
        let (role, content) = match step {
            Step::Words(words) => ("user", content(words.iter().map(part).collect())),
            Step::Answer(_, said) => ("assistant", content(said.into_iter().map(spoken).collect())),
            Step::Results(outcomes) => {
                let results = outcomes.iter().map(|outcome| result(outcome, &mut notes));
                ("tool", results.collect())
            }
            Step::System(..) | Step::Sealed(_) => continue,
        };
        messages.push(json!({"role": role, "content": content}));
    }
    let mut body = Map::new();
    let texts = instructions(system, &RULES, &mut notes);
    if !texts.is_empty() {
        body.insert("system".to_owned(), json!(texts.join("\n\n")));
    }
    if texts.len() > 1 {
        let message = "the system texts are one there, a blank line between each two";
        notes.push(Warning::new("system_joined", message));
    }
    body.insert("messages".to_owned(), Value::from(messages));
    if !imported.tools.is_empty() {
        let message = "functions are code there and are handed over beside the messages";
        notes.push(Warning::new("tools_not_written", message));
    }
    if imported.model.is_some() {
        let message = "the model is code there and is handed over beside the messages";
        notes.push(Warning::new("model_not_written", message));
    }
    (Value::Object(body), notes.finish())
}

/// A text alone is a string, anything else a list of parts.
fn content(parts: Vec<Value>) -> Value {
    let text = match parts.as_slice() {
        [] => Some(json!("")),
        [part] => part
            .get("text")
            .filter(|_| part.get("type") == Some(&json!("text")))
            .cloned(),
        _ => None,
    };
    text.unwrap_or(Value::Array(parts))
}

fn part(word: &Word) -> Value {
    match word {
        Word::Text(text) => json!({"type": "text", "text": text}),
        Word::Picture(mime, data) => json!({"type": "image", "image": data, "mediaType": mime}),
        Word::Link(address) => json!({"type": "image", "image": address}),
    }
}

fn spoken(said: Said) -> Value {
    match said {
        Said::Text(text) => json!({"type": "text", "text": text}),
        Said::Thinking(text, _) => json!({"type": "reasoning", "text": text}),
        Said::Picture(mime, data) => json!({"type": "file", "data": data, "mediaType": mime}),
        Said::Call(id, name, input, _) => {
            json!({"type": "tool-call", "toolCallId": id, "toolName": name, "input": input})
        }
    }
}

fn result(outcome: &Outcome, notes: &mut Notes) -> Value {
    let output = match outcome.content.as_slice() {
        [] | [Word::Text(_)] => {
            let kind = if outcome.failed { "error-text" } else { "text" };
            let text = outcome.content.first().map(|word| match word {
                Word::Text(text) | Word::Link(text) | Word::Picture(_, text) => text.as_str(),
            });
            json!({"type": kind, "value": text.unwrap_or_default()})
        }
        words => {
            if outcome.failed {
                let message = "that a result in parts is a failure has no place there";
                notes.push(Warning::new("failure_not_written", message));
            }
            let parts = words.iter().map(|word| match word {
                Word::Text(text) | Word::Link(text) => json!({"type": "text", "text": text}),
                Word::Picture(mime, data) => {
                    json!({"type": "file-data", "data": data, "mediaType": mime})
                }
            });
            json!({"type": "content", "value": parts.collect::<Vec<_>>()})
        }
    };
    json!({"type": "tool-result", "toolCallId": outcome.id, "toolName": outcome.name, "output": output})
}
