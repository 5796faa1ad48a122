//! Responses events: the last one holds the whole response, whose items are taken from the events where it
//! leaves them out or never came.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{index_of, object, word_of};

/// The response, and whether it came to an end.
pub(super) fn join(events: Vec<Map<String, Value>>) -> (Map<String, Value>, bool) {
    let (mut body, mut whole) = (Map::new(), false);
    let mut items: BTreeMap<u64, Map<String, Value>> = BTreeMap::new();
    for mut event in events {
        if let Some(response) = object(&mut event, "response") {
            let ends = ["completed", "incomplete", "failed", "cancelled", "done"];
            let kind = word_of(&event, "type").trim_start_matches("response.");
            whole |= ends.contains(&kind);
            body.extend(response);
            continue;
        }
        let Some(index) = index_of(&event, "output_index") else {
            continue;
        };
        match object(&mut event, "item") {
            Some(item) => {
                items.insert(index, item);
            }
            None => goes_on(items.entry(index).or_default(), event),
        }
    }
    let said = body.get("output").and_then(Value::as_array);
    if said.is_none_or(Vec::is_empty) {
        let output = items.into_values().map(Value::Object).collect();
        body.insert("output".to_owned(), Value::Array(output));
    }
    body.entry("object").or_insert_with(|| "response".into());
    (body, whole)
}

/// Adds what an event says to the item it is of.
fn goes_on(item: &mut Map<String, Value>, mut event: Map<String, Value>) {
    let kind = word_of(&event, "type")
        .trim_start_matches("response.")
        .to_owned();
    let inner = |key: &str| index_of(&event, key).and_then(|index| usize::try_from(index).ok());
    let (content, summary) = (inner("content_index"), inner("summary_index"));
    let more = match event.remove("delta") {
        Some(Value::String(more)) => more,
        _ => String::new(),
    };
    let (list, place, part, member) = match kind.as_str() {
        "content_part.added" => ("content", content, "", ""),
        "output_text.delta" => ("content", content, "output_text", "text"),
        "refusal.delta" => ("content", content, "refusal", "refusal"),
        "reasoning_text.delta" => ("content", content, "reasoning_text", "text"),
        "reasoning_summary_part.added" => ("summary", summary, "", ""),
        "reasoning_summary_text.delta" => ("summary", summary, "summary_text", "text"),
        "function_call_arguments.delta" | "mcp_call_arguments.delta" => {
            return append(item, "arguments", &more);
        }
        "custom_tool_call_input.delta" => return append(item, "input", &more),
        "code_interpreter_call_code.delta" => return append(item, "code", &more),
        _ => return,
    };
    let Value::Array(parts) = item.entry(list).or_insert_with(|| Value::Array(Vec::new())) else {
        return;
    };
    let place = place.unwrap_or(0).min(parts.len());
    if place == parts.len() {
        let added = object(&mut event, "part");
        let typed = || Map::from_iter([("type".to_owned(), Value::from(part))]);
        parts.push(Value::Object(added.unwrap_or_else(typed)));
    }
    if let Some(Value::Object(part)) = parts.get_mut(place)
        && !member.is_empty()
    {
        append(part, member, &more);
    }
}

fn append(object: &mut Map<String, Value>, key: &str, more: &str) {
    match object.get_mut(key) {
        Some(Value::String(text)) => text.push_str(more),
        _ => {
            object.insert(key.to_owned(), Value::from(more));
        }
    }
}
