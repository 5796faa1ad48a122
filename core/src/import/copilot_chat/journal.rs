//! The journal that newer builds keep of a chat, a line a change.
//!
//! `{kind: 0, v}` is the whole state, `{kind: 1, k, v}` sets the member at a path, `{kind: 2, k, v, i}` cuts a
//! list to `i` items and goes on with more, `{kind: 3, k}` takes a member away.

use serde_json::{Value, json};

use crate::import::record::Record;
use crate::json::Notes;
use crate::refusal::Warning;

/// Whether a value is a line of such a journal.
pub(in crate::import) fn is_line(value: &Value) -> bool {
    match value.get("kind").and_then(Value::as_u64) {
        Some(0) => value.pointer("/v/requests").is_some_and(Value::is_array),
        Some(1..=3) => value.pointer("/k/0").is_some_and(Value::is_string),
        _ => false,
    }
}

/// The state that the lines lead to. A change of what is not there is told and left out.
pub(super) fn replayed(lines: Vec<Record>, notes: &mut Notes) -> Value {
    let mut state = json!({});
    for Record { mut value, at } in lines {
        if apply(&mut state, &mut value).is_none() {
            let message = "the line changes what is not there; it is not read";
            notes.push(at.of(Warning::new("change_without_a_place", message)));
        }
    }
    state
}

fn apply(state: &mut Value, line: &mut Value) -> Option<()> {
    let new = line.get_mut("v").map(Value::take);
    let path = line.get("k").and_then(Value::as_array);
    match line.get("kind")?.as_u64()? {
        0 => *state = new?,
        1 => *place(state, path?)? = new?,
        2 => {
            let place = place(state, path?)?;
            if place.is_null() {
                *place = json!([]);
            }
            let items = place.as_array_mut()?;
            if let Some(kept) = line.get("i").and_then(Value::as_u64) {
                items.truncate(usize::try_from(kept).ok()?);
            }
            if let Some(Value::Array(more)) = new {
                items.extend(more);
            }
        }
        3 => *place(state, path?)? = Value::Null,
        _ => return None,
    }
    Some(())
}

/// What a path leads to. A member that an object has not yet is made.
fn place<'s>(state: &'s mut Value, path: &[Value]) -> Option<&'s mut Value> {
    path.iter().try_fold(state, |at, key| match (at, key) {
        (Value::Object(members), Value::String(key)) => {
            Some(members.entry(key.as_str()).or_insert(Value::Null))
        }
        (Value::Array(items), key) => items.get_mut(usize::try_from(key.as_u64()?).ok()?),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Place;

    #[test]
    fn changes_lead_to_the_last_state_and_a_lost_place_is_told() {
        let lines = [
            json!({"kind": 0, "v": {"requests": [{"a": 1}], "title": "old"}}),
            json!({"kind": 2, "k": ["requests"], "v": [{"a": 2}, {"a": 3}]}),
            json!({"kind": 1, "k": ["requests", 1, "b"], "v": true}),
            json!({"kind": 2, "k": ["requests"], "i": 2}),
            json!({"kind": 3, "k": ["title"]}),
            json!({"kind": 1, "k": ["requests", 9, "a"], "v": 0}),
            json!({"kind": 2, "k": ["title", "deep"], "v": [1]}),
            json!({"kind": 2, "k": ["more"], "v": [1]}),
            json!({"kind": 7}),
        ];
        let lines = lines.map(|line| Record::new(line, Place::default()));
        let mut notes = Notes::default();
        let state = replayed(lines.into(), &mut notes);
        assert_eq!(
            state,
            json!({"requests": [{"a": 1}, {"a": 2, "b": true}], "title": null, "more": [1]})
        );
        assert_eq!(notes.finish().len(), 3);
    }
}
