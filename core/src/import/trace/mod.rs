//! Traces: what an application told an observer of its calls of models, in the words of the observer.
//!
//! Of each trace the call with the fullest request comes first, the others follow in the order of their times.

mod cut;
pub(super) mod langfuse;
pub(super) mod otel;
mod words;

use serde_json::Value;

use super::pen::{Answer, Pen};
use super::record::At;
use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::{AgentMessage, Imported, Usage};

/// A call of a model, as a trace has it. The values are in whatever shape the observer left them.
#[derive(Debug, Default)]
struct Call {
    title: Option<String>,
    model: Option<String>,
    provider: Option<String>,
    /// What is said before everything else.
    system: Vec<(Value, At)>,
    /// The messages, or a request that holds them.
    input: Vec<(Value, At)>,
    tools: Vec<(Value, At)>,
    /// What came back.
    output: Option<(Value, At)>,
    stop_reason: Option<String>,
    error: Option<String>,
    usage: Option<Usage>,
    /// When it was asked, milliseconds since 1970; 0 when not known.
    asked: i64,
    /// When it was answered.
    answered: i64,
    /// The response's own id: two observers may have seen one call.
    response: Option<String>,
}

impl Call {
    /// Whether anything was said in it.
    fn has_words(&self) -> bool {
        let said = |(value, _): &(Value, At)| match value {
            Value::Null => false,
            Value::String(text) => !text.is_empty(),
            Value::Array(items) => !items.is_empty(),
            Value::Object(members) => !members.is_empty(),
            _ => true,
        };
        self.input.iter().any(said) || self.output.iter().any(said)
    }

    fn read(self) -> Imported {
        let named = self.provider.as_deref().or(self.model.as_deref());
        let mut pen = Pen::new(wire(named.unwrap_or_default()));
        pen.transcript().title = self.title;
        pen.transcript().model = self.model.clone();
        for (value, at) in &self.system {
            words::system(&mut pen, value, at);
        }
        for (value, at) in &self.input {
            words::input(&mut pen, value, at);
        }
        for (value, at) in &self.tools {
            words::tools(&mut pen, value, at);
        }
        if let Some((value, at)) = &self.output {
            let answer = Answer {
                stop_reason: self.stop_reason.as_deref(),
                error: self.error.as_deref(),
                model: self.model.as_deref(),
                provider: self.provider.as_deref(),
                usage: self.usage,
                timestamp: self.answered,
            };
            words::output(&mut pen, value, answer, at);
        }
        pen.finish()
    }
}

/// The conversations of the calls of one trace, the fullest first.
fn in_order(calls: Vec<Call>, notes: &mut Notes, at: &At) -> Vec<Imported> {
    let (mut calls, silent): (Vec<Call>, Vec<Call>) = calls.into_iter().partition(Call::has_words);
    let same = |one: &Call, other: &Call| one.response.is_some() && one.response == other.response;
    let silent = silent
        .iter()
        .filter(|one| !calls.iter().any(|call| same(one, call)))
        .count();
    if silent > 0 {
        let message = format!(
            "calls of a model without a word of theirs are not shown: {silent}; the application does not record contents, or the export leaves them out"
        );
        notes.push(at.of(Warning::new("content_not_recorded", message)));
    }
    calls.sort_by_key(|call| call.asked);
    let mut read: Vec<(Option<String>, Imported)> = Vec::new();
    let mut twice = 0;
    for mut call in calls {
        let id = call.response.take();
        let imported = call.read();
        match read
            .iter_mut()
            .find(|(known, _)| known.is_some() && *known == id)
        {
            None => read.push((id, imported)),
            Some((_, known)) => {
                twice += 1;
                if weight(&imported) > weight(known) {
                    *known = imported;
                }
            }
        }
    }
    if twice > 0 {
        let message = format!("calls that were recorded twice are shown once: {twice}");
        notes.push(at.of(Warning::new("recorded_twice", message)));
    }
    let mut read: Vec<Imported> = read.into_iter().map(|(_, imported)| imported).collect();
    let fullest = (0..read.len())
        .rev()
        .max_by_key(|place| read.get(*place).map(weight));
    if let Some(place) = fullest {
        let head = read.get_mut(..=place);
        head.unwrap_or_default().rotate_right(1);
    }
    read
}

/// How much was said: messages, then characters.
fn weight(imported: &Imported) -> (usize, usize) {
    let sent = imported.messages.iter();
    let sent = sent.filter(|message| !matches!(message, AgentMessage::Custom { .. }));
    let blocks = imported
        .messages
        .iter()
        .map(|message| message.content().len());
    (sent.count(), blocks.sum())
}

/// The wire of a provider, as far as its name or its model's says it.
fn wire(provider: &str) -> &'static str {
    let provider = provider.to_ascii_lowercase();
    let is = |words: &[&str]| words.iter().any(|word| provider.contains(word));
    if is(&["anthropic", "claude"]) {
        crate::wire::anthropic::API_FORMAT
    } else if is(&["gemini", "google", "vertex", "gcp"]) {
        crate::wire::gemini::API_FORMAT
    } else {
        crate::wire::chat::API_FORMAT
    }
}

#[cfg(test)]
mod tests;
