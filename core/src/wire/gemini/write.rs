//! A transcript as the body of a Gemini request. The model is not in it: it stands in the address.

use serde_json::{Map, Value, json};

use crate::json::{Notes, Place, value as parse};
use crate::refusal::Warning;
use crate::transcript::Imported;

use super::super::outgoing::{
    Outcome, Rules, Said, Step, Word, instructions, simple, steps, tools,
};
use super::API_FORMAT;

const RULES: Rules = Rules {
    api_format: API_FORMAT,
    pictures: &[
        "image/png",
        "image/jpeg",
        "image/webp",
        "image/heic",
        "image/heif",
    ],
    answers_show: true,
    results_show: true,
    links: false,
    blank: str::is_empty,
    empties: false,
    systems: false,
    joins_answers: true,
    joins_words: false,
    words_first: true,
    results_in_order: true,
    failures: true,
    results_in_parts: false,
    any_arguments: false,
    ids: false,
    names: |sign| simple(sign) || matches!(sign, '.' | ':'),
    thinks: |text, signature| !text.is_empty() || signature.is_some(),
    ends_thinking: true,
    options: &[],
};

/// The body, and what of the transcript is otherwise in it, by message.
pub fn write(imported: &Imported) -> (Value, Vec<Warning>) {
    let mut notes = Notes::default();
    let mut contents = Vec::new();
    let (system, steps) = steps(imported, &RULES, &mut notes);
    for step in steps {
        let (role, parts): (&str, Vec<Value>) = match step {
            Step::Words(words) => ("user", words.iter().map(part).collect()),
            Step::Results(outcomes) => ("user", outcomes.iter().map(response).collect()),
            Step::Answer(_, said) => ("model", spoken(said)),
            Step::System(..) | Step::Sealed(_) => continue,
        };
        contents.push(json!({"role": role, "parts": parts}));
    }
    let mut body = Map::new();
    let system = instructions(system, &RULES, &mut notes);
    if !system.is_empty() {
        let parts: Vec<Value> = system.iter().map(|text| json!({ "text": text })).collect();
        body.insert("systemInstruction".to_owned(), json!({ "parts": parts }));
    }
    body.insert("contents".to_owned(), Value::from(contents));
    let declared = tools(imported, &RULES, &mut notes).into_iter().map(|tool| {
        let mut function = Map::from_iter([("name".to_owned(), json!(tool.name))]);
        if !tool.description.is_empty() {
            function.insert("description".to_owned(), json!(tool.description));
        }
        if !tool.parameters.is_null() {
            // The wire's own schemas are a dialect, with its types in capitals; any other is JSON Schema.
            let kind = tool.parameters.get("type").and_then(Value::as_str);
            let own = kind.is_some_and(|kind| kind.chars().all(|sign| sign.is_ascii_uppercase()));
            let key = match own {
                true => "parameters",
                false => "parametersJsonSchema",
            };
            function.insert(key.to_owned(), tool.parameters);
        }
        Value::Object(function)
    });
    let declared: Vec<Value> = declared.collect();
    if !declared.is_empty() {
        body.insert(
            "tools".to_owned(),
            json!([{"functionDeclarations": declared}]),
        );
    }
    if imported.model.is_some() {
        let message = "the model is not in the body there: it stands in the address";
        notes.push(Warning::new("model_not_written", message));
    }
    (Value::Object(body), notes.finish())
}

fn part(word: &Word) -> Value {
    match word {
        Word::Text(text) | Word::Link(text) => json!({ "text": text }),
        Word::Picture(mime, data) => json!({"inlineData": {"mimeType": mime, "data": data}}),
    }
}

/// A result is an object: one that was written out as JSON is that again, any other text is its output.
fn response(outcome: &Outcome) -> Value {
    let (mut texts, mut parts) = (Vec::new(), Vec::new());
    for word in &outcome.content {
        match word {
            Word::Text(text) | Word::Link(text) => texts.push(text.as_str()),
            word => parts.push(part(word)),
        }
    }
    let text = texts.join("\n");
    let said = match (outcome.failed, object(&text)) {
        (true, _) => json!({ "error": text }),
        (false, Some(object)) => object,
        (false, None) => json!({ "output": text }),
    };
    let mut response = Map::new();
    response.insert("name".to_owned(), json!(outcome.name));
    response.insert("response".to_owned(), said);
    if !parts.is_empty() {
        response.insert("parts".to_owned(), Value::from(parts));
    }
    json!({ "functionResponse": response })
}

/// The object that a text is, when it gives the text back.
fn object(text: &str) -> Option<Value> {
    if !text.starts_with('{') {
        return None;
    }
    let value = parse(text.as_bytes(), Place::default(), &mut Notes::default()).ok()?;
    let members = value.as_object()?;
    let own = ["output", "result", "error"];
    let plain = members.len() == 1 && members.keys().all(|key| own.contains(&key.as_str()));
    let compact = value.to_string();
    (!plain && compact == text).then_some(value)
}

/// A signature stands on the part it belongs to: the next one.
fn spoken(said: Vec<Said>) -> Vec<Value> {
    let mut parts: Vec<Value> = Vec::new();
    let mut waiting: Option<String> = None;
    for said in said {
        let mut part = match said {
            Said::Thinking(text, Some(signature)) if text.is_empty() => {
                parts.extend(waiting.replace(signature).map(signed));
                continue;
            }
            Said::Thinking(text, signature) => {
                parts.extend(waiting.take().map(signed));
                waiting = signature;
                json!({"text": text, "thought": true})
            }
            Said::Text(text) => json!({ "text": text }),
            Said::Picture(mime, data) => json!({"inlineData": {"mimeType": mime, "data": data}}),
            Said::Call(_, name, args, _) => json!({"functionCall": {"name": name, "args": args}}),
        };
        if let (Some(signature), Some(members)) = (waiting.take(), part.as_object_mut()) {
            members.insert("thoughtSignature".to_owned(), json!(signature));
        }
        parts.push(part);
    }
    parts.extend(waiting.map(signed));
    parts
}

/// A signature on nothing.
fn signed(signature: String) -> Value {
    json!({"text": "", "thoughtSignature": signature})
}
