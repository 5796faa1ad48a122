//! Backups of Cherry Studio: `{localStorage, indexedDB: {topics, message_blocks}}`, or the two lists by
//! themselves.
//!
//! A topic is a conversation; a message names its blocks by id. Answers to one question (`askId`) stand side by
//! side: the useful one, else the one in view, else the first goes on, and the others are branches that end there.
//! What stands before the last `clear` was not sent any more and is kept aside. The names of topics and the
//! prompts of assistants are in the store that `localStorage` holds as a text.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Ask;
use super::lines::LOOKED_AT;
use super::pen::{Answer, Pen};
use super::record::{At, Record, facts, flag, id, rest, word};
use super::rounds::{Back, Call, Step, said};
use super::time::millis;
use super::ways::{Way, Ways, walk};
use crate::json::{Notes, Place, value as parse};
use crate::refusal::Warning;
use crate::transcript::Imported;
use crate::wire::usage;

/// Whether a value is a backup or holds its lists.
pub(super) fn is_backup(value: &Value) -> bool {
    let stored = value.get("indexedDB").unwrap_or(value);
    let topics = stored.get("topics").and_then(Value::as_array);
    let topic = |topic: &Value| topic.get("messages").is_some_and(Value::is_array);
    topics.is_some_and(|topics| {
        stored.get("message_blocks").is_some_and(Value::is_array)
            || value.get("localStorage").is_some()
            || topics.iter().take(LOOKED_AT).any(topic)
    })
}

/// The topics of a backup.
pub(super) fn read(records: Vec<Record>, ask: &Ask, notes: &mut Notes) -> Vec<Imported> {
    let mut found = Vec::new();
    for record in records.into_iter().flat_map(Record::items) {
        let (stored, at) = match record.value.get("indexedDB") {
            Some(stored) => (stored.clone(), record.at.inside("/indexedDB")),
            None => (record.value.clone(), record.at.clone()),
        };
        let blocks = stored.get("message_blocks").and_then(Value::as_array);
        let blocks = blocks.into_iter().flatten();
        let blocks: Blocks<'_> = blocks.filter_map(|b| Some((word(b, "id")?, b))).collect();
        let assistants = assistants(&record.value);
        let topics = Record {
            value: stored.clone(),
            at,
        }
        .members("topics");
        for topic in topics {
            match topic.value.get("messages").is_some_and(Value::is_array) {
                true => found.push(chat(&topic, &blocks, &assistants, ask)),
                false => {
                    let message = "a topic without messages is skipped";
                    notes.push(topic.at.of(Warning::new("not_a_conversation", message)));
                }
            }
        }
    }
    found
}

/// The assistants that the store holds as JSON in JSON.
fn assistants(backup: &Value) -> Vec<Value> {
    let inner = |text: &Value| {
        let text = text.as_str()?.as_bytes();
        parse(text, Place::default(), &mut Notes::default()).ok()
    };
    let store = backup
        .pointer("/localStorage/persist:cherry-studio")
        .and_then(inner);
    let assistants = store.and_then(|store| inner(store.get("assistants")?));
    let list = assistants
        .as_ref()
        .and_then(|found| found.get("assistants")?.as_array());
    list.cloned().unwrap_or_default()
}

fn chat(topic: &Record, blocks: &Blocks<'_>, assistants: &[Value], ask: &Ask) -> Imported {
    let Record { value, at } = topic;
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    let own = word(value, "id");
    let named = assistants.iter().find_map(|assistant| {
        let topics = assistant.get("topics")?.as_array()?;
        let topic = topics.iter().find(|topic| word(topic, "id") == own)?;
        Some((assistant, topic))
    });
    let title = word(value, "name").or_else(|| word(named?.1, "name"));
    let system = named.and_then(|(assistant, _)| word(assistant, "prompt"));
    if let Some(system) = system.filter(|text| !text.is_empty()) {
        // The store is a text, in which nothing has a pointer.
        pen.system("system", &json!(system), at, 0);
    }
    pen.facts(
        facts(value, &["id", "assistantId", "createdAt", "updatedAt"]),
        0,
    );
    let messages = topic.members("messages");
    let groups = groups(&messages, &mut pen);
    let ways: Vec<Ways> = groups.iter().map(|group| ways(group, blocks)).collect();
    let (path, branches) = walk(&ways, ask.branch.as_deref());
    pen.transcript().branches = branches;
    let said = path
        .into_iter()
        .filter_map(|(group, way)| groups.get(group)?.get(way).copied());
    let said: Vec<&Record> = said.collect();
    let cut = said
        .iter()
        .rposition(|record| word(&record.value, "type") == Some("clear"));
    for (index, record) in said.into_iter().enumerate() {
        match cut.is_some_and(|cut| index <= cut) {
            true => cleared(&mut pen, record, blocks),
            false => message(&mut pen, record, blocks),
        }
    }
    pen.name(title);
    pen.finish()
}

/// The messages, answers to one question together.
fn groups<'r>(messages: &'r [Record], pen: &mut Pen) -> Vec<Vec<&'r Record>> {
    let mut groups: Vec<Vec<&Record>> = Vec::new();
    for record in messages {
        if !record.value.is_object() {
            pen.not_a_message(&record.at);
            continue;
        }
        let question = |record: &Record| {
            let asked = id(&record.value, "askId");
            asked.filter(|_| word(&record.value, "role") == Some("assistant"))
        };
        let own = question(record);
        let last = groups.last_mut();
        let together = |group: &&mut Vec<&Record>| {
            own.is_some() && group.first().is_some_and(|first| question(first) == own)
        };
        match last.filter(together) {
            Some(group) => group.push(record),
            None => groups.push(vec![record]),
        }
    }
    groups
}

fn ways(group: &[&Record], blocks: &Blocks<'_>) -> Ways {
    let way = |record: &&Record| Way {
        id: id(&record.value, "id").unwrap_or_else(|| record.at.path.clone()),
        words: words(&record.value, blocks),
        turn: word(&record.value, "role") == Some("user"),
        time: millis(record.value.get("createdAt")),
    };
    let marked = |mark: &str| group.iter().position(|record| flag(&record.value, mark));
    Ways {
        ways: group.iter().map(way).collect(),
        chosen: marked("useful")
            .or_else(|| marked("foldSelected"))
            .unwrap_or(0),
    }
}

type Blocks<'b> = BTreeMap<&'b str, &'b Value>;

/// The ids of a message's blocks.
fn named(message: &Value) -> impl Iterator<Item = &str> {
    let blocks = message.get("blocks").and_then(Value::as_array);
    blocks.into_iter().flatten().filter_map(Value::as_str)
}

/// The main text of a message; an older one has it in itself.
fn words(message: &Value, blocks: &Blocks<'_>) -> String {
    let texts = named(message).filter_map(|id| blocks.get(id));
    let texts = texts.filter(|block| word(block, "type") == Some("main_text"));
    let texts: Vec<&str> = texts.filter_map(|block| word(block, "content")).collect();
    match texts.is_empty() {
        true => word(message, "content").unwrap_or_default().to_owned(),
        false => texts.join("\n\n"),
    }
}

/// A message before the last clear, and the clear itself.
fn cleared(pen: &mut Pen, Record { value, at }: &Record, blocks: &Blocks<'_>) {
    let says = "messages before the context was cleared were not sent any more and are kept aside";
    let mark = word(value, "type") == Some("clear");
    pen.count(
        "context_cleared",
        if mark { "clear" } else { "message" },
        says,
        at,
    );
    let kept: Vec<&Value> = named(value)
        .filter_map(|id| blocks.get(id).copied())
        .collect();
    let mut details = facts(value, &["id", "role", "modelId", "type"]);
    if !kept.is_empty() {
        details.insert("blocks".to_owned(), json!(kept));
    }
    let time = millis(value.get("createdAt"));
    pen.aside(
        "cleared",
        &words(value, blocks),
        Some(Value::Object(details)),
        time,
    );
}

fn message(pen: &mut Pen, Record { value, at }: &Record, blocks: &Blocks<'_>) {
    let time = millis(value.get("createdAt"));
    let (mut steps, mut error) = (Vec::new(), None);
    let own = word(value, "content").filter(|text| !text.is_empty());
    if named(value).next().is_none() {
        steps.extend(own.map(Step::words));
    }
    for name in named(value) {
        let Some(block) = blocks.get(name) else {
            let says = "blocks that messages name are not in the file";
            pen.count("block_not_in_file", "", says, at);
            continue;
        };
        if word(block, "type") == Some("error") {
            let message = block.pointer("/error/message").and_then(Value::as_str);
            error = message
                .or_else(|| word(block, "content"))
                .map(str::to_owned);
        }
        steps.extend(step(pen, block, at));
    }
    match word(value, "role").unwrap_or_default() {
        "user" => pen.user(&said(steps), at, time),
        "assistant" => {
            let model = value.pointer("/model/id").and_then(Value::as_str);
            let provider = value.pointer("/model/provider").and_then(Value::as_str);
            let answer = Answer {
                stop_reason: (word(value, "status") == Some("paused")).then_some("aborted"),
                error: error.as_deref(),
                model: model.or_else(|| word(value, "modelId")),
                provider,
                usage: usage(value.get("usage")),
                timestamp: time,
            };
            pen.rounds(steps, answer, at);
        }
        role @ ("system" | "developer") => pen.system(role, &json!(words(value, blocks)), at, time),
        role => pen.role_unknown(role, &words(value, blocks), value, at, time),
    }
}

/// What a block says; none of one that was not sent.
fn step(pen: &mut Pen, block: &Value, at: &At) -> Vec<Step> {
    let content = word(block, "content").unwrap_or_default();
    match word(block, "type").unwrap_or_default() {
        "main_text" | "code" => vec![Step::words(content)],
        "thinking" => vec![Step::thought(content)],
        "tool" => vec![called(block)],
        "image" | "file" | "video" => match drawn(block) {
            drawn if drawn.is_empty() || block.get("url").or(block.get("file")).is_some() => {
                vec![Step::Said(file(block))]
            }
            drawn => drawn,
        },
        // An unknown one stands where an answer was waited for.
        "error" | "unknown" => Vec::new(),
        kind => {
            let says = "blocks that were not sent are kept aside";
            pen.count("blocks_aside", kind, says, at);
            pen.aside(
                kind,
                content,
                rest(block, &["content"]),
                millis(block.get("createdAt")),
            );
            Vec::new()
        }
    }
}

fn called(block: &Value) -> Step {
    let raw = block
        .pointer("/metadata/rawMcpToolResponse")
        .unwrap_or(&Value::Null);
    let name = word(block, "toolName").or_else(|| raw.pointer("/tool/name")?.as_str());
    let name = name.unwrap_or_default().to_owned();
    let arguments = block.get("arguments").or_else(|| raw.get("arguments"));
    let call = Call {
        id: id(raw, "id")
            .or_else(|| id(block, "toolId"))
            .unwrap_or_default(),
        function: name.clone(),
        arguments: arguments.cloned().unwrap_or_default(),
    };
    let content = block.get("content").or_else(|| raw.get("response"));
    let back = content.filter(|content| !content.is_null()).map(|content| {
        let said = content.get("content").unwrap_or(content);
        Back {
            call: call.id.clone(),
            function: name,
            content: said.clone(),
            failed: flag(content, "isError") || word(block, "status") == Some("error"),
            ..Back::default()
        }
    });
    Step::Called(call, back)
}

/// The pictures that a model drew, each by its address or its bytes.
fn drawn(block: &Value) -> Vec<Step> {
    let images = block.pointer("/metadata/generateImageResponse/images");
    let images = images.and_then(Value::as_array).into_iter().flatten();
    let part = |url| Step::Said(json!({"type": "image_url", "image_url": {"url": url}}));
    images.map(part).collect()
}

/// A picture by its address, or a file by its name.
fn file(block: &Value) -> Value {
    let file = block.get("file").unwrap_or(&Value::Null);
    let name = word(file, "origin_name").or_else(|| word(file, "name"));
    let path = ["url", "filePath"].iter().find_map(|key| word(block, key));
    let own = id(file, "id").or_else(|| path.map(str::to_owned));
    match (word(block, "type"), word(block, "url")) {
        (Some("image"), Some(url)) => json!({"type": "image_url", "image_url": {"url": url}}),
        (Some("image"), None) => json!({"type": "input_image", "file_id": own}),
        _ => json!({"type": "file", "file": {"filename": name, "file_id": own}}),
    }
}
