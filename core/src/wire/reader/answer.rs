//! What the model said: one message or, around results that came in between, several.

use serde_json::{Map, Value};

use crate::transcript::{AgentMessage, ContentBlock, StopReason};

use super::super::parts::Part;
use super::super::{chat, stop_reason};
use super::{Before, Reader, Reply};

impl Reader {
    /// Reads an answer, the model's whatever its role says: a message, or a list of items.
    pub fn reply(&mut self, value: &Value, pointer: &str, reply: Reply<'_>) {
        match value {
            Value::Object(message) => self.response(message, pointer, reply),
            Value::Array(_) => {
                let from = self.imported.messages.len();
                self.before = Before::Whole;
                self.messages(value, pointer);
                self.before = Before::Whole;
                self.settle(from, reply);
            }
            _ => self.note("not_a_message", pointer, "an answer has no message here"),
        }
    }

    /// Reads a message that is a whole answer.
    pub(super) fn response(
        &mut self,
        message: &Map<String, Value>,
        pointer: &str,
        reply: Reply<'_>,
    ) {
        let from = self.imported.messages.len();
        self.answered(message, pointer, false);
        self.before = Before::Whole;
        self.settle(from, reply);
    }

    pub(super) fn answered(&mut self, message: &Map<String, Value>, pointer: &str, joins: bool) {
        let mut read = chat::reasoning(message, pointer);
        read.extend(self.content(message, pointer));
        read.extend(chat::beside(message, pointer, &mut self.notes));
        let from = self.imported.messages.len();
        self.said(read, joins);
        if from == self.imported.messages.len() && !(joins && self.answer().is_some()) {
            self.stands(pointer);
            self.flush(Vec::new(), false);
        }
    }

    /// Items of an answer, which go on with the answer before them as long as that is not known to be whole.
    pub(super) fn items(&mut self, parts: Vec<Part>) {
        let joins = self.before != Before::Whole;
        self.said(parts, joins);
        self.before = Before::Item;
    }

    /// Puts down what the model said, in one message or, around results that came in between, in several.
    fn said(&mut self, parts: Vec<Part>, mut joins: bool) {
        let mut words = Vec::new();
        for part in parts {
            let other = match part {
                Part::Said(_) | Part::Call(_) => {
                    words.push(part);
                    continue;
                }
                Part::Tools(tools, pointer) => {
                    self.tools(Some(&tools), &pointer);
                    continue;
                }
                other => other,
            };
            if !words.is_empty() {
                self.flush(std::mem::take(&mut words), joins);
            }
            joins = false;
            match other {
                Part::Result(outcome) => self.result(outcome),
                Part::Summary(summary) => self.summary(summary),
                Part::Aside(aside) => self.unread(aside),
                Part::Said(_) | Part::Call(_) | Part::Tools(..) => {}
            }
        }
        if !words.is_empty() {
            self.flush(words, joins);
        }
    }

    /// The newest message's blocks, when it is an answer.
    fn answer(&mut self) -> Option<&mut Vec<ContentBlock>> {
        match self.imported.messages.last_mut() {
            Some(AgentMessage::Assistant { content, .. }) => Some(content),
            _ => None,
        }
    }

    /// A message of the model's, or more of the newest one.
    fn flush(&mut self, parts: Vec<Part>, joins: bool) {
        let mut content = match self.answer().filter(|_| joins) {
            Some(content) => std::mem::take(content),
            None => {
                self.imported.messages.push(AgentMessage::Assistant {
                    content: Vec::new(),
                    stop_reason: StopReason::End,
                    native_stop_reason: None,
                    error_message: None,
                    error_kind: None,
                    warnings: None,
                    usage: None,
                    model: self.imported.model.clone().unwrap_or_default(),
                    provider: String::new(),
                    timestamp: 0,
                });
                Vec::new()
            }
        };
        let at = self.imported.messages.len().saturating_sub(1);
        let (more, refused) = self.placed(parts, at, content.len());
        content.extend(more);
        let calls = |block: &ContentBlock| matches!(block, ContentBlock::FunctionCall { .. });
        let called = content.iter().any(calls);
        if let Some(AgentMessage::Assistant {
            content: blocks,
            stop_reason,
            native_stop_reason,
            ..
        }) = self.imported.messages.last_mut()
        {
            *blocks = content;
            if refused {
                *stop_reason = StopReason::Error;
                *native_stop_reason = Some("refusal".to_owned());
            } else if called && *stop_reason == StopReason::End {
                *stop_reason = StopReason::FunctionCall;
            }
        }
    }

    /// What is known of the answers since an index: each has its model and time, the last one the rest.
    fn settle(&mut self, from: usize, reply: Reply<'_>) {
        let mut usage = reply.usage;
        let messages = self.imported.messages.iter_mut().skip(from).rev();
        let mut last = true;
        for message in messages {
            let AgentMessage::Assistant {
                stop_reason: stopped,
                native_stop_reason,
                error_message,
                usage: counted,
                model,
                provider,
                timestamp,
                ..
            } = message
            else {
                if message.timestamp() == 0 {
                    message.set_timestamp(reply.timestamp);
                }
                continue;
            };
            *timestamp = reply.timestamp;
            if let Some(named) = reply.model {
                named.clone_into(model);
            }
            reply.provider.unwrap_or_default().clone_into(provider);
            if !std::mem::take(&mut last) {
                continue;
            }
            *counted = usage.take();
            if let Some(reason) = reply.stop_reason {
                if *stopped != StopReason::Error {
                    *stopped = stop_reason(reason);
                }
                *native_stop_reason = Some(reason.to_owned());
            }
            if reply.error.is_some() && *stopped == StopReason::End {
                *stopped = StopReason::Error;
            }
            *error_message = reply.error.map(str::to_owned);
        }
    }
}
