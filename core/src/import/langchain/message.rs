//! One message of LangChain: `{type, content}`, `{type, data}`, `{lc, id, kwargs}`, or a pair of who and what.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::super::pen::{Answer, Outcome, Pen, Piece, file};
use super::super::record::{At, text_of, word};
use crate::transcript::Usage;
use crate::wire;

/// The id with which a removal means every message before it.
pub(super) const ALL: &str = "__remove_all__";

/// Who the words of a message are of, whatever it spells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Human,
    Ai,
    System(&'static str),
    Tool,
    Chat,
    Remove,
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
fn spelled(value: &Value) -> Option<(Kind, Cow<'_, Value>)> {
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

/// Whether a message is spelled as only LangChain spells one.
pub(in crate::import) fn is_own(value: &Value) -> bool {
    let others = ["user", "assistant"];
    if value.get("role").is_some() || word(value, "type").is_some_and(|kind| others.contains(&kind))
    {
        return false;
    }
    spelled(value).is_some_and(|(kind, members)| {
        let content = members
            .get("content")
            .is_some_and(|content| !content.is_object());
        let speaks = matches!(kind, Kind::Human | Kind::Ai) || value.get("lc").is_some();
        content && speaks
    })
}

/// The id of a message.
pub(super) fn id(value: &Value) -> Option<&str> {
    let holders = ["/kwargs/id", "/data/id", "/id"];
    holders
        .into_iter()
        .find_map(|holder| value.pointer(holder)?.as_str())
}

/// Whether a message takes another one back.
pub(super) fn removes(value: &Value) -> bool {
    matches!(spelled(value), Some((Kind::Remove, _)))
}

/// The words of a message that is the person's.
pub(super) fn person(value: &Value) -> Option<String> {
    match spelled(value)? {
        (Kind::Human, members) => Some(text_of(members.get("content"))),
        _ => None,
    }
}

/// Writes one message.
pub(in crate::import) fn message(pen: &mut Pen, value: &Value, at: &At) {
    let Some((kind, members)) = spelled(value) else {
        // A message in a provider's own shape is one as well.
        return pen.message(value.clone(), at, 0);
    };
    let members = members.as_ref();
    let content = content(members.get("content"));
    if let Some(name) = word(members, "name").filter(|_| matches!(kind, Kind::Human | Kind::Ai)) {
        let says = "the names of speakers are not kept";
        pen.count("name_not_kept", name, says, at);
    }
    match kind {
        Kind::Human => pen.user(&content, at, 0),
        Kind::System(role) => {
            let said = members.pointer("/additional_kwargs/__openai_role__");
            let role = said.and_then(Value::as_str).unwrap_or(role);
            pen.system(role, &content, at, 0);
        }
        Kind::Ai => answer(pen, members, at),
        Kind::Tool => {
            let artifact = members
                .get("artifact")
                .filter(|artifact| !artifact.is_null());
            let outcome = Outcome {
                call: word(members, "tool_call_id").unwrap_or_default(),
                function: word(members, "name").unwrap_or_default(),
                content,
                failed: word(members, "status") == Some("error"),
                // Kept by the program and not sent.
                details: artifact
                    .map(|artifact| json!({ "artifact": artifact }))
                    .unwrap_or_default(),
            };
            pen.result(outcome, at, 0);
        }
        Kind::Chat => {
            let role = members.get("role");
            pen.message(json!({"role": role, "content": content}), at, 0);
        }
        Kind::Remove => {}
        Kind::Placeholder => {
            let says = "placeholders of a template hold no messages here and are kept aside";
            pen.count("placeholder", "", says, at);
            pen.aside("placeholder", &text_of(Some(&content)), None, 0);
        }
    }
}

/// An answer. A call may stand in it three times: among its calls, in the provider's words, and in the content.
fn answer(pen: &mut Pen, members: &Value, at: &At) {
    let beside = members.get("additional_kwargs").unwrap_or(&Value::Null);
    let told = members.get("response_metadata").unwrap_or(&Value::Null);
    let list = |holder: &Value, key: &str| {
        let list = holder.get(key).and_then(Value::as_array);
        list.cloned().unwrap_or_default()
    };
    let mut calls = [
        list(members, "tool_calls"),
        list(members, "invalid_tool_calls"),
    ]
    .concat();
    let mut others = list(beside, "tool_calls");
    others.extend(
        beside
            .get("function_call")
            .filter(|call| call.is_object() && calls.is_empty())
            .cloned(),
    );
    let known: Vec<Option<&str>> = calls.iter().map(call_id).collect();
    others.retain(|other| {
        known.is_empty() || call_id(other).is_some() && !known.contains(&call_id(other))
    });
    calls.append(&mut others);
    // Each is taken where the content has it, and what is left stands at the end.
    let mut left: Vec<&Value> = calls.iter().collect();
    let mut pieces = Vec::new();
    let blocks = match members.get("content") {
        Some(Value::Array(blocks)) => blocks.clone(),
        Some(Value::Null) | None => Vec::new(),
        Some(Value::String(text)) if text.is_empty() => Vec::new(),
        Some(other) => vec![other.clone()],
    };
    let reasons = |block: &Value| matches!(word(block, "type"), Some("reasoning" | "thinking"));
    if !blocks.iter().any(reasons) {
        pieces.extend(reasoning(beside).map(Piece::Part));
    }
    for block in &blocks {
        match word(block, "type").unwrap_or_default() {
            "tool_use" | "tool_call" | "invalid_tool_call" | "function_call"
            | "tool_call_chunk" => {
                let id = call_id(block);
                let same = |one: &&Value| call_id(one) == id;
                match left.iter().position(|one| id.is_some() && same(one)) {
                    Some(index) => pieces.push(call(left.remove(index))),
                    None if calls.is_empty()
                        || id.is_some() && !calls.iter().any(|one| same(&one)) =>
                    {
                        pieces.push(call(block));
                    }
                    None => {}
                }
            }
            // Of the arguments of a call that is whole elsewhere.
            "input_json_delta" if !calls.is_empty() => {}
            "server_tool_call" => pieces.push(call(block)),
            _ => pieces.push(Piece::Part(part(block))),
        }
    }
    pieces.extend(list(beside, "tool_outputs").into_iter().map(Piece::Part));
    let refusal = word(beside, "refusal").map(|text| json!({"type": "refusal", "refusal": text}));
    pieces.extend(refusal.map(Piece::Part));
    pieces.extend(left.into_iter().map(call));
    let first = |keys: &[&str]| keys.iter().find_map(|key| word(told, key));
    let older = told.get("token_usage").or_else(|| told.get("usage"));
    let answer = Answer {
        stop_reason: first(&["finish_reason", "stop_reason", "done_reason"]),
        model: first(&["model_name", "model", "model_id"]),
        provider: first(&["model_provider", "ls_provider"]),
        usage: usage(members.get("usage_metadata")).or_else(|| wire::usage(older)),
        ..Answer::default()
    };
    pen.answer(pieces, answer, at);
}

/// The id that a result answers a call by.
fn call_id(call: &Value) -> Option<&str> {
    let ids = ["call_id", "tool_call_id", "id"].into_iter();
    let mut ids = ids.filter_map(|key| word(call, key));
    ids.find(|id| !id.is_empty())
}

/// A call in any of its spellings.
fn call(value: &Value) -> Piece {
    let body = value
        .get("function")
        .filter(|body| body.is_object())
        .unwrap_or(value);
    let keys = ["args", "arguments", "input"];
    let arguments = keys.into_iter().find_map(|key| body.get(key));
    let name = word(body, "name").unwrap_or_default().to_owned();
    let id = call_id(value).unwrap_or_default().to_owned();
    Piece::Call(id, name, arguments.cloned().unwrap_or_default())
}

/// The reasoning that a provider's own members hold.
fn reasoning(beside: &Value) -> Option<Value> {
    let thinking = |text: &str| json!({"type": "thinking", "thinking": text});
    match (word(beside, "reasoning_content"), beside.get("reasoning")) {
        (Some(text), _) if !text.is_empty() => Some(thinking(text)),
        (_, Some(Value::String(text))) if !text.is_empty() => Some(thinking(text)),
        (_, Some(Value::Object(item))) => {
            let mut item = item.clone();
            item.insert("type".to_owned(), json!("reasoning"));
            Some(Value::Object(item))
        }
        _ => None,
    }
}

fn content(value: Option<&Value>) -> Value {
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
pub(in crate::import) fn usage(value: Option<&Value>) -> Option<Usage> {
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
