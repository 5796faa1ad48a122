//! A transcript as the body of a Responses request.

use serde_json::{Map, Value, json};

use crate::json::Notes;
use crate::refusal::Warning;
use crate::role::Role;
use crate::transcript::{Imported, SystemPiece};

use super::super::outgoing::{Outcome, Rules, Said, Step, Word, schema, simple, steps, tools};
use super::API_FORMAT;

const RULES: Rules = Rules {
    api_format: API_FORMAT,
    pictures: &["image/png", "image/jpeg", "image/webp", "image/gif"],
    answers_show: false,
    results_show: true,
    links: true,
    blank: |_| false,
    empties: false,
    systems: true,
    joins_answers: true,
    joins_words: false,
    words_first: false,
    results_in_order: false,
    failures: false,
    results_in_parts: true,
    any_arguments: true,
    ids: true,
    names: simple,
    // A provider that stores nothing takes back only what it sealed.
    thinks: |_, signature| signature.is_some(),
    ends_thinking: false,
    options: &["store", "include"],
};

/// The body, and what of the transcript is otherwise in it, by message.
pub fn write(imported: &Imported) -> (Value, Vec<Warning>) {
    let mut notes = Notes::default();
    let mut input = Vec::new();
    let mut body = Map::new();
    if let Some(model) = &imported.model {
        body.insert("model".to_owned(), json!(model));
    }
    let (system, steps) = steps(imported, &RULES, &mut notes);
    match system.as_slice() {
        [] => {}
        [
            SystemPiece {
                role: Role::System,
                text,
            },
        ] if !text.is_empty() => {
            body.insert("instructions".to_owned(), json!(text));
        }
        pieces => input.extend(
            pieces
                .iter()
                .map(|piece| message(piece.role.as_str(), &[Word::Text(piece.text.clone())])),
        ),
    }
    for step in steps {
        match step {
            Step::Words(words) => input.push(message("user", &words)),
            Step::System(role, texts) => {
                let words: Vec<Word> = texts.into_iter().map(Word::Text).collect();
                input.push(message(role.as_str(), &words));
            }
            Step::Answer(_, said) => answer(said, &mut input),
            Step::Results(outcomes) => input.extend(outcomes.iter().map(result)),
            Step::Sealed(sealed) => {
                input.push(json!({"type": "compaction", "encrypted_content": sealed}));
            }
        }
    }
    body.insert("input".to_owned(), Value::from(input));
    let tools = tools(imported, &RULES, &mut notes);
    let tools: Vec<Value> = tools.iter().enumerate().map(|(index, tool)| {
        let parameters = schema(index, &tool.parameters, &mut notes);
        let mut function = json!({"type": "function", "name": tool.name, "parameters": parameters, "strict": false});
        if let (false, Some(members)) = (tool.description.is_empty(), function.as_object_mut()) {
            members.insert("description".to_owned(), json!(tool.description));
        }
        function
    }).collect();
    if !tools.is_empty() {
        body.insert("tools".to_owned(), Value::from(tools));
    }
    // The whole conversation is in the request: the provider need not store it.
    body.insert("store".to_owned(), json!(false));
    body.insert("include".to_owned(), json!(["reasoning.encrypted_content"]));
    (Value::Object(body), notes.finish())
}

fn message(role: &str, words: &[Word]) -> Value {
    json!({"type": "message", "role": role, "content": parts(words)})
}

fn parts(words: &[Word]) -> Value {
    let part = |word: &Word| match word {
        Word::Text(text) => json!({"type": "input_text", "text": text}),
        Word::Picture(mime, data) => image(&format!("data:{mime};base64,{data}")),
        Word::Link(address) => image(address),
    };
    words.iter().map(part).collect()
}

fn image(address: &str) -> Value {
    json!({"type": "input_image", "image_url": address, "detail": "auto"})
}

fn result(outcome: &Outcome) -> Value {
    let output = match outcome.content.as_slice() {
        [] => json!(""),
        [Word::Text(text)] if !text.is_empty() => json!(text),
        words => parts(words),
    };
    json!({"type": "function_call_output", "call_id": outcome.id, "output": output})
}

/// Items in the order they were said; words beside each other are one message, a text alone a string.
fn answer(said: Vec<Said>, input: &mut Vec<Value>) {
    let mut words: Vec<String> = Vec::new();
    let close = |words: &mut Vec<String>, input: &mut Vec<Value>| {
        if !words.is_empty() {
            let content = match std::mem::take(words).as_slice() {
                [text] if !text.is_empty() => json!(text),
                texts => texts
                    .iter()
                    .map(|text| json!({"type": "output_text", "text": text, "annotations": []}))
                    .collect(),
            };
            input.push(json!({"type": "message", "role": "assistant", "content": content}));
        }
    };
    for said in said {
        let item = match said {
            Said::Text(text) => {
                words.push(text);
                continue;
            }
            Said::Thinking(text, sealed) => {
                let summary = match text.is_empty() {
                    true => json!([]),
                    false => json!([{"type": "summary_text", "text": text}]),
                };
                json!({"type": "reasoning", "summary": summary, "encrypted_content": sealed})
            }
            Said::Call(id, name, arguments, own) => {
                let arguments = own.unwrap_or_else(|| arguments.to_string());
                json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments})
            }
            // No picture is among what the model said: a text stands for it already.
            Said::Picture(..) => continue,
        };
        close(&mut words, input);
        input.push(item);
    }
    close(&mut words, input);
}
