//! Who takes part: humans, agents and what they declare, outside voices.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{is_false, nullable};

/// A human or an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct User {
    /// Human or agent.
    #[serde(deserialize_with = "nullable")]
    pub kind: UserKind,
    /// `[A-Za-z0-9_.:-]{1,64}`; default the user's id.
    #[serde(deserialize_with = "nullable")]
    pub handle: String,
    /// Rendered by the `agent` and `user` macros; default the handle.
    #[serde(deserialize_with = "nullable")]
    pub display_name: String,
    /// The human an agent answers to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steward: Option<String>,
    /// The word an agent's requests compile under.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_mechanism: Option<Mechanism>,
    /// The agent's stored template, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_template: Option<Value>,
    /// Declared tools.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    /// The agent's compaction policy, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compaction_policy: Option<Value>,
    /// The model it answers with by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_model: Option<String>,
    /// Bytes of memory content a request may carry; default 16,384.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_context_limit: Option<u64>,
    /// Whether it may be addressed.
    #[serde(deserialize_with = "nullable")]
    pub access: Access,
    /// Fields this version does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "types", tsify(type = "any"))]
    pub extra: Map<String, Value>,
}

/// Human or agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum UserKind {
    /// A person.
    #[default]
    Human,
    /// An agent.
    Agent,
}

/// How far an agent may be addressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// May answer.
    #[default]
    Full,
    /// May only read.
    Read,
    /// Fenced off.
    Fenced,
}

/// The word a request compiles under.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Mechanism {
    /// The default order.
    #[default]
    Default,
    /// The agent's own template.
    Assembly,
    /// Nothing is assembled.
    Raw,
}

/// A tool definition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct Tool {
    /// The tool's name.
    pub name: String,
    /// The name the model calls it by, when it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Value>,
    /// Not sent until it is asked for.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_false")]
    pub deferred: bool,
    /// Fields this version does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "types", tsify(type = "any"))]
    pub extra: Map<String, Value>,
}

impl Tool {
    /// The name the model calls it by.
    pub fn called(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.name)
    }
}

/// An outside voice, represented by an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct Speaker {
    /// `ingress`.
    #[serde(deserialize_with = "nullable")]
    pub kind: SpeakerKind,
    /// The name in its envelope.
    #[serde(deserialize_with = "nullable")]
    pub display_name: String,
    /// The agent that controls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<String>,
    /// Fields this version does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "types", tsify(type = "any"))]
    pub extra: Map<String, Value>,
}

/// What a speaker that is no user is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SpeakerKind {
    /// A person outside, represented by an agent.
    #[default]
    Ingress,
}

/// What an answerer declares for its requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ExecutionDeclaration {
    /// The word the request compiles under.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_mechanism: Option<Mechanism>,
    /// A template, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_template: Option<Value>,
    /// A system prompt in place of the registered one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<Tool>>,
    /// A compaction policy, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compaction_policy: Option<Value>,
    /// The model to answer with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_model: Option<String>,
    /// Bytes of memory content a request may carry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_context_limit: Option<u64>,
}
