//! A conversation as a flat transcript: what is visible and sent, the way back of `from_transcript`.
//!
//! A reply's words, rounds and results are messages again, a summary turn is a compaction marker, and what a tool
//! kept without sending it stands in its place. Words in turns beside each other are the parts of one message, as
//! they are when they are sent. Files stand as texts in their place, for a conversation has no bytes.

use serde_json::{Value, json};

use super::Conversation;
use super::native::{Body, CallResult, Round, Seed, Turn, TurnKind, Upload, Usage, Visibility};
use crate::json::{Notes, Place, value as parse};
use crate::refusal::Warning;
use crate::role::Role;
use crate::seal::Part;
use crate::transcript::{
    self, AgentFunction, AgentMessage, Attachment, ContentBlock, Imported, StopReason, SystemPiece,
};
use crate::wording;

/// The transcript a conversation is, and what of it has no place in one.
pub fn to_transcript(file: &Conversation) -> (Imported, Vec<Warning>) {
    let mut writer = Writer {
        file,
        imported: around(file),
        notes: Notes::default(),
        words: None,
    };
    for index in file.reachable() {
        if let Some(turn) = file.turns.get(index).filter(|turn| !turn.deleted) {
            writer.turn(index, turn);
        }
    }
    if let Some(pending) = &file.pending {
        writer.seed(pending, 0);
    }
    writer.close();
    (writer.imported, writer.notes.finish())
}

/// What stands around the messages: the answerer's system prompt, its tools, the model.
fn around(file: &Conversation) -> Imported {
    let answerer = file.users.get(&file.answering_user);
    let of = |owner: &Option<String>| owner.as_ref().is_none_or(|own| *own == file.answering_user);
    let prompts = file.documents.iter();
    let prompts =
        prompts.filter(|document| document.slot == "system_prompt" && of(&document.owner));
    let system = prompts.filter(|document| !document.content.is_empty());
    let tools = answerer
        .map(|agent| agent.tools.as_slice())
        .unwrap_or_default();
    let model = file.current_model.as_ref();
    let model = model.or(answerer.and_then(|agent| agent.default_model.as_ref()));
    Imported {
        title: file
            .extra
            .get("title")
            .and_then(Value::as_str)
            .map(str::to_owned),
        system: system
            .map(|document| SystemPiece {
                role: document.role.unwrap_or(Role::System),
                text: document.content.clone(),
            })
            .collect(),
        tools: tools
            .iter()
            .map(|tool| AgentFunction {
                name: tool.name.clone(),
                description: tool.description.clone().unwrap_or_default(),
                parameters: tool.parameters.clone().unwrap_or_default(),
                label: None,
                execution_mode: None,
            })
            .collect(),
        model: model.cloned(),
        request: request(file),
        ..Imported::default()
    }
}

/// The newest request that the file holds.
fn request(file: &Conversation) -> Option<Value> {
    let sent = file
        .turns
        .iter()
        .rev()
        .find_map(|turn| turn.active().body.request.clone());
    file.extra.get("request").cloned().or(sent)
}

struct Writer<'c> {
    file: &'c Conversation,
    imported: Imported,
    notes: Notes,
    /// Words of the person that go on: in turns beside each other, said at one time.
    words: Option<Words>,
}

struct Words {
    time: i64,
    content: Vec<ContentBlock>,
    facts: Vec<(usize, Attachment)>,
}

impl<'c> Writer<'c> {
    fn note(&mut self, code: &str, index: usize, message: &str) {
        self.notes
            .push(Warning::new(code, message).at(format!("/turns/{index}")));
    }

    fn turn(&mut self, index: usize, turn: &'c Turn) {
        let time = turn
            .created_at
            .as_ref()
            .and_then(Value::as_i64)
            .unwrap_or(0);
        let extra = &turn.body.extra;
        if let (Some(kind), true) = (
            extra.get("custom_type").and_then(Value::as_str),
            turn.visibility != Visibility::Visible,
        ) {
            let display = (turn.visibility == Visibility::Hidden).then(|| "hidden".to_owned());
            let details = extra.get("details").cloned();
            return self.custom(kind, turn.words(), display, details, time);
        }
        if turn.visibility != Visibility::Visible {
            let message = "the turn is not context and is left out";
            return self.note("turn_not_sent", index, message);
        }
        match turn.kind {
            TurnKind::CompactionSummary => {
                if turn.is_standing_summary() {
                    self.custom("compaction", turn.words(), None, None, time);
                } else {
                    let message = "a summary that stands for nothing is left out";
                    self.note("turn_not_sent", index, message);
                }
            }
            TurnKind::Message => self.said(turn, time),
            TurnKind::DirectReply => self.reply(index, turn, time),
        }
    }

    fn said(&mut self, turn: &Turn, time: i64) {
        let seed = Seed {
            text: turn.words().to_owned(),
            uploads: turn.uploads.clone(),
        };
        let display = (turn.display == Some(false)).then(|| "hidden".to_owned());
        let injected = turn.speaker.as_deref() == Some(super::voice::SYSTEM);
        match turn.role() {
            Role::User if !injected => self.seed(&seed, time),
            Role::Assistant if !injected => {
                self.close();
                let at = self.imported.messages.len();
                let mut content = Vec::new();
                self.blocks(&seed, at, &mut content);
                self.assistant(content, time);
            }
            role => {
                let details = json!({ "role": role.as_str() });
                self.custom("system_injection", &seed.text, display, Some(details), time);
            }
        }
    }

    /// Words of the person, with those beside them.
    fn seed(&mut self, seed: &Seed, time: i64) {
        if self.words.as_ref().is_some_and(|words| words.time != time) {
            self.close();
        }
        let mut words = self.words.take().unwrap_or_else(|| Words {
            time,
            content: Vec::new(),
            facts: Vec::new(),
        });
        if !seed.text.is_empty() {
            words.content.push(ContentBlock::text(&seed.text));
        }
        for (text, facts) in self.uploads(&seed.uploads) {
            words.facts.push((words.content.len(), facts));
            words.content.push(ContentBlock::text(text));
        }
        self.words = Some(words);
    }

    /// Ends the words that go on.
    fn close(&mut self) {
        let Some(words) = self.words.take() else {
            return;
        };
        let message = self.imported.messages.len();
        for (block, facts) in words.facts {
            self.imported.attachments.push(Attachment {
                message,
                block,
                ..facts
            });
        }
        self.imported.messages.push(AgentMessage::User {
            content: words.content,
            timestamp: words.time,
        });
    }

    fn custom(
        &mut self,
        custom_type: &str,
        text: &str,
        display: Option<String>,
        details: Option<Value>,
        timestamp: i64,
    ) {
        self.close();
        let text = Some(text).filter(|text| !text.is_empty());
        self.imported.messages.push(AgentMessage::Custom {
            custom_type: custom_type.to_owned(),
            content: text.map(ContentBlock::text).into_iter().collect(),
            display,
            details,
            timestamp,
        });
    }

    fn reply(&mut self, index: usize, turn: &'c Turn, time: i64) {
        let candidate = turn.active();
        for entry in candidate.preface.iter().filter(|entry| !entry.carried) {
            let texts = entry.parts.iter().filter_map(|part| match part {
                Part::Text { text } => Some(text.as_str()),
                Part::Upload { .. } => None,
            });
            let details = json!({"role": entry.role.as_str()});
            for text in texts {
                self.custom("system_injection", text, None, Some(details.clone()), time);
            }
        }
        if let Some(prompt) = candidate.prompt {
            self.seed(prompt, time);
        }
        self.close();
        let from = self.imported.messages.len();
        let body = candidate.body;
        match &body.run {
            Some(run) => {
                let mut goes_on = false;
                for round in &run.rounds {
                    self.round(index, round, goes_on, time);
                    goes_on = round.results.is_empty() && round.calls.is_empty();
                }
            }
            None => {
                let mut content = self.thoughts(body.trace.as_ref());
                content.extend(
                    body.content
                        .as_deref()
                        .filter(|text| !text.is_empty())
                        .map(ContentBlock::text),
                );
                if !content.is_empty() {
                    self.assistant(content, time);
                }
            }
        }
        self.settle(from, body);
    }

    /// One step of the model: more of the answer before when that called nothing.
    fn round(&mut self, index: usize, round: &'c Round, goes_on: bool, time: i64) {
        for text in round.material.iter().chain(&round.steers) {
            let details = json!({"role": "user"});
            self.custom("system_injection", text, None, Some(details), time);
        }
        let cut = round.arrived_summary.is_some()
            || round.pruned_before.is_some()
            || round.compacted_fan.is_some()
            || !round.tips.is_empty();
        if cut {
            let message = "what was summarized, cleared or branched off within a reply is not kept";
            self.note("round_not_kept", index, message);
        }
        let at = self.imported.messages.len();
        let joins = goes_on
            && matches!(
                self.imported.messages.last(),
                Some(AgentMessage::Assistant { .. })
            );
        let (at, mut content) = match (joins, self.imported.messages.last_mut()) {
            (true, Some(AgentMessage::Assistant { content, .. })) => {
                (at.saturating_sub(1), std::mem::take(content))
            }
            _ => (at, Vec::new()),
        };
        content.extend(self.thoughts(round.trace.as_ref()));
        let shown = round.extra.get("uploads").and_then(Value::as_array);
        let shown = shown.into_iter().flatten().filter_map(Value::as_str);
        let seed = Seed {
            text: round.output.clone(),
            uploads: shown.map(str::to_owned).collect(),
        };
        self.blocks(&seed, at, &mut content);
        for call in &round.calls {
            let read = parse(
                call.arguments.as_bytes(),
                Place::default(),
                &mut Notes::default(),
            );
            let arguments = read.unwrap_or_else(|_| json!({ "_raw": call.arguments }));
            let compact = arguments.to_string();
            if compact != call.arguments {
                let own = call.arguments.clone();
                self.imported.arguments.insert(call.id.clone(), own);
            }
            content.push(ContentBlock::FunctionCall {
                id: call.id.clone(),
                function_id: call.name.clone(),
                arguments,
            });
        }
        match (joins, self.imported.messages.last_mut()) {
            (
                true,
                Some(AgentMessage::Assistant {
                    content: blocks, ..
                }),
            ) => *blocks = content,
            _ => self.assistant(content, time),
        }
        for (id, result) in &round.results {
            let call = round.calls.iter().find(|call| call.id == *id);
            let name = call.map_or("unknown", |call| call.name.as_str());
            self.result(id, name, result, time);
        }
        if let Some(counted) = &round.usage {
            self.counted(counted);
        }
    }

    fn assistant(&mut self, content: Vec<ContentBlock>, timestamp: i64) {
        self.imported.messages.push(AgentMessage::Assistant {
            content,
            stop_reason: StopReason::End,
            native_stop_reason: None,
            error_message: None,
            error_kind: None,
            warnings: None,
            usage: None,
            model: String::new(),
            provider: String::new(),
            timestamp,
        });
    }

    fn result(&mut self, id: &str, name: &str, result: &CallResult, timestamp: i64) {
        self.close();
        let at = self.imported.messages.len();
        let mut content: Vec<ContentBlock> = Vec::new();
        let parts = result.extra.get("parts").cloned();
        match parts.and_then(|parts| serde_json::from_value(parts).ok()) {
            Some(parts) => content = parts,
            None => {
                let seed = Seed {
                    text: result.output.clone().unwrap_or_else(|| missing(result)),
                    uploads: result.uploads.clone(),
                };
                self.blocks(&seed, at, &mut content);
            }
        }
        self.imported.messages.push(AgentMessage::FunctionResult {
            function_call_id: id.to_owned(),
            function_id: name.to_owned(),
            content,
            details: result.extra.get("details").cloned().unwrap_or_default(),
            is_error: result.is_error || result.output.is_none(),
            timestamp,
        });
    }

    /// Words and files as blocks of the message at an index.
    fn blocks(&mut self, seed: &Seed, message: usize, content: &mut Vec<ContentBlock>) {
        if !seed.text.is_empty() {
            content.push(ContentBlock::text(&seed.text));
        }
        for (text, facts) in self.uploads(&seed.uploads) {
            self.imported.attachments.push(Attachment {
                message,
                block: content.len(),
                ..facts
            });
            content.push(ContentBlock::text(text));
        }
    }

    /// Files, each as the text in its place and its facts.
    fn uploads(&self, ids: &[String]) -> Vec<(String, Attachment)> {
        let found = ids.iter().filter_map(|id| self.file.uploads.get(id));
        found.map(placeholder).collect()
    }

    fn thoughts(&mut self, trace: Option<&Value>) -> Vec<ContentBlock> {
        let Some(trace) = trace else {
            return Vec::new();
        };
        if let Some(wire) = trace.get("api_format").and_then(Value::as_str) {
            self.imported.api_format = Some(wire.to_owned());
        }
        let items = trace.get("items").and_then(Value::as_array);
        let word =
            |item: &Value, key: &str| item.get(key).and_then(Value::as_str).map(str::to_owned);
        let thought = |item: &Value| {
            let signature = word(item, "signature").or_else(|| word(item, "encrypted_content"));
            let text = word(item, "text");
            (text.is_some() || signature.is_some()).then(|| ContentBlock::Thinking {
                text: text.unwrap_or_default(),
                signature,
            })
        };
        items.into_iter().flatten().filter_map(thought).collect()
    }

    fn counted(&mut self, counted: &Usage) {
        let newest = self
            .imported
            .messages
            .iter_mut()
            .rev()
            .find_map(|message| match message {
                AgentMessage::Assistant { usage, .. } => Some(usage),
                _ => None,
            });
        if let Some(usage) = newest.filter(|_| counted.status == "succeeded") {
            let cached = [counted.cache_read_tokens, counted.cache_write_tokens];
            let cached = cached.into_iter().flatten().fold(0, u64::saturating_add);
            let number = |key: &str| counted.extra.get(key);
            *usage = Some(transcript::Usage {
                input: Some(counted.input_tokens.saturating_sub(cached)),
                output: Some(counted.output_tokens),
                cache_read: counted.cache_read_tokens,
                cache_write: counted.cache_write_tokens,
                reasoning: number("reasoning_tokens").and_then(Value::as_u64),
                cost_usd: number("cost_usd").and_then(Value::as_f64),
            });
        }
    }

    /// What a reply says of its answers since an index.
    fn settle(&mut self, from: usize, body: &Body) {
        if let Some(counted) = &body.usage {
            self.counted(counted);
        }
        let word = |key: &str| {
            body.extra
                .get(key)
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        let mut last = true;
        for message in self.imported.messages.iter_mut().skip(from).rev() {
            let AgentMessage::Assistant {
                content,
                stop_reason,
                native_stop_reason,
                error_message,
                model,
                ..
            } = message
            else {
                continue;
            };
            *model = body.model.clone().unwrap_or_default();
            let calls = |block: &ContentBlock| matches!(block, ContentBlock::FunctionCall { .. });
            if content.iter().any(calls) {
                *stop_reason = StopReason::FunctionCall;
            }
            if std::mem::take(&mut last) {
                let stopped = word("stop_reason").map(Value::from);
                let stopped = stopped.and_then(|word| serde_json::from_value(word).ok());
                *stop_reason = stopped.unwrap_or(*stop_reason);
                *native_stop_reason = word("native_stop_reason");
                *error_message = word("error_message");
            }
        }
    }
}

/// What is said in place of a result that is none.
fn missing(result: &CallResult) -> String {
    let sentence = match result.status.as_str() {
        "canceled" => wording::CANCELED,
        "skipped" => wording::SKIPPED,
        "failed" => wording::FAILED,
        "timed_out" => wording::TIMED_OUT,
        "uncertain" => wording::UNCERTAIN,
        _ => wording::UNANSWERED,
    };
    let why = [&result.error_key, &result.error_detail];
    let why: Vec<&str> = why.into_iter().flatten().map(String::as_str).collect();
    match why.is_empty() {
        true => sentence.text.to_owned(),
        false => format!("{} ({})", sentence.text, why.join(": ")),
    }
}

/// The text that stands for a file, and its facts.
fn placeholder(upload: &Upload) -> (String, Attachment) {
    let reference = upload.extra.get("reference").and_then(Value::as_str);
    let kind = upload.content_type.split('/').next().unwrap_or_default();
    let kind = match kind {
        "image" | "audio" | "video" => kind,
        _ => "file",
    };
    let size = format!("{} bytes", upload.byte_size);
    let says = [
        reference.unwrap_or(&upload.filename),
        &upload.content_type,
        if upload.byte_size > 0 { &size } else { "" },
    ];
    let says: Vec<&str> = says.into_iter().filter(|word| !word.is_empty()).collect();
    let facts = Attachment {
        filename: upload.filename.clone(),
        content_type: upload.content_type.clone(),
        byte_size: upload.byte_size,
        reference: reference.map(str::to_owned),
        ..Attachment::default()
    };
    (format!("[{kind}: {}]", says.join(", ")), facts)
}
