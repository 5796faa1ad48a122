//! A transcript read from a file, with what its message list has no place for.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AgentFunction, AgentMessage};
use crate::refusal::Warning;
use crate::role::Role;

/// One conversation of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct Imported {
    /// The name the file gives it, or its first words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The system texts that stood before every other message, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub system: Vec<SystemPiece>,
    /// The messages.
    pub messages: Vec<AgentMessage>,
    /// The functions the model could call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<AgentFunction>,
    /// The model the file names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The wire the file was written for, in the words of a model row's `api_format`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_format: Option<String>,
    /// The request body, as written, when the file is one or holds one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<Value>,
    /// The model's own string of a call's arguments by call id, where it is not the compact form of the
    /// value in the transcript.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, String>,
    /// What stands in the transcript as a placeholder text, because no bytes came with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// The ways through the conversation, when it has several; the messages are those of one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<Branch>,
    /// What could not be read or was not kept as it was, by position.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

impl Imported {
    /// How often the person spoke.
    pub fn turns(&self) -> usize {
        let spoke = |message: &&AgentMessage| matches!(message, AgentMessage::User { .. });
        self.messages.iter().filter(spoke).count()
    }
}

/// One way through a conversation that has several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct Branch {
    /// What it is asked for by: the file's id of its last message, or what stands for one where it gives none.
    pub id: String,
    /// The first words that are its own.
    pub title: String,
    /// How often the person spoke on it.
    pub turns: usize,
    /// The file has it as the current one.
    pub current: bool,
}

/// One system text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct SystemPiece {
    /// `system` or `developer`.
    pub role: Role,
    /// The text.
    pub text: String,
}

/// A file that is named in a message and not in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct Attachment {
    /// Index of the message.
    pub message: usize,
    /// Index of the placeholder among the message's blocks.
    pub block: usize,
    /// Its name, as far as the file says one.
    pub filename: String,
    /// Its MIME type, as far as the file says one.
    pub content_type: String,
    /// Its size, when its bytes were in the file; 0 otherwise.
    pub byte_size: u64,
    /// Where it is: an address or a provider's file id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}
