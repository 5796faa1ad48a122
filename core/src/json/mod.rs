//! JSON as people's files and requests have it.
//!
//! [`typed`] reads a value as a type and names the place of a misfit.

mod typed;

pub use typed::{Misfit, take, typed};
