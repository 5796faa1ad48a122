//! Anthropic Messages: typed blocks, calls and results among them.

mod write;

use serde_json::Value;

use crate::json::Notes;
use crate::transcript::{ContentBlock, Usage};

use super::files::{bytes, linked};
use super::parts::{Arguments, Call, Outcome, Part, Summary, output, parts, thinking};
use super::{but, word};

pub use write::write;

/// The word of a model row for this wire.
pub const API_FORMAT: &str = "anthropic_messages";

/// The parts that a block of this shape is; `None` when the type is not of this shape.
pub(super) fn block(
    kind: &str,
    block: &Value,
    pointer: &str,
    notes: &mut Notes,
) -> Option<Vec<Part>> {
    let own = |key: &str| word(block, key).unwrap_or_default().to_owned();
    let one = match kind {
        "redacted_thinking" => thinking("", word(block, "data")),
        "document" => return Some(document(block, pointer, notes)),
        "tool_use" | "server_tool_use" | "mcp_tool_use" => Part::Call(Call {
            id: own("id"),
            name: own("name"),
            arguments: Arguments::object(block.get("input")),
            pointer: pointer.to_owned(),
        }),
        "tool_result" | "mcp_tool_result" => Part::Result(Outcome {
            id: own("tool_use_id"),
            content: output(block.get("content"), &format!("{pointer}/content"), notes),
            failed: block.get("is_error").and_then(Value::as_bool) == Some(true),
            pointer: pointer.to_owned(),
            ..Outcome::default()
        }),
        _ if kind.ends_with("_tool_result") => Part::Result(served(block, pointer)),
        "search_result" => {
            let facts = [word(block, "title"), word(block, "source")];
            let facts: Vec<&str> = facts.into_iter().flatten().collect();
            let head = ContentBlock::text(format!("[search result: {}]", facts.join(", ")));
            let words = parts(block.get("content"), &format!("{pointer}/content"), notes);
            return Some([head.into()].into_iter().chain(words).collect());
        }
        "tool_reference" => {
            let name = word(block, "tool_name").unwrap_or_default();
            ContentBlock::text(format!("[tool: {name}]")).into()
        }
        "container_upload" => linked("file", &own("file_id"), None, pointer, notes),
        "tool_addition" => Part::Tools(
            Value::Array(block.get("tool").into_iter().cloned().collect()),
            pointer.to_owned(),
        ),
        // A compaction that failed has no content, and everything before it is still read.
        "compaction" => match word(block, "content").filter(|text| !text.is_empty()) {
            Some(text) => Part::Summary(Summary {
                text: text.to_owned(),
                pointer: pointer.to_owned(),
                ..Summary::default()
            }),
            None if block.get("content").is_some_and(Value::is_null) => {
                Part::aside(kind, block, pointer)
            }
            None => return None,
        },
        "fallback" | "mcp_tool_listing" | "tool_removal" => Part::aside(kind, block, pointer),
        _ => return None,
    };
    Some(vec![one])
}

/// What a tool that the provider runs came back with: structured, and partly sealed. The words are what can be
/// read of it; the whole stands in the details.
fn served(block: &Value, pointer: &str) -> Outcome {
    let content = block.get("content").unwrap_or(&Value::Null);
    let failed = word(content, "type").is_some_and(|kind| kind.ends_with("_error"));
    let text = match content {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        content => Some(readable(content).to_string()),
    };
    Outcome {
        id: word(block, "tool_use_id").unwrap_or_default().to_owned(),
        content: text
            .map(ContentBlock::text)
            .into_iter()
            .map(Part::from)
            .collect(),
        failed,
        details: block.clone(),
        pointer: pointer.to_owned(),
        ..Outcome::default()
    }
}

/// A value without what is sealed in it.
fn readable(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(readable).collect(),
        Value::Object(_) => match but(value, &["encrypted_content", "encrypted_stdout"]) {
            Value::Object(members) => members
                .into_iter()
                .map(|(key, member)| (key, readable(&member)))
                .collect(),
            other => other,
        },
        other => other.clone(),
    }
}

/// A document's own text, or its facts.
fn document(block: &Value, pointer: &str, notes: &mut Notes) -> Vec<Part> {
    let source = block.get("source").unwrap_or(&Value::Null);
    let data = word(source, "data").unwrap_or_default();
    let name = word(block, "title");
    match word(source, "type") {
        Some("text") => vec![ContentBlock::text(data).into()],
        Some("content") => parts(
            source.get("content"),
            &format!("{pointer}/source/content"),
            notes,
        ),
        Some("base64") => {
            let mime = word(source, "media_type").unwrap_or("application/octet-stream");
            vec![bytes("file", mime, data, name, pointer, notes)]
        }
        _ => {
            let address = word(source, "url").or_else(|| word(source, "file_id"));
            vec![linked(
                "file",
                address.unwrap_or_default(),
                name,
                pointer,
                notes,
            )]
        }
    }
}

/// What the provider counted; it leaves the cache out of the input itself.
pub(super) fn usage(value: &Value) -> Usage {
    let number = |path: &str| value.pointer(path).and_then(Value::as_u64);
    Usage {
        input: number("/input_tokens"),
        output: number("/output_tokens"),
        cache_read: number("/cache_read_input_tokens"),
        cache_write: number("/cache_creation_input_tokens"),
        reasoning: number("/output_tokens_details/thinking_tokens"),
        cost_usd: None,
    }
}

#[cfg(test)]
mod tests;
