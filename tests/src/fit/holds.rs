//! What holds of every answer of the context manager, whatever it was asked.

use galley_core::fit::{
    Asked, ByRoleTokens, CompactRequest, CompactResponse, Compaction, CompactionOutcome,
    CountTokensRequest, CountTokensResponse, Detail, Item, Outcome, PassName, PruneRequest,
    PruneResponse, Response, Scale, Sizes,
};
use galley_core::transcript::{AgentFunction, AgentMessage, ContentBlock};
use serde_json::{Value, json};

use super::assembled::assembled;
use super::pairs::{is_whole, pairs};
use super::trimmed::trimmed;
use super::{Case, NONCE, NOW_MS, messages, model, recount};

/// Plays a case and panics where something does not hold. Answers words for what the case reached.
pub fn check(case: &Case) -> Vec<&'static str> {
    if case.call == "trim" {
        return trimmed(case);
    }
    let Ok(asked) = Asked::read(&case.call, &case.request) else {
        return vec!["refused"];
    };
    let given = requested(&asked);
    let before = json!(given).to_string();
    let manager = case.manager();
    let (outcome, outside) = case.play(&manager, asked.clone());
    assert_eq!(json!(given).to_string(), before, "the request is as it was");

    let (again, _) = case.play_new();
    assert_eq!(
        text(&outcome),
        text(&again),
        "the same request, the same bytes"
    );

    assert!(
        outside.leases.values().all(|lease| lease.nonce != NONCE),
        "no lease of ours is left"
    );
    for (key, lease) in &case.outside.leases {
        let ttl = manager.config().lease_ttl_secs.saturating_mul(1000);
        if NOW_MS.saturating_sub(lease.ts) < ttl {
            assert_eq!(
                outside.leases.get(key),
                Some(lease),
                "another's lease stays"
            );
        }
    }

    let Outcome { response, detail } = outcome;
    let scale = manager.scale(model(&case.request).as_ref());
    told(&detail);
    let mut reached = vec![];
    if let Some(told) = &detail.compaction {
        reached.push(summarized(case, told, &response_text(&again)));
    }
    match (asked, response) {
        (_, Err(refusal)) => {
            refused(&refusal.code, &refusal.message, &detail);
            reached.push("refused");
        }
        (Asked::Assemble(request), Ok(Response::Assemble(response))) => {
            let exact = json!(response.breakdown.estimator) == json!("tokenizer");
            reached.push(if exact { "exact" } else { "heuristic" });
            assembled(case, &request, &response, &detail, &scale, &mut reached);
        }
        (Asked::Compact(request), Ok(Response::Compact(response))) => {
            compacted(case, &request, &response, &scale);
        }
        (Asked::Prune(request), Ok(Response::Prune(response))) => {
            pruned(case, &request, &response, &scale);
            if response.pruned_parts > 0 {
                reached.push("pruned alone");
            }
        }
        (Asked::CountTokens(request), Ok(Response::CountTokens(response))) => {
            counted(&request, &response, &detail, &scale);
        }
        (asked, response) => panic!("{asked:?} is not answered by {response:?}"),
    }
    reached
}

fn requested(asked: &Asked) -> Vec<Item> {
    let messages = match asked {
        Asked::Assemble(request) => &request.messages,
        Asked::Compact(request) => &request.messages,
        Asked::Prune(request) => &request.messages,
        Asked::CountTokens(request) => &request.messages,
    };
    messages.clone().unwrap_or_default()
}

fn response_text(outcome: &Outcome) -> String {
    match &outcome.response {
        Ok(response) => json!(response).to_string(),
        Err(refusal) => json!(refusal).to_string(),
    }
}

fn text(outcome: &Outcome) -> (String, String) {
    (response_text(outcome), json!(outcome.detail).to_string())
}

pub fn all(sizes: &Sizes) -> u64 {
    let tools = sizes.tools.iter().map(|tool| tool.tokens);
    let messages = sizes.messages.iter().map(|size| size.tokens);
    let parts = [sizes.system_prompt, sizes.overhead];
    tools
        .chain(messages)
        .chain(parts)
        .fold(0, u64::saturating_add)
}

/// Passes go on from each other, sizes are the whole, and a prefix ends at the first message that changed.
fn told(detail: &Detail) {
    for pair in detail.passes.windows(2) {
        assert_eq!(
            pair[0].tokens_after, pair[1].tokens_before,
            "passes go on from each other"
        );
    }
    if let (Some(first), Some(last)) = (detail.passes.first(), detail.passes.last()) {
        assert_eq!(first.tokens_before, detail.tokens_before);
        assert_eq!(last.tokens_after, detail.tokens_after);
    }
    assert_eq!(all(&detail.sizes), detail.tokens_after, "sizes sum up");
    let compacts = detail.compaction.as_ref().is_some_and(|told| {
        matches!(
            told.outcome,
            CompactionOutcome::Done | CompactionOutcome::Dry
        )
    });
    for pass in &detail.passes {
        let first = pass.parts.iter().map(|part| part.message).min();
        let drops = pass.pass == PassName::Compaction && compacts;
        let found = pass.prefix.and_then(|prefix| prefix.message);
        assert!(
            drops || found == first,
            "the prefix ends at the first change"
        );
        assert_eq!(pass.prefix.is_some(), first.is_some() || drops);
        assert_eq!(pass.idle.is_some(), pass.prefix.is_none(), "{pass:?}");
        if let Some(prefix) = pass.prefix.filter(|prefix| prefix.system_prompt) {
            assert_eq!(
                prefix.tokens, pass.tokens_after,
                "all of it is paid for anew"
            );
        }
    }
    // The last change is of what is left.
    let last = detail.passes.iter().rev().find_map(|pass| pass.prefix);
    if let Some(prefix) = last.filter(|prefix| !prefix.system_prompt) {
        let sizes = detail.sizes.messages.iter();
        let tail = sizes.filter(|size| Some(size.message) >= prefix.message);
        let tail = tail.map(|size| size.tokens).fold(0, u64::saturating_add);
        assert_eq!(prefix.tokens, tail, "what is paid for anew");
    }
}

fn refused(code: &str, message: &str, detail: &Detail) {
    match code {
        "context/invalid_request" => assert_eq!(message, "messages is required"),
        "context/model_unresolved" => {
            assert!(message.starts_with("could not resolve model limits ("))
        }
        "context/overflow" => {
            let usable = detail.budget.expect("it has a budget").usable;
            assert!(detail.tokens_after > usable);
            let said = format!(
                "assembled context requires {} tokens but usable budget is {usable}",
                detail.tokens_after
            );
            assert_eq!(message, said);
        }
        other => panic!("{other} is no refusal of these calls"),
    }
}

/// A summary that was not taken leaves everything as one that failed.
fn summarized(case: &Case, told: &Compaction, answer: &str) -> &'static str {
    let word = match told.outcome {
        CompactionOutcome::Done => {
            assert!(told.summary_tokens.expect("it has a size") < told.head_tokens);
            return "compacted";
        }
        CompactionOutcome::Dry => return "dry",
        CompactionOutcome::Busy => return "busy",
        CompactionOutcome::Nothing => return "no head",
        CompactionOutcome::Unavailable => "unavailable",
        CompactionOutcome::Failed => "failed",
        CompactionOutcome::Empty => "blank",
        CompactionOutcome::NotSmaller => {
            assert!(told.summary_tokens.expect("it has a size") >= told.head_tokens);
            "not smaller"
        }
    };
    if case.call == "assemble" {
        let mut failing = case.clone();
        failing.outside.summary = Err(Default::default());
        let (outcome, _) = failing.play_new();
        assert_eq!(answer, response_text(&outcome), "{word} is as failed");
    }
    word
}

/// The same message, its results and images aside: role, ids, functions, flags, times, words and reasoning.
pub fn same_but_for_results(given: &AgentMessage, now: &AgentMessage) {
    let frame = |message: &AgentMessage| {
        let mut frame = json!(message);
        let members = frame.as_object_mut().expect("a message is an object");
        members.remove("content");
        members.remove("details");
        frame
    };
    assert_eq!(frame(given), frame(now));
    if let AgentMessage::FunctionResult { .. } = given {
        return;
    }
    assert_eq!(given.content().len(), now.content().len());
    for (given, now) in given.content().iter().zip(now.content()) {
        match (given, now) {
            (ContentBlock::Image { .. }, ContentBlock::Text { .. }) => {}
            (
                ContentBlock::FunctionResult {
                    function_call_id: id,
                    is_error,
                    ..
                },
                ContentBlock::FunctionResult {
                    function_call_id,
                    is_error: flag,
                    ..
                },
            ) => assert_eq!((id, is_error), (function_call_id, flag)),
            (given, now) => assert_eq!(given, now),
        }
    }
}

fn compacted(case: &Case, request: &CompactRequest, response: &CompactResponse, scale: &Scale) {
    let given = messages(request.messages.as_deref().unwrap_or_default());
    let CompactResponse::Ok {
        summary,
        tail_start_index,
        tokens_before,
        tokens_after,
        used_prior_summary,
    } = response
    else {
        return;
    };
    let cut = tail_start_index.unwrap_or(given.len());
    assert!(cut > 0 && tail_start_index.is_none_or(|index| index < given.len()));
    assert!(
        is_whole(&pairs(&given), cut),
        "no call is cut off from its result"
    );
    let protected = case
        .extras
        .protected_messages
        .iter()
        .filter(|index| **index < given.len());
    assert!(
        protected.min().is_none_or(|index| *index >= cut),
        "a protected message stays"
    );
    assert_eq!(
        Some(summary.as_str()),
        case.outside.summary.as_ref().ok().and_then(Value::as_str)
    );
    assert_eq!(*tokens_before, recount(&given[..cut], scale));
    let after = recount(&given[cut..], scale).saturating_add(scale.text(summary));
    assert_eq!(*tokens_after, after);
    assert!(
        after < recount(&given, scale),
        "a compaction makes it smaller"
    );
    let options = request.options.clone().unwrap_or_default();
    assert_eq!(*used_prior_summary, options.previous_summary.is_some());
}

fn pruned(case: &Case, request: &PruneRequest, response: &PruneResponse, scale: &Scale) {
    let given = messages(request.messages.as_deref().unwrap_or_default());
    let left = messages(&response.messages);
    assert_eq!(given.len(), left.len(), "nothing is added or removed");
    let mut changed = 0;
    for (index, (given, now)) in given.iter().zip(&left).enumerate() {
        same_but_for_results(given, now);
        let details = |message: &AgentMessage| json!(message)["details"].clone();
        assert_eq!(details(given), details(now));
        if given != now {
            changed += 1;
            assert!(!case.extras.protected_messages.contains(&index));
        }
    }
    assert!(response.pruned_parts >= changed);
    assert!(response.scanned_parts >= response.pruned_parts);
    assert!(response.pruned_parts > 0 || response.pruned_tokens == 0);
    for item in &response.messages {
        assert_eq!(
            item.tokens(scale),
            scale.message(item.message(), None),
            "counted anew"
        );
    }
}

fn counted(
    request: &CountTokensRequest,
    response: &CountTokensResponse,
    detail: &Detail,
    scale: &Scale,
) {
    let given = messages(request.messages.as_deref().unwrap_or_default());
    let by_role = by_role(&given, scale);
    assert_eq!(response.by_role, Some(by_role));
    let tools = tools(request.tools.as_deref(), scale);
    assert_eq!(
        response.tools_tokens,
        request.tools.is_some().then_some(tools)
    );
    let prompt = request
        .system_prompt
        .as_deref()
        .map_or(0, |prompt| scale.text(prompt));
    let sum = [prompt, tools]
        .into_iter()
        .fold(roles(&by_role), u64::saturating_add);
    assert_eq!(response.tokens, sum);
    assert_eq!(detail.tokens_after, sum);
}

pub fn tools(tools: Option<&[AgentFunction]>, scale: &Scale) -> u64 {
    let tokens = tools
        .unwrap_or_default()
        .iter()
        .map(|tool| scale.function(tool));
    tokens.fold(0, u64::saturating_add)
}

pub fn by_role(messages: &[&AgentMessage], scale: &Scale) -> ByRoleTokens {
    let of = |role: &str| {
        let all = messages.iter().filter(|message| message.role() == role);
        recount(&all.copied().collect::<Vec<_>>(), scale)
    };
    ByRoleTokens {
        user: of("user"),
        assistant: of("assistant"),
        function_result: of("function_result"),
        custom: of("custom"),
    }
}

pub fn roles(by_role: &ByRoleTokens) -> u64 {
    [
        by_role.user,
        by_role.assistant,
        by_role.function_result,
        by_role.custom,
    ]
    .into_iter()
    .fold(0, u64::saturating_add)
}
