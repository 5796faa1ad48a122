//! Messages of LangChain: `{type, content}`, `{type, data}`, `{lc, id, kwargs}`, or a pair of who and what. Each is
//! put into the words of the reader's.

mod write;

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::transcript::Usage;

use super::files::file;
use super::{Reply, word};

pub use write::write;

/// The word for whichever wire stands behind it.
pub const API_FORMAT: &str = "langchain";

/// Who the words of a message are of, whatever it spells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The person.
    Human,
    /// The model.
    Ai,
    /// The operator, in this role.
    System(&'static str),
    /// A function that was called.
    Tool,
    /// Whoever the message names.
    Chat,
    /// Nobody: it takes another message back.
    Remove,
    /// Nobody yet: it is a place in a template.
    Placeholder,
}

fn kind(word: &str) -> Option<Kind> {
    let base = word.strip_suffix("Chunk").unwrap_or(word);
    let base = base.strip_suffix("Message").unwrap_or(base);
    Some(match base.to_ascii_lowercase().as_str() {
        "human" | "user" => Kind::Human,
        "ai" | "assistant" => Kind::Ai,
        "system" => Kind::System("system"),
        "developer" => Kind::System("developer"),
        "tool" | "function" => Kind::Tool,
        "chat" => Kind::Chat,
        "remove" => Kind::Remove,
        "placeholder" => Kind::Placeholder,
        _ => return None,
    })
}

/// A message's kind and its members, in any of the spellings.
pub fn spelled(value: &Value) -> Option<(Kind, Cow<'_, Value>)> {
    if let Some([who, what]) = value.as_array().map(Vec::as_slice) {
        let kind = kind(who.as_str()?)?;
        return Some((kind, Cow::Owned(json!({ "content": what }))));
    }
    if value.get("lc").is_some() || word(value, "type") == Some("constructor") {
        let class = value.get("id")?.as_array()?.last()?.as_str()?;
        return Some((kind(class)?, Cow::Borrowed(value.get("kwargs")?)));
    }
    let kind = kind(word(value, "type")?)?;
    let inner = value.get("data").filter(|data| data.is_object());
    Some((kind, Cow::Borrowed(inner.unwrap_or(value))))
}

/// An answer in a provider's spelling, and where each part of its content stands in the members. A call may stand in
/// them three times: among the calls, in the provider's words, and in the content.
pub fn answer(members: &Value) -> (Value, Vec<String>, Reply<'_>) {
    let beside = members.get("additional_kwargs").unwrap_or(&Value::Null);
    let told = members.get("response_metadata").unwrap_or(&Value::Null);
    let list = |holder: &Value, key: &str, place: &str| {
        let list = holder.get(key).and_then(Value::as_array);
        let items = list.into_iter().flatten().enumerate();
        let placed = items.map(|(index, item)| (format!("{place}/{key}/{index}"), item.clone()));
        placed.collect::<Vec<(String, Value)>>()
    };
    let mut calls = list(members, "tool_calls", "");
    calls.extend(list(members, "invalid_tool_calls", ""));
    let mut others = list(beside, "tool_calls", BESIDE);
    let old = beside.get("function_call").filter(|call| call.is_object());
    let old = old.filter(|_| calls.is_empty());
    others.extend(old.map(|call| (format!("{BESIDE}/function_call"), call.clone())));
    let known: Vec<Option<&str>> = calls.iter().map(|(_, call)| call_id(call)).collect();
    others.retain(|(_, other)| {
        known.is_empty() || call_id(other).is_some() && !known.contains(&call_id(other))
    });
    calls.append(&mut others);
    // Each is taken where the content has it, and what is left stands at the end.
    let mut left: Vec<&(String, Value)> = calls.iter().collect();
    let mut pieces: Vec<(String, Value)> = Vec::new();
    let blocks = match members.get("content") {
        Some(Value::Array(blocks)) => {
            let blocks = blocks.iter().enumerate();
            let placed = blocks.map(|(index, block)| (format!("/content/{index}"), block.clone()));
            placed.collect()
        }
        Some(Value::Null) | None => Vec::new(),
        Some(Value::String(text)) if text.is_empty() => Vec::new(),
        Some(other) => vec![("/content".to_owned(), other.clone())],
    };
    let reasons = |(_, block): &(String, Value)| {
        matches!(word(block, "type"), Some("reasoning" | "thinking"))
    };
    if !blocks.iter().any(reasons) {
        pieces.extend(reasoning(beside));
    }
    for (place, block) in blocks {
        match word(&block, "type").unwrap_or_default() {
            "tool_use" | "tool_call" | "invalid_tool_call" | "function_call"
            | "tool_call_chunk" => {
                let id = call_id(&block);
                let same = |one: &Value| call_id(one) == id;
                match left.iter().position(|(_, one)| id.is_some() && same(one)) {
                    Some(index) => {
                        let (place, one) = left.remove(index);
                        pieces.push((place.clone(), call(one)));
                    }
                    None if calls.is_empty()
                        || id.is_some() && !calls.iter().any(|(_, one)| same(one)) =>
                    {
                        pieces.push((place, call(&block)));
                    }
                    None => {}
                }
            }
            // Of the arguments of a call that is whole elsewhere.
            "input_json_delta" if !calls.is_empty() => {}
            "server_tool_call" => pieces.push((place, call(&block))),
            _ => pieces.push((place, part(&block))),
        }
    }
    pieces.extend(list(beside, "tool_outputs", BESIDE));
    let refusal = word(beside, "refusal").map(|text| json!({"type": "refusal", "refusal": text}));
    pieces.extend(refusal.map(|refusal| (format!("{BESIDE}/refusal"), refusal)));
    pieces.extend(
        left.into_iter()
            .map(|(place, one)| (place.clone(), call(one))),
    );
    let first = |keys: &[&str]| keys.iter().find_map(|key| word(told, key));
    let older = told.get("token_usage").or_else(|| told.get("usage"));
    let reply = Reply {
        stop_reason: first(&["finish_reason", "stop_reason", "done_reason"]),
        model: first(&["model_name", "model", "model_id"]),
        provider: first(&["model_provider", "ls_provider"]),
        usage: usage(members.get("usage_metadata")).or_else(|| super::usage(older)),
        ..Reply::default()
    };
    let (places, content): (Vec<String>, Vec<Value>) = pieces.into_iter().unzip();
    (json!({ "content": content }), places, reply)
}

/// The member in which a provider's own stand.
const BESIDE: &str = "/additional_kwargs";

/// The id that a result answers a call by.
fn call_id(call: &Value) -> Option<&str> {
    let ids = ["call_id", "tool_call_id", "id"].into_iter();
    let mut ids = ids.filter_map(|key| word(call, key));
    ids.find(|id| !id.is_empty())
}

/// A call in any of its spellings.
fn call(value: &Value) -> Value {
    let body = value
        .get("function")
        .filter(|body| body.is_object())
        .unwrap_or(value);
    let keys = ["args", "arguments", "input"];
    let arguments = keys.into_iter().find_map(|key| body.get(key));
    let name = word(body, "name").unwrap_or_default();
    let id = call_id(value).unwrap_or_default();
    json!({"type": "tool_use", "id": id, "name": name, "input": arguments})
}

/// The reasoning that a provider's own members hold, and where.
fn reasoning(beside: &Value) -> Option<(String, Value)> {
    let thinking = |text: &str| json!({"type": "thinking", "thinking": text});
    match (word(beside, "reasoning_content"), beside.get("reasoning")) {
        (Some(text), _) if !text.is_empty() => {
            Some((format!("{BESIDE}/reasoning_content"), thinking(text)))
        }
        (_, Some(Value::String(text))) if !text.is_empty() => {
            Some((format!("{BESIDE}/reasoning"), thinking(text)))
        }
        (_, Some(Value::Object(item))) => {
            let mut item = item.clone();
            item.insert("type".to_owned(), json!("reasoning"));
            Some((format!("{BESIDE}/reasoning"), Value::Object(item)))
        }
        _ => None,
    }
}

/// The content of a message in a provider's spelling.
pub fn content(value: Option<&Value>) -> Value {
    match value {
        Some(Value::Array(blocks)) => blocks.iter().map(part).collect(),
        other => other.cloned().unwrap_or_default(),
    }
}

/// A block in the reader's spelling; a provider's own is in it already.
fn part(block: &Value) -> Value {
    let first = |keys: &[&str]| keys.iter().find_map(|key| word(block, key));
    match word(block, "type").unwrap_or_default() {
        "reasoning" if block.get("reasoning").is_some() => json!({
            "type": "thinking",
            "thinking": word(block, "reasoning"),
            "signature": word(block, "signature").or_else(|| block.pointer("/extras/signature")?.as_str()),
        }),
        "text-plain" if block.get("text").is_some() => {
            json!({"type": "text", "text": block.get("text")})
        }
        "server_tool_result" => {
            let output = block.get("output").unwrap_or(&Value::Null);
            let text = output
                .as_str()
                .map_or_else(|| output.to_string(), str::to_owned);
            json!({
                "type": "tool_result",
                "tool_use_id": word(block, "tool_call_id"),
                "content": text,
                "is_error": word(block, "status") == Some("error"),
            })
        }
        "non_standard" if block.get("value").is_some_and(Value::is_object) => {
            block.get("value").cloned().unwrap_or_default()
        }
        kind @ ("image" | "audio" | "video" | "file" | "text-plain" | "media") => {
            let mime = first(&["mime_type", "mimeType"]).unwrap_or(match kind {
                "image" => "image/*",
                _ => "",
            });
            let bytes = first(&["base64", "data"]).filter(|_| block.get("source").is_none());
            let bytes = bytes.filter(|_| word(block, "source_type") != Some("text"));
            if let (Some("text"), Some(text)) =
                (word(block, "source_type"), first(&["text", "data"]))
            {
                return json!({"type": "text", "text": text});
            }
            let address = bytes.map(|bytes| format!("data:{mime};base64,{bytes}"));
            let address = address.or_else(|| {
                first(&["url", "file_id", "file_uri"])
                    .or_else(|| first(&["id"]).filter(|_| block.get("source_type").is_some()))
                    .map(str::to_owned)
            });
            match address {
                Some(address) => file(mime, first(&["filename", "name"]), &address),
                None => block.clone(),
            }
        }
        _ => block.clone(),
    }
}

/// What a provider counted; the input comes with what the cache had a part in.
pub fn usage(value: Option<&Value>) -> Option<Usage> {
    let number = |path: &str| value?.pointer(path).and_then(Value::as_u64);
    let cache_read = number("/input_token_details/cache_read");
    let cache_write = number("/input_token_details/cache_creation");
    let cached = [cache_read, cache_write]
        .into_iter()
        .flatten()
        .fold(0, u64::saturating_add);
    let usage = Usage {
        input: number("/input_tokens").map(|all| all.saturating_sub(cached)),
        output: number("/output_tokens"),
        cache_read,
        cache_write,
        reasoning: number("/output_token_details/reasoning"),
        cost_usd: None,
    };
    (usage != Usage::default()).then_some(usage)
}
