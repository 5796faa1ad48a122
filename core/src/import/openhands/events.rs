//! Events that say their `kind`: messages, actions, and what came of them, each as it was sent.

use serde_json::{Value, json};

use super::super::pen::{Answer, Outcome, Pen, Piece};
use super::super::record::{At, Record, filled, flag, rest, text_of, word};
use super::time;

const SOURCES: [&str; 4] = ["agent", "user", "environment", "hook"];

/// Events that say nothing in the conversation.
const SILENT: [&str; 5] = [
    "ConversationStateUpdateEvent",
    "TokenEvent",
    "StreamingDeltaEvent",
    "LLMCompletionLogEvent",
    "CondensationRequest",
];

/// Events that are shown and not sent.
const SHOWN: [&str; 4] = [
    "PauseEvent",
    "InterruptEvent",
    "ConversationErrorEvent",
    "HookExecutionEvent",
];

/// Whether a value is such an event.
pub(super) fn is(value: &Value) -> bool {
    let kind = word(value, "kind").is_some_and(|kind| {
        let endings = [
            "Event",
            "Observation",
            "Condensation",
            "CondensationRequest",
        ];
        endings.iter().any(|ending| kind.ends_with(ending))
    });
    let source = word(value, "source").is_some_and(|source| SOURCES.contains(&source));
    kind && source
}

/// The first words of an event.
pub(super) fn words(value: &Value) -> Option<&str> {
    let places = ["/llm_message/content", "/thought", "/observation/content"];
    let mut contents = places.iter().filter_map(|place| value.pointer(place));
    contents.find_map(|content| {
        let parts = content.as_array().into_iter().flatten();
        let text = parts.filter_map(|part| word(part, "text")).next();
        content.as_str().or(text)
    })
}

/// Writes events in order; actions of one answer are that one.
pub(super) fn write(pen: &mut Pen, events: &[&Record]) {
    let mut rest = events;
    while let Some((first, others)) = rest.split_first() {
        let response = of_response(first);
        let same = |event: &&&Record| response.is_some() && of_response(event) == response;
        let more = others.iter().take_while(same).count();
        let (more, others) = others.split_at_checked(more).unwrap_or((others, &[]));
        rest = others;
        match response {
            Some(_) => actions(pen, first, more),
            None => event(pen, first),
        }
    }
}

/// The answer that an action is of.
fn of_response(event: &Record) -> Option<&str> {
    let action = word(&event.value, "kind") == Some("ActionEvent");
    filled(&event.value, "llm_response_id").filter(|_| action)
}

fn event(pen: &mut Pen, record: &Record) {
    let Record { value, at } = record;
    let time = time(record);
    match word(value, "kind").unwrap_or_default() {
        "SystemPromptEvent" => system(pen, value, at, time),
        "MessageEvent" => message(pen, record),
        "ActionEvent" => actions(pen, record, &[]),
        "ObservationEvent" => observed(pen, value, at, time),
        "UserRejectObservation" => failed(pen, value, "rejection_reason", at, time),
        "AgentErrorEvent" => failed(pen, value, "error", at, time),
        // A summary beside the condensation that it is of.
        "CondensationSummaryEvent" => {
            let summary = word(value, "summary").unwrap_or_default();
            pen.compaction(summary, Default::default(), time);
        }
        kind if SILENT.contains(&kind) => {
            let says = "events that say nothing in the conversation are not kept";
            pen.count("lines_not_kept", kind, says, at);
        }
        kind => {
            if !SHOWN.contains(&kind) {
                let says = "events of kinds that are not known here are kept aside";
                let kind = match kind {
                    "" => "without a kind",
                    kind => kind,
                };
                pen.count("line_type_unknown", kind, says, at);
            }
            let said = ["detail", "reason", "message"];
            let said = said.iter().find_map(|key| word(value, key));
            let kind = match kind {
                "" => "event",
                kind => kind,
            };
            pen.aside(kind, said.unwrap_or_default(), Some(value.clone()), time);
        }
    }
}

fn system(pen: &mut Pen, value: &Value, at: &At, time: i64) {
    for key in ["system_prompt", "dynamic_context"] {
        if let Some(text) = value.get(key).and_then(|prompt| word(prompt, "text")) {
            pen.system("system", &json!(text), &at.inside(&format!("/{key}")), time);
        }
    }
    let tools = value.get("tools").and_then(Value::as_array);
    for (index, tool) in tools.into_iter().flatten().enumerate() {
        let at = at.inside(&format!("/tools/{index}"));
        let own = tool.get("mcp_tool").unwrap_or(tool);
        let schema = own.get("input_schema").or_else(|| own.get("inputSchema"));
        let name = filled(own, "name").or_else(|| filled(tool, "title"));
        match (tool.get("function"), name) {
            (Some(_), _) | (None, None) => pen.tools(&json!([tool]), &at),
            (None, Some(name)) => {
                let description = tool.get("description");
                let spelled =
                    json!({"name": name, "description": description, "input_schema": schema});
                pen.tools(&json!([spelled]), &at);
                if schema.is_none() {
                    let says = "parameters of functions are not in the file";
                    pen.count("parameters_not_in_file", name, says, &at);
                }
            }
        }
    }
}

/// Words and pictures; a picture block may hold several.
fn parts(content: Option<&Value>) -> Vec<Value> {
    match content {
        Some(Value::Array(parts)) => parts.iter().flat_map(part).collect(),
        Some(Value::String(text)) if !text.is_empty() => {
            vec![json!({"type": "text", "text": text})]
        }
        _ => Vec::new(),
    }
}

fn part(part: &Value) -> Vec<Value> {
    let pictures = part.get("image_urls").and_then(Value::as_array);
    match pictures {
        Some(urls) => urls
            .iter()
            .map(|url| json!({"type": "image_url", "image_url": {"url": url}}))
            .collect(),
        None if word(part, "text") == Some("") => Vec::new(),
        None => vec![part.clone()],
    }
}

fn message(pen: &mut Pen, record: &Record) {
    let Record { value, at } = record;
    let time = time(record);
    let inner = value.get("llm_message").unwrap_or(&Value::Null);
    let parts = parts(inner.get("content"));
    let place = at.inside("/llm_message");
    let source = word(value, "source").unwrap_or_default();
    match word(inner, "role").unwrap_or(source) {
        "assistant" | "agent" => {
            let mut pieces = reasoning(inner);
            pieces.extend(parts.into_iter().map(Piece::Part));
            let calls = inner.get("tool_calls").and_then(Value::as_array);
            pieces.extend(calls.into_iter().flatten().map(call));
            match pieces.is_empty() {
                true => pen.wordless("assistant", at),
                false => pen.answer(pieces, answer(time), &place),
            }
        }
        role @ ("system" | "developer") => pen.system(role, &Value::Array(parts), &place, time),
        "user" if parts.is_empty() => pen.wordless("user", at),
        "user" if source == "user" => pen.user(&Value::Array(parts), &place, time),
        "user" => pen.injected(&Value::Array(parts), true, source, &place, time),
        role => {
            let words = text_of(inner.get("content"));
            pen.role_unknown(role, &words, value, at, time);
        }
    }
    let added = self::parts(value.get("extended_content"));
    if !added.is_empty() {
        let place = at.inside("/extended_content");
        pen.injected(
            &Value::Array(added),
            false,
            "extended_content",
            &place,
            time,
        );
    }
}

fn answer(time: i64) -> Answer<'static> {
    Answer {
        timestamp: time,
        ..Answer::default()
    }
}

/// What the model thought: as the provider signed it, else its words.
fn reasoning(value: &Value) -> Vec<Piece> {
    let blocks = value.get("thinking_blocks").and_then(Value::as_array);
    let blocks: Vec<Piece> = blocks
        .into_iter()
        .flatten()
        .map(|block| Piece::Part(block.clone()))
        .collect();
    if !blocks.is_empty() {
        return blocks;
    }
    let item = value
        .get("responses_reasoning_item")
        .unwrap_or(&Value::Null);
    let sealed = word(item, "encrypted_content");
    let summary = text_of(item.get("summary"));
    let text = filled(value, "reasoning_content").unwrap_or(&summary);
    let thought = json!({"type": "thinking", "thinking": text, "signature": sealed});
    match text.is_empty() && sealed.is_none() {
        true => Vec::new(),
        false => vec![Piece::Part(thought)],
    }
}

fn call(call: &Value) -> Piece {
    let function = call.get("function").unwrap_or(call);
    let own = |value: &Value, key: &str| word(value, key).unwrap_or_default().to_owned();
    let arguments = function.get("arguments").cloned();
    Piece::Call(
        own(call, "id"),
        own(function, "name"),
        arguments.unwrap_or_else(|| json!({})),
    )
}

/// An answer with its calls; what it said and thought stands with the first.
fn actions(pen: &mut Pen, first: &Record, more: &[&Record]) {
    let mut pieces = reasoning(&first.value);
    for event in std::iter::once(&first).chain(more) {
        let said = parts(event.value.get("thought"));
        pieces.extend(said.into_iter().map(Piece::Part));
        match event.value.get("tool_call") {
            Some(made) => pieces.push(call(made)),
            None => {
                let own = |key: &str| word(&event.value, key).unwrap_or_default().to_owned();
                let arguments = event
                    .value
                    .get("action")
                    .and_then(|action| rest(action, &["kind"]));
                let arguments = arguments.unwrap_or_else(|| json!({}));
                pieces.push(Piece::Call(
                    own("tool_call_id"),
                    own("tool_name"),
                    arguments,
                ));
            }
        }
    }
    pen.answer(pieces, answer(time(first)), &first.at);
}

fn observed(pen: &mut Pen, value: &Value, at: &At, time: i64) {
    let observation = value.get("observation").unwrap_or(&Value::Null);
    let is_error = flag(observation, "is_error");
    let output = observation
        .get("content")
        .or_else(|| observation.get("output"));
    let mut content = parts(output);
    if output.is_none() && observation.is_object() {
        content.push(json!({"type": "text", "text": observation.to_string()}));
    }
    content.extend(parts(value.get("extended_content")));
    if is_error || observation.get("metadata").is_some() {
        let says = "some of what functions came back with is sent with words that are added then, an exit code or that it failed; those are not in the file";
        pen.count("sent_beside_words", "", says, at);
    }
    let details = rest(observation, &["content", "output", "is_error", "kind"]);
    result(
        pen,
        value,
        Value::Array(content),
        is_error,
        details,
        at,
        time,
    );
}

fn failed(pen: &mut Pen, value: &Value, key: &str, at: &At, time: i64) {
    let content = json!(word(value, key).unwrap_or_default());
    let details = rest(
        value,
        &[
            key,
            "id",
            "timestamp",
            "source",
            "tool_name",
            "tool_call_id",
            "parent_id",
        ],
    );
    result(pen, value, content, true, details, at, time);
}

fn result(
    pen: &mut Pen,
    value: &Value,
    content: Value,
    failed: bool,
    details: Option<Value>,
    at: &At,
    time: i64,
) {
    let outcome = Outcome {
        call: word(value, "tool_call_id").unwrap_or_default(),
        function: word(value, "tool_name").unwrap_or_default(),
        content,
        failed,
        details: details.unwrap_or_default(),
    };
    pen.result(outcome, at, time);
}
