//! The native conversation file, `{"galley":"conversation/1", …}`: plain data, every field with a default.
//!
//! Unknown fields are kept in `extra` and written back.

mod people;
mod registered;
mod run;
mod turn;

pub use people::{
    Access, ExecutionDeclaration, Mechanism, Speaker, SpeakerKind, Tool, User, UserKind,
};
pub use registered::{BindingAccess, Document, MemoryBinding, MemoryDocument, Skill, Upload};
pub use run::{Call, CallResult, CompactedFan, Round, Run, Usage};
pub use turn::{Body, PrefaceEntry, Seed, Turn, TurnKind, Variant, Visibility};

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::tokens::ModelRow;
use registered::documents;

/// The value of the `galley` member of every native file this version reads and writes.
pub const FORMAT: &str = "conversation/1";

/// `null` reads as the default.
fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(d: D) -> Result<T, D::Error> {
    Ok(Option::<T>::deserialize(d)?.unwrap_or_default())
}

fn is_false(b: &bool) -> bool {
    !*b
}

/// A whole conversation with everything a request made from it can carry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct Conversation {
    /// `conversation/1`.
    pub galley: String,
    /// The conversation's id; turns without one of their own belong to it.
    #[serde(deserialize_with = "nullable")]
    pub id: String,
    /// Where the conversation comes from; read by the `conversation_kind` macro.
    #[serde(deserialize_with = "nullable")]
    pub kind: ConversationKind,
    /// A side conversation keeps what it inherits as reference behind one boundary.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_false")]
    pub side: bool,
    /// The user who made it; default the first human.
    #[serde(deserialize_with = "nullable")]
    pub creating_user: String,
    /// The stored answerer; default the first agent.
    #[serde(deserialize_with = "nullable")]
    pub answering_user: String,
    /// Conversations it was forked from, nearest at depth 1.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "Vec::is_empty")]
    pub ancestors: Vec<Ancestor>,
    /// The kill switch of reasoning replay.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "is_false")]
    pub reasoning_replay_downgraded: bool,
    /// The workspace around it.
    #[serde(deserialize_with = "nullable")]
    pub workspace: Workspace,
    /// Humans and agents by id.
    #[serde(deserialize_with = "nullable")]
    pub users: IndexMap<String, User>,
    /// Outside voices by id.
    #[serde(
        deserialize_with = "nullable",
        skip_serializing_if = "IndexMap::is_empty"
    )]
    pub speakers: IndexMap<String, Speaker>,
    /// Registered documents by slot and owner.
    #[serde(deserialize_with = "documents", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(
        feature = "types",
        tsify(type = "Document[] | Record<string, Document>"),
        schemars(with = "registered::Documents")
    )]
    pub documents: Vec<Document>,
    /// Memory documents.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<MemoryDocument>,
    /// Explicit memory roots; without them the default roots apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bindings: Option<Vec<MemoryBinding>>,
    /// Skills in catalogue order.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<Skill>,
    /// Facts about uploads by id; never their bytes.
    #[serde(
        deserialize_with = "nullable",
        skip_serializing_if = "IndexMap::is_empty"
    )]
    pub uploads: IndexMap<String, Upload>,
    /// The conversation's own execution declaration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_defaults: Option<ExecutionDeclaration>,
    /// The model a conversation with `execution_defaults` runs on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_model: Option<String>,
    /// Model rows of the file; they win over the catalogue.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<ModelRow>,
    /// The timeline.
    #[serde(deserialize_with = "nullable")]
    pub turns: Vec<Turn>,
    /// Last words of an imported file that nobody answered, offered as the request's prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<Seed>,
    /// Fields this version does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "types", tsify(type = "any"))]
    pub extra: Map<String, Value>,
}

/// Where a conversation comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ConversationKind {
    /// An ordinary conversation.
    #[default]
    Conversation,
    /// Spawned by a run.
    Child,
    /// Started by a schedule.
    Scheduled,
    /// No conversation at all: one run by itself.
    Standalone,
}

/// One conversation further up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct Ancestor {
    /// 1 is the parent.
    pub depth: u32,
    /// Its id.
    pub conversation: String,
    /// The last position that is inherited from it.
    pub boundary_position: i64,
    /// Who made it; default this conversation's creator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creating_user: Option<String>,
    /// Fields this version does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "types", tsify(type = "any"))]
    pub extra: Map<String, Value>,
}

/// The workspace around a conversation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct Workspace {
    /// Rendered by the `workspace` macro.
    #[serde(deserialize_with = "nullable")]
    pub name: String,
    /// Fields this version does not know.
    #[serde(flatten)]
    #[cfg_attr(feature = "types", tsify(type = "any"))]
    pub extra: Map<String, Value>,
}
