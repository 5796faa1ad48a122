//! Gemini contents: parts without a type, told by their keys, in the spelling of REST (`functionCall`) or of
//! Python (`function_call`). Calls and results have names and order, and seldom ids.

mod write;

use serde_json::Value;

use crate::json::Notes;
use crate::transcript::{Attachment, ContentBlock, Usage};

use super::files::{bytes, linked, placeholder};
use super::parts::{Arguments, Call, Outcome, Part, thinking};
use super::{any, word};

pub use write::write;

/// The word of a model row for this wire.
pub const API_FORMAT: &str = "gemini";

/// The parts that an untyped part is; `None` when it has no key of this shape but `text`.
pub(super) fn part(part: &Value, pointer: &str, notes: &mut Notes) -> Option<Vec<Part>> {
    let signature = any(part, &["thoughtSignature", "thought_signature"]).and_then(Value::as_str);
    let thought = part.get("thought").and_then(Value::as_bool) == Some(true);
    if let Some(text) = word(part, "text").filter(|_| thought) {
        return Some(vec![thinking(text, signature)]);
    }
    let read = match word(part, "text") {
        Some("") if signature.is_some() => None,
        Some(text) => Some(ContentBlock::text(text).into()),
        None => Some(other(part, pointer, notes)?),
    };
    // A signature belongs to the part it stands on: it goes just before it.
    let signed = signature.map(|signature| thinking("", Some(signature)));
    Some(signed.into_iter().chain(read).collect())
}

fn other(part: &Value, pointer: &str, notes: &mut Notes) -> Option<Part> {
    let of = |keys: [&str; 2]| any(part, &keys).filter(|member| member.is_object());
    let own = |value: &Value, key: &str| word(value, key).unwrap_or_default().to_owned();
    let call = |id: String, name: String, arguments: Arguments| {
        let pointer = pointer.to_owned();
        Part::Call(Call {
            id,
            name,
            arguments,
            pointer,
        })
    };
    if let Some(called) = of(["functionCall", "function_call"]) {
        let arguments = Arguments::object(called.get("args"));
        return Some(call(own(called, "id"), own(called, "name"), arguments));
    }
    if let Some(response) = of(["functionResponse", "function_response"]) {
        return Some(Part::Result(response_of(response, pointer, notes)));
    }
    if let Some(blob) = of(["inlineData", "inline_data"]) {
        return Some(inline(blob, pointer, notes));
    }
    if let Some(file) = of(["fileData", "file_data"]) {
        let address = any(file, &["fileUri", "file_uri"]).and_then(Value::as_str)?;
        let mime = any(file, &["mimeType", "mime_type"]).and_then(Value::as_str);
        let facts = Attachment {
            content_type: mime.unwrap_or("application/octet-stream").to_owned(),
            reference: Some(address.to_owned()),
            ..Attachment::default()
        };
        return Some(match mime {
            Some(_) => placeholder("file", facts, pointer, notes),
            None => linked("file", address, None, pointer, notes),
        });
    }
    if let Some(code) = of(["executableCode", "executable_code"]) {
        let arguments = Arguments::Value(code.clone());
        return Some(call(own(code, "id"), CODE.to_owned(), arguments));
    }
    if let Some(result) = of(["codeExecutionResult", "code_execution_result"]) {
        let failed = word(result, "outcome").is_some_and(|outcome| !outcome.ends_with("OK"));
        let text = word(result, "output").map(ContentBlock::text);
        return Some(Part::Result(Outcome {
            id: own(result, "id"),
            name: CODE.to_owned(),
            content: text.into_iter().map(Part::from).collect(),
            failed,
            details: result.clone(),
            pointer: pointer.to_owned(),
        }));
    }
    let tool = |value: &Value| {
        any(value, &["toolType", "tool_type"])
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    if let Some(called) = of(["toolCall", "tool_call"]) {
        let arguments = Arguments::object(called.get("args"));
        return Some(call(own(called, "id"), tool(called)?, arguments));
    }
    let response = of(["toolResponse", "tool_response"])?;
    let text = response
        .get("response")
        .map(|said| ContentBlock::text(said.to_string()));
    Some(Part::Result(Outcome {
        id: own(response, "id"),
        name: tool(response)?,
        content: text.into_iter().map(Part::from).collect(),
        pointer: pointer.to_owned(),
        ..Outcome::default()
    }))
}

/// The function that stands for the provider's own running of code.
const CODE: &str = "code_execution";

fn inline(blob: &Value, pointer: &str, notes: &mut Notes) -> Part {
    let mime = any(blob, &["mimeType", "mime_type"]).and_then(Value::as_str);
    let mime = mime.unwrap_or("application/octet-stream");
    let name = any(blob, &["displayName", "display_name"]).and_then(Value::as_str);
    let kinds = ["image", "audio", "video"];
    let what = kinds.into_iter().find(|kind| mime.starts_with(kind));
    let what = what.unwrap_or("file");
    let name = name.filter(|_| what != "image");
    bytes(
        what,
        mime,
        word(blob, "data").unwrap_or_default(),
        name,
        pointer,
        notes,
    )
}

/// The words of a response: its `output`, its `error`, or the whole as JSON.
fn response_of(response: &Value, pointer: &str, notes: &mut Notes) -> Outcome {
    let said = response.get("response").unwrap_or(&Value::Null);
    let lone = said.as_object().filter(|members| members.len() == 1);
    let lone = lone.and_then(|members| members.iter().next());
    let (text, failed) = match (said, lone) {
        (_, Some((key, Value::String(text))))
            if matches!(&**key, "output" | "result" | "error") =>
        {
            (Some(text.clone()), key == "error")
        }
        (Value::Null, _) => (None, false),
        (Value::String(text), _) => (Some(text.clone()), false),
        _ => (Some(said.to_string()), false),
    };
    let text = text.filter(|text| !text.is_empty());
    let mut content: Vec<Part> = text
        .map(ContentBlock::text)
        .into_iter()
        .map(Part::from)
        .collect();
    let pictures = response
        .get("parts")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    for (index, part) in pictures.enumerate() {
        let blob = any(part, &["inlineData", "inline_data"]).unwrap_or(part);
        content.push(inline(blob, &format!("{pointer}/parts/{index}"), notes));
    }
    Outcome {
        id: word(response, "id").unwrap_or_default().to_owned(),
        name: word(response, "name").unwrap_or_default().to_owned(),
        content,
        failed,
        details: Value::Null,
        pointer: pointer.to_owned(),
    }
}

/// What the provider counted: cached tokens taken out of the input, thoughts put to the output.
pub(super) fn usage(value: &Value) -> Usage {
    let number = |keys: [&str; 2]| any(value, &keys).and_then(Value::as_u64);
    let cached = number(["cachedContentTokenCount", "cached_content_token_count"]);
    let thoughts = number(["thoughtsTokenCount", "thoughts_token_count"]);
    let tools = number(["toolUsePromptTokenCount", "tool_use_prompt_token_count"]);
    let own = |all: u64| {
        all.saturating_sub(cached.unwrap_or(0))
            .saturating_add(tools.unwrap_or(0))
    };
    let said = number(["candidatesTokenCount", "candidates_token_count"]);
    let output = said.or(thoughts.map(|_| 0));
    Usage {
        input: number(["promptTokenCount", "prompt_token_count"]).map(own),
        output: output.map(|said| said.saturating_add(thoughts.unwrap_or(0))),
        cache_read: cached,
        cache_write: None,
        reasoning: thoughts,
        cost_usd: None,
    }
}

#[cfg(test)]
mod tests;
