//! What holds of an assembly.

use galley_core::fit::{
    AssembleRequest, AssembleResponse, CompactionOutcome, Detail, PassName, Scale,
};
use galley_core::transcript::{AgentMessage, ContentBlock};
use serde_json::Value;

use super::holds::{by_role, roles, same_but_for_results, tools};
use super::pairs::{is_whole, pairs};
use super::{Case, messages};

/// What holds of an assembly; adds words for what it reached.
pub fn assembled(
    case: &Case,
    request: &AssembleRequest,
    response: &AssembleResponse,
    detail: &Detail,
    scale: &Scale,
    reached: &mut Vec<&'static str>,
) {
    let options = request.options.clone().unwrap_or_default();
    assert!(response.token_count <= response.usable, "it fits");
    let breakdown = &response.breakdown;
    let rest = [
        breakdown.system_prompt_tokens,
        breakdown.tools_tokens,
        options.request_overhead_tokens.unwrap_or_default(),
    ];
    let sum = rest
        .into_iter()
        .fold(roles(&breakdown.by_role), u64::saturating_add);
    assert_eq!(sum, response.token_count, "the parts are the whole");
    assert_eq!(detail.tokens_after, response.token_count);

    let left = messages(&response.messages);
    let tools = tools(request.tools.as_deref(), scale);
    assert_eq!(breakdown.by_role, by_role(&left, scale), "counted anew");
    assert_eq!(
        breakdown.system_prompt_tokens,
        scale.text(&response.system_prompt)
    );
    assert_eq!(breakdown.tools_tokens, tools);
    assert_eq!(breakdown.by_role.custom, 0);

    let given = request.messages.as_deref().unwrap_or_default();
    let given = messages(given);
    let is_seen = |message: &AgentMessage| !matches!(message, AgentMessage::Custom { .. });
    let seen: Vec<usize> = (0..given.len())
        .filter(|index| is_seen(given[*index]))
        .collect();
    assert_eq!(left.is_empty(), seen.is_empty(), "a list is never emptied");

    let applied = &response.applied;
    let pass = |name: PassName| {
        let mut passes = detail.passes.iter();
        passes
            .find(|pass| pass.pass == name)
            .expect("every pass is told")
    };
    assert_eq!(
        applied.initial_token_count,
        pass(PassName::Images).tokens_after
    );
    let members = [
        applied.summary.is_some(),
        applied.tokens_before.is_some(),
        applied.summarized_head_tokens.is_some(),
        applied.tail_start_index.is_some(),
    ];
    assert_eq!(members, [applied.compacted; 4]);
    assert_eq!(applied.tokens_before, applied.summarized_head_tokens);
    let dry = detail
        .compaction
        .as_ref()
        .filter(|told| told.outcome == CompactionOutcome::Dry);
    let from = applied
        .tail_start_index
        .or(dry.and_then(|told| told.tail_start_index));
    let start = from.map_or(0, |from| {
        seen.iter()
            .position(|index| *index == from)
            .expect("a tail starts at a message that is seen")
    });
    assert!(start == 0 || case.outside.summary.is_ok() || case.extras.dry_run);
    let before = pass(PassName::Compaction).tokens_before;
    assert!(
        start == 0 || before > response.usable,
        "what fits is not compacted"
    );
    if applied.compacted {
        assert_eq!(
            applied.summary.as_deref(),
            case.outside.summary.as_ref().ok().and_then(Value::as_str)
        );
    }
    // A call may stand in a result, which a pass may rewrite whole.
    let in_result = |at: usize| matches!(given[at], AgentMessage::FunctionResult { .. });
    let mut pairs = pairs(&given);
    pairs.retain(|pair| !in_result(pair.call.0));
    assert!(
        is_whole(&pairs, from.unwrap_or(0)),
        "no call is cut off from its result"
    );

    let kept = &seen[start..];
    assert_eq!(kept.len(), left.len(), "nothing is added or removed");
    for (source, now) in kept.iter().zip(&left) {
        same_but_for_results(given[*source], now);
    }
    let protected = case
        .extras
        .protected_messages
        .iter()
        .filter(|index| seen.contains(index));
    for index in protected {
        let place = kept
            .iter()
            .position(|source| source == index)
            .expect("a protected message stays");
        assert_eq!(
            given[*index], left[place],
            "a protected message stays as it is"
        );
    }
    capped(case, request, response, detail, kept, scale);

    let changed = kept
        .iter()
        .zip(&left)
        .find(|(source, now)| given[**source] != **now);
    let first = detail
        .passes
        .iter()
        .filter_map(|pass| pass.parts.first())
        .map(|part| part.message);
    if start == 0 {
        assert_eq!(
            changed.map(|(source, _)| *source),
            first.min(),
            "the first change"
        );
    }
    reached.extend(
        detail
            .passes
            .iter()
            .filter(|pass| !pass.parts.is_empty())
            .map(|pass| match pass.pass {
                PassName::Images => "images",
                PassName::Cap => "capped",
                PassName::Prune => "pruned",
                PassName::Emergency => "emergency",
                PassName::Compaction => panic!("a compaction rewrites no part"),
            }),
    );
}

/// What no later pass wrote anew is within the limit.
fn capped(
    case: &Case,
    request: &AssembleRequest,
    response: &AssembleResponse,
    detail: &Detail,
    kept: &[usize],
    scale: &Scale,
) {
    let own = request
        .options
        .as_ref()
        .and_then(|options| options.max_result_tokens);
    let limit = own.unwrap_or(case.manager().config().max_result_tokens);
    let later = |index: usize| {
        let passes = detail.passes.iter();
        let mut later =
            passes.filter(|pass| matches!(pass.pass, PassName::Prune | PassName::Emergency));
        later.any(|pass| pass.parts.iter().any(|part| part.message == index))
    };
    for (source, item) in kept.iter().zip(&response.messages) {
        if limit == 0 || later(*source) || case.extras.protected_messages.contains(source) {
            continue;
        }
        let whole = matches!(item.message(), AgentMessage::FunctionResult { .. });
        let blocks = item.message().content().iter().enumerate();
        let inline = blocks
            .filter(|(_, block)| !whole && matches!(block, ContentBlock::FunctionResult { .. }));
        let places = inline
            .map(|(block, _)| Some(block))
            .chain(whole.then_some(None));
        for place in places {
            assert!(
                item.result_tokens(place, scale) <= limit,
                "a result is within its limit"
            );
        }
    }
}
