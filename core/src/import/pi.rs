//! Session logs of pi and its kin (OpenClaw): JSONL, a session line and then entries.
//!
//! Without ids (version 1) the entries are a line; with them a tree in the order of writing whose leaf is the
//! last entry. A compaction stands before the first entry it kept, as the model reads it. A custom message is
//! sent whether it was displayed or not; a custom entry never is.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::Ask;
use super::pen::{Answer, Outcome, Pen, Piece};
use super::record::{At, Record, facts, flag, rest, text_of, word};
use super::shapes::{has, is_type};
use super::time::millis;
use super::tree::{Node, walk};
use crate::json::Notes;
use crate::transcript::{Imported, Usage};

const NOT_KEPT: &str = "lines that say nothing in the conversation are not kept";

/// Whether a value is a line of such a log.
pub(super) fn is(v: &Value) -> bool {
    let told = has(v, "cwd") || has(v, "version");
    let others = has(v, "trace_id") || has(v, "harness");
    let entry = is_type(v, &["message"]) && v.pointer("/message/role").is_some();
    is_type(v, &["session"]) && told && !others || entry
}

/// The conversation of a session log.
pub(super) fn read(records: Vec<Record>, ask: &Ask, _: &mut Notes) -> Vec<Imported> {
    // Messages of every provider stand in one log; the pen needs no wire to read them.
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    let head = records
        .iter()
        .find(|record| word(&record.value, "type") == Some("session"));
    if let Some(head) = head {
        let keys = [
            "id",
            "version",
            "cwd",
            "timestamp",
            "provider",
            "modelId",
            "thinkingLevel",
            "parentSession",
            "branchedFrom",
        ];
        pen.facts(
            facts(&head.value, &keys),
            millis(head.value.get("timestamp")),
        );
    }
    let path = path(&records, ask, &mut pen);
    let kept = kept_from(&records, &path, &mut pen);
    for index in path {
        for compaction in kept.get(&index).into_iter().flatten() {
            compacted(&mut pen, compaction);
        }
        if let Some(record) = records.get(index) {
            entry(
                &mut pen,
                record,
                !kept
                    .values()
                    .flatten()
                    .any(|found| std::ptr::eq(*found, record)),
            );
        }
    }
    vec![pen.finish()]
}

/// The entries on the way to the one that is asked for, else to the last one, in order, as indexes into the
/// records.
fn path(records: &[Record], ask: &Ask, pen: &mut Pen) -> Vec<usize> {
    let numbered = records.iter().enumerate();
    let entries: Vec<(usize, &Record)> = numbered
        .filter(|(_, record)| word(&record.value, "type") != Some("session"))
        .collect();
    let own = |record: &Record| word(&record.value, "id").map(str::to_owned);
    if entries.iter().all(|(_, record)| own(record).is_none()) {
        return entries.into_iter().map(|(index, _)| index).collect();
    }
    let id = |(index, record): &(usize, &Record)| {
        own(record).unwrap_or_else(|| format!("entry {index}"))
    };
    let ids: Vec<String> = entries.iter().map(id).collect();
    let known: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
    let mut nodes = Vec::with_capacity(entries.len());
    let mut before = None;
    for ((_, record), id) in entries.iter().zip(&ids) {
        let parent = match record.value.get("parentId").unwrap_or(&Value::Null) {
            Value::Null if own(record).is_some() => None,
            Value::String(parent) if known.contains(parent.as_str()) => Some(parent.as_str()),
            Value::String(_) => {
                let says = "entries follow an entry that is not in the file; they go on from the one before them";
                pen.count("parent_not_in_file", "", says, &record.at);
                before
            }
            _ => before,
        };
        let role = record.value.pointer("/message/role");
        nodes.push(Node {
            id,
            parent,
            words: words(&record.value),
            turn: role.and_then(Value::as_str) == Some("user"),
            time: millis(record.value.get("timestamp")),
        });
        before = Some(id.as_str());
    }
    let last = ids.last().map(String::as_str);
    let mut walked = walk(&nodes, last, ask.branch.as_deref());
    walked.tell(pen, &At::default(), |index| {
        entries.get(index).map(|(_, record)| record.at.clone())
    });
    let on_path = walked.path.iter().filter_map(|index| entries.get(*index));
    on_path.map(|(index, _)| *index).collect()
}

/// The first text of a message.
fn words(entry: &Value) -> &str {
    let content = entry.pointer("/message/content");
    let parts = content.and_then(Value::as_array).into_iter().flatten();
    let mut texts = parts.filter_map(|part| word(part, "text"));
    let text = content.and_then(Value::as_str).or_else(|| texts.next());
    text.unwrap_or_default()
}

/// The compactions by the entry that each kept first. One whose entry is not on the path keeps all of it.
fn kept_from<'r>(
    records: &'r [Record],
    path: &[usize],
    pen: &mut Pen,
) -> BTreeMap<usize, Vec<&'r Record>> {
    let mut kept: BTreeMap<usize, Vec<&Record>> = BTreeMap::new();
    for index in path {
        let Some(record) = records.get(*index) else {
            continue;
        };
        if word(&record.value, "type") != Some("compaction") {
            continue;
        }
        let id = word(&record.value, "firstKeptEntryId");
        let line = record
            .value
            .get("firstKeptEntryIndex")
            .and_then(Value::as_u64);
        let first = match (id, line) {
            (Some(id), _) => path.iter().find(|entry| {
                records.get(**entry).is_some_and(|record| word(&record.value, "id") == Some(id))
            }),
            (None, Some(line)) => path.iter().find(|entry| {
                matches!(records.get(**entry), Some(Record { at: At { source: Some((found, _)), .. }, .. }) if *found == line.saturating_add(1))
            }),
            (None, None) => continue,
        };
        match first.filter(|first| *first < index) {
            Some(first) => kept.entry(*first).or_default().push(record),
            None => {
                let says = "compactions kept an entry that is not before them on the path; the whole path is read with the summary";
                pen.count("kept_entry_not_found", "", says, &record.at);
                if let Some(first) = path.first() {
                    kept.entry(*first).or_default().push(record);
                }
            }
        }
    }
    kept
}

fn compacted(pen: &mut Pen, record: &Record) {
    let value = &record.value;
    let facts = facts(value, &["tokensBefore", "fromHook", "details"]);
    pen.compaction(
        word(value, "summary").unwrap_or_default(),
        facts,
        millis(value.get("timestamp")),
    );
}

fn entry(pen: &mut Pen, record: &Record, stands_here: bool) {
    let value = &record.value;
    let time = millis(value.get("timestamp"));
    match word(value, "type").unwrap_or_default() {
        "message" => match value.get("message") {
            Some(body) => message(pen, body, &record.at, time),
            None => pen.count(
                "not_a_message",
                "",
                "message entries without a message are not read",
                &record.at,
            ),
        },
        "compaction" if stands_here => compacted(pen, record),
        "compaction" => {}
        "branch_summary" => {
            pen.injected(
                &json!(word(value, "summary").unwrap_or_default()),
                true,
                "branch_summary",
                &record.at,
                time,
            );
        }
        "custom" => pen.aside(
            word(value, "customType").unwrap_or("custom"),
            "",
            value.get("data").cloned(),
            time,
        ),
        "custom_message" => custom_message(pen, value, &record.at, time),
        "session_info" => {
            if let Some(name) = word(value, "name") {
                pen.transcript().title = Some(name.to_owned());
            }
        }
        "model_change" => {
            let model = word(value, "modelId").map(str::to_owned);
            pen.transcript().model = model;
        }
        kind @ ("thinking_level_change" | "label") => {
            pen.count("lines_not_kept", kind, NOT_KEPT, &record.at)
        }
        kind => {
            let says = "entries of types that are not known here are kept aside";
            let kind = if kind.is_empty() {
                "without a type"
            } else {
                kind
            };
            pen.count("line_type_unknown", kind, says, &record.at);
            pen.aside(kind, "", Some(value.clone()), time);
        }
    }
}

fn custom_message(pen: &mut Pen, value: &Value, at: &At, time: i64) {
    let shown = value
        .get("display")
        .and_then(Value::as_bool)
        .unwrap_or(true);
    let kind = word(value, "customType").unwrap_or("custom");
    let content = value.get("content").unwrap_or(&Value::Null);
    pen.injected(content, shown, kind, at, time);
}

fn message(pen: &mut Pen, message: &Value, at: &At, written: i64) {
    let time = match millis(message.get("timestamp")) {
        0 => written,
        said => said,
    };
    let null = Value::Null;
    let content = message.get("content").unwrap_or(&null);
    match word(message, "role").unwrap_or_default() {
        "user" => pen.user(content, at, time),
        "assistant" => answer(pen, message, content, at, time),
        "toolResult" => {
            let id = word(message, "toolCallId").unwrap_or_default();
            let name = word(message, "toolName").unwrap_or_default();
            let outcome = Outcome {
                call: id,
                function: name,
                content: content.clone(),
                failed: flag(message, "isError"),
                details: message.get("details").cloned().unwrap_or_default(),
            };
            pen.result(outcome, at, time);
        }
        "bashExecution" => {
            let text = command(message);
            if flag(message, "excludeFromContext") {
                pen.aside("bashExecution", &text, None, time);
            } else {
                pen.user(&json!(text), at, time);
            }
        }
        "custom" | "hookMessage" => custom_message(pen, message, at, time),
        kind @ "branchSummary" => {
            pen.injected(
                &json!(word(message, "summary").unwrap_or_default()),
                true,
                kind,
                at,
                time,
            );
        }
        "compactionSummary" => {
            pen.compaction(
                word(message, "summary").unwrap_or_default(),
                Map::new(),
                time,
            );
        }
        role => {
            let says = "messages of roles that are not known here are kept aside";
            pen.count("role_unknown", role, says, at);
            pen.aside(
                role,
                &text_of(Some(content)),
                rest(message, &["role", "content", "timestamp"]),
                time,
            );
        }
    }
}

fn answer(pen: &mut Pen, message: &Value, content: &Value, at: &At, timestamp: i64) {
    let pieces = match content {
        Value::Array(blocks) => blocks.iter().map(piece).collect(),
        Value::Null => Vec::new(),
        other => vec![Piece::Part(other.clone())],
    };
    let answer = Answer {
        stop_reason: word(message, "stopReason"),
        error: word(message, "errorMessage"),
        model: word(message, "model"),
        provider: word(message, "provider"),
        usage: usage(message.get("usage")),
        timestamp,
    };
    pen.answer(pieces, answer, at);
    let wire = match word(message, "api") {
        Some("anthropic-messages") => "anthropic_messages",
        Some("openai-responses" | "openai-codex-responses") => "openai_responses",
        Some("openai-completions") => "openai_chat",
        Some("google-generative-ai" | "google-vertex") => "gemini",
        _ => return,
    };
    pen.transcript().api_format = Some(wire.to_owned());
}

fn piece(block: &Value) -> Piece {
    match word(block, "type") {
        Some("toolCall") => {
            let own = |key: &str| word(block, key).unwrap_or_default().to_owned();
            let arguments = block.get("arguments").cloned().unwrap_or_else(|| json!({}));
            Piece::Call(own("id"), own("name"), arguments)
        }
        Some("thinking") => Piece::Part(json!({
            "type": "thinking",
            "thinking": word(block, "thinking").unwrap_or_default(),
            "signature": block.get("thinkingSignature"),
        })),
        _ => Piece::Part(block.clone()),
    }
}

/// A command that the person ran, as the model reads it.
fn command(message: &Value) -> String {
    let own = |key: &str| word(message, key).unwrap_or_default();
    let mut text = format!("Ran `{}`\n", own("command"));
    match own("output") {
        "" => text.push_str("(no output)"),
        output => text.push_str(&format!("```\n{output}\n```")),
    }
    let code = message
        .get("exitCode")
        .and_then(Value::as_i64)
        .filter(|code| *code != 0);
    if flag(message, "cancelled") {
        text.push_str("\n\n(command cancelled)");
    } else if let Some(code) = code {
        text.push_str(&format!("\n\nCommand exited with code {code}"));
    }
    if let Some(path) = word(message, "fullOutputPath").filter(|_| flag(message, "truncated")) {
        text.push_str(&format!("\n\n[Output truncated. Full output: {path}]"));
    }
    text
}

/// What the provider counted; the input comes without what the cache had a part in.
fn usage(value: Option<&Value>) -> Option<Usage> {
    let number = |key: &str| value?.get(key).and_then(Value::as_u64);
    let cost = value.and_then(|value| value.pointer("/cost/total"));
    let usage = Usage {
        input: number("input"),
        output: number("output"),
        cache_read: number("cacheRead"),
        cache_write: number("cacheWrite"),
        reasoning: None,
        cost_usd: cost.and_then(Value::as_f64),
    };
    (usage != Usage::default()).then_some(usage)
}
