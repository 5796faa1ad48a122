//! What a send writes: entries, and the one measure they are held against.
//!
//! An entry is measured by its canonical bytes. The measure is arithmetic over its texts, so that nothing
//! has to be written to be measured.

mod entry;
mod storage;

pub use entry::{
    CallItem, CallPayload, Entry, Label, NativeOrigin, OutputItem, OutputPayload, Part, bytes,
};
pub use storage::{BOUND, Measure, Storage};
