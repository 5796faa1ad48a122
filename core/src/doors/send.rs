//! Sending: what the send writes, and the answer that comes back.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Desk;
use crate::assembly::{Door, EstimateRequest, Memo, Plan};
use crate::conversation::Conversation;
use crate::conversation::native::{Body, Run, Seed, Turn, TurnKind, Usage};
use crate::json::typed;
use crate::refusal::Refusal;
use crate::role::Role;
use crate::seal::{BOUND, Entry, NativeOrigin};

/// How a send is written down.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify))]
#[serde(default, deny_unknown_fields)]
pub struct SealAs {
    /// The generation options, kept verbatim.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", tsify(type = "Record<string, any>"))]
    pub options: Option<Map<String, Value>>,
    /// The turn's id; default `t` and its position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// When, as the turn's `created_at`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", tsify(type = "string | number"))]
    pub at: Option<Value>,
}

/// The sealed bytes of one request.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify))]
pub struct SealedRequest {
    /// The entries, verbatim.
    pub entries: Vec<Entry>,
    /// The options, and the tools when there are any.
    #[cfg_attr(feature = "types", tsify(type = "Record<string, any>"))]
    pub request_options: Map<String, Value>,
}

/// What a send wrote.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify))]
pub struct Sealed {
    /// What goes to the provider.
    pub request: SealedRequest,
    /// The turn that was appended.
    pub turn: Turn,
}

/// Seals a request and appends its turn, running. Pending words that are its prompt are pending no more.
///
/// # Errors
/// Everything an estimate refuses, and `content_too_large` or `content_not_storable`; `parameter_invalid` for
/// what only an estimate can look at. Nothing is appended then.
pub fn seal(
    desk: Desk<'_>,
    conversation: &mut Conversation,
    memo: &mut Memo,
    request: &Value,
    seal_as: SealAs,
) -> Result<Sealed, Refusal> {
    let request = EstimateRequest::read(request)?;
    for (name, given) in [
        ("regenerate", request.regenerate.is_some()),
        ("before_position", request.before_position.is_some()),
    ] {
        if given {
            return Err(Refusal::parameter(
                format!("/{name}"),
                format!("`{name}` is for looking; a send appends at the end"),
            ));
        }
    }
    let plan = desk.work_out(conversation, memo, &request, Door::Seal)?;
    refuse_unsealable(&plan)?;
    let position = next_position(conversation);
    let id = seal_as
        .id
        .unwrap_or_else(|| free_id(conversation, position));
    if conversation.turns.iter().any(|turn| turn.id == id) {
        return Err(Refusal::parameter(
            "/id",
            format!("a turn `{id}` is there already; give another id or none"),
        ));
    }
    let mut request_options = seal_as.options.unwrap_or_default();
    if !plan.tool_definitions.is_empty() {
        request_options.insert(
            "tools".to_owned(),
            Value::Array(plan.tool_definitions.clone()),
        );
    }
    let sealed = SealedRequest {
        entries: plan.sealed(),
        request_options,
    };
    let turn = Turn {
        id,
        position: Some(position),
        kind: TurnKind::DirectReply,
        role: Some(Role::Assistant),
        status: Some("running".to_owned()),
        speaker: Some(plan.ingress.clone().unwrap_or_else(|| plan.caller.clone())),
        answering_user: Some(plan.addressee.clone()),
        created_at: seal_as.at,
        prompt: Some(Seed {
            text: request.prompt.clone().unwrap_or_default(),
            uploads: request.attachments.clone().unwrap_or_default(),
        }),
        preface: plan.preface.clone(),
        body: Body {
            model: plan.model.row.model.clone(),
            request: Some(serde_json::to_value(&sealed).unwrap_or_default()),
            ..Body::default()
        },
        ..Turn::default()
    };
    // The file's unanswered words are asked now; offered again, they would be asked twice.
    if conversation.pending == turn.prompt {
        conversation.pending = None;
    }
    conversation.turns.push(turn.clone());
    memo.revision += 1;
    Ok(Sealed {
        request: sealed,
        turn,
    })
}

fn refuse_unsealable(plan: &Plan) -> Result<(), Refusal> {
    match plan.storage.refusal {
        Some("content_not_storable") => {
            return Err(Refusal::new(
                "content_not_storable",
                "a text holds U+0000, which cannot be stored; take it out",
            ));
        }
        Some(code) => {
            return Err(Refusal::new(
                code,
                format!(
                    "the entries are {} bytes and the bound is {}; shorten what is sent by {} bytes",
                    plan.storage.bytes,
                    plan.storage.bound,
                    plan.storage.bytes.saturating_sub(plan.storage.bound)
                ),
            ));
        }
        None => {}
    }
    let tools: u64 = plan
        .tool_definitions
        .iter()
        .map(crate::json::canonical::value_bytes)
        .sum();
    if tools > BOUND {
        return Err(Refusal::new(
            "content_too_large",
            format!("the tool definitions are {tools} bytes and the bound is {BOUND}; send fewer or shorter ones"),
        )
        .at("/tools"));
    }
    Ok(())
}

fn next_position(conversation: &Conversation) -> i64 {
    (0..conversation.turns.len())
        .map(|index| conversation.position(index))
        .max()
        .map_or(0, |last| last.saturating_add(1))
}

fn free_id(conversation: &Conversation, position: i64) -> String {
    let taken = |id: &str| conversation.turns.iter().any(|turn| turn.id == id);
    let first = format!("t{position}");
    if !taken(&first) {
        return first;
    }
    (1_u64..)
        .map(|n| format!("{first}.{n}"))
        .find(|id| !taken(id))
        .unwrap_or(first)
}

/// What came back from the provider.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify))]
#[serde(default, deny_unknown_fields)]
pub struct Answer {
    /// The adopted final text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The rounds behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
    /// What the provider reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// How it ended; default `completed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The label of the final text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// Where the label comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_origin: Option<NativeOrigin>,
}

/// Puts an answer onto the turn that waits for it.
///
/// # Errors
/// `parameter_invalid` at the place of what does not belong in an answer; `not_found` for a turn that is not
/// there; `variant_settled` for one that was answered before.
pub fn settle<'c>(
    conversation: &'c mut Conversation,
    memo: &mut Memo,
    id: &str,
    answer: &Value,
) -> Result<&'c Turn, Refusal> {
    let answer: Answer = typed(answer).map_err(|misfit| misfit.refusal("parameter_invalid"))?;
    let turn = conversation
        .turns
        .iter_mut()
        .find(|turn| turn.id == id && !turn.deleted)
        .ok_or_else(|| Refusal::new("not_found", format!("there is no turn `{id}`")))?;
    if turn.active().status != "running" {
        return Err(Refusal::new(
            "variant_settled",
            format!("the turn `{id}` is answered already; append a new one"),
        ));
    }
    let active = turn
        .active_variant
        .clone()
        .or_else(|| turn.variants.last().map(|variant| variant.id.clone()));
    let status = Some(answer.status.unwrap_or_else(|| "completed".to_owned()));
    let body = match turn
        .variants
        .iter_mut()
        .find(|variant| Some(&variant.id) == active.as_ref())
    {
        Some(variant) => {
            variant.status = status;
            &mut variant.body
        }
        None => {
            turn.status = status;
            &mut turn.body
        }
    };
    body.content = answer.content;
    body.run = answer.run;
    body.usage = answer.usage;
    body.phase = answer.phase;
    body.native_origin = answer.native_origin;
    memo.revision += 1;
    Ok(turn)
}

/// Appends any other turn; its position is last + 1, whatever it says.
///
/// # Errors
/// `parameter_invalid` at the place of what does not belong in a turn, or for an id that is there already.
pub fn append<'c>(
    conversation: &'c mut Conversation,
    memo: &mut Memo,
    turn: &Value,
) -> Result<&'c Turn, Refusal> {
    let mut turn: Turn = typed(turn).map_err(|misfit| misfit.refusal("parameter_invalid"))?;
    let position = next_position(conversation);
    if turn.id.is_empty() {
        turn.id = free_id(conversation, position);
    } else if conversation.turns.iter().any(|other| other.id == turn.id) {
        return Err(Refusal::parameter(
            "/id",
            format!(
                "a turn `{}` is there already; give another id or none",
                turn.id
            ),
        ));
    }
    turn.position = Some(position);
    memo.revision += 1;
    let at = conversation.turns.len();
    conversation.turns.push(turn);
    conversation
        .turns
        .get(at)
        .ok_or_else(|| Refusal::new("not_found", "the turn that was appended is gone"))
}

#[cfg(test)]
mod tests {
    use crate::session::Session;
    use serde_json::json;

    #[test]
    fn pending_words_are_pending_until_they_are_sent() {
        let file = br#"[{"role": "user", "content": "the last words"}]"#;
        let mut session = Session::open(file).unwrap();
        let ask = |prompt: &str| json!({"prompt": prompt, "model": {"input_tokens": 8192}});
        session
            .seal(&ask("other words"), Default::default())
            .unwrap();
        assert_eq!(session.pending().unwrap().text, "the last words");
        session
            .seal(&ask("the last words"), Default::default())
            .unwrap();
        assert_eq!(session.pending(), None);
    }
}
