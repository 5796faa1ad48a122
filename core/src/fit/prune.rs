//! Old results that are long, or older than they are worth, become one line each.

use super::calls::{Found, results};
use super::change::{Change, of_result, put, with_result};
use super::item::{Item, Scale, is_user_turn, result_content, result_text};
use super::{Config, Protected};
use crate::transcript::ContentBlock;

/// What decides which results go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PruneRule {
    /// Tokens of the newest results that stay.
    pub protect_recent_tokens: u64,
    /// Results go after this many later user turns; 0 is never.
    pub decay_user_turns: usize,
    /// The newest user turns that are not looked at.
    pub protected_user_turns: usize,
    /// Nothing goes unless this many tokens are freed.
    pub min_free_tokens: u64,
    /// A result longer than this many bytes may go whatever its age.
    pub max_output_chars: usize,
}

impl PruneRule {
    /// The rule of a configuration.
    pub fn of(config: &Config) -> Self {
        Self {
            protect_recent_tokens: config.protect_recent_tokens,
            decay_user_turns: config.decay_user_turns,
            protected_user_turns: config.protected_user_turns,
            min_free_tokens: config.min_free_tokens,
            max_output_chars: config.max_output_chars,
        }
    }
}

/// What pruning came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pruned {
    /// Tokens of the texts that went, without what stands in their place; 0 when nothing went.
    pub tokens: u64,
    /// How many results were looked at.
    pub scanned: u64,
    /// What would have gone, had it freed enough; 0 when it went.
    pub withheld: u64,
    /// The results that went, in order.
    pub changes: Vec<Change>,
}

/// What stands in the place of a result that went.
pub fn placeholder(function_id: &str, tokens: u64) -> String {
    format!("[output of {function_id} pruned: was ~{tokens} tokens; re-call it if still needed]")
}

/// Replaces the results that the rule lets go, when that frees enough.
pub fn prune(items: &mut [Item], rule: &PruneRule, protected: &Protected, scale: &Scale) -> Pruned {
    let mut pruned = Pruned::default();
    let mut freed = 0u64;
    let queue: Vec<(Change, String)> = queue(items, rule, protected, scale, &mut pruned.scanned)
        .iter()
        .map(|(found, tokens)| {
            let stands = placeholder(found.function_id.unwrap_or_default(), *tokens);
            freed = freed.saturating_add(tokens.saturating_sub(scale.text(&stands)));
            (of_result(found), stands)
        })
        .collect();
    if freed < rule.min_free_tokens {
        pruned.withheld = freed;
        return pruned;
    }
    pruned.tokens = freed;
    for (change, stands) in queue.into_iter().rev() {
        let Some(item) = items.get(change.message) else {
            continue;
        };
        let message = with_result(item.message(), change.block, stands, None);
        pruned.changes.push(put(items, change, message, scale));
    }
    pruned
}

/// The results that go, newest first, each with its tokens.
fn queue<'a>(
    view: &'a [Item],
    rule: &PruneRule,
    protected: &Protected,
    scale: &Scale,
    scanned: &mut u64,
) -> Vec<(Found<'a>, u64)> {
    let (mut user_turns, mut window) = (0usize, 0u64);
    let mut queue = Vec::new();
    let mut results = results(view);
    for (index, item) in view.iter().enumerate().rev() {
        if is_user_turn(item.message()) {
            user_turns += 1;
            continue;
        }
        while let Some(found) = results.pop_if(|found| found.message == index) {
            let Some(function_id) = found.function_id else {
                continue;
            };
            if user_turns < rule.protected_user_turns
                || protected.function(function_id)
                || protected.message(index)
            {
                continue;
            }
            *scanned += 1;
            let tokens = item.result_tokens(found.block, scale);
            window = window.saturating_add(tokens);
            let content = result_content(item.message(), found.block);
            let verbose = text_bytes(content) > rule.max_output_chars;
            let decays = rule.decay_user_turns > 0;
            let aged = decays && user_turns >= rule.decay_user_turns;
            if window <= rule.protect_recent_tokens
                || (decays && is_placeholder(content, function_id))
                || !(verbose || aged)
                || (!verbose && !shrinks(item, &found, tokens, scale))
            {
                continue;
            }
            queue.push((found, tokens));
        }
    }
    queue
}

/// Whether the message is smaller with the placeholder in it: the function's name may be the longer one.
fn shrinks(item: &Item, found: &Found<'_>, tokens: u64, scale: &Scale) -> bool {
    let stands = placeholder(found.function_id.unwrap_or_default(), tokens);
    let after = with_result(item.message(), found.block, stands, None);
    scale.message(&after, None) < item.tokens(scale)
}

fn text_bytes(content: &[ContentBlock]) -> usize {
    result_text(content).len()
}

/// Whether the content is, byte for byte, what pruning writes for this function.
fn is_placeholder(content: &[ContentBlock], function_id: &str) -> bool {
    let [ContentBlock::Text { text }] = content else {
        return false;
    };
    let number = text
        .strip_prefix(&format!("[output of {function_id} pruned: was ~"))
        .and_then(|rest| rest.split_once(' '))
        .and_then(|(digits, _)| digits.parse::<u64>().ok());
    number.is_some_and(|tokens| placeholder(function_id, tokens) == *text)
}
