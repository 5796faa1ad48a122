//! YAML as recorders write it → a JSON value. What stands before a fault is kept.
//!
//! Bytes (`!!binary`) are their text where they are one, else `{"base64_string": …}`, which is how recorders
//! spell them in JSON.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, Tag};
use serde_json::{Map, Value, json};

use crate::json::{MAX_DEPTH, Notes, Text};
use crate::refusal::Warning;

/// How many values aliases may stand for in one file: a few of them can spell more than any memory holds.
const REPEATED: usize = 1_000_000;

/// The first document of a text. What is wrong in it is told, and ends it.
pub(super) fn value(text: &Text<'_>, notes: &mut Notes) -> Value {
    let source = String::from_utf8_lossy(&text.bytes);
    let mut tree = Tree::default();
    for event in Parser::new_from_str(&source) {
        let told = match event.map_err(Fault::from) {
            Ok((Event::DocumentEnd | Event::StreamEnd, _)) => break,
            Ok((event, span)) => tree.take(event, span),
            Err(fault) => Err(fault),
        };
        if let Err(fault) = told {
            let message = format!("the YAML is read up to here: {}", fault.says);
            let offset = source
                .chars()
                .take(fault.index)
                .map(char::len_utf8)
                .sum::<usize>();
            let warning = Warning::new("yaml_unreadable", message);
            notes.push(warning.in_source(fault.line, text.place.offset + offset as u64));
            break;
        }
    }
    tree.end()
}

/// Why a text is no YAML, and where.
struct Fault {
    says: String,
    line: u64,
    /// In characters.
    index: usize,
}

impl From<ScanError> for Fault {
    fn from(error: ScanError) -> Self {
        Self {
            says: error.info().to_owned(),
            line: error.marker().line() as u64,
            index: error.marker().index(),
        }
    }
}

/// The value so far.
#[derive(Default)]
struct Tree {
    /// Lists and objects that are not closed, each with the anchor it may be repeated by.
    open: Vec<(Node, usize)>,
    anchors: BTreeMap<usize, Value>,
    repeated: usize,
    root: Value,
}

enum Node {
    List(Vec<Value>),
    /// The members, and the name of the one that comes next.
    Object(Map<String, Value>, Option<String>),
}

impl Tree {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Fault> {
        let fault = |says: String| Fault {
            says,
            line: span.start.line() as u64,
            index: span.start.index(),
        };
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let value = scalar(&text, style, tag.as_deref());
                self.put(value, anchor);
            }
            Event::SequenceStart(..) | Event::MappingStart(..) if self.open.len() == MAX_DEPTH => {
                return Err(fault(format!("nested deeper than {MAX_DEPTH} levels")));
            }
            Event::SequenceStart(anchor, _) => self.open.push((Node::List(Vec::new()), anchor)),
            Event::MappingStart(anchor, _) => {
                self.open.push((Node::Object(Map::new(), None), anchor));
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => {
                let value = self.anchors.get(&anchor).cloned().unwrap_or_default();
                self.repeated = self.repeated.saturating_add(weight(&value));
                if self.repeated > REPEATED {
                    return Err(fault("aliases repeat too much".to_owned()));
                }
                self.put(value, 0);
            }
            _ => {}
        }
        Ok(())
    }

    fn put(&mut self, value: Value, anchor: usize) {
        if anchor > 0 {
            self.anchors.insert(anchor, value.clone());
        }
        match self.open.last_mut() {
            None => self.root = value,
            Some((Node::List(items), _)) => items.push(value),
            Some((Node::Object(members, name), _)) => match name.take() {
                Some(name) => {
                    members.insert(name, value);
                }
                None => {
                    let said = value.as_str().map(str::to_owned);
                    *name = Some(said.unwrap_or_else(|| value.to_string()));
                }
            },
        }
    }

    fn close(&mut self) {
        match self.open.pop() {
            Some((Node::List(items), anchor)) => self.put(Value::Array(items), anchor),
            Some((Node::Object(members, _), anchor)) => self.put(Value::Object(members), anchor),
            None => {}
        }
    }

    fn end(mut self) -> Value {
        while !self.open.is_empty() {
            self.close();
        }
        self.root
    }
}

/// How many values a value holds.
fn weight(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(weight).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(weight).sum::<usize>(),
        _ => 1,
    }
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Value {
    match tag.map(|tag| tag.suffix.as_str()) {
        Some("binary") => return binary(text),
        Some(_) => return Value::from(text),
        None if style != ScalarStyle::Plain => return Value::from(text),
        None => {}
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        text => match text.parse::<i64>() {
            Ok(number) => Value::from(number),
            Err(_) => Value::from(text),
        },
    }
}

fn binary(text: &str) -> Value {
    let digits: String = text.split_ascii_whitespace().collect();
    let bytes = STANDARD.decode(&digits).ok();
    match bytes.and_then(|bytes| String::from_utf8(bytes).ok()) {
        Some(text) => Value::from(text),
        None => json!({ "base64_string": digits }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(source: &str) -> (Value, Vec<Warning>) {
        let text = Text {
            bytes: source.as_bytes().into(),
            place: crate::json::Place::default(),
        };
        let mut notes = Notes::default();
        (value(&text, &mut notes), notes.finish())
    }

    #[test]
    fn what_recorders_write_is_read() {
        let source = "interactions:\n- request:\n    body: '{\"a\": 1}'\n    tries: 2\n  response:\n    body:\n      string: !!binary |\n        aGnD\n        qQ==\n    raw: !!binary /wA=\n    text: |+\n      data: x\n\n      data: y\n\n    none: null\n    ok: true\n    float: 1.5\nversion: 1\n";
        assert_eq!(
            read(source),
            (
                json!({
                    "interactions": [{
                        "request": {"body": "{\"a\": 1}", "tries": 2},
                        "response": {
                            "body": {"string": "hié"}, "raw": {"base64_string": "/wA="},
                            "text": "data: x\n\ndata: y\n\n", "none": null, "ok": true, "float": "1.5",
                        },
                    }],
                    "version": 1,
                }),
                vec![]
            )
        );
    }

    #[test]
    fn what_stands_before_a_fault_is_kept_and_the_fault_has_its_line() {
        let (value, told) = read("a:\n- b: 1\n- c: \"é\n");
        assert_eq!(value, json!({"a": [{"b": 1}, {}]}));
        assert_eq!((told[0].code.as_str(), told.len()), ("yaml_unreadable", 1));
        let (value, told) = read("é: 1\nb: }\n");
        assert_eq!(value, json!({"é": 1}));
        assert_eq!((told[0].line, told[0].offset), (Some(2), Some(9)));
    }

    #[test]
    fn aliases_are_what_they_stand_for_up_to_a_bound() {
        let (value, told) = read("a: &x {b: [1]}\nc: *x\n");
        assert_eq!(
            (value, told),
            (json!({"a": {"b": [1]}, "c": {"b": [1]}}), vec![])
        );
        let mut source = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n".to_owned();
        for n in 1..10 {
            let one = format!("*a{}", n - 1);
            source += &format!("a{n}: &a{n} [{}]\n", vec![one; 10].join(", "));
        }
        let (_, told) = read(&source);
        assert!(told[0].message.contains("repeat too much"), "{told:?}");
        let (_, told) = read(&"[".repeat(MAX_DEPTH + 1));
        assert!(told[0].message.contains("nested deeper"), "{told:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn any_text_is_read_without_an_end(source in "([-:?,{}\\[\\]&*!|>'\"%@`#\\\\ \t\n]|- |: |a|é|<<|---\n|!!binary |\\.\\.\\.\n){0,60}") {
            let _ = read(&source);
        }
    }
}
