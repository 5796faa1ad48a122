//! Warnings that are gathered while a file is read: each kind one by one up to a cap, then one with the count.

use super::scan::Place;
use crate::refusal::Warning;

/// How many warnings of one kind are listed one by one.
pub const LISTED: usize = 20;

/// Warnings in the order they were met, no kind of them without bound.
#[derive(Debug, Default)]
pub struct Notes {
    listed: Vec<Warning>,
    kinds: Vec<(String, usize)>,
}

impl Notes {
    /// Keeps a warning, or only counts it when its kind has been listed often enough.
    pub fn push(&mut self, warning: Warning) {
        if self.count(&warning.code, 1) <= LISTED {
            self.listed.push(warning);
        }
    }

    /// Keeps every warning of a list.
    pub fn extend(&mut self, warnings: impl IntoIterator<Item = Warning>) {
        warnings.into_iter().for_each(|warning| self.push(warning));
    }

    /// Keeps what other notes hold, their counts with it.
    pub fn absorb(&mut self, other: Self) {
        self.extend(other.listed);
        for (code, seen) in other.kinds {
            self.count(&code, seen.saturating_sub(LISTED));
        }
    }

    /// The same, where what stands at a byte offset stands elsewhere.
    pub fn moved(mut self, to: impl Fn(u64) -> Place) -> Self {
        for warning in &mut self.listed {
            if let Some(offset) = warning.offset {
                let place = to(offset);
                (warning.line, warning.offset) = (Some(place.line), Some(place.offset));
            }
        }
        self
    }

    /// How many of a kind there are with these.
    fn count(&mut self, code: &str, more: usize) -> usize {
        if let Some((_, seen)) = self.kinds.iter_mut().find(|(known, _)| known == code) {
            *seen += more;
            return *seen;
        }
        self.kinds.push((code.to_owned(), more));
        more
    }

    /// What was kept, and for each kind that went over the cap how many more there were.
    pub fn finish(self) -> Vec<Warning> {
        let mut warnings = self.listed;
        for (code, seen) in self.kinds {
            if let Some(more @ 1..) = seen.checked_sub(LISTED) {
                let message = format!("{more} more of this kind are not listed");
                warnings.push(Warning::new(&code, message));
            }
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_listed_up_to_the_cap_and_then_counted() {
        let mut notes = Notes::default();
        notes.extend((0..LISTED + 3).map(|n| Warning::new("many", n.to_string())));
        notes.push(Warning::new("one", "x"));
        let warnings = notes.finish();
        assert_eq!(warnings.len(), LISTED + 2);
        assert_eq!(warnings[LISTED].code, "one");
        assert_eq!(
            warnings[LISTED + 1].message,
            "3 more of this kind are not listed"
        );
    }
}
