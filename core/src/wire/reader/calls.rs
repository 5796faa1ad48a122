//! Calls and results: ids that tell them apart, and which result is whose.

use serde_json::{Map, Value, json};

use crate::json::{Notes, Place, value as parse};
use crate::transcript::{AgentMessage, ContentBlock};

use super::super::parts::{Arguments, Call, Outcome, Part, output};
use super::{Before, Made, Reader, content_key};

impl Reader {
    pub(super) fn call(&mut self, call: Call, message: usize) -> ContentBlock {
        let said = call.id;
        let id = self.own_id(&said);
        if !said.is_empty() && id != said {
            let message = format!("the call id {said} is used before; this call is {id}");
            self.note("call_id_repeated", &call.pointer, &message);
        }
        let name = match call.name.as_str() {
            "" => "unknown".to_owned(),
            _ => call.name,
        };
        let arguments = match call.arguments {
            Arguments::Free(text) => self.own_words(&id, &text, Some(json!(text))),
            Arguments::Words(text) => {
                let read = parse(text.as_bytes(), Place::default(), &mut Notes::default()).ok();
                if read.is_none() && !text.is_empty() {
                    self.note(
                        "arguments_not_json",
                        &call.pointer,
                        "the arguments are no JSON; they are kept as they are",
                    );
                }
                self.own_words(&id, &text, read)
            }
            Arguments::Value(value) => value,
        };
        self.open.made(message, &said, &name, self.calls.len());
        self.calls.push(Made {
            id: id.clone(),
            name: name.clone(),
            pointer: call.pointer,
        });
        ContentBlock::FunctionCall {
            id,
            function_id: name,
            arguments,
        }
    }

    /// The arguments as a value; the model's own string is kept where the value does not give it back.
    fn own_words(&mut self, id: &str, text: &str, value: Option<Value>) -> Value {
        let value = value.unwrap_or_else(|| json!({ "_raw": text }));
        let compact = value.to_string();
        if compact != text {
            self.imported
                .arguments
                .insert(id.to_owned(), text.to_owned());
        }
        value
    }

    /// The id itself, or for a repeated or empty one the next that is free.
    fn own_id(&mut self, said: &str) -> String {
        if !said.is_empty() && self.used.insert(said.to_owned()) {
            return said.to_owned();
        }
        let (base, from) = if said.is_empty() {
            ("call", 1)
        } else {
            (said, 2)
        };
        let next = self.copies.entry(base.to_owned()).or_insert(from);
        loop {
            let id = format!("{base}#{next}");
            *next += 1;
            if self.used.insert(id.clone()) {
                return id;
            }
        }
    }

    /// A message that is a result, or one whose parts are.
    pub(super) fn results(&mut self, message: &Map<String, Value>, pointer: &str) {
        self.before = Before::Message;
        let text = |key: &str| {
            let text = message.get(key).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        let key = content_key(message);
        let at = format!("{pointer}/{key}");
        let mut content = output(message.get(key), &at, &mut self.notes);
        let inner = |part: &mut Part| matches!(part, Part::Result(_) | Part::Aside(_));
        let own: Vec<Part> = content.extract_if(.., inner).collect();
        let none = own.is_empty();
        for part in own {
            match part {
                Part::Result(outcome) => self.result(outcome),
                Part::Aside(aside) => self.unread(aside),
                _ => {}
            }
        }
        if none || !content.is_empty() {
            self.result(Outcome {
                id: text("tool_call_id"),
                name: text("name"),
                content,
                failed: false,
                details: Value::Null,
                pointer: pointer.to_owned(),
            });
        }
    }

    pub(super) fn result(&mut self, outcome: Outcome) {
        let Outcome {
            id: said,
            name,
            content,
            failed,
            details,
            pointer,
        } = outcome;
        let call = self
            .open
            .answered(&said, &name)
            .and_then(|index| self.calls.get(index));
        let (id, known) = match call {
            Some(call) => (call.id.clone(), call.name.clone()),
            None => {
                self.note(
                    "result_without_call",
                    &pointer,
                    "no call before it waits for this result",
                );
                let known = self.calls.iter().rev().find(|call| call.id == said);
                (
                    said,
                    known.map_or_else(|| "unknown".to_owned(), |c| c.name.clone()),
                )
            }
        };
        let at = self.imported.messages.len();
        self.stand(at, None, &pointer);
        let (content, _) = self.placed(content, at, 0);
        self.imported.messages.push(AgentMessage::FunctionResult {
            function_call_id: id,
            function_id: if name.is_empty() { known } else { name },
            content,
            details,
            is_error: failed,
            timestamp: 0,
        });
    }
}
