//! Event logs of Copilot CLI (`events.jsonl`): `{type, data, id, parentId, timestamp}` by line.
//!
//! Each event follows another; a rewind goes back to before one, and what it took out is a branch that was left.
//! The person's words stand in what was sent between what the tool put around them. Events of sub-agents are not
//! the conversation.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Ask;
use super::pen::{Answer, Outcome, Pen, Piece};
use super::record::{At, Record, facts, text_of, word};
use super::time::millis;
use super::tree::{Node, walk};
use crate::json::Notes;
use crate::transcript::{AgentMessage, Imported, Usage};

/// The conversation of a log.
pub(super) fn read(records: Vec<Record>, ask: &Ask, _: &mut Notes) -> Vec<Imported> {
    // Copilot talks to every provider; the pen needs no wire to write what they said.
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    let path = on_path(&records, &mut pen, ask);
    let mut log = Log {
        pen,
        reasoning: None,
        usage: None,
        called: BTreeMap::new(),
    };
    for record in path {
        log.event(record);
    }
    vec![log.pen.finish()]
}

/// Whether a line is an event of such a log.
pub(super) fn is_event(value: &Value) -> bool {
    let rooms = [
        "session.",
        "user.",
        "assistant.",
        "tool.",
        "system.",
        "hook.",
        "subagent.",
    ];
    let of_a_room = |kind: &str| rooms.iter().any(|room| kind.starts_with(room));
    word(value, "type").is_some_and(of_a_room) && value.get("data").is_some_and(Value::is_object)
}

fn data(value: &Value) -> &Value {
    value.get("data").unwrap_or(&Value::Null)
}

/// The events on the way to the last one.
fn on_path<'r>(records: &'r [Record], pen: &mut Pen, ask: &Ask) -> Vec<&'r Record> {
    let ids: Vec<String> = records
        .iter()
        .enumerate()
        .map(|(index, record)| match word(&record.value, "id") {
            Some(id) => id.to_owned(),
            None => format!("#{index}"),
        })
        .collect();
    let places: BTreeMap<&str, usize> = ids
        .iter()
        .enumerate()
        .rev()
        .map(|(index, id)| (id.as_str(), index))
        .collect();
    let mut parents: Vec<Option<usize>> = Vec::with_capacity(records.len());
    for (index, record) in records.iter().enumerate() {
        let value = &record.value;
        let before = index.checked_sub(1);
        let told = word(value, "parentId").map(|id| places.get(id).copied());
        let rewound = (word(value, "type") == Some("session.snapshot_rewind"))
            .then(|| word(data(value), "upToEventId"))
            .flatten();
        let parent = match (rewound.and_then(|id| places.get(id)), told) {
            (Some(to), _) => parents.get(*to).copied().flatten(),
            (None, Some(Some(parent))) => Some(parent),
            (None, Some(None)) => {
                let says = "events follow an event that is not in the file; they go on from the one before them";
                pen.count("parent_not_in_file", "", says, &record.at);
                before
            }
            (None, None) => before,
        };
        parents.push(parent);
    }
    let words: Vec<&str> = records
        .iter()
        .map(|record| word(data(&record.value), "content").unwrap_or_default())
        .collect();
    let nodes: Vec<Node<'_>> = records
        .iter()
        .enumerate()
        .zip(&words)
        .map(|((index, record), words)| Node {
            id: ids.get(index).map_or("", String::as_str),
            parent: parents
                .get(index)
                .copied()
                .flatten()
                .and_then(|p| Some(ids.get(p)?.as_str())),
            words,
            turn: word(&record.value, "type") == Some("user.message"),
            time: millis(record.value.get("timestamp")),
        })
        .collect();
    let last = ids.last().map(String::as_str);
    let walked = walk(&nodes, last, ask.branch.as_deref());
    pen.transcript().branches = walked.branches;
    walked
        .path
        .iter()
        .filter_map(|index| records.get(*index))
        .collect()
}

struct Log {
    pen: Pen,
    /// Reasoning that stands before the words it led to.
    reasoning: Option<String>,
    /// A count that stands before the words it is of.
    usage: Option<Usage>,
    /// The calls that were made, and the function of each.
    called: BTreeMap<String, String>,
}

const NOT_KEPT: &str = "events that say nothing in the conversation are not kept";

impl Log {
    fn event(&mut self, record: &Record) {
        let value = &record.value;
        let (data, at) = (data(value), &record.at);
        let time = millis(value.get("timestamp"));
        if let Some(agent) = word(data, "parentToolCallId").or_else(|| word(value, "agentId")) {
            let says =
                "events of sub-agents are conversations of their own and are not shown; by agent";
            return self.pen.count("sub_agents_apart", agent, says, at);
        }
        let text = |key: &str| word(data, key).unwrap_or_default();
        match word(value, "type").unwrap_or_default() {
            "session.start" | "session.resume" => {
                let keys = [
                    "sessionId",
                    "copilotVersion",
                    "producer",
                    "startTime",
                    "context",
                ];
                self.pen.facts(facts(data, &keys), time);
                self.model(word(data, "selectedModel"));
            }
            "session.model_change" => self.model(word(data, "newModel")),
            "session.title_changed" => {
                self.pen.transcript().title = word(data, "title").map(str::to_owned);
            }
            "session.compaction_complete" => self.compaction(data, time),
            "user.message" => self.user(data, at, time),
            "system.message" => {
                let role = if text("role") == "developer" {
                    "developer"
                } else {
                    "system"
                };
                let content = data.get("content").unwrap_or(&Value::Null);
                self.pen.system(role, content, at, time);
            }
            "assistant.reasoning" => self.reasoning = Some(text("content").to_owned()),
            "assistant.message" => self.answer(data, at, time),
            "assistant.usage" => self.counted(data),
            "tool.execution_start" => self.called(data, at, time),
            "tool.execution_complete" => self.result(data, at, time),
            kind @ ("session.error"
            | "session.info"
            | "session.warning"
            | "session.truncation"
            | "session.snapshot_rewind"
            | "session.handoff"
            | "abort"
            | "skill.invoked"
            | "system.notification") => {
                let said = ["message", "content", "reason"];
                let said = said
                    .iter()
                    .find_map(|key| word(data, key))
                    .unwrap_or_default();
                self.pen.aside(kind, said, Some(data.clone()), time);
            }
            kind if is_event(value) || matches!(kind, "result" | "pending_messages.modified") => {
                self.pen.count("lines_not_kept", kind, NOT_KEPT, at);
            }
            kind => {
                let says = "events of types that are not known here are kept aside";
                let kind = if kind.is_empty() {
                    "without a type"
                } else {
                    kind
                };
                self.pen.count("line_type_unknown", kind, says, at);
                self.pen.aside(kind, "", Some(value.clone()), time);
            }
        }
    }

    fn model(&mut self, model: Option<&str>) {
        if model.is_some() {
            self.pen.transcript().model = model.map(str::to_owned);
        }
    }

    fn compaction(&mut self, data: &Value, time: i64) {
        match word(data, "summaryContent") {
            Some(summary) if data.get("success") != Some(&Value::Bool(false)) => {
                let keys = [
                    "preCompactionTokens",
                    "postCompactionTokens",
                    "checkpointNumber",
                ];
                self.pen.compaction(summary, facts(data, &keys), time);
            }
            _ => self
                .pen
                .aside("session.compaction_complete", "", Some(data.clone()), time),
        }
    }

    /// The person's words, and around them what was sent with them. Where others were sent in their place, those.
    fn user(&mut self, data: &Value, at: &At, time: i64) {
        let typed = word(data, "content").unwrap_or_default();
        let sent = word(data, "transformedContent").unwrap_or(typed);
        let from = sent.find(typed).filter(|_| !typed.is_empty());
        let (before, words, after) = match from {
            Some(from) => (
                sent.get(..from).unwrap_or_default(),
                typed,
                sent.get(from + typed.len()..).unwrap_or_default(),
            ),
            None => ("", sent, ""),
        };
        if words != typed {
            self.pen.aside("typed", typed, None, time);
        }
        let items = data.get("attachments").and_then(Value::as_array);
        let is_blob = |item: &&Value| item.get("data").is_some_and(Value::is_string);
        let (blobs, others): (Vec<&Value>, Vec<&Value>) =
            items.into_iter().flatten().partition(is_blob);
        let mut parts = vec![json!({"type": "text", "text": words})];
        parts.extend(blobs.into_iter().map(|item| json!({ "inlineData": item })));
        self.around(before, at, time);
        self.pen.user(&Value::Array(parts), at, time);
        self.around(after, at, time);
        for item in others {
            self.pen.aside("attachment", "", Some(item.clone()), time);
        }
    }

    fn around(&mut self, text: &str, at: &At, time: i64) {
        if !text.trim().is_empty() {
            self.pen
                .injected(&json!(text), false, "transformed", at, time);
        }
    }

    fn answer(&mut self, data: &Value, at: &At, time: i64) {
        let mut pieces = Vec::new();
        let reasoning = self.reasoning.take();
        let reasoning = word(data, "reasoningText").map(str::to_owned).or(reasoning);
        let sealed = word(data, "reasoningOpaque").or_else(|| word(data, "encryptedContent"));
        if reasoning.is_some() || sealed.is_some() {
            let text = reasoning.unwrap_or_default();
            pieces.push(Piece::Part(
                json!({"type": "thinking", "thinking": text, "signature": sealed}),
            ));
        }
        if let Some(text) = word(data, "content").filter(|text| !text.is_empty()) {
            pieces.push(Piece::Part(json!(text)));
        }
        let calls = data.get("toolRequests").and_then(Value::as_array);
        for call in calls.into_iter().flatten() {
            let own = |key: &str| word(call, key).unwrap_or_default().to_owned();
            self.called.insert(own("toolCallId"), own("name"));
            let arguments = call.get("arguments").cloned().unwrap_or_else(|| json!({}));
            pieces.push(Piece::Call(own("toolCallId"), own("name"), arguments));
        }
        let output = data.get("outputTokens").and_then(Value::as_u64);
        let output = output.map(|output| Usage {
            output: Some(output),
            ..Usage::default()
        });
        let model = word(data, "model").map(str::to_owned);
        let model = model.or_else(|| self.pen.transcript().model.clone());
        let answer = Answer {
            model: model.as_deref(),
            usage: self.usage.take().or(output),
            timestamp: time,
            ..Answer::default()
        };
        self.pen.answer(pieces, answer, at);
    }

    /// What the provider counted, of the answer before it or, when that has its count, of the next.
    fn counted(&mut self, data: &Value) {
        let number = |key: &str| data.get(key).and_then(Value::as_u64);
        let (cache_read, cache_write) = (number("cacheReadTokens"), number("cacheWriteTokens"));
        let cached = cache_read
            .unwrap_or(0)
            .saturating_add(cache_write.unwrap_or(0));
        let counted = Usage {
            input: number("inputTokens").map(|all| all.saturating_sub(cached)),
            output: number("outputTokens"),
            cache_read,
            cache_write,
            reasoning: number("reasoningTokens"),
            cost_usd: None,
        };
        match self.pen.transcript().messages.last_mut() {
            Some(AgentMessage::Assistant { usage, .. })
                if usage.as_ref().is_none_or(|usage| usage.input.is_none()) =>
            {
                *usage = Some(counted);
            }
            _ => self.usage = Some(counted),
        }
    }

    /// A call that no answer asked for in words: the log has only that it ran.
    fn called(&mut self, data: &Value, at: &At, time: i64) {
        let own = |key: &str| word(data, key).unwrap_or_default().to_owned();
        let (id, name) = (own("toolCallId"), own("toolName"));
        if self.called.contains_key(&id) {
            return;
        }
        self.called.insert(id.clone(), name.clone());
        let arguments = data.get("arguments").cloned().unwrap_or_else(|| json!({}));
        let answer = Answer {
            timestamp: time,
            ..Answer::default()
        };
        self.pen
            .answer(vec![Piece::Call(id, name, arguments)], answer, at);
    }

    fn result(&mut self, data: &Value, at: &At, time: i64) {
        let id = word(data, "toolCallId").unwrap_or_default();
        let function = self.called.get(id).cloned().unwrap_or_default();
        let said = data.get("result").or_else(|| data.get("output"));
        let content = match said {
            Some(Value::Object(members)) => members.get("content").cloned(),
            other => other.cloned(),
        };
        let error = data.get("error").filter(|error| !error.is_null());
        let failure = error.map(|error| match word(error, "message") {
            Some(text) => text.to_owned(),
            None => text_of(Some(error)),
        });
        let details = said.and_then(|said| said.get("detailedContent"));
        let outcome = Outcome {
            call: id,
            function: &function,
            content: content.or(failure.map(Value::from)).unwrap_or_default(),
            failed: error.is_some() || data.get("success") == Some(&Value::Bool(false)),
            details: details
                .map(|text| json!({"detailed": text}))
                .unwrap_or_default(),
        };
        self.pen.result(outcome, at, time);
    }
}
