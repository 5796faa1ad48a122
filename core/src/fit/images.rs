//! Images that the model cannot see, or has seen, become a line of text.

use super::Protected;
use super::change::{Change, content_mut, put};
use super::item::{Item, Scale, is_user_turn};
use crate::transcript::{AgentMessage, ContentBlock};
use crate::wording::{IMAGE_NOT_SEEN, TOOL_IMAGE_AGED, USER_IMAGE_AGED, Wording};

/// Replaces images: all of them where the model has no vision; where it has, those of a tool after the next answer,
/// and those of a person once that person speaks again after an answer. Nothing when vision is not known.
pub fn normalize(
    items: &mut [Item],
    vision: Option<bool>,
    protected: &Protected,
    wording: &Wording,
    scale: &Scale,
) -> Vec<Change> {
    let Some(vision) = vision else {
        return Vec::new();
    };
    let (unseen, tool, user) = (
        wording.say(IMAGE_NOT_SEEN),
        wording.say(TOOL_IMAGE_AGED),
        wording.say(USER_IMAGE_AGED),
    );
    let mut changes = Vec::new();
    let (mut later_assistant, mut later_user, mut user_after_assistant) = (false, false, false);
    for index in (0..items.len()).rev() {
        let Some(item) = items.get(index) else {
            continue;
        };
        let message = item.message();
        let (direct, nested) = if vision {
            let direct = match message {
                AgentMessage::User { .. } => user_after_assistant.then_some(user),
                AgentMessage::FunctionResult { .. } => later_assistant.then_some(tool),
                _ => None,
            };
            (direct, later_assistant.then_some(tool))
        } else {
            (Some(unseen), Some(unseen))
        };
        let (is_user, is_assistant) = (
            is_user_turn(message),
            matches!(message, AgentMessage::Assistant { .. }),
        );
        if !protected.message(index) && has_images(message, direct.is_some(), nested.is_some()) {
            let mut message = message.clone();
            let mut replaced = Vec::new();
            for (block, content) in content_mut(&mut message).iter_mut().enumerate() {
                if replace(content, direct, nested) {
                    replaced.push(block);
                }
            }
            let whole = Change {
                message: index,
                block: None,
                function_id: None,
                function_call_id: None,
                before: 0,
                after: 0,
                old: None,
                new: None,
            };
            let priced = put(items, whole, message, scale);
            changes.push(Change {
                block: replaced.first().copied().filter(|_| replaced.len() == 1),
                ..priced
            });
        }
        later_user |= is_user;
        if is_assistant {
            later_assistant = true;
            user_after_assistant |= later_user;
        }
    }
    changes.reverse();
    changes
}

fn has_images(message: &AgentMessage, direct: bool, nested: bool) -> bool {
    message.content().iter().any(|block| match block {
        ContentBlock::Image { .. } => direct,
        ContentBlock::FunctionResult { content, .. } => nested && holds_image(content),
        _ => false,
    })
}

fn holds_image(content: &[ContentBlock]) -> bool {
    let mut met = false;
    super::estimate::each_image(content, &mut |_, _| met = true);
    met
}

/// Replaces a block that is an image, or the images inside of an inline result at any depth.
fn replace(block: &mut ContentBlock, direct: Option<&str>, nested: Option<&str>) -> bool {
    match (block, direct, nested) {
        (block @ ContentBlock::Image { .. }, Some(text), _) => {
            *block = ContentBlock::text(text);
            true
        }
        (ContentBlock::FunctionResult { content, .. }, _, Some(text)) => content
            .iter_mut()
            .map(|block| replace(block, Some(text), Some(text)))
            .fold(false, |any, one| any | one),
        _ => false,
    }
}
