//! Gemini chunks: each a whole answer with the next parts; the count that stands is the last one.

use serde_json::{Map, Value, json};

use super::{object, word_of};

/// The answer, and whether its first candidate was finished.
pub(super) fn join(chunks: Vec<Map<String, Value>>) -> (Map<String, Value>, bool) {
    let (mut body, mut candidates) = (Map::new(), Vec::new());
    for mut chunk in chunks {
        let pieces = match chunk.remove("candidates") {
            Some(Value::Array(pieces)) => pieces,
            _ => Vec::new(),
        };
        for piece in pieces {
            if let Value::Object(piece) = piece {
                candidate(&mut candidates, piece);
            }
        }
        body.extend(chunk.into_iter().filter(|(_, member)| !member.is_null()));
    }
    let finished = |candidate: &Map<String, Value>| {
        let keys = ["finishReason", "finish_reason"];
        keys.iter().any(|key| !word_of(candidate, key).is_empty())
    };
    let whole = candidates.first().is_some_and(finished);
    let candidates = candidates.into_iter().map(Value::Object).collect();
    body.insert("candidates".to_owned(), Value::Array(candidates));
    (body, whole)
}

fn candidate(candidates: &mut Vec<Map<String, Value>>, mut piece: Map<String, Value>) {
    let index =
        |candidate: &Map<String, Value>| candidate.get("index").cloned().unwrap_or(json!(0));
    let own = index(&piece);
    let place = candidates.iter().position(|known| index(known) == own);
    let place = place.unwrap_or_else(|| {
        candidates.push(Map::new());
        candidates.len() - 1
    });
    let Some(candidate) = candidates.get_mut(place) else {
        return;
    };
    if let Some(mut content) = object(&mut piece, "content") {
        let more = match content.remove("parts") {
            Some(Value::Array(more)) => more,
            _ => Vec::new(),
        };
        let before = object(candidate, "content");
        let mut before = before.unwrap_or_else(|| Map::from_iter([("parts".into(), json!([]))]));
        before.extend(content);
        if let Some(Value::Array(parts)) = before.get_mut("parts") {
            more.into_iter().for_each(|part| add(parts, part));
        }
        candidate.insert("content".to_owned(), Value::Object(before));
    }
    candidate.extend(piece.into_iter().filter(|(_, member)| !member.is_null()));
}

/// Adds a part; plain words go on with the plain words before them.
fn add(parts: &mut Vec<Value>, part: Value) {
    let plain = |part: &Value| {
        let members = part.as_object()?;
        let only = members.keys().all(|key| key == "text" || key == "thought");
        let thought = members.get("thought").and_then(Value::as_bool);
        only.then_some(thought.unwrap_or(false))
    };
    let goes_on = parts
        .last()
        .and_then(plain)
        .is_some_and(|before| plain(&part) == Some(before));
    if let (true, Some(more)) = (goes_on, part.get("text").and_then(Value::as_str))
        && let Some(Value::String(text)) = parts.last_mut().and_then(|last| last.get_mut("text"))
    {
        text.push_str(more);
        return;
    }
    parts.push(part);
}
