//! What stands behind a reply: rounds, calls, results, usage.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{is_false, nullable};

/// The rounds behind a reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct Run {
    /// Model steps in order.
    #[serde(deserialize_with = "nullable")]
    pub rounds: Vec<Round>,
    /// Fields this version does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "types", tsify(type = "any"))]
    pub extra: Map<String, Value>,
}

/// One model step: what it read first, what it said, what it called and what came back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct Round {
    /// Its key within the run.
    #[serde(deserialize_with = "nullable")]
    pub key: String,
    /// The words it said.
    #[serde(
        deserialize_with = "nullable",
        skip_serializing_if = "String::is_empty"
    )]
    pub output: String,
    /// Calls in order.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    /// Results by call id.
    #[serde(
        deserialize_with = "nullable",
        skip_serializing_if = "IndexMap::is_empty"
    )]
    pub results: IndexMap<String, CallResult>,
    /// The reasoning trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Value>,
    /// What the provider reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Words that landed while it waited, as rendered then.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "Vec::is_empty")]
    pub steers: Vec<String>,
    /// Deliveries it read, as rendered then.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "Vec::is_empty")]
    pub material: Vec<String>,
    /// A summary of the rounds before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrived_summary: Option<String>,
    /// Results of the rounds before this one are cleared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pruned_before: Option<String>,
    /// Calls of a replaced round that this one still has to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compacted_fan: Option<CompactedFan>,
    /// Last words of branches by call id, as rendered then.
    #[serde(
        deserialize_with = "nullable",
        skip_serializing_if = "IndexMap::is_empty"
    )]
    pub tips: IndexMap<String, String>,
    /// The sealed request, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<Value>,
    /// Fields this version does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "types", tsify(type = "any"))]
    pub extra: Map<String, Value>,
}

/// One call of a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct Call {
    /// Its id within the round.
    #[serde(deserialize_with = "nullable")]
    pub id: String,
    /// The tool as called.
    #[serde(deserialize_with = "nullable")]
    pub name: String,
    /// The model's own string.
    #[serde(deserialize_with = "nullable")]
    pub arguments: String,
    /// Fields this version does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "types", tsify(type = "any"))]
    pub extra: Map<String, Value>,
}

/// What a call came back with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct CallResult {
    /// `completed`, `failed`, `canceled`, `skipped`, `timed_out`, `uncertain` or a live status.
    #[serde(deserialize_with = "nullable")]
    pub status: String,
    /// Its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The tool said it failed.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_false")]
    pub is_error: bool,
    /// Why there is no result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_key: Option<String>,
    /// More about why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_detail: Option<String>,
    /// Captured files.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "Vec::is_empty")]
    pub uploads: Vec<String>,
    /// Fields this version does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "types", tsify(type = "any"))]
    pub extra: Map<String, Value>,
}

/// Calls of a replaced round that are still to be read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct CompactedFan {
    /// The replaced round's key.
    pub source: String,
    /// Its calls.
    #[serde(deserialize_with = "nullable")]
    pub calls: Vec<String>,
    /// Fields this version does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "types", tsify(type = "any"))]
    pub extra: Map<String, Value>,
}

/// What a provider reported for one request, tokens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct Usage {
    /// Only `succeeded` counts.
    #[serde(deserialize_with = "nullable")]
    pub status: String,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Tokens in, cached ones included.
    #[serde(deserialize_with = "nullable")]
    pub input_tokens: u64,
    /// Tokens out.
    #[serde(deserialize_with = "nullable")]
    pub output_tokens: u64,
    /// Of the tokens in, how many came from the provider's cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read_tokens: Option<u64>,
    /// Of the tokens in, how many were written to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write_tokens: Option<u64>,
    /// Fields this version does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "types", tsify(type = "any"))]
    pub extra: Map<String, Value>,
}
