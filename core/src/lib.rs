//! What a request to a language model carries, byte for byte.
//!
//! A room per concept; the arrows between them are held by a test.

pub mod assembly;
pub mod conversation;
pub mod doors;
pub mod fit;
pub mod import;
pub mod json;
pub mod refusal;
pub mod role;
pub mod seal;
pub mod session;
pub mod template;
pub mod tokens;
pub mod transcript;
pub mod wire;
pub mod wording;
