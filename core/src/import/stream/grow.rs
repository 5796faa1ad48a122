//! A value that comes in pieces.

use serde_json::{Map, Value, json};

/// The members whose texts go on from piece to piece. Of any other member the last word counts.
const GO_ON: [&str; 11] = [
    "content",
    "reasoning_content",
    "reasoning",
    "thinking",
    "refusal",
    "arguments",
    "input",
    "text",
    "summary",
    "transcript",
    "data",
];

/// Adds the members of a piece to what has come so far.
pub(super) fn object(so_far: &mut Map<String, Value>, piece: Map<String, Value>) {
    for (key, value) in piece {
        member(so_far, &key, value);
    }
}

/// Adds a piece of one member. An empty piece takes nothing back.
pub(super) fn member(so_far: &mut Map<String, Value>, key: &str, piece: Value) {
    let blank = piece.is_null() || piece.as_str() == Some("");
    let Some(before) = so_far.get_mut(key).filter(|before| !before.is_null()) else {
        so_far.insert(key.to_owned(), piece);
        return;
    };
    match (before, piece) {
        _ if blank => {}
        (Value::String(text), Value::String(more)) if GO_ON.contains(&key) => text.push_str(&more),
        (Value::Object(before), Value::Object(piece)) => object(before, piece),
        (Value::Array(items), Value::Array(pieces)) => list(key, items, pieces),
        // A content that is a text here and a list of parts there.
        (before @ Value::String(_), Value::Array(pieces)) => {
            let mut items = vec![text_part(before.take())];
            list(key, &mut items, pieces);
            *before = Value::Array(items);
        }
        (Value::Array(items), more @ Value::String(_)) => list(key, items, vec![text_part(more)]),
        (before, piece) => *before = piece,
    }
}

/// Adds pieces of items to the items they go on with.
pub(super) fn list(key: &str, items: &mut Vec<Value>, pieces: Vec<Value>) {
    for piece in pieces {
        let open = items.iter_mut().rev().find(|item| goes_on(item, &piece));
        match (open, piece) {
            (Some(Value::Object(item)), Value::Object(piece)) if key != "annotations" => {
                object(item, piece);
            }
            (_, piece) => items.push(piece),
        }
    }
}

/// Whether a piece goes on with an item: its `index` says so; without one it does where it names nothing new.
/// Two ids are two items, whatever their `index`: some servers count every call as the first.
fn goes_on(item: &Value, piece: &Value) -> bool {
    let id = |value: &Value| word(value, "/id").map(str::to_owned);
    if let (Some(one), Some(other)) = (id(item), id(piece)) {
        return one == other;
    }
    match (item.get("index"), piece.get("index")) {
        (Some(one), Some(other)) => one == other,
        _ => {
            let named = id(piece).is_some() || word(piece, "/function/name").is_some();
            !named && item.get("type") == piece.get("type")
        }
    }
}

fn word<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer)?.as_str().filter(|w| !w.is_empty())
}

fn text_part(text: Value) -> Value {
    json!({"type": "text", "text": text})
}
