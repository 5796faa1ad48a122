//! Messages that have the transcript's own shape already, bare or in the requests and replies of the
//! context functions (assemble, compact, prune, count-tokens).
//!
//! A list of them reads as itself; a member that does not fit is mended and told. What stands around the messages
//! and is no part of them (limits, options, counts) is kept as facts.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::Ask;
use super::pen::Pen;
use super::record::{At, Record, rest, text_of, word};
use super::shapes::{has, is_type, is_type_of, list, text, within};
use super::time::millis;
use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::{
    AgentFunction, AgentMessage, ContentBlock, Imported, OpenCalls, StopReason,
};

/// Whether a value is of this format.
pub(super) fn is(value: &Value) -> bool {
    is_message(value) || is_exchange(value)
}

fn is_message(message: &Value) -> bool {
    let block = |block: &Value| {
        is_type(block, &["function_call", "function_result"]) && has(block, "function_id")
            || is_type(block, &["function_result"]) && has(block, "function_call_id")
    };
    let spoken = is_type_of(message, "role", "user") && has(message, "timestamp")
        || is_type_of(message, "role", "assistant") && has(message, "provider");
    // Said in blocks, at a time in milliseconds, and of no other tool's envelope.
    let plain = |key: &str| matches!(key, "role" | "content" | "timestamp");
    let own = message
        .as_object()
        .is_some_and(|members| members.keys().all(|key| plain(key)));
    spoken
        && within(message, "content", |block| is_type(block, &["text"]))
        && (own || has(message, "stop_reason"))
        || is_type_of(message, "role", "function_result")
        || is_type_of(message, "role", "custom") && has(message, "custom_type")
        || within(message, "content", block)
}

/// A request or a reply of the context functions.
pub(super) fn is_exchange(v: &Value) -> bool {
    within(v, "messages", is_message)
        || list(v, "messages") && (has(v, "pruned_parts") || has(v, "model_resolved"))
        || v.pointer("/model/id").is_some_and(Value::is_string)
            && (list(v, "messages") || has(v, "options") || has(v, "system_prompt"))
        || has(v, "estimator") && has(v, "tokens")
        || is_type_of(v, "status", "ok") && text(v, "summary").is_some()
        || matches!(text(v, "status"), Some("busy" | "empty" | "overflow"))
            && v.as_object().is_some_and(|members| members.len() == 1)
}

/// The conversations of records: messages are one together, a request or a reply is one by itself.
pub(super) fn read(records: Vec<Record>, _: &Ask, _: &mut Notes) -> Vec<Imported> {
    let mut found = Vec::new();
    let mut together = Writer::new();
    let mut loose = false;
    for record in records.into_iter().flat_map(Record::items) {
        if is_exchange(&record.value) {
            found.push(exchange(&record));
            continue;
        }
        loose = true;
        together.message(&record.value, &record.at, 0);
    }
    if loose {
        found.push(together.finish());
    }
    found
}

/// A request or a reply.
fn exchange(record: &Record) -> Imported {
    let Record { value, at } = record;
    let mut writer = Writer::new();
    let pen = &mut writer.pen;
    if let Some(system) = value
        .get("system_prompt")
        .filter(|system| system.as_str() != Some(""))
    {
        pen.system("system", system, &at.inside("/system_prompt"), 0);
    }
    let tools = value.get("tools").and_then(Value::as_array);
    for (index, tool) in tools.into_iter().flatten().enumerate() {
        match serde_json::from_value::<AgentFunction>(tool.clone()) {
            Ok(tool) => pen.transcript().tools.push(tool),
            Err(_) => pen.tools(&json!([tool]), &at.inside(&format!("/tools/{index}"))),
        }
    }
    let model = value.pointer("/model/id").and_then(Value::as_str);
    pen.transcript().model = model.map(str::to_owned);
    let around = ["messages", "system_prompt", "tools", "summary"];
    let mut facts = match rest(value, &around) {
        Some(Value::Object(facts)) => facts,
        _ => Map::new(),
    };
    let options = facts.get_mut("options").and_then(Value::as_object_mut);
    let before = options.and_then(|options| options.remove("previous_summary"));
    let summary = before.or_else(|| value.get("summary").cloned());
    pen.facts(facts, 0);
    if let Some(Value::String(summary)) = &summary {
        pen.compaction(summary, Map::new(), 0);
    }
    match value.get("messages").and_then(Value::as_array) {
        Some(messages) => {
            for (index, message) in messages.iter().enumerate() {
                writer.message(message, &at.inside(&format!("/messages/{index}")), 0);
            }
        }
        None => writer.note("no_messages", at, without_messages(value)),
    }
    writer.finish()
}

/// What an exchange without messages is, and what to open instead.
fn without_messages(value: &Value) -> &'static str {
    if value.get("estimator").is_some() {
        "a reply of context::count-tokens holds numbers and no messages; open the request it answers"
    } else if value.get("status").is_some() {
        "a reply of context::compact holds a summary at most and no messages; open the request it answers"
    } else {
        "the request holds no messages"
    }
}

/// Writes messages of the transcript's own shape.
#[derive(Debug)]
pub(super) struct Writer {
    /// Writes everything else.
    pub pen: Pen,
    open: OpenCalls<(String, String, At)>,
    called: BTreeSet<String>,
    notes: Notes,
}

impl Writer {
    pub fn new() -> Self {
        // These messages are of no provider's wire.
        let mut pen = Pen::new("");
        pen.transcript().api_format = None;
        Self {
            pen,
            open: OpenCalls::default(),
            called: BTreeSet::new(),
            notes: Notes::default(),
        }
    }

    pub fn note(&mut self, code: &str, at: &At, message: impl Into<String>) {
        self.notes.push(at.of(Warning::new(code, message)));
    }

    /// The transcript, with the calls that nothing answered told.
    pub fn finish(mut self) -> Imported {
        for (id, _, at) in std::mem::take(&mut self.open).left() {
            let message = format!("the call {id} has no result in the file");
            self.note("call_unanswered", &at, message);
        }
        let mut imported = self.pen.finish();
        imported.warnings.extend(self.notes.finish());
        imported
    }

    /// One message; a time of its own counts more than when it was written.
    pub fn message(&mut self, value: &Value, at: &At, written: i64) {
        let timestamp = match value.get("timestamp").map(|time| time.as_i64().ok_or(time)) {
            None | Some(Err(Value::Null)) => written,
            Some(Ok(time)) => time,
            Some(Err(time)) => millis(Some(time)),
        };
        let own = |key: &str| word(value, key).unwrap_or_default().to_owned();
        let said = word(value, "role").unwrap_or_default();
        let (keys, role): (&[&str], _) = match said {
            "user" => (&USER, said),
            "assistant" => (&ASSISTANT, said),
            "function_result" => (&FUNCTION_RESULT, said),
            "custom" => (&CUSTOM, said),
            "system" | "developer" => {
                let content = value.get("content").unwrap_or(&Value::Null);
                return self.pen.system(said, content, at, timestamp);
            }
            "" if !value.is_object() => {
                self.note(
                    "not_a_message",
                    at,
                    "a message is an object; this is kept aside",
                );
                return self.pen.aside("unreadable", "", Some(value.clone()), 0);
            }
            other => {
                let says = "messages of roles that are not known here are kept aside";
                self.pen.count("role_unknown", other, says, at);
                let text = text_of(value.get("content"));
                let details = rest(value, &["role", "content", "timestamp"]);
                return self.pen.aside(other, &text, details, timestamp);
            }
        };
        for (key, _) in value.as_object().into_iter().flatten() {
            if !keys.contains(&key.as_str()) && !COMMON.contains(&key.as_str()) {
                let says = "members that a message has no place for are not kept";
                self.pen.count("member_not_kept", key, says, at);
            }
        }
        let content = self.blocks(value.get("content"), &at.inside("/content"));
        let message = match role {
            "user" => AgentMessage::User { content, timestamp },
            "assistant" => {
                let calls =
                    |block: &ContentBlock| matches!(block, ContentBlock::FunctionCall { .. });
                let stop_reason: Option<StopReason> = self.member(value, "stop_reason", at);
                AgentMessage::Assistant {
                    stop_reason: stop_reason.unwrap_or(match content.iter().any(calls) {
                        true => StopReason::FunctionCall,
                        false => StopReason::End,
                    }),
                    native_stop_reason: self.member(value, "native_stop_reason", at).or_else(
                        || {
                            word(value, "stop_reason")
                                .filter(|_| stop_reason.is_none())
                                .map(str::to_owned)
                        },
                    ),
                    error_message: self.member(value, "error_message", at),
                    error_kind: self.member(value, "error_kind", at),
                    warnings: self.member(value, "warnings", at),
                    usage: self.member(value, "usage", at),
                    model: own("model"),
                    provider: own("provider"),
                    content,
                    timestamp,
                }
            }
            "function_result" => {
                let id = own("function_call_id");
                let known = self.answered(&id, word(value, "function_id"), at);
                AgentMessage::FunctionResult {
                    function_id: word(value, "function_id").map_or(known, str::to_owned),
                    function_call_id: id,
                    details: value.get("details").cloned().unwrap_or_default(),
                    is_error: self.member(value, "is_error", at).unwrap_or(false),
                    content,
                    timestamp,
                }
            }
            _ => AgentMessage::Custom {
                custom_type: own("custom_type"),
                display: self.member(value, "display", at),
                details: value.get("details").filter(|d| !d.is_null()).cloned(),
                content,
                timestamp,
            },
        };
        self.pair(&message, at);
        let transcript = self.pen.transcript();
        if let AgentMessage::Assistant { model, .. } = &message
            && !model.is_empty()
        {
            transcript.model = Some(model.clone());
        }
        transcript.messages.push(message);
    }

    /// A member that is set, where it is what the shape says.
    fn member<T: DeserializeOwned>(&mut self, value: &Value, key: &str, at: &At) -> Option<T> {
        let member = value.get(key).filter(|member| !member.is_null())?;
        let read = T::deserialize(member).ok();
        if read.is_none() {
            let message = format!("`{key}` is not what a message has there; it is left out");
            self.note("member_unreadable", &at.inside(&format!("/{key}")), message);
        }
        read
    }

    fn blocks(&mut self, content: Option<&Value>, at: &At) -> Vec<ContentBlock> {
        let items = match content {
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::String(text)) => return vec![ContentBlock::text(text)],
            Some(Value::Array(items)) => items.as_slice(),
            Some(other) => std::slice::from_ref(other),
        };
        let mut blocks = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let block = match item {
                Value::String(text) => Ok(ContentBlock::text(text)),
                item => serde_json::from_value(item.clone()),
            };
            blocks.push(block.unwrap_or_else(|_| {
                let kind = word(item, "type").unwrap_or_default();
                let message = format!("a part of the unknown type `{kind}` reads as its JSON");
                self.note("part_unknown", &at.inside(&format!("/{index}")), message);
                ContentBlock::text(item.to_string())
            }));
        }
        blocks
    }

    /// Remembers the calls of a message, and takes those that results inside of it answer.
    fn pair(&mut self, message: &AgentMessage, at: &At) {
        let index = self.pen.transcript().messages.len();
        for (number, block) in message.content().iter().enumerate() {
            let at = at.inside(&format!("/content/{number}"));
            match block {
                ContentBlock::FunctionCall {
                    id, function_id, ..
                } => {
                    if !self.called.insert(id.clone()) {
                        let message = format!("the call id {id} is used before");
                        self.note("call_id_repeated", &at, message);
                    }
                    let key = (id.clone(), function_id.clone(), at);
                    self.open.made(index, id, function_id, key);
                }
                ContentBlock::FunctionResult {
                    function_call_id, ..
                } => {
                    self.answered(function_call_id, None, &at);
                }
                _ => {}
            }
        }
    }

    /// The function of the call that a result answers.
    fn answered(&mut self, id: &str, name: Option<&str>, at: &At) -> String {
        match self.open.answered(id, name.unwrap_or_default()) {
            Some((_, function, _)) => function,
            None => {
                let message = "no call before it waits for this result";
                self.note("result_without_call", at, message);
                "unknown".to_owned()
            }
        }
    }
}

const COMMON: [&str; 3] = ["role", "content", "timestamp"];
const USER: [&str; 0] = [];
const ASSISTANT: [&str; 8] = [
    "stop_reason",
    "native_stop_reason",
    "error_message",
    "error_kind",
    "warnings",
    "usage",
    "model",
    "provider",
];
const FUNCTION_RESULT: [&str; 4] = ["function_call_id", "function_id", "details", "is_error"];
const CUSTOM: [&str; 3] = ["custom_type", "display", "details"];

#[cfg(test)]
mod tests {
    use super::super::{Format, open};
    use super::*;
    use proptest::prelude::*;

    fn opened(value: &Value) -> Vec<Imported> {
        let opened = open(value.to_string().as_bytes(), &Ask::default()).unwrap();
        assert_eq!(
            (opened.format, opened.warnings),
            (Format::AgentMessages, vec![])
        );
        opened.conversations
    }

    fn block() -> impl Strategy<Value = Value> {
        prop_oneof![
            "[a-z ]{0,4}".prop_map(|text| json!({"type": "text", "text": text})),
            Just(json!({"type": "image", "mime": "image/png", "data": "iVBORw=="})),
            "[a-z]{0,3}".prop_map(|text| json!({"type": "thinking", "text": text, "signature": "s"})),
            any::<u8>().prop_map(|n| json!({"type": "function_call", "id": "c", "function_id": "f", "arguments": {"n": n}})),
            Just(json!({"type": "function_result", "function_call_id": "c", "content": [], "is_error": true})),
        ]
    }

    fn message() -> impl Strategy<Value = Value> {
        (prop::collection::vec(block(), 0..4), 0..4u8, any::<i64>()).prop_map(|(content, role, timestamp)| match role {
            0 => json!({"role": "user", "content": content, "timestamp": timestamp}),
            1 => json!({"role": "assistant", "content": content, "stop_reason": "length", "native_stop_reason": "x",
                "error_message": "e", "error_kind": "permanent", "warnings": ["w"], "usage": {"input": 3}, "model": "m",
                "provider": "p", "timestamp": timestamp}),
            2 => json!({"role": "function_result", "function_call_id": "c", "function_id": "f", "content": content,
                "details": {"a": 1}, "is_error": true, "timestamp": timestamp}),
            _ => json!({"role": "custom", "custom_type": "x", "content": content, "display": "d", "details": [1],
                "timestamp": timestamp}),
        })
    }

    proptest! {
        #[test]
        fn messages_read_as_themselves(messages in prop::collection::vec(message(), 0..6)) {
            let mut messages = messages;
            messages.push(json!({"role": "custom", "custom_type": "end", "content": [], "timestamp": 0}));
            let opened = opened(&json!(messages));
            prop_assert_eq!(json!(opened[0].messages), json!(messages));
        }
    }

    #[test]
    fn a_result_whose_call_was_cut_off_is_kept_and_told() {
        let result = json!({"role": "function_result", "function_call_id": "gone", "function_id": "f", "content": [],
            "timestamp": 0});
        let opened = opened(&json!([result]));
        assert_eq!(opened[0].messages.len(), 1);
        let told = &opened[0].warnings[0];
        assert_eq!(
            (told.code.as_str(), told.path.as_deref()),
            ("result_without_call", Some("/0"))
        );
    }

    #[test]
    fn a_prior_summary_of_a_request_stands_before_its_messages() {
        let user =
            json!({"role": "user", "content": [{"type": "text", "text": "hi"}], "timestamp": 0});
        let request = json!({"messages": [user], "model": {"id": "m"}, "options": {"previous_summary": "so far"}});
        let opened = opened(&request);
        let kinds = opened[0].messages.iter().map(|message| match message {
            AgentMessage::Custom { custom_type, .. } => custom_type.as_str(),
            _ => "said",
        });
        assert_eq!(kinds.collect::<Vec<_>>(), ["session", "compaction", "said"]);
        assert_eq!(opened[0].model.as_deref(), Some("m"));
    }
}
