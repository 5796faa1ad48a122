//! A transcript as the body of an Anthropic Messages request.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::Imported;

use super::super::outgoing::{
    Outcome, Rules, Said, Step, Word, instructions, max_tokens, schema, simple, steps, tools,
};
use super::API_FORMAT;

const RULES: Rules = Rules {
    api_format: API_FORMAT,
    pictures: &["image/png", "image/jpeg", "image/webp", "image/gif"],
    answers_show: false,
    results_show: true,
    links: true,
    blank: |text| text.trim().is_empty(),
    empties: false,
    systems: false,
    joins_answers: true,
    joins_words: true,
    words_first: true,
    results_in_order: false,
    failures: true,
    results_in_parts: true,
    any_arguments: false,
    ids: true,
    names: simple,
    thinks: |_, signature| signature.is_some(),
    ends_thinking: false,
    options: &["max_tokens"],
};

/// The body, and what of the transcript is otherwise in it, by message.
pub fn write(imported: &Imported) -> (Value, Vec<Warning>) {
    let mut notes = Notes::default();
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    let mut called = BTreeSet::new();
    let (system, steps) = steps(imported, &RULES, &mut notes);
    for step in steps {
        let (role, blocks): (&str, Vec<Value>) = match step {
            Step::Words(words) => ("user", words.iter().map(block).collect()),
            Step::Results(outcomes) => ("user", outcomes.iter().map(result).collect()),
            Step::Answer(_, said) => {
                let blocks = said
                    .into_iter()
                    .filter_map(|said| spoken(said, &mut called));
                ("assistant", blocks.collect())
            }
            Step::System(..) | Step::Sealed(_) => continue,
        };
        match messages.last_mut() {
            // Results stand first in the message that the person's next words are in.
            Some((before, content)) if *before == role => content.extend(blocks),
            _ => messages.push((role, blocks)),
        }
    }
    let messages = messages
        .into_iter()
        .map(|(role, content)| json!({"role": role, "content": content}));
    let messages: Vec<Value> = messages.collect();
    let mut body = Map::new();
    if let Some(model) = &imported.model {
        body.insert("model".to_owned(), json!(model));
    }
    body.insert(
        "max_tokens".to_owned(),
        json!(max_tokens(imported, &mut notes)),
    );
    let system = instructions(system, &RULES, &mut notes);
    match system.as_slice() {
        [] => {}
        [text] => {
            body.insert("system".to_owned(), json!(text));
        }
        texts => {
            let blocks = texts
                .iter()
                .map(|text| json!({"type": "text", "text": text}));
            body.insert("system".to_owned(), blocks.collect());
        }
    }
    body.insert("messages".to_owned(), Value::from(messages));
    let tools = declared(imported, called, &mut notes);
    if !tools.is_empty() {
        body.insert("tools".to_owned(), Value::from(tools));
    }
    (Value::Object(body), notes.finish())
}

/// The functions; those that were called have to be among them.
fn declared(imported: &Imported, mut called: BTreeSet<String>, notes: &mut Notes) -> Vec<Value> {
    let tools = tools(imported, &RULES, notes);
    let mut found = Vec::new();
    for (index, tool) in tools.iter().enumerate() {
        called.remove(&tool.name);
        let schema = schema(index, &tool.parameters, notes);
        let mut declared = json!({"name": tool.name, "input_schema": schema});
        if let (false, Some(members)) = (tool.description.is_empty(), declared.as_object_mut()) {
            members.insert("description".to_owned(), json!(tool.description));
        }
        found.push(declared);
    }
    for name in called {
        let message =
            format!("{name:?} is called and has to be declared there; it is, with any arguments");
        notes.push(Warning::new("tool_added", message));
        found.push(json!({"name": name, "input_schema": {"type": "object"}}));
    }
    found
}

fn block(word: &Word) -> Value {
    match word {
        Word::Text(text) => json!({"type": "text", "text": text}),
        Word::Picture(mime, data) => {
            json!({"type": "image", "source": {"type": "base64", "media_type": mime, "data": data}})
        }
        Word::Link(address) => json!({"type": "image", "source": {"type": "url", "url": address}}),
    }
}

fn result(outcome: &Outcome) -> Value {
    let mut block = Map::from_iter([
        ("type".to_owned(), json!("tool_result")),
        ("tool_use_id".to_owned(), json!(outcome.id)),
    ]);
    match outcome.content.as_slice() {
        [] => {}
        [Word::Text(text)] => {
            block.insert("content".to_owned(), json!(text));
        }
        words => {
            block.insert(
                "content".to_owned(),
                words.iter().map(self::block).collect(),
            );
        }
    }
    if outcome.failed {
        block.insert("is_error".to_owned(), json!(true));
    }
    Value::Object(block)
}

fn spoken(said: Said, called: &mut BTreeSet<String>) -> Option<Value> {
    match said {
        Said::Text(text) => Some(json!({"type": "text", "text": text})),
        Said::Thinking(text, signature) => {
            Some(json!({"type": "thinking", "thinking": text, "signature": signature}))
        }
        Said::Call(id, name, input, _) => {
            let block = json!({"type": "tool_use", "id": id, "name": name, "input": input});
            called.insert(name);
            Some(block)
        }
        // No picture is among what the model said: a text stands for it already.
        Said::Picture(..) => None,
    }
}
