//! What files come packed in: ZIP archives, gzip and zstd streams, one in another.
//!
//! Nothing is unpacked whole. A [`Stream`] takes packed bytes in order and gives the plain ones out; a
//! [`Directory`] says which stretches of an archive to read.

mod directory;
mod stream;

pub(super) use directory::{Directory, Entry, Listing};
pub(super) use stream::Stream;

use crate::refusal::Refusal;

/// A packing that cannot be undone.
fn damaged(what: &str, why: impl std::fmt::Display) -> Refusal {
    let message = format!("the {what} is damaged: {why}; download or export it again");
    Refusal::new(super::INVALID, message)
}
