//! JSON of no known format that holds a list of objects with something like a speaker and something like words.
//!
//! It is not read: `open` refuses it and says what it would be taken for.

use serde_json::Value;

use super::record::text_of;
use super::tree::title;
use crate::refusal::{Refusal, pointer_key};

/// The code of a file that may be a conversation, by a guess.
pub const UNCERTAIN: &str = "file_uncertain";

const SPEAKERS: [&str; 9] = [
    "role",
    "speaker",
    "from",
    "sender",
    "author",
    "who",
    "participant",
    "user",
    "by",
];
const WORDS: [&str; 9] = [
    "content",
    "text",
    "message",
    "body",
    "value",
    "words",
    "msg",
    "utterance",
    "response",
];

/// What a file is taken for.
#[derive(Debug, PartialEq)]
pub(super) struct Guess {
    /// JSON pointer of the list.
    pointer: String,
    speaker: &'static str,
    words: &'static str,
    count: usize,
    first: String,
}

/// The longest list that looks like a conversation.
pub(super) fn of(value: &Value) -> Option<Guess> {
    let mut best: Option<Guess> = None;
    let holds = |(_, value): &(String, &Value)| value.is_object() || value.is_array();
    let mut left = vec![(String::new(), value)];
    while let Some((pointer, value)) = left.pop() {
        if let Value::Array(items) = value {
            let longer = |found: &Guess| best.as_ref().is_none_or(|best| best.count < found.count);
            best = list(items, &pointer).filter(longer).or(best);
            let inside = items.iter().enumerate();
            let inside = inside.map(|(index, item)| (format!("{pointer}/{index}"), item));
            left.extend(inside.filter(holds));
        }
        let inside = value.as_object().into_iter().flatten();
        let inside =
            inside.map(|(key, member)| (format!("{pointer}/{}", pointer_key(key)), member));
        left.extend(inside.filter(holds));
    }
    best
}

fn list(items: &[Value], pointer: &str) -> Option<Guess> {
    let texts = |key: &str| {
        items
            .iter()
            .filter(|item| item.get(key).is_some_and(Value::is_string))
            .count()
    };
    let most = |key: &&&str| texts(key) > 0 && texts(key) * 2 >= items.len();
    let speaker = *SPEAKERS.iter().find(most)?;
    let words = *WORDS.iter().find(most)?;
    let said = items.iter().filter(|item| item.get(words).is_some());
    let first = said
        .clone()
        .next()
        .map(|item| title(&text_of(item.get(words))));
    Some(Guess {
        pointer: pointer.to_owned(),
        speaker,
        words,
        count: said.count(),
        first: first.unwrap_or_default(),
    })
}

impl Guess {
    /// Refuses the file with what it may be.
    pub fn refusal(&self) -> Refusal {
        let Self {
            pointer,
            speaker,
            words,
            count,
            first,
        } = self;
        let message = format!(
            "the file is JSON of no known format; the list at {pointer:?} may be a conversation: {count} objects whose `{speaker}` looks like a speaker and whose `{words}` looks like words, the first ones {first:?}; name them role and content and open that list"
        );
        Refusal::new(UNCERTAIN, message).at(pointer.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Ask, INVALID, open};
    use super::*;

    const FILE: &str = r#"{"chat": {"entries": [{"speaker": "Ada", "text": "hi", "mood": 1}, {"speaker": "Eve", "text": "hello"}]}}"#;

    #[test]
    fn a_file_of_no_known_format_is_refused_with_what_it_may_be() {
        let refusal = open(FILE.as_bytes(), &Ask::default()).unwrap_err();
        assert_eq!(
            (refusal.code.as_str(), refusal.path.as_deref()),
            (UNCERTAIN, Some("/chat/entries"))
        );
        for words in ["2 objects", "`speaker`", "`text`", "\"hi\""] {
            assert!(refusal.message.contains(words), "{}", refusal.message);
        }
        let lines = "{\"who\":\"bot\",\"msg\":\"a\"}\n{\"who\":\"x\",\"msg\":\"b\"}\n";
        assert_eq!(
            open(lines.as_bytes(), &Ask::default()).unwrap_err().code,
            UNCERTAIN
        );
        assert_eq!(
            open(br#"{"rows": [{"a": 1}]}"#, &Ask::default())
                .unwrap_err()
                .code,
            INVALID
        );
    }
}
