//! What holds of a trimmed history.

use galley_core::fit::{Scale, TrimRequest, TrimResponse, trim};
use galley_core::transcript::{AgentMessage, ContentBlock};
use serde_json::json;

use super::holds::{all, tools};
use super::pairs::{alone, calls, is_whole, pairs};
use super::{Case, messages, recount};

/// Trims, and panics where something does not hold.
pub fn trimmed(case: &Case) -> Vec<&'static str> {
    let read = || serde_json::from_value::<TrimRequest>(case.request.clone());
    let Ok(request) = read() else {
        return vec!["refused"];
    };
    let manager = case.manager();
    let Ok(response) = trim(&manager, request.clone()) else {
        assert_eq!(request.messages, None);
        return vec!["refused"];
    };
    let again = trim(&case.manager(), read().expect("it was read before"));
    assert_eq!(
        json!(response).to_string(),
        json!(again.expect("it was answered before")).to_string()
    );
    let scale = manager.scale(request.model.as_ref());
    let given = messages(request.messages.as_deref().unwrap_or_default());
    let left = messages(&response.messages);
    assert_eq!(left.len(), response.sources.len());
    assert!(
        response.sources.windows(2).all(|pair| pair[0] < pair[1]),
        "the order stays"
    );

    let fixed = request
        .system_prompt
        .as_deref()
        .map_or(0, |prompt| scale.text(prompt))
        .saturating_add(tools(request.tools.as_deref(), &scale));
    let count = recount(&left, &scale).saturating_add(fixed);
    assert_eq!(response.token_count, count, "counted anew");
    assert_eq!(all(&response.sizes), count);
    assert_eq!(response.fits, count <= request.max_tokens);

    let newest = given
        .iter()
        .rposition(|message| matches!(message, AgentMessage::Assistant { .. }));
    for (source, now) in response.sources.iter().zip(&left) {
        let given = given[*source];
        assert!(!matches!(now, AgentMessage::Custom { .. }));
        let rest = left_of(given, now);
        let reasons = |message: &AgentMessage| thoughts(message).count();
        let may_lose = request.drop_reasoning && Some(*source) != newest;
        if request.drop_functions.is_empty() {
            assert!(
                rest.iter().all(|block| may_lose && is_thought(block)),
                "nothing else goes"
            );
        }
        if may_lose {
            assert_eq!(reasons(now), 0, "reasoning goes");
        }
        let answers = matches!(now, AgentMessage::FunctionResult { .. });
        let says = now.content().iter().any(|block| !is_thought(block));
        assert!(given == *now || says || answers, "none of reasoning alone");
        assert_eq!(
            response.reasoning_dropped.contains(source),
            reasons(now) < reasons(given)
        );
    }
    paired(&request, &response, &given, &left);
    least(&request, &response, &left, fixed, &scale);
    match (response.fits, left.len() < given.len()) {
        (false, _) => vec!["does not fit"],
        (true, true) => vec!["trimmed"],
        (true, false) => vec!["fits as it is"],
    }
}

fn is_thought(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::Thinking { .. })
}

fn thoughts(message: &AgentMessage) -> impl Iterator<Item = &ContentBlock> {
    message.content().iter().filter(|block| is_thought(block))
}

/// The blocks that went; those that are left are in their order.
fn left_of<'a>(given: &'a AgentMessage, now: &AgentMessage) -> Vec<&'a ContentBlock> {
    let mut rest = now.content().iter().peekable();
    let mut gone = Vec::new();
    for block in given.content() {
        if rest.peek() == Some(&block) {
            rest.next();
        } else {
            gone.push(block);
        }
    }
    assert_eq!(rest.next(), None, "nothing is new");
    gone
}

/// Every pair is there or not, as a whole.
fn paired(
    request: &TrimRequest,
    response: &TrimResponse,
    given: &[&AgentMessage],
    left: &[&AgentMessage],
) {
    let dropped = |function_id: &String| request.drop_functions.contains(function_id);
    assert!(calls(left).all(|(_, _, function_id)| !dropped(function_id)));
    let stays = |message: usize| response.sources.contains(&message);
    for pair in pairs(given) {
        // A call may stand in a result, which goes whole.
        let in_result = matches!(given[pair.call.0], AgentMessage::FunctionResult { .. });
        if dropped(&pair.function_id) || in_result && !stays(pair.call.0) {
            continue;
        }
        assert_eq!(
            stays(pair.call.0),
            stays(pair.result.0),
            "no call is cut off from its result: {pair:?}"
        );
    }
    for (now, before) in alone(left).into_iter().zip(alone(given)) {
        assert!(now <= before, "nothing is left alone");
    }
}

/// When it does not fit, no smaller part of it would.
fn least(
    request: &TrimRequest,
    response: &TrimResponse,
    left: &[&AgentMessage],
    fixed: u64,
    scale: &Scale,
) {
    if response.fits {
        return;
    }
    let pairs = pairs(left);
    for cut in 1..left.len() {
        let speaks = match left[cut] {
            AgentMessage::Assistant { .. } => true,
            AgentMessage::User { content, .. } => !content
                .iter()
                .any(|block| matches!(block, ContentBlock::FunctionResult { .. })),
            _ => false,
        };
        let rest = recount(&left[cut..], scale).saturating_add(fixed);
        assert!(
            !speaks || !is_whole(&pairs, cut) || rest > request.max_tokens,
            "{cut} would fit"
        );
    }
}
