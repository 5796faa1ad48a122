//! What a model said, called and got back, as the rounds of a reply.

use serde_json::{Map, Value, json};

use super::super::native::{Body, Call, CallResult, Round, Run, Turn, TurnKind};
use super::{Builder, cut_short, text_of, usage};
use crate::role::Role;
use crate::tokens::ReplayFormat;
use crate::transcript::{AgentMessage, ContentBlock};

/// Where a call waits for its result.
#[derive(Clone, Debug)]
pub(super) struct Place {
    turn: usize,
    round: usize,
    call: String,
}

impl Builder<'_> {
    pub(super) fn assistant(&mut self, index: usize, message: &AgentMessage) {
        let AgentMessage::Assistant {
            content,
            stop_reason,
            native_stop_reason,
            error_message,
            usage: reported,
            model,
            timestamp,
            ..
        } = message
        else {
            return;
        };
        self.begin_round(*timestamp);
        for (number, block) in content.iter().enumerate() {
            match block {
                ContentBlock::FunctionResult {
                    function_call_id,
                    content,
                    is_error,
                } => {
                    let failed = is_error.unwrap_or(false);
                    self.result(index, function_call_id, "", content, failed, Map::new());
                }
                _ => self.said_by_model(index, number, block, Some(message)),
            }
        }
        let model = Some(model)
            .filter(|model| !model.is_empty())
            .or(self.imported.model.as_ref());
        let model = model.cloned();
        let reported = reported
            .as_ref()
            .map(|reported| usage(reported, model.clone()));
        let Some(turn) = self.current.and_then(|turn| self.file.turns.get_mut(turn)) else {
            return;
        };
        if let Some(round) = turn.body.run.as_mut().and_then(|run| run.rounds.last_mut()) {
            round.usage = reported;
        }
        turn.body.model = model.or(turn.body.model.take());
        let cut = cut_short(*stop_reason);
        for (key, word) in [
            ("stop_reason", cut),
            (
                "native_stop_reason",
                native_stop_reason.as_deref().filter(|_| cut.is_some()),
            ),
            ("error_message", error_message.as_deref()),
        ] {
            if let Some(word) = word {
                turn.body.extra.insert(key.to_owned(), Value::from(word));
            }
        }
    }

    /// One block of the model's: it goes into the newest round, or into a new one when it comes after what a
    /// round says last.
    pub(super) fn said_by_model(
        &mut self,
        index: usize,
        number: usize,
        block: &ContentBlock,
        message: Option<&AgentMessage>,
    ) {
        if matches!(block, ContentBlock::Text { text } if text.is_empty()) {
            return;
        }
        let upload = self.uploads.of(index, number, block);
        let fresh = self.round().is_none_or(|round| match block {
            ContentBlock::FunctionCall { .. } => false,
            _ => !round.output.is_empty() || !round.calls.is_empty() || !round.extra.is_empty(),
        });
        if fresh {
            self.begin_round(0);
        }
        let api_format = self.imported.api_format.clone();
        let place = self.place();
        let (Some(round), Some((turn, number))) = (self.round(), place) else {
            return;
        };
        match block {
            _ if upload.is_some() => {
                round.extra.insert("uploads".to_owned(), json!([upload]));
            }
            ContentBlock::Text { text } => round.output.clone_from(text),
            ContentBlock::Thinking { text, signature } => {
                let origin = message.map(origin).unwrap_or_default();
                think(
                    round,
                    text,
                    signature.as_deref(),
                    origin,
                    api_format.as_deref(),
                );
            }
            ContentBlock::FunctionCall {
                id,
                function_id,
                arguments,
            } => {
                let key = free(id, |key| taken(round, key));
                let own = self.imported.arguments.get(id).cloned();
                let call = Call {
                    id: key.clone(),
                    name: function_id.clone(),
                    arguments: own.unwrap_or_else(|| arguments.to_string()),
                    ..Call::default()
                };
                if let Some(round) = self.round() {
                    round.calls.push(call);
                }
                let place = Place {
                    turn,
                    round: number,
                    call: key,
                };
                self.open.made(index, id, function_id, place);
            }
            ContentBlock::Image { .. } | ContentBlock::FunctionResult { .. } => {}
        }
    }

    /// A result, kept in the round of its call; one without a call stays where it was met.
    pub(super) fn result(
        &mut self,
        index: usize,
        id: &str,
        name: &str,
        content: &[ContentBlock],
        is_error: bool,
        mut extra: Map<String, Value>,
    ) {
        let mut result = CallResult {
            status: "completed".to_owned(),
            is_error,
            ..CallResult::default()
        };
        let mut words = Vec::new();
        for (number, block) in content.iter().enumerate() {
            match self.uploads.of(index, number, block) {
                Some(upload) => result.uploads.push(upload),
                None => words.push(text_of(block)),
            }
        }
        let plain = |block: &ContentBlock| matches!(block, ContentBlock::Text { .. });
        if words.len() > 1
            || content
                .iter()
                .any(|block| !plain(block) && !is_picture(block))
        {
            // One output holds the words; the parts they came in are kept beside it.
            let parts = serde_json::to_value(content).unwrap_or_default();
            extra.insert("parts".to_owned(), parts);
        }
        result.output = Some(words.concat());
        result.extra = extra;
        let waiting = self.open.answered(id, name);
        if waiting.is_none() && self.round().is_none() {
            self.begin_round(0);
        }
        let place = match waiting {
            Some(place) => Some((place.turn, place.round, Some(place.call))),
            None => self.place().map(|(turn, round)| (turn, round, None)),
        };
        let Some((turn, round, call)) = place else {
            return;
        };
        let turn = self.file.turns.get_mut(turn);
        let run = turn.and_then(|turn| turn.body.run.as_mut());
        let Some(round) = run.and_then(|run| run.rounds.get_mut(round)) else {
            return;
        };
        let key = call.unwrap_or_else(|| free(id, |key| taken(round, key)));
        round.results.insert(key, result);
    }

    /// Begins a round, in a new reply to the words that wait when none is being built.
    fn begin_round(&mut self, timestamp: i64) {
        if self.current.is_none() {
            let words = self.waiting.pop();
            let aside = std::mem::take(&mut self.aside);
            self.close();
            self.aside = aside;
            let said = words.as_ref().map_or(timestamp, |(_, at)| *at);
            self.current = Some(self.file.turns.len());
            self.file.turns.push(Turn {
                kind: TurnKind::DirectReply,
                role: Some(Role::Assistant),
                prompt: words.map(|(words, _)| words),
                created_at: Some(said).filter(|at| *at != 0).map(Value::from),
                body: Body {
                    run: Some(Run::default()),
                    ..Body::default()
                },
                ..Turn::default()
            });
        }
        let turn = self.current.and_then(|turn| self.file.turns.get_mut(turn));
        if let Some(run) = turn.and_then(|turn| turn.body.run.as_mut()) {
            let key = format!("r{}", run.rounds.len() + 1);
            run.rounds.push(Round {
                key,
                ..Round::default()
            });
        }
    }

    /// The round that is being built.
    fn round(&mut self) -> Option<&mut Round> {
        let turn = self.file.turns.get_mut(self.current?)?;
        turn.body.run.as_mut()?.rounds.last_mut()
    }

    /// Its turn and its index.
    fn place(&self) -> Option<(usize, usize)> {
        let turn = self.current?;
        let run = self.file.turns.get(turn)?.body.run.as_ref()?;
        Some((turn, run.rounds.len().checked_sub(1)?))
    }
}

fn is_picture(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::Image { .. })
}

/// Whether a call or a result of the round has this id.
fn taken(round: &Round, id: &str) -> bool {
    round.results.contains_key(id) || round.calls.iter().any(|call| call.id == id)
}

/// The id, or the first of `id#2`, `id#3`, … that is not taken.
fn free(id: &str, taken: impl Fn(&str) -> bool) -> String {
    if !id.is_empty() && !taken(id) {
        return id.to_owned();
    }
    let base = if id.is_empty() { "call" } else { id };
    let next = (2..u64::MAX)
        .map(|n| format!("{base}#{n}"))
        .find(|id| !taken(id));
    next.unwrap_or_default()
}

/// The provider and the model of a message.
fn origin(message: &AgentMessage) -> (&str, &str) {
    match message {
        AgentMessage::Assistant {
            provider, model, ..
        } => (provider, model),
        _ => ("", ""),
    }
}

/// Adds reasoning to a round's trace.
fn think(
    round: &mut Round,
    text: &str,
    signature: Option<&str>,
    origin: (&str, &str),
    wire: Option<&str>,
) {
    let format = ReplayFormat::of_wire(wire);
    let trace = round.trace.get_or_insert_with(|| {
        json!({"format": format.as_str(), "provider_id": origin.0, "model_id": origin.1, "api_format": wire, "items": []})
    });
    let Some(items) = trace.get_mut("items").and_then(Value::as_array_mut) else {
        return;
    };
    let mut item = Map::new();
    item.insert("ordinal".to_owned(), Value::from(items.len()));
    item.insert("kind".to_owned(), Value::from("reasoning"));
    if !text.is_empty() || signature.is_none() {
        item.insert("text".to_owned(), Value::from(text));
    }
    if let Some(signature) = signature {
        let sealed = text.is_empty() && !format.signs_what_it_hides();
        let key = if sealed {
            "encrypted_content"
        } else {
            "signature"
        };
        item.insert(key.to_owned(), Value::from(signature));
    }
    items.push(Value::Object(item));
}
