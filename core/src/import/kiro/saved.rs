//! A conversation as Kiro CLI saves it (`{conversation_id, history: [{user, assistant}], …}`), and Amazon Q before
//! it, which wrote each exchange as a pair.
//!
//! What is sent of the history is `valid_history_range`, behind the newest summary.

use serde_json::{Map, Value, json};

use super::super::pen::{Answer, Outcome, Pen, Piece};
use super::super::record::{At, Record, filled, rest, word};
use super::super::time::millis;
use super::picture;
use crate::refusal::pointer_key;
use crate::transcript::Imported;

/// Whether a value is such a conversation.
pub(in super::super) fn is(value: &Value) -> bool {
    let history = value.get("history").and_then(Value::as_array);
    let own = ["valid_history_range", "next_message", "context_manager"];
    let own = own.iter().any(|key| value.get(key).is_some());
    own && word(value, "conversation_id").is_some() && history.is_some()
}

/// The conversation.
pub(super) fn conversation(record: &Record) -> Imported {
    let Record { value, at } = record;
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    let model = value.pointer("/model_info/model_id");
    let model = model.and_then(Value::as_str).or(word(value, "model"));
    pen.transcript().model = model.map(str::to_owned);
    tools(&mut pen, value, at);
    let elsewhere = [
        "history",
        "next_message",
        "transcript",
        "tools",
        "latest_summary",
        "tangent_state",
        "file_line_tracker",
        "valid_history_range",
    ];
    if let Some(Value::Object(facts)) = rest(value, &elsewhere) {
        pen.facts(facts, 0);
    }
    let summary = value.get("latest_summary");
    let summary = summary.and_then(|summary| summary.get(0).unwrap_or(summary).as_str());
    let sent_from = value.pointer("/valid_history_range/0");
    let sent_from = sent_from.and_then(Value::as_u64).unwrap_or(0);
    for (index, exchange) in record.members("history").iter().enumerate() {
        if index as u64 == sent_from {
            summed_up(&mut pen, summary);
        }
        let sent = index as u64 >= sent_from;
        said(&mut pen, exchange, sent);
    }
    if record.members("history").len() as u64 <= sent_from {
        summed_up(&mut pen, summary);
    }
    if let Some(next) = value.get("next_message").filter(|next| !next.is_null()) {
        user(&mut pen, next, &at.inside("/next_message"));
    }
    if let Some(lines) = value.get("transcript").and_then(Value::as_array)
        && !lines.is_empty()
    {
        let says = "the lines that the terminal showed are not kept; they repeat the history";
        pen.tell("transcript_not_kept", says, &at.inside("/transcript"));
    }
    if let Some(main) = value.pointer("/tangent_state/main_history") {
        let says = "the conversation is a tangent of the one that it begins with; how many exchanges of it are that one's stands aside";
        pen.tell("tangent", says, &at.inside("/tangent_state"));
        let exchanges = main.as_array().map_or(0, Vec::len);
        pen.aside("tangent", "", Some(json!({"main_exchanges": exchanges})), 0);
    }
    pen.name(None);
    pen.finish()
}

fn tools(pen: &mut Pen, value: &Value, at: &At) {
    let origins = value.get("tools").and_then(Value::as_object);
    for (origin, list) in origins.into_iter().flatten() {
        let specs = list.as_array().into_iter().flatten();
        let tools = specs.filter_map(|tool| {
            let spec = tool.get("ToolSpecification")?;
            let schema = spec.pointer("/input_schema/json");
            Some(json!({
                "name": spec.get("name"),
                "description": spec.get("description"),
                "input_schema": schema,
            }))
        });
        let tools: Vec<Value> = tools.collect();
        if !tools.is_empty() {
            pen.tools(
                &Value::Array(tools),
                &at.inside(&format!("/tools/{}", pointer_key(origin))),
            );
        }
    }
}

fn summed_up(pen: &mut Pen, summary: Option<&str>) {
    if let Some(summary) = summary {
        pen.compaction(summary, Map::new(), 0);
    }
}

/// An exchange; one that is not sent any more stands aside.
fn said(pen: &mut Pen, exchange: &Record, sent: bool) {
    let Record { value, at } = exchange;
    let (asked, answered) = match value.as_array() {
        Some(_) => ((value.get(0), "/0"), (value.get(1), "/1")),
        None => (
            (value.get("user"), "/user"),
            (value.get("assistant"), "/assistant"),
        ),
    };
    let metadata = value.get("request_metadata").unwrap_or(&Value::Null);
    if asked.0.is_none() && answered.0.is_none() {
        return pen.not_a_message(at);
    }
    if !sent {
        let prompt = asked.0.and_then(|user| prompt(user.get("content")?));
        let text = prompt.unwrap_or_default();
        return pen.aside("not_sent", text, Some(value.clone()), 0);
    }
    if let Some(asked_for) = asked.0 {
        user(pen, asked_for, &at.inside(asked.1));
    }
    if let Some(answer_to) = answered.0 {
        answer(pen, answer_to, metadata, &at.inside(answered.1));
    }
}

/// What the person asked, if this is more than what functions came back with.
fn prompt(content: &Value) -> Option<&str> {
    let places = ["/Prompt/prompt", "/CancelledToolUses/prompt"];
    let mut found = places.iter().filter_map(|place| content.pointer(place));
    found.find_map(Value::as_str)
}

fn user(pen: &mut Pen, user: &Value, at: &At) {
    let time = millis(user.get("timestamp"));
    let content = user.get("content").unwrap_or(&Value::Null);
    let results = ["ToolUseResults", "CancelledToolUses"];
    for variant in results {
        let list = content.get(variant);
        let list = list.and_then(|results| results.get("tool_use_results"));
        let list = list.and_then(Value::as_array).into_iter().flatten();
        for (index, body) in list.enumerate() {
            let place = format!("/content/{variant}/tool_use_results/{index}");
            result(pen, body, &at.inside(&place), time);
        }
    }
    let context = filled(user, "additional_context");
    if let Some(context) = context {
        let at = at.inside("/additional_context");
        pen.injected(&json!(context), false, "additional_context", &at, time);
    }
    let images = user.get("images").and_then(Value::as_array);
    let images: Vec<Value> = images.into_iter().flatten().filter_map(picture).collect();
    match prompt(content) {
        Some(prompt) => {
            if context.is_some() || time != 0 {
                let says = "words of the person are sent between markers, after the time; those are not in the file";
                pen.count("sent_beside_words", "", says, at);
            }
            let mut parts = vec![json!({"type": "text", "text": prompt})];
            parts.extend(images);
            pen.user(&Value::Array(parts), at, time);
        }
        None if !images.is_empty() => {
            pen.injected(&Value::Array(images), false, "tool_images", at, time);
        }
        None if !results.iter().any(|variant| content.get(variant).is_some()) => {
            let says = "what the person said is of a kind that is not known here; it is kept aside";
            let kinds = content.as_object().and_then(|kinds| kinds.keys().next());
            pen.count(
                "content_unknown",
                kinds.map_or("", String::as_str),
                says,
                at,
            );
            pen.aside("unreadable", "", Some(user.clone()), time);
        }
        None => {}
    }
}

fn result(pen: &mut Pen, body: &Value, at: &At, time: i64) {
    let items = body.get("content").and_then(Value::as_array);
    let parts = items.into_iter().flatten().map(|item| {
        let text = match (word(item, "Text"), item.get("Json")) {
            (Some(text), _) => text.to_owned(),
            (None, Some(json)) => json.to_string(),
            (None, None) => item.to_string(),
        };
        json!({"type": "text", "text": text})
    });
    let outcome = Outcome {
        call: word(body, "tool_use_id").unwrap_or_default(),
        content: parts.collect(),
        failed: word(body, "status") == Some("Error"),
        ..Outcome::default()
    };
    pen.result(outcome, at, time);
}

fn answer(pen: &mut Pen, answer: &Value, metadata: &Value, at: &At) {
    let variants = answer.as_object();
    let known = ["Response", "ToolUse"];
    let Some(body) = known.iter().find_map(|variant| answer.get(*variant)) else {
        let says = "answers of a kind that is not known here are kept aside";
        let kind = variants.and_then(|kinds| kinds.keys().next());
        pen.count("content_unknown", kind.map_or("", String::as_str), says, at);
        return pen.aside("unreadable", "", Some(answer.clone()), 0);
    };
    let mut pieces = Vec::new();
    if let Some(thinking) = body.get("thinking").filter(|thinking| !thinking.is_null()) {
        let text = thinking.as_str().or_else(|| word(thinking, "text"));
        match text {
            Some(text) => pieces.push(Piece::Part(
                json!({"type": "thinking", "thinking": text, "signature": thinking.get("signature")}),
            )),
            None => {
                let says = "reasoning in a shape that is not known here stands aside";
                pen.count("part_unknown", "thinking", says, &at.inside("/thinking"));
                pen.aside("thinking", "", Some(thinking.clone()), 0);
            }
        }
    }
    if let Some(text) = filled(body, "content") {
        pieces.push(Piece::Part(json!({"type": "text", "text": text})));
    }
    let calls = body.get("tool_uses").and_then(Value::as_array);
    for call in calls.into_iter().flatten() {
        let own = |key: &str| word(call, key).unwrap_or_default().to_owned();
        let input = call.get("args").cloned().unwrap_or_else(|| json!({}));
        pieces.push(Piece::Call(own("id"), own("name"), input));
    }
    if pieces.is_empty() {
        return pen.wordless("assistant", at);
    }
    let reply = Answer {
        model: word(metadata, "model_id"),
        timestamp: millis(metadata.get("stream_end_timestamp_ms")),
        ..Answer::default()
    };
    pen.answer(pieces, reply, at);
}
