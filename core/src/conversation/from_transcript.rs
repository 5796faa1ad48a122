//! A flat transcript as a conversation. No text of it is changed, and none is lost.
//!
//! A user's words open a reply, and what the model said, called and got back are that reply's rounds; words
//! that nobody answered before the next ones are message turns, and the last unanswered ones are `pending`.
//! Words in several parts are several turns next to each other: they merge into one entry of the same parts
//! when they are sent. What a tool keeps in its transcript and does not send never splits a reply: met inside
//! one, it stands right after it. A compaction marker is a summary turn, later system texts are message turns
//! of their role, and a result is kept with its call, however late it came.

mod reply;
mod uploads;

use serde_json::{Map, Value};

use super::native::{
    Body, Conversation, Document, Run, Seed, Tool, Turn, TurnKind, Usage, Visibility,
};
use super::voice::SYSTEM;
use crate::json::Notes;
use crate::refusal::Warning;
use crate::role::Role;
use crate::transcript::{AgentMessage, ContentBlock, Imported, OpenCalls, StopReason};
use reply::Place;
use uploads::Uploads;

/// Builds the conversation a transcript is, and says what had no place in it. Each message is given up as soon as
/// it is in the conversation: a long one is not held in both forms.
pub fn from_transcript(mut imported: Imported) -> (Conversation, Vec<Warning>) {
    let messages = std::mem::take(&mut imported.messages);
    let mut notes = Notes::default();
    let mut builder = Builder {
        imported: &imported,
        file: around(&imported),
        uploads: Uploads::new(&imported),
        waiting: Vec::new(),
        aside: Vec::new(),
        current: None,
        open: OpenCalls::default(),
    };
    for (index, message) in messages.into_iter().enumerate() {
        builder.message(index, &message);
    }
    let mut file = builder.finish(&mut notes);
    super::settle(&mut file, &mut notes);
    (file, notes.finish())
}

/// What stands around the turns: the system prompt, the tools, the model.
fn around(imported: &Imported) -> Conversation {
    let mut file = Conversation::default();
    super::settle(&mut file, &mut Notes::default());
    if let Some(title) = &imported.title {
        file.extra
            .insert("title".to_owned(), Value::from(title.as_str()));
    }
    if let Some(first) = imported.system.first() {
        let texts: Vec<&str> = imported
            .system
            .iter()
            .map(|piece| piece.text.as_str())
            .collect();
        file.documents.push(Document {
            slot: "system_prompt".to_owned(),
            role: Some(first.role),
            content: texts.join("\n\n"),
            version: 1,
            literal: true,
            ..Document::default()
        });
    }
    if let Some(agent) = file.users.get_mut(&file.answering_user) {
        agent.tools = imported.tools.iter().map(tool).collect();
        agent.default_model.clone_from(&imported.model);
    }
    file.current_model.clone_from(&imported.model);
    file
}

fn tool(function: &crate::transcript::AgentFunction) -> Tool {
    Tool {
        name: function.name.clone(),
        description: Some(function.description.clone()).filter(|text| !text.is_empty()),
        parameters: Some(function.parameters.clone()).filter(|schema| !schema.is_null()),
        ..Tool::default()
    }
}

struct Builder<'i> {
    imported: &'i Imported,
    file: Conversation,
    uploads: Uploads<'i>,
    /// The newest words, in parts, that nothing has answered yet; and when they were said.
    waiting: Vec<(Seed, i64)>,
    /// Turns that are not sent and wait for the reply around them to end.
    aside: Vec<Turn>,
    /// The reply that is being built, an index into the turns.
    current: Option<usize>,
    open: OpenCalls<Place>,
}

impl Builder<'_> {
    fn message(&mut self, index: usize, message: &AgentMessage) {
        match message {
            AgentMessage::User { content, timestamp } => self.user(index, content, *timestamp),
            AgentMessage::Assistant { .. } => self.assistant(index, message),
            AgentMessage::FunctionResult {
                function_call_id,
                function_id,
                content,
                is_error,
                details,
                ..
            } => {
                let extra = match details {
                    Value::Null => Map::new(),
                    details => Map::from_iter([("details".to_owned(), details.clone())]),
                };
                self.result(
                    index,
                    function_call_id,
                    function_id,
                    content,
                    *is_error,
                    extra,
                );
            }
            AgentMessage::Custom {
                custom_type,
                content,
                display,
                details,
                timestamp,
            } => {
                let mut turn = said(Role::System, None, *timestamp);
                turn.speaker = Some(SYSTEM.to_owned());
                let details = details.as_ref();
                self.custom(custom_type, content, display.as_deref(), details, turn);
            }
        }
    }

    fn user(&mut self, index: usize, content: &[ContentBlock], timestamp: i64) {
        let mut parts: Vec<Seed> = Vec::new();
        let mut spoke = content.is_empty();
        for (number, block) in content.iter().enumerate() {
            match block {
                ContentBlock::FunctionResult {
                    function_call_id,
                    content,
                    is_error,
                } => {
                    let failed = is_error.unwrap_or(false);
                    self.result(index, function_call_id, "", content, failed, Map::new());
                    continue;
                }
                ContentBlock::Thinking { .. } | ContentBlock::FunctionCall { .. } => {
                    // Only a model thinks and calls, whoever the transcript says it was.
                    self.said_by_model(index, number, block, None);
                    continue;
                }
                ContentBlock::Text { .. } | ContentBlock::Image { .. } => {}
            }
            spoke = true;
            match (self.uploads.of(index, number, block), block) {
                (Some(upload), _) => match parts.last_mut() {
                    Some(part) => part.uploads.push(upload),
                    None => parts.push(Seed {
                        text: String::new(),
                        uploads: vec![upload],
                    }),
                },
                (None, ContentBlock::Text { text }) => {
                    parts.push(Seed {
                        text: text.clone(),
                        uploads: Vec::new(),
                    });
                }
                _ => {}
            }
        }
        if !spoke {
            return;
        }
        self.close();
        if parts.is_empty() {
            parts.push(Seed::default());
        }
        self.waiting = parts.into_iter().map(|part| (part, timestamp)).collect();
    }

    /// A tool's own item: a summary, a system text, or something that is not sent.
    fn custom(
        &mut self,
        custom_type: &str,
        content: &[ContentBlock],
        display: Option<&str>,
        details: Option<&Value>,
        turn: Turn,
    ) {
        let text: String = content.iter().map(text_of).collect();
        let detail = |key: &str| {
            details
                .and_then(|details| details.get(key))
                .and_then(Value::as_str)
        };
        let summary = Some(text.as_str())
            .filter(|text| !text.is_empty())
            .or(detail("summary"));
        if let ("compaction", Some(summary)) =
            (custom_type, summary.filter(|s| !s.trim().is_empty()))
        {
            self.close();
            let body = Body {
                content: Some(summary.to_owned()),
                ..Body::default()
            };
            self.file.turns.push(Turn {
                kind: TurnKind::CompactionSummary,
                role: Some(Role::User),
                status: Some("completed".to_owned()),
                body,
                ..turn
            });
            return;
        }
        if let ("system_injection", Some(role)) =
            (custom_type, detail("role").and_then(Role::parse))
        {
            self.close();
            let texts = content.iter().filter_map(|block| match block {
                ContentBlock::Text { text } => Some(text.clone()),
                _ => None,
            });
            let turns = texts.map(|text| Turn {
                role: Some(role),
                text: Some(text),
                // Sent all the same: what the tool showed and what it sent are two things.
                display: (display == Some("hidden")).then_some(false),
                ..turn.clone()
            });
            self.file.turns.extend(turns);
            return;
        }
        let mut turn = Turn {
            visibility: match display {
                Some("hidden") => Visibility::Hidden,
                _ => Visibility::ExcludedFromContext,
            },
            text: Some(text),
            ..turn
        };
        let extra = &mut turn.body.extra;
        extra.insert("custom_type".to_owned(), Value::from(custom_type));
        if let Some(details) = details {
            extra.insert("details".to_owned(), details.clone());
        }
        if self.current.is_some() || !self.waiting.is_empty() {
            self.aside.push(turn);
        } else {
            self.file.turns.push(turn);
        }
    }

    /// Ends the reply that is being built; words that wait for none become message turns.
    fn close(&mut self) {
        if let Some(turn) = self
            .current
            .take()
            .and_then(|index| self.file.turns.get_mut(index))
        {
            settle_reply(turn);
        }
        let unanswered = std::mem::take(&mut self.waiting);
        self.file.turns.extend(
            unanswered
                .into_iter()
                .map(|(words, at)| said(Role::User, Some(words), at)),
        );
        self.file.turns.append(&mut self.aside);
    }

    fn finish(mut self, notes: &mut Notes) -> Conversation {
        let pending = match self.current {
            None => self.waiting.pop().map(|(words, _)| words),
            Some(_) => None,
        };
        self.close();
        let request = self.imported.request.clone();
        let last = self
            .file
            .turns
            .iter_mut()
            .rev()
            .find(|turn| turn.kind == TurnKind::DirectReply);
        match (request, last, &pending) {
            (Some(request), Some(turn), None) => turn.body.request = Some(request),
            (Some(request), _, _) => {
                self.file.extra.insert("request".to_owned(), request);
            }
            (None, _, _) => {}
        }
        self.file.pending = pending;
        self.file.uploads = self.uploads.finish(notes);
        self.file
    }
}

/// A message turn.
fn said(role: Role, words: Option<Seed>, timestamp: i64) -> Turn {
    let words = words.map(|words| (words.text, words.uploads));
    let (text, uploads) = words.unzip();
    Turn {
        role: Some(role),
        text,
        uploads: uploads.unwrap_or_default(),
        created_at: Some(timestamp).filter(|at| *at != 0).map(Value::from),
        ..Turn::default()
    }
}

/// A reply of one round that called nothing is plain words; what the provider reported of the last round is the turn's.
fn settle_reply(turn: &mut Turn) {
    let Some(Run { mut rounds, extra }) = turn.body.run.take() else {
        return;
    };
    turn.body.usage = rounds.last_mut().and_then(|round| round.usage.take());
    match rounds.as_mut_slice() {
        [only] if only.calls.is_empty() && only.results.is_empty() && only.extra.is_empty() => {
            turn.body.content = Some(std::mem::take(&mut only.output));
            turn.body.trace = only.trace.take();
        }
        _ => turn.body.run = Some(Run { rounds, extra }),
    }
}

/// The words of a block; what is no text has none.
fn text_of(block: &ContentBlock) -> &str {
    match block {
        ContentBlock::Text { text } => text,
        _ => "",
    }
}

/// What a provider counted, in the file's terms: input with what the cache had a part in.
fn usage(usage: &crate::transcript::Usage, model: Option<String>) -> Usage {
    let cached = [usage.cache_read, usage.cache_write].into_iter().flatten();
    let input = cached.fold(usage.input.unwrap_or(0), u64::saturating_add);
    let mut extra = Map::new();
    if let Some(reasoning) = usage.reasoning {
        extra.insert("reasoning_tokens".to_owned(), Value::from(reasoning));
    }
    if let Some(cost) = usage.cost_usd {
        extra.insert("cost_usd".to_owned(), Value::from(cost));
    }
    Usage {
        status: "succeeded".to_owned(),
        model,
        input_tokens: input,
        output_tokens: usage.output.unwrap_or(0),
        cache_read_tokens: usage.cache_read,
        cache_write_tokens: usage.cache_write,
        extra,
    }
}

/// The word for a stop that was no ordinary one.
fn cut_short(reason: StopReason) -> Option<&'static str> {
    match reason {
        StopReason::End | StopReason::FunctionCall => None,
        StopReason::Length => Some("length"),
        StopReason::Aborted => Some("aborted"),
        StopReason::Error => Some("error"),
    }
}

#[cfg(test)]
mod tests;
