//! How long the compact JSON of a value is, without writing it out.

use serde::Serialize;
use serde_json::Value;

use super::estimate::is_denied;
use crate::json::canonical::string_bytes;
use crate::transcript::{AgentMessage, ContentBlock};

/// Bytes of the compact JSON. What no JSON can hold is 0.
pub fn json_bytes<T: Serialize + ?Sized>(value: &T) -> u64 {
    let mut length = Length(0);
    match serde_json::to_writer(&mut length, value) {
        Ok(()) => length.0,
        Err(_) => 0,
    }
}

/// Bytes of a message's JSON as it is counted: without the data of images and, in a function result that was not
/// denied, without `details`. Texts are measured by their length, since between two requests there are megabytes.
pub fn counted_bytes(message: &AgentMessage) -> u64 {
    let mut members = Members::default();
    members.add("role", string_bytes(message.role()));
    members.add("content", blocks_bytes(message.content()));
    members.add("timestamp", json_bytes(&message.timestamp()));
    match message {
        AgentMessage::User { .. } => {}
        AgentMessage::Assistant {
            stop_reason,
            native_stop_reason,
            error_message,
            error_kind,
            warnings,
            usage,
            model,
            provider,
            content: _,
            timestamp: _,
        } => {
            members.add("stop_reason", json_bytes(stop_reason));
            members.add_some("native_stop_reason", native_stop_reason.as_ref());
            members.add_some("error_message", error_message.as_ref());
            members.add_some("error_kind", error_kind.as_ref());
            members.add_some("warnings", warnings.as_ref());
            members.add_some("usage", usage.as_ref());
            members.add("model", string_bytes(model));
            members.add("provider", string_bytes(provider));
        }
        AgentMessage::FunctionResult {
            function_call_id,
            function_id,
            details,
            is_error,
            content: _,
            timestamp: _,
        } => {
            members.add("function_call_id", string_bytes(function_call_id));
            members.add("function_id", string_bytes(function_id));
            let counted = if is_denied(details) {
                details
            } else {
                &Value::Null
            };
            members.add("details", json_bytes(counted));
            members.add("is_error", json_bytes(is_error));
        }
        AgentMessage::Custom {
            custom_type,
            display,
            details,
            content: _,
            timestamp: _,
        } => {
            members.add("custom_type", string_bytes(custom_type));
            members.add_some("display", display.as_ref());
            members.add_some("details", details.as_ref());
        }
    }
    members.object()
}

fn blocks_bytes(blocks: &[ContentBlock]) -> u64 {
    let commas = blocks.len().saturating_sub(1) as u64;
    2 + commas + blocks.iter().map(block_bytes).sum::<u64>()
}

fn block_bytes(block: &ContentBlock) -> u64 {
    let mut members = Members::default();
    let kind = match block {
        ContentBlock::Text { text } => {
            members.add("text", string_bytes(text));
            "text"
        }
        ContentBlock::Image { mime, data: _ } => {
            members.add("mime", string_bytes(mime));
            members.add("data", string_bytes(""));
            "image"
        }
        ContentBlock::Thinking { text, signature } => {
            members.add("text", string_bytes(text));
            members.add_some("signature", signature.as_ref());
            "thinking"
        }
        ContentBlock::FunctionCall {
            id,
            function_id,
            arguments,
        } => {
            members.add("id", string_bytes(id));
            members.add("function_id", string_bytes(function_id));
            members.add("arguments", json_bytes(arguments));
            "function_call"
        }
        ContentBlock::FunctionResult {
            function_call_id,
            content,
            is_error,
        } => {
            members.add("function_call_id", string_bytes(function_call_id));
            members.add("content", blocks_bytes(content));
            members.add_some("is_error", is_error.as_ref());
            "function_result"
        }
    };
    members.add("type", string_bytes(kind));
    members.object()
}

/// An object, member by member.
#[derive(Default)]
struct Members {
    bytes: u64,
    count: u64,
}

impl Members {
    fn add(&mut self, name: &str, value: u64) {
        self.bytes += string_bytes(name) + 1 + value;
        self.count += 1;
    }

    fn add_some<T: Serialize>(&mut self, name: &str, value: Option<&T>) {
        if let Some(value) = value {
            self.add(name, json_bytes(value));
        }
    }

    fn object(self) -> u64 {
        2 + self.bytes + self.count.saturating_sub(1)
    }
}

struct Length(u64);

impl std::io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.0 += bytes.len() as u64;
        Ok(())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn it_is_the_length_of_what_would_be_written() {
        for value in [
            json!(null),
            json!("a\"\\\n\u{1}é汉😀"),
            json!({"a": [1, -2.5, true], "b": {"c": ""}}),
        ] {
            assert_eq!(json_bytes(&value), value.to_string().len() as u64);
        }
    }
    #[test]
    fn a_message_is_as_long_as_what_is_written_of_it() {
        let nested = json!({"type": "function_result", "function_call_id": "d", "is_error": false, "content": [
            {"type": "text", "text": "in\n"}, {"type": "image", "mime": "image/png", "data": ""}]});
        let blocks = json!([{"type": "text", "text": "a\"\u{1}é😀"}, {"type": "thinking", "text": "", "signature": "s"},
            {"type": "thinking", "text": "t"}, nested,
            {"type": "function_call", "id": "c", "function_id": "f", "arguments": {"a": [1.5, null, "\n"]}}]);
        for message in [
            json!({"role": "user", "content": [], "timestamp": -7}),
            json!({"role": "user", "content": blocks, "timestamp": 1}),
            json!({"role": "assistant", "content": blocks, "stop_reason": "end", "model": "m", "provider": "", "timestamp": 2}),
            json!({"role": "assistant", "content": [], "stop_reason": "error", "native_stop_reason": "n", "error_message": "e",
                "error_kind": "transient", "warnings": ["w", "\t"], "usage": {"input": 1, "cost_usd": 0.25}, "model": "m",
                "provider": "p", "timestamp": 3}),
            json!({"role": "function_result", "function_call_id": "c", "function_id": "f", "content": blocks, "details": null,
                "is_error": true, "timestamp": 4}),
            json!({"role": "function_result", "function_call_id": "c", "function_id": "f", "content": [],
                "details": {"status": "denied", "why": "\\"}, "is_error": false, "timestamp": 5}),
            json!({"role": "custom", "custom_type": "x", "content": blocks, "display": "d", "details": {"k": [0]}, "timestamp": 6}),
            json!({"role": "custom", "custom_type": "x", "content": [], "timestamp": 7}),
        ] {
            let message: AgentMessage = serde_json::from_value(message).unwrap();
            let written = serde_json::to_string(&message).unwrap();
            assert_eq!(counted_bytes(&message), written.len() as u64, "{written}");
        }
    }

    #[test]
    fn the_bytes_of_images_and_of_details_are_not_counted() {
        let result = |data: &str, details: Value| {
            let image = json!({"type": "image", "mime": "m", "data": data});
            let inline =
                json!({"type": "function_result", "function_call_id": "c", "content": [image]});
            let message = json!({"role": "function_result", "function_call_id": "c", "function_id": "f",
                "content": [image, inline], "details": details, "timestamp": 1});
            counted_bytes(&serde_json::from_value(message).unwrap())
        };
        let bare = result("", json!(null));
        assert_eq!(
            result(&"A".repeat(9_999), json!({"status": "ok", "more": [1, 2]})),
            bare
        );
        assert_eq!(result("", json!({"status": "denied"})), bare + 15);
    }
}
