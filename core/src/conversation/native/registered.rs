//! What is registered around a conversation: documents by slot, memory, skills, uploads.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::{is_false, nullable};
use crate::role::Role;

/// A registered document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct Document {
    /// `system_prompt`, `character`, `persona` or `summarizer`.
    #[serde(deserialize_with = "nullable")]
    pub slot: String,
    /// A user's id, or `workspace`; default the slot's own anchor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The role it renders in; default system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Its text.
    #[serde(deserialize_with = "nullable")]
    pub content: String,
    /// Its version, from 1.
    #[serde(default = "one")]
    pub version: u64,
    /// No macros in it.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_false")]
    pub literal: bool,
    /// Fields this version does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "types", tsify(type = "any"))]
    pub extra: Map<String, Value>,
}

fn one() -> u64 {
    1
}

/// The two spellings of the documents, for the schema.
#[cfg(feature = "types")]
#[derive(schemars::JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "nothing but its schema is used")]
pub(super) enum Documents {
    List(Vec<Document>),
    BySlot(indexmap::IndexMap<String, Document>),
}

/// A list, or a map by slot.
pub(super) fn documents<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<Document>, D::Error> {
    struct Either;
    impl<'de> serde::de::Visitor<'de> for Either {
        type Value = Vec<Document>;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a list of documents, or a map of documents by slot")
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Vec::new())
        }
        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
            Vec::deserialize(serde::de::value::SeqAccessDeserializer::new(seq))
        }
        fn visit_map<A: serde::de::MapAccess<'de>>(
            self,
            mut map: A,
        ) -> Result<Self::Value, A::Error> {
            let mut list = Vec::new();
            while let Some(slot) = map.next_key::<String>()? {
                let mut document: Document = map.next_value()?;
                document.slot = slot;
                list.push(document);
            }
            Ok(list)
        }
    }
    d.deserialize_any(Either)
}

/// A memory document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct MemoryDocument {
    /// Its path; the first part is its root.
    pub path: String,
    /// Whose it is, for the roots `user` and `speaker`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Its text.
    #[serde(deserialize_with = "nullable")]
    pub content: String,
    /// ISO 8601; without it the document is the oldest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_at: Option<String>,
    /// Fields this version does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "types", tsify(type = "any"))]
    pub extra: Map<String, Value>,
}

/// An explicit memory root.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct MemoryBinding {
    /// The name its documents render under.
    pub name: String,
    /// `conversation`, `workspace`, `user` or `speaker`.
    pub root: String,
    /// Whose root it is, for `user` and `speaker`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Read only, or read and write.
    #[serde(deserialize_with = "nullable")]
    pub access: BindingAccess,
    /// Fields this version does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "types", tsify(type = "any"))]
    pub extra: Map<String, Value>,
}

/// What the answerer may do with a root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BindingAccess {
    /// Read only.
    #[default]
    Read,
    /// Read and write.
    Write,
}

/// A skill of the catalogue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct Skill {
    /// The tool that loads it.
    #[serde(deserialize_with = "nullable")]
    pub callable: String,
    /// Its name.
    #[serde(deserialize_with = "nullable")]
    pub name: String,
    /// What it is for.
    #[serde(deserialize_with = "nullable")]
    pub description: String,
    /// The runner that serves it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executor: Option<String>,
    /// Fields this version does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "types", tsify(type = "any"))]
    pub extra: Map<String, Value>,
}

/// Facts about an upload.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct Upload {
    /// Its file name.
    #[serde(deserialize_with = "nullable")]
    pub filename: String,
    /// Its stored MIME type.
    #[serde(deserialize_with = "nullable")]
    pub content_type: String,
    /// Its size.
    #[serde(deserialize_with = "nullable")]
    pub byte_size: u64,
    /// Fields this version does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "types", tsify(type = "any"))]
    pub extra: Map<String, Value>,
}
