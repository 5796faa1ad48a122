//! The parts of a message: what was said, what was called and came back, and what was never sent.

use serde_json::{Map, Value, json};

use super::super::pen::{Answer, Outcome, Pen, Piece};
use super::super::record::{At, facts, flag, rest, word};
use crate::transcript::AgentMessage;
pub(super) use crate::wire::ai_sdk::text;
use crate::wire::ai_sdk::{output, plain, spoken};

/// A call of the model: its answer, and what stands between it and the next.
#[derive(Default)]
pub(super) struct Step {
    pieces: Vec<Piece>,
    after: Vec<After>,
    /// The number that version 4 gives the calls of a step, once there is one.
    number: Option<u64>,
}

/// What follows an answer.
enum After {
    /// Something that is not sent: its kind, its words, its facts.
    Aside(String, String, Option<Value>),
    /// What a call came back with.
    Result {
        call: String,
        function: String,
        content: Value,
        failed: bool,
        details: Value,
    },
    /// Words of the person between two steps.
    Said(Vec<Value>),
}

/// Whether only the AI SDK spells a part of a content so.
pub(super) fn is_own(part: &Value) -> bool {
    match word(part, "type").unwrap_or_default() {
        "tool-call" | "tool-result" | "tool-error" => word(part, "toolCallId").is_some(),
        "tool-approval-request" | "tool-approval-response" => true,
        "image" => part.get("image").is_some(),
        "file" | "reasoning-file" => word(part, "mediaType")
            .or_else(|| word(part, "mimeType"))
            .is_some(),
        "reasoning" => part.get("text").is_some(),
        "redacted-reasoning" => true,
        _ => false,
    }
}

/// Whether a later part says of the same call what this one did not know yet.
pub(super) fn superseded(part: &Value, later: &[Value]) -> bool {
    let Some(id) = word(part, "toolCallId").filter(|_| part.get("state").is_some()) else {
        return false;
    };
    let whole = part
        .get("output")
        .or_else(|| part.get("errorText"))
        .is_some();
    let again =
        |other: &Value| word(other, "toolCallId") == Some(id) && other.get("state").is_some();
    (flag(part, "preliminary") || !whole) && later.iter().any(again)
}

/// Words of the person with their files; what goes with them unsent stands behind them.
pub(super) fn said(pen: &mut Pen, parts: &[Value], at: &At, time: i64) {
    let (mut content, mut others) = (Vec::new(), Step::default());
    for part in parts {
        match spoken(part) {
            Some(part) => content.push(part),
            None => others.unsent(part, pen, at),
        }
    }
    if !content.is_empty() || parts.is_empty() {
        pen.user(&Value::Array(content), at, time);
    }
    others.after(pen, at, time);
}

impl Step {
    /// Whether nothing was said and nothing follows.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.after.is_empty()
    }

    /// Whether a part begins another call of the model. Version 4 says so by the number of a call, or only by
    /// going on talking after it.
    pub fn ends_before(&self, part: &Value) -> bool {
        let numbered = |part: &Value| part.pointer("/toolInvocation/step").and_then(Value::as_u64);
        let said_on = matches!(self.after.last(), Some(After::Said(_)));
        said_on
            || match word(part, "type").unwrap_or_default() {
                "step-start" => true,
                "tool-invocation" => self
                    .number
                    .is_some_and(|number| number != numbered(part).unwrap_or(0)),
                "text" | "reasoning" => self.number.is_some(),
                _ => false,
            }
    }

    /// Takes a part of a message of the model's or of a tool's.
    pub fn add(&mut self, part: &Value, pen: &mut Pen, at: &At) {
        let kind = word(part, "type").unwrap_or_default();
        match kind {
            "step-start" => {}
            "tool-invocation" => {
                let inner = part.get("toolInvocation").unwrap_or(part);
                self.number = Some(inner.get("step").and_then(Value::as_u64).unwrap_or(0));
                self.called(inner, word(inner, "toolName"), pen, at);
            }
            "dynamic-tool" => self.called(part, word(part, "toolName"), pen, at),
            "tool-call" | "tool_call" if part.get("state").is_none() => self.call(part),
            "tool-result" | "tool-error" | "tool-output-denied" if part.get("state").is_none() => {
                self.result(part, word(part, "toolName"));
            }
            "tool_call_response" => self.result(part, word(part, "name")),
            "tool-approval-request" => {
                let mut facts = members(part, &["type", "toolCall"]);
                let call = part.pointer("/toolCall/toolCallId");
                facts.extend(call.map(|call| ("toolCallId".to_owned(), call.clone())));
                self.aside(kind, word(part, "reason"), facts);
            }
            "tool-approval-response" => {
                let mut facts = members(part, &["type"]);
                let call = asked(pen, word(part, "approvalId"));
                facts.extend(call.map(|call| ("toolCallId".to_owned(), call)));
                self.aside(kind, word(part, "reason"), facts);
            }
            "steering-message" => {
                let parts = part.get("parts").and_then(Value::as_array);
                self.after
                    .push(After::Said(parts.cloned().unwrap_or_default()));
            }
            _ => match (kind.strip_prefix("tool-"), spoken(part)) {
                (Some(name), _) => self.called(part, Some(name), pen, at),
                (None, Some(part)) => self.pieces.push(Piece::Part(part)),
                (None, None) => self.unsent(part, pen, at),
            },
        }
    }

    /// Writes the answer, if there is one, and what follows it.
    pub fn write(mut self, pen: &mut Pen, answer: Answer<'_>, at: &At) {
        let time = answer.timestamp;
        let pieces = std::mem::take(&mut self.pieces);
        let told = answer.error.is_some() || answer.usage.is_some();
        if !pieces.is_empty() || told || self.after.is_empty() {
            pen.answer(pieces, answer, at);
        }
        self.after(pen, at, time);
    }

    /// Writes what follows an answer.
    pub fn after(self, pen: &mut Pen, at: &At, time: i64) {
        for after in self.after {
            match after {
                After::Aside(kind, text, facts) => pen.aside(&kind, &text, facts, time),
                After::Result {
                    call,
                    function,
                    content,
                    failed,
                    details,
                } => {
                    let outcome = Outcome {
                        call: &call,
                        function: &function,
                        content,
                        failed,
                        details,
                    };
                    pen.result(outcome, at, time);
                }
                After::Said(parts) => said(pen, &parts, at, time),
            }
        }
    }

    /// A function that was called, what was asked of the person about it and what it came back with, in one part.
    fn called(&mut self, part: &Value, name: Option<&str>, pen: &mut Pen, at: &At) {
        let id = word(part, "toolCallId").unwrap_or_default();
        let state = word(part, "state").unwrap_or_default();
        let own = |key: &str| part.get(key).filter(|value| !value.is_null());
        let input = own("input").or_else(|| own("args"));
        let streaming = matches!(state, "input-streaming" | "partial-call");
        let input = match streaming {
            true => own("rawInput").or(input),
            false => input.or_else(|| own("rawInput")),
        };
        if streaming {
            let says = "calls were cut off before their arguments were whole";
            pen.count("call_incomplete", name.unwrap_or_default(), says, at);
        }
        self.pieces.push(call(id, name, input));
        let approval = own("approval");
        let approved = approval.and_then(|approval| approval.get("approved")?.as_bool());
        let reason = approval.and_then(|approval| word(approval, "reason"));
        if let Some(approval) = approval {
            let mut facts = members(approval, &["id", "approved", "reason"]);
            let key = |key: &str, value: &Value| (key.to_owned(), value.clone());
            let pair = approval.get("id").map(|id| key("approvalId", id));
            let pair: Vec<(String, Value)> = pair
                .into_iter()
                .chain([key("toolCallId", &json!(id))])
                .collect();
            facts.extend(pair.clone());
            self.aside(
                "tool-approval-request",
                word(approval, "requestReason"),
                facts,
            );
            if let Some(approved) = approved {
                let mut facts = Map::from_iter(pair);
                facts.extend([key("approved", &json!(approved))]);
                self.aside("tool-approval-response", reason, facts);
            }
        }
        let error = own("errorText").map(|error| (output(error).0, true));
        let whole = part.get("output").or_else(|| part.get("result"));
        let whole = whole
            .filter(|_| !streaming)
            .map(|whole| (plain(whole), false));
        let denied = state == "output-denied" || approved == Some(false);
        let denied = denied.then(|| (json!(reason.unwrap_or_default()), true));
        let empty = (state == "output-available").then(|| (Value::Null, false));
        if let Some((content, failed)) = error.or(whole).or(denied).or(empty) {
            self.came(part, name, content, failed);
        }
        if flag(part, "preliminary") {
            let says = "outputs are a beginning whose whole one is not in the file";
            pen.count("output_preliminary", name.unwrap_or_default(), says, at);
        }
    }

    fn call(&mut self, part: &Value) {
        let id = word(part, "toolCallId").or_else(|| word(part, "id"));
        let name = word(part, "toolName").or_else(|| word(part, "name"));
        let keys = ["input", "args", "arguments"];
        let input = keys.into_iter().find_map(|key| part.get(key));
        self.pieces.push(call(id.unwrap_or_default(), name, input));
    }

    fn result(&mut self, part: &Value, name: Option<&str>) {
        let keys = ["output", "result", "response", "error"];
        let value = keys.into_iter().find_map(|key| part.get(key));
        let (content, failed) = value.map(output).unwrap_or_default();
        let kind = word(part, "type").unwrap_or_default();
        let failed =
            failed || flag(part, "isError") || kind != "tool-result" && kind.starts_with("tool-");
        self.came(part, name, content, failed);
    }

    fn came(&mut self, part: &Value, name: Option<&str>, content: Value, failed: bool) {
        let call = word(part, "toolCallId").or_else(|| word(part, "id"));
        let kept = ["title", "providerExecuted", "preliminary", "toolMetadata"];
        let details = facts(part, &kept);
        self.after.push(After::Result {
            call: call.unwrap_or_default().to_owned(),
            function: name.unwrap_or_default().to_owned(),
            content,
            failed,
            details: match details.is_empty() {
                true => Value::Null,
                false => Value::Object(details),
            },
        });
    }

    /// A part that is shown and not sent.
    fn unsent(&mut self, part: &Value, pen: &mut Pen, at: &At) {
        let kind = word(part, "type").unwrap_or_default();
        let kind = if kind.is_empty() {
            "without a type"
        } else {
            kind
        };
        if let Some(kind) = kind.strip_prefix("data-").map(|_| kind) {
            let data = part.get("data").map(Value::to_string);
            return self.aside(kind, data.as_deref(), facts(part, &["id"]));
        }
        if kind.starts_with("source") {
            let source = part.get("source").unwrap_or(part);
            let words = word(source, "title").or_else(|| word(source, "url"));
            return self.aside(kind, words, members(source, &["type"]));
        }
        let says = "parts of types that are not known here are kept aside";
        pen.count("part_unknown", kind, says, at);
        self.aside(kind, Some(&part.to_string()), Map::new());
    }

    fn aside(&mut self, kind: &str, words: Option<&str>, facts: Map<String, Value>) {
        let facts = Some(facts).filter(|facts| !facts.is_empty());
        let words = words.unwrap_or_default().to_owned();
        self.after.push(After::Aside(
            kind.to_owned(),
            words,
            facts.map(Value::Object),
        ));
    }
}

fn call(id: &str, name: Option<&str>, input: Option<&Value>) -> Piece {
    let name = name.filter(|name| !name.is_empty()).unwrap_or("unknown");
    Piece::Call(
        id.to_owned(),
        name.to_owned(),
        input.cloned().unwrap_or_default(),
    )
}

/// The id of the call that an approval was asked for.
fn asked(pen: &mut Pen, approval: Option<&str>) -> Option<Value> {
    let messages = pen.transcript().messages.iter().rev();
    let mut requests = messages.filter_map(|message| match message {
        AgentMessage::Custom {
            custom_type,
            details: Some(details),
            ..
        } if custom_type == "tool-approval-request" => Some(details),
        _ => None,
    });
    let request =
        requests.find(|facts| approval.is_some() && word(facts, "approvalId") == approval)?;
    request.get("toolCallId").cloned()
}

/// The members of a value but for the named ones.
fn members(value: &Value, but: &[&str]) -> Map<String, Value> {
    match rest(value, but) {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    }
}
