//! A message with what has been counted of it.

use std::cell::RefCell;
use std::rc::Rc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::estimate::{Estimator, each_image};
use crate::transcript::{AgentMessage, ContentBlock};

/// An estimator with the number that its counts are kept under.
#[derive(Clone)]
pub struct Scale {
    estimator: Rc<dyn Estimator>,
    number: usize,
}

impl Scale {
    /// Counts are kept under `number`; two scales of one number count alike.
    pub fn new(number: usize, estimator: Rc<dyn Estimator>) -> Self {
        Self { estimator, number }
    }
}

impl std::ops::Deref for Scale {
    type Target = dyn Estimator;

    fn deref(&self) -> &Self::Target {
        &*self.estimator
    }
}

/// One message, counted at most once under each way of counting. A copy is the same message.
///
/// Its JSON is the message's.
#[derive(Clone)]
pub struct Item(Rc<Kept>);

struct Kept {
    message: AgentMessage,
    /// Few entries: the message, and its results where a pass looked at them.
    counts: RefCell<Vec<(usize, Part, u64)>>,
}

/// What of a message is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Message,
    Result(Option<usize>),
}

impl Item {
    /// A message that nothing is known of.
    pub fn new(message: AgentMessage) -> Self {
        Self(Rc::new(Kept {
            message,
            counts: RefCell::default(),
        }))
    }

    /// The message.
    pub fn message(&self) -> &AgentMessage {
        &self.0.message
    }

    /// Whether both are one message, not merely equal ones.
    pub fn is(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Where it is kept: the same for all copies of it while one of them lives, and for no other message.
    pub fn place(&self) -> *const () {
        Rc::as_ptr(&self.0).cast()
    }

    /// Tokens of the message.
    pub fn tokens(&self, scale: &Scale) -> u64 {
        self.kept(scale, Part::Message, || {
            let message = &self.0.message;
            // The text of a result is asked for by itself too: it is counted once.
            let text = match (message, message.content()) {
                (AgentMessage::FunctionResult { .. }, [ContentBlock::Text { .. }]) => {
                    Some(self.result_tokens(None, scale))
                }
                _ => None,
            };
            scale.message(message, text)
        })
    }

    /// Tokens of a result's text and images: of the message's own content, or of an inline result at `block`.
    pub fn result_tokens(&self, block: Option<usize>, scale: &Scale) -> u64 {
        self.kept(scale, Part::Result(block), || {
            let content = result_content(&self.0.message, block);
            let mut tokens = scale.text(&result_text(content));
            each_image(content, &mut |mime, _| {
                tokens = tokens.saturating_add(scale.image(mime));
            });
            tokens
        })
    }

    fn kept(&self, scale: &Scale, part: Part, count: impl FnOnce() -> u64) -> u64 {
        let known = |(number, of, _): &&(usize, Part, u64)| *number == scale.number && *of == part;
        if let Some((.., tokens)) = self.0.counts.borrow().iter().find(known) {
            return *tokens;
        }
        let tokens = count();
        self.0
            .counts
            .borrow_mut()
            .push((scale.number, part, tokens));
        tokens
    }
}

impl From<AgentMessage> for Item {
    fn from(message: AgentMessage) -> Self {
        Self::new(message)
    }
}

impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        self.is(other) || self.0.message == other.0.message
    }
}

impl std::fmt::Debug for Item {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.message.fmt(f)
    }
}

impl Serialize for Item {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.message.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        AgentMessage::deserialize(deserializer).map(Self::new)
    }
}

/// The blocks of a result: a function result's own, or those of the inline result at `block`.
pub fn result_content(message: &AgentMessage, block: Option<usize>) -> &[ContentBlock] {
    match block {
        None => message.content(),
        Some(block) => match message.content().get(block) {
            Some(ContentBlock::FunctionResult { content, .. }) => content,
            _ => &[],
        },
    }
}

/// The texts of a result, top level only, a newline between them.
pub fn result_text(content: &[ContentBlock]) -> std::borrow::Cow<'_, str> {
    let mut texts = content.iter().filter_map(|block| match block {
        ContentBlock::Text { text } => Some(text.as_str()),
        _ => None,
    });
    let first = texts.next().unwrap_or_default();
    match texts.next() {
        None => first.into(),
        Some(second) => {
            let rest: Vec<&str> = [first, second].into_iter().chain(texts).collect();
            rest.join("\n").into()
        }
    }
}

/// Whether a message carries a result inside of its content, at the top level.
pub fn carries_result(message: &AgentMessage) -> bool {
    let inline = |block: &ContentBlock| matches!(block, ContentBlock::FunctionResult { .. });
    message.content().iter().any(inline)
}

/// Whether a person speaks here: a user message that carries no result.
pub fn is_user_turn(message: &AgentMessage) -> bool {
    matches!(message, AgentMessage::User { .. }) && !carries_result(message)
}

/// The sum of what messages cost.
pub fn sum(items: &[Item], scale: &Scale) -> u64 {
    items
        .iter()
        .map(|item| item.tokens(scale))
        .fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::super::{Heuristic, Protected, PruneRule, cap, normalize, prune, reduce};
    use super::*;
    use crate::wording::Wording;
    use serde_json::json;

    fn history() -> Vec<Item> {
        let image = json!({"type": "image", "mime": "image/png", "data": "AAAA"});
        let long = json!({"type": "text", "text": "x".repeat(9_000)});
        let result = json!({"role": "function_result", "function_call_id": "c", "function_id": "f",
            "content": [image, long], "timestamp": 1});
        let inline =
            json!({"type": "function_result", "function_call_id": "c", "content": [image, long]});
        let call = json!({"type": "function_call", "id": "c", "function_id": "f"});
        let items = json!([
            {"role": "assistant", "content": [call], "stop_reason": "end", "model": "m", "provider": "p", "timestamp": 1},
            result,
            {"role": "user", "content": [image, inline], "timestamp": 1},
            {"role": "user", "content": [image], "timestamp": 1},
            {"role": "assistant", "content": [], "stop_reason": "end", "model": "m", "provider": "p", "timestamp": 1},
            result,
            {"role": "user", "content": [], "timestamp": 1},
        ]);
        serde_json::from_value(items).unwrap()
    }

    #[test]
    fn what_is_remembered_is_what_counts_after_each_pass_and_a_copy_leaves_its_original() {
        let scale = Scale::new(0, Rc::new(Heuristic));
        let (none, wording) = (Protected::default(), Wording::default());
        let rule = PruneRule {
            max_output_chars: 10,
            ..PruneRule::default()
        };
        let original = history();
        sum(&original, &scale);
        let mut items = original.clone();
        type Pass<'a> = &'a dyn Fn(&mut [Item]) -> usize;
        let passes: [Pass<'_>; 4] = [
            &|items| normalize(items, Some(true), &none, &wording, &scale).len(),
            &|items| cap(items, 1_000, &none, &scale).len(),
            &|items| reduce(items, 500, &none, &wording, &scale).len(),
            &|items| prune(items, &rule, &none, &scale).changes.len(),
        ];
        for pass in passes {
            assert!(pass(&mut items) > 0);
            for item in &items {
                assert_eq!(item.tokens(&scale), scale.message(item.message(), None));
                assert_eq!(
                    item.result_tokens(None, &scale),
                    Item::new(item.message().clone()).result_tokens(None, &scale)
                );
            }
        }
        assert_eq!(original, history());
        // What no pass changed is the same message still.
        assert!(items[0].is(&original[0]) && !items[1].is(&original[1]));
    }
}
