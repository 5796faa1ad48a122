//! A content in the spelling of any provider, as parts that the reader puts into the transcript.
//!
//! Each part is read for itself, by its `type` or, where a wire has none, by its keys. What is known to one shape
//! alone is in that shape's room; words, pictures and files are spelled here, for servers and loggers mix them.

use serde_json::{Map, Value};

use crate::json::{Notes, Place, value as parse};
use crate::refusal::Warning;
use crate::transcript::{Attachment, ContentBlock};

use super::files::{base64_bytes, bytes, is_picture_url, linked, placeholder};
use super::{ai_sdk, anthropic, any, gemini, responses, word};

/// One part of what was said, called or got back.
#[derive(Debug)]
pub(super) enum Part {
    /// Words, reasoning or a picture.
    Said(Said),
    /// A call.
    Call(Call),
    /// What a call came back with.
    Result(Outcome),
    /// Definitions of functions that were added here, and where they stand.
    Tools(Value, String),
    /// A summary that stands for everything before it.
    Summary(Summary),
    /// Something that the model does not read.
    Aside(Aside),
}

/// Words, reasoning or a picture.
#[derive(Debug)]
pub(super) struct Said {
    /// What the transcript holds of it.
    pub block: ContentBlock,
    /// What it stands for, when the block is a placeholder. Its place is set by who knows it.
    pub stands_for: Option<Attachment>,
    /// It is the model's refusal.
    pub refusal: bool,
    /// Its JSON pointer; empty when it is that of what holds it.
    pub pointer: String,
}

/// Something that the model does not read.
#[derive(Debug)]
pub(super) struct Aside {
    /// Its own word for what it is.
    pub kind: String,
    /// All of it.
    pub value: Value,
    /// Its JSON pointer.
    pub pointer: String,
}

/// A call as its shape spells it.
#[derive(Debug)]
pub(super) struct Call {
    /// Empty when the shape gives none.
    pub id: String,
    /// The function.
    pub name: String,
    /// What it is called with.
    pub arguments: Arguments,
    /// Its JSON pointer.
    pub pointer: String,
}

/// What a call is called with.
#[derive(Debug)]
pub(super) enum Arguments {
    /// The model's own string, which should be JSON.
    Words(String),
    /// The model's own string, which is not meant to be JSON.
    Free(String),
    /// A value.
    Value(Value),
}

impl Arguments {
    /// A string is the model's own words, anything else a value, and nothing an empty string.
    pub fn of(value: Option<&Value>) -> Self {
        match value {
            Some(Value::String(text)) => Self::Words(text.clone()),
            None | Some(Value::Null) => Self::Words(String::new()),
            Some(value) => Self::Value(value.clone()),
        }
    }

    /// The same of a shape whose arguments are an object, and an empty one where it is left out.
    pub fn object(value: Option<&Value>) -> Self {
        match value {
            None | Some(Value::Null) => Self::Value(Value::Object(Map::new())),
            value => Self::of(value),
        }
    }
}

/// What a call came back with.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// The call's id; empty when the shape gives none.
    pub id: String,
    /// The function; empty when only the call says it.
    pub name: String,
    /// What came back.
    pub content: Vec<Part>,
    /// The function said that it failed.
    pub failed: bool,
    /// Structured data beside the content.
    pub details: Value,
    /// Its JSON pointer.
    pub pointer: String,
}

/// A summary that stands for everything before it.
#[derive(Debug, Default)]
pub(super) struct Summary {
    /// Its words; empty when they are sealed.
    pub text: String,
    /// What the provider sealed.
    pub sealed: Option<String>,
    /// The person's own words before it are still read.
    pub keeps_users: bool,
    /// Its JSON pointer.
    pub pointer: String,
}

impl From<ContentBlock> for Part {
    fn from(block: ContentBlock) -> Self {
        Self::Said(Said {
            block,
            stands_for: None,
            refusal: false,
            pointer: String::new(),
        })
    }
}

impl Part {
    /// The part, which stands at this place unless it stands at one within.
    pub fn at(mut self, pointer: &str) -> Self {
        if let Self::Said(said) = &mut self
            && said.pointer.is_empty()
        {
            pointer.clone_into(&mut said.pointer);
        }
        self
    }

    /// Something that the model does not read.
    pub fn aside(kind: &str, value: &Value, pointer: &str) -> Self {
        Self::Aside(Aside {
            kind: kind.to_owned(),
            value: value.clone(),
            pointer: pointer.to_owned(),
        })
    }
}

/// Reasoning.
pub(super) fn thinking(text: &str, signature: Option<&str>) -> Part {
    let (text, signature) = (text.to_owned(), signature.map(str::to_owned));
    ContentBlock::Thinking { text, signature }.into()
}

/// Words with which the model refuses.
pub(super) fn refusal(text: &str) -> Part {
    Part::Said(Said {
        block: ContentBlock::text(text),
        stands_for: None,
        refusal: true,
        pointer: String::new(),
    })
}

/// The parts of a content: a string, a list, `null`, or what a sloppy logger left there.
pub(super) fn parts(content: Option<&Value>, pointer: &str, notes: &mut Notes) -> Vec<Part> {
    match content {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(text)) if text.is_empty() => Vec::new(),
        Some(Value::Array(items)) => items
            .iter()
            .enumerate()
            .flat_map(|(index, item)| part(item, &format!("{pointer}/{index}"), notes))
            .collect(),
        Some(other) => part(other, pointer, notes),
    }
}

/// The parts of a result's content. A picture in a string, as its `data:` URL or in a list of parts that was
/// written as JSON, is a picture.
pub(super) fn output(content: Option<&Value>, pointer: &str, notes: &mut Notes) -> Vec<Part> {
    let Some(Value::String(text)) = content else {
        return parts(content, pointer, notes);
    };
    if is_picture_url(text) {
        return vec![linked("image", text.trim(), None, pointer, notes)];
    }
    pictures_in(text, pointer, notes).unwrap_or_else(|| parts(content, pointer, notes))
}

/// The parts that a string spells as JSON, when a picture is among them and every one is known.
fn pictures_in(text: &str, pointer: &str, notes: &mut Notes) -> Option<Vec<Part>> {
    if !text.trim_start().starts_with(['[', '{']) || !text.contains("\"image") {
        return None;
    }
    let value = parse(text.as_bytes(), Place::default(), &mut Notes::default()).ok()?;
    let items = value.get("content").unwrap_or(&value).as_array()?;
    let mut met = Notes::default();
    let mut found = Vec::new();
    for item in items {
        found.extend(typed(word(item, "type")?, item, pointer, &mut met)?);
    }
    let picture = |part: &Part| matches!(part, Part::Said(said) if matches!(said.block, ContentBlock::Image { .. }));
    found.iter().any(picture).then(|| {
        notes.absorb(met);
        found
    })
}

fn part(item: &Value, pointer: &str, notes: &mut Notes) -> Vec<Part> {
    let read = read(item, pointer, notes).into_iter();
    read.map(|part| part.at(pointer)).collect()
}

fn read(item: &Value, pointer: &str, notes: &mut Notes) -> Vec<Part> {
    match item {
        Value::String(text) => vec![ContentBlock::text(text).into()],
        Value::Object(_) => {
            let kind = word(item, "type").unwrap_or_default();
            let known = match kind {
                "" => gemini::part(item, pointer, notes)
                    .or_else(|| typed("text", item, pointer, notes)),
                kind => typed(kind, item, pointer, notes),
            };
            known.unwrap_or_else(|| {
                let message = if kind.is_empty() {
                    "a content that is an object without a type reads as its JSON".to_owned()
                } else {
                    format!("a part of the unknown type `{kind}` reads as its JSON")
                };
                notes.push(Warning::new("part_unknown", message).at(pointer));
                vec![ContentBlock::text(item.to_string()).into()]
            })
        }
        other => {
            let message = "a content that is neither text nor a list reads as its JSON";
            notes.push(Warning::new("content_reshaped", message).at(pointer));
            vec![ContentBlock::text(other.to_string()).into()]
        }
    }
}

/// The parts that a typed one is; `None` when the type or what it needs is not there.
pub(super) fn typed(
    kind: &str,
    item: &Value,
    pointer: &str,
    notes: &mut Notes,
) -> Option<Vec<Part>> {
    ai_sdk::part(kind, item, pointer, notes)
        .or_else(|| media(kind, item, pointer, notes).map(|part| vec![part]))
        .or_else(|| anthropic::block(kind, item, pointer, notes))
        .or_else(|| responses::item(kind, item, pointer, notes))
}

/// Words, pictures and files.
fn media(kind: &str, item: &Value, pointer: &str, notes: &mut Notes) -> Option<Part> {
    let inner = item.get(kind).unwrap_or(&Value::Null);
    match kind {
        "text" | "input_text" | "output_text" => {
            let text = item.get("text")?;
            let text = text.as_str().or_else(|| word(text, "value"))?;
            Some(ContentBlock::text(text).into())
        }
        "refusal" => Some(refusal(word(item, "refusal")?)),
        "thinking" | "reasoning" => {
            let text = word(item, kind).or_else(|| word(item, "text"))?;
            Some(thinking(text, word(item, "signature")))
        }
        "image_url" | "input_image" | "image" => {
            let source = item.get("source").unwrap_or(item);
            if let Some(data) = word(source, "data").filter(|_| kind == "image") {
                let mime = any(source, &["media_type", "mime", "mimeType", "mime_type"]);
                let mime = mime.and_then(Value::as_str).unwrap_or("image/*");
                return Some(bytes("image", mime, data, None, pointer, notes));
            }
            let address = inner
                .as_str()
                .or_else(|| word(inner, "url"))
                .or_else(|| word(item, "image_url"))
                .or_else(|| word(source, "url"))
                .or_else(|| word(source, "file_id"))?;
            Some(linked("image", address, None, pointer, notes))
        }
        "input_audio" | "audio" => {
            let format = word(inner, "format").unwrap_or("*");
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
            let address = any(file, &["file_data", "file_url", "file_id"]);
            let address = address.and_then(Value::as_str).unwrap_or_default();
            Some(linked("file", address, name, pointer, notes))
        }
        "video_url" => Some(linked("video", word(inner, "url")?, None, pointer, notes)),
        _ => None,
    }
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
        let said = parts.into_iter().map(|part| match part {
            Part::Said(said) => (said.block, said.stands_for),
            other => panic!("words and pictures are expected: {other:?}"),
        });
        let (blocks, facts): (Vec<_>, Vec<_>) = said.unzip();
        (blocks, facts.into_iter().flatten().collect(), codes)
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
