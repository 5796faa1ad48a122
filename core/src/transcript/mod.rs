//! The canonical message list that every importer writes and every wire reads, and what goes with it.
//!
//! [`AgentMessage`] is seed 004's own shape; [`Imported`] adds what a foreign file holds beside it;
//! [`OpenCalls`] says which call a result answers.

mod imported;
mod message;
mod pairing;

pub use imported::{Attachment, Branch, Imported, SystemPiece};
pub use message::{
    AgentFunction, AgentMessage, ContentBlock, ErrorKind, ExecutionMode, StopReason, Usage,
};
pub use pairing::OpenCalls;
