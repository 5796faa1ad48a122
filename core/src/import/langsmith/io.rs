//! What went into a run and what came back, in the words of whichever client was traced.

use serde_json::{Map, Value, json};

use super::super::pen::{Answer, Pen};
use super::super::record::{At, text_of, word};
use super::super::time::millis;
use super::super::{ai_sdk, langchain};
use super::model;
use crate::transcript::{AgentMessage, StopReason, Usage};
use crate::wire;

/// Whether the messages that came back hold those that went in.
pub(super) fn is_whole(inputs: &Value, outputs: &Value) -> bool {
    let first = |holder: &Value| {
        let message = holder.get("messages")?.as_array()?.first()?;
        let contents = ["/content", "/kwargs/content", "/data/content", "/1"];
        let content = contents.iter().find_map(|path| message.pointer(path));
        Some(text_of(content))
    };
    let said = first(inputs);
    said.is_some() && said == first(outputs)
}

/// Writes what went in.
pub(super) fn asked(pen: &mut Pen, inputs: &Value, at: &At) {
    if let Some(system) = inputs.get("system").filter(|system| !system.is_null()) {
        pen.system("system", system, &at.inside("/system"), 0);
    }
    let keys = [
        "messages", "input", "prompt", "prompts", "question", "query",
    ];
    let found = keys
        .iter()
        .find_map(|key| Some((key, inputs.get(key).filter(|value| !value.is_null())?)));
    match found {
        Some((key, value)) => said(pen, value, &at.inside(&format!("/{key}"))),
        None if inputs.is_string() => said(pen, inputs, at),
        None if !is_nothing(inputs) => {
            let says = "inputs without messages are kept aside";
            pen.count("inputs_not_messages", "", says, at);
            pen.aside("inputs", &inputs.to_string(), None, 0);
        }
        None => {}
    }
}

/// Writes words or messages, however deep their lists are.
fn said(pen: &mut Pen, value: &Value, at: &At) {
    let several = |items: &[Value]| {
        items.len() > 1
            && items
                .iter()
                .all(|item| item.is_array() && !langchain::is_own(item))
    };
    match value {
        Value::Array(items) if !langchain::is_own(value) => {
            let batch = several(items);
            if batch {
                let says = "the first list of a batch is read, the others are not";
                (1..items.len()).for_each(|_| pen.count("batch_not_read", "", says, at));
            }
            for (index, item) in items
                .iter()
                .enumerate()
                .take(if batch { 1 } else { items.len() })
            {
                said(pen, item, &at.inside(&format!("/{index}")));
            }
        }
        Value::String(_) => pen.user(value, at, 0),
        held => match ["/messages", "/kwargs/messages"]
            .iter()
            .find_map(|path| Some((path, held.pointer(path)?)))
        {
            Some((path, list)) => said(pen, list, &at.inside(path)),
            None if ai_sdk::is_own(held) => ai_sdk::message(pen, held, at),
            None => langchain::message(pen, held, at),
        },
    }
}

/// Writes what came back.
pub(super) fn answered(pen: &mut Pen, outputs: &Value, at: &At) {
    let generations = outputs.get("generations").and_then(Value::as_array);
    if let Some(generations) = generations {
        let nested = generations.first().and_then(Value::as_array);
        let (list, path) = match nested {
            Some(list) => (list, "/generations/0/0"),
            None => (generations, "/generations/0"),
        };
        let at = at.inside(path);
        others(pen, list, &at);
        let first = list.first().unwrap_or(&Value::Null);
        return match first.get("message").filter(|message| message.is_object()) {
            Some(message) => langchain::message(pen, message, &at),
            None => reply(
                pen,
                &json!({"content": first.get("text")}),
                first.get("generation_info"),
                &at,
            ),
        };
    }
    if let Some(choices) = outputs.get("choices").and_then(Value::as_array) {
        let at = at.inside("/choices/0");
        others(pen, choices, &at);
        let first = choices.first().unwrap_or(&Value::Null);
        return reply(pen, first.get("message").unwrap_or(first), Some(first), &at);
    }
    let keys = ["messages", "message", "output"];
    let held = keys
        .iter()
        .find_map(|key| Some((key, outputs.get(key).filter(|held| !held.is_null())?)));
    match held {
        Some((key, Value::String(text))) => reply(
            pen,
            &json!({ "content": text }),
            None,
            &at.inside(&format!("/{key}")),
        ),
        Some((key, held)) => said(pen, held, &at.inside(&format!("/{key}"))),
        None if outputs.get("content").is_some() || outputs.get("tool_calls").is_some() => {
            reply(pen, outputs, Some(outputs), at)
        }
        None if outputs.is_string() => reply(pen, &json!({ "content": outputs }), None, at),
        None if !is_nothing(outputs) => {
            let says = "outputs without messages are kept aside";
            pen.count("outputs_not_messages", "", says, at);
            pen.aside("outputs", &outputs.to_string(), None, 0);
        }
        None => {}
    }
}

fn is_nothing(value: &Value) -> bool {
    value.is_null() || value.as_object().is_some_and(Map::is_empty)
}

/// An answer in a provider's shape, and what stands beside it.
fn reply(pen: &mut Pen, message: &Value, beside: Option<&Value>, at: &At) {
    let reason = ["finish_reason", "stop_reason"];
    let reason = reason.into_iter().find_map(|key| word(beside?, key));
    let answer = Answer {
        stop_reason: reason,
        ..Answer::default()
    };
    pen.reply(message, answer, at);
}

fn others(pen: &mut Pen, list: &[Value], at: &At) {
    for _ in list.iter().skip(1) {
        let says = "the first of several answers is read, the others are not";
        pen.count("choices_not_kept", "", says, at);
    }
}

/// What the run knows of its answer, where the answer does not say it itself.
pub(super) fn settle(pen: &mut Pen, from: usize, run: &Value, at: &At) {
    let time = millis(run.get("end_time"));
    let counted = usage(run);
    let named = model(run);
    let provider = run
        .pointer("/extra/metadata/ls_provider")
        .and_then(Value::as_str);
    let error = word(run, "error").filter(|error| !error.is_empty());
    let is_answer = |message: &AgentMessage| matches!(message, AgentMessage::Assistant { .. });
    let new = pen.transcript().messages.iter().skip(from);
    if error.is_some() && !new.clone().any(is_answer) {
        pen.reply(&json!({"content": []}), Answer::default(), at);
    }
    let Some(AgentMessage::Assistant {
        usage,
        model,
        provider: of,
        timestamp,
        stop_reason,
        error_message,
        ..
    }) = pen
        .transcript()
        .messages
        .iter_mut()
        .skip(from)
        .rev()
        .find(|message| is_answer(message))
    else {
        return;
    };
    *timestamp = time;
    if usage.is_none() {
        *usage = counted;
    }
    if let Some(named) = named.filter(|_| model.is_empty()) {
        named.clone_into(model);
    }
    if let Some(provider) = provider.filter(|_| of.is_empty()) {
        provider.clone_into(of);
    }
    if let Some(error) = error {
        *error_message = Some(error.to_owned());
        *stop_reason = StopReason::Error;
    }
}

/// What was counted, wherever the run keeps it.
fn usage(run: &Value) -> Option<Usage> {
    let own = ["/outputs/usage_metadata", "/extra/metadata/usage_metadata"];
    let own = own
        .iter()
        .find_map(|path| langchain::usage(run.pointer(path)));
    let others = ["/outputs/usage", "/outputs/llm_output/token_usage", ""];
    own.or_else(|| {
        others
            .iter()
            .find_map(|path| wire::usage(run.pointer(path)))
    })
}
