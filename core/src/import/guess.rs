//! JSON of no known format that holds a list of objects with something like a speaker and something like words.
//!
//! It is never read unasked: `open` refuses it and says what it would be taken for. Asked for as
//! [`Format::Guess`](super::Format::Guess) it is read that way, and says so again.

use serde_json::{Value, json};

use super::Ask;
use super::pen::Pen;
use super::record::{At, Record, rest, text_of, word};
use super::tree::title;
use crate::json::Notes;
use crate::refusal::{Refusal, Warning, pointer_key};
use crate::transcript::Imported;

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

/// Names that are the model's, and those that are the person's.
const MODEL: [&str; 9] = [
    "assistant",
    "ai",
    "bot",
    "model",
    "gpt",
    "chatgpt",
    "claude",
    "agent",
    "llm",
];
const PERSON: [&str; 6] = ["user", "human", "you", "me", "person", "customer"];

/// What a list is taken for.
#[derive(Clone, Debug, PartialEq)]
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
    longest(&all(value)).cloned()
}

/// The first of the longest.
fn longest(found: &[Guess]) -> Option<&Guess> {
    found.iter().rev().max_by_key(|guess| guess.count)
}

/// Every list that looks like a conversation, in file order.
fn all(value: &Value) -> Vec<Guess> {
    let mut found = Vec::new();
    let holds = |(_, value): &(String, &Value)| value.is_object() || value.is_array();
    let mut left = vec![(String::new(), value)];
    while let Some((pointer, value)) = left.pop() {
        let from = left.len();
        if let Value::Array(items) = value {
            found.extend(list(items, &pointer));
            let inside = items.iter().enumerate();
            let inside = inside.map(|(index, item)| (format!("{pointer}/{index}"), item));
            left.extend(inside.filter(holds));
        }
        let inside = value.as_object().into_iter().flatten();
        let inside =
            inside.map(|(key, member)| (format!("{pointer}/{}", pointer_key(key)), member));
        left.extend(inside.filter(holds));
        if let Some(inside) = left.get_mut(from..) {
            inside.reverse();
        }
    }
    found
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
        let message = format!(
            "the file is JSON of no known format; {}: open it as `guess` to read it so",
            self.says(&self.pointer)
        );
        let refusal = Refusal::new(UNCERTAIN, message).at(self.pointer.clone());
        refusal.detail("guess")
    }

    /// What the list at this place is taken for.
    fn says(&self, pointer: &str) -> String {
        let Self {
            speaker,
            words,
            count,
            first,
            ..
        } = self;
        format!(
            "the list at {pointer:?} may be a conversation: {count} objects whose `{speaker}` looks like a speaker and whose `{words}` looks like words, the first ones {first:?}"
        )
    }

    /// Whether two lists stand at the same place of what they are in, and speak the same way.
    fn is_like(&self, other: &Self) -> bool {
        let number = |step: &&str| step.is_empty() || step.bytes().any(|b| !b.is_ascii_digit());
        let way = |guess: &'_ Self| -> Vec<String> {
            let steps = guess.pointer.split('/').filter(number);
            steps.map(str::to_owned).collect()
        };
        (self.speaker, self.words) == (other.speaker, other.words) && way(self) == way(other)
    }
}

/// Reads every list that is like the longest one.
pub(super) fn read(records: Vec<Record>, _: &Ask, _: &mut Notes) -> Vec<Imported> {
    let (values, places): (Vec<Value>, Vec<At>) = records
        .into_iter()
        .map(|record| (record.value, record.at))
        .unzip();
    let file = Value::Array(values);
    let found = all(&file);
    let Some(best) = longest(&found) else {
        return Vec::new();
    };
    let like = found.iter().filter(|guess| guess.is_like(best));
    like.map(|guess| conversation(guess, &file, &places))
        .collect()
}

fn conversation(guess: &Guess, file: &Value, places: &[At]) -> Imported {
    // Pointers begin with the record's number.
    let place = |pointer: &str| {
        let inside = pointer.trim_start_matches('/');
        let (number, rest) = inside.split_at(inside.find('/').unwrap_or(inside.len()));
        let record = number.parse().ok().and_then(|n: usize| places.get(n));
        record.map(|at| at.inside(rest)).unwrap_or_default()
    };
    let items = file.pointer(&guess.pointer).and_then(Value::as_array);
    let items = items.map(Vec::as_slice).unwrap_or_default();
    let speakers = Speakers::new(items, guess.speaker);
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    for (index, item) in items.iter().enumerate() {
        let at = place(&format!("{}/{index}", guess.pointer));
        let Some(words) = item.get(guess.words) else {
            pen.not_a_message(&at);
            continue;
        };
        let name = word(item, guess.speaker).unwrap_or_default();
        let role = speakers.role(name);
        let says = "who speaks is a guess";
        pen.count("speaker_guessed", &format!("{name:?} as {role}"), says, &at);
        pen.message(json!({"role": role, "content": words}), &at, 0);
        let beside = rest(item, &[guess.speaker, guess.words]);
        let beside = beside.iter().flat_map(Value::as_object).flatten();
        for (key, _) in beside {
            let says = "members beside a speaker's words are not kept";
            pen.count("member_not_kept", key, says, &at);
        }
    }
    pen.name(None);
    let mut imported = pen.finish();
    let at = place(&guess.pointer);
    let message = format!(
        "the file is read by a guess: {}; what stands outside of that list is not read",
        guess.says(&at.path)
    );
    let told = at.of(Warning::new("guessed", message));
    imported.warnings.insert(0, told);
    imported
}

/// Who speaks in a list.
struct Speakers<'a> {
    first: &'a str,
    model: bool,
    person: bool,
}

impl<'a> Speakers<'a> {
    fn new(items: &'a [Value], key: &str) -> Self {
        let names = || items.iter().filter_map(|item| word(item, key));
        Self {
            first: names().next().unwrap_or_default(),
            model: names().any(|name| is(&MODEL, name)),
            person: names().any(|name| is(&PERSON, name)),
        }
    }

    /// By its word; else whoever the others leave it to be; else the first one met is the person.
    fn role(&self, name: &str) -> &'static str {
        let person = match (self.model, self.person) {
            (true, _) => true,
            (false, true) => false,
            (false, false) => name == self.first,
        };
        match name {
            _ if is(&["system", "developer"], name) => "system",
            _ if is(&MODEL, name) => "assistant",
            _ if is(&PERSON, name) || person => "user",
            _ => "assistant",
        }
    }
}

fn is(words: &[&str], name: &str) -> bool {
    words.iter().any(|word| word.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::super::{Format, INVALID, Opened, open};
    use super::*;
    use crate::transcript::AgentMessage;

    const FILE: &str = r#"{"chat": {"entries": [{"speaker": "Ada", "text": "hi", "mood": 1}, {"speaker": "Eve", "text": "hello"}]}}"#;
    const LINES: &str = "{\"who\":\"bot\",\"msg\":\"a\"}\n{\"who\":\"x\",\"msg\":\"b\"}\n";

    fn guessed(text: &str) -> Result<Opened, Refusal> {
        let ask = Ask {
            format: Some(Format::Guess),
            ..Ask::default()
        };
        open(text.as_bytes(), &ask)
    }

    fn roles(imported: &Imported) -> Vec<&str> {
        let roles = imported.messages.iter().map(|message| match message {
            AgentMessage::User { .. } => "user",
            AgentMessage::Assistant { .. } => "assistant",
            _ => "other",
        });
        roles.collect()
    }

    #[test]
    fn a_file_of_no_known_format_is_refused_with_what_it_may_be() {
        let refusal = open(FILE.as_bytes(), &Ask::default()).unwrap_err();
        assert_eq!(
            (refusal.code.as_str(), refusal.path.as_deref()),
            (UNCERTAIN, Some("/chat/entries"))
        );
        for words in ["2 objects", "`speaker`", "`text`", "\"hi\"", "`guess`"] {
            assert!(refusal.message.contains(words), "{}", refusal.message);
        }
        for (text, code) in [(LINES, UNCERTAIN), (r#"{"rows": [{"a": 1}]}"#, INVALID)] {
            let refusal = open(text.as_bytes(), &Ask::default()).unwrap_err();
            assert_eq!(refusal.code, code);
        }
    }

    #[test]
    fn a_guess_that_is_asked_for_is_read_and_told() {
        let opened = guessed(FILE).unwrap();
        let one = &opened.conversations[0];
        assert_eq!(opened.format, Format::Guess);
        assert_eq!(roles(one), ["user", "assistant"]);
        let told: Vec<_> = one
            .warnings
            .iter()
            .map(|w| (w.code.as_str(), w.path.as_deref()))
            .collect();
        let expected = [
            ("guessed", Some("/chat/entries")),
            ("speaker_guessed", Some("/chat/entries/0")),
            ("member_not_kept", Some("/chat/entries/0")),
        ];
        assert_eq!(told, expected);
        assert_eq!(
            guessed(r#"{"rows": [{"a": 1}]}"#).unwrap_err().code,
            INVALID
        );
    }

    #[test]
    fn lists_at_the_same_place_of_every_item_or_line_are_a_conversation_each() {
        let one = |name: &str| format!(r#"{{"turns": [{{"by": "{name}", "text": "q"}}], "x": 1}}"#);
        let list = format!("[{}, {}]", one("a"), one("b"));
        let lines = format!("{}\n{}\n", one("a"), one("b"));
        for (text, path, line) in [(list, "/1/turns", None), (lines, "/turns", Some(2))] {
            let opened = guessed(&text).unwrap();
            assert_eq!(opened.conversations.len(), 2, "{text}");
            let told = &opened.conversations[1].warnings[0];
            assert_eq!((told.path.as_deref(), told.line), (Some(path), line));
        }
    }

    #[test]
    fn a_name_that_says_who_speaks_leaves_the_others_to_be_the_other() {
        for (names, expected) in [
            (["Bot", "Zed", "Ann"], ["assistant", "user", "user"]),
            (["Zed", "YOU", "Ann"], ["assistant", "user", "assistant"]),
            (["Zed", "Ann", "Zed"], ["user", "assistant", "user"]),
        ] {
            let items = names.map(|name| json!({"from": name, "body": "w"}));
            let opened = guessed(&json!({"log": items}).to_string()).unwrap();
            assert_eq!(roles(&opened.conversations[0]), expected, "{names:?}");
        }
    }
}
