//! The steps of a session, written as a transcript: items of one response are one answer.

use serde_json::{Value, json};

use super::super::pen::{Answer, Outcome, Pen, Piece};
use super::super::record::{At, facts, rest, text_of, word};
use super::{Step, What, is_prompt};
use crate::role::Role;
use crate::transcript::{AgentMessage, Imported, SystemPiece, Usage};

/// An answer whose items are still coming.
struct Draft {
    at: At,
    time: i64,
    pieces: Vec<Piece>,
    usage: Option<Usage>,
}

pub(super) struct Writer {
    pen: Pen,
    provider: Option<String>,
    model: Option<String>,
    draft: Option<Draft>,
    /// Somebody spoke; system texts after that are no longer the head.
    spoken: bool,
    /// The person's own words so far, which a compaction keeps.
    prompts: Vec<Value>,
}

impl Writer {
    pub fn new(pen: Pen, provider: Option<String>) -> Self {
        Self {
            pen,
            provider,
            model: None,
            draft: None,
            spoken: false,
            prompts: Vec::new(),
        }
    }

    pub fn finish(mut self) -> Imported {
        self.close();
        self.pen.finish()
    }

    pub fn step(&mut self, step: Step) {
        let Step { at, time, what } = step;
        match what {
            What::Item(item) => self.item(&item, &at, time),
            What::Model(model) => {
                self.close();
                self.pen.transcript().model = Some(model.clone());
                self.model = Some(model);
            }
            What::Counted(counted) => self.counted(counted),
            What::Compacted(payload) => self.compacted(&payload, &at, time),
            What::Aside(kind, text, details) => {
                self.close();
                self.pen.aside(&kind, &text, details, time);
            }
        }
    }

    /// The newest count is of the newest response.
    fn counted(&mut self, counted: Usage) {
        if let Some(draft) = &mut self.draft {
            draft.usage = Some(counted);
            return;
        }
        let newest = self
            .pen
            .transcript()
            .messages
            .iter_mut()
            .rev()
            .find_map(|message| match message {
                AgentMessage::Assistant { usage, .. } => Some(usage),
                _ => None,
            });
        if let Some(usage) = newest {
            *usage = Some(counted);
        }
    }

    fn add(&mut self, piece: Piece, at: &At, time: i64) {
        // A count ends a response.
        if self
            .draft
            .as_ref()
            .is_some_and(|draft| draft.usage.is_some())
        {
            self.close();
        }
        self.spoken = true;
        let fresh = || Draft {
            at: at.clone(),
            time,
            pieces: Vec::new(),
            usage: None,
        };
        self.draft.get_or_insert_with(fresh).pieces.push(piece);
    }

    fn close(&mut self) {
        let Some(draft) = self.draft.take() else {
            return;
        };
        let answer = Answer {
            model: self.model.as_deref(),
            provider: self.provider.as_deref(),
            usage: draft.usage,
            timestamp: draft.time,
            ..Answer::default()
        };
        self.pen.answer(draft.pieces, answer, &draft.at);
    }

    fn item(&mut self, item: &Value, at: &At, time: i64) {
        let own = |key: &str| word(item, key).unwrap_or_default().to_owned();
        let kind = word(item, "type").unwrap_or("message");
        match kind {
            "message" => self.message(item, at, time),
            "reasoning" => {
                let summary = text_of(item.get("summary"));
                let text = if summary.is_empty() {
                    text_of(item.get("content"))
                } else {
                    summary
                };
                let sealed = word(item, "encrypted_content");
                if !text.is_empty() || sealed.is_some() {
                    let part = json!({"type": "thinking", "thinking": text, "signature": sealed});
                    self.add(Piece::Part(part), at, time);
                }
            }
            "function_call" => {
                let arguments = item.get("arguments").cloned().unwrap_or_else(|| json!({}));
                self.add(
                    Piece::Call(own("call_id"), full_name(item), arguments),
                    at,
                    time,
                );
            }
            "custom_tool_call" => {
                let input = json!({"input": item.get("input")});
                self.add(
                    Piece::Call(own("call_id"), full_name(item), input),
                    at,
                    time,
                );
            }
            "local_shell_call" | "shell_call" | "apply_patch_call" | "tool_search_call" => {
                let id = word(item, "call_id")
                    .or_else(|| word(item, "id"))
                    .unwrap_or_default();
                let keys = ["action", "operation", "arguments"];
                let input = keys.iter().find_map(|key| item.get(*key)).cloned();
                let name = kind.trim_end_matches("_call").to_owned();
                self.add(
                    Piece::Call(id.to_owned(), name, input.unwrap_or_else(|| json!({}))),
                    at,
                    time,
                );
            }
            _ if kind.ends_with("_output") => self.output(item, at, time),
            _ if kind.ends_with("_call") => self.server_run(item, kind, at, time),
            "compaction" | "compaction_summary" | "context_compaction" => {
                // What is not sealed holds no summary, and must not stand for itself.
                let payload = match word(item, "encrypted_content") {
                    Some(_) => json!({"replacement_history": [item]}),
                    None => json!({}),
                };
                self.compacted(&payload, at, time);
            }
            "additional_tools" => self.tools(item, at),
            "agent_message" => {
                // What another agent says to this one; a sealed part has no words.
                let text = text_of(item.get("content"));
                self.close();
                self.spoken = true;
                match text.is_empty() {
                    true => self.pen.aside(kind, "", Some(item.clone()), time),
                    false => self.pen.injected(&json!(text), true, kind, at, time),
                }
            }
            "configuration_update" => {
                self.close();
                self.pen.aside(kind, "", Some(item.clone()), time);
            }
            _ => {
                self.close();
                let says = "items of types that are not known here are kept aside";
                self.pen.count("item_type_unknown", kind, says, at);
                self.pen.aside(kind, "", Some(item.clone()), time);
            }
        }
    }

    /// Functions that the model could call from here on.
    fn tools(&mut self, item: &Value, at: &At) {
        let list = |value: &Value| value.get("tools").and_then(Value::as_array).cloned();
        let mut flat = Vec::new();
        for tool in list(item).unwrap_or_default() {
            let Some(inner) = list(&tool) else {
                flat.push(tool);
                continue;
            };
            for mut one in inner {
                if let Some(members) = one.as_object_mut() {
                    members.insert("namespace".to_owned(), json!(word(&tool, "name")));
                    let name = full_name(&Value::Object(members.clone()));
                    members.insert("name".to_owned(), json!(name));
                }
                flat.push(one);
            }
        }
        self.pen.tools(&Value::Array(flat), at);
    }

    fn message(&mut self, item: &Value, at: &At, time: i64) {
        let content = item.get("content").unwrap_or(&Value::Null);
        match word(item, "role").unwrap_or_default() {
            "assistant" => match content {
                Value::Array(parts) => {
                    for part in parts {
                        self.add(Piece::Part(part.clone()), at, time);
                    }
                }
                Value::Null => {}
                other => self.add(Piece::Part(other.clone()), at, time),
            },
            role @ ("system" | "developer") if !self.spoken => {
                let role = Role::parse(role).unwrap_or_default();
                let piece = SystemPiece {
                    role,
                    text: text_of(Some(content)),
                };
                self.pen.transcript().system.push(piece);
            }
            role @ ("system" | "developer") => {
                self.close();
                self.pen.system(role, content, at, time);
            }
            "user" => {
                self.close();
                self.spoken = true;
                if is_prompt(item) {
                    self.prompts.push(item.clone());
                    self.pen.user(content, at, time);
                } else {
                    self.pen.injected(content, false, "context", at, time);
                }
            }
            role => {
                self.close();
                let says = "messages of roles that are not known here are kept aside";
                self.pen.count("role_unknown", role, says, at);
                self.pen.aside(role, &text_of(Some(content)), None, time);
            }
        }
    }

    fn output(&mut self, item: &Value, at: &At, time: i64) {
        self.close();
        let id = word(item, "call_id").unwrap_or_default();
        let name = word(item, "name").unwrap_or_default();
        let output = item
            .get("output")
            .or_else(|| item.get("tools"))
            .unwrap_or(&Value::Null);
        // Old files wrap the words with whether they are a success's.
        let content = output.get("content").unwrap_or(output);
        let failed = output.get("success").and_then(Value::as_bool) == Some(false);
        let content = match content {
            Value::Array(parts) if parts.iter().any(|part| word(part, "type").is_none()) => {
                json!(content.to_string())
            }
            Value::Object(_) => json!(content.to_string()),
            _ => content.clone(),
        };
        let outcome = Outcome {
            call: id,
            function: name,
            content,
            failed,
            ..Outcome::default()
        };
        self.pen.result(outcome, at, time);
    }

    /// A call that the server ran: one item holds it and what came of it.
    fn server_run(&mut self, item: &Value, kind: &str, at: &At, time: i64) {
        let id = word(item, "call_id")
            .or_else(|| word(item, "id"))
            .unwrap_or_default();
        let plain = kind.trim_end_matches("_call");
        let name = word(item, "name").unwrap_or(plain).to_owned();
        let found = |keys: &[&str]| {
            keys.iter()
                .find_map(|key| item.get(*key))
                .filter(|v| !v.is_null())
        };
        let input = found(&["action", "arguments", "queries", "code", "revised_prompt"]);
        let input = match input {
            Some(Value::Object(_)) => input.cloned().unwrap_or_default(),
            Some(Value::String(_)) if plain == "mcp" => input.cloned().unwrap_or_default(),
            Some(other) => json!({"input": other}),
            None => json!({}),
        };
        self.add(Piece::Call(id.to_owned(), name.clone(), input), at, time);
        self.close();
        let content = match found(&["output", "result", "results", "outputs", "error"]) {
            Some(Value::String(data)) if plain == "image_generation" => {
                json!([{"type": "image", "mime": "image/png", "data": data}])
            }
            Some(Value::String(text)) => json!(text),
            Some(other) => json!(other.to_string()),
            None => Value::Null,
        };
        let failed = found(&["error"]).is_some();
        let details = rest(
            item,
            &[
                "type",
                "id",
                "call_id",
                "name",
                "action",
                "arguments",
                "output",
                "result",
                "results",
                "outputs",
            ],
        );
        let outcome = Outcome {
            call: id,
            function: &name,
            content,
            failed,
            details: details.unwrap_or_default(),
        };
        self.pen.result(outcome, at, time);
    }

    /// History is reset: to what was put in its place, else to the summary and the person's own words.
    fn compacted(&mut self, payload: &Value, at: &At, time: i64) {
        self.close();
        self.spoken = true;
        let message = word(payload, "message").unwrap_or_default().trim();
        let replacement = payload.get("replacement_history").and_then(Value::as_array);
        let is_sealed = |item: &&Value| {
            word(item, "encrypted_content").is_some() && word(item, "type") != Some("reasoning")
        };
        let sealed = replacement.into_iter().flatten().find(is_sealed);
        let sealed = sealed.and_then(|item| word(item, "encrypted_content"));
        let summary = match sealed {
            Some(sealed) if message.is_empty() => {
                let says =
                    "summaries that are sealed stand as a note of their size and are not counted";
                self.pen.count("summary_sealed", "", says, at);
                format!("[summary: sealed, {} bytes]", sealed.len())
            }
            _ => message.to_owned(),
        };
        if summary.is_empty() {
            let says = "compactions whose summary is not in the file: what stands before them is shown as if it were sent";
            self.pen.count("summary_not_in_file", "", says, at);
        }
        let keys = ["window_number", "window_id"];
        self.pen.compaction(&summary, facts(payload, &keys), time);
        let before = std::mem::take(&mut self.prompts);
        let is_summary = |item: &&Value| {
            is_sealed(item) || !message.is_empty() && text_of(item.get("content")).contains(message)
        };
        match replacement {
            Some(items) => items
                .iter()
                .filter(|item| !is_summary(item))
                .for_each(|item| self.item(item, at, time)),
            None => before.iter().for_each(|item| self.item(item, at, time)),
        }
        if let (Some(_), Some(_)) = (sealed, replacement.filter(|items| items.len() == 1)) {
            // A lone marker among the items: the person's words before it are still in the model's view.
            before.iter().for_each(|item| self.item(item, at, time));
        }
        self.close();
    }
}

/// A function's name with the group it is of.
fn full_name(item: &Value) -> String {
    let name = word(item, "name").unwrap_or_default();
    match word(item, "namespace").filter(|group| !group.is_empty()) {
        Some(group) if group.ends_with("__") => format!("{group}{name}"),
        Some(group) => format!("{group}.{name}"),
        None => name.to_owned(),
    }
}
