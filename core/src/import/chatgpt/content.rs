//! The content of a message by its `content_type`, as parts that the reader knows.

use serde_json::{Value, json};

use super::super::pen::Pen;
use super::super::record::{At, flag, rest, word};

/// What the page does not show.
pub(super) fn is_hidden(message: &Value) -> bool {
    let metadata = message.get("metadata").unwrap_or(&Value::Null);
    flag(metadata, "is_visually_hidden_from_conversation")
        || flag(metadata, "is_user_system_message")
        || flag(metadata, "rebase_system_message")
}

/// Custom instructions or memory, whoever the file has as their author.
pub(super) fn is_context(content: &Value) -> bool {
    let kind = word(content, "content_type");
    matches!(
        kind,
        Some("user_editable_context" | "model_editable_context")
    )
}

/// What an app beside the page gave along, of the windows that the person had paired with it.
pub(super) fn is_pairing(message: &Value) -> bool {
    let kind = message.pointer("/content/content_type");
    kind.and_then(Value::as_str) == Some("app_pairing_content")
}

/// The texts of custom instructions or a memory, each by itself.
pub(super) fn context(content: &Value) -> Vec<&str> {
    let members = content.as_object().into_iter().flatten();
    let texts = members.filter(|(key, _)| *key != "content_type");
    let texts = texts.filter_map(|(_, member)| member.as_str());
    texts.filter(|text| !text.trim().is_empty()).collect()
}

/// The first words of a content, to name a branch by.
pub(super) fn first_words(content: &Value) -> &str {
    let parts = content.get("parts").and_then(Value::as_array);
    let first = parts.into_iter().flatten().find_map(text);
    first.or_else(|| text(content)).unwrap_or_default()
}

/// The text of a part, or of a content that is only one.
fn text(part: &Value) -> Option<&str> {
    let text = part.as_str().or_else(|| word(part, "text"));
    text.filter(|text| !text.is_empty())
}

/// A content as parts; nothing of one without words.
pub(super) fn parts(content: &Value, pen: &mut Pen, at: &At) -> Vec<Value> {
    let own = |keys: &[&str]| -> Vec<Value> {
        let words = keys.iter().filter_map(|key| word(content, key));
        let words = words.filter(|text| !text.is_empty());
        words.map(plain).collect()
    };
    match word(content, "content_type").unwrap_or("text") {
        "text" => {
            let parts = content.get("parts").and_then(Value::as_array);
            let Some(parts) = parts else {
                return text(content).map(plain).into_iter().collect();
            };
            let texts: Vec<&str> = parts.iter().filter_map(Value::as_str).collect();
            let texts = texts.into_iter().filter(|text| !text.is_empty());
            let words = texts.collect::<Vec<_>>().join("\n");
            let words = Some(plain(&words)).filter(|_| !words.is_empty());
            let others = parts.iter().filter(|part| !part.is_string());
            let others = others.flat_map(|other| part(other, pen, at));
            words
                .into_iter()
                .chain(others.collect::<Vec<_>>())
                .collect()
        }
        "multimodal_text" => {
            let parts = content.get("parts").and_then(Value::as_array);
            let parts = parts.into_iter().flatten();
            parts.flat_map(|item| part(item, pen, at)).collect()
        }
        "code" | "execution_output" | "tether_quote" | "tether_browsing_code" | "system_error" => {
            own(&["text"])
        }
        "sonic_webpage" => match own(&["text"]) {
            texts if texts.is_empty() => own(&["snippet"]),
            texts => texts,
        },
        "tether_browsing_display" => own(&["result", "summary"]),
        "citable_code_output" => own(&["output_str"]),
        "reasoning_recap" => own(&["content"]),
        "thoughts" => {
            let thoughts = content.get("thoughts").and_then(Value::as_array);
            thoughts.into_iter().flatten().filter_map(thought).collect()
        }
        "app_pairing_content" => pairing(content),
        "computer_output" => match content.get("screenshot") {
            Some(screenshot) => part(screenshot, pen, at),
            None => Vec::new(),
        },
        kind => {
            let says = "content of types that are not known here reads as its JSON";
            pen.count("content_type_unknown", kind, says, at);
            vec![plain(&content.to_string())]
        }
    }
}

/// What a known content says beside its parts.
pub(super) fn details(content: &Value) -> Option<Value> {
    let read = match word(content, "content_type")? {
        "tether_quote" | "tether_browsing_code" | "system_error" => &["content_type", "text"][..],
        "sonic_webpage" => &["content_type", "text", "snippet"],
        "tether_browsing_display" => &["content_type", "result", "summary"],
        "citable_code_output" => &["content_type", "output_str"],
        "computer_output" => &["content_type", "screenshot"],
        _ => return None,
    };
    rest(content, read)
}

fn plain(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn thought(thought: &Value) -> Option<Value> {
    let texts = ["summary", "content"]
        .iter()
        .filter_map(|key| word(thought, key));
    let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    let text = texts.join("\n");
    (!text.is_empty()).then(|| json!({"type": "thinking", "thinking": text}))
}

/// The words of paired windows, each under its window's name.
fn pairing(content: &Value) -> Vec<Value> {
    let list = |key: &str| {
        let list = content.get(key).and_then(Value::as_array);
        list.map(Vec::as_slice).unwrap_or_default()
    };
    let named = |id: Option<&Value>| {
        let window = list("workspaces").iter();
        let window = window
            .filter(|_| id.is_some())
            .find(|window| window.get("id") == id)?;
        let words = ["app_name", "title"]
            .iter()
            .filter_map(|key| word(window, key));
        let words: Vec<&str> = words.filter(|text| !text.is_empty()).collect();
        Some(format!("[{}]\n", words.join(": "))).filter(|_| !words.is_empty())
    };
    let windows = list("context_parts").iter().filter_map(|part| {
        let head = named(part.get("workspace_id")).unwrap_or_default();
        text(part).map(|text| plain(&format!("{head}{text}")))
    });
    let told = word(content, "custom_instructions").filter(|text| !text.is_empty());
    told.map(plain).into_iter().chain(windows).collect()
}

/// One part of a content: words, or a pointer at a file that lies beside the conversation.
fn part(part: &Value, pen: &mut Pen, at: &At) -> Vec<Value> {
    let pointer = word(part, "asset_pointer").unwrap_or_default();
    match (word(part, "content_type").unwrap_or_default(), part) {
        (_, Value::Null) => Vec::new(),
        (_, Value::String(text)) if text.is_empty() => Vec::new(),
        (_, Value::String(text)) => vec![plain(text)],
        ("image_asset_pointer", _) => {
            vec![json!({"type": "image_url", "image_url": {"url": pointer}})]
        }
        ("audio_asset_pointer", _) => {
            let format = part.get("format");
            vec![json!({"type": "input_audio", "input_audio": {"id": pointer, "format": format}})]
        }
        ("video_container_asset_pointer", _) => {
            vec![json!({"type": "video_url", "video_url": {"url": pointer}})]
        }
        ("real_time_user_audio_video_asset_pointer", _) => {
            let own = ["audio_asset_pointer", "video_container_asset_pointer"];
            let own = own.iter().filter_map(|key| part.get(*key));
            let frames = part.get("frames_asset_pointers").and_then(Value::as_array);
            let inner = own.chain(frames.into_iter().flatten());
            inner.flat_map(|inner| self::part(inner, pen, at)).collect()
        }
        ("audio_transcription" | "text" | "", _) if part.get("text").is_some() => {
            text(part).map(plain).into_iter().collect()
        }
        ("", Value::Object(_)) if !pointer.is_empty() => {
            vec![json!({"type": "image_url", "image_url": {"url": pointer}})]
        }
        (kind, _) => {
            let says = "content of types that are not known here reads as its JSON";
            let kind = if kind.is_empty() { "part" } else { kind };
            pen.count("content_type_unknown", kind, says, at);
            vec![plain(&part.to_string())]
        }
    }
}
