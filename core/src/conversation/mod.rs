//! The conversation: who speaks, what is registered, what was said, and what of it can be read.
//!
//! [`native`] is the file; everything else answers questions about it.

pub mod native;
