//! What a pass did to a list of messages.

use super::calls::Found;
use super::item::{Item, Scale};
use crate::transcript::{AgentMessage, ContentBlock};

/// One part that a pass wrote anew.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Index of the message.
    pub message: usize,
    /// Index of the block, where the part is one block of the message.
    pub block: Option<usize>,
    /// The function whose result it is.
    pub function_id: Option<String>,
    /// The id of the call it answers.
    pub function_call_id: Option<String>,
    /// Tokens of the whole message before it.
    pub before: u64,
    /// Tokens of the whole message after it.
    pub after: u64,
    /// The message before it, once it is done.
    pub old: Option<Item>,
    /// The message after it.
    pub new: Option<Item>,
}

impl Change {
    /// How much smaller the message is.
    pub fn freed(&self) -> u64 {
        self.before.saturating_sub(self.after)
    }
}

/// A change of a result, not yet priced.
pub fn of_result(found: &Found<'_>) -> Change {
    Change {
        message: found.message,
        block: found.block,
        function_id: found.function_id.map(str::to_owned),
        function_call_id: Some(found.call_id.to_owned()),
        before: 0,
        after: 0,
        old: None,
        new: None,
    }
}

/// A message whose result (its own, or the inline one at `block`) holds one text instead, `details` replaced where
/// they are given and it has some. Everything else stays.
pub fn with_result(
    message: &AgentMessage,
    block: Option<usize>,
    text: String,
    details: Option<serde_json::Value>,
) -> AgentMessage {
    let mut message = message.clone();
    let text = vec![ContentBlock::text(text)];
    match (&mut message, block) {
        (
            AgentMessage::FunctionResult {
                content,
                details: kept,
                ..
            },
            None,
        ) => {
            *content = text;
            if let Some(details) = details {
                *kept = details;
            }
        }
        (message, Some(block)) => {
            if let Some(ContentBlock::FunctionResult { content, .. }) =
                content_mut(message).get_mut(block)
            {
                *content = text;
            }
        }
        _ => {}
    }
    message
}

/// The blocks of a message.
pub fn content_mut(message: &mut AgentMessage) -> &mut Vec<ContentBlock> {
    match message {
        AgentMessage::User { content, .. }
        | AgentMessage::Assistant { content, .. }
        | AgentMessage::FunctionResult { content, .. }
        | AgentMessage::Custom { content, .. } => content,
    }
}

/// Puts a message in place of another and prices the change.
pub fn put(items: &mut [Item], mut change: Change, message: AgentMessage, scale: &Scale) -> Change {
    if let Some(place) = items.get_mut(change.message) {
        change.before = place.tokens(scale);
        change.old = Some(std::mem::replace(place, Item::new(message)));
        change.after = place.tokens(scale);
        change.new = Some(place.clone());
    }
    change
}

/// The sum of what changes freed, message by message.
pub fn freed(changes: &[Change]) -> u64 {
    changes
        .iter()
        .map(Change::freed)
        .fold(0, u64::saturating_add)
}
