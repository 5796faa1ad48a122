//! Claude Code session logs: JSONL of envelopes around Anthropic messages, the older `{"loglines": […]}` of
//! web sessions, captures of `--output-format stream-json`.
//!
//! Lines stand in file order once those written twice and those of other branches are out. An answer has one
//! line a block; lines of one message id are one message, and the usage of its last line is its usage. Each
//! sub-agent is a conversation of its own after the log's.

mod agents;
mod attachment;
mod iflow;
mod tree;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::Ask;
use super::pen::{Answer, Outcome, Pen, Piece};
use super::record::{Record, facts, flag, rest, text_of, word};
use super::time::millis;
use super::tree::title as first_words;
use crate::json::Notes;
use crate::transcript::{Branch, Imported, Usage};
use crate::wire::anthropic::API_FORMAT;
use crate::wire::usage;
use tree::Node;

/// What an envelope holds beside what is said; none of it is told again with every line.
const ENVELOPE: [&str; 29] = [
    "type",
    "subtype",
    "content",
    "message",
    "attachment",
    "uuid",
    "parentUuid",
    "logicalParentUuid",
    "sessionId",
    "session_id",
    "timestamp",
    "cwd",
    "gitBranch",
    "version",
    "userType",
    "entrypoint",
    "isSidechain",
    "isMeta",
    "slug",
    "agentId",
    "requestId",
    "promptId",
    "permissionMode",
    "parent_tool_use_id",
    "tool_use_id",
    "forkedFrom",
    "compactMetadata",
    "isVisibleInTranscriptOnly",
    "isSynthetic",
];

const NOT_KEPT: &str = "lines that say nothing in the conversation are not kept";

/// The conversations of a log: its own, then those of the agents below it.
pub(super) fn read(records: Vec<Record>, ask: &Ask, _: &mut Notes) -> Vec<Imported> {
    let mut pen = Pen::new(API_FORMAT);
    let mut titles = Vec::new();
    let mut talk = Vec::new();
    let mut shortened = BTreeMap::new();
    for record in unwrapped(records) {
        match word(&record.value, "type").unwrap_or_default() {
            "summary" | "ai-title" | "custom-title" => titles.push(record),
            "content-replacement" => shortened.extend(replacements(&record.value)),
            _ if is_talk(&record, &mut pen) => talk.push(record),
            _ => {}
        }
    }
    let (talk, ids) = once(talk, &mut pen);
    let mut agents = agents::apart(talk).into_iter();
    let own = agents.next().unwrap_or_default();
    title(&titles, &ids, own.is_empty(), &mut pen);
    let own = conversation(own, &ids, ask, &shortened, pen).finish();
    let below = agents.map(|lines| {
        let mut pen = conversation(lines, &ids, ask, &shortened, Pen::new(API_FORMAT));
        pen.name(None);
        pen.finish()
    });
    [own].into_iter().chain(below).collect()
}

/// Turns lines into a conversation. A long log is large, so each line is given up as soon as it is turned.
fn conversation(
    lines: Vec<Record>,
    ids: &BTreeSet<String>,
    ask: &Ask,
    shortened: &BTreeMap<String, String>,
    mut pen: Pen,
) -> Pen {
    let lines = on_the_path(lines, ids, ask, &mut pen);
    session(&lines, &mut pen);
    let log = Log {
        pen,
        shortened,
        boundary: None,
    };
    log.write(grouped(lines))
}

/// By the id of a call, the words that the model read in place of its result, which was too long.
fn replacements(value: &Value) -> Vec<(String, String)> {
    let list = value.get("replacements").and_then(Value::as_array);
    let one = |one: &Value| {
        let id = word(one, "toolUseId")?;
        Some((id.to_owned(), word(one, "replacement")?.to_owned()))
    };
    list.into_iter().flatten().filter_map(one).collect()
}

fn unwrapped(records: Vec<Record>) -> Vec<Record> {
    let wrapped = |record: Record| match record.value.get("loglines") {
        Some(_) => record.members("loglines"),
        None => vec![record],
    };
    records.into_iter().flat_map(wrapped).collect()
}

/// Whether a record is of the conversation; what is not is told.
fn is_talk(record: &Record, pen: &mut Pen) -> bool {
    match word(&record.value, "type").unwrap_or_default() {
        "user" | "assistant" | "system" | "attachment" | "result" => return true,
        kind @ "progress" => {
            // It says nothing, but others follow it.
            pen.count("lines_not_kept", kind, NOT_KEPT, &record.at);
            return true;
        }
        kind @ ("agent-color"
        | "agent-name"
        | "agent-setting"
        | "atis-latch"
        | "attribution-snapshot"
        | "bridge-session"
        | "continued-in"
        | "cost-state"
        | "file-history-delta"
        | "file-history-snapshot"
        | "fork-context-ref"
        | "frame-link"
        | "last-prompt"
        | "marble-origami-snapshot"
        | "mode"
        | "permission-mode"
        | "pr-link"
        | "queue-operation"
        | "relocated"
        | "saved_hook_context"
        | "speculation-accept"
        | "started"
        | "stream_event"
        | "tag"
        | "task-summary"
        | "worktree-state") => {
            pen.count("lines_not_kept", kind, NOT_KEPT, &record.at);
        }
        "marble-origami-commit" => {
            let says = "from here on the model read a summary in place of messages that the file still holds; times";
            pen.count("messages_summarised", "", says, &record.at);
        }
        kind => {
            let says = "lines of types that are not known here are not read";
            let kind = if kind.is_empty() {
                "without a type"
            } else {
                kind
            };
            pen.count("line_type_unknown", kind, says, &record.at);
        }
    }
    false
}

/// The records without those that stood before under the same uuid, and all uuids.
fn once(talk: Vec<Record>, pen: &mut Pen) -> (Vec<Record>, BTreeSet<String>) {
    let mut met = BTreeSet::new();
    let mut kept = Vec::with_capacity(talk.len());
    for record in talk {
        match word(&record.value, "uuid") {
            Some(id) if !met.insert(id.to_owned()) => {
                let says = "lines with the uuid of a line before are that line written again";
                pen.count("line_repeated", "", says, &record.at);
            }
            _ => kept.push(record),
        }
    }
    (kept, met)
}

fn is_said(value: &Value) -> bool {
    matches!(word(value, "type"), Some("user" | "assistant"))
}

fn title(titles: &[Record], ids: &BTreeSet<String>, alone: bool, pen: &mut Pen) {
    let mut best = None;
    for record in titles {
        let value = &record.value;
        let (rank, text) = match word(value, "type") {
            Some("custom-title") => (3, word(value, "customTitle").or(word(value, "title"))),
            Some("ai-title") => (2, word(value, "aiTitle").or(word(value, "title"))),
            // Summaries of earlier sessions stand at the head of a new one's file.
            _ if alone || word(value, "leafUuid").is_some_and(|leaf| ids.contains(leaf)) => {
                (1, word(value, "summary"))
            }
            _ => {
                pen.count(
                    "lines_not_kept",
                    "summary of another session",
                    NOT_KEPT,
                    &record.at,
                );
                continue;
            }
        };
        if let Some(text) = text.filter(|_| best.is_none_or(|(found, _)| rank >= found)) {
            best = Some((rank, text));
        }
    }
    pen.transcript().title = best.map(|(_, text)| text.to_owned());
}

/// The records of the branch that is asked for, else of the newest one.
fn on_the_path(talk: Vec<Record>, ids: &BTreeSet<String>, ask: &Ask, pen: &mut Pen) -> Vec<Record> {
    let nodes: Vec<Node<'_>> = talk.iter().map(|record| node(&record.value)).collect();
    for (node, record) in nodes.iter().zip(&talk) {
        if node.parent.is_some_and(|parent| !ids.contains(parent)) {
            let says = "lines follow a line that is not in the file; they stay where they stand";
            pen.count("parent_not_in_file", "", says, &record.at);
        }
    }
    let ways = tree::ways(&nodes, ask.branch.as_deref());
    let words = |index: usize| {
        let record = talk.get(index)?;
        Some(text_of(record.value.pointer("/message/content")))
    };
    let branches = ways.branches.iter().map(|way| Branch {
        id: nodes.get(way.end).map_or("", |node| node.id).to_owned(),
        title: first_words(&way.first.and_then(words).unwrap_or_default()),
        turns: way.turns,
        current: way.current,
    });
    pen.transcript().branches = branches.collect();
    let marked = talk.into_iter().zip(ways.left);
    marked
        .filter(|(_, left)| !left)
        .map(|(record, _)| record)
        .collect()
}

fn node(value: &Value) -> Node<'_> {
    let content = value.pointer("/message/content");
    let blocks = content.and_then(Value::as_array).into_iter().flatten();
    let answers = blocks
        .clone()
        .any(|block| word(block, "type") == Some("tool_result"));
    let own = word(value, "type") == Some("user")
        && !answers
        && !["isMeta", "isCompactSummary", "isSynthetic"]
            .iter()
            .any(|key| flag(value, key));
    Node {
        id: word(value, "uuid").unwrap_or_default(),
        parent: word(value, "parentUuid").or_else(|| word(value, "logicalParentUuid")),
        prompt: own.then(|| word(value, "timestamp").unwrap_or_default()),
    }
}

/// The facts that every envelope repeats, as the first one has them.
fn session(talk: &[Record], pen: &mut Pen) {
    let keys = [
        "sessionId",
        "session_id",
        "cwd",
        "gitBranch",
        "version",
        "agentId",
        "parent_tool_use_id",
    ];
    if let Some(first) = talk.first() {
        pen.facts(
            facts(&first.value, &keys),
            millis(first.value.get("timestamp")),
        );
    }
}

/// Lines in their order, those of one answer, by its message and its request, together where its first one stands.
fn grouped(lines: Vec<Record>) -> Vec<Vec<Record>> {
    let mut first: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut groups: Vec<Vec<Record>> = Vec::with_capacity(lines.len());
    for record in lines {
        let value = &record.value;
        let id = value.pointer("/message/id").and_then(Value::as_str);
        let id = id.filter(|id| !id.is_empty() && is_answer(value));
        let before = groups.last().and_then(|group| group.last());
        let grown = before.is_some_and(|before| {
            is_answer(&before.value) && is_answer(value) && iflow::grows(&before.value, value)
        });
        let last = groups.len().checked_sub(1).filter(|_| grown);
        let at = id.map(|id| {
            let request = word(value, "requestId").unwrap_or_default();
            let key = (id.to_owned(), request.to_owned());
            *first.entry(key).or_insert(last.unwrap_or(groups.len()))
        });
        match at.or(last).and_then(|at| groups.get_mut(at)) {
            Some(group) => group.push(record),
            None => groups.push(vec![record]),
        }
    }
    groups
}

/// Whether a model said it.
fn is_answer(value: &Value) -> bool {
    word(value, "type") == Some("assistant") && !is_made_here(value)
}

/// An answer that the client made up, of an error for one.
fn is_made_here(value: &Value) -> bool {
    let model = value.pointer("/message/model").and_then(Value::as_str);
    flag(value, "isApiErrorMessage") || model == Some("<synthetic>")
}

struct Log<'s> {
    pen: Pen,
    /// By the id of a call, what stood for its result.
    shortened: &'s BTreeMap<String, String>,
    /// A boundary whose summary has not come yet.
    boundary: Option<Record>,
}

impl Log<'_> {
    fn write(mut self, groups: Vec<Vec<Record>>) -> Pen {
        for group in groups {
            let Some(record) = group.first() else {
                continue;
            };
            let value = &record.value;
            let summary = flag(value, "isCompactSummary");
            if is_said(value) && !summary {
                self.without_summary();
            }
            match word(value, "type").unwrap_or_default() {
                "user" if summary => self.summary(record),
                "user" => self.user(record),
                "assistant" if is_made_here(value) => {
                    let kind = if flag(value, "isApiErrorMessage") {
                        "api_error"
                    } else {
                        "synthetic"
                    };
                    let text = text_of(value.pointer("/message/content"));
                    self.pen.aside(
                        kind,
                        &text,
                        rest(value, &ENVELOPE),
                        millis(value.get("timestamp")),
                    );
                }
                "assistant" => self.assistant(&group),
                "attachment" => self.attachment(record),
                "progress" => {}
                _ if word(value, "subtype") == Some("compact_boundary") => {
                    self.without_summary();
                    self.boundary = group.into_iter().next();
                }
                _ => self.system(record),
            }
        }
        self.without_summary();
        self.pen
    }

    fn user(&mut self, record: &Record) {
        let value = &record.value;
        let time = millis(value.get("timestamp"));
        let Some(content) = value.pointer("/message/content") else {
            let says = "lines of a user without a message are not read";
            return self.pen.count("not_a_message", "", says, &record.at);
        };
        let is_result = |block: &&Value| word(block, "type") == Some("tool_result");
        let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
        let mut details = value
            .get("toolUseResult")
            .or_else(|| value.get("tool_use_result"))
            .cloned();
        for block in blocks.iter().filter(is_result) {
            let id = word(block, "tool_use_id").unwrap_or_default();
            let mut content = match self.shortened.get(id) {
                Some(text) => {
                    let says = "results of which the model read less than the file holds stand as it read them; times";
                    self.pen.count("result_shortened", "", says, &record.at);
                    json!(text)
                }
                None => block.get("content").cloned().unwrap_or_default(),
            };
            let mut failed = flag(block, "is_error");
            let mut details = details.take().unwrap_or_default();
            iflow::unwrap(&mut content, &mut failed, &mut details);
            let outcome = Outcome {
                call: id,
                content,
                failed,
                details,
                ..Outcome::default()
            };
            self.pen.result(outcome, &record.at, time);
        }
        let words = match content.as_array() {
            Some(blocks) if blocks.iter().any(|block| is_result(&block)) => {
                let words = blocks.iter().filter(|block| !is_result(block));
                let words: Vec<Value> = words.cloned().collect();
                if words.is_empty() {
                    return;
                }
                Value::Array(words)
            }
            _ => content.clone(),
        };
        if flag(value, "isVisibleInTranscriptOnly") {
            self.pen
                .aside("transcript_only", &text_of(Some(content)), None, time);
        } else if flag(value, "isMeta") || flag(value, "isSynthetic") {
            self.pen
                .injected(&words, !flag(value, "isMeta"), "meta", &record.at, time);
        } else {
            self.pen.user(&words, &record.at, time);
        }
    }

    fn assistant(&mut self, group: &[Record]) {
        let mut pieces = Vec::new();
        let mut results = Vec::new();
        let mut answer = Answer::default();
        for record in group {
            let Some(message) = record.value.get("message") else {
                continue;
            };
            match message.get("content") {
                Some(Value::Array(blocks)) => {
                    blocks
                        .iter()
                        .for_each(|block| piece(block, &mut pieces, &mut results));
                }
                Some(Value::Null) | None => {}
                Some(content) => pieces.push(Piece::Part(content.clone())),
            }
            answer.stop_reason = word(message, "stop_reason").or(answer.stop_reason);
            answer.model = word(message, "model").or(answer.model);
            answer.usage = usage(message.get("usage"))
                .filter(is_counted)
                .or(answer.usage);
            if answer.timestamp == 0 {
                answer.timestamp = millis(record.value.get("timestamp"));
            }
        }
        let time = answer.timestamp;
        let Some(first) = group.first() else { return };
        self.pen.answer(pieces, answer, &first.at);
        for block in results {
            let id = word(block, "tool_use_id").unwrap_or_default();
            let content = match block.get("content") {
                Some(Value::String(text)) => json!(text),
                Some(Value::Null) | None => Value::Null,
                // What a server's own tool found is structured, and partly sealed.
                Some(content) => json!(content.to_string()),
            };
            let outcome = Outcome {
                call: id,
                content,
                failed: flag(block, "is_error"),
                ..Outcome::default()
            };
            self.pen.result(outcome, &first.at, time);
        }
    }

    fn attachment(&mut self, record: &Record) {
        let Some(attachment) = record.value.get("attachment") else {
            let says = "attachment lines without an attachment are not read";
            return self.pen.count("not_a_message", "", says, &record.at);
        };
        match (word(attachment, "type"), attachment.get("prompt")) {
            (Some("queued_command"), Some(prompt)) => {
                self.without_summary();
                let time = millis(record.value.get("timestamp"));
                self.pen.user(prompt, &record.at, time);
            }
            _ => attachment::write(&mut self.pen, record, attachment),
        }
    }

    fn system(&mut self, record: &Record) {
        let value = &record.value;
        let time = millis(value.get("timestamp"));
        let kind = word(value, "subtype").unwrap_or("system");
        match kind {
            "init" => {
                self.pen.transcript().model = word(value, "model").map(str::to_owned);
            }
            "microcompact_boundary" => {
                let says = "from here on the model did not see earlier results that the file still holds; times";
                self.pen.count("results_cleared", "", says, &record.at);
            }
            _ => {}
        }
        let kind = if word(value, "type") == Some("result") {
            "result"
        } else {
            kind
        };
        let text = text_of(value.get("content"));
        self.pen.aside(kind, &text, rest(value, &ENVELOPE), time);
    }

    /// The summary the model went on from, which stands for everything before it.
    fn summary(&mut self, record: &Record) {
        let text = text_of(record.value.pointer("/message/content"));
        let facts = boundary_facts(self.boundary.take().as_ref());
        self.pen
            .compaction(&text, facts, millis(record.value.get("timestamp")));
    }

    fn without_summary(&mut self) {
        if let Some(record) = self.boundary.take() {
            let says = "compactions whose summary is not in the file: what stands before them is shown as if it were sent";
            self.pen.count("summary_not_in_file", "", says, &record.at);
            let time = millis(record.value.get("timestamp"));
            self.pen.compaction("", boundary_facts(Some(&record)), time);
        }
    }
}

/// Whether anything was counted; clients of servers that count nothing write zeros.
fn is_counted(usage: &Usage) -> bool {
    let counts = [usage.input, usage.output, usage.cache_read];
    counts.iter().flatten().any(|count| *count > 0)
}

fn boundary_facts(record: Option<&Record>) -> Map<String, Value> {
    let metadata = record.and_then(|record| {
        let value = &record.value;
        value
            .get("compactMetadata")
            .or_else(|| value.get("compact_metadata"))
    });
    metadata
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default()
}

fn piece<'b>(block: &'b Value, pieces: &mut Vec<Piece>, results: &mut Vec<&'b Value>) {
    match word(block, "type").unwrap_or_default() {
        "tool_use" | "server_tool_use" | "mcp_tool_use" => {
            let own = |key: &str| word(block, key).unwrap_or_default().to_owned();
            let input = block.get("input").cloned().unwrap_or_else(|| json!({}));
            let known = |piece: &Piece| matches!(piece, Piece::Call(id, ..) if !id.is_empty() && *id == own("id"));
            if pieces.iter().any(known) {
                return;
            }
            pieces.push(Piece::Call(own("id"), own("name"), input));
        }
        kind if kind.ends_with("tool_result") => results.push(block),
        _ => pieces.push(Piece::Part(block.clone())),
    }
}

#[cfg(test)]
mod tests;
