//! Files of Cline and its kin (Roo Code, Kilo Code): the messages of a session of the SDK
//! (`*.messages.json`, `*.compaction.json`), and of a task's folder what the page showed (`ui_messages.json`) and
//! what was sent (`api_conversation_history.json`).

mod page;
mod requests;

use serde_json::{Value, json};

use super::Ask;
use super::pen::{Answer, Pen, Piece};
use super::record::{At, Record, facts, text_of, word};
use super::time::millis;
use crate::json::Notes;
use crate::transcript::{Imported, Usage};

use page::is_shown;
use requests::is_sent;

/// How the first words of a session begin that goes on from a summary.
const SUMMARY: &str = "Context summary:";

/// Whether a value is a file of any of the kinds.
pub(super) fn is(value: &Value) -> bool {
    let has = |key: &str| value.get(key).is_some_and(|member| !member.is_null());
    match value.as_array() {
        Some(items) => items
            .iter()
            .take(50)
            .any(|item| is_shown(item) || is_sent(item)),
        None => {
            has("agent") && has("sessionId") && value.get("messages").is_some_and(Value::is_array)
        }
    }
}

/// The conversation of a file of any of the kinds.
pub(super) fn read(records: Vec<Record>, _: &Ask, notes: &mut Notes) -> Vec<Imported> {
    let mut found = Vec::new();
    for record in records {
        if record.value.is_object() {
            found.push(session(&record));
            continue;
        }
        let items = record.items();
        found.push(match items.iter().any(|item| is_shown(&item.value)) {
            true => page::read(&items, notes),
            false => requests::read(&items),
        });
    }
    found
}

/// A pen for what was said by models of every provider.
fn pen() -> Pen {
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    pen
}

/// A session of the SDK.
fn session(record: &Record) -> Imported {
    let mut pen = pen();
    let value = &record.value;
    if let Some(prompt) = word(value, "system_prompt").filter(|text| !text.is_empty()) {
        pen.system(
            "system",
            &json!(prompt),
            &record.at.inside("/system_prompt"),
            0,
        );
    }
    let keys = ["sessionId", "agent", "version", "updated_at"];
    pen.facts(facts(value, &keys), millis(value.get("updated_at")));
    for (index, message) in record.members("messages").iter().enumerate() {
        let value = &message.value;
        let time = millis(value.get("ts"));
        let null = Value::Null;
        let content = value.get("content").unwrap_or(&null);
        let summary = text_of(Some(content));
        match word(value, "role").unwrap_or_default() {
            "user" if index == 0 && summary.starts_with(SUMMARY) => {
                pen.compaction(&summary, serde_json::Map::new(), time);
            }
            "user" => {
                let content = sent(content, &message.at, &mut pen);
                pen.user(&content, &message.at, time);
            }
            "assistant" => answer(&mut pen, value, content, &message.at, time),
            role => pen.role_unknown(
                role,
                &text_of(value.get("content").or(Some(value))),
                value,
                &message.at,
                time,
            ),
        }
    }
    pen.finish()
}

/// A content in the reader's spelling.
fn sent(content: &Value, at: &At, pen: &mut Pen) -> Value {
    let Some(blocks) = content.as_array() else {
        return content.clone();
    };
    let blocks = blocks.iter().enumerate().map(|(index, block)| {
        let at = at.inside(&format!("/content/{index}"));
        match word(block, "type") {
            Some("file") if block.get("content").is_some_and(Value::is_string) => {
                let says = "files are shown as their text; the words they were sent in are not in the file";
                pen.count("file_as_text", "", says, &at);
                json!({"type": "text", "text": block.get("content")})
            }
            Some("tool_result") => result(block, &at, pen),
            _ => block.clone(),
        }
    });
    Value::Array(blocks.collect())
}

/// A result whose content is a list of a tool's own records reads as their JSON.
fn result(block: &Value, at: &At, pen: &mut Pen) -> Value {
    let items = block.get("content").and_then(Value::as_array);
    let typed = |item: &Value| word(item, "type").is_some();
    let Some(items) = items.filter(|items| !items.iter().any(typed) && !items.is_empty()) else {
        return block.clone();
    };
    let says = "results that are records of the tool's own are shown as their JSON";
    pen.count("result_as_json", "", says, at);
    let mut block = block.clone();
    if let Some(members) = block.as_object_mut() {
        members.insert("content".to_owned(), json!(json!(items).to_string()));
    }
    block
}

/// What the model said, in whichever spelling the tool's version has for its facts.
fn answer(pen: &mut Pen, message: &Value, content: &Value, at: &At, timestamp: i64) {
    let pieces = match content {
        Value::Array(blocks) => blocks.iter().cloned().map(Piece::Part).collect(),
        Value::Null => Vec::new(),
        other => vec![Piece::Part(other.clone())],
    };
    let info = message.get("modelInfo").unwrap_or(&Value::Null);
    let answer = Answer {
        model: word(info, "id").or_else(|| word(info, "modelId")),
        provider: word(info, "provider").or_else(|| word(info, "providerId")),
        usage: message.get("metrics").and_then(usage),
        timestamp,
        ..Answer::default()
    };
    pen.answer(pieces, answer, at);
}

/// What the provider counted: the input of the SDK has the cached tokens in it, that of a task's folder has not.
fn usage(metrics: &Value) -> Option<Usage> {
    let number = |path: &str| metrics.pointer(path).and_then(Value::as_u64);
    let cache_read = number("/cacheReadTokens").or_else(|| number("/tokens/cached"));
    let cache_write = number("/cacheWriteTokens");
    let cached = cache_read
        .unwrap_or(0)
        .saturating_add(cache_write.unwrap_or(0));
    let all = number("/inputTokens").map(|all| all.saturating_sub(cached));
    let usage = Usage {
        input: all.or_else(|| number("/tokens/prompt")),
        output: number("/outputTokens").or_else(|| number("/tokens/completion")),
        cache_read,
        cache_write,
        reasoning: None,
        cost_usd: metrics.get("cost").and_then(Value::as_f64),
    };
    (usage != Usage::default()).then_some(usage)
}
