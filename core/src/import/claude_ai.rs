//! Claude.ai conversations: the list of a data export, or one by itself as the page's API gives it.
//!
//! Messages name the one they follow, so that retries and edits are branches; those of older exports stand in
//! their order. The blocks of `content` are what was said; `text` repeats them, or stands for them where there
//! are none. What an upload or a long paste holds (`extracted_content`) was part of the person's words. One
//! message of the assistant's holds calls, their results and the words around them: it is split where a result
//! came in. No system prompt and no count of tokens is in the file.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Ask;
use super::pen::{Answer, Outcome, Pen, Piece};
use super::record::{At, Record, facts, flag, rest, text_of, word};
use super::time::millis;
use super::tree::{Node, walk};
use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::Imported;
use crate::wire::anthropic::API_FORMAT;

/// What the first messages follow.
const ROOT: &str = "00000000-0000-4000-8000-000000000000";

/// The conversations of an export.
pub(super) fn read(records: Vec<Record>, ask: &Ask, notes: &mut Notes) -> Vec<Imported> {
    let mut found = Vec::new();
    for record in records.into_iter().flat_map(Record::conversations) {
        match record.value.get("chat_messages").and_then(Value::as_array) {
            Some(messages) => found.push(conversation(&record, messages, ask)),
            None => {
                let message = "no list of messages is here; it is skipped";
                notes.push(record.at.of(Warning::new("not_a_conversation", message)));
            }
        }
    }
    found
}

fn conversation(record: &Record, messages: &[Value], ask: &Ask) -> Imported {
    let value = &record.value;
    let mut pen = Pen::new(API_FORMAT);
    let place = |index: usize| record.at.inside(&format!("/chat_messages/{index}"));
    let ids: Vec<String> = messages.iter().enumerate().map(id).collect();
    let nodes: Vec<Node<'_>> = nodes(messages, &ids);
    let current = word(value, "current_leaf_message_uuid").filter(|id| *id != ROOT);
    let current = current.or_else(|| ids.last().map(String::as_str));
    let mut walked = walk(&nodes, current, ask.branch.as_deref());
    walked.tell(&mut pen, &record.at, |index| Some(place(index)));
    pen.transcript().model = word(value, "model").map(str::to_owned);
    let keys = [
        "uuid",
        "created_at",
        "updated_at",
        "summary",
        "project",
        "settings",
        "is_starred",
    ];
    pen.facts(facts(value, &keys), millis(value.get("created_at")));
    let mut writer = Writer {
        pen,
        model: word(value, "model"),
        called: BTreeSet::new(),
    };
    for index in walked.path {
        if let Some(message) = messages.get(index) {
            writer.message(message, &place(index));
        }
    }
    let mut pen = writer.pen;
    pen.name(word(value, "name"));
    let says = "neither the system prompt nor the tools' definitions are in the file; what was sent was larger";
    pen.tell("context_not_in_file", says, &record.at);
    pen.finish()
}

fn id((index, message): (usize, &Value)) -> String {
    word(message, "uuid").map_or_else(|| format!("message {}", index + 1), str::to_owned)
}

/// The messages as a tree; without links, or where one is missing, each follows the one before it.
fn nodes<'r>(messages: &'r [Value], ids: &'r [String]) -> Vec<Node<'r>> {
    let named = |message: &'r Value| word(message, "parent_message_uuid").filter(|id| *id != ROOT);
    let linked = messages.iter().any(|message| named(message).is_some());
    let node = |(index, (message, id)): (usize, (&'r Value, &'r String))| {
        let before = index.checked_sub(1).and_then(|before| ids.get(before));
        let parent = match message.get("parent_message_uuid") {
            Some(_) if linked => named(message),
            _ => before.map(String::as_str),
        };
        Node {
            id,
            parent,
            words: first_words(message),
            turn: word(message, "sender") == Some("human"),
            time: millis(message.get("created_at")),
        }
    };
    messages.iter().zip(ids).enumerate().map(node).collect()
}

fn first_words(message: &Value) -> &str {
    let blocks = message.get("content").and_then(Value::as_array);
    let texts = blocks
        .into_iter()
        .flatten()
        .filter_map(|block| word(block, "text"));
    let mut texts = texts.chain(word(message, "text"));
    texts
        .find(|text| !text.trim().is_empty())
        .unwrap_or_default()
}

struct Writer<'r> {
    pen: Pen,
    model: Option<&'r str>,
    /// The ids of the calls so far.
    called: BTreeSet<String>,
}

impl Writer<'_> {
    fn message(&mut self, message: &Value, at: &At) {
        let time = millis(message.get("created_at"));
        let summary = text_of(message.get("compaction_summary"));
        if !summary.is_empty() {
            let says = "a summary is kept aside: the file does not say which messages it stood for";
            self.pen.count("summary_not_placed", "", says, at);
            self.pen.aside("compaction_summary", &summary, None, time);
        }
        let blocks = message.get("content").and_then(Value::as_array);
        let blocks = blocks.map(Vec::as_slice).unwrap_or_default();
        let blocks: Vec<Value> = match blocks.iter().all(is_blank) {
            true => said(word(message, "text").unwrap_or_default()),
            false => blocks
                .iter()
                .filter(|block| !is_blank(block))
                .cloned()
                .collect(),
        };
        let files = files(message);
        if blocks.is_empty() && files.is_empty() {
            let sender = word(message, "sender").unwrap_or("unknown");
            return self.pen.wordless(sender, at);
        }
        match word(message, "sender").unwrap_or_default() {
            "human" => {
                let parts = blocks.into_iter().map(part).chain(files);
                self.pen.user(&parts.collect(), at, time);
            }
            "assistant" => self.answer(message, blocks, files, at, time),
            sender => {
                let words = text_of(Some(&Value::Array(blocks)));
                self.pen.role_unknown(sender, &words, message, at, time);
            }
        }
    }

    /// What the assistant said, in one answer up to each result.
    fn answer(
        &mut self,
        message: &Value,
        blocks: Vec<Value>,
        files: Vec<Value>,
        at: &At,
        time: i64,
    ) {
        let model = word(message, "model").or(self.model).map(str::to_owned);
        let reply = |stop_reason| Answer {
            stop_reason,
            model: model.as_deref(),
            timestamp: time,
            ..Answer::default()
        };
        let mut pieces = Vec::new();
        for block in blocks {
            match word(&block, "type").unwrap_or_default() {
                "tool_use" => {
                    let own = |key: &str| word(&block, key).unwrap_or_default().to_owned();
                    let input = block.get("input").cloned().unwrap_or_else(|| json!({}));
                    self.called.insert(own("id"));
                    pieces.push(Piece::Call(own("id"), own("name"), input));
                }
                "tool_result" => {
                    if !pieces.is_empty() {
                        self.pen
                            .answer(std::mem::take(&mut pieces), reply(None), at);
                    }
                    self.result(&block, at, time);
                }
                // How much room was left is told to the page, not the model, and without a figure.
                "token_budget" => {}
                "flag" => {
                    let says = "blocks that say nothing in the conversation are not kept";
                    self.pen.count("blocks_not_kept", "flag", says, at);
                }
                _ => pieces.push(Piece::Part(part(block))),
            }
        }
        pieces.extend(files.into_iter().map(Piece::Part));
        if !pieces.is_empty() {
            self.pen
                .answer(pieces, reply(word(message, "stop_reason")), at);
        }
    }

    fn result(&mut self, block: &Value, at: &At, time: i64) {
        let id = word(block, "tool_use_id").unwrap_or_default();
        let content = match block.get("content") {
            Some(Value::Array(parts)) => parts.iter().map(found).collect(),
            Some(content) => content.clone(),
            None => Value::Null,
        };
        let keys = [
            "type",
            "name",
            "content",
            "is_error",
            "tool_use_id",
            "start_timestamp",
            "stop_timestamp",
            "flags",
        ];
        let outcome = Outcome {
            // Most exports give neither calls nor results an id; then the name and the order tell.
            call: if self.called.contains(id) { id } else { "" },
            function: word(block, "name").unwrap_or_default(),
            content,
            failed: flag(block, "is_error"),
            details: rest(block, &keys).unwrap_or_default(),
        };
        self.pen.result(outcome, at, time);
    }
}

/// A block of words that has none.
fn is_blank(block: &Value) -> bool {
    let text = word(block, "text").unwrap_or_default();
    word(block, "type") == Some("text") && text.is_empty()
}

fn said(text: &str) -> Vec<Value> {
    let block = json!({"type": "text", "text": text});
    Some(block)
        .filter(|_| !text.is_empty())
        .into_iter()
        .collect()
}

/// A block in the reader's spelling: what stands beside its words is not sent.
fn part(block: Value) -> Value {
    match (word(&block, "type"), word(&block, "text")) {
        (Some("text" | "voice_note"), Some(text)) => json!({"type": "text", "text": text}),
        _ => block,
    }
}

/// A part of a result: pages and documents stand in it with what they are cited by.
fn found(block: &Value) -> Value {
    let own = |keys: &[&str]| {
        let words = keys.iter().filter_map(|key| word(block, key));
        let words = words.filter(|text| !text.is_empty());
        words.collect::<Vec<_>>().join("\n")
    };
    match word(block, "type").unwrap_or_default() {
        "knowledge" => json!({"type": "text", "text": own(&["title", "url", "text"])}),
        "local_resource" => json!({"type": "text", "text": own(&["name", "file_path"])}),
        "rag_reference" => {
            let name = block.pointer("/extras/title");
            let id = block.get("uri").or_else(|| block.get("doc_uuid"));
            json!({"type": "file", "file": {"filename": name, "file_id": id}})
        }
        "image" if block.get("source").is_none() => {
            json!({"type": "image_url", "image_url": {"url": block.get("file_uuid")}})
        }
        _ => part(block.clone()),
    }
}

/// What was uploaded with a message: its text where the file has it, else what it was.
fn files(message: &Value) -> Vec<Value> {
    let list = |key: &str| {
        let list = message.get(key).and_then(Value::as_array);
        list.map(Vec::as_slice).unwrap_or_default()
    };
    let attachments = list("attachments").iter().map(|attachment| {
        let name = word(attachment, "file_name").filter(|name| !name.is_empty());
        let text = word(attachment, "extracted_content").filter(|text| !text.is_empty());
        match text {
            Some(text) => {
                let head = name.map_or_else(String::new, |name| format!(": {name}"));
                json!({"type": "text", "text": format!("[Attachment{head}]\n{text}")})
            }
            None => {
                json!({"type": "file", "file": {"filename": name, "file_id": attachment.get("id")}})
            }
        }
    });
    let files = match list("files") {
        [] => list("files_v2"),
        files => files,
    };
    let files = files.iter().map(|file| {
        let id = ["file_uuid", "uuid"].iter().find_map(|key| word(file, key));
        json!({"type": "file", "file": {"filename": word(file, "file_name"), "file_id": id}})
    });
    attachments.chain(files).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Format, open};
    use super::*;
    use crate::transcript::{AgentMessage, ContentBlock};

    fn read(messages: Value, more: Value) -> Imported {
        let mut value = more;
        value["chat_messages"] = messages;
        let opened = open(value.to_string().as_bytes(), &Ask::default()).unwrap();
        assert_eq!(opened.format, Format::ClaudeAi);
        opened.conversations.into_iter().next().unwrap()
    }

    fn words(imported: &Imported) -> Vec<&str> {
        let spoken = imported.messages.iter();
        let spoken = spoken.filter(|message| !matches!(message, AgentMessage::Custom { .. }));
        let blocks = spoken.flat_map(AgentMessage::content);
        blocks
            .filter_map(|block| match block {
                ContentBlock::Text { text } => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }

    fn text(text: &str) -> Value {
        json!([{"type": "text", "text": text}])
    }

    #[test]
    fn words_that_stand_only_in_the_content_or_only_in_the_text_are_there() {
        let messages = json!([
            {"uuid": "1", "sender": "human", "text": "", "content": text("in the content")},
            {"uuid": "2", "sender": "human", "text": "in the text", "content": []},
            {"uuid": "3", "sender": "human", "text": "in the text too", "content": null},
            {"uuid": "4", "sender": "human", "text": "another text", "content": text("content first")},
        ]);
        let expected = [
            "in the content",
            "in the text",
            "in the text too",
            "content first",
        ];
        assert_eq!(words(&read(messages, json!({}))), expected);
    }

    #[test]
    fn the_text_of_an_upload_is_part_of_a_message_that_has_no_other_words() {
        let upload = json!({"file_name": "a.txt", "file_size": 3, "extracted_content": "abc"});
        let pasted = json!({"file_size": 3, "extracted_content": "def"});
        let messages = json!([{"uuid": "1", "sender": "human", "text": "", "content": [],
            "attachments": [upload, pasted], "files": []}]);
        let read = read(messages, json!({}));
        assert_eq!(
            words(&read),
            ["[Attachment: a.txt]\nabc", "[Attachment]\ndef"]
        );
    }

    #[test]
    fn a_block_of_an_unknown_type_stands_as_its_json_and_the_others_are_read() {
        let content = json!([{"type": "hologram", "of": 1}, {"type": "text", "text": "and words"}]);
        let messages = json!([{"uuid": "1", "sender": "assistant", "content": content}]);
        let read = read(messages, json!({}));
        assert_eq!(words(&read), [r#"{"type":"hologram","of":1}"#, "and words"]);
        assert_eq!(read.warnings[0].code, "part_unknown");
    }

    #[test]
    fn retries_are_branches_and_not_one_line_of_answers_that_contradict() {
        let messages = json!([
            {"uuid": "q", "sender": "human", "content": text("?"), "parent_message_uuid": ROOT},
            {"uuid": "a", "sender": "assistant", "content": text("yes"), "parent_message_uuid": "q"},
            {"uuid": "b", "sender": "assistant", "content": text("no"), "parent_message_uuid": "q"},
        ]);
        assert_eq!(words(&read(messages.clone(), json!({}))), ["?", "no"]);
        let named = read(messages, json!({"current_leaf_message_uuid": "a"}));
        assert_eq!(words(&named), ["?", "yes"]);
        let ends: Vec<_> = named.branches.iter().map(|branch| &*branch.title).collect();
        assert_eq!(ends, ["yes", "no"]);
    }
}
