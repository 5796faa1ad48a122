//! A transcript on its way to a provider: what every shape asks of it, before one of them spells it.
//!
//! Calls stand with their results, in ids and names the provider takes; what a shape has no place for is put the
//! way it has, or left out; and each such difference is told at the message's index. [`Rules`] says what a shape
//! takes, [`steps`] brings a transcript into that, and the shape's own file writes it down.

mod answers;
mod around;
mod pairs;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::json::Notes;
use crate::refusal::Warning;
use crate::role::Role;
use crate::transcript::{AgentMessage, Attachment, ContentBlock, Imported, SystemPiece};
use crate::wording;

use super::files::{base64_bytes, is_picture};
use pairs::Pairs;

pub(super) use around::{instructions, max_tokens, schema, tools};
pub(super) use pairs::simple;

/// What a shape takes.
pub(super) struct Rules {
    /// The wire's word.
    pub api_format: &'static str,
    /// Types of pictures.
    pub pictures: &'static [&'static str],
    /// Pictures among what the model said.
    pub answers_show: bool,
    /// Pictures among what a call came back with.
    pub results_show: bool,
    /// Pictures by their address.
    pub links: bool,
    /// Which texts are none to it.
    pub blank: fn(&str) -> bool,
    /// Messages without anything in them.
    pub empties: bool,
    /// Later system texts, at their place.
    pub systems: bool,
    /// Answers beside each other are one.
    pub joins_answers: bool,
    /// The person's words beside each other are one.
    pub joins_words: bool,
    /// The person speaks first.
    pub words_first: bool,
    /// Results in the order of their calls.
    pub results_in_order: bool,
    /// Results that say they failed.
    pub failures: bool,
    /// Results in several texts.
    pub results_in_parts: bool,
    /// Arguments that are no object.
    pub any_arguments: bool,
    /// Ids of calls.
    pub ids: bool,
    /// Signs a name may have.
    pub names: fn(char) -> bool,
    /// Reasoning of its own, by text and signature.
    pub thinks: fn(&str, Option<&str>) -> bool,
    /// An answer may end with reasoning.
    pub ends_thinking: bool,
    /// Options that its body says for itself.
    pub options: &'static [&'static str],
}

/// One thing after the other, as a provider takes them.
#[derive(Debug)]
pub(super) enum Step {
    /// Words of the person, or of the tool in the person's place.
    Words(Vec<Word>),
    /// A system text after the first words.
    System(Role, Vec<String>),
    /// What the model said in the message at this index.
    Answer(usize, Vec<Said>),
    /// What the calls of the answer before came back with, one of each.
    Results(Vec<Outcome>),
    /// A summary that the provider sealed.
    Sealed(String),
}

/// A piece of what a person said, or of a result.
#[derive(Clone, Debug)]
pub(super) enum Word {
    Text(String),
    /// Type, and bytes as base64.
    Picture(String, String),
    /// A picture's address.
    Link(String),
}

/// A piece of what the model said.
#[derive(Debug)]
pub(super) enum Said {
    Text(String),
    Thinking(String, Option<String>),
    Picture(String, String),
    /// Id, name, arguments, and the model's own string of them where it is another.
    Call(String, String, Value, Option<String>),
}

/// What a call came back with.
#[derive(Debug)]
pub(super) struct Outcome {
    pub id: String,
    pub name: String,
    pub content: Vec<Word>,
    pub failed: bool,
}

/// Brings a transcript into what a shape takes: the first system texts, and the rest step by step.
pub(super) fn steps(
    imported: &Imported,
    rules: &Rules,
    notes: &mut Notes,
) -> (Vec<SystemPiece>, Vec<Step>) {
    let own = imported.api_format.as_deref() == Some(rules.api_format);
    let stands = |message| summary(message, own).is_some();
    let start = imported.messages.iter().rposition(stands).unwrap_or(0);
    let mut way = Way {
        imported,
        rules,
        notes,
        placeholders: imported
            .attachments
            .iter()
            .map(|facts| ((facts.message, facts.block), facts))
            .collect(),
        pairs: Pairs::new(imported, start, rules),
        system: imported.system.clone(),
        steps: Vec::new(),
    };
    if start > 0 {
        let message = format!("the {start} messages before the newest summary are not sent");
        way.note("before_summary_not_written", 0, &message);
    }
    around::options(imported, rules, way.notes);
    let lost = |message: &AgentMessage| {
        message.timestamp() != 0
            || matches!(
                message,
                AgentMessage::Assistant { usage: Some(_), .. }
                    | AgentMessage::Assistant {
                        native_stop_reason: Some(_),
                        ..
                    }
            )
    };
    if imported.messages.iter().any(lost) {
        let message = "times, counts and reasons to stop have no place in a request";
        way.notes.push(Warning::new("facts_not_written", message));
    }
    for (index, message) in imported.messages.iter().enumerate().skip(start) {
        way.message(index, message);
    }
    way.finish()
}

/// What stands for everything before it.
enum Stands {
    Words(String),
    Sealed(String),
}

/// The summary that a marker holds; none when there is nothing in it. A sealed one is of use to its own wire alone.
fn summary(message: &AgentMessage, own: bool) -> Option<Stands> {
    let AgentMessage::Custom {
        custom_type,
        content,
        details,
        ..
    } = message
    else {
        return None;
    };
    let detail = |key: &str| {
        details
            .as_ref()
            .and_then(|details| details.get(key)?.as_str())
    };
    if custom_type != "compaction" {
        return None;
    }
    if let Some(sealed) = detail("encrypted_content").filter(|_| own) {
        return Some(Stands::Sealed(sealed.to_owned()));
    }
    let text: String = content.iter().filter_map(text_of).collect();
    let told = Some(text).filter(|text| !text.is_empty());
    let text = told.or_else(|| detail("summary").map(str::to_owned))?;
    (!text.trim().is_empty()).then_some(Stands::Words(text))
}

struct Way<'i, 'n> {
    imported: &'i Imported,
    rules: &'i Rules,
    notes: &'n mut Notes,
    placeholders: BTreeMap<(usize, usize), &'i Attachment>,
    pairs: Pairs<'i>,
    system: Vec<SystemPiece>,
    steps: Vec<Step>,
}

impl<'i> Way<'i, '_> {
    fn note(&mut self, code: &str, index: usize, message: &str) {
        self.notes
            .push(Warning::new(code, message).at(format!("/messages/{index}")));
    }

    fn message(&mut self, index: usize, message: &'i AgentMessage) {
        match message {
            AgentMessage::User { content, .. } => {
                let said =
                    |block: &ContentBlock| !matches!(block, ContentBlock::FunctionResult { .. });
                // Results among the words stand with their calls.
                if content.is_empty() || content.iter().any(said) {
                    let words = self.words(index, content, true);
                    self.speak(index, words);
                }
                self.orphans(index);
            }
            AgentMessage::Assistant { content, .. } => self.answer(index, content),
            AgentMessage::FunctionResult { details, .. } => {
                if !details.is_null() {
                    let message = "what a result holds beside its content is not sent";
                    self.note("details_not_written", index, message);
                }
                self.orphans(index);
            }
            AgentMessage::Custom {
                custom_type,
                content,
                details,
                ..
            } => {
                let own = self.imported.api_format.as_deref() == Some(self.rules.api_format);
                match summary(message, own) {
                    Some(Stands::Sealed(sealed)) => self.steps.push(Step::Sealed(sealed)),
                    Some(Stands::Words(text)) => {
                        let message = "the summary is sent as words of the person's";
                        self.note("summary_as_words", index, message);
                        self.speak(index, vec![Word::Text(text)]);
                    }
                    None => self.custom(index, custom_type, content, details.as_ref()),
                }
            }
        }
    }

    /// Words of the person.
    fn speak(&mut self, index: usize, words: Vec<Word>) {
        if words.is_empty() && !self.rules.empties {
            return self.nothing(index);
        }
        match self.steps.last_mut() {
            Some(Step::Words(before)) if self.rules.joins_words => {
                before.extend(words);
                let message = "words beside each other are one message there";
                self.note("messages_joined", index, message);
            }
            _ => self.steps.push(Step::Words(words)),
        }
    }

    fn custom(
        &mut self,
        index: usize,
        custom_type: &str,
        content: &'i [ContentBlock],
        details: Option<&Value>,
    ) {
        let detail = |key: &str| details.and_then(|details| details.get(key)?.as_str());
        match (custom_type, detail("role").and_then(Role::parse)) {
            ("system_injection", Some(role @ (Role::System | Role::Developer)))
                if self.steps.is_empty() =>
            {
                let texts = content.iter().filter_map(text_of);
                self.system
                    .extend(texts.map(|text| SystemPiece { role, text }));
                let message = "a system text before everything else is one of the first";
                self.note("system_joined", index, message);
            }
            ("system_injection", Some(role @ (Role::System | Role::Developer)))
                if self.rules.systems =>
            {
                let texts: Vec<String> = content.iter().filter_map(text_of).collect();
                match texts.is_empty() && !self.rules.empties {
                    true => self.nothing(index),
                    false => self.steps.push(Step::System(role, texts)),
                }
            }
            ("system_injection", Some(_)) => {
                let message = "the text is sent as words of the person's";
                self.note("custom_as_words", index, message);
                let words = self.words(index, content, true);
                self.speak(index, words);
            }
            _ => {
                let message = format!("`{custom_type}` is the tool's own and is not sent");
                self.note("custom_not_written", index, &message);
            }
        }
    }

    /// Blocks as words, in a person's mouth or in a result.
    fn words(&mut self, index: usize, content: &'i [ContentBlock], person: bool) -> Vec<Word> {
        let mut words = Vec::new();
        for (number, block) in content.iter().enumerate() {
            match block {
                ContentBlock::Text { text } if (self.rules.blank)(text) => self.blank(index),
                ContentBlock::Text { text } => words.push(self.text(index, number, text, person)),
                ContentBlock::Image { mime, data } => {
                    let takes = person || self.rules.results_show;
                    words.push(match self.picture(index, mime, data, takes) {
                        Ok((mime, data)) => Word::Picture(mime, data),
                        Err(text) => Word::Text(text),
                    });
                }
                ContentBlock::FunctionResult { .. } if person => {}
                _ => {
                    let message = "calls and reasoning are the model's; these are not written";
                    self.note("block_not_written", index, message);
                }
            }
        }
        words
    }

    fn text(&mut self, index: usize, number: usize, text: &str, person: bool) -> Word {
        if let Some(facts) = self.placeholders.get(&(index, number)) {
            let address = facts.reference.as_deref().filter(|address| {
                self.rules.links
                    && person
                    && (address.starts_with("https://") || address.starts_with("http://"))
                    && facts.content_type.starts_with("image/")
            });
            match address {
                Some(address) => return Word::Link(address.to_owned()),
                None => {
                    let message = format!("{text} stands for what is not in the transcript");
                    self.note("attachment_as_text", index, &message);
                }
            }
        }
        Word::Text(text.to_owned())
    }

    fn nothing(&mut self, index: usize) {
        let message = "a message with nothing in it is not written";
        self.note("message_not_written", index, message);
    }

    fn blank(&mut self, index: usize) {
        let message = "a text with nothing in it is not written";
        self.note("blank_not_written", index, message);
    }

    /// A picture that the shape takes here, else the text in its place.
    fn picture(
        &mut self,
        index: usize,
        mime: &str,
        data: &str,
        takes: bool,
    ) -> Result<(String, String), String> {
        if takes && self.rules.pictures.contains(&mime) && is_picture(data) {
            return Ok((mime.to_owned(), data.to_owned()));
        }
        let message =
            format!("a picture of the type {mime} has no place there; a text stands for it");
        self.note("picture_not_written", index, &message);
        let size = base64_bytes(data).unwrap_or(0);
        Err(format!("[image: {mime}, {size} bytes]"))
    }

    fn finish(mut self) -> (Vec<SystemPiece>, Vec<Step>) {
        if self.rules.words_first && !matches!(self.steps.first(), Some(Step::Words(_)) | None) {
            let words = Word::Text(wording::BEGINS_WITH_ANSWER.text.to_owned());
            self.steps.insert(0, Step::Words(vec![words]));
            let message = "the person speaks first there; a sentence that says so is put in front";
            self.notes.push(Warning::new("words_added", message));
        }
        self.pairs.tell(self.notes);
        (self.system, self.steps)
    }
}

fn text_of(block: &ContentBlock) -> Option<String> {
    match block {
        ContentBlock::Text { text } => Some(text.clone()),
        _ => None,
    }
}
