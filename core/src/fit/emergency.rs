//! The largest results become references, one by one, until enough is freed.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::Protected;
use super::calls::{Found, results};
use super::change::{Change, of_result, put, with_result};
use super::item::{Item, Scale, result_content, result_text};
use crate::transcript::{AgentMessage, ContentBlock};
use crate::wording::{REDUCED, RETRIEVAL_HINT, Wording};

/// How much of a result a reference shows, characters.
const PREVIEW: usize = 160;

/// Reduces results until `required` tokens are freed or none is left that would shrink. What was freed is the sum
/// of the changes.
pub fn reduce(
    items: &mut [Item],
    required: u64,
    protected: &Protected,
    wording: &Wording,
    scale: &Scale,
) -> Vec<Change> {
    let view = items.to_vec();
    let mut candidates: Vec<(u64, Found<'_>)> = results(&view)
        .into_iter()
        .filter(|found| !protected.message(found.message))
        .filter_map(|found| {
            let item = view.get(found.message)?;
            let weight = match found.block {
                None => item.tokens(scale),
                Some(_) => item.result_tokens(found.block, scale),
            };
            Some((weight, found))
        })
        .collect();
    candidates.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    let (mut changes, mut freed) = (Vec::new(), 0u64);
    for (weight, found) in candidates {
        if freed >= required {
            break;
        }
        let (Some(item), Some(original)) = (items.get(found.message), view.get(found.message))
        else {
            continue;
        };
        let reference = reference(original.message(), &found, weight, wording);
        let text = format!("{} {reference}", wording.say(REDUCED));
        let details = json!({ "context_reference": reference });
        let message = with_result(item.message(), found.block, text, Some(details));
        if scale.message(&message, None) >= item.tokens(scale) {
            continue;
        }
        let change = put(items, of_result(&found), message, scale);
        freed = freed.saturating_add(change.freed());
        changes.push(change);
    }
    changes.sort_by_key(|change| (change.message, change.block));
    changes
}

/// What stands for a result: enough to find it again and to know that it is the same.
fn reference(message: &AgentMessage, found: &Found<'_>, weight: u64, wording: &Wording) -> Value {
    let block = found.block.and_then(|block| message.content().get(block));
    let original = match block {
        Some(block) => serde_json::to_string(block),
        None => serde_json::to_string(message),
    }
    .unwrap_or_default();
    let text = result_text(result_content(message, found.block));
    let preview = if text.is_empty() {
        preview(&details(message, block))
    } else {
        preview(&text)
    };
    let mut reference = Map::new();
    reference.insert("kind".to_owned(), json!("function_result_reference"));
    if let Some(function_id) = found.function_id {
        reference.insert("function_id".to_owned(), json!(function_id));
    }
    let rest = [
        ("function_call_id", json!(found.call_id)),
        ("original_bytes", json!(original.len())),
        ("original_estimated_tokens", json!(weight)),
        ("sha256", json!(hex(Sha256::digest(original.as_bytes())))),
        ("preview", json!(preview)),
        ("retrieval_hint", json!(wording.say(RETRIEVAL_HINT))),
    ];
    reference.extend(rest.map(|(key, value)| (key.to_owned(), value)));
    Value::Object(reference)
}

fn details(message: &AgentMessage, block: Option<&ContentBlock>) -> String {
    match (message, block) {
        (AgentMessage::FunctionResult { details, .. }, None) => details.to_string(),
        _ => Value::Null.to_string(),
    }
}

fn preview(text: &str) -> String {
    match text.char_indices().nth(PREVIEW) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// Lower-case hex.
pub fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
