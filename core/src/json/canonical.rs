//! Canonical JSON: the one form that is stored and measured.
//!
//! Keys sorted by code point, no spaces, raw UTF-8, control characters escaped (`\b \t \n \f \r`, else
//! lower-case `\u00xx`), `/` not escaped, `-0.0` as `0.0`. Values that have no such form are refused with
//! their JSON pointer; measuring takes them all, since an overflow is there to be shown.

use serde_json::{Number, Value};

use crate::refusal::pointer_key;

/// Deepest nesting that can be stored.
pub const MAX_DEPTH: usize = 100;

/// A value that has no canonical form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotCanonical {
    /// JSON pointer of the place.
    pub path: String,
    /// Why, in a few words.
    pub reason: &'static str,
}

/// Bytes of a text as a JSON string, quotes included. U+0000 measures as `\u0000`, 6 bytes.
pub fn string_bytes(text: &str) -> u64 {
    let escapes: usize = text
        .bytes()
        .map(|b| match b {
            b'"' | b'\\' | 0x08 | b'\t' | b'\n' | 0x0c | b'\r' => 1,
            0..=0x1f => 5,
            _ => 0,
        })
        .sum();
    (text.len() + escapes + 2) as u64
}

/// Bytes of a value in canonical form.
pub fn value_bytes(value: &Value) -> u64 {
    match value {
        Value::Null => 4,
        Value::Bool(true) => 4,
        Value::Bool(false) => 5,
        Value::Number(number) => number_text(number).len() as u64,
        Value::String(text) => string_bytes(text),
        Value::Array(items) => 2 + commas(items.len()) + items.iter().map(value_bytes).sum::<u64>(),
        Value::Object(members) => {
            2 + commas(members.len())
                + members
                    .iter()
                    .map(|(key, value)| string_bytes(key) + 1 + value_bytes(value))
                    .sum::<u64>()
        }
    }
}

fn commas(items: usize) -> u64 {
    items.saturating_sub(1) as u64
}

fn number_text(number: &Number) -> String {
    match number.as_f64() {
        Some(zero) if number.is_f64() && zero == 0.0 => "0.0".to_owned(),
        _ => number.to_string(),
    }
}

/// The canonical form.
///
/// # Errors
/// [`NotCanonical`] for a float in exponent form, U+0000, or nesting past [`MAX_DEPTH`].
pub fn write(value: &Value) -> Result<String, NotCanonical> {
    let mut out = String::new();
    let mut path = String::new();
    write_into(value, &mut out, &mut path, 0)?;
    Ok(out)
}

fn write_into(
    value: &Value,
    out: &mut String,
    path: &mut String,
    depth: usize,
) -> Result<(), NotCanonical> {
    let refuse = |path: &str, reason| {
        Err(NotCanonical {
            path: path.to_owned(),
            reason,
        })
    };
    if depth > MAX_DEPTH {
        return refuse(path, "nesting past 100");
    }
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => {
            let text = number_text(number);
            if text.contains(['e', 'E']) {
                return refuse(path, "a number in exponent form");
            }
            out.push_str(&text);
        }
        Value::String(text) => {
            if text.contains('\0') {
                return refuse(path, "U+0000");
            }
            write_string(text, out);
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                let length = path.len();
                path.push_str(&format!("/{index}"));
                write_into(item, out, path, depth + 1)?;
                path.truncate(length);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by(|a, b| a.0.cmp(b.0));
            out.push('{');
            for (index, (key, member)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                let length = path.len();
                path.push('/');
                path.push_str(&pointer_key(key));
                if key.contains('\0') {
                    return refuse(path, "U+0000");
                }
                write_string(key, out);
                out.push(':');
                write_into(member, out, path, depth + 1)?;
                path.truncate(length);
            }
            out.push('}');
        }
    }
    Ok(())
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn the_form_of_the_contract() {
        for (value, form) in [
            (json!({"k": "汉字"}), "{\"k\":\"汉字\"}"),
            (json!({"b": 2, "a": 1}), "{\"a\":1,\"b\":2}"),
            (
                json!("\u{1}\u{8}\t\n\u{c}\r/\"\\\u{7f}"),
                "\"\\u0001\\b\\t\\n\\f\\r/\\\"\\\\\u{7f}\"",
            ),
            (json!(-0.0), "0.0"),
            (json!([1.5, 5.0, null, true]), "[1.5,5.0,null,true]"),
            (
                json!({"role": "user", "parts": [{"type": "text", "text": "x"}]}),
                "{\"parts\":[{\"text\":\"x\",\"type\":\"text\"}],\"role\":\"user\"}",
            ),
        ] {
            assert_eq!(write(&value).unwrap(), form);
            assert_eq!(value_bytes(&value), form.len() as u64);
        }
        assert_eq!(value_bytes(&json!({"k": "汉字"})), 14);
    }

    #[test]
    fn what_has_no_form_is_refused_at_its_place() {
        assert_eq!(write(&json!({"a": [1e300]})).unwrap_err().path, "/a/0");
        assert_eq!(write(&json!({"a/b": "\0"})).unwrap_err().path, "/a~1b");
        let mut deep = json!(0);
        for _ in 0..=MAX_DEPTH {
            deep = json!([deep]);
        }
        assert_eq!(write(&deep).unwrap_err().reason, "nesting past 100");
        assert_eq!(string_bytes("\0"), 8);
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[^\u{0}]{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec(("[^\u{0}]{0,4}", inner), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_measure_is_the_length_of_the_form(value in any_value()) {
            let form = write(&value).unwrap();
            prop_assert_eq!(form.len() as u64, value_bytes(&value));
            prop_assert_eq!(serde_json::from_str::<Value>(&form).unwrap(), value);
        }
    }
}
