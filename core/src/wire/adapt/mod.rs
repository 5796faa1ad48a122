//! A caller's own request body, brought into what a context manager fitted.
//!
//! A [`Body`] is read once, with where everything in it stands. What is then to change is told in terms of its
//! transcript: which messages are left, what of them is another, what was added to the system text. The answer is a
//! [`Patch`](Adapted::patch) on the body as the caller holds it, which leaves untouched whatever it does not name,
//! and keeps to what the provider takes: calls and results in pairs, no answer of reasoning alone, the person first.

mod mend;
mod places;
mod spell;
mod work;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json::Notes;
use crate::refusal::{Refusal, Warning};
use crate::transcript::{AgentFunction, AgentMessage, ContentBlock, Imported, SystemPiece};

use super::{Reader, Shape, Sources};
use places::Places;
use work::Work;

/// What a summary stands under in a system text.
const HEADING: &str = "# Conversation summary";

/// What of a body a context manager fits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Request {
    /// The first system texts, a blank line between each two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// What the model reads after them.
    pub messages: Vec<AgentMessage>,
    /// The functions that it may call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<AgentFunction>,
    /// The model that the body names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What is sent whatever is dropped and is none of the messages: later system texts, summaries of the provider's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub standing: Vec<AgentMessage>,
}

/// What became of a [`Request`].
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fitted {
    /// The messages that are left, by their index in the request; `None` for all of them.
    pub kept: Option<BTreeSet<usize>>,
    /// Those of them that are another now.
    pub changed: BTreeMap<usize, AgentMessage>,
    /// The system text now; `None` where nothing was added to it.
    pub system_prompt: Option<String>,
}

/// What to do to the body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Adapted {
    /// `{ set }` another value, `{ members }` by key with `null` for one that goes, or `{ items }` of a list: an
    /// index of the old list, `[index, patch]`, or `{ put }`. `None` when nothing changes.
    pub patch: Option<Value>,
    /// The item of the list with the first message that is left, when others went before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<usize>,
    /// A message that the provider needs in front and that no count knows yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added: Option<AgentMessage>,
    /// What is otherwise than it was for the provider's sake, by JSON pointer of the body.
    pub warnings: Vec<Warning>,
}

/// A request body with its transcript.
#[derive(Debug)]
pub struct Body {
    shape: Shape,
    work: Work,
    imported: Imported,
    sources: Sources,
    places: Places,
    /// Results that are words now.
    words: BTreeSet<usize>,
    first: Option<usize>,
    added: Option<AgentMessage>,
    notes: Notes,
}

impl Body {
    /// Reads a body of this shape.
    ///
    /// # Errors
    /// `parameter_invalid` where its messages are not in the place they have in that shape.
    pub fn read(shape: Shape, body: Value) -> Result<Self, Refusal> {
        let list = places::list(shape, &body)?;
        let model = body.get("model").and_then(Value::as_str);
        let mut reader = Reader::new(shape.api_format(), model).traced();
        places::system(shape, &body, &mut reader);
        match body.pointer(list) {
            Some(Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    let pointer = format!("{list}/{index}");
                    match shape {
                        Shape::LangChain => reader.langchain(item, &pointer),
                        _ => reader.message(item, &pointer),
                    }
                }
            }
            Some(text) => {
                let message = serde_json::json!({"role": "user", "content": text});
                reader.message(&message, list);
            }
            None => {}
        }
        places::tools(shape, &body, &mut reader);
        let (imported, sources) = reader.finish_traced();
        let mut notes = Notes::default();
        // Halves of pairs are told when they are left out.
        let halves = ["call_unanswered", "result_without_call"];
        let told = imported.warnings.iter();
        notes.extend(told.filter(|told| !halves.contains(&&*told.code)).cloned());
        let places = Places::new(&sources, list);
        Ok(Self {
            shape,
            work: Work::new(body, list),
            imported,
            sources,
            places,
            words: BTreeSet::new(),
            first: None,
            added: None,
            notes,
        })
    }

    /// The whole transcript, what was noticed with it.
    pub fn transcript(self) -> Imported {
        self.imported
    }

    /// Takes a summary that was put into the system text out of it again, for who hands it on by itself.
    pub fn without_summary(&mut self, summary: &str) {
        let Some(piece) = self.imported.system.last_mut() else {
            return;
        };
        let own = piece.text.trim_end().strip_suffix(summary.trim_end());
        let own = own.and_then(|text| text.trim_end().strip_suffix(HEADING));
        let Some(own) = own.map(|text| text.trim_end().to_owned()) else {
            return;
        };
        if let Some(place) = self.sources.system.last() {
            self.work.say(place, &own);
        }
        piece.text = own;
    }

    /// What a context manager fits.
    pub fn request(&self) -> Request {
        let sent = self.sent();
        let standing = self.imported.messages.iter();
        Request {
            system_prompt: joined(&self.imported.system),
            messages: sent.into_iter().map(|sent| sent.message).collect(),
            tools: self.imported.tools.clone(),
            model: self.imported.model.clone(),
            standing: standing.filter(|one| stands(one)).cloned().collect(),
        }
    }

    /// Brings the body into what was fitted.
    pub fn fit(&mut self, fitted: &Fitted) {
        let sent = self.sent();
        let stays = |index: &usize| fitted.kept.as_ref().is_none_or(|kept| kept.contains(index));
        let first = (0..sent.len()).find(stays);
        for (index, one) in sent.iter().enumerate() {
            match fitted.changed.get(&index) {
                _ if !stays(&index) => self.drop_message(one.index),
                Some(now) => self.change(one, now),
                None => {}
            }
        }
        let first = first.and_then(|index| sent.get(index));
        let cut = first.map(|first| first.index) != sent.first().map(|first| first.index);
        if let Some(first) = first.filter(|_| cut) {
            self.drop_before(first.index);
        }
        self.leave_no_halves();
        let front = first.and_then(|first| self.places.front(first.index));
        self.first = front.filter(|_| cut);
        if let Some(first) = first.filter(|_| cut || self.shape.person_first())
            && !matches!(first.message, AgentMessage::User { .. })
        {
            self.speak_first(first.index);
        }
        if let Some(system_prompt) = &fitted.system_prompt {
            self.add_to_system(system_prompt);
        }
    }

    /// What to do to the body, and what was noticed.
    pub fn finish(mut self) -> Adapted {
        self.empty_items();
        Adapted {
            patch: self.work.patch(self.shape),
            first: self.first,
            added: self.added,
            warnings: self.notes.finish(),
        }
    }

    /// Drops what stands unsent before the first message that is left.
    fn drop_before(&mut self, first: usize) {
        for index in 0..first {
            let message = self.imported.messages.get(index);
            let unsent = matches!(message, Some(AgentMessage::Custom { .. }));
            if unsent && !message.is_some_and(stands) {
                self.drop_message(index);
            }
        }
    }

    fn drop_message(&mut self, message: usize) {
        for pointer in self.places.of(message) {
            self.work.drop(&pointer);
        }
    }

    /// Puts what a message is now in the place of what it was.
    fn change(&mut self, sent: &Sent, now: &AgentMessage) {
        let answers_call = matches!(sent.message, AgentMessage::FunctionResult { .. });
        let result = self.places.whole(sent.index).filter(|_| answers_call);
        let blocks = now.content();
        if result.is_none() && blocks.len() < sent.blocks.len() {
            return self.lose(sent, blocks);
        }
        let same = blocks.len() == sent.blocks.len();
        let pairs = sent.blocks.iter().zip(sent.message.content()).zip(blocks);
        let changes = pairs.filter(|((_, was), now)| was != now);
        let changes: Vec<(Option<String>, Option<String>)> = changes
            .map(|((block, _), now)| {
                let place = self.places.block(sent.index, *block);
                (place, words(std::slice::from_ref(now)))
            })
            .collect();
        // A text of its own has room in a list of parts, and in words anywhere.
        let roomy = |place: &str| {
            let last = place.rsplit('/').next().unwrap_or_default();
            result.is_none() || last.parse::<usize>().is_ok() && self.shape.mixes_results()
        };
        let own = |place: &str| {
            Some(place) != result.as_deref() && self.places.is_alone(place) && roomy(place)
        };
        let each = same
            && changes
                .iter()
                .all(|(place, text)| place.as_deref().is_some_and(own) && text.is_some());
        let answers = matches!(sent.message, AgentMessage::Assistant { .. });
        match (&result, words(blocks)) {
            _ if each => {
                for (place, text) in changes {
                    let (Some(place), Some(text)) = (place, text) else {
                        continue;
                    };
                    let was = self.work.get(&place);
                    let said = spell::text(self.shape, was, &text, answers);
                    self.work.set(&place, said);
                }
            }
            (Some(place), Some(text)) => {
                let call = self.call_of(sent.index);
                if spell::result(self.shape, &mut self.work, place, call.as_deref(), &text) {
                    self.words.insert(sent.index);
                }
            }
            _ => {
                let at = self.places.of(sent.index).first().cloned();
                let message = "what was changed here has no place of its own and stays as it was";
                let warning = Warning::new("change_not_written", message);
                self.notes.push(warning.at(at.unwrap_or_default()));
            }
        }
    }

    /// Drops the blocks of a message that are not among what is left of it.
    fn lose(&mut self, sent: &Sent, left: &[ContentBlock]) {
        let mut left = left.iter().peekable();
        for (number, block) in sent.blocks.iter().zip(sent.message.content()) {
            if left.next_if(|next| *next == block).is_some() {
                continue;
            }
            let Some(place) = self.places.block(sent.index, *number) else {
                continue;
            };
            self.work.drop(&place);
            if matches!(block, ContentBlock::Thinking { .. }) {
                self.reasoning_went(&place);
            }
        }
    }

    /// The place of the call that a result answers.
    fn call_of(&self, result: usize) -> Option<String> {
        let AgentMessage::FunctionResult {
            function_call_id, ..
        } = self.imported.messages.get(result)?
        else {
            return None;
        };
        let messages = self.imported.messages.iter().enumerate();
        let mut calls = messages.flat_map(|(index, message)| {
            let blocks = message.content().iter().enumerate();
            blocks.map(move |(number, block)| (index, number, block))
        });
        let (index, number, _) = calls.find(
            |(_, _, block)| matches!(block, ContentBlock::FunctionCall { id, .. } if id == function_call_id),
        )?;
        self.places.block(index, number)
    }

    /// Puts the person in front of what is kept.
    fn speak_first(&mut self, message: usize) {
        let Some(item) = self.places.front(message) else {
            return;
        };
        let text = crate::wording::BEGINS_WITH_ANSWER.text;
        self.work.insert(item, spell::person(self.shape, text));
        self.added = Some(AgentMessage::User {
            content: vec![ContentBlock::text(text)],
            timestamp: 0,
        });
        let message = "the person speaks first there; a sentence that says so is put in front";
        self.notes.push(Warning::new("words_added", message));
    }

    /// Puts what was added to the system text where the shape has that.
    fn add_to_system(&mut self, system_prompt: &str) {
        let own = joined(&self.imported.system).unwrap_or_default();
        let Some(added) = system_prompt.strip_prefix(own.trim_end()) else {
            return;
        };
        let added = added.trim_start();
        if !added.is_empty() {
            let last = self.sources.system.last().map(String::as_str);
            places::add_to_system(self.shape, &mut self.work, last, added);
        }
    }

    /// The messages that are sent, as far as nothing of them is gone.
    fn sent(&self) -> Vec<Sent> {
        let mut sent = Vec::new();
        for (index, message) in self.imported.messages.iter().enumerate() {
            if matches!(message, AgentMessage::Custom { .. }) {
                continue;
            }
            let whole = self.places.whole(index);
            let here = |place: &String| !self.work.gone(place);
            let (mut blocks, mut left) = (Vec::new(), Vec::new());
            for (number, block) in message.content().iter().enumerate() {
                if self.places.block(index, number).as_ref().is_some_and(here) {
                    blocks.push(number);
                    left.push(block.clone());
                }
            }
            let lives = match whole {
                Some(whole) => here(&whole),
                None => !blocks.is_empty(),
            };
            if !lives {
                continue;
            }
            let mut message = message.clone();
            match &mut message {
                AgentMessage::User { content, .. }
                | AgentMessage::Assistant { content, .. }
                | AgentMessage::FunctionResult { content, .. }
                | AgentMessage::Custom { content, .. } => *content = left,
            }
            sent.push(Sent {
                index,
                blocks,
                message,
            });
        }
        sent
    }
}

/// A message that is sent: which one it was read as, which of its blocks are left, and what it is with them.
struct Sent {
    index: usize,
    blocks: Vec<usize>,
    message: AgentMessage,
}

/// System texts as one, a blank line between each two; `None` when there is none.
pub fn joined(system: &[SystemPiece]) -> Option<String> {
    let texts = system.iter().map(|piece| piece.text.as_str());
    let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// Whether something that is no message stays whatever goes before it.
fn stands(message: &AgentMessage) -> bool {
    matches!(message, AgentMessage::Custom { custom_type, .. }
        if custom_type == "system_injection" || custom_type == "compaction")
}

/// The words of blocks that are words alone.
fn words(blocks: &[ContentBlock]) -> Option<String> {
    let texts = blocks.iter().map(|block| match block {
        ContentBlock::Text { text } => Some(text.as_str()),
        _ => None,
    });
    let texts: Option<Vec<&str>> = texts.collect();
    texts.map(|texts| texts.join("\n"))
}
