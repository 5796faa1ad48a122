//! JSON as people's files and requests have it, read leniently and with places.
//!
//! [`read`] takes the bytes of a whole file or request, [`value`] one value of a larger source (a line of
//! JSONL), [`text`] strips what stands before the JSON; [`typed`] reads a value as a type and names the
//! place of a misfit. Duplicate keys: the last one counts.
//!
//! ```
//! let json = galley_core::json::read(br#"{"a": NaN, "b": "\ud83d!"}"#, "file_invalid").unwrap();
//! assert_eq!(json.value, serde_json::json!({"a": null, "b": "\u{fffd}!"}));
//! assert_eq!(json.warnings[1].offset, Some(17));
//! ```

pub mod canonical;
mod notes;
mod scan;
mod text;
mod typed;

pub use notes::{LISTED, Notes};
pub use scan::{Fault, MAX_DEPTH, Place};
pub use text::{Text, text};
pub use typed::{Misfit, take, typed};

use serde_json::Value;

use crate::refusal::{Refusal, Warning};

/// A value and what was mended on the way to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The value.
    pub value: Value,
    /// What was mended, at line and byte offset.
    pub warnings: Vec<Warning>,
}

/// Reads one JSON value that is the whole of `bytes`: UTF-8 with or without a byte order mark, or UTF-16.
///
/// Refuses with `code` (the caller's word: `parameter_invalid` for a request, `file_invalid` for a file)
/// what is empty, no JSON, cut off, or nested deeper than [`MAX_DEPTH`]; the message names line, column
/// and byte.
pub fn read(bytes: &[u8], code: &str) -> Result<Read, Refusal> {
    let mut notes = Notes::default();
    let text = text(bytes, &mut notes);
    if text.bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Refusal::new(
            code,
            "there is nothing in it: it has no byte that is not blank",
        ));
    }
    match value(&text.bytes, text.place, &mut notes) {
        Ok(value) => Ok(Read {
            value,
            warnings: notes.finish(),
        }),
        Err(fault) => Err(fault.refusal(code)),
    }
}

/// Reads one JSON value that is the whole of a slice beginning at `place` of its source. Notes are only
/// kept of a value that reads.
pub fn value(bytes: &[u8], place: Place, notes: &mut Notes) -> Result<Value, Fault> {
    if let Ok(value) = serde_json::from_slice(bytes) {
        return Ok(value);
    }
    let (value, end) = first(bytes, place, notes)?;
    match rest(bytes, end) {
        None => Ok(value),
        Some(at) => Err(Fault::at(bytes, at, place, "the value ends before this")),
    }
}

/// Reads the first JSON value of a slice and says where in the slice it ends.
pub fn first(bytes: &[u8], place: Place, notes: &mut Notes) -> Result<(Value, usize), Fault> {
    let mut met = Notes::default();
    let scanned = scan::scan(bytes, place, &mut met)?;
    let text = match &scanned.mended {
        Some(mended) => mended,
        None => bytes.get(..scanned.end).unwrap_or_default(),
    };
    // The scan has checked the grammar, the depth and the numbers; a refusal here would be a new kind.
    let value = serde_json::from_slice(text).map_err(|error| Fault {
        message: error.to_string(),
        line: place.line,
        column: 1,
        offset: place.offset,
        cut_off: false,
        too_deep: false,
    })?;
    notes.absorb(met);
    Ok((value, scanned.end))
}

/// The first byte at or after `from` that is not blank.
pub fn rest(bytes: &[u8], from: usize) -> Option<usize> {
    let after = bytes.get(from..)?;
    let blank = after.iter().take_while(|byte| byte.is_ascii_whitespace());
    Some(from + blank.count()).filter(|at| *at < bytes.len())
}

#[cfg(test)]
mod tests;
