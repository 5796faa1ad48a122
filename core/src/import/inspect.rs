//! Logs of Inspect evaluations: a whole log as JSON, or one sample of the archive form.
//!
//! Each sample is a conversation. Long texts may stand among the sample's attachments, named by
//! `attachment://…` where they belong; they are put in their place.

use serde_json::{Map, Value, json};

use super::Ask;
use super::pen::{Answer, Outcome, Pen, Piece};
use super::record::{At, Record, facts, word};
use super::time::millis;
use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::{Imported, Usage};

/// Whether a value is a log, or a sample of one.
pub(super) fn is(value: &Value) -> bool {
    let task = value.pointer("/eval/task").is_some();
    let samples = value.get("samples").is_some_and(Value::is_array);
    task && (samples || value.get("status").is_some()) || is_sample(value)
}

fn is_sample(value: &Value) -> bool {
    value.get("epoch").is_some()
        && value.get("input").is_some()
        && value.get("messages").is_some_and(Value::is_array)
}

/// The conversations of a log, one a sample.
pub(super) fn read(records: Vec<Record>, _: &Ask, notes: &mut Notes) -> Vec<Imported> {
    let mut found = Vec::new();
    for record in records.into_iter().flat_map(Record::items) {
        if is_sample(&record.value) {
            found.push(sample(&record.value, &Value::Null, &record.at));
            continue;
        }
        let eval = record.value.get("eval").unwrap_or(&Value::Null);
        let samples = record.value.get("samples").and_then(Value::as_array);
        if samples.is_none_or(Vec::is_empty) {
            let message = "the log was written without its samples; open the one that holds them";
            notes.push(record.at.of(Warning::new("no_messages", message)));
        }
        for (index, value) in samples.into_iter().flatten().enumerate() {
            found.push(sample(
                value,
                eval,
                &record.at.inside(&format!("/samples/{index}")),
            ));
        }
    }
    found
}

/// Facts of a sample that are kept. Its events and its store tell how the run went, not what was said.
const FACTS: [&str; 13] = [
    "id",
    "epoch",
    "target",
    "choices",
    "scores",
    "metadata",
    "setup",
    "error",
    "limit",
    "model_usage",
    "started_at",
    "completed_at",
    "uuid",
];

fn sample(value: &Value, eval: &Value, at: &At) -> Imported {
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    let model = value.pointer("/output/model").and_then(Value::as_str);
    let model = model
        .filter(|model| !model.is_empty())
        .or(word(eval, "model"));
    pen.transcript().model = model.map(str::to_owned);
    if let Some(tools) = tools(value) {
        pen.tools(tools, &at.inside("/events"));
    }
    let attached = value.get("attachments").and_then(Value::as_object);
    let messages = value
        .get("messages")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let answers = |message: &Value| word(message, "role") == Some("assistant");
    let last = messages.iter().rposition(answers);
    for (index, message) in messages.iter().enumerate() {
        let at = at.inside(&format!("/messages/{index}"));
        let message = resolved(message, attached, &mut pen, &at);
        let output = value.get("output").filter(|_| last == Some(index));
        write(&mut pen, &message, output, &at);
    }
    if messages.is_empty() {
        let input = resolved(
            value.get("input").unwrap_or(&Value::Null),
            attached,
            &mut pen,
            at,
        );
        let at = at.inside("/input");
        match &input {
            Value::Array(messages) => messages
                .iter()
                .for_each(|message| write(&mut pen, message, None, &at)),
            text => pen.user(text, &at, 0),
        }
        pen.tell(
            "no_messages",
            "the sample was not run to a message; its input is read",
            &at,
        );
    }
    for key in ["events", "store"] {
        let filled = |member: &Value| match member {
            Value::Array(items) => !items.is_empty(),
            Value::Object(members) => !members.is_empty(),
            _ => false,
        };
        if value.get(key).is_some_and(filled) {
            let says = "what the run recorded beside the messages is not kept";
            pen.count("record_not_kept", key, says, at);
        }
    }
    let mut kept = facts(
        eval,
        &["task", "task_id", "run_id", "model", "created", "dataset"],
    );
    kept.extend(facts(value, &FACTS));
    pen.facts(
        kept,
        millis(value.get("started_at").or(eval.get("created"))),
    );
    let name = value
        .get("id")
        .map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
    let epoch = value.get("epoch").map(|epoch| format!("epoch {epoch}"));
    let parts = [word(eval, "task").map(str::to_owned), name, epoch];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    pen.name(Some(&parts.join(" · ")));
    pen.finish()
}

/// One message; what the sample's output counted belongs to the last answer.
fn write(pen: &mut Pen, message: &Value, output: Option<&Value>, at: &At) {
    let content = message.get("content").map(parts).unwrap_or_default();
    match word(message, "role") {
        Some("assistant") => {
            let mut said: Vec<Piece> = match content {
                Value::Array(parts) => parts.into_iter().map(Piece::Part).collect(),
                Value::String(text) if text.is_empty() => Vec::new(),
                Value::Null => Vec::new(),
                text => vec![Piece::Part(json!({"type": "text", "text": text}))],
            };
            let calls = message.get("tool_calls").and_then(Value::as_array);
            for call in calls.into_iter().flatten() {
                let own = |key: &str| word(call, key).unwrap_or_default().to_owned();
                let arguments = call.get("arguments").cloned().unwrap_or_else(|| json!({}));
                if word(call, "parse_error").is_some() {
                    let says =
                        "the arguments of calls could not be parsed when the model made them";
                    pen.count("arguments_not_json", "", says, at);
                }
                said.push(Piece::Call(own("id"), own("function"), arguments));
            }
            let stop = output.and_then(|output| output.pointer("/choices/0/stop_reason"));
            let model = word(message, "model");
            let known = Answer {
                stop_reason: stop.and_then(Value::as_str).map(stopped),
                error: output.and_then(|output| word(output, "error")),
                model,
                provider: model.and_then(|model| Some(model.split_once('/')?.0)),
                usage: output.and_then(|output| usage(output.get("usage")?)),
                timestamp: 0,
            };
            pen.answer(said, known, at);
        }
        Some("tool") => {
            let error = message.get("error").filter(|error| error.is_object());
            let result = Outcome {
                call: word(message, "tool_call_id").unwrap_or_default(),
                function: word(message, "function").unwrap_or_default(),
                content,
                failed: error.is_some(),
                details: error.cloned().unwrap_or_default(),
            };
            pen.result(result, at, 0);
        }
        _ => {
            let mut message = message.clone();
            if let Some(members) = message.as_object_mut() {
                members.insert("content".to_owned(), content);
            }
            pen.message(message, at, 0);
        }
    }
}

/// Parts in the reader's spelling.
fn parts(content: &Value) -> Value {
    let Value::Array(items) = content else {
        return content.clone();
    };
    let part = |item: &Value| match (word(item, "type"), word(item, "image")) {
        (Some("reasoning"), _) => {
            let sealed = item.get("redacted").and_then(Value::as_bool) == Some(true);
            let text = word(item, "reasoning").unwrap_or_default();
            match sealed {
                true => {
                    json!({"type": "thinking", "thinking": word(item, "summary").unwrap_or_default(), "signature": text})
                }
                false => {
                    json!({"type": "thinking", "thinking": text, "signature": item.get("signature")})
                }
            }
        }
        (Some("image"), Some(address)) => {
            json!({"type": "image_url", "image_url": {"url": address}})
        }
        (Some("audio"), _) => file(item, "audio"),
        (Some("video"), _) => json!({"type": "video_url", "video_url": {"url": item.get("video")}}),
        (Some("document"), _) => file(item, "document"),
        _ => item.clone(),
    };
    items.iter().map(part).collect()
}

fn file(item: &Value, key: &str) -> Value {
    json!({"type": "file", "file": {"filename": item.get("filename"), "file_data": item.get(key)}})
}

/// The same value with every attachment that it names in its place.
fn resolved(value: &Value, attached: Option<&Map<String, Value>>, pen: &mut Pen, at: &At) -> Value {
    match value {
        Value::String(text) => match text.strip_prefix("attachment://") {
            Some(name) => match attached.and_then(|attached| attached.get(name)) {
                Some(found) => found.clone(),
                None => {
                    let says = "attachments that are named are not in the sample";
                    pen.count("attachment_missing", "", says, at);
                    value.clone()
                }
            },
            None => value.clone(),
        },
        Value::Array(items) => items
            .iter()
            .map(|item| resolved(item, attached, pen, at))
            .collect(),
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(key, member)| (key.clone(), resolved(member, attached, pen, at)));
            Value::Object(members.collect())
        }
        other => other.clone(),
    }
}

/// The functions that the newest call of the model could use.
fn tools(sample: &Value) -> Option<&Value> {
    let events = sample.get("events")?.as_array()?;
    let calls = events
        .iter()
        .rev()
        .filter(|event| word(event, "event") == Some("model"));
    calls
        .into_iter()
        .find_map(|event| event.get("tools").filter(|tools| tools.is_array()))
}

/// A stop reason in the words of a provider.
fn stopped(reason: &str) -> &str {
    match reason {
        "model_length" => "model_context_window_exceeded",
        other => other,
    }
}

/// What the provider counted. Whether the cached part is in the input shows by the total.
fn usage(value: &Value) -> Option<Usage> {
    let number = |key: &str| value.get(key).and_then(Value::as_u64);
    let (read, write) = (
        number("input_tokens_cache_read"),
        number("input_tokens_cache_write"),
    );
    let cached = read.unwrap_or(0).saturating_add(write.unwrap_or(0));
    let (input, output) = (number("input_tokens"), number("output_tokens"));
    let both = input.unwrap_or(0).saturating_add(output.unwrap_or(0));
    let inside = number("total_tokens").is_none_or(|total| total <= both);
    let usage = Usage {
        input: input.map(|input| {
            if inside {
                input.saturating_sub(cached)
            } else {
                input
            }
        }),
        output,
        cache_read: read,
        cache_write: write,
        reasoning: number("reasoning_tokens"),
        cost_usd: value.get("total_cost").and_then(Value::as_f64),
    };
    (usage != Usage::default()).then_some(usage)
}

#[cfg(test)]
mod tests {
    use super::super::{Format, open};
    use super::*;

    #[test]
    fn numbers_that_are_no_json_do_not_lose_a_log() {
        let text = r#"{"eval": {"task": "t"}, "status": "success", "samples": [{"id": 1, "epoch": 1, "input": "q",
            "messages": [{"role": "user", "content": "q"}], "scores": {"s": {"value": NaN, "other": -Infinity}}}]}"#;
        let opened = open(text.as_bytes(), &Ask::default()).unwrap();
        assert_eq!(
            (opened.format, opened.conversations.len()),
            (Format::Inspect, 1)
        );
        assert_eq!(opened.warnings.len(), 2);
    }

    #[test]
    fn the_cached_part_of_the_input_shows_by_the_total() {
        for (total, input) in [(95, 50), (135, 90)] {
            let counted = json!({"input_tokens": 90, "output_tokens": 5, "total_tokens": total, "input_tokens_cache_read": 40});
            assert_eq!(usage(&counted).unwrap().input, Some(input), "{total}");
        }
    }
}
