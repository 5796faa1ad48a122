//! A value of nearly the right shape, read all the same: what does not fit is taken out, one member at a time.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::super::native::{Body, Conversation, Turn};
use crate::json::{Misfit, Notes, take, typed};
use crate::refusal::Warning;

/// How many members are taken out of one turn, or of everything beside the turns, before it is given up.
const BOUND: usize = 1_000;

/// Reads the file, taking out what does not fit with a warning at its place in the file as written.
pub(super) fn mend(value: &mut Value, notes: &mut Notes) -> (Conversation, Taken) {
    let mut all = Taken::default();
    let turns = match value.get_mut("turns") {
        Some(turns @ Value::Array(_)) => turns.take(),
        _ => Value::Null,
    };
    let mut file = fitted::<Conversation>(value, "", &mut all, notes).unwrap_or_default();
    let turns = match turns {
        Value::Array(turns) => turns,
        _ => Vec::new(),
    };
    for (index, mut turn) in turns.into_iter().enumerate() {
        let at = format!("/turns/{index}");
        // A turn buffers what its candidates answered, so serde does not see into them from the turn: each is
        // fitted by itself first.
        let variants = turn.get_mut("variants").and_then(Value::as_array_mut);
        for (number, variant) in variants.into_iter().flatten().enumerate() {
            if variant.is_object() {
                fitted::<Body>(variant, &format!("{at}/variants/{number}"), &mut all, notes);
            }
        }
        if turn.is_object() {
            fitted::<Body>(&mut turn, &at, &mut all, notes);
        }
        match fitted::<Turn>(&mut turn, &at, &mut all, notes) {
            Some(turn) => file.turns.push(turn),
            None => all.0.push(at),
        }
    }
    (file, all)
}

/// Reads a value that stands at `at`, taking out of it what does not fit.
fn fitted<T: DeserializeOwned>(
    value: &mut Value,
    at: &str,
    all: &mut Taken,
    notes: &mut Notes,
) -> Option<T> {
    let mut taken = Taken::default();
    for _ in 0..BOUND {
        let Misfit { pointer, message } = match typed::<T>(value) {
            Ok(fits) => return Some(fits),
            Err(misfit) => misfit,
        };
        let written = taken.as_written(&pointer);
        let message = format!("it does not fit and is left out: {message}");
        notes.push(Warning::new("wrong_shape", message).at(format!("{at}{written}")));
        let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
        let in_a_list = value.pointer(parent).is_some_and(Value::is_array);
        take(value, &pointer)?;
        if in_a_list {
            all.0.push(format!("{at}{written}"));
            taken.0.push(written);
        }
    }
    let message = "too much of it does not fit; it is left out";
    notes.push(Warning::new("wrong_shape", message).at(at));
    None
}

/// Where items of lists were taken out, as the file was written.
#[derive(Debug, Default)]
pub(super) struct Taken(Vec<String>);

impl Taken {
    /// A pointer into what is left, as a pointer into what was written: items of a list move up when one
    /// before them goes.
    pub fn as_written(&self, pointer: &str) -> String {
        let mut written = String::new();
        for segment in pointer.split('/').skip(1) {
            let gone = |taken: &String| {
                let (parent, last) = taken.rsplit_once('/')?;
                (parent == written).then(|| last.parse().ok())?
            };
            let mut gone: Vec<usize> = self.0.iter().filter_map(gone).collect();
            gone.sort_unstable();
            let moved = segment.parse().ok().map(|index: usize| {
                gone.into_iter()
                    .fold(index, |index, before| index + usize::from(before <= index))
            });
            written.push('/');
            match moved {
                Some(index) => written.push_str(&index.to_string()),
                None => written.push_str(segment),
            }
        }
        written
    }
}
