//! The file of the AI SDK's DevTools: runs and their steps, each with the whole prompt it sent, as JSON in texts.
//!
//! The last step of a run has the largest prompt: it is the conversation, with the answer it got. A step before
//! it gives its answer in that prompt what it reported. A pointer goes on into the texts that hold JSON.

use serde_json::{Value, json};

use super::super::Ask;
use super::super::pen::{Answer, Pen};
use super::super::record::{At, Record, rest, word};
use super::super::time::millis;
use super::parts::{self, Step};
use super::{message, tools, usage};
use crate::json::{self, Notes, Place};
use crate::refusal::Warning;
use crate::transcript::{AgentMessage, ContentBlock, Imported};

/// A conversation for every run.
pub(in crate::import) fn read(records: Vec<Record>, _: &Ask, notes: &mut Notes) -> Vec<Imported> {
    let mut found = Vec::new();
    for Record { value, at } in &records {
        let list = |key: &str| {
            value
                .get(key)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
        };
        let mut steps: Vec<Entry<'_>> = list("steps")
            .enumerate()
            .map(|(index, step)| Entry {
                step,
                at: at.inside(&format!("/steps/{index}")),
            })
            .collect();
        steps.sort_by_key(|entry| entry.step.get("step_number").and_then(Value::as_u64));
        for entry in steps
            .iter()
            .filter(|entry| word(entry.step, "run_id").is_none())
        {
            let message = "a step names its run; this one does not and is skipped";
            notes.push(entry.at.of(Warning::new("not_a_step", message)));
        }
        let mut ids: Vec<&str> = Vec::new();
        let named = list("runs").filter_map(|run| word(run, "id"));
        for id in named.chain(list("steps").filter_map(|step| word(step, "run_id"))) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        for id in ids {
            let run = list("runs").find(|run| word(run, "id") == Some(id));
            let of_run: Vec<&Entry<'_>> = steps
                .iter()
                .filter(|entry| word(entry.step, "run_id") == Some(id))
                .collect();
            match conversation(run.unwrap_or(&Value::Null), &of_run, notes) {
                Some(imported) => found.push(imported),
                None => {
                    let message =
                        format!("the run {id} has no step whose prompt reads; it is skipped");
                    notes.push(at.of(Warning::new("run_not_read", message)));
                }
            }
        }
    }
    found
}

/// A step of a run.
struct Entry<'a> {
    step: &'a Value,
    at: At,
}

impl Entry<'_> {
    /// A member that is JSON in a text, read.
    fn inner(&self, key: &str, notes: &mut Notes) -> Option<Value> {
        let text = match self.step.get(key)? {
            Value::Null => return None,
            Value::String(text) => text,
            value => return Some(value.clone()),
        };
        let mut met = Notes::default();
        let at = self.at.inside(&format!("/{key}"));
        let read = json::value(text.as_bytes(), Place::default(), &mut met);
        // Their lines are of the text, not of the file.
        let mended = met.finish().into_iter();
        notes.extend(mended.map(|warning| at.of(Warning::new(&warning.code, warning.message))));
        if let Err(fault) = &read {
            let message = format!("the text is no JSON and is not read: {}", fault.message);
            notes.push(at.of(Warning::new("text_not_json", message)));
        }
        read.ok()
    }
}

/// The last step of a run whose prompt reads, with what the steps before it reported.
fn conversation(run: &Value, steps: &[&Entry<'_>], notes: &mut Notes) -> Option<Imported> {
    let mut read = steps.iter().enumerate().rev().filter_map(|(place, entry)| {
        let input = entry.inner("input", notes)?;
        input.get("prompt").is_some().then_some((place, input))
    });
    let (place, input) = read.next()?;
    let last = steps.get(place)?;
    let provider = word(last.step, "provider");
    let mut pen = Pen::new("");
    pen.transcript().api_format = provider.and_then(wire).map(str::to_owned);
    pen.transcript().title = word(run, "function_id").map(str::to_owned);
    pen.transcript().model = word(last.step, "model_id").map(str::to_owned);
    let at = last.at.inside("/input");
    match input.get("prompt") {
        Some(Value::Array(messages)) => {
            for (index, item) in messages.iter().enumerate() {
                message(&mut pen, item, &at.inside(&format!("/prompt/{index}")));
            }
        }
        Some(words) => pen.user(words, &at.inside("/prompt"), 0),
        None => {}
    }
    tools(&mut pen, input.get("tools"), &at.inside("/tools"));
    for (_, entry) in steps
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != place)
    {
        reported(&mut pen, entry, notes);
    }
    answer(&mut pen, last, notes);
    let settings = rest(&input, &["prompt", "tools"]);
    let of_run = rest(run, &["function_id"]);
    let facts = [("run", of_run), ("settings", settings)].into_iter();
    let facts = facts.filter_map(|(key, value)| Some((key.to_owned(), value?)));
    pen.facts(facts.collect(), 0);
    pen.transcript().request = last.inner("raw_request", notes);
    Some(pen.finish())
}

/// The answer of the last step.
fn answer(pen: &mut Pen, entry: &Entry<'_>, notes: &mut Notes) {
    let output = entry.inner("output", notes);
    let error = word(entry.step, "error");
    if output.is_none() && error.is_none() {
        return;
    }
    let output = output.unwrap_or_default();
    let at = entry.at.inside("/output");
    let mut step = Step::default();
    said(&output)
        .iter()
        .for_each(|part| step.add(part, pen, &at));
    let reason = output.get("finishReason");
    let counted = entry.inner("usage", notes);
    let answer = Answer {
        stop_reason: reason.and_then(|reason| word(reason, "unified").or_else(|| reason.as_str())),
        error,
        model: word(entry.step, "model_id"),
        provider: word(entry.step, "provider"),
        usage: usage(counted.as_ref()).or_else(|| usage(output.get("usage"))),
        timestamp: millis(entry.step.get("started_at")),
    };
    step.write(pen, answer, &at);
}

/// What a step before the last one reported, put to its answer in the prompt.
fn reported(pen: &mut Pen, entry: &Entry<'_>, notes: &mut Notes) {
    let Some(output) = entry.inner("output", notes) else {
        return;
    };
    let said = said(&output);
    let call = said.iter().find_map(|part| word(part, "toolCallId"));
    let words: String = said.iter().filter_map(parts::text).collect();
    let is_it = |message: &&mut AgentMessage| {
        let AgentMessage::Assistant { content, .. } = message else {
            return false;
        };
        let ids = content.iter().find_map(|block| match block {
            ContentBlock::FunctionCall { id, .. } => Some(id.as_str()),
            _ => None,
        });
        ids == call && (call.is_some() || words_of(content) == words)
    };
    let counted = entry.inner("usage", notes);
    match pen.transcript().messages.iter_mut().find(is_it) {
        Some(AgentMessage::Assistant {
            usage: reported,
            model,
            provider,
            timestamp,
            ..
        }) => {
            let own = |key: &str| word(entry.step, key).unwrap_or_default().to_owned();
            *reported = usage(counted.as_ref());
            *model = own("model_id");
            *provider = own("provider");
            *timestamp = millis(entry.step.get("started_at"));
        }
        _ => {
            let says = "steps whose answer is not in the last prompt of their run are not shown";
            pen.count("steps_not_shown", "", says, &entry.at);
        }
    }
}

/// The words of an answer.
fn words_of(content: &[ContentBlock]) -> String {
    let texts = content.iter().filter_map(|block| match block {
        ContentBlock::Text { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// The parts of an output: its content, what was gathered of a stream, or the text of an object.
fn said(output: &Value) -> Vec<Value> {
    let list = |key: &str| {
        output
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    if output.get("content").is_some_and(Value::is_array) {
        return list("content").cloned().collect();
    }
    let typed =
        |kind: &'static str| move |part: &Value| json!({"type": kind, "text": part.get("text")});
    let reasoning = list("reasoningParts").map(typed("reasoning"));
    let object = word(output, "objectText").map(|text| json!({"type": "text", "text": text}));
    let texts = list("textParts").map(typed("text")).chain(object);
    reasoning
        .chain(texts)
        .chain(list("toolCalls").cloned())
        .collect()
}

/// The wire that a provider's name stands for.
fn wire(provider: &str) -> Option<&'static str> {
    if provider.contains("anthropic") {
        Some("anthropic_messages")
    } else if provider.starts_with("google") {
        Some("gemini")
    } else if provider.ends_with(".responses") {
        Some("openai_responses")
    } else {
        provider.ends_with(".chat").then_some("openai_chat")
    }
}
