//! One function per verb: a request's JSON in, an answer or a refusal out.
//!
//! A door holds nothing; what it reads and what it changes is handed in. `session` keeps it between calls.

mod convert;
mod estimate;
mod open;
mod recount;
mod send;

pub use convert::{Converted, convert};
pub use estimate::{Desk, context_estimate, plan};
pub use open::{Opened, open};
pub use recount::{Recount, recount};
pub use send::{Answer, SealAs, Sealed, SealedRequest, append, seal, settle};

use serde_json::Value;

use crate::refusal::Refusal;

/// The first fault of a template, or none.
pub fn check_template(template: &Value) -> Option<Refusal> {
    crate::template::check(template)
}
