//! What a provider refuses, taken out: halves of pairs, answers of reasoning alone, texts with nothing in them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::refusal::Warning;
use crate::transcript::{AgentMessage, ContentBlock};
use crate::wording::NO_TEXT;

use super::super::{Shape, any, word};
use super::Body;
use super::places::{is_blank, kind};

impl Body {
    /// Takes out what the provider refuses whatever else is done.
    pub fn mend(&mut self) {
        self.leave_no_halves();
        if self.shape == Shape::Anthropic {
            self.leave_no_blanks();
        }
    }

    /// Calls go without their result and results without their call, and with them what belongs to them.
    pub(super) fn leave_no_halves(&mut self) {
        self.drop_unpaired();
        self.drop_approvals();
        self.drop_loose_reasoning();
        if self.shape == Shape::LangChain {
            self.drop_copies();
        }
    }

    fn drop_unpaired(&mut self) {
        let sent = self.sent();
        let mut open: BTreeMap<String, (usize, String)> = BTreeMap::new();
        let mut lone = Vec::new();
        for one in &sent {
            if let AgentMessage::FunctionResult {
                function_call_id, ..
            } = &one.message
            {
                if open.remove(function_call_id).is_none() && !self.words.contains(&one.index) {
                    let says = "no call before it waits for this result; it is left out";
                    let place = self.places.whole(one.index);
                    lone.extend(place.map(|place| (place, "result_without_call", says)));
                }
                continue;
            }
            for (number, block) in one.blocks.iter().zip(one.message.content()) {
                if let (ContentBlock::FunctionCall { id, .. }, Some(place)) =
                    (block, self.places.block(one.index, *number))
                {
                    open.insert(id.clone(), (one.index, place));
                }
            }
        }
        let newest = sent.last().map_or(0, |one| one.index);
        let waits = self.waiting();
        for (id, (index, place)) in open {
            // Whoever called last may still be at it.
            let pending = index == newest || waits.contains(&id);
            let served = self.work.get(&place);
            let served = kind(served).starts_with("server_")
                || served.get("providerExecuted").and_then(Value::as_bool) == Some(true);
            if !pending && !served {
                let says = "nothing answers this call; it is left out";
                lone.push((place, "call_unanswered", says));
            }
        }
        for (place, code, says) in lone {
            self.work.drop(&place);
            self.notes.push(Warning::new(code, says).at(place));
        }
    }

    /// Calls that the person is asked about.
    fn waiting(&self) -> BTreeSet<String> {
        let asked = self
            .approvals()
            .filter_map(|(_, value)| word(value, "toolCallId"));
        asked.map(str::to_owned).collect()
    }

    /// What stands unread in the body and is asked of the person or answered, with its message.
    fn approvals(&self) -> impl Iterator<Item = (usize, &Value)> {
        let messages = self.imported.messages.iter().enumerate();
        messages.filter_map(|(index, message)| match message {
            AgentMessage::Custom {
                custom_type,
                details,
                ..
            } if custom_type.contains("approval") => Some((index, details.as_ref()?)),
            _ => None,
        })
    }

    /// Questions go with their call, answers with their question.
    fn drop_approvals(&mut self) {
        let left: BTreeSet<String> = self
            .sent()
            .iter()
            .flat_map(|one| called(&one.message))
            .collect();
        let (mut asked, mut gone) = (BTreeSet::new(), Vec::new());
        for (index, value) in self.approvals() {
            let id =
                any(value, &["approvalId", "approval_request_id", "id"]).and_then(Value::as_str);
            let call = word(value, "toolCallId");
            let answers = !kind(value).ends_with("request");
            let places = self.places.of(index);
            let lost = places.iter().any(|place| self.work.gone(place));
            let stays = !lost
                && match answers {
                    true => id.is_none_or(|id| asked.contains(id)),
                    false => call.is_none_or(|call| left.contains(call)),
                };
            match stays {
                true => asked.extend(id.map(str::to_owned)),
                false => gone.extend(places),
            }
        }
        gone.iter().for_each(|place| self.work.drop(place));
    }

    /// Reasoning goes with what it led to, and is never the whole of an answer.
    fn drop_loose_reasoning(&mut self) {
        let mut loose = Vec::new();
        for (index, message) in self.imported.messages.iter().enumerate() {
            if !matches!(message, AgentMessage::Assistant { .. }) {
                continue;
            }
            let blocks = message.content().iter().enumerate();
            let placed = blocks.filter_map(|(number, block)| {
                let place = self.places.block(index, number)?;
                let gone = self.work.gone(&place);
                Some((matches!(block, ContentBlock::Thinking { .. }), gone, place))
            });
            let blocks: Vec<(bool, bool, String)> = placed.collect();
            let lost = blocks.iter().any(|(thinks, gone, _)| *gone && !thinks);
            let left = blocks.iter().any(|(thinks, gone, _)| !gone && !thinks);
            let mut led_to = None;
            for (thinks, gone, place) in blocks.iter().rev() {
                if !thinks {
                    led_to = Some(*gone);
                } else if !gone
                    && lost
                    && (!left || self.shape == Shape::Responses && led_to != Some(false))
                {
                    loose.push(place.clone());
                }
            }
        }
        for place in loose {
            self.work.drop(&place);
            self.reasoning_went(&place);
        }
    }

    /// Tells of reasoning that is left out: a wire that pairs it with what follows must be told.
    pub(super) fn reasoning_went(&mut self, place: &str) {
        let message = "the reasoning here is left out";
        self.notes
            .push(Warning::new("reasoning_dropped", message).at(place));
    }

    /// Of calls that stand in an answer several times, no copy stays.
    fn drop_copies(&mut self) {
        let mut copies = Vec::new();
        for (index, message) in self.imported.messages.iter().enumerate() {
            for (number, block) in message.content().iter().enumerate() {
                let place = self.places.block(index, number);
                let gone = place.is_some_and(|place| self.work.gone(&place));
                if let (ContentBlock::FunctionCall { id, .. }, true) = (block, gone) {
                    for item in self.places.items_of(index) {
                        copies.extend(self.work.copies(item, id));
                    }
                }
            }
        }
        copies.iter().for_each(|place| self.work.drop(place));
    }

    /// No text there is blank.
    fn leave_no_blanks(&mut self) {
        for (index, piece) in self.imported.system.iter_mut().enumerate() {
            if let Some(place) = self
                .sources
                .system
                .get(index)
                .filter(|_| is_blank(&piece.text))
            {
                self.work.drop(place);
                piece.text.clear();
                let message = "a text with nothing in it is left out";
                self.notes
                    .push(Warning::new("blank_removed", message).at(&**place));
            }
        }
        for one in self.sent() {
            let blank = |block: &ContentBlock| matches!(block, ContentBlock::Text { text } if is_blank(text));
            let blocks = one.blocks.iter().zip(one.message.content());
            let blanks: Vec<usize> = blocks
                .filter(|(_, block)| blank(block))
                .map(|(number, _)| *number)
                .collect();
            let whole = self.places.whole(one.index);
            let result = matches!(one.message, AgentMessage::FunctionResult { .. });
            // The person's message needs a text when it has nothing else.
            let speaks = matches!(one.message, AgentMessage::User { .. });
            let bare = !result && blanks.len() == one.blocks.len() && self.is_whole(one.index);
            if let Some(place) = whole.as_deref().filter(|_| bare) {
                self.replace_blank(place, speaks);
                continue;
            }
            for (order, number) in blanks.into_iter().enumerate() {
                // What has no place of its own stands for all of its result.
                let place = self.places.block(one.index, number);
                if let Some(place) = place.filter(|place| Some(place) != whole.as_ref()) {
                    self.replace_blank(&place, speaks && bare && order == 0);
                }
            }
        }
    }

    /// Whether nothing but this message is in its items.
    fn is_whole(&self, message: usize) -> bool {
        let items = self.places.items_of(message);
        let mut held = items.iter().flat_map(|item| self.places.item(*item));
        held.all(|(known, _)| *known == message)
    }

    fn replace_blank(&mut self, place: &str, keep: bool) {
        let (code, message) = match keep {
            true => (
                "blank_replaced",
                "a text with nothing in it stands there as one that says so",
            ),
            false => ("blank_removed", "a text with nothing in it is left out"),
        };
        match keep {
            true => {
                self.work.say(place, NO_TEXT.text);
                self.reword(place);
            }
            false => self.work.drop(place),
        }
        self.notes.push(Warning::new(code, message).at(place));
    }

    /// The transcript says what stands at a place now.
    fn reword(&mut self, place: &str) {
        let found = self
            .sources
            .blocks
            .iter()
            .find(|source| source.pointer == place);
        let Some((message, block)) = found.map(|source| (source.message, source.block)) else {
            return;
        };
        if let Some(AgentMessage::User { content, .. }) = self.imported.messages.get_mut(message) {
            match block.and_then(|block| content.get_mut(block)) {
                Some(block) => *block = ContentBlock::text(NO_TEXT.text),
                None => content.push(ContentBlock::text(NO_TEXT.text)),
            }
        }
    }

    /// Items of which nothing is left go, and those of which nothing was read go with the next.
    pub(super) fn empty_items(&mut self) {
        let mut next_goes = false;
        for index in (0..self.work.items()).rev() {
            let held = self.places.item(index);
            let goes = match held {
                [] => next_goes,
                held => held.iter().all(|(_, place)| self.work.gone(place)),
            };
            let system = held.iter().any(|(message, _)| *message == usize::MAX);
            if goes && !system {
                let place = self.work.item(index);
                self.work.drop(&place);
            }
            if !system {
                next_goes = goes;
            }
        }
    }
}

/// The ids of the calls in a message.
fn called(message: &AgentMessage) -> Vec<String> {
    let calls = message.content().iter().filter_map(|block| match block {
        ContentBlock::FunctionCall { id, .. } => Some(id.clone()),
        _ => None,
    });
    calls.collect()
}
