//! The AI SDK's model messages: parts by type, with results and approvals in messages of the tool's.

mod write;

use serde_json::{Value, json};

use crate::json::Notes;

use super::files::file;
use super::parts::{Arguments, Call, Outcome, Part, output as read, thinking, typed};
use super::word;

pub use write::write;

/// The word for whichever wire stands behind it.
pub const API_FORMAT: &str = "ai_sdk";

/// The parts that a part of this shape is; `None` when it is one of another shape.
pub(super) fn part(
    kind: &str,
    item: &Value,
    pointer: &str,
    notes: &mut Notes,
) -> Option<Vec<Part>> {
    let own = |key: &str| word(item, key).unwrap_or_default().to_owned();
    let part = match kind {
        "tool-call" => Part::Call(Call {
            id: own("toolCallId"),
            name: own("toolName"),
            arguments: Arguments::object(item.get("input")),
            pointer: pointer.to_owned(),
        }),
        "tool-result" => {
            let (content, failed) = item.get("output").map(output)?;
            Part::Result(Outcome {
                id: own("toolCallId"),
                name: own("toolName"),
                content: read(Some(&content), &format!("{pointer}/output/value"), notes),
                failed,
                pointer: pointer.to_owned(),
                ..Outcome::default()
            })
        }
        "tool-approval-request" | "tool-approval-response" => Part::aside(kind, item, pointer),
        "image" if item.get("image").is_some() => return respelled(item, pointer, notes),
        "file" if word(item, "mediaType").is_some() => return respelled(item, pointer, notes),
        "reasoning-file" => {
            let mime = word(item, "mediaType").unwrap_or("application/octet-stream");
            thinking(&format!("[file: {mime}]"), None)
        }
        "reasoning" if item.get("providerOptions").is_some() => {
            return respelled(item, pointer, notes);
        }
        _ => return None,
    };
    Some(vec![part])
}

fn respelled(item: &Value, pointer: &str, notes: &mut Notes) -> Option<Vec<Part>> {
    let item = spoken(item)?;
    typed(word(&item, "type")?, &item, pointer, notes)
}

/// The words of a part that is text.
pub fn text(part: &Value) -> Option<&str> {
    let text = word(part, "text").or_else(|| word(part, "content"));
    text.filter(|_| word(part, "type") == Some("text"))
}

/// What of a part the model reads or said, in the reader's spelling; `None` when it is not sent.
pub fn spoken(part: &Value) -> Option<Value> {
    match word(part, "type").unwrap_or_default() {
        "text" => Some(json!({"type": "text", "text": text(part)?})),
        "reasoning" => {
            let texts = ["text", "reasoning", "content"];
            let text = texts.into_iter().find_map(|key| word(part, key));
            let said = json!({"type": "thinking", "thinking": text?, "signature": signature(part)});
            Some(said)
        }
        "redacted-reasoning" => {
            Some(json!({"type": "thinking", "thinking": "", "signature": word(part, "data")}))
        }
        "file"
        | "image"
        | "reasoning-file"
        | "media"
        | "file-data"
        | "file-url"
        | "file-id"
        | "file-reference"
        | "image-data"
        | "image-url"
        | "image-file-id"
        | "image-file-reference" => Some(attached(part)),
        _ => None,
    }
}

/// A file or a picture, wherever its bytes are.
fn attached(part: &Value) -> Value {
    let kind = word(part, "type").unwrap_or_default();
    let mimes = ["mediaType", "mimeType"];
    let mime = mimes.into_iter().find_map(|key| word(part, key));
    let mime = mime.unwrap_or(if kind.starts_with("image") {
        "image/*"
    } else {
        ""
    });
    let keys = ["url", "data", "image", "fileId", "providerReference"];
    let mut held = keys.into_iter().filter_map(|key| part.get(key));
    let data = held.find(|data| data.as_str() != Some(""));
    let data = data.unwrap_or(&Value::Null);
    let name = word(part, "filename");
    let tagged = word(data, "type").unwrap_or_default();
    if let ("text", Some(text)) = (tagged, word(data, "text")) {
        return json!({"type": "text", "text": text});
    }
    let data = data.get(tagged).unwrap_or(data);
    let address = match data {
        // Base64 has no colon, an address has one.
        Value::String(text) if text.contains(':') || kind.ends_with("id") => text.clone(),
        Value::String(text) if part.get("url").is_none() => format!("data:{mime};base64,{text}"),
        Value::String(text) => text.clone(),
        Value::Object(ids) => {
            let id = ids.values().find_map(Value::as_str);
            id.unwrap_or_default().to_owned()
        }
        _ => String::new(),
    };
    file(mime, name, &address)
}

/// What a provider signed or sealed a reasoning with.
fn signature(part: &Value) -> Option<&str> {
    let keys = [
        "signature",
        "redactedData",
        "reasoningEncryptedContent",
        "thoughtSignature",
        // Of a detail of version 4.
        "data",
    ];
    let providers = ["providerMetadata", "providerOptions"].into_iter();
    let providers = providers.filter_map(|key| part.get(key)?.as_object());
    let details = part.get("details").and_then(Value::as_array);
    let holders = providers.flat_map(|providers| providers.values());
    let mut holders = holders.chain(details.into_iter().flatten()).chain([part]);
    holders.find_map(|holder| keys.into_iter().find_map(|key| word(holder, key)))
}

/// An output as a model message has it: a content of the reader, and whether the function failed.
pub fn output(value: &Value) -> (Value, bool) {
    let inner = value.get("value").unwrap_or(&Value::Null);
    match (word(value, "type").unwrap_or_default(), inner) {
        ("content", Value::Array(parts)) => {
            let parts = parts
                .iter()
                .map(|part| spoken(part).unwrap_or_else(|| part.clone()));
            (Value::Array(parts.collect()), false)
        }
        (kind @ ("text" | "json" | "error-text" | "error-json"), inner) => {
            (plain(inner), kind.starts_with("error"))
        }
        ("execution-denied", _) => (json!(word(value, "reason").unwrap_or_default()), true),
        _ => (plain(value), false),
    }
}

/// A value as one text: what is no text reads as its JSON.
pub fn plain(value: &Value) -> Value {
    match value {
        Value::Null | Value::String(_) => value.clone(),
        other => Value::String(other.to_string()),
    }
}
