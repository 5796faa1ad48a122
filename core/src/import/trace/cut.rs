//! JSON in a text that an exporter may have cut at its limit: what came before the cut is kept.

use serde_json::Value;

use crate::json::{self, Notes, Place};
use crate::refusal::Warning;

/// What a text holds.
#[derive(Debug, PartialEq)]
pub(super) enum Inside {
    /// JSON, and what was mended in it.
    Json(Value, Vec<Warning>),
    /// No JSON.
    Words,
}

/// Looks for an object or a list in a text. One that ends before its end is closed where it was cut.
pub(super) fn inside(text: &str) -> Inside {
    if !text.trim_start().starts_with(['{', '[']) {
        return Inside::Words;
    }
    let mut notes = Notes::default();
    let mut read = |text: &str| json::value(text.as_bytes(), Place::default(), &mut notes);
    let value = match read(text) {
        Err(fault) if fault.cut_off => {
            let value = read(&closed(text));
            let message = "the exporter cut the text; it is kept as far as it came";
            notes.push(Warning::new("cut_by_exporter", message));
            value
        }
        value => value,
    };
    match value {
        Ok(value) => Inside::Json(value, notes.finish()),
        Err(_) => Inside::Words,
    }
}

/// The text up to where it was cut, with what is open closed: a string that is a value as far as it came, a
/// member without its value and a word that is not whole not at all.
fn closed(text: &str) -> String {
    let (mut open, mut key) = (Vec::new(), false);
    // Up to where everything but the open lists and objects is whole.
    let mut whole = 0;
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => {
                let mut last = at;
                let mut escape = None;
                let ended = loop {
                    match bytes.next() {
                        None => break false,
                        Some((at, b'\\')) => {
                            escape = Some(at);
                            last = at;
                            if bytes.next().is_none() {
                                break false;
                            }
                        }
                        Some((at, b'"')) => {
                            last = at;
                            break true;
                        }
                        Some(_) => {}
                    }
                };
                if !ended && !key {
                    return format!("{}\"{}", words(text, escape), closing(&open));
                }
                if ended && !key {
                    whole = last + 1;
                }
            }
            b'{' | b'[' => {
                open.push(byte);
                key = byte == b'{';
                whole = at + 1;
            }
            b'}' | b']' => {
                open.pop();
                key = false;
                whole = at + 1;
            }
            b':' => key = false,
            b',' => {
                key = open.last() == Some(&b'{');
                // A number or a word before it is whole by it.
                whole = at;
            }
            _ => {}
        }
    }
    let head = text.get(..whole).unwrap_or_default();
    format!("{head}{}", closing(&open))
}

/// The text without an escape that was cut at its end.
fn words(text: &str, escape: Option<usize>) -> &str {
    let Some(at) = escape else { return text };
    let rest = text.get(at..).unwrap_or_default();
    let needs = if rest.starts_with("\\u") { 6 } else { 2 };
    match rest.len() < needs {
        true => text.get(..at).unwrap_or_default(),
        false => text,
    }
}

fn closing(open: &[u8]) -> String {
    let close = |bracket: &u8| if *bracket == b'{' { '}' } else { ']' };
    open.iter().rev().map(close).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_text_cut_anywhere_keeps_what_came_before() {
        for (text, value) in [
            (
                r#"[{"role":"user","content":"hel"#,
                json!([{"role": "user", "content": "hel"}]),
            ),
            (
                r#"[{"role":"user","content":"a\"b"#,
                json!([{"role": "user", "content": "a\"b"}]),
            ),
            (
                r#"[{"role":"user","content":"a\"#,
                json!([{"role": "user", "content": "a"}]),
            ),
            (
                r#"[{"role":"user","content":"a\\"#,
                json!([{"role": "user", "content": "a\\"}]),
            ),
            (
                r#"[{"role":"user","content":"a\ud8"#,
                json!([{"role": "user", "content": "a"}]),
            ),
            (
                r#"[{"role":"user","content":"a\ud83d"#,
                json!([{"role": "user", "content": "a\u{fffd}"}]),
            ),
            (r#"[{"role":"user","cont"#, json!([{"role": "user"}])),
            (r#"[{"role":"user","content""#, json!([{"role": "user"}])),
            (r#"[{"role":"user","content":"#, json!([{"role": "user"}])),
            (r#"[{"role":"user","#, json!([{"role": "user"}])),
            (r#"[{"n":12,"m":34"#, json!([{"n": 12}])),
            (r#"[1,2,tru"#, json!([1, 2])),
            (r#"["#, json!([])),
            (r#"{"a":[{"b":"#, json!({"a": [{}]})),
            ("[\"é", json!(["é"])),
        ] {
            let Inside::Json(read, told) = inside(text) else {
                panic!("{text} is JSON");
            };
            assert_eq!(read, value, "{text}");
            assert_eq!(told.last().unwrap().code, "cut_by_exporter");
        }
    }

    #[test]
    fn whole_json_is_whole_and_words_are_words() {
        assert_eq!(inside(" [1]"), Inside::Json(json!([1]), vec![]));
        let Inside::Json(read, told) = inside(r#"["half: \ud83d"]"#) else {
            panic!("it is JSON");
        };
        assert_eq!(read, json!(["half: \u{fffd}"]));
        assert_eq!((told.len(), told[0].code.as_str()), (1, "lone_surrogate"));
        for text in ["hello", "", "[see below] and more", "{x}", "\"a\""] {
            assert_eq!(inside(text), Inside::Words, "{text}");
        }
    }
}
