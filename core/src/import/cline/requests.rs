//! What a task sent: Anthropic messages, results of tools among them as words of the user's.

use serde_json::{Map, Value, json};

use super::super::pen::Pen;
use super::super::record::{At, Record, flag, text_of, word};
use super::super::time::millis;
use super::{answer, pen};
use crate::transcript::Imported;

/// Whether an item of a list is such a message: it has a time, or holds what the tool puts around a task.
pub(super) fn is_sent(item: &Value) -> bool {
    let role = word(item, "role").is_some_and(|role| matches!(role, "user" | "assistant"));
    let text = match item.get("content") {
        Some(Value::Array(blocks)) => blocks.first().and_then(|block| word(block, "text")),
        content => content.and_then(Value::as_str),
    };
    let task = text.is_some_and(|text| text.trim_start().starts_with("<task>"));
    role && item.get("content").is_some() && (item.get("ts").is_some_and(Value::is_number) || task)
}

/// The conversation of a task.
pub(super) fn read(items: &[Record]) -> Imported {
    let mut pen = pen();
    for item in items {
        let value = &item.value;
        let time = millis(value.get("ts"));
        let null = Value::Null;
        let content = value.get("content").unwrap_or(&null);
        if value.get("truncationParent").is_some_and(Value::is_string) {
            let says = "messages that later requests left out are shown as they were sent before";
            pen.count("left_out_later", "", says, &item.at);
        }
        match word(value, "role").unwrap_or_default() {
            _ if flag(value, "isSummary") => {
                pen.compaction(&text_of(Some(content)), Map::new(), time);
            }
            "user" => user(&mut pen, content, &item.at, time),
            "assistant" if word(value, "type") == Some("reasoning") => {
                // Reasoning that a provider sealed stands in front of its answer, as a message of its own.
                let block = json!({
                    "type": "thinking",
                    "thinking": text_of(value.get("summary")),
                    "signature": word(value, "encrypted_content"),
                });
                answer(&mut pen, value, &json!([block]), &item.at, time);
            }
            "assistant" => answer(&mut pen, value, content, &item.at, time),
            role => pen.role_unknown(
                role,
                &text_of(value.get("content").or(Some(value))),
                value,
                &item.at,
                time,
            ),
        }
    }
    pen.finish()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Person,
    /// What a tool came back with, or the client said of it.
    Tool,
    /// The facts of the workspace that go with every message.
    Environment,
}

/// Blocks of one kind after another: what the person said, and what was put in for them.
fn user(pen: &mut Pen, content: &Value, at: &At, time: i64) {
    let whole = [json!({"type": "text", "text": content})];
    let blocks = match content {
        Value::Array(blocks) => blocks.as_slice(),
        Value::String(_) => &whole,
        _ => return pen.user(content, at, time),
    };
    let mut whose = Whose::Person;
    let mut run: Vec<Value> = Vec::new();
    for block in blocks {
        let next = said_by(block, whose);
        if next != whose && !run.is_empty() {
            put(pen, std::mem::take(&mut run), whose, at, time);
        }
        whose = next;
        run.push(block.clone());
    }
    if !run.is_empty() {
        put(pen, run, whose, at, time);
    }
}

fn put(pen: &mut Pen, run: Vec<Value>, whose: Whose, at: &At, time: i64) {
    let run = Value::Array(run);
    match whose {
        Whose::Person => pen.user(&run, at, time),
        Whose::Tool => pen.injected(&run, true, "tool_result", at, time),
        Whose::Environment => pen.injected(&run, false, "environment_details", at, time),
    }
}

fn said_by(block: &Value, before: Whose) -> Whose {
    if word(block, "type") == Some("tool_result") {
        return Whose::Person;
    }
    let Some(text) = word(block, "text") else {
        return before;
    };
    let text = text.trim_start();
    let head = text.lines().next().unwrap_or_default();
    let result = head.starts_with('[') && head.contains("] Result:");
    if text.starts_with("<environment_details>") {
        Whose::Environment
    } else if result || head.starts_with("[ERROR]") || head.starts_with("[TASK RESUMPTION]") {
        Whose::Tool
    } else if ["<task>", "<feedback>", "<user_message>", "<answer>"]
        .iter()
        .any(|tag| text.starts_with(tag))
    {
        Whose::Person
    } else if before == Whose::Tool {
        // The words of a result stand in a block behind its head.
        Whose::Tool
    } else {
        Whose::Person
    }
}
