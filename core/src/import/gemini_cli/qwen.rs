//! Sessions of Qwen Code: JSONL of rows that follow each other, around contents in Gemini's shape.
//!
//! It is a fork of Gemini CLI, and so are its contents; its rows are its own. Rows of one id are pieces of one row.
//! What was gone back from is a branch. A compression holds all that was sent from then on: a summary first, then
//! what goes with it. A command that only the page answered was not sent.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::super::Ask;
use super::super::pen::{Answer, Outcome, Pen};
use super::super::record::{At, Record, facts, filled, flag, text_of, word};
use super::super::time::millis;
use super::super::tree::{Node, walk};
use super::result_of;
use crate::transcript::{Imported, Usage};
use crate::wire::usage;

const TYPES: [&str; 4] = ["user", "assistant", "tool_result", "system"];

/// Rows that no other follows, nor do they say anything.
const BESIDE: [&str; 6] = [
    "session_artifact_event",
    "session_artifact_snapshot",
    "session_sources_snapshot",
    "managed_session_header_v1",
    "managed_session_event_v1",
    "managed_session_commit_v1",
];

/// How a part begins that a hook added to the person's words.
const HOOK: &str = "<qwen:user-prompt-submit-context>";

/// How a summary of the work begins where something else stands before it.
const SNAPSHOT: &str = "<state_snapshot>";

const NOT_KEPT: &str = "lines that say nothing in the conversation are not kept";

/// Whether a line is a row of such a session.
pub(in crate::import) fn is(value: &Value) -> bool {
    let known = word(value, "type").is_some_and(|kind| TYPES.contains(&kind));
    let parts = value.pointer("/message/parts").is_some_and(Value::is_array);
    let payload = value.get("systemPayload").is_some_and(Value::is_object);
    known && word(value, "uuid").is_some() && (parts || payload)
}

/// The conversation of a session.
pub(super) fn read(records: Vec<Record>, ask: &Ask) -> Imported {
    // The contents are in Gemini's shape, but it is not Gemini that they are sent to.
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    let rows = once(records, &mut pen);
    let titles = rows.iter().filter(|row| subtype(row) == "custom_title");
    let mut titles =
        titles.filter_map(|row| row.value.pointer("/systemPayload/customTitle")?.as_str());
    let title = titles.next_back();
    let path = on_path(&rows, &mut pen, ask);
    let local = local(&path);
    // What an agent is told first stands at its head.
    let bootstrap = |row: &&&Record| subtype(row) == "agent_bootstrap";
    if let Some(row) = path.iter().find(bootstrap) {
        instructed(&mut pen, row);
    }
    if let Some(first) = rows.first() {
        let keys = ["sessionId", "cwd", "gitBranch", "version", "agentName"];
        let time = time(first);
        pen.facts(facts(&first.value, &keys), time);
    }
    for (index, row) in path.iter().enumerate() {
        write(&mut pen, row, local.contains(&index));
    }
    pen.name(title);
    pen.finish()
}

fn subtype(row: &Record) -> &str {
    word(&row.value, "subtype").unwrap_or_default()
}

fn time(row: &Record) -> i64 {
    millis(row.value.get("timestamp"))
}

fn parts(value: &Value) -> &[Value] {
    let parts = value.pointer("/message/parts").and_then(Value::as_array);
    parts.map(Vec::as_slice).unwrap_or_default()
}

/// The rows of the conversation, those of one id as one.
fn once(records: Vec<Record>, pen: &mut Pen) -> Vec<Record> {
    let mut met: BTreeMap<String, usize> = BTreeMap::new();
    let mut rows: Vec<Record> = Vec::with_capacity(records.len());
    for record in records {
        let kind = word(&record.value, "type").unwrap_or_default();
        if !TYPES.contains(&kind) {
            let says = "lines of types that are not known here are not read";
            let kind = match kind {
                "" => "without a type",
                kind => kind,
            };
            pen.count("line_type_unknown", kind, says, &record.at);
            continue;
        }
        if kind == "system" && BESIDE.contains(&subtype(&record)) {
            pen.count("lines_not_kept", subtype(&record), NOT_KEPT, &record.at);
            continue;
        }
        let Some(id) = filled(&record.value, "uuid") else {
            rows.push(record);
            continue;
        };
        match met.get(id).and_then(|index| rows.get_mut(*index)) {
            Some(first) => add(&mut first.value, &record.value),
            None => {
                met.insert(id.to_owned(), rows.len());
                rows.push(record);
            }
        }
    }
    rows
}

/// Adds a piece of a row to it.
fn add(row: &mut Value, piece: &Value) {
    let more = parts(piece).to_vec();
    if let Some(Value::Array(parts)) = row.pointer_mut("/message/parts") {
        parts.extend(more);
    }
    let Some(row) = row.as_object_mut() else {
        return;
    };
    for key in ["usageMetadata", "toolCallResult", "model", "message"] {
        if let Some(told) = piece.get(key)
            && (key == "usageMetadata" || !row.contains_key(key))
        {
            row.insert(key.to_owned(), told.clone());
        }
    }
}

/// The rows on the way to the last one.
fn on_path<'r>(rows: &'r [Record], pen: &mut Pen, ask: &Ask) -> Vec<&'r Record> {
    let ids: Vec<String> = rows
        .iter()
        .enumerate()
        .map(|(index, row)| {
            let own = filled(&row.value, "uuid").map(str::to_owned);
            own.unwrap_or_else(|| format!("#{index}"))
        })
        .collect();
    let words: Vec<String> = rows
        .iter()
        .map(|row| text_of(row.value.pointer("/message/parts")))
        .collect();
    let mut nodes = Vec::with_capacity(rows.len());
    for ((row, id), words) in rows.iter().zip(&ids).zip(&words) {
        let kind = word(&row.value, "type");
        nodes.push(Node {
            id,
            parent: filled(&row.value, "parentUuid"),
            words: match kind {
                Some("user") => words,
                _ => "",
            },
            turn: kind == Some("user") && subtype(row).is_empty(),
            time: time(row),
        });
    }
    let last = ids.last().map(String::as_str);
    let mut walked = walk(&nodes, last, ask.branch.as_deref());
    walked.tell(pen, &At::default(), |index| {
        rows.get(index).map(|row| row.at.clone())
    });
    let path = walked.path.iter();
    path.filter_map(|index| rows.get(*index)).collect()
}

/// The rows of commands that only the page answered: its answer says so, right behind them.
fn local(path: &[&Record]) -> BTreeSet<usize> {
    let mut local = BTreeSet::new();
    let mut said: Option<(usize, &Record)> = None;
    for (index, row) in path.iter().enumerate() {
        if word(&row.value, "type") != Some("system") {
            said = Some((index, row));
            continue;
        }
        if subtype(row) != "slash_command" {
            continue;
        }
        let payload = row.value.get("systemPayload").unwrap_or(&Value::Null);
        let shown = payload.get("outputHistoryItems").and_then(Value::as_array);
        let answered = shown.is_some_and(|items| {
            let by_page = |item: &Value| word(item, "type") == Some("assistant");
            !items.is_empty() && items.iter().all(by_page)
        });
        let only_here = word(payload, "phase") == Some("result") && !flag(payload, "sentToModel");
        let typed = said.take_if(|(_, said)| word(&said.value, "type") == Some("user"));
        if let Some((index, typed)) = typed
            && answered
            && only_here
            && subtype(typed).is_empty()
            && Some(text_of(typed.value.pointer("/message/parts")).as_str())
                == word(payload, "rawCommand")
        {
            local.insert(index);
        }
    }
    local
}

fn write(pen: &mut Pen, row: &Record, local: bool) {
    let Record { value, at } = row;
    let time = time(row);
    let kind = word(value, "type").unwrap_or_default();
    let place = at.inside("/message");
    let text = || text_of(value.pointer("/message/parts"));
    match (kind, subtype(row)) {
        ("system", subtype) => system(pen, row, subtype),
        ("user", _) if local => pen.aside("command", &text(), None, time),
        (_, not_sent @ ("realtime_message" | "code_mode_tool_result")) => {
            pen.aside(not_sent, &text(), None, time);
        }
        (kind, _) if parts(value).is_empty() => pen.wordless(kind, at),
        ("user", "" | "mid_turn_user_message") => user(pen, parts(value), &place, time),
        ("user", injected) => {
            pen.injected(&json!(parts(value)), true, injected, &place, time);
        }
        ("assistant", _) => {
            let answer = Answer {
                model: word(value, "model"),
                usage: value.get("usageMetadata").cloned().and_then(counted),
                timestamp: time,
                ..Answer::default()
            };
            let message = value.get("message").unwrap_or(&Value::Null);
            pen.reply(message, answer, &place);
        }
        _ => {
            let told = value.get("toolCallResult").unwrap_or(&Value::Null);
            results(pen, parts(value), told, &place, time);
        }
    }
}

/// The person's words, and what a hook added to them.
fn user(pen: &mut Pen, parts: &[Value], at: &At, time: i64) {
    let by_hook = |part: &&Value| {
        let text = word(part, "text").unwrap_or_default();
        text.trim_start().starts_with(HOOK)
    };
    let (added, own): (Vec<&Value>, Vec<&Value>) = parts.iter().partition(by_hook);
    if !own.is_empty() {
        pen.user(&json!(own), at, time);
    }
    if !added.is_empty() {
        pen.injected(&json!(added), false, "hook", at, time);
    }
}

/// What the provider counted. Where thoughts are among what was said, the sum shows it; Gemini counts them beside.
pub(super) fn counted(mut counts: Value) -> Option<Usage> {
    let number = |key: &str| counts.get(key).and_then(Value::as_u64);
    let said = number("candidatesTokenCount").unwrap_or_default();
    let sum = number("promptTokenCount").and_then(|sent| sent.checked_add(said));
    let thought = number("thoughtsTokenCount").unwrap_or_default();
    if sum.is_some()
        && sum == number("totalTokenCount")
        && let Some(words) = said.checked_sub(thought)
        && let Some(counts) = counts.as_object_mut()
    {
        counts.insert("candidatesTokenCount".to_owned(), json!(words));
    }
    usage(Some(&counts))
}

/// What calls came back with, and what stands beside it.
fn results(pen: &mut Pen, parts: &[Value], told: &Value, at: &At, time: i64) {
    let mut beside = Vec::new();
    for part in parts {
        let Some(response) = part.get("functionResponse") else {
            beside.push(part);
            continue;
        };
        let (content, said_failed) = result_of(&json!([part]));
        let status = word(told, "status").unwrap_or_default();
        let details = facts(told, &["status", "errorType", "resultDisplay"]);
        let outcome = Outcome {
            call: word(response, "id").unwrap_or_default(),
            function: word(response, "name").unwrap_or_default(),
            content,
            failed: said_failed || matches!(status, "error" | "cancelled"),
            details: Some(details)
                .filter(|details| !details.is_empty())
                .map(Value::Object)
                .unwrap_or_default(),
        };
        pen.result(outcome, at, time);
    }
    if !beside.is_empty() {
        pen.injected(&json!(beside), true, "tool_result", at, time);
    }
}

fn system(pen: &mut Pen, row: &Record, subtype: &str) {
    let Record { value, at } = row;
    let time = time(row);
    let payload = value.get("systemPayload").unwrap_or(&Value::Null);
    let place = at.inside("/systemPayload");
    match subtype {
        "chat_compression" => compressed(pen, payload, &place, time),
        "slash_command" => {
            let items = payload.get("outputHistoryItems").and_then(Value::as_array);
            let texts = items.into_iter().flatten();
            let texts: Vec<&str> = texts.filter_map(|item| word(item, "text")).collect();
            let text = match texts.is_empty() {
                true => word(payload, "rawCommand").unwrap_or_default().to_owned(),
                false => texts.join("\n\n"),
            };
            pen.aside(subtype, &text, Some(payload.clone()), time);
        }
        // An agent begins with all that it was given.
        "agent_bootstrap" => contents(pen, payload, "history", None, &place, time),
        subtype => {
            let kind = match subtype {
                "" => "system",
                subtype => subtype,
            };
            pen.count("lines_not_kept", kind, NOT_KEPT, at);
        }
    }
}

/// The instructions and the functions of an agent.
fn instructed(pen: &mut Pen, row: &Record) {
    let place = row.at.inside("/systemPayload");
    let payload = row.value.get("systemPayload").unwrap_or(&Value::Null);
    if let Some(instruction) = payload.get("systemInstruction") {
        let words = match instruction.get("parts") {
            Some(parts) => json!(text_of(Some(parts))),
            None => instruction.clone(),
        };
        let at = place.inside("/systemInstruction");
        pen.system("system", &words, &at, time(row));
    }
    if let Some(tools) = payload.get("tools").filter(|tools| tools.is_array()) {
        pen.tools(tools, &place.inside("/tools"));
    }
}

fn compressed(pen: &mut Pen, payload: &Value, at: &At, time: i64) {
    let history = payload
        .get("compressedHistory")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let text = |content: &Value| text_of(content.get("parts"));
    let by_user = |content: &&Value| word(content, "role") == Some("user");
    let snapshot =
        |content: &Value| by_user(&content) && text(content).trim_start().starts_with(SNAPSHOT);
    let first = |content: &Value| by_user(&content) && !text(content).is_empty();
    let place = history.iter().position(snapshot);
    let place = place.or_else(|| history.iter().position(first));
    let summary = place.and_then(|place| history.get(place)).map(text);
    if summary.is_none() {
        let says = "compactions whose summary is not in the file: what stands before them is shown as if it were sent";
        pen.count("summary_not_in_file", "", says, at);
    }
    let told = payload
        .get("info")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    pen.compaction(&summary.unwrap_or_default(), told, time);
    contents(pen, payload, "compressedHistory", place, at, time);
}

/// Contents that were sent as they stand, but for one of them.
fn contents(pen: &mut Pen, payload: &Value, key: &str, but: Option<usize>, at: &At, time: i64) {
    let list = payload.get(key).and_then(Value::as_array);
    for (index, content) in list.into_iter().flatten().enumerate() {
        if Some(index) == but {
            continue;
        }
        let at = at.inside(&format!("/{key}/{index}"));
        let parts = content.get("parts").and_then(Value::as_array);
        let parts = parts.map(Vec::as_slice).unwrap_or_default();
        let results_too = parts
            .iter()
            .any(|part| part.get("functionResponse").is_some());
        match word(content, "role").unwrap_or_default() {
            _ if parts.is_empty() => {}
            "model" => {
                let answer = Answer {
                    timestamp: time,
                    ..Answer::default()
                };
                pen.reply(content, answer, &at);
            }
            _ if results_too => results(pen, parts, &Value::Null, &at, time),
            _ => pen.injected(&json!(parts), false, key, &at, time),
        }
    }
}
