//! A transcript as messages that LangChain takes wherever it takes its own: `{ role, content, … }`.

use serde_json::{Map, Value, json};

use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::Imported;

use super::super::outgoing::{Outcome, Rules, Said, Step, Word, simple, steps};
use super::API_FORMAT;

const RULES: Rules = Rules {
    api_format: API_FORMAT,
    pictures: &["image/png", "image/jpeg", "image/webp", "image/gif"],
    answers_show: false,
    results_show: true,
    links: true,
    blank: |_| false,
    empties: true,
    systems: true,
    joins_answers: false,
    joins_words: false,
    words_first: false,
    results_in_order: false,
    failures: true,
    results_in_parts: true,
    any_arguments: false,
    ids: true,
    names: simple,
    thinks: |_, _| true,
    ends_thinking: true,
    options: &[],
};

/// The messages, and what of the transcript is otherwise in them, by message.
pub fn write(imported: &Imported) -> (Value, Vec<Warning>) {
    let mut notes = Notes::default();
    let (system, steps) = steps(imported, &RULES, &mut notes);
    let system = system.into_iter();
    let mut messages: Vec<Value> = system
        .map(|piece| json!({"role": piece.role.as_str(), "content": content(&[Word::Text(piece.text)])}))
        .collect();
    for step in steps {
        match step {
            Step::Words(words) => {
                messages.push(json!({"role": "user", "content": content(&words)}));
            }
            Step::System(role, texts) => {
                let words: Vec<Word> = texts.into_iter().map(Word::Text).collect();
                messages.push(json!({"role": role.as_str(), "content": content(&words)}));
            }
            Step::Answer(index, said) => messages.push(answer(index, said, &mut notes)),
            Step::Results(outcomes) => messages.extend(outcomes.iter().map(result)),
            Step::Sealed(_) => {}
        }
    }
    if !imported.tools.is_empty() {
        let message = "functions are code there and are bound to the model";
        notes.push(Warning::new("tools_not_written", message));
    }
    if imported.model.is_some() {
        let message = "the model is code there";
        notes.push(Warning::new("model_not_written", message));
    }
    (Value::from(messages), notes.finish())
}

/// A text alone is a string, anything else a list of parts.
fn content(words: &[Word]) -> Value {
    match words {
        [] => json!(""),
        [Word::Text(text)] if !text.is_empty() => json!(text),
        words => words.iter().map(part).collect(),
    }
}

fn part(word: &Word) -> Value {
    match word {
        Word::Text(text) => json!({"type": "text", "text": text}),
        Word::Picture(mime, data) => {
            json!({"type": "image_url", "image_url": {"url": format!("data:{mime};base64,{data}")}})
        }
        Word::Link(address) => json!({"type": "image_url", "image_url": {"url": address}}),
    }
}

fn result(outcome: &Outcome) -> Value {
    let mut message = Map::from_iter([
        ("role".to_owned(), json!("tool")),
        ("tool_call_id".to_owned(), json!(outcome.id)),
        ("name".to_owned(), json!(outcome.name)),
        ("content".to_owned(), content(&outcome.content)),
    ]);
    if outcome.failed {
        message.insert("status".to_owned(), json!("error"));
    }
    Value::Object(message)
}

/// The words, then the calls: that is their order there.
fn answer(index: usize, said: Vec<Said>, notes: &mut Notes) -> Value {
    if !said.is_sorted_by_key(|said| matches!(said, Said::Call(..))) {
        let message = "an answer's calls stand after its words there";
        notes.push(Warning::new("answer_reordered", message).at(format!("/messages/{index}")));
    }
    let (mut parts, mut calls, mut plain) = (Vec::new(), Vec::new(), true);
    for said in said {
        match said {
            Said::Text(text) => parts.push(json!({"type": "text", "text": text})),
            Said::Thinking(text, None) => {
                plain = false;
                parts.push(json!({"type": "reasoning", "reasoning": text}));
            }
            Said::Thinking(text, signature) => {
                plain = false;
                parts.push(json!({"type": "thinking", "thinking": text, "signature": signature}));
            }
            Said::Call(id, name, args, _) => {
                calls.push(json!({"type": "tool_call", "id": id, "name": name, "args": args}));
            }
            // No picture is among what the model said: a text stands for it already.
            Said::Picture(..) => {}
        }
    }
    let content = match parts.as_slice() {
        [] => json!(""),
        [part] if plain && part.get("text") != Some(&json!("")) => {
            part.get("text").cloned().unwrap_or_default()
        }
        _ => Value::Array(parts),
    };
    let mut message = Map::from_iter([
        ("role".to_owned(), json!("assistant")),
        ("content".to_owned(), content),
    ]);
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), Value::from(calls));
    }
    Value::Object(message)
}
