//! What iFlow writes otherwise, whose logs are in this shape: results in Gemini CLI's, of which it is a fork, and
//! an answer again and again as it grows.

use serde_json::Value;

use super::super::gemini_cli::result_of;
use super::super::record::word;

/// Whether a line is the answer of the line before it, grown: it follows the same line and makes one of its calls.
pub(super) fn grows(before: &Value, value: &Value) -> bool {
    let parent = |value| word(value, "parentUuid").filter(|parent| !parent.is_empty());
    parent(before).is_some()
        && parent(before) == parent(value)
        && calls(value).any(|id| calls(before).any(|known| known == id))
}

/// The ids of the calls of a line.
fn calls(value: &Value) -> impl Iterator<Item = &str> {
    let blocks = value.pointer("/message/content").and_then(Value::as_array);
    let calls = blocks.into_iter().flatten();
    let calls = calls.filter(|block| word(block, "type") == Some("tool_use"));
    calls.filter_map(|block| word(block, "id"))
}

/// Takes a result out of Gemini CLI's shape, where it is in it.
pub(super) fn unwrap(content: &mut Value, failed: &mut bool, details: &mut Value) {
    let Some(wrapped) = content.as_object() else {
        return;
    };
    let parts = match (
        wrapped.get("responseParts"),
        wrapped.get("functionResponse"),
    ) {
        (Some(Value::Array(parts)), _) => parts.clone(),
        (Some(part), _) => vec![part.clone()],
        (None, Some(_)) => vec![content.clone()],
        (None, None) => return,
    };
    let shown = wrapped.get("resultDisplay").cloned();
    let (said, said_failed) = result_of(&Value::Array(parts));
    *content = said;
    *failed |= said_failed || word(details, "status") == Some("error");
    if let Some((details, shown)) = details.as_object_mut().zip(shown) {
        details.insert("resultDisplay".to_owned(), shown);
    }
}
