//! The timeline's items and their candidates.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::{Run, Usage, is_false, nullable};
use crate::role::Role;
use crate::seal::{NativeOrigin, Part};

/// What a turn is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TurnKind {
    /// One message.
    #[default]
    Message,
    /// Words and the answer they opened.
    DirectReply,
    /// A summary that stands for what is before it.
    CompactionSummary,
}

/// Whether a turn is context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// It is.
    #[default]
    Visible,
    /// Hidden from the timeline and from context.
    Hidden,
    /// On the timeline, not in context.
    ExcludedFromContext,
}

/// One item of the timeline. Which fields it carries depends on its kind: a message has `text`, a reply
/// has `prompt`, `preface` and `content` or `run`, a summary has `content` (or `text`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct Turn {
    /// Its id; default `t` and its position.
    #[serde(deserialize_with = "nullable")]
    pub id: String,
    /// Its place; default one after the turn before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<i64>,
    /// What it is.
    #[serde(deserialize_with = "nullable")]
    pub kind: TurnKind,
    /// Default user; assistant for a reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// `completed`, `running`, `failed`, `canceled`, …; default completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Whether it is context.
    #[serde(deserialize_with = "nullable")]
    pub visibility: Visibility,
    /// Deleted turns are kept as rows.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_false")]
    pub deleted: bool,
    /// The conversation it was written in; default this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// Its voice: a user, a speaker or `system`; default the creating user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// Who answers it; default the stored answerer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answering_user: Option<String>,
    /// `person`, `agent`, `task_result` or `child`; default person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// The conversation it was sent from, when another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sender_conversation: Option<String>,
    /// When, as the file says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Value>,
    /// The words of a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Uploads that follow the words of a message.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "Vec::is_empty")]
    pub uploads: Vec<String>,
    /// The seed: the words that opened a reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", tsify(type = "string | Seed"))]
    pub prompt: Option<Seed>,
    /// What was sealed between history and the words.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "Vec::is_empty")]
    pub preface: Vec<PrefaceEntry>,
    /// The body of the one candidate of a turn that names none.
    #[serde(flatten)]
    pub body: Body,
    /// Candidates.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<Variant>,
    /// The candidate that counts; default the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_variant: Option<String>,
    /// False: the other tool did not show the turn though it was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display: Option<bool>,
}

/// What a candidate answered. Unknown fields of a turn or a variant are kept here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct Body {
    /// The model that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The adopted final text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The label of the final text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// Where the label comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_origin: Option<NativeOrigin>,
    /// The rounds behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
    /// What the provider reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The sealed request, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<Value>,
    /// The reasoning trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Value>,
    /// Fields this version does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "types", tsify(type = "any"))]
    pub extra: Map<String, Value>,
}

/// One candidate of a turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct Variant {
    /// Its id.
    #[serde(deserialize_with = "nullable")]
    pub id: String,
    /// Its status; default the turn's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Its seed; default the turn's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", tsify(type = "string | Seed"))]
    pub prompt: Option<Seed>,
    /// Its preface; default the turn's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preface: Option<Vec<PrefaceEntry>>,
    /// What it answered.
    #[serde(flatten)]
    pub body: Body,
}

/// Words with uploads. A plain string reads as words alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[cfg_attr(feature = "types", schemars(transform = or_words))]
pub struct Seed {
    /// The words.
    pub text: String,
    /// Upload ids that follow them.
    #[serde(default)]
    pub uploads: Vec<String>,
}

/// The schema of both spellings.
#[cfg(feature = "types")]
fn or_words(schema: &mut schemars::Schema) {
    let long = std::mem::take(schema);
    *schema = schemars::json_schema!({"anyOf": [{"type": "string"}, long]});
}

impl<'de> Deserialize<'de> for Seed {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        #[derive(Deserialize, Default)]
        #[serde(default, deny_unknown_fields)]
        struct Long {
            #[serde(deserialize_with = "nullable")]
            text: String,
            #[serde(deserialize_with = "nullable")]
            uploads: Vec<String>,
        }
        struct Either;
        impl<'de> serde::de::Visitor<'de> for Either {
            type Value = Seed;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string, or {text, uploads}")
            }
            fn visit_str<E>(self, text: &str) -> Result<Seed, E> {
                Ok(Seed {
                    text: text.to_owned(),
                    uploads: Vec::new(),
                })
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<Seed, A::Error> {
                let long = Long::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
                Ok(Seed {
                    text: long.text,
                    uploads: long.uploads,
                })
            }
        }
        d.deserialize_any(Either)
    }
}

/// One sealed entry between history and the words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct PrefaceEntry {
    /// Its role.
    pub role: Role,
    /// Its parts.
    #[serde(deserialize_with = "nullable")]
    pub parts: Vec<Part>,
    /// The key of the block that laid it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<String>,
    /// A lead that the window already carried: nothing was laid.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_false")]
    pub carried: bool,
    /// Fields this version does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "types", tsify(type = "any"))]
    pub extra: Map<String, Value>,
}
