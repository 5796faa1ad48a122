//! The native file, read and written.
//!
//! [`read`] refuses only what is no native file at all. A member of the wrong shape is taken out with a
//! warning at its JSON pointer, and everything else stands as it was written; [`settle`] then fills in what
//! a file may leave out. Writing what was read and reading it again gives the same conversation.
//!
//! ```
//! use galley_core::conversation::read;
//! let (file, warnings) = read(br#"{"galley":"conversation/1","turns":[{"text":"hi"}]}"#).unwrap();
//! assert_eq!((file.creating_user.as_str(), file.turns[0].id.as_str()), ("human", "t0"));
//! assert!(warnings.is_empty());
//! ```

mod mend;
mod names;
mod settle;

pub use settle::settle;

use serde_json::Value;

use super::Conversation;
use super::native::FORMAT;
use crate::json::{self, Notes};
use crate::refusal::{Refusal, Warning};

/// The code of a file that is no native file.
const INVALID: &str = "file_invalid";

/// Reads a native file and fills in its defaults. Refuses `file_invalid` what is no JSON object or does not
/// say `"galley": "conversation/1"`.
pub fn read(bytes: &[u8]) -> Result<(Conversation, Vec<Warning>), Refusal> {
    let mut notes = Notes::default();
    let json::Read {
        mut value,
        warnings,
    } = json::read(bytes, INVALID)?;
    notes.extend(warnings);
    let wrong = |path: &str, message: String| Err(Refusal::new(INVALID, message).at(path));
    let Some(file) = value.as_object() else {
        return wrong("", "a native file is a JSON object".to_owned());
    };
    match file.get("galley") {
        Some(Value::String(format)) if format == FORMAT => {}
        Some(other) => {
            let message = format!("`galley` is {other}; this version reads {FORMAT:?}");
            return wrong("/galley", message);
        }
        None => {
            let message =
                format!("a native file says `\"galley\": {FORMAT:?}`; this one has no `galley`");
            return wrong("", message);
        }
    }
    let (mut file, taken) = mend::mend(&mut value, &mut notes);
    let mut settled = Notes::default();
    settle(&mut file, &mut settled);
    notes.extend(
        settled
            .finish()
            .into_iter()
            .map(|warning| match &warning.path {
                Some(path) => warning.clone().at(taken.as_written(path)),
                None => warning,
            }),
    );
    Ok((file, notes.finish()))
}

impl Conversation {
    /// The native file's text.
    pub fn to_json(&self) -> String {
        // Every key is a string and every number finite, so there is nothing that could fail to be written.
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
