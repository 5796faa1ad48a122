//! An entry as the page shows it: its texts by segment, a line of facts, its sealed JSON. Used by the
//! worker, so that only what is in sight crosses.

use serde_json::Value;

use crate::protocol::{EntryFace, FacePart};

/// Bytes of one text shown before someone asks for the rest.
pub const HEAD: usize = 1_600;

/// The face of an entry; `whole` carries all of it. `split` are the texts of a message by segment, when
/// several made it; without it every text is the first segment's.
pub fn face(
    index: usize,
    entry: &Value,
    canonical: &str,
    split: Option<Vec<FacePart>>,
    whole: bool,
) -> EntryFace {
    let mut facts = Vec::new();
    let mut tool = None;
    let word = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut parts = match entry.get("payload") {
        Some(payload) => {
            tool = word(payload, "name");
            facts.extend(word(payload, "call_id"));
            if payload.get("is_error").and_then(Value::as_bool) == Some(true) {
                facts.push("is_error".to_owned());
            }
            let texts = ["arguments", "output"]
                .into_iter()
                .filter_map(|key| payload.get(key));
            whole_of(texts, None)
        }
        None => split.unwrap_or_else(|| {
            whole_of(
                entry
                    .get("parts")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten(),
                Some("text"),
            )
        }),
    };
    facts.extend(word(entry, "phase").map(|phase| format!("phase {phase}")));
    if let Some(origin) = entry.get("native_origin").and_then(Value::as_object) {
        let words: Vec<&str> = origin.values().filter_map(Value::as_str).collect();
        facts.push(format!("native_origin {}", words.join(", ")));
    }
    let mut more = 0;
    if !whole {
        for part in &mut parts {
            let kept = head(&part.text, HEAD).len();
            more += part.text.len() - kept;
            part.text.truncate(kept);
        }
    }
    let sealed = if whole {
        canonical
    } else {
        head(canonical, HEAD * 2)
    };
    EntryFace {
        index,
        tokens: 0,
        parts,
        tool,
        facts: (!facts.is_empty()).then(|| facts.join(" · ")),
        sealed: sealed.to_owned(),
        more: more.max(canonical.len() - sealed.len()) as u64,
    }
}

/// Each value as a part of the first segment: its text, or its JSON where it has none.
fn whole_of<'v>(values: impl Iterator<Item = &'v Value>, key: Option<&str>) -> Vec<FacePart> {
    values
        .map(|value| {
            let text = key
                .map_or(Some(value), |key| value.get(key))
                .and_then(Value::as_str);
            FacePart {
                segment: 0,
                text: text.map_or_else(|| value.to_string(), str::to_owned),
            }
        })
        .collect()
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
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn texts(face: &EntryFace) -> Vec<&str> {
        face.parts.iter().map(|part| part.text.as_str()).collect()
    }

    #[test]
    fn a_message_shows_its_parts_and_label() {
        let entry = json!({ "role": "assistant", "parts": [{ "type": "text", "text": "seen" }, { "type": "upload", "upload_public_id": "up1" }],
            "phase": "final_answer", "native_origin": { "provider_id": "acme", "model_id": "quill-2", "api_format": "openai_responses" } });
        let face = face(3, &entry, &entry.to_string(), None, false);
        assert_eq!(
            texts(&face),
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
        let face = face(0, &entry, &entry.to_string(), None, false);
        assert_eq!(face.tool.as_deref(), Some("read_file"));
        assert_eq!(texts(&face), ["{\"path\":\"a\"}"]);
    }

    #[test]
    fn a_long_text_says_how_much_is_left() {
        let long = "é".repeat(HEAD);
        let entry = json!({ "role": "user", "parts": [{ "type": "text", "text": long }] });
        let short = face(0, &entry, "", None, false);
        assert_eq!(short.more as usize, long.len() - HEAD);
        assert_eq!(face(0, &entry, "", None, true).more, 0);
    }

    #[test]
    fn a_merged_message_keeps_its_segments_apart() {
        let entry = json!({ "role": "user", "parts": [{ "type": "text", "text": "a\n\nb" }] });
        let split = vec![
            FacePart {
                segment: 0,
                text: "a".into(),
            },
            FacePart {
                segment: 1,
                text: "b".into(),
            },
        ];
        assert_eq!(texts(&face(0, &entry, "", Some(split), false)), ["a", "b"]);
    }
}
