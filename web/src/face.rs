//! An entry as the page shows it: its texts, a line of facts, its sealed JSON. Used by the worker, so
//! that only what is in sight crosses.

use serde_json::Value;

use crate::protocol::EntryFace;

/// Bytes of text shown before someone asks for the rest.
pub const HEAD: usize = 1_600;

/// The face of an entry; `whole` carries all of it.
pub fn face(index: usize, entry: &Value, canonical: &str, whole: bool) -> EntryFace {
    let mut more = 0;
    let mut clip = |text: &str| -> String {
        let kept = if whole { text } else { head(text, HEAD) };
        more += (text.len() - kept.len()) as u64;
        kept.to_owned()
    };
    let payload = entry.get("payload");
    let text_of =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut texts = Vec::new();
    let mut facts = Vec::new();
    let mut tool = None;
    match payload {
        Some(payload) => {
            tool = text_of(payload, "name");
            for key in ["arguments", "output"] {
                match payload.get(key) {
                    Some(Value::String(text)) => texts.push(clip(text)),
                    Some(other) if !other.is_null() => texts.push(clip(&other.to_string())),
                    _ => {}
                }
            }
            if let Some(id) = text_of(payload, "call_id") {
                facts.push(id);
            }
            if payload.get("is_error").and_then(Value::as_bool) == Some(true) {
                facts.push("is_error".to_owned());
            }
            if payload.get("encrypted_content").is_some() {
                facts.push("encrypted reasoning, carried as it is".to_owned());
            }
        }
        None => {
            for part in entry
                .get("parts")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                match part.get("text").and_then(Value::as_str) {
                    Some(text) => texts.push(clip(text)),
                    None => texts.push(clip(&part.to_string())),
                }
            }
        }
    }
    if let Some(phase) = text_of(entry, "phase") {
        facts.push(format!("phase {phase}"));
    }
    if let Some(origin) = entry.get("native_origin").and_then(Value::as_object) {
        let words: Vec<&str> = origin.values().filter_map(Value::as_str).collect();
        facts.push(format!("native_origin {}", words.join(", ")));
    }
    let sealed = if whole {
        canonical
    } else {
        head(canonical, HEAD * 2)
    };
    let facts = (!facts.is_empty()).then(|| facts.join(" · "));
    EntryFace {
        index,
        texts,
        tool,
        facts,
        sealed: sealed.to_owned(),
        more: more.max((canonical.len() - sealed.len()) as u64),
    }
}

/// The beginning of a text, cut at a character, and at a line's end where one is near.
pub fn head(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    match text[..end].rfind('\n') {
        Some(line) if line > end / 2 => &text[..line],
        _ => &text[..end],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_message_shows_its_parts_and_label() {
        let entry = json!({ "role": "assistant", "parts": [{ "type": "text", "text": "seen" }, { "type": "upload", "upload_public_id": "up1" }],
            "phase": "final_answer", "native_origin": { "provider_id": "acme", "model_id": "quill-2", "api_format": "openai_responses" } });
        let face = face(3, &entry, &entry.to_string(), false);
        assert_eq!(
            face.texts,
            ["seen", "{\"type\":\"upload\",\"upload_public_id\":\"up1\"}"]
        );
        assert_eq!(
            face.facts.as_deref(),
            Some("phase final_answer · native_origin acme, quill-2, openai_responses")
        );
        assert_eq!(face.more, 0);
    }

    #[test]
    fn a_call_shows_its_tool_and_arguments() {
        let entry = json!({ "type": "tool_call_item", "payload": { "type": "function_call", "call_id": "c1", "name": "read_file", "arguments": "{\"path\":\"a\"}" } });
        let face = face(0, &entry, &entry.to_string(), false);
        assert_eq!(face.tool.as_deref(), Some("read_file"));
        assert_eq!(face.texts, ["{\"path\":\"a\"}"]);
    }

    #[test]
    fn a_long_text_says_how_much_is_left() {
        let long = "é".repeat(HEAD);
        let entry = json!({ "role": "user", "parts": [{ "type": "text", "text": long }] });
        let short = face(0, &entry, "", false);
        assert_eq!(short.more as usize, long.len() - HEAD);
        assert_eq!(face(0, &entry, "", true).more, 0);
    }
}
