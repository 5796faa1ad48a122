//! A transcript as the body of a Chat Completions request.

use serde_json::{Map, Value, json};

use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::Imported;

use super::super::outgoing::{Outcome, Rules, Said, Step, Word, simple, steps, tools};
use super::API_FORMAT;

const RULES: Rules = Rules {
    api_format: API_FORMAT,
    pictures: &["image/png", "image/jpeg", "image/webp", "image/gif"],
    answers_show: false,
    results_show: false,
    links: true,
    blank: |_| false,
    empties: true,
    systems: true,
    joins_answers: false,
    joins_words: false,
    words_first: false,
    results_in_order: false,
    failures: false,
    results_in_parts: true,
    any_arguments: true,
    ids: true,
    names: simple,
    thinks: |_, _| true,
    ends_thinking: true,
    options: &[],
};

/// The body, and what of the transcript is otherwise in it, by message.
pub fn write(imported: &Imported) -> (Value, Vec<Warning>) {
    let mut notes = Notes::default();
    let (system, steps) = steps(imported, &RULES, &mut notes);
    let system = system.into_iter().map(|piece| {
        let words = [Word::Text(piece.text)];
        json!({"role": piece.role.as_str(), "content": content(&words)})
    });
    let mut messages: Vec<Value> = system.collect();
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
    let mut body = Map::new();
    if let Some(model) = &imported.model {
        body.insert("model".to_owned(), json!(model));
    }
    body.insert("messages".to_owned(), Value::from(messages));
    let tools = tools(imported, &RULES, &mut notes);
    let tools: Vec<Value> = tools
        .iter()
        .map(|tool| {
            let mut function = Map::from_iter([("name".to_owned(), json!(tool.name))]);
            if !tool.description.is_empty() {
                function.insert("description".to_owned(), json!(tool.description));
            }
            if !tool.parameters.is_null() {
                function.insert("parameters".to_owned(), tool.parameters.clone());
            }
            json!({"type": "function", "function": function})
        })
        .collect();
    if !tools.is_empty() {
        body.insert("tools".to_owned(), Value::from(tools));
    }
    (Value::Object(body), notes.finish())
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
    json!({"role": "tool", "tool_call_id": outcome.id, "content": content(&outcome.content)})
}

/// Reasoning, then the words, then the calls: that is their order there.
fn answer(index: usize, said: Vec<Said>, notes: &mut Notes) -> Value {
    let rank = |said: &Said| match said {
        Said::Thinking(..) => 0,
        Said::Text(_) | Said::Picture(..) => 1,
        Said::Call(..) => 2,
    };
    if !said.is_sorted_by_key(rank) {
        let message =
            "an answer's reasoning stands before its words and its calls after them there";
        notes.push(Warning::new("answer_reordered", message).at(format!("/messages/{index}")));
    }
    let (mut thoughts, mut words, mut calls) = (Vec::new(), Vec::new(), Vec::new());
    for said in said {
        match said {
            Said::Thinking(text, signature) => thoughts.push((text, signature)),
            Said::Text(text) => words.push(Word::Text(text)),
            Said::Picture(mime, data) => words.push(Word::Picture(mime, data)),
            Said::Call(id, name, arguments, own) => calls.push(call(&id, &name, &arguments, own)),
        }
    }
    let mut message = Map::new();
    message.insert("role".to_owned(), json!("assistant"));
    match thoughts.as_slice() {
        [] => {}
        [(text, None)] if !text.is_empty() => {
            message.insert("reasoning_content".to_owned(), json!(text));
        }
        thoughts => {
            let details = thoughts.iter().map(|(text, signature)| match signature {
                Some(sealed) if text.is_empty() => {
                    json!({"type": "reasoning.encrypted", "data": sealed})
                }
                Some(signature) => {
                    json!({"type": "reasoning.text", "text": text, "signature": signature})
                }
                None => json!({"type": "reasoning.text", "text": text}),
            });
            message.insert("reasoning_details".to_owned(), details.collect());
        }
    }
    let nothing = words.is_empty() && !calls.is_empty();
    let words = if nothing {
        Value::Null
    } else {
        content(&words)
    };
    message.insert("content".to_owned(), words);
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), Value::from(calls));
    }
    Value::Object(message)
}

fn call(id: &str, name: &str, arguments: &Value, own: Option<String>) -> Value {
    match arguments {
        // A tool that takes free words: they are no JSON.
        Value::String(text) if own.as_ref() == Some(text) => {
            json!({"id": id, "type": "custom", "custom": {"name": name, "input": text}})
        }
        _ => {
            let arguments = own.unwrap_or_else(|| arguments.to_string());
            json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
        }
    }
}
