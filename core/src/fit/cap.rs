//! No single result takes more than its limit: the middle of a longer one goes, whatever its age.

use serde_json::{Value, json};

use super::Protected;
use super::calls::{Found, results};
use super::change::{Change, of_result, put, with_result};
use super::estimate::is_denied;
use super::item::{Item, Scale, result_content, result_text};
use super::measure::json_bytes;
use crate::transcript::AgentMessage;

/// Details of a capped result are kept up to this many bytes of JSON.
const DETAILS_BYTES: u64 = 2048;

/// Caps every result over `limit` tokens; 0 is no limit.
pub fn cap(items: &mut [Item], limit: u64, protected: &Protected, scale: &Scale) -> Vec<Change> {
    if limit == 0 {
        return Vec::new();
    }
    let over: Vec<(Change, String, u64)> = results(items)
        .iter()
        .filter_map(|found| {
            let item = items.get(found.message)?;
            let tokens = item.result_tokens(found.block, scale);
            (tokens > limit && !protected.message(found.message)).then(|| {
                let text = result_text(result_content(item.message(), found.block));
                let text = shortened(&text, tokens, limit, found, scale);
                (of_result(found), text, tokens)
            })
        })
        .collect();
    over.into_iter()
        .filter_map(|(change, text, tokens)| {
            let message = items.get(change.message)?.message();
            let details = capped_details(message, tokens);
            let message = with_result(message, change.block, text, details);
            Some(put(items, change, message, scale))
        })
        .collect()
}

/// The two ends of a text with a marker between them, at most `limit` tokens.
fn shortened(text: &str, tokens: u64, limit: u64, found: &Found<'_>, scale: &Scale) -> String {
    let name = found.function_id.unwrap_or("the function");
    let full = format!(
        "\n[…result capped: was ~{tokens} tokens; middle omitted; re-call {name} with narrower arguments if the omitted middle is needed]\n"
    );
    let marker = [full.as_str(), "[cap]", "…"]
        .into_iter()
        .find(|marker| scale.text(marker) <= limit)
        .unwrap_or_default();
    let target = share(
        text.len() as u64,
        limit.saturating_mul(9),
        tokens.saturating_mul(10),
    );
    let mut keep = target.saturating_sub(marker.len() as u64);
    loop {
        let short = ends(text, keep, marker);
        let now = scale.text(&short);
        // The ends can be denser than the whole.
        if now <= limit || keep == 0 {
            return short;
        }
        keep = share(keep, limit, now).min(keep - 1);
    }
}

fn ends(text: &str, keep: u64, marker: &str) -> String {
    let head = share(keep, 6, 10);
    let tail = keep - head;
    let head = text.floor_char_boundary(usize::try_from(head).unwrap_or(usize::MAX));
    let tail = text
        .len()
        .saturating_sub(usize::try_from(tail).unwrap_or(usize::MAX));
    let tail = text.ceil_char_boundary(tail).max(head);
    let mut short = text.get(..head).unwrap_or_default().to_owned();
    short.push_str(marker);
    short.push_str(text.get(tail..).unwrap_or_default());
    short
}

/// `whole` × `part` / `of`, without overflow on the way.
fn share(whole: u64, part: u64, of: u64) -> u64 {
    let product = u128::from(whole) * u128::from(part);
    u64::try_from(product / u128::from(of.max(1))).unwrap_or(u64::MAX)
}

fn capped_details(message: &AgentMessage, tokens: u64) -> Option<Value> {
    let AgentMessage::FunctionResult { details, .. } = message else {
        return None;
    };
    let long = !is_denied(details) && json_bytes(details) > DETAILS_BYTES;
    long.then(|| json!({"context_capped": {"original_estimated_tokens": tokens}}))
}
