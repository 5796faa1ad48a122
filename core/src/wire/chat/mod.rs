//! Chat Completions: a message with its content, and its calls, refusal and reasoning beside it.

mod write;

use serde_json::{Map, Value};

use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::{ContentBlock, Usage};

use super::parts::{Arguments, Call, Part, refusal, thinking};
use super::{any, word};

pub use write::write;

/// The word of a model row for this wire.
pub const API_FORMAT: &str = "openai_chat";

/// The reasoning of a message, in the words of whichever server wrote it.
pub(super) fn reasoning(message: &Map<String, Value>, pointer: &str) -> Vec<Part> {
    let details = message.get("reasoning_details").and_then(Value::as_array);
    let details: Vec<&Value> = details.into_iter().flatten().collect();
    let plain = ["reasoning_content", "reasoning", "thinking"]
        .into_iter()
        .filter_map(|key| Some((key, message.get(key)?.as_str()?)))
        .find(|(_, text)| !text.is_empty())
        .filter(|_| {
            !details
                .iter()
                .any(|detail| shown(detail).is_some_and(|text| !text.is_empty()))
        });
    let detailed = details.iter().enumerate().filter_map(|(index, detail)| {
        let sealed = word(detail, "type") == Some("reasoning.encrypted");
        let signature = word(detail, if sealed { "data" } else { "signature" });
        let text = shown(detail);
        let place = format!("{pointer}/reasoning_details/{index}");
        (text.is_some() || signature.is_some())
            .then(|| thinking(text.unwrap_or_default(), signature).at(&place))
    });
    let plain = plain.map(|(key, text)| thinking(text, None).at(&format!("{pointer}/{key}")));
    plain.into_iter().chain(detailed).collect()
}

fn shown(detail: &Value) -> Option<&str> {
    word(detail, "text").or_else(|| word(detail, "summary"))
}

/// What stands beside the content of a message: refusal, speech, calls.
pub(super) fn beside(message: &Map<String, Value>, pointer: &str, notes: &mut Notes) -> Vec<Part> {
    let mut parts = Vec::new();
    let refused = message.get("refusal").and_then(Value::as_str);
    let refused = refused.filter(|text| !text.is_empty()).map(refusal);
    parts.extend(refused.map(|part| part.at(&format!("{pointer}/refusal"))));
    if let Some(audio) = message.get("audio").filter(|audio| audio.is_object()) {
        let id = word(audio, "id").unwrap_or("without an id");
        let placeholder = || format!("[audio: {id}]");
        let said = word(audio, "transcript").map_or_else(placeholder, str::to_owned);
        let said = Part::from(ContentBlock::text(said));
        parts.push(said.at(&format!("{pointer}/audio")));
    }
    let calls = message.get("tool_calls").and_then(Value::as_array);
    for (index, call) in calls.into_iter().flatten().enumerate() {
        let pointer = format!("{pointer}/tool_calls/{index}");
        parts.extend(called(call, call, &pointer, notes));
    }
    let old = message.get("function_call").filter(|call| call.is_object());
    if let Some(call) = old {
        let pointer = format!("{pointer}/function_call");
        parts.extend(called(&Value::Null, call, &pointer, notes));
    }
    parts
}

/// A call, and the object that has its id.
fn called(outer: &Value, call: &Value, pointer: &str, notes: &mut Notes) -> Option<Part> {
    let custom = call.get("custom");
    let body = call.get("function").or(custom).unwrap_or(call);
    if !body.is_object() {
        let message = "a call is an object with a function; this one is not kept";
        notes.push(Warning::new("call_unreadable", message).at(pointer));
        return None;
    }
    let arguments = match any(body, &["arguments", "input", "args"]) {
        Some(Value::String(text)) if custom.is_some() => Arguments::Free(text.clone()),
        arguments => Arguments::of(arguments),
    };
    Some(Part::Call(Call {
        id: word(outer, "id").unwrap_or_default().to_owned(),
        name: word(body, "name").unwrap_or_default().to_owned(),
        arguments,
        pointer: pointer.to_owned(),
    }))
}

/// What the provider counted, cached tokens taken out of the input.
pub(super) fn usage(value: &Value) -> Usage {
    let number = |path: &str| value.pointer(path).and_then(Value::as_u64);
    let cache_read = number("/prompt_tokens_details/cached_tokens")
        .or_else(|| number("/prompt_cache_hit_tokens"));
    let cache_write = number("/prompt_tokens_details/cache_write_tokens");
    let cached = cache_read
        .unwrap_or(0)
        .saturating_add(cache_write.unwrap_or(0));
    Usage {
        input: number("/prompt_tokens").map(|all| all.saturating_sub(cached)),
        output: number("/completion_tokens"),
        cache_read,
        cache_write,
        reasoning: number("/completion_tokens_details/reasoning_tokens"),
        cost_usd: value.get("cost").and_then(Value::as_f64),
    }
}
