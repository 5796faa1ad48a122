//! Counting again: what a request that was sent counts here, beside what its provider counted.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Desk;
use crate::assembly::request::{ModelChoice, Regenerate};
use crate::assembly::{Door, EstimateRequest, Limits, Memo};
use crate::conversation::Conversation;
use crate::conversation::native::{Round, TurnKind, Usage};
use crate::refusal::Refusal;
use crate::seal::Entry;
use crate::tokens::Texts;

/// Our count of a request that was sent, and its provider's.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify))]
pub struct Recount {
    /// What the provider reported for it. Its `input_tokens` are to be compared with `request_tokens`: both
    /// hold everything that was read, from a cache or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Tokens of its entries, framing included, and of its tool definitions.
    pub request_tokens: u64,
    /// Whether the model's own tokenizer counted.
    pub tokenizer_exact: bool,
    /// Whether the entries are those that were sealed. Otherwise they are what the file has of the request, laid as
    /// the addressee declares it: what the file does not have, the provider counted and this does not.
    pub sealed: bool,
}

/// A request as it is kept with the turn or the round that it opened.
#[derive(Deserialize)]
struct Kept {
    entries: Vec<Entry>,
    #[serde(default)]
    request_options: Options,
}

#[derive(Default, Deserialize)]
struct Options {
    #[serde(default)]
    tools: Vec<Value>,
}

/// Counts the request that a round of a reply answered, or the newest one of the reply. Without `model` it is the
/// one that answered.
///
/// # Errors
/// `not_found` for a reply or a round that is not there, and everything an estimate refuses of the model.
pub fn recount(
    desk: Desk<'_>,
    conversation: &Conversation,
    memo: &mut Memo,
    turn: &str,
    round: Option<&str>,
    model: Option<ModelChoice>,
) -> Result<Recount, Refusal> {
    let missing = |what: String| Refusal::new("not_found", format!("there is no {what}"));
    let (position, body) = conversation
        .reachable()
        .into_iter()
        .filter_map(|index| Some((index, conversation.turns.get(index)?)))
        .find(|(_, one)| one.id == turn && one.kind == TurnKind::DirectReply)
        .map(|(index, one)| (conversation.position(index), one.active().body))
        .ok_or_else(|| missing(format!("reply `{turn}`")))?;
    let rounds: &[Round] = body.run.as_ref().map_or(&[], |run| &run.rounds);
    let newest = rounds.len().saturating_sub(1);
    let at = match round {
        None => newest,
        Some(key) => rounds
            .iter()
            .position(|round| round.key == key)
            .ok_or_else(|| missing(format!("round `{key}` in the reply `{turn}`")))?,
    };
    let own = rounds.get(at).and_then(|round| round.usage.as_ref());
    let usage = match at == newest {
        true => own.or(body.usage.as_ref()),
        false => own,
    };
    let model = model.or_else(|| {
        let named = usage.and_then(|usage| usage.model.clone());
        named.or(body.model.clone()).map(ModelChoice::Id)
    });
    // A round that called nothing and got nothing back is the beginning of the answer that goes on after it.
    let goes_on = |round: &Round| round.calls.is_empty() && round.results.is_empty();
    let before = rounds.get(..at).unwrap_or_default();
    let asked = before.iter().rposition(|round| !goes_on(round));
    let asked = asked.map_or(0, |last| last + 1);
    let kept = match asked {
        0 => body.request.as_ref(),
        _ => None,
    };
    let kept = rounds
        .get(asked)
        .and_then(|round| round.request.as_ref())
        .or(kept)
        .and_then(|request| Kept::deserialize(request).ok());

    let request = EstimateRequest {
        regenerate: Some(Regenerate {
            position,
            round: rounds.get(asked).map(|round| round.key.clone()),
        }),
        model,
        ..EstimateRequest::default()
    };
    let desk = Desk {
        limits: Limits {
            window: usize::MAX,
            bytes: u64::MAX,
        },
        ..desk
    };
    let plan = memo.aside(|memo| desk.work_out(conversation, memo, &request, Door::Recount))?;
    let framing = plan.model.row.framing;
    Ok(Recount {
        usage: usage.filter(|usage| usage.status == "succeeded").cloned(),
        request_tokens: match &kept {
            None => plan.request_tokens(),
            Some(kept) => {
                let (tokens, texts) = filled(kept, &mut memo.texts);
                let framing = framing.per_text.saturating_mul(texts) + framing.fixed;
                tokens.saturating_add(framing)
            }
        },
        tokenizer_exact: plan.tokenizer_exact,
        sealed: kept.is_some(),
    })
}

/// Tokens of sealed entries and their tools, and how many texts the entries have.
fn filled(kept: &Kept, texts: &mut Texts) -> (u64, u64) {
    let (mut tokens, mut count) = (0_u64, 0_u64);
    let said = kept.entries.iter().flat_map(Entry::texts);
    for text in said.filter(|text| !text.trim().is_empty()) {
        let text = texts.text(text);
        tokens = tokens.saturating_add(texts.fill(&text));
        count += 1;
    }
    for tool in &kept.request_options.tools {
        let text = texts.text(&tool.to_string());
        tokens = tokens.saturating_add(texts.fill(&text));
    }
    (tokens, count)
}

#[cfg(test)]
mod tests {
    use crate::session::Session;
    use serde_json::{Value, json};

    fn open(file: &Value) -> Session {
        Session::open(file.to_string().as_bytes()).unwrap()
    }

    fn counted(session: &mut Session, turn: &str, round: Option<&str>) -> u64 {
        session.recount(turn, round, None).unwrap().request_tokens
    }

    #[test]
    fn what_was_sealed_is_counted_as_it_was_estimated() {
        let row = json!({"model": "m", "input_tokens": 8192});
        let mut session = open(&json!({"galley": "conversation/1", "models": [row],
            "turns": [{"text": "before it"}, {"text": "and this"}]}));
        let request = json!({"prompt": "a question", "model": "m", "history": {"max_entries": 1},
            "tools": [{"name": "look", "description": "looks around"}]});
        let estimated = session.estimate(&request).unwrap().request_tokens;
        let turn = session.seal(&request, Default::default()).unwrap().turn.id;
        let usage = json!({"status": "succeeded", "input_tokens": 40, "output_tokens": 2});
        let answer = json!({"content": "an answer", "usage": usage});
        session.settle(&turn, &answer).unwrap();
        session.append(&json!({"text": "after it"})).unwrap();
        let recount = session.recount(&turn, None, None).unwrap();
        assert_eq!((recount.request_tokens, recount.sealed), (estimated, true));
        assert_eq!(recount.usage.unwrap().input_tokens, 40);
    }

    fn log(answered: usize) -> Value {
        let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "look", "arguments": "{\"at\": \"it\"}"}});
        let said = [
            json!({"role": "system", "content": "You look at things."}),
            json!({"role": "user", "content": "What is there to see?"}),
            json!({"role": "assistant", "content": "I look.", "tool_calls": [call("a"), call("b")]}),
            json!({"role": "tool", "tool_call_id": "a", "content": "a wall, and on it a picture of the sea"}),
            json!({"role": "tool", "tool_call_id": "b", "content": "a door"}),
            json!({"role": "assistant", "content": null, "tool_calls": [call("c")]}),
            json!({"role": "tool", "tool_call_id": "c", "content": "a boat"}),
        ];
        json!({"model": "gpt-4o", "messages": said[..answered],
            "tools": [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]})
    }

    #[test]
    fn a_round_is_counted_as_the_request_that_ended_before_it() {
        let mut whole = log(7);
        whole["choices"] =
            json!([{"index": 0, "message": {"role": "assistant", "content": "A boat at sea."}}]);
        whole["usage"] = json!({"prompt_tokens": 99, "completion_tokens": 5});
        let mut whole = open(&whole);
        let turn = whole.conversation().turns[0].id.clone();
        let row = json!({"input_tokens": 8192});
        for (round, end, reported) in [
            (Some("r1"), 2, None),
            (Some("r2"), 5, None),
            (Some("r3"), 7, Some(99)),
            (None, 7, Some(99)),
        ] {
            let model = serde_json::from_value(row.clone()).unwrap();
            let recount = whole.recount(&turn, round, Some(model)).unwrap();
            let ended = json!({"prompt": "What is there to see?", "model": row});
            let mut ended_there = open(&log(end));
            let request = match end {
                2 => ended,
                _ => json!({"model": row}),
            };
            let estimated = ended_there.estimate(&request).unwrap().request_tokens;
            let usage = recount.usage.map(|usage| usage.input_tokens);
            assert_eq!(
                (recount.request_tokens, usage),
                (estimated, reported),
                "{round:?}"
            );
            assert!(!recount.sealed);
        }
    }

    #[test]
    fn no_bound_applies_to_what_was_sent() {
        let mut turns: Vec<Value> = (0..300)
            .map(|at| json!({"text": format!("words number {at} of many")}))
            .collect();
        turns.push(json!({"id": "asked", "kind": "direct_reply", "prompt": "why", "model": "m", "content": "so"}));
        let history = json!({"blocks": [{"type": "history", "max_entries": 2, "budget": {"share": 0.5}}, {"type": "input"}]});
        let mut file = json!({"galley": "conversation/1", "turns": turns,
            "models": [{"model": "m", "input_tokens": 64}], "execution_defaults": {"prompt_mechanism": "assembly", "prompt_template": history}});
        let bounded = counted(&mut open(&file), "asked", None);
        file["models"] = json!([{"model": "m"}]);
        file["execution_defaults"] = json!(null);
        assert_eq!(counted(&mut open(&file), "asked", None), bounded);
        assert!(bounded > 300, "{bounded}");
    }

    #[test]
    fn a_plan_made_beside_a_recount_stays_what_it_was() {
        let mut session = open(&log(7));
        let request = json!({"prompt": "x", "model": {"input_tokens": 8192}});
        let before = session.plan(&request).unwrap();
        let counted = session.counted();
        let turn = session.conversation().turns[0].id.clone();
        let row = serde_json::from_value(json!({"input_tokens": 8192})).unwrap();
        session.recount(&turn, None, Some(row)).unwrap();
        assert_eq!(session.plan(&request).unwrap(), before);
        assert_eq!(session.counted(), counted, "every text was counted already");
    }

    #[test]
    fn a_reply_or_a_round_that_is_not_there_is_named() {
        let mut session = open(&log(7));
        let turn = session.conversation().turns[0].id.clone();
        for (turn, round, named) in [("t9", None, "`t9`"), (turn.as_str(), Some("r9"), "`r9`")] {
            let refusal = session.recount(turn, round, None).unwrap_err();
            assert_eq!(refusal.code, "not_found");
            assert!(refusal.message.contains(named), "{refusal}");
        }
    }
}
