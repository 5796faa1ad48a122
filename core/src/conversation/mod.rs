//! The conversation: who speaks, what is registered, what was said, and what of it can be read.
//!
//! [`native`] is the file; everything else answers questions about it.

mod candidate;
mod from_transcript;
pub mod native;
mod read;
mod timeline;
mod to_transcript;
pub mod voice;

pub use candidate::Candidate;
pub use from_transcript::from_transcript;
pub use native::Conversation;
pub use read::{read, settle};
pub use timeline::Surface;
pub use to_transcript::to_transcript;
