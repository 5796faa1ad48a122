//! Counting: how many tokens a text fills, and what is declared about a model.
//!
//! The engine carries no vocabulary. A host that has one hands it in as an [`Encoding`]; without one
//! a text fills ceil(bytes/4). A declared counter that the host has not loaded is refused, never
//! replaced in silence.

pub mod catalogue;
pub mod counter;
pub mod model;
pub mod texts;

pub use counter::{Counter, CounterLabel, Encoding, Encodings, Unloaded, known_encoding};
pub use model::{CounterRow, DeclaredCounter, Framing, ModelRow, ReplayFormat, ReplayMode};
pub use texts::{Text, Texts};
