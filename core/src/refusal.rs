//! What the engine says when it will not, and what it noticed when it did.
//!
//! A [`Refusal`] names the code of the contract, the place and the remedy; a [`Warning`] goes with an
//! answer that stands all the same.

use serde::{Deserialize, Serialize};

/// A request, template or file that is refused. Nothing that was loaded before is touched by it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct Refusal {
    /// The contract's word, `prompt_template_invalid` for one.
    pub code: String,
    /// One sentence that names the place and what can be done.
    pub message: String,
    /// The HTTP status the code answers with.
    pub status: u16,
    /// JSON pointer (RFC 6901) of the place, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The code's own detail word or name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl Refusal {
    /// A refusal with the status its code has in the contract.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
            status: status_of(code),
            path: None,
            detail: None,
        }
    }

    /// The same refusal at a JSON pointer.
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// The same refusal with a detail.
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// The same refusal with another HTTP status.
    pub fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// `parameter_invalid` at a pointer.
    pub fn parameter(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new("parameter_invalid", message).at(path)
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code, self.message)?;
        match &self.path {
            Some(path) => write!(f, " (at {path})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Refusal {}

/// The HTTP status of a code: the seed's table, and 422 for a code that the table lacks.
fn status_of(code: &str) -> u16 {
    match code {
        "not_authorized" => 403,
        "not_found" | "request_not_sealed" | "task_not_found" => 404,
        "conversation_busy"
        | "already_compacted"
        | "task_not_queued"
        | "compaction_disabled"
        | "not_adjudicable"
        | "variant_settled" => 409,
        _ => 422,
    }
}

/// Something the engine did not change or could not read, and went on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct Warning {
    /// A short word for the kind of thing.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// JSON pointer into the file or the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Line of the source, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Byte offset in the source, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
}

impl Warning {
    /// A warning without a place.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
            path: None,
            line: None,
            offset: None,
        }
    }

    /// The same warning at a JSON pointer.
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// The same warning at a line (from 1) and byte offset (from 0) of the source.
    pub fn in_source(mut self, line: u64, offset: u64) -> Self {
        self.line = Some(line);
        self.offset = Some(offset);
        self
    }
}

/// One key as a JSON pointer segment, escaped as RFC 6901 says.
pub fn pointer_key(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_carry_the_status_of_the_contract() {
        for (code, status) in [
            ("not_authorized", 403),
            ("not_found", 404),
            ("conversation_busy", 409),
            ("variant_settled", 409),
            ("prompt_template_invalid", 422),
            ("unknown_model", 422),
        ] {
            assert_eq!(Refusal::new(code, "").status, status, "{code}");
        }
    }

    #[test]
    fn pointer_keys_are_escaped() {
        assert_eq!(pointer_key("a/b~c"), "a~1b~0c");
    }
}
