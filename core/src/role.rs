//! Who an entry speaks as.

use serde::{Deserialize, Serialize};

/// Who an entry speaks as.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The operator.
    System,
    /// The developer.
    Developer,
    /// The person.
    #[default]
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 4] = [Self::System, Self::Developer, Self::User, Self::Assistant];

    /// The wire's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }

    /// The role a wire's word names.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == word)
    }
}
