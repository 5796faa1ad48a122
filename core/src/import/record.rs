//! What a file is made of, with its places: the records of a log, the items of a list, or one value.

use serde_json::{Map, Value};

use crate::json::{Notes, Place};
use crate::refusal::{Warning, pointer_key};
use crate::transcript::Imported;

/// One line of a log, one item of a list, or the one value of a file.
#[derive(Debug)]
pub(super) struct Record {
    /// What it says.
    pub value: Value,
    /// Where it stands.
    pub at: At,
}

impl Record {
    /// A record that begins at a place of the source.
    pub fn new(value: Value, place: Place) -> Self {
        let at = At {
            path: String::new(),
            source: Some((place.line, place.offset)),
        };
        Self { value, at }
    }

    /// An item of a list that is the file, at a place of the source.
    pub fn item(value: Value, index: usize, place: Place) -> Self {
        let at = At {
            path: format!("/{index}"),
            source: Some((place.line, place.offset)),
        };
        Self { value, at }
    }

    /// The value of a whole file: places in it are JSON pointers.
    pub fn whole(value: Value) -> Self {
        let at = At::default();
        Self { value, at }
    }

    /// The items of a list, each as a record of its own; a value that is no list stays one.
    pub fn items(self) -> Vec<Self> {
        let Value::Array(items) = self.value else {
            return vec![self];
        };
        let at = self.at;
        let placed = items.into_iter().enumerate().map(|(index, value)| Self {
            value,
            at: at.inside(&format!("/{index}")),
        });
        placed.collect()
    }

    /// The conversations of an export: those under `conversations`, the items of a list, or the value itself.
    pub fn conversations(mut self) -> Vec<Self> {
        let under = self.value.get_mut("conversations");
        match under.filter(|list| list.is_array()).map(Value::take) {
            Some(value) => {
                let at = self.at.inside("/conversations");
                Self { value, at }.items()
            }
            None => self.items(),
        }
    }

    /// The items of a member that is a list, each as a record of its own.
    pub fn members(&self, key: &str) -> Vec<Self> {
        let items = self.value.get(key).and_then(Value::as_array);
        let placed = items.into_iter().flatten().enumerate();
        let placed = placed.map(|(index, item)| Self {
            value: item.clone(),
            at: self.at.inside(&format!("/{}/{index}", pointer_key(key))),
        });
        placed.collect()
    }
}

/// Where something stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct At {
    /// JSON pointer, from the root of the file or of the line.
    pub path: String,
    /// Line, from 1, and byte offset of the record it is in, where records have one.
    pub source: Option<(u64, u64)>,
}

impl At {
    /// A place inside this one, by a JSON pointer that goes on from here.
    pub fn inside(&self, pointer: &str) -> Self {
        Self {
            path: format!("{}{pointer}", self.path),
            source: self.source,
        }
    }

    /// A warning whose pointer is right already, in the record it is of.
    pub fn placed(&self, warning: Warning) -> Warning {
        match self.source {
            Some((line, offset)) => warning.in_source(line, offset),
            None => warning,
        }
    }

    /// The warning at this place.
    pub fn of(&self, warning: Warning) -> Warning {
        match (self.path.as_str(), self.source) {
            ("", Some(_)) => self.placed(warning),
            (path, _) => self.placed(warning.at(path)),
        }
    }
}

/// The conversations among records and the items of lists, each read by itself; what is none is told.
pub(super) fn conversations(
    records: Vec<Record>,
    is: impl Fn(&Value) -> bool,
    notes: &mut Notes,
    read: impl Fn(&Record) -> Imported,
) -> Vec<Imported> {
    let mut found = Vec::new();
    for record in records.into_iter().flat_map(Record::items) {
        if is(&record.value) {
            found.push(read(&record));
        } else {
            let message = "no conversation is here; it is skipped";
            notes.push(record.at.of(Warning::new("not_a_conversation", message)));
        }
    }
    found
}

/// A member that is an id: a text, or a number by its digits. An empty one is none.
pub(super) fn id(value: &Value, key: &str) -> Option<String> {
    match value.get(key)? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A member that is a text.
pub(super) fn word<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

/// The id that a member says, or one made of the place in the order for what has none.
pub(super) fn id_of(value: &Value, key: &str, index: usize) -> String {
    match word(value, key) {
        None | Some("") => format!("#{index}"),
        Some(id) => id.to_owned(),
    }
}

/// A member that is a text and not empty.
pub(super) fn filled<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    word(value, key).filter(|text| !text.is_empty())
}

/// Whether a member is `true`.
pub(super) fn flag(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or(false)
}

/// The members of a record that are named, where they are set.
pub(super) fn facts(value: &Value, keys: &[&str]) -> Map<String, Value> {
    let found = keys.iter().filter_map(|key| {
        let member = value.get(*key).filter(|member| !member.is_null())?;
        Some(((*key).to_owned(), member.clone()))
    });
    found.collect()
}

/// The members of a record but for the named ones; `None` when nothing is left.
pub(super) fn rest(value: &Value, but: &[&str]) -> Option<Value> {
    let members = value.as_object()?.iter();
    let left = members.filter(|(key, member)| !but.contains(&key.as_str()) && !member.is_null());
    let left: Map<String, Value> = left
        .map(|(key, member)| (key.clone(), member.clone()))
        .collect();
    (!left.is_empty()).then_some(Value::Object(left))
}

/// The texts of a content, joined by blank lines.
pub(super) fn text_of(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| {
                let text = part.as_str().or_else(|| word(part, "text"));
                text.or_else(|| part.pointer("/text/value")?.as_str())
            });
            texts.collect::<Vec<_>>().join("\n\n")
        }
        _ => String::new(),
    }
}
