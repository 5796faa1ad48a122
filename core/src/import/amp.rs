//! Threads of Amp: `{v, id: "T-…", created, title, messages: [{role, content, state, usage}]}`.
//!
//! Blocks are spelled nearly as Anthropic spells them; a result says how the function ran. Messages of the role
//! `info` hold what neither the person nor the model wrote: summaries, and commands that the person ran. What a
//! person has open and mentions is sent with the words, and so is guidance that was found; messages of sub-agents
//! are not the conversation.

use serde_json::{Map, Value, json};

use super::Ask;
use super::pen::{Answer, Outcome, Pen, Piece};
use super::record::{At, Record, conversations, facts, filled, flag, rest, text_of, word};
use super::shapes::{list, within};
use super::time::millis;
use crate::json::Notes;
use crate::transcript::{Imported, Usage};

/// The threads of a file.
pub(super) fn read(records: Vec<Record>, _: &Ask, notes: &mut Notes) -> Vec<Imported> {
    conversations(records, is, notes, thread)
}

/// Whether a value is a thread.
pub(super) fn is(value: &Value) -> bool {
    let named = word(value, "id").is_some_and(|id| id.starts_with("T-"));
    let ran = |block: &Value| block.get("toolUseID").is_some() && block.get("run").is_some();
    let said = |message: &Value| within(message, "content", ran);
    named && list(value, "messages") || within(value, "messages", said)
}

fn thread(record: &Record) -> Imported {
    let value = &record.value;
    // Amp talks to every provider; the pen needs no wire to write what they said.
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    let elsewhere = [
        "messages",
        "title",
        "v",
        "nextMessageId",
        "meta",
        "queuedMessages",
        "draft",
    ];
    if let Some(Value::Object(facts)) = rest(value, &elsewhere) {
        pen.facts(facts, millis(value.get("created")));
    }
    for message in record.members("messages") {
        write(&mut pen, &message);
    }
    for queued in record.members("queuedMessages") {
        let message = queued.value.get("queuedMessage").unwrap_or(&queued.value);
        let text = text_of(message.get("content"));
        pen.aside("queued", &text, Some(queued.value.clone()), 0);
    }
    if let Some(draft) = value.get("draft").filter(|draft| !draft.is_null()) {
        pen.aside("draft", &text_of(Some(draft)), Some(draft.clone()), 0);
    }
    pen.name(word(value, "title"));
    pen.finish()
}

fn write(pen: &mut Pen, record: &Record) {
    let (value, at) = (&record.value, &record.at);
    let parent = ["parentToolUseId", "parentToolUseID"];
    if let Some(call) = parent.iter().find_map(|key| filled(value, key)) {
        let says =
            "messages of sub-agents are conversations of their own and are not shown; by call";
        return pen.count("sub_agents_apart", call, says, at);
    }
    let blocks: Vec<(&Value, At)> = match value.get("content") {
        Some(Value::Array(blocks)) => blocks
            .iter()
            .enumerate()
            .map(|(index, block)| (block, at.inside(&format!("/content/{index}"))))
            .collect(),
        Some(text @ Value::String(_)) => vec![(text, at.inside("/content"))],
        _ => Vec::new(),
    };
    match word(value, "role") {
        Some("user") => user(pen, value, &blocks, at),
        Some("assistant") => answer(pen, value, &blocks, at),
        Some("info") => info(pen, value, &blocks),
        Some(role) => pen.role_unknown(role, &text_of(value.get("content")), value, at, 0),
        None => pen.not_a_message(at),
    }
}

/// What a person said, and before it what functions came back with, as it is sent.
fn user(pen: &mut Pen, value: &Value, blocks: &[(&Value, At)], at: &At) {
    let time = millis(value.pointer("/meta/sentAt"));
    let mut beside = facts(
        value,
        &["fileMentions", "userState", "discoveredGuidanceFiles"],
    );
    let mut found = Vec::new();
    let (results, words): (Vec<_>, Vec<_>) = blocks
        .iter()
        .partition(|(block, _)| word(block, "type") == Some("tool_result"));
    for (block, place) in results {
        found.extend(guidance(block).cloned());
        result(pen, block, place, time);
    }
    if !found.is_empty() {
        beside.insert("guidance_of_results".to_owned(), Value::Array(found));
    }
    if !beside.is_empty() {
        let says = "what a person had open or mentioned and guidance that was found are sent with the words, as texts that are not in the file; what they are made of stands aside";
        pen.count("sent_beside_words", "", says, at);
        pen.aside("sent_with", "", Some(Value::Object(beside)), time);
    }
    let mut said: Vec<Value> = Vec::new();
    for (block, place) in words {
        let Some(part) = part(pen, block, place, time) else {
            continue;
        };
        match flag(block, "hidden") {
            true => {
                speak(pen, &mut said, at, time);
                pen.injected(&json!([part]), false, "hidden", place, time);
            }
            false => said.push(part),
        }
    }
    match blocks.is_empty() {
        true => pen.wordless("user", at),
        false => speak(pen, &mut said, at, time),
    }
}

fn speak(pen: &mut Pen, said: &mut Vec<Value>, at: &At, time: i64) {
    if !said.is_empty() {
        pen.user(&Value::Array(std::mem::take(said)), at, time);
    }
}

fn answer(pen: &mut Pen, value: &Value, blocks: &[(&Value, At)], at: &At) {
    let time = millis(value.pointer("/usage/timestamp"));
    let mut pieces = Vec::new();
    for (block, place) in blocks {
        match word(block, "type") {
            Some("tool_use") if block.get("complete") != Some(&Value::Bool(false)) => {
                let own = |key: &str| word(block, key).unwrap_or_default().to_owned();
                let input = block.get("input").filter(|input| !input.is_null());
                let input = input.cloned().unwrap_or_else(|| json!({}));
                pieces.push(Piece::Call(own("id"), own("name"), input));
            }
            Some(kind @ ("tool_use" | "server_tool_use")) => {
                let says = "calls that were cut off and calls that the provider ran are not sent again; they stand aside";
                pen.count("call_not_sent", kind, says, place);
                pen.aside(kind, "", Some((*block).clone()), time);
            }
            _ => pieces.extend(part(pen, block, place, time).map(Piece::Part)),
        }
    }
    let state = value.get("state").unwrap_or(&Value::Null);
    let error = state.pointer("/error/message").and_then(Value::as_str);
    if pieces.is_empty() && error.is_none() {
        if blocks.is_empty() {
            pen.wordless("assistant", at);
        }
        return;
    }
    let answer = Answer {
        stop_reason: word(state, "stopReason").or_else(|| word(state, "type")),
        error,
        model: value.pointer("/usage/model").and_then(Value::as_str),
        usage: value.get("usage").and_then(usage),
        timestamp: time,
        ..Answer::default()
    };
    pen.answer(pieces, answer, at);
}

/// What the provider counted. The total of the input is all of it, whatever the provider's own input is.
fn usage(value: &Value) -> Option<Usage> {
    let number = |key: &str| value.get(key).and_then(Value::as_u64);
    let cache_read = number("cacheReadInputTokens");
    let cache_write = number("cacheCreationInputTokens");
    let cached = cache_read
        .unwrap_or(0)
        .saturating_add(cache_write.unwrap_or(0));
    let own = number("totalInputTokens").map(|all| all.saturating_sub(cached));
    let usage = Usage {
        input: own.or(number("inputTokens")),
        output: number("outputTokens"),
        cache_read,
        cache_write,
        ..Usage::default()
    };
    (usage != Usage::default()).then_some(usage)
}

/// Words, reasoning or a picture; anything else is told and stands aside.
fn part(pen: &mut Pen, block: &Value, at: &At, time: i64) -> Option<Value> {
    match word(block, "type") {
        None if block.is_string() => Some(block.clone()),
        Some("text" | "redacted_thinking") => Some(block.clone()),
        Some("thinking") => {
            let sealed = word(block, "signature").or_else(|| {
                let sealed = block.pointer("/openAIReasoning/encryptedContent");
                sealed.and_then(Value::as_str)
            });
            let text = word(block, "thinking").unwrap_or_default();
            Some(json!({"type": "thinking", "thinking": text, "signature": sealed}))
        }
        Some("image") => Some(picture(block)),
        kind => {
            let says = "blocks of types that are not known here are kept aside";
            let kind = kind.unwrap_or("without a type");
            pen.count("part_unknown", kind, says, at);
            pen.aside(kind, "", Some(block.clone()), time);
            None
        }
    }
}

fn picture(block: &Value) -> Value {
    let source = block.get("source").unwrap_or(&Value::Null);
    match word(source, "mediaType") {
        Some(mime) => {
            json!({"type": "image", "source": {"type": "base64", "media_type": mime, "data": source.get("data")}})
        }
        None => block.clone(),
    }
}

fn guidance(block: &Value) -> impl Iterator<Item = &Value> {
    let found = block.pointer("/run/result/discoveredGuidanceFiles");
    found.and_then(Value::as_array).into_iter().flatten()
}

fn result(pen: &mut Pen, block: &Value, at: &At, time: i64) {
    let run = block.get("run").unwrap_or(&Value::Null);
    let status = word(run, "status").unwrap_or_default();
    let result = run.get("result");
    let content = match status {
        "done" | "" => result.map(came_back),
        "error" => run.get("error").map(|error| match word(error, "message") {
            Some(text) => json!(text),
            None => json!(text_of(Some(error))),
        }),
        "cancelled" | "rejected-by-user" => Some(json!(word(run, "reason").unwrap_or(status))),
        _ => {
            let says = "calls that had not come back when the thread was written have no result; how far they were stands aside";
            pen.count("call_runs", status, says, at);
            return pen.aside("tool_result", "", Some(block.clone()), time);
        }
    };
    let mut details = facts(run, &["reason", "progress", "trackFiles"]);
    details.extend(facts(block, &["userInput"]));
    if status != "done" {
        details.extend(facts(run, &["status"]));
    }
    let outcome = Outcome {
        call: word(block, "toolUseID").unwrap_or_default(),
        content: content.unwrap_or_default(),
        failed: !matches!(status, "done" | ""),
        details: Some(details)
            .filter(|facts| !facts.is_empty())
            .map(Value::Object)
            .unwrap_or_default(),
        ..Outcome::default()
    };
    pen.result(outcome, at, time);
}

/// What is sent of what a function came back with: words, parts, a picture that was read, else its JSON, but for
/// guidance, which is sent apart.
fn came_back(result: &Value) -> Value {
    let typed = |item: &Value| matches!(word(item, "type"), Some("text" | "image"));
    match result {
        Value::String(_) => result.clone(),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            let lines: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            json!(lines.join("\n"))
        }
        Value::Array(items) if items.iter().any(typed) => items
            .iter()
            .map(|item| match typed(item) {
                true => picture(item),
                false => json!({"type": "text", "text": item.to_string()}),
            })
            .collect(),
        Value::Object(_) if flag(result, "isImage") => {
            let mime = result.pointer("/imageInfo/mimeType");
            let bytes = word(result, "content");
            let address = word(result, "contentURL").unwrap_or_default();
            match bytes {
                Some(data) => json!([{"type": "image", "data": data, "mimeType": mime}]),
                None => json!([{"type": "image_url", "image_url": {"url": address}}]),
            }
        }
        Value::Object(_) => match rest(result, &["discoveredGuidanceFiles"]) {
            Some(left) => json!(left.to_string()),
            None => json!("{}"),
        },
        other => json!(other.to_string()),
    }
}

/// What neither the person nor the model wrote.
fn info(pen: &mut Pen, value: &Value, blocks: &[(&Value, At)]) {
    let time = millis(value.pointer("/meta/sentAt"));
    for (block, place) in blocks {
        let summary = block.get("summary").unwrap_or(&Value::Null);
        match word(block, "type") {
            Some("summary") if word(summary, "type") == Some("message") => {
                let text = word(summary, "summary").unwrap_or_default();
                pen.compaction(text, Map::new(), time);
            }
            Some("summary") => {
                let says = "summaries that are threads of their own are not in the file";
                pen.count("summary_elsewhere", "", says, place);
                pen.aside("summary", "", Some((*block).clone()), time);
            }
            Some("manual_bash_invocation") => command(pen, block, place, time),
            _ => {
                if let Some(part) = part(pen, block, place, time) {
                    pen.injected(&json!([part]), true, "info", place, time);
                }
            }
        }
    }
}

/// A command that the person ran: the model reads it and what it printed, unless it was hidden or did not end.
fn command(pen: &mut Pen, block: &Value, at: &At, time: i64) {
    let run = block.get("toolRun").unwrap_or(&Value::Null);
    let command = block.pointer("/args/cmd").and_then(Value::as_str);
    let command = format!("$ {}", command.unwrap_or_default());
    if flag(block, "hidden") || word(run, "status") != Some("done") {
        return pen.aside(
            "manual_bash_invocation",
            &command,
            Some(block.clone()),
            time,
        );
    }
    let says =
        "commands that the person ran are sent with words around them that are not in the file";
    pen.count("command_words_not_in_file", "", says, at);
    let output = run.pointer("/result/output").and_then(Value::as_str);
    let exit = run.pointer("/result/exitCode").and_then(Value::as_i64);
    let exit = format!("exit code: {}", exit.unwrap_or(0));
    let texts = [command.as_str(), output.unwrap_or_default(), &exit];
    let texts: Vec<&str> = texts.into_iter().filter(|text| !text.is_empty()).collect();
    pen.injected(&json!(texts.join("\n")), true, "command", at, time);
}
