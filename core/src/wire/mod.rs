//! The shapes in which providers speak, one room each: Chat Completions, Responses, Anthropic Messages, Gemini; and
//! those of the libraries that stand before them: the AI SDK, LangChain.
//!
//! [`Reader`] reads messages of all of them, deciding message by message and part by part which one it has before
//! it, for stored files mix them. Each room's `write` is the way back: a transcript as the body of a request, and
//! the list of what is otherwise in it.

pub mod adapt;
pub mod ai_sdk;
pub mod anthropic;
pub mod chat;
mod files;
pub mod gemini;
pub mod langchain;
mod outgoing;
mod parts;
mod reader;
pub mod responses;

use serde_json::Value;

use crate::refusal::Warning;
use crate::transcript::{Imported, StopReason, Usage};

pub use files::file;
pub use reader::{Reader, Reply, Source, Sources};

/// A provider's shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Chat Completions.
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Anthropic,
    /// Gemini.
    Gemini,
    /// The AI SDK's model messages.
    AiSdk,
    /// LangChain's messages.
    LangChain,
}

impl Shape {
    /// Every shape.
    pub const ALL: [Self; 6] = [
        Self::Chat,
        Self::Responses,
        Self::Anthropic,
        Self::Gemini,
        Self::AiSdk,
        Self::LangChain,
    ];

    /// The word a caller names it by.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::AiSdk => "ai_sdk",
            Self::LangChain => "langchain",
        }
    }

    /// The shape that a caller's word names.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shape| shape.as_str() == word)
    }

    /// The word of a model row for the wire; that of a library stands for whichever wire it is put on.
    pub fn api_format(self) -> &'static str {
        match self {
            Self::Chat => chat::API_FORMAT,
            Self::Responses => responses::API_FORMAT,
            Self::Anthropic => anthropic::API_FORMAT,
            Self::Gemini => gemini::API_FORMAT,
            Self::AiSdk => ai_sdk::API_FORMAT,
            Self::LangChain => langchain::API_FORMAT,
        }
    }

    /// A transcript as the body of a request, and what of it is otherwise in that, at its message.
    pub fn write(self, transcript: &Imported) -> (Value, Vec<Warning>) {
        match self {
            Self::Chat => chat::write(transcript),
            Self::Responses => responses::write(transcript),
            Self::Anthropic => anthropic::write(transcript),
            Self::Gemini => gemini::write(transcript),
            Self::AiSdk => ai_sdk::write(transcript),
            Self::LangChain => langchain::write(transcript),
        }
    }
}

/// What a provider counted, whichever it was; cached tokens are taken out of the input. `None` without a count.
pub fn usage(value: Option<&Value>) -> Option<Usage> {
    let value = value.filter(|value| value.is_object())?;
    let has = |key: &str| value.get(key).is_some_and(|member| !member.is_null());
    let usage = if has("promptTokenCount") || has("prompt_token_count") {
        gemini::usage(value)
    } else if has("cache_read_input_tokens")
        || has("cache_creation_input_tokens")
        || value
            .pointer("/output_tokens_details/thinking_tokens")
            .is_some()
    {
        anthropic::usage(value)
    } else if has("input_tokens") {
        responses::usage(value)
    } else {
        chat::usage(value)
    };
    (usage != Usage::default()).then_some(usage)
}

/// The transcript's word for any provider's reason to stop.
fn stop_reason(reason: &str) -> StopReason {
    match reason {
        "length"
        | "max_tokens"
        | "MAX_TOKENS"
        | "max_output_tokens"
        | "finished_partial_completion"
        | "model_context_window_exceeded"
        | "maxPredictedTokensReached"
        | "contextLengthReached" => StopReason::Length,
        "tool_calls" | "tool_call" | "tool_use" | "toolUse" | "toolCalls" | "tool-calls"
        | "function_call" => StopReason::FunctionCall,
        "cancelled" | "canceled" | "aborted" | "interrupted" | "user_cancelled"
        | "user_canceled" | "userStopped" | "in_progress" | "streaming" => StopReason::Aborted,
        "content_filter" | "content-filter" | "refusal" | "error" | "failed" | "modelUnloaded"
        | "safety" | "SAFETY" | "RECITATION" | "PROHIBITED_CONTENT" | "BLOCKLIST" | "SPII"
        | "LANGUAGE" | "OTHER" | "IMAGE_SAFETY" => StopReason::Error,
        _ if reason.starts_with("MALFORMED_") => StopReason::Error,
        _ => StopReason::End,
    }
}

/// A member that is a text.
fn word<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

/// The first of the members that is set: stored files spell one member in several ways.
fn any<'a>(value: &'a Value, keys: &[&str]) -> Option<&'a Value> {
    keys.iter()
        .filter_map(|key| value.get(*key))
        .find(|member| !member.is_null())
}

/// The members of an object but for the named ones and the unset.
fn but(value: &Value, keys: &[&str]) -> Value {
    let members = value.as_object().into_iter().flatten();
    let left = members.filter(|(key, member)| !keys.contains(&key.as_str()) && !member.is_null());
    Value::Object(
        left.map(|(key, member)| (key.clone(), member.clone()))
            .collect(),
    )
}

#[cfg(test)]
mod tests;
