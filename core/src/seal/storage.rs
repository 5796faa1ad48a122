//! The storage measure: the canonical bytes of each entry, summed, against the seal's bound.

use serde::Serialize;

/// Most canonical bytes of one entry and of all of them.
pub const BOUND: u64 = 1_048_576;

/// What a preview says about storage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct Storage {
    /// Canonical bytes of all entries.
    pub bytes: u64,
    /// The seal's bound, bytes.
    pub bound: u64,
    /// Whether the seal takes them.
    pub within_bound: bool,
    /// The word it refuses with, else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<&'static str>,
}

/// Adds entries up.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    bound: u64,
    bytes: u64,
    too_large: bool,
    unstorable: bool,
}

impl Measure {
    /// Nothing yet, against a bound in bytes.
    pub fn against(bound: u64) -> Self {
        Self {
            bound,
            bytes: 0,
            too_large: false,
            unstorable: false,
        }
    }

    /// One more entry; `storable` is false when a text of it holds U+0000.
    pub fn add(&mut self, bytes: u64, storable: bool) {
        self.bytes += bytes;
        self.too_large |= bytes > self.bound || self.bytes > self.bound;
        self.unstorable |= !storable;
    }

    /// The measure.
    pub fn storage(self) -> Storage {
        let refusal = if self.too_large {
            Some("content_too_large")
        } else if self.unstorable {
            Some("content_not_storable")
        } else {
            None
        };
        Storage {
            bytes: self.bytes,
            bound: self.bound,
            within_bound: refusal.is_none(),
            refusal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_bound_is_within() {
        let mut measure = Measure::against(10);
        measure.add(4, true);
        measure.add(6, true);
        assert!(measure.storage().within_bound);
        measure.add(1, false);
        assert_eq!(measure.storage().refusal, Some("content_too_large"));
    }

    #[test]
    fn what_cannot_be_stored_is_said() {
        let mut measure = Measure::against(10);
        measure.add(4, false);
        assert_eq!(measure.storage().refusal, Some("content_not_storable"));
        assert!(!measure.storage().within_bound);
    }
}
