//! Chat Completions chunks: deltas of choices; the count comes last, with no choice.

use serde_json::{Map, Value, json};

use super::grow;
use super::object;

/// The completion, and whether its first choice was finished.
pub(super) fn join(chunks: Vec<Map<String, Value>>) -> (Map<String, Value>, bool) {
    let (mut body, mut choices) = (Map::new(), Vec::new());
    for mut chunk in chunks {
        let pieces = match chunk.remove("choices") {
            Some(Value::Array(pieces)) => pieces,
            _ => Vec::new(),
        };
        for piece in pieces {
            if let Value::Object(piece) = piece {
                choice(&mut choices, piece);
            }
        }
        body.extend(chunk.into_iter().filter(|(_, member)| !member.is_null()));
    }
    if let Some(Value::String(object)) = body.get_mut("object")
        && let Some(whole) = object.strip_suffix(".chunk")
    {
        *object = whole.to_owned();
    }
    let finished = |choice: &Map<String, Value>| {
        let reason = choice.get("finish_reason");
        reason.is_some_and(|reason| !reason.is_null())
    };
    let whole = choices.first().is_some_and(finished);
    let choices = choices.into_iter().map(Value::Object).collect();
    body.insert("choices".to_owned(), Value::Array(choices));
    (body, whole)
}

fn choice(choices: &mut Vec<Map<String, Value>>, mut piece: Map<String, Value>) {
    let index = piece.remove("index").unwrap_or(json!(0));
    let place = choices
        .iter()
        .position(|choice| choice.get("index") == Some(&index));
    let place = place.unwrap_or_else(|| {
        // The first choice stands first, whichever is heard of first.
        let before = |choice: &Map<String, Value>| {
            choice.get("index").and_then(Value::as_u64) < index.as_u64()
        };
        let place = choices.partition_point(before);
        choices.insert(place, Map::from_iter([("index".to_owned(), index)]));
        place
    });
    let Some(choice) = choices.get_mut(place) else {
        return;
    };
    if let Some(delta) = object(&mut piece, "delta") {
        let message = choice.entry("message").or_insert_with(|| json!({}));
        if let Value::Object(message) = message {
            grow::object(message, delta);
        }
    }
    grow::object(choice, piece);
}
