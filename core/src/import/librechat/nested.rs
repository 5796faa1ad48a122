//! Trees of messages nested deeper than JSON is read: a long conversation is one message in the other.
//!
//! Such a tree becomes an object of its messages, each without the list of those that follow it, by its JSON
//! pointer from the tree on.

use serde_json::{Map, Value};

use super::{BELOW, TREE};
use crate::json::{self, Fault, Notes, Place};

/// How deep messages are followed. A pointer grows with its depth, so that all of them take its square.
const DEEPEST: usize = 2_000;

/// Reads one value that is the whole of a slice beginning at `place` of its source.
pub fn value(bytes: &[u8], place: Place, notes: &mut Notes) -> Result<Value, Fault> {
    match json::value(bytes, place, notes) {
        Err(fault) if fault.too_deep => flat(bytes, place, notes).unwrap_or(Err(fault)),
        read => read,
    }
}

/// The same with its tree laid flat; `None` when no tree of messages makes it deep.
fn flat(bytes: &[u8], place: Place, notes: &mut Notes) -> Option<Result<Value, Fault>> {
    let mut walk = Walk {
        bytes,
        place,
        open: Vec::new(),
        lists: Vec::new(),
        depth: 0,
        string: None,
        name: None,
        messages: Map::new(),
        notes: Notes::default(),
    };
    for at in 0..bytes.len() {
        match walk.take(at)? {
            Taken::More => {}
            Taken::Fault(fault) => return Some(Err(fault)),
            Taken::Whole(mut root) => {
                if json::rest(bytes, at + 1).is_some() {
                    return None;
                }
                *root.get_mut(TREE)? = Value::Object(walk.messages);
                notes.absorb(walk.notes);
                return Some(Ok(root));
            }
        }
    }
    let mut fault = Fault::at(bytes, bytes.len(), place, "the text ends inside a message");
    fault.cut_off = true;
    Some(Err(fault))
}

enum Taken {
    More,
    Fault(Fault),
    /// The value without its tree.
    Whole(Value),
}

/// Goes through a value byte by byte.
struct Walk<'b> {
    bytes: &'b [u8],
    place: Place,
    /// The value and the messages that are open, outermost first.
    open: Vec<Open>,
    /// The lists that are open, by the item that is next: so many as are open, or one fewer.
    lists: Vec<usize>,
    /// Brackets that are open inside the innermost message.
    depth: usize,
    /// Where the string begins that is open, and whether the next byte of it is escaped.
    string: Option<(usize, bool)>,
    /// The string read last, between its quotes; a colon after it makes it a member's name.
    name: Option<(usize, usize)>,
    messages: Map<String, Value>,
    notes: Notes,
}

struct Open {
    /// Its pointer, from the tree on; nothing for the value itself.
    path: String,
    /// Its text without the list in it.
    text: Vec<u8>,
    /// From which byte of the text on it stands at which byte of the slice.
    from: Vec<(usize, usize)>,
}

impl Walk<'_> {
    fn take(&mut self, at: usize) -> Option<Taken> {
        let byte = *self.bytes.get(at)?;
        if let Some((from, escaped)) = self.string {
            match byte {
                b'"' if !escaped => {
                    self.name = Some((from, at));
                    self.string = None;
                }
                _ => self.string = Some((from, byte == b'\\' && !escaped)),
            }
            self.keep(&[byte]);
            return Some(Taken::More);
        }
        if self.lists.len() == self.open.len() {
            return self.between(byte, at);
        }
        match byte {
            b'"' => self.string = Some((at + 1, false)),
            b'[' if self.is_list() => {
                self.keep(b"[]");
                self.lists.push(0);
                return (self.lists.len() <= DEEPEST).then_some(Taken::More);
            }
            b'{' | b'[' => self.depth += 1,
            b'}' if self.depth == 0 => return self.close(),
            b'}' | b']' => self.depth = self.depth.checked_sub(1)?,
            _ => {}
        }
        // What stands between a member's name and its value.
        if byte != b':' && !byte.is_ascii_whitespace() {
            self.name = None;
        }
        self.keep(&[byte]);
        Some(Taken::More)
    }

    /// Outside of the value, or between the messages of a list.
    fn between(&mut self, byte: u8, at: usize) -> Option<Taken> {
        match byte {
            b'{' => {
                let path = match (self.open.as_slice(), self.lists.last()) {
                    ([_], Some(index)) => format!("/{index}"),
                    ([.., above], Some(index)) => format!("{}/{BELOW}/{index}", above.path),
                    _ => String::new(),
                };
                if !self.open.is_empty() {
                    // Its place is before those of the messages in it.
                    self.messages.insert(path.clone(), Value::Null);
                }
                self.open.push(Open {
                    path,
                    text: vec![byte],
                    from: vec![(0, at)],
                });
            }
            b',' => *self.lists.last_mut()? += 1,
            b']' => {
                self.lists.pop()?;
                let message = self.open.last_mut()?;
                message.from.push((message.text.len(), at + 1));
            }
            byte if byte.is_ascii_whitespace() => {}
            // A list that holds something else is none of messages.
            _ => return None,
        }
        Some(Taken::More)
    }

    /// Whether the list that begins holds messages.
    fn is_list(&self) -> bool {
        let key = match self.open.len() {
            1 => TREE,
            _ => BELOW,
        };
        let name = self.name.and_then(|(from, to)| self.bytes.get(from..to));
        self.depth == 0 && name == Some(key.as_bytes())
    }

    fn close(&mut self) -> Option<Taken> {
        self.keep(b"}");
        let message = self.open.pop()?;
        let mut met = Notes::default();
        let read = json::value(&message.text, Place::default(), &mut met);
        let stands = |offset: u64| {
            let offset = offset as usize;
            let before = message.from.iter().rev().find(|(text, _)| *text <= offset);
            before.map_or(0, |(text, at)| at + (offset - text))
        };
        let value = match read {
            Ok(value) => value,
            Err(fault) => {
                let at = stands(fault.offset);
                return Some(Taken::Fault(Fault {
                    too_deep: fault.too_deep,
                    ..Fault::at(self.bytes, at, self.place, &fault.message)
                }));
            }
        };
        self.notes.absorb(met.moved(|offset| {
            let before = self.bytes.get(..stands(offset)).unwrap_or_default();
            self.place.after(before)
        }));
        if self.open.is_empty() {
            return Some(Taken::Whole(value));
        }
        self.messages.insert(message.path, value);
        Some(Taken::More)
    }

    fn keep(&mut self, bytes: &[u8]) {
        if let Some(message) = self.open.last_mut() {
            message.text.extend_from_slice(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{chat, messages};
    use super::*;
    use crate::import::pen::Pen;
    use crate::import::record::{At, Record};
    use crate::import::{Ask, Format, open};
    use proptest::prelude::*;
    use serde_json::json;

    /// A conversation of so many messages, one in the other.
    fn deep(messages: usize, inner: &str) -> String {
        let mut text = String::from("{\"conversationId\": \"c\", \"messagesTree\": [\n");
        for index in 0..messages {
            text += &format!(
                "{{\"messageId\": \"m{index}\", \"isCreatedByUser\": {}, \"text\": \"word {index}\", \"children\" :\n [",
                index % 2 == 0
            );
        }
        text += inner;
        text += &"], \"after\": 1}".repeat(messages);
        text + "], \"title\": \"t\"}"
    }

    fn read(text: &str) -> Result<Value, Fault> {
        value(text.as_bytes(), Place::default(), &mut Notes::default())
    }

    #[test]
    fn a_long_conversation_is_read_to_its_end() {
        let text = deep(1_500, "");
        let opened = open(text.as_bytes(), &Ask::default()).unwrap();
        assert_eq!(opened.format, Format::Librechat);
        let found = &opened.conversations[0];
        // The facts of the conversation stand before it.
        assert_eq!(found.messages.len(), 1 + 1_500);
        assert!(found.warnings.is_empty(), "{:?}", found.warnings);
    }

    #[test]
    fn what_is_mended_and_what_is_wrong_is_told_where_it_stands() {
        let text = deep(200, "").replace("word 150\"", "word 150\", \"n\": NaN");
        let text = text.replace(
            "], \"after\": 1}], \"title\"",
            "], \"after\": -Infinity}], \"title\"",
        );
        let mut notes = Notes::default();
        value(text.as_bytes(), Place::default(), &mut notes).unwrap();
        let told = notes.finish();
        let at = |word: &str| Some(text.find(word).unwrap() as u64);
        assert_eq!(told.len(), 2);
        assert!(
            told.iter()
                .any(|told| told.offset == at("NaN") && told.line == Some(152))
        );
        assert!(
            told.iter()
                .any(|told| told.offset == at("-Infinity") && told.line == Some(202))
        );

        let wrong = deep(200, "").replace("word 150\"", "word 150\" nothing");
        let fault = read(&wrong).unwrap_err();
        assert_eq!(
            (fault.line, fault.offset),
            (152, wrong.find("nothing").unwrap() as u64)
        );
        let cut = &deep(200, "")[..9_000];
        let fault = read(cut).unwrap_err();
        assert!(fault.cut_off && fault.offset == 9_000);
    }

    #[test]
    fn what_is_no_tree_or_deeper_than_is_followed_is_refused_as_too_deep() {
        let lists = format!("{}{}", "[".repeat(200), "]".repeat(200));
        for text in [
            lists.clone(),
            deep(200, "7"),
            deep(10, "").replace("\"word 5\"", &lists),
            format!("{} 1", deep(200, "")),
            deep(DEEPEST + 1, ""),
        ] {
            assert!(read(&text).unwrap_err().too_deep, "{}", &text[..40]);
        }
        assert!(read(&deep(DEEPEST - 1, "")).is_ok());
    }

    fn tree() -> impl Strategy<Value = Value> {
        let message = |children: Vec<Value>| {
            (0u32..9, any::<bool>(), "[\"\\\\\\[\\]{}:, a]{0,6}").prop_map(move |(id, own, text)| {
                json!({"messageId": id.to_string(), "isCreatedByUser": own, "text": text, "more": {"children": [{"a": []}]}, "children": children})
            })
        };
        Just(Vec::new())
            .prop_flat_map(message)
            .prop_recursive(6, 30, 3, move |inner| {
                prop::collection::vec(inner, 0..3).prop_flat_map(message)
            })
    }

    proptest! {
        #[test]
        fn a_tree_laid_flat_reads_as_the_tree(messages_ in prop::collection::vec(tree(), 0..3)) {
            let nested = json!({"conversationId": "c", "messagesTree": messages_, "title": "t"});
            let text = nested.to_string();
            let laid = flat(text.as_bytes(), Place::default(), &mut Notes::default()).unwrap().unwrap();
            prop_assert!(laid.get(TREE).unwrap().is_object());
            let places = |value: &Value| {
                let found = messages(value, &At::default(), &mut Pen::new(""));
                found.into_iter().map(|m| (m.id, m.parent, m.words, m.at)).collect::<Vec<_>>()
            };
            prop_assert_eq!(places(&laid), places(&nested));
            let [laid, nested] = [laid, nested].map(|value| chat(&Record::whole(value), &Ask::default()));
            prop_assert_eq!(laid, nested);
        }

        #[test]
        fn any_bytes_end(text in "[\\[\\]{}\":,\\\\ a]{0,60}") {
            let text = format!("{{\"messagesTree\":[{text}");
            let _ = flat(text.as_bytes(), Place::default(), &mut Notes::default());
        }
    }
}
