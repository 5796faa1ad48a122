//! The newest turns that fit, without a model being asked: pairs whole, the system prompt kept.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::change::content_mut;
use super::detail::Sizes;
use super::item::{Item, is_user_turn};
use super::manager::{Manager, required, tool_tokens};
use super::select::safe_cuts;
use super::wire::ModelInput;
use crate::refusal::Refusal;
use crate::transcript::{AgentFunction, AgentMessage, ContentBlock};

#[cfg(feature = "types")]
use crate::transcript::AgentMessage as Message;

/// What `trim` is asked.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct TrimRequest {
    /// The history; required.
    #[cfg_attr(
        feature = "types",
        schemars(with = "Option<Vec<Message>>"),
        tsify(type = "AgentMessage[] | null")
    )]
    pub messages: Option<Vec<Item>>,
    /// Tokens that prompt, functions and messages may have together.
    pub max_tokens: u64,
    /// The model they are counted for.
    #[serde(default)]
    pub model: Option<ModelInput>,
    /// The system prompt; it stays, and takes its room first.
    #[serde(default)]
    pub system_prompt: Option<String>,
    /// The functions the model may call; they stay too.
    #[serde(default)]
    pub tools: Option<Vec<AgentFunction>>,
    /// Whether reasoning goes from all answers but the newest.
    #[serde(default)]
    pub drop_reasoning: bool,
    /// Functions whose calls and results go, with the reasoning that led to them.
    #[serde(default)]
    pub drop_functions: Vec<String>,
}

/// What `trim` answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct TrimResponse {
    /// The messages that are left; customs are not among them.
    #[cfg_attr(
        feature = "types",
        schemars(with = "Vec<Message>"),
        tsify(type = "AgentMessage[]")
    )]
    pub messages: Vec<Item>,
    /// Index in the request of each.
    pub sources: Vec<usize>,
    /// Tokens of everything that is left.
    pub token_count: u64,
    /// Whether that is at most `max_tokens`. Where it is not, the least that can be sent is left: what stays when
    /// no turn fits is never cut between a call and its result.
    pub fits: bool,
    /// What `token_count` is made of.
    pub sizes: Sizes,
    /// Answers that lost reasoning, by their index in the request: a wire that pairs reasoning with what follows
    /// it must be told.
    pub reasoning_dropped: Vec<usize>,
}

/// Keeps the newest turns that fit.
///
/// # Errors
/// `context/invalid_request` without messages.
pub fn trim(manager: &Manager, request: TrimRequest) -> Result<TrimResponse, Refusal> {
    let requested = required(request.messages)?;
    let scale = manager.scale(request.model.as_ref());
    let tools = request.tools.unwrap_or_default();
    let fixed = Sizes {
        system_prompt: request
            .system_prompt
            .as_deref()
            .map_or(0, |prompt| scale.text(prompt)),
        ..Sizes::of(std::iter::empty(), &tools, &scale)
    };
    let taken = fixed
        .system_prompt
        .saturating_add(tool_tokens(&fixed.tools));

    let mut dropped = Dropped::of(&requested, &request.drop_functions, request.drop_reasoning);
    let (mut sources, mut items) = (Vec::new(), Vec::new());
    for (index, item) in requested.iter().enumerate() {
        if let Some(left) = dropped.left(index, item) {
            sources.push(index);
            items.push(left);
        }
    }

    let sizes: Vec<u64> = items.iter().map(|item| item.tokens(&scale)).collect();
    let from = newest(&items, &sizes, request.max_tokens.saturating_sub(taken));
    items.drain(..from);
    sources.drain(..from);
    let sizes = Sizes {
        system_prompt: fixed.system_prompt,
        ..Sizes::of(sources.iter().copied().zip(&items), &tools, &scale)
    };
    let messages = sizes.messages.iter().map(|size| size.tokens);
    let token_count = messages.fold(taken, u64::saturating_add);
    dropped.reasoning.retain(|index| sources.contains(index));
    Ok(TrimResponse {
        messages: items,
        sources,
        token_count,
        fits: token_count <= request.max_tokens,
        sizes,
        reasoning_dropped: dropped.reasoning,
    })
}

/// What goes whatever its size.
struct Dropped<'a> {
    functions: &'a [String],
    /// Results that go with their calls: message and block.
    results: BTreeSet<(usize, Option<usize>)>,
    /// The newest answer keeps its reasoning: it may be in the middle of its calls.
    reasoning_before: Option<usize>,
    /// Answers that lost reasoning.
    reasoning: Vec<usize>,
}

impl<'a> Dropped<'a> {
    fn of(items: &[Item], functions: &'a [String], reasoning: bool) -> Self {
        let named = |name: &str| functions.iter().any(|of| of == name);
        let mut results = BTreeSet::new();
        for (found, call) in super::calls::answers(items) {
            let goes = match call {
                // What the call names is what goes: a result may say another name. A call may also stand in a
                // result that goes.
                Some(call) => named(call.function_id) || results.contains(&(call.message, None)),
                None => found.function_id.is_some_and(named),
            };
            if goes {
                results.insert((found.message, found.block));
            }
        }
        let is_answer = |item: &Item| matches!(item.message(), AgentMessage::Assistant { .. });
        Self {
            functions,
            results,
            reasoning_before: items.iter().rposition(is_answer).filter(|_| reasoning),
            reasoning: Vec::new(),
        }
    }

    /// What is left of a message; nothing when it is not sent, or holds nothing to send any more.
    fn left(&mut self, index: usize, item: &Item) -> Option<Item> {
        let message = item.message();
        if matches!(message, AgentMessage::Custom { .. }) || self.results.contains(&(index, None)) {
            return None;
        }
        let content = message.content();
        let mut goes: Vec<bool> = content
            .iter()
            .enumerate()
            .map(|(block, content)| match content {
                ContentBlock::FunctionCall { function_id, .. } => {
                    self.functions.contains(function_id)
                }
                ContentBlock::FunctionResult { .. } => self.results.contains(&(index, Some(block))),
                ContentBlock::Thinking { .. } => {
                    self.reasoning_before.is_some_and(|newest| index < newest)
                }
                _ => false,
            })
            .collect();
        // Reasoning leads to the call behind it, and goes with it.
        let thinks =
            |block: usize| matches!(content.get(block), Some(ContentBlock::Thinking { .. }));
        let calls =
            |block: usize| matches!(content.get(block), Some(ContentBlock::FunctionCall { .. }));
        for block in (0..content.len()).rev() {
            let next = (block + 1..content.len()).find(|next| !thinks(*next));
            let led_to = next.filter(|next| calls(*next) && goes.get(*next) == Some(&true));
            if let Some(goes) = goes
                .get_mut(block)
                .filter(|_| thinks(block) && led_to.is_some())
            {
                *goes = true;
            }
        }
        if !goes.contains(&true) {
            return Some(item.clone());
        }
        let lost_reasoning =
            (0..content.len()).any(|block| thinks(block) && goes.get(block) == Some(&true));
        let mut left = message.clone();
        let mut kept = goes.iter();
        content_mut(&mut left).retain(|_| kept.next() == Some(&false));
        let says = |block: &ContentBlock| !matches!(block, ContentBlock::Thinking { .. });
        // A result answers its call even with nothing in it.
        let answers = matches!(left, AgentMessage::FunctionResult { .. });
        if !answers && !left.content().iter().any(says) {
            return None;
        }
        if lost_reasoning {
            self.reasoning.push(index);
        }
        Some(Item::new(left))
    }
}

/// Index of the first message that stays: the oldest turn from which on all fits; where not even the newest turn
/// does, the first answer in it from which on all fits; where none does, the last place that can be cut at.
fn newest(items: &[Item], sizes: &[u64], budget: u64) -> usize {
    let safe = safe_cuts(items);
    let mut rest = sizes.iter().copied().fold(0, u64::saturating_add);
    let mut first = Vec::new();
    for (index, size) in sizes.iter().enumerate() {
        first.push((index, rest));
        rest = rest.saturating_sub(*size);
    }
    let cuts = || {
        first
            .iter()
            .filter(|(index, _)| *index == 0 || safe.get(*index) == Some(&true))
    };
    let opens = |index: usize| {
        index == 0
            || items
                .get(index)
                .is_some_and(|item| is_user_turn(item.message()))
    };
    let fits = |(_, rest): &&(usize, u64)| *rest <= budget;
    let turn = cuts().filter(fits).find(|(index, _)| opens(*index));
    let part = || cuts().find(fits);
    let least = || cuts().next_back();
    turn.or_else(part)
        .or_else(least)
        .map_or(0, |(index, _)| *index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn call(id: &str, function_id: &str) -> Value {
        json!({"type": "function_call", "id": id, "function_id": function_id})
    }

    fn answer(content: Value) -> Value {
        json!({"role": "assistant", "content": content, "stop_reason": "end", "model": "m", "provider": "p", "timestamp": 1})
    }

    fn result(id: &str, function_id: &str, content: Value) -> Value {
        json!({"role": "function_result", "function_call_id": id, "function_id": function_id, "content": content,
            "timestamp": 1})
    }

    #[track_caller]
    fn check(messages: Value, sources: &[usize]) {
        let request =
            json!({"messages": messages, "max_tokens": 9_999, "drop_functions": ["gone"]});
        let request = serde_json::from_value(request).unwrap();
        let trimmed = trim(&Manager::default(), request).unwrap();
        assert_eq!(trimmed.sources, sources);
    }

    #[test]
    fn a_result_that_says_another_name_goes_or_stays_with_its_call() {
        check(
            json!([
                answer(json!([call("a", "gone")])),
                result("a", "stays", json!([]))
            ]),
            &[],
        );
        check(
            json!([
                answer(json!([call("a", "stays")])),
                result("a", "gone", json!([]))
            ]),
            &[0, 1],
        );
        check(json!([result("a", "gone", json!([]))]), &[]);
    }

    #[test]
    fn a_call_inside_of_a_result_goes_with_it_and_takes_its_own_result() {
        check(
            json!([
                answer(json!([call("a", "gone")])),
                result("a", "gone", json!([call("b", "stays")])),
                result("b", "stays", json!([])),
            ]),
            &[],
        );
    }

    #[test]
    fn a_result_that_holds_nothing_any_more_still_answers_its_call() {
        check(
            json!([
                answer(json!([call("a", "stays")])),
                result("a", "stays", json!([call("b", "gone")])),
            ]),
            &[0, 1],
        );
    }
}
