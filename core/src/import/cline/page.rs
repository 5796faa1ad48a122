//! What a task showed on its page: what was said, and notices of everything else.

use serde_json::{Value, json};

use super::super::pen::{Answer, Pen, Piece};
use super::super::record::{At, Record, facts, rest, word};
use super::super::time::millis;
use super::pen;
use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::{Imported, Usage};

/// Whether an item of a list is a notice of the page.
pub(super) fn is_shown(item: &Value) -> bool {
    let kind = word(item, "type").filter(|kind| matches!(*kind, "ask" | "say"));
    item.get("ts").is_some_and(Value::is_number)
        && kind.is_some_and(|kind| item.get(kind).is_some_and(Value::is_string))
}

/// The conversation of a page.
pub(super) fn read(items: &[Record], notes: &mut Notes) -> Imported {
    let says = "this is what the page showed: what was sent stands in api_conversation_history.json beside it";
    notes.push(Warning::new("page_log", says));
    let mut page = Page {
        pen: pen(),
        pieces: Vec::new(),
        request: None,
        model: None,
        spoken: false,
    };
    let range = items
        .iter()
        .rev()
        .find(|item| item.value.get(RANGE).is_some());
    if let Some(item) = range {
        let says =
            "messages of the sent log, by their index, were left out of later requests; ranges";
        page.pen.count("left_out_later", "", says, &item.at);
        page.pen
            .facts(facts(&item.value, &[RANGE]), millis(item.value.get("ts")));
    }
    for item in items {
        page.notice(item);
    }
    page.answer();
    page.pen.finish()
}

const NOT_KEPT: &str = "notices that say nothing in the conversation are not kept";

const RANGE: &str = "conversationHistoryDeletedRange";

struct Page<'r> {
    pen: Pen,
    /// What the model said to the newest request.
    pieces: Vec<Piece>,
    /// The newest request, with its count, and where it stands.
    request: Option<(Value, &'r At, i64)>,
    /// The model and its provider, as the newest notice has them.
    model: Option<&'r Value>,
    /// The person has spoken.
    spoken: bool,
}

impl<'r> Page<'r> {
    fn notice(&mut self, item: &'r Record) {
        let (value, at) = (&item.value, &item.at);
        let time = millis(value.get("ts"));
        let kind = word(value, "type")
            .and_then(|kind| word(value, kind))
            .unwrap_or_default();
        let text = word(value, "text").unwrap_or_default();
        let told = |key: &str| {
            let read: Option<Value> = serde_json::from_str(text).ok();
            let said = read.as_ref().and_then(|read| word(read, key));
            said.unwrap_or(text).to_owned()
        };
        if let Some(reasoning) = word(value, "reasoning").filter(|text| !text.is_empty()) {
            self.pieces.push(thinking(reasoning));
        }
        self.model = value.get("modelInfo").or(self.model);
        match kind {
            "task" | "user_feedback" => self.user(value, text, at, time),
            "text" if !self.spoken => self.user(value, text, at, time),
            "text" | "completion_result" => self.said(text, at, time),
            "followup" => self.said(&told("question"), at, time),
            "plan_mode_respond" | "act_mode_respond" => self.said(&told("response"), at, time),
            "reasoning" if word(value, "reasoning").is_none() => self.pieces.push(thinking(text)),
            "reasoning" => {}
            "api_req_started" => {
                self.answer();
                let read = serde_json::from_str(text).unwrap_or_else(|_| {
                    let says = "requests whose count is no JSON have none";
                    self.pen.count("count_unreadable", "", says, at);
                    json!({"request": text})
                });
                if let Some(sent) = word(&read, "request") {
                    self.pen.aside(kind, sent, None, time);
                }
                self.request = Some((read, at, time));
            }
            // One that is still going on.
            "condense_context" if value.get("contextCondense").is_none() && text.is_empty() => {
                self.pen.count("lines_not_kept", kind, NOT_KEPT, at);
            }
            "condense_context" => {
                self.answer();
                let condensed = value.get("contextCondense").unwrap_or(&Value::Null);
                let summary = word(condensed, "summary").unwrap_or(text);
                let facts = facts(
                    condensed,
                    &["prevContextTokens", "newContextTokens", "cost"],
                );
                self.pen.compaction(summary, facts, time);
            }
            "checkpoint_created"
            | "checkpoint_saved"
            | "api_req_deleted"
            | "api_req_finished"
            | "api_req_rate_limit_wait"
            | "api_req_retried"
            | "api_req_retry_delayed"
            | "deleted_api_reqs" => self.pen.count("lines_not_kept", kind, NOT_KEPT, at),
            kind => {
                let left = rest(
                    value,
                    &[
                        "ts",
                        "type",
                        "ask",
                        "say",
                        "text",
                        "partial",
                        "reasoning",
                        "modelInfo",
                        RANGE,
                        "conversationHistoryIndex",
                    ],
                );
                if text.is_empty() && left.is_none() {
                    return self.pen.count("lines_not_kept", kind, NOT_KEPT, at);
                }
                self.answer();
                self.pen.aside(kind, text, left, time);
            }
        }
    }

    fn user(&mut self, value: &Value, text: &str, at: &At, time: i64) {
        self.answer();
        self.spoken = true;
        let mut parts = vec![json!({"type": "text", "text": text})];
        let pictures = value.get("images").and_then(Value::as_array);
        parts.extend(
            pictures
                .into_iter()
                .flatten()
                .map(|picture| json!({"type": "image_url", "image_url": {"url": picture}})),
        );
        self.pen.user(&Value::Array(parts), at, time);
        if let Some(files) = value
            .get("files")
            .and_then(Value::as_array)
            .filter(|f| !f.is_empty())
        {
            self.pen
                .aside("files", "", Some(json!({ "files": files })), time);
        }
    }

    fn said(&mut self, text: &str, at: &'r At, time: i64) {
        if text.is_empty() {
            return;
        }
        self.pieces.push(Piece::Part(json!(text)));
        self.request.get_or_insert_with(|| (Value::Null, at, time));
    }

    /// What was said to the newest request, and what that cost.
    fn answer(&mut self) {
        let pieces = std::mem::take(&mut self.pieces);
        let Some((request, at, time)) = self.request.take() else {
            return;
        };
        let number = |key: &str| request.get(key).and_then(Value::as_u64);
        let usage = Usage {
            input: number("tokensIn"),
            output: number("tokensOut"),
            cache_read: number("cacheReads"),
            cache_write: number("cacheWrites"),
            reasoning: None,
            cost_usd: request.get("cost").and_then(Value::as_f64),
        };
        if pieces.is_empty() && usage.output.unwrap_or(0) == 0 {
            return;
        }
        let failure = word(&request, "streamingFailedMessage");
        let cancelled = word(&request, "cancelReason") == Some("user_cancelled");
        let answer = Answer {
            stop_reason: cancelled.then_some("user_cancelled"),
            error: failure,
            model: self.model.and_then(|info| word(info, "modelId")),
            provider: self.model.and_then(|info| word(info, "providerId")),
            usage: (usage != Usage::default()).then_some(usage),
            timestamp: time,
        };
        self.pen.answer(pieces, answer, at);
    }
}

fn thinking(text: &str) -> Piece {
    Piece::Part(json!({"type": "thinking", "thinking": text}))
}
