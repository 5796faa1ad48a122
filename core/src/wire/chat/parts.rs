//! The content of a Chat Completions message, in every spelling that stored files have.

use serde_json::Value;

use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::{Attachment, ContentBlock};

/// One part of a content.
pub(super) struct Part {
    /// What the transcript holds of it.
    pub block: ContentBlock,
    /// What it stands for, when the block is a placeholder. Its place is set by who knows it.
    pub stands_for: Option<Attachment>,
    /// It is the model's refusal.
    pub refusal: bool,
}

impl From<ContentBlock> for Part {
    fn from(block: ContentBlock) -> Self {
        Self {
            block,
            stands_for: None,
            refusal: false,
        }
    }
}

/// The parts of a content: a string, a list, `null`, or what a sloppy logger left there.
pub(super) fn parts(content: Option<&Value>, pointer: &str, notes: &mut Notes) -> Vec<Part> {
    match content {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(text)) if text.is_empty() => Vec::new(),
        Some(Value::Array(items)) => items
            .iter()
            .enumerate()
            .map(|(index, item)| part(item, &format!("{pointer}/{index}"), notes))
            .collect(),
        Some(other) => vec![part(other, pointer, notes)],
    }
}

fn part(item: &Value, pointer: &str, notes: &mut Notes) -> Part {
    match item {
        Value::String(text) => ContentBlock::text(text).into(),
        Value::Object(_) => match typed_part(item, pointer, notes) {
            Some(part) => part,
            None => {
                let kind = word(item, "type").unwrap_or_default();
                let message = if kind.is_empty() {
                    "a content that is an object without a type reads as its JSON".to_owned()
                } else {
                    format!("a part of the unknown type `{kind}` reads as its JSON")
                };
                notes.push(Warning::new("part_unknown", message).at(pointer));
                ContentBlock::text(item.to_string()).into()
            }
        },
        other => {
            let message = "a content that is neither text nor a list reads as its JSON";
            notes.push(Warning::new("content_reshaped", message).at(pointer));
            ContentBlock::text(other.to_string()).into()
        }
    }
}

/// A part by its type; `None` when the type or what it needs is not there.
fn typed_part(item: &Value, pointer: &str, notes: &mut Notes) -> Option<Part> {
    let kind = word(item, "type").unwrap_or_default();
    let inner = item.get(kind).unwrap_or(&Value::Null);
    match kind {
        "text" | "input_text" | "output_text" | "" => {
            let text = item.get("text")?;
            let text = text.as_str().or_else(|| word(text, "value"))?;
            Some(ContentBlock::text(text).into())
        }
        "refusal" => Some(Part {
            refusal: true,
            ..ContentBlock::text(word(item, "refusal")?).into()
        }),
        "thinking" | "reasoning" => {
            let text = word(item, kind).or_else(|| word(item, "text"))?;
            let signature = word(item, "signature").map(str::to_owned);
            Some(
                ContentBlock::Thinking {
                    text: text.to_owned(),
                    signature,
                }
                .into(),
            )
        }
        "image_url" | "input_image" | "image" => {
            let source = item.get("source").unwrap_or(item);
            let data = word(source, "data").filter(|_| kind == "image");
            if let Some(data) = data {
                let mime = ["media_type", "mime", "mimeType", "mime_type"]
                    .into_iter()
                    .find_map(|key| word(source, key))
                    .unwrap_or("image/*");
                return Some(picture(mime, data, pointer, notes));
            }
            let address = inner.as_str().or_else(|| word(inner, "url"));
            let address = address
                .or_else(|| word(item, "image_url"))
                .or_else(|| word(source, "url"));
            let address = address.or_else(|| word(item, "file_id"))?;
            Some(linked("image", address, None, pointer, notes))
        }
        "input_audio" | "audio" => {
            let format = word(inner, "format").unwrap_or("audio");
            let facts = Attachment {
                content_type: format!("audio/{format}"),
                byte_size: base64_bytes(word(inner, "data").unwrap_or_default()).unwrap_or(0),
                reference: word(inner, "id").map(str::to_owned),
                ..Attachment::default()
            };
            Some(placeholder("audio", facts, pointer, notes))
        }
        "file" | "input_file" => {
            let file = if inner.is_object() { inner } else { item };
            let name = word(file, "filename");
            let address = ["file_data", "file_url", "file_id"]
                .into_iter()
                .find_map(|key| word(file, key));
            Some(linked(
                "file",
                address.unwrap_or_default(),
                name,
                pointer,
                notes,
            ))
        }
        "video_url" => Some(linked("video", word(inner, "url")?, None, pointer, notes)),
        _ => None,
    }
}

/// What an address points at: the bytes of a `data:` URL, else something that is not here.
fn linked(what: &str, address: &str, name: Option<&str>, pointer: &str, notes: &mut Notes) -> Part {
    let inline = address
        .strip_prefix("data:")
        .and_then(|rest| rest.split_once(','));
    let Some((head, data)) = inline else {
        let path = address.split(['?', '#']).next().unwrap_or_default();
        let last = path.rsplit('/').next().unwrap_or_default();
        let file = name.unwrap_or(last);
        let facts = Attachment {
            filename: file.to_owned(),
            content_type: mime_of(file, what),
            reference: Some(address.to_owned()).filter(|address| !address.is_empty()),
            ..Attachment::default()
        };
        return placeholder(what, facts, pointer, notes);
    };
    let mime = head
        .split(';')
        .next()
        .filter(|mime| !mime.is_empty())
        .unwrap_or("text/plain");
    let base64 = head.ends_with(";base64");
    if base64 && mime.starts_with("image/") && name.is_none() {
        return picture(mime, data, pointer, notes);
    }
    let facts = Attachment {
        filename: name.unwrap_or_default().to_owned(),
        content_type: mime.to_owned(),
        byte_size: if base64 {
            base64_bytes(data).unwrap_or(0)
        } else {
            data.len() as u64
        },
        ..Attachment::default()
    };
    placeholder(what, facts, pointer, notes)
}

fn picture(mime: &str, data: &str, pointer: &str, notes: &mut Notes) -> Part {
    if base64_bytes(data).is_some() {
        return ContentBlock::Image {
            mime: mime.to_owned(),
            data: data.to_owned(),
        }
        .into();
    }
    let facts = Attachment {
        content_type: mime.to_owned(),
        ..Attachment::default()
    };
    placeholder("image", facts, pointer, notes)
}

fn placeholder(what: &str, facts: Attachment, pointer: &str, notes: &mut Notes) -> Part {
    let size = format!("{} bytes", facts.byte_size);
    let says = [
        facts.reference.as_deref().unwrap_or(&facts.filename),
        &facts.content_type,
        if facts.byte_size > 0 { &size } else { "" },
    ];
    let says: Vec<&str> = says.into_iter().filter(|word| !word.is_empty()).collect();
    let text = format!("[{what}: {}]", says.join(", "));
    let message = format!("{text} stands for what has no readable bytes here; it is not counted");
    notes.push(Warning::new("attachment_not_read", message).at(pointer));
    Part {
        block: ContentBlock::text(text),
        stands_for: Some(facts),
        refusal: false,
    }
}

fn mime_of(file: &str, what: &str) -> String {
    let ending = file
        .rsplit_once('.')
        .map_or("", |(_, ending)| ending)
        .to_ascii_lowercase();
    match (ending.as_str(), what) {
        ("png" | "gif" | "webp", _) => format!("image/{ending}"),
        ("jpg" | "jpeg", _) => "image/jpeg".to_owned(),
        ("pdf", _) => "application/pdf".to_owned(),
        ("txt", _) => "text/plain".to_owned(),
        (_, "image") => "image/*".to_owned(),
        (_, "video") => "video/*".to_owned(),
        _ => "application/octet-stream".to_owned(),
    }
}

/// How many bytes a base64 text holds; `None` when it is none.
fn base64_bytes(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches('=').as_bytes();
    let digit =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
    let whole = !digits.is_empty() && digits.iter().all(digit) && digits.len() % 4 != 1;
    whole.then_some(digits.len() as u64 * 3 / 4)
}

/// A member that is a text.
pub(super) fn word<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(content: Value) -> (Vec<ContentBlock>, Vec<Attachment>, Vec<String>) {
        let mut notes = Notes::default();
        let parts = parts(Some(&content), "/content", &mut notes);
        let codes = notes
            .finish()
            .into_iter()
            .map(|w| format!("{} {}", w.code, w.path.unwrap()))
            .collect();
        let facts = parts
            .iter()
            .filter_map(|part| part.stands_for.clone())
            .collect();
        (
            parts.into_iter().map(|part| part.block).collect(),
            facts,
            codes,
        )
    }

    #[test]
    fn texts_come_in_every_spelling() {
        let t = ContentBlock::text;
        for (content, blocks) in [
            (json!(null), vec![]),
            (json!(""), vec![]),
            (json!([]), vec![]),
            (json!(" "), vec![t(" ")]),
            (json!("a"), vec![t("a")]),
            (
                json!(["a", {"type": "text", "text": ""}]),
                vec![t("a"), t("")],
            ),
            (
                json!([{"type": "input_text", "text": "a"}, {"type": "output_text", "text": "b"}]),
                vec![t("a"), t("b")],
            ),
            (
                json!({"type": "text", "text": {"value": "a"}}),
                vec![t("a")],
            ),
            (
                json!([{"text": "a", "prompt_cache_breakpoint": {"mode": "explicit"}}]),
                vec![t("a")],
            ),
        ] {
            assert_eq!(read(content.clone()), (blocks, vec![], vec![]), "{content}");
        }
    }

    #[test]
    fn what_is_no_content_reads_as_its_json_with_a_warning() {
        for (content, text, code) in [
            (json!(3.5), "3.5", "content_reshaped /content"),
            (json!([true]), "true", "content_reshaped /content/0"),
            (
                json!({"b": 1, "a": [2]}),
                r#"{"b":1,"a":[2]}"#,
                "part_unknown /content",
            ),
            (
                json!([{"type": "hologram"}]),
                r#"{"type":"hologram"}"#,
                "part_unknown /content/0",
            ),
        ] {
            assert_eq!(
                read(content),
                (
                    vec![ContentBlock::text(text)],
                    vec![],
                    vec![code.to_owned()]
                )
            );
        }
    }

    #[test]
    fn pictures_with_bytes_are_pictures() {
        let picture = vec![ContentBlock::Image {
            mime: "image/png".into(),
            data: "iVBORw==".into(),
        }];
        for content in [
            json!([{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw==", "detail": "low"}}]),
            json!([{"type": "image_url", "image_url": "data:image/png;base64,iVBORw=="}]),
            json!([{"type": "input_image", "image_url": "data:image/png;base64,iVBORw=="}]),
            json!([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}}]),
            json!([{"type": "image", "data": "iVBORw==", "mimeType": "image/png"}]),
        ] {
            assert_eq!(
                read(content.clone()),
                (picture.clone(), vec![], vec![]),
                "{content}"
            );
        }
    }

    #[test]
    fn what_has_no_readable_bytes_is_a_placeholder_with_its_facts() {
        for (content, text, mime, bytes) in [
            (
                json!({"type": "image_url", "image_url": {"url": "https://x.example/a/cat.png?s=1"}}),
                "[image: https://x.example/a/cat.png?s=1, image/png]",
                "image/png",
                0,
            ),
            (
                json!({"type": "input_image", "file_id": "file-1"}),
                "[image: file-1, image/*]",
                "image/*",
                0,
            ),
            (
                json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,see below"}}),
                "[image: image/png]",
                "image/png",
                0,
            ),
            (
                json!({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}),
                "[audio: audio/wav, 3 bytes]",
                "audio/wav",
                3,
            ),
            (
                json!({"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"}}),
                "[file: a.pdf, application/pdf, 3 bytes]",
                "application/pdf",
                3,
            ),
            (
                json!({"type": "file", "file": {"file_id": "file-2"}}),
                "[file: file-2, application/octet-stream]",
                "application/octet-stream",
                0,
            ),
        ] {
            let (blocks, facts, codes) = read(content.clone());
            assert_eq!(blocks, [ContentBlock::text(text)], "{content}");
            assert_eq!(
                (facts[0].content_type.as_str(), facts[0].byte_size),
                (mime, bytes)
            );
            assert_eq!(codes, ["attachment_not_read /content"]);
        }
    }
}
