//! Seed 004's message list, on its own wire: messages tagged by `role`, blocks by `type`, fields in the
//! order they are written here.
//!
//! Unknown fields are ignored; optional fields read `null` as absent and are left out when unset.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One item of a transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum AgentMessage {
    /// What a person, or whatever stands in for one, said.
    User {
        /// Its blocks.
        content: Vec<ContentBlock>,
        /// Milliseconds since 1970; 0 when the source gives none.
        timestamp: i64,
    },
    /// What the model answered.
    Assistant {
        /// Its blocks.
        content: Vec<ContentBlock>,
        /// Why it stopped.
        stop_reason: StopReason,
        /// The provider's own word for that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        native_stop_reason: Option<String>,
        /// What went wrong.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error_message: Option<String>,
        /// What kind of thing went wrong.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error_kind: Option<ErrorKind>,
        /// What was reported and gone on from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        warnings: Option<Vec<String>>,
        /// What the provider counted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", tsify(type = "MessageUsage"))]
        usage: Option<Usage>,
        /// The model's id.
        model: String,
        /// The provider's id.
        provider: String,
        /// Milliseconds since 1970; 0 when the source gives none.
        timestamp: i64,
    },
    /// What a call came back with.
    FunctionResult {
        /// The id of the call it answers.
        function_call_id: String,
        /// The function that was called.
        function_id: String,
        /// Its blocks.
        content: Vec<ContentBlock>,
        /// Structured data beside the blocks; always written.
        #[serde(default)]
        details: Value,
        /// The function said it failed; always written.
        #[serde(default)]
        is_error: bool,
        /// Milliseconds since 1970; 0 when the source gives none.
        timestamp: i64,
    },
    /// Anything else a tool keeps in its transcript; never sent to a model.
    Custom {
        /// The tool's own word for it.
        custom_type: String,
        /// Its blocks.
        content: Vec<ContentBlock>,
        /// How the tool shows it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        display: Option<String>,
        /// Structured data beside the blocks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
        /// Milliseconds since 1970; 0 when the source gives none.
        timestamp: i64,
    },
}

impl AgentMessage {
    /// The word of its role on the wire.
    pub fn role(&self) -> &'static str {
        match self {
            Self::User { .. } => "user",
            Self::Assistant { .. } => "assistant",
            Self::FunctionResult { .. } => "function_result",
            Self::Custom { .. } => "custom",
        }
    }

    /// The blocks of the message.
    pub fn content(&self) -> &[ContentBlock] {
        match self {
            Self::User { content, .. }
            | Self::Assistant { content, .. }
            | Self::FunctionResult { content, .. }
            | Self::Custom { content, .. } => content,
        }
    }

    /// When it was said, milliseconds since 1970; 0 when the source gives no time.
    pub fn timestamp(&self) -> i64 {
        match self {
            Self::User { timestamp, .. }
            | Self::Assistant { timestamp, .. }
            | Self::FunctionResult { timestamp, .. }
            | Self::Custom { timestamp, .. } => *timestamp,
        }
    }

    /// Says when it was said.
    pub fn set_timestamp(&mut self, time: i64) {
        match self {
            Self::User { timestamp, .. }
            | Self::Assistant { timestamp, .. }
            | Self::FunctionResult { timestamp, .. }
            | Self::Custom { timestamp, .. } => *timestamp = time,
        }
    }
}

/// One piece of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ContentBlock {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// A picture.
    Image {
        /// Its MIME type.
        mime: String,
        /// Its bytes, base64.
        data: String,
    },
    /// Reasoning.
    Thinking {
        /// The readable part; empty when all of it is sealed.
        text: String,
        /// What the provider signed or sealed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
    },
    /// A call of a function.
    FunctionCall {
        /// Its id, echoed by the result.
        id: String,
        /// The function.
        function_id: String,
        /// What it is called with; always written.
        #[serde(default)]
        arguments: Value,
    },
    /// A result inside a message of another role.
    FunctionResult {
        /// The id of the call it answers.
        function_call_id: String,
        /// Its blocks.
        content: Vec<ContentBlock>,
        /// The function said it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        is_error: Option<bool>,
    },
}

impl ContentBlock {
    /// A block of words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

/// Why the model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It was done.
    End,
    /// The answer was cut at its bound.
    Length,
    /// It waits for its calls.
    FunctionCall,
    /// Somebody stopped it.
    Aborted,
    /// It failed or refused.
    Error,
}

/// What kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The credentials are stale.
    AuthExpired,
    /// Too many requests.
    RateLimited,
    /// The context was too long.
    ContextOverflow,
    /// It may work another time.
    Transient,
    /// It will not.
    Permanent,
}

/// What a provider counted, tokens. `input` is without what came from or went to the cache.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
// TypeScript has one namespace, and a native turn has a usage of its own.
#[cfg_attr(feature = "types", tsify(rename = "MessageUsage"))]
pub struct Usage {
    /// Tokens in that no cache had a part in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// Tokens out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// Tokens read from the cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<u64>,
    /// Tokens written to the cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<u64>,
    /// Of the tokens out, how many were reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
    /// What it cost, US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// A function the model may call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct AgentFunction {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments; always written.
    #[serde(default)]
    pub parameters: Value,
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Whether calls of it may run side by side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution_mode: Option<ExecutionMode>,
}

/// Whether calls may run side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ExecutionMode {
    /// They may.
    Parallel,
    /// One after the other.
    Sequential,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn back(value: Value) -> String {
        let message: AgentMessage = serde_json::from_value(value).unwrap();
        serde_json::to_string(&message).unwrap()
    }

    #[test]
    fn messages_are_written_in_the_contracts_field_order() {
        assert_eq!(
            back(
                json!({"timestamp": -1, "content": [{"text": "a", "type": "text", "cache": 1}], "role": "user", "id": 9})
            ),
            r#"{"role":"user","content":[{"type":"text","text":"a"}],"timestamp":-1}"#
        );
        assert_eq!(
            back(
                json!({"role": "assistant", "provider": "p", "model": "m", "stop_reason": "function_call",
                "usage": {}, "warnings": [], "error_kind": null, "timestamp": 0,
                "content": [{"type": "function_call", "id": "c", "function_id": "f"},
                    {"type": "thinking", "text": "", "signature": null},
                    {"type": "image", "data": "AA==", "mime": "image/png"}]})
            ),
            r#"{"role":"assistant","content":[{"type":"function_call","id":"c","function_id":"f","arguments":null},{"type":"thinking","text":""},{"type":"image","mime":"image/png","data":"AA=="}],"stop_reason":"function_call","warnings":[],"usage":{},"model":"m","provider":"p","timestamp":0}"#
        );
        assert_eq!(
            back(
                json!({"role": "function_result", "function_call_id": "c", "function_id": "f", "timestamp": 0,
                "content": [{"type": "function_result", "function_call_id": "d", "content": [], "is_error": false}]})
            ),
            r#"{"role":"function_result","function_call_id":"c","function_id":"f","content":[{"type":"function_result","function_call_id":"d","content":[],"is_error":false}],"details":null,"is_error":false,"timestamp":0}"#
        );
        assert_eq!(
            back(
                json!({"role": "custom", "custom_type": "x", "content": [], "details": null, "display": null, "timestamp": 0})
            ),
            r#"{"role":"custom","custom_type":"x","content":[],"timestamp":0}"#
        );
    }

    #[test]
    fn wrong_shapes_are_refused() {
        for wrong in [
            json!({"role": "tool", "content": [], "timestamp": 0}),
            json!({"role": "user", "content": "hi", "timestamp": 0}),
            json!({"role": "user", "content": []}),
            json!({"role": "user", "content": [{"type": "video"}], "timestamp": 0}),
            json!({"role": "user", "content": [], "timestamp": 1.5}),
            json!({"role": "assistant", "content": [], "model": "m", "provider": "p", "stop_reason": "stop", "timestamp": 0}),
            json!({"role": "function_result", "function_call_id": "c", "function_id": "f", "content": [], "is_error": null, "timestamp": 0}),
        ] {
            assert!(
                serde_json::from_value::<AgentMessage>(wrong.clone()).is_err(),
                "{wrong}"
            );
        }
    }
}
