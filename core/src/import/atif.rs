//! ATIF trajectories: the steps of an agent's run.
//!
//! A step of the agent is an answer with its calls, and what its observation brought back for each. An observation
//! that answers no call goes on to the model as words; one of a system step is the tool's own.

use serde_json::{Map, Value, json};

use super::Ask;
use super::pen::{Answer, Outcome, Pen, Piece, file};
use super::record::{At, Record, facts, flag, rest, text_of, word};
use super::time::millis;
use crate::json::Notes;
use crate::transcript::{Imported, Usage};

/// Whether a value is a trajectory.
pub(super) fn is(value: &Value) -> bool {
    let version = word(value, "schema_version").is_some_and(|version| version.starts_with("ATIF"));
    let steps = value.get("steps").and_then(Value::as_array);
    let step = |step: &Value| word(step, "source").is_some() && step.get("step_id").is_some();
    version || value.get("agent").is_some() && steps.is_some_and(|steps| steps.iter().any(step))
}

/// The conversation of each trajectory.
pub(super) fn read(records: Vec<Record>, _: &Ask, _: &mut Notes) -> Vec<Imported> {
    let records = records.into_iter().flat_map(Record::items);
    records.map(|record| trajectory(&record)).collect()
}

fn trajectory(record: &Record) -> Imported {
    let Record { value, at } = record;
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    let agent = value.get("agent").unwrap_or(&Value::Null);
    pen.transcript().model = word(agent, "model_name").map(str::to_owned);
    if let Some(tools) = agent
        .get("tool_definitions")
        .filter(|tools| tools.is_array())
    {
        pen.tools(tools, &at.inside("/agent/tool_definitions"));
    }
    for step in record.members("steps") {
        write(&mut pen, &step, word(agent, "model_name"));
    }
    if value
        .get("steps")
        .and_then(Value::as_array)
        .is_none_or(Vec::is_empty)
    {
        pen.tell("no_messages", "the trajectory has no steps", at);
    }
    let mut kept = match rest(value, &["steps", "agent"]) {
        Some(Value::Object(kept)) => kept,
        _ => Map::new(),
    };
    if let Some(agent) = rest(agent, &["tool_definitions"]) {
        kept.insert("agent".to_owned(), agent);
    }
    pen.facts(kept, 0);
    pen.name(None);
    pen.finish()
}

fn write(pen: &mut Pen, step: &Record, model: Option<&str>) {
    let Record { value, at } = step;
    let time = millis(value.get("timestamp"));
    let message = content(value.get("message"));
    if flag(value, "is_copied_context") {
        let says = "steps were copied from the trajectory that this one goes on from";
        pen.count("steps_copied", "", says, at);
    }
    match word(value, "source").unwrap_or_default() {
        "user" => pen.user(&message, at, time),
        "system" => {
            if message.as_str() != Some("") {
                pen.system("system", &message, at, time);
            }
            for result in results(value) {
                let text = text_of(result.get("content"));
                pen.aside("observation", &text, rest(result, &["content"]), time);
            }
        }
        "agent" => {
            let mut said = Vec::new();
            let thought = word(value, "reasoning_content").filter(|text| !text.is_empty());
            said.extend(
                thought.map(|text| Piece::Part(json!({"type": "thinking", "thinking": text}))),
            );
            said.extend(match message {
                Value::Array(parts) => parts.into_iter().map(Piece::Part).collect(),
                Value::String(text) if text.is_empty() => Vec::new(),
                Value::Null => Vec::new(),
                text => vec![Piece::Part(json!({"type": "text", "text": text}))],
            });
            let calls = value.get("tool_calls").and_then(Value::as_array);
            for call in calls.into_iter().flatten() {
                let own = |key: &str| word(call, key).unwrap_or_default().to_owned();
                let arguments = call.get("arguments").cloned().unwrap_or_else(|| json!({}));
                said.push(Piece::Call(
                    own("tool_call_id"),
                    own("function_name"),
                    arguments,
                ));
            }
            let known = Answer {
                model: word(value, "model_name").or(model),
                usage: usage(value.get("metrics")),
                timestamp: time,
                ..Answer::default()
            };
            pen.answer(said, known, at);
            told(pen, value, at);
            for result in results(value) {
                observed(pen, result, at, time);
            }
        }
        source => {
            let says = "steps of sources that are not known here are kept aside";
            pen.count("source_unknown", source, says, at);
            pen.aside("step", "", Some(value.clone()), time);
        }
    }
}

fn results(step: &Value) -> impl Iterator<Item = &Value> {
    let results = step
        .pointer("/observation/results")
        .and_then(Value::as_array);
    results.into_iter().flatten()
}

/// What came back: of a call, or of what the agent did without one.
fn observed(pen: &mut Pen, result: &Value, at: &At, time: i64) {
    let content = content(result.get("content"));
    let beside = facts(result, &["subagent_trajectory_ref", "extra"]);
    match word(result, "source_call_id") {
        Some(call) => {
            let result = Outcome {
                call,
                content,
                failed: flag(result, "is_error"),
                details: match beside.is_empty() {
                    true => Value::Null,
                    false => Value::Object(beside),
                },
                ..Outcome::default()
            };
            pen.result(result, at, time);
        }
        None if content.is_null() => pen.aside("observation", "", Some(result.clone()), time),
        None => pen.injected(&content, true, "observation", at, time),
    }
}

/// Token ids and their like, which no conversation has a place for.
fn told(pen: &mut Pen, step: &Value, at: &At) {
    let metrics = step.get("metrics").unwrap_or(&Value::Null);
    for key in ["prompt_token_ids", "completion_token_ids", "logprobs"] {
        if metrics.get(key).is_some_and(|member| !member.is_null()) {
            let says = "token ids and probabilities of steps are not kept";
            pen.count("metrics_not_kept", key, says, at);
        }
    }
}

/// A text, or parts in the reader's spelling.
fn content(value: Option<&Value>) -> Value {
    let part = |part: &Value| match (word(part, "type"), part.get("source")) {
        (Some("image"), Some(source)) if word(source, "path").is_some() => {
            let kind = word(source, "media_type").unwrap_or("image/*");
            file(kind, None, word(source, "path").unwrap_or_default())
        }
        _ => part.clone(),
    };
    match value {
        Some(Value::Array(parts)) => parts.iter().map(part).collect(),
        other => other.cloned().unwrap_or_default(),
    }
}

/// What the provider counted; the prompt includes what came from the cache.
fn usage(metrics: Option<&Value>) -> Option<Usage> {
    let number = |key: &str| metrics?.get(key)?.as_u64();
    let read = number("cached_tokens");
    let usage = Usage {
        input: number("prompt_tokens").map(|all| all.saturating_sub(read.unwrap_or(0))),
        output: number("completion_tokens"),
        cache_read: read,
        cost_usd: metrics.and_then(|metrics| metrics.get("cost_usd")?.as_f64()),
        ..Usage::default()
    };
    (usage != Usage::default()).then_some(usage)
}
