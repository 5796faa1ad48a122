//! Bodies of two servers that speak nearly another's language, in that language: Ollama's as Chat Completions,
//! Bedrock's Converse as Anthropic Messages. And the envelope that Gemini's command line sends its requests in.

use serde_json::{Map, Value, json};

use crate::import::record::word;

/// A request's body.
pub(super) fn request(body: &Value) -> Value {
    if let Some(inner) = body
        .get("request")
        .filter(|inner| inner.get("contents").is_some())
    {
        let mut inner = inner.clone();
        if let (Value::Object(members), Some(model)) = (&mut inner, body.get("model")) {
            members.insert("model".to_owned(), model.clone());
        }
        return inner;
    }
    let has = |key: &str| body.get(key).is_some();
    if has("prompt") && !has("messages") && !has("input") {
        let mut messages = Vec::new();
        if let Some(system) = word(body, "system") {
            messages.push(json!({"role": "system", "content": system}));
        }
        messages.push(json!({"role": "user", "content": body.get("prompt")}));
        return with(
            body,
            "messages",
            Value::Array(messages),
            &["prompt", "system"],
        );
    }
    let configured = body.pointer("/toolConfig/tools").and_then(Value::as_array);
    let typed = body.get("messages").is_some_and(is_converse);
    if configured.is_none() && !typed {
        return body.clone();
    }
    let messages = body.get("messages").and_then(Value::as_array);
    let messages = messages.into_iter().flatten().map(turn).collect();
    let mut spelled = with(body, "messages", messages, &["toolConfig"]);
    if let (Value::Object(members), Some(tools)) = (&mut spelled, configured) {
        let tools = tools.iter().filter_map(|tool| tool.get("toolSpec"));
        let tools = tools.map(|tool| {
            let schema = tool.pointer("/inputSchema/json");
            json!({"name": tool.get("name"), "description": tool.get("description"), "input_schema": schema})
        });
        members.insert("tools".to_owned(), tools.collect());
    }
    spelled
}

/// A response's body.
pub(super) fn response(body: &Value) -> Value {
    if let Some(message) = body.pointer("/output/message") {
        let counted = |key: &str| body.pointer(&format!("/usage/{key}"));
        let content = turn(message).get("content").cloned();
        return json!({
            "type": "message", "role": "assistant", "content": content,
            "stop_reason": body.get("stopReason"),
            "usage": {
                "input_tokens": counted("inputTokens"), "output_tokens": counted("outputTokens"),
                "cache_read_input_tokens": counted("cacheReadInputTokens"),
                "cache_creation_input_tokens": counted("cacheWriteInputTokens"),
            },
        });
    }
    if !body.get("done").is_some_and(Value::is_boolean) {
        return body.clone();
    }
    let own = json!({"content": body.get("response"), "thinking": body.get("thinking")});
    json!({
        "model": body.get("model"),
        "created": body.get("created_at"),
        "choices": [{
            "message": body.get("message").unwrap_or(&own),
            "finish_reason": body.get("done_reason"),
        }],
        "usage": {
            "prompt_tokens": body.get("prompt_eval_count"), "completion_tokens": body.get("eval_count"),
        },
    })
}

fn is_converse(messages: &Value) -> bool {
    let keys = ["toolUse", "toolResult", "reasoningContent", "image"];
    let messages = messages.as_array().into_iter().flatten();
    let blocks = messages.filter_map(|message| message.get("content")?.as_array());
    blocks.flatten().any(|block| {
        block.get("type").is_none() && keys.iter().any(|key| block.get(*key).is_some())
    })
}

/// A message of Converse.
fn turn(message: &Value) -> Value {
    let blocks = message.get("content").and_then(Value::as_array);
    let blocks: Vec<Value> = blocks.into_iter().flatten().map(block).collect();
    json!({"role": message.get("role"), "content": blocks})
}

fn block(block: &Value) -> Value {
    let of = |key: &str| block.get(key).filter(|member| member.is_object());
    if let Some(call) = of("toolUse") {
        return json!({"type": "tool_use", "id": call.get("toolUseId"), "name": call.get("name"), "input": call.get("input")});
    }
    if let Some(result) = of("toolResult") {
        let content = result.get("content").and_then(Value::as_array);
        let content: Vec<Value> = content.into_iter().flatten().map(self::block).collect();
        let failed = word(result, "status") == Some("error");
        return json!({"type": "tool_result", "tool_use_id": result.get("toolUseId"), "content": content, "is_error": failed});
    }
    if let Some(said) = block.pointer("/reasoningContent/reasoningText") {
        return json!({"type": "thinking", "thinking": said.get("text"), "signature": said.get("signature")});
    }
    if let (Some(image), Some(data)) = (of("image"), block.pointer("/image/source/bytes")) {
        let mime = format!("image/{}", word(image, "format").unwrap_or("*"));
        return json!({"type": "image", "source": {"type": "base64", "media_type": mime, "data": data}});
    }
    if let Some(value) = block.get("json") {
        return json!({"type": "text", "text": value.to_string()});
    }
    block.clone()
}

/// A body with one member in place of others.
fn with(body: &Value, key: &str, value: Value, but: &[&str]) -> Value {
    let members = body.as_object().into_iter().flatten();
    let kept = members.filter(|(key, _)| !but.contains(&key.as_str()));
    let mut members: Map<String, Value> = kept
        .map(|(key, member)| (key.clone(), member.clone()))
        .collect();
    members.insert(key.to_owned(), value);
    Value::Object(members)
}
