//! The messages of one way through a conversation, written as a transcript.

use serde_json::{Value, json};

use super::super::mapping::Mapped;
use super::super::pen::{Answer, Outcome, Pen, Piece};
use super::super::record::{At, text_of, word};
use super::super::time::millis;
use super::content;
use crate::json::{Notes, Place, value as parse};
use crate::role::Role;
use crate::transcript::{AgentMessage, OpenCalls, SystemPiece};

/// An answer whose messages are still coming.
struct Draft<'r> {
    at: At,
    time: i64,
    /// The model that one of its messages names.
    model: Option<&'r str>,
    pieces: Vec<Piece>,
    /// It waits for what it called.
    calls: bool,
    stopped: Option<&'r str>,
}

/// A result whose messages are still coming.
struct Returned<'r> {
    at: At,
    time: i64,
    message: &'r str,
    /// The call it answers; none waited for a tool that was not called.
    call: Option<String>,
    function: &'r str,
    content: Vec<Value>,
    details: Vec<Value>,
    failed: bool,
}

pub(super) struct Writer<'r> {
    pen: Pen,
    /// The model of answers that name none.
    model: Option<&'r str>,
    draft: Option<Draft<'r>>,
    returned: Option<Returned<'r>>,
    /// The calls since the person last spoke, by the answer they were made in.
    open: OpenCalls<String>,
    answers: usize,
    /// Somebody spoke; system texts after that are no longer the head.
    spoken: bool,
}

impl<'r> Writer<'r> {
    pub fn new(pen: Pen, model: Option<&'r str>) -> Self {
        Self {
            pen,
            model,
            draft: None,
            returned: None,
            open: OpenCalls::default(),
            answers: 0,
            spoken: false,
        }
    }

    pub fn finish(mut self) -> Pen {
        self.close();
        self.pen
    }

    pub fn message(&mut self, node: &Mapped<'r>) {
        let (message, at) = (node.message, &node.at);
        let role = message.pointer("/author/role").and_then(Value::as_str);
        let role = role.unwrap_or_default();
        let Some(content) = message.get("content").filter(|content| !content.is_null()) else {
            if message.is_object() {
                self.pen.wordless(role, at);
            }
            return;
        };
        let time = millis(message.get("create_time"));
        if content::is_context(content) {
            let texts = content::context(content);
            return self.system(&texts, message, at, time);
        }
        let parts = content::parts(content, &mut self.pen, at);
        let weightless = message.get("weight").and_then(Value::as_f64) == Some(0.0);
        let words = || text_of(Some(&Value::Array(parts.clone())));
        match role {
            "user" | "assistant" if weightless && !is_call(message, content) => {
                self.weightless(role, at);
                self.close();
                let details = json!({ "role": role });
                self.pen.aside("weight_zero", &words(), Some(details), time);
            }
            "system" => self.instructions(message, &words(), at, time),
            "user" => self.user(message, parts, at, time),
            "assistant" => self.assistant(node, content, parts, time),
            "tool" => {
                if weightless {
                    self.weightless("tool", at);
                }
                self.result(node, content, parts, time);
            }
            _ => {
                self.close();
                self.pen.role_unknown(role, &words(), message, at, time);
            }
        }
    }

    fn weightless(&mut self, role: &str, at: &At) {
        let says = "messages of weight 0 were not given to the model: words stand aside, a result stays with its call";
        self.pen.count("weight_zero", role, says, at);
    }

    /// A system message: its text, or the custom instructions that older files keep beside it.
    fn instructions(&mut self, message: &Value, words: &str, at: &At, time: i64) {
        let beside = message.pointer("/metadata/user_context_message_data");
        let beside = ["about_user_message", "about_model_message"]
            .iter()
            .filter_map(|key| word(beside?, key));
        let texts: Vec<&str> = match words.is_empty() {
            true => beside.filter(|text| !text.trim().is_empty()).collect(),
            false => vec![words],
        };
        self.system(&texts, message, at, time);
    }

    fn system(&mut self, texts: &[&str], message: &Value, at: &At, time: i64) {
        for text in texts {
            if !self.spoken {
                self.pen.transcript().system.push(SystemPiece {
                    role: Role::System,
                    text: (*text).to_owned(),
                });
                continue;
            }
            self.close();
            self.pen.system("system", &json!(text), at, time);
            let last = self.pen.transcript().messages.last_mut();
            if let Some(AgentMessage::Custom { display, .. }) = last
                && content::is_hidden(message)
            {
                *display = Some("hidden".to_owned());
            }
        }
    }

    fn user(&mut self, message: &'r Value, mut parts: Vec<Value>, at: &At, time: i64) {
        self.close();
        self.open = OpenCalls::default();
        let files = message.pointer("/metadata/attachments");
        let files: Vec<File<'_>> = files
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(File::new)
            .filter(|file| !file.id.is_empty())
            .collect();
        let said = Value::Array(parts.clone()).to_string();
        for file in files.iter().filter(|file| !said.contains(file.id)) {
            // What is no picture is named beside the words only.
            let file = json!({"filename": file.name, "file_url": file.id});
            parts.push(json!({"type": "file", "file": file}));
        }
        if parts.is_empty() {
            return match content::is_pairing(message) {
                // The page sends one with every message, mostly of no window.
                true => (),
                false => self.pen.wordless("user", at),
            };
        }
        self.spoken = true;
        let parts = Value::Array(parts);
        match content::is_hidden(message) {
            true => self.pen.injected(&parts, false, "hidden", at, time),
            false => self.pen.user(&parts, at, time),
        }
        let transcript = self.pen.transcript();
        let index = transcript.messages.len().saturating_sub(1);
        let placed = transcript.attachments.iter_mut();
        for facts in placed.filter(|facts| facts.message == index) {
            let reference = facts.reference.as_deref().unwrap_or_default();
            let file = files.iter().find(|file| reference.contains(file.id));
            if let Some(name) = file.and_then(|file| file.name) {
                facts.filename = name.to_owned();
            }
            if let Some(mime) = file.and_then(|file| file.mime) {
                facts.content_type = mime.to_owned();
            }
        }
    }

    fn assistant(&mut self, node: &Mapped<'r>, content: &'r Value, parts: Vec<Value>, time: i64) {
        let (message, at) = (node.message, &node.at);
        if word(content, "content_type") == Some("reasoning_recap") {
            // It stands between the thoughts and the words of one answer, which it does not end.
            if self.returned.is_some() {
                self.close();
            }
            let words = text_of(Some(&Value::Array(parts)));
            return self.pen.aside("reasoning_recap", &words, None, time);
        }
        let call = is_call(message, content);
        if parts.is_empty() && !call {
            // An answer that reasons begins with a text of no words, and with thoughts of none.
            return;
        }
        let model = message.pointer("/metadata/model_slug");
        let model = model.and_then(Value::as_str);
        let another = |draft: &Draft<'_>| {
            let named = draft.model.zip(model);
            named.is_some_and(|(before, now)| before != now)
        };
        if self.returned.is_some() || self.draft.as_ref().is_some_and(another) {
            self.close();
        }
        self.spoken = true;
        if self.draft.is_none() {
            self.answers += 1;
        }
        let answers = self.answers;
        let draft = self.draft.get_or_insert_with(|| Draft {
            at: at.clone(),
            time,
            model,
            pieces: Vec::new(),
            calls: false,
            stopped: None,
        });
        draft.model = draft.model.or(model);
        let status = word(message, "status").filter(|status| *status != "finished_successfully");
        let details = message.pointer("/metadata/finish_details/type");
        draft.stopped = details.and_then(Value::as_str).or(status);
        if !call {
            draft.pieces.extend(parts.into_iter().map(Piece::Part));
            return;
        }
        draft.calls = true;
        let id = word(message, "id").unwrap_or(node.id);
        let function = word(message, "recipient").unwrap_or_default();
        self.open.made(answers, id, function, id.to_owned());
        let arguments = arguments(content, &parts);
        let piece = Piece::Call(id.to_owned(), function.to_owned(), arguments);
        draft.pieces.push(piece);
    }

    /// What a tool says: the result of the call that waits for it, or more of the result before.
    fn result(&mut self, node: &Mapped<'r>, content: &Value, parts: Vec<Value>, time: i64) {
        self.spoken = true;
        let message = node.message;
        let function = message.pointer("/author/name").and_then(Value::as_str);
        let function = function.unwrap_or_default();
        // A tool may answer under a wider name than it was called by.
        let call = self.open.answered("", function);
        let more = |before: &Returned<'_>| before.function == function;
        let more = call.is_none() && self.returned.as_ref().is_some_and(more);
        let call = call.or_else(|| self.open.answered("", "").filter(|_| !more));
        if !more {
            self.close();
        }
        let returned = self.returned.get_or_insert_with(|| Returned {
            at: node.at.clone(),
            time,
            message: node.id,
            call,
            function,
            content: Vec::new(),
            details: Vec::new(),
            failed: false,
        });
        returned.content.extend(parts);
        returned.details.extend(content::details(content));
        let pages = message.pointer("/metadata/search_result_groups");
        let pages = pages.filter(|pages| pages.as_array().is_some_and(|pages| !pages.is_empty()));
        let pages = pages.map(|pages| json!({ "search_result_groups": pages }));
        returned.details.extend(pages);
        returned.failed |= word(content, "content_type") == Some("system_error");
    }

    /// Writes the answer or the result that was still coming.
    fn close(&mut self) {
        if let Some(draft) = self.draft.take() {
            let answer = Answer {
                // An answer that calls stops for its calls, whatever the last of its messages says.
                stop_reason: draft.stopped.filter(|word| !draft.calls || *word != "stop"),
                model: draft.model.or(self.model),
                timestamp: draft.time,
                ..Answer::default()
            };
            self.pen.answer(draft.pieces, answer, &draft.at);
        }
        if let Some(mut returned) = self.returned.take() {
            if returned.content.is_empty() {
                let says = "results stand in the file without the words that the model read; what was sent was larger";
                self.pen
                    .count("result_not_in_file", returned.function, says, &returned.at);
            }
            let outcome = Outcome {
                // Without a call it goes by its message, which no call does.
                call: returned.call.as_deref().unwrap_or(returned.message),
                function: match returned.call {
                    Some(_) => "",
                    None => returned.function,
                },
                content: Value::Array(returned.content),
                failed: returned.failed,
                details: match returned.details.len() {
                    0 | 1 => returned.details.pop().unwrap_or_default(),
                    _ => Value::Array(returned.details),
                },
            };
            self.pen.result(outcome, &returned.at, returned.time);
        }
    }
}

/// A file that a message lists beside its words.
struct File<'m> {
    id: &'m str,
    name: Option<&'m str>,
    mime: Option<&'m str>,
}

impl<'m> File<'m> {
    fn new(value: &'m Value) -> Self {
        let name = word(value, "name");
        Self {
            id: word(value, "id").or(name).unwrap_or_default(),
            name,
            mime: word(value, "mime_type").or_else(|| word(value, "mimeType")),
        }
    }
}

/// Whether an assistant's message is a call: it speaks to somebody else than everybody.
fn is_call(message: &Value, content: &Value) -> bool {
    let thinks = matches!(
        word(content, "content_type"),
        Some("thoughts" | "reasoning_recap")
    );
    let recipient = word(message, "recipient").unwrap_or("all");
    let role = message.pointer("/author/role").and_then(Value::as_str);
    role == Some("assistant") && !thinks && !matches!(recipient, "all" | "")
}

/// What a call is made with: the model's own string when it is a JSON object, else its words under a key.
fn arguments(content: &Value, parts: &[Value]) -> Value {
    let words = text_of(Some(&Value::Array(parts.to_vec())));
    let read = parse(words.as_bytes(), Place::default(), &mut Notes::default());
    match (read, word(content, "content_type")) {
        (Ok(Value::Object(_)), _) => json!(words),
        (_, Some("code")) => json!({ "code": words }),
        _ => json!({ "input": words }),
    }
}
