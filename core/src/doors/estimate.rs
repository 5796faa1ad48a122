//! Sizing and previewing: write-free.

use serde_json::Value;

use crate::assembly::{
    self, Catalogue, Door, Estimate, EstimateRequest, Given, Limits, Memo, Plan,
};
use crate::conversation::Conversation;
use crate::refusal::Refusal;
use crate::tokens::Encodings;

/// What stands around every request: model rows, tokenizers, walls.
#[derive(Clone, Copy)]
pub struct Desk<'a> {
    /// Built-in model rows.
    pub catalogue: Catalogue,
    /// The tokenizers at hand.
    pub encodings: &'a dyn Encodings,
    /// The walls.
    pub limits: Limits,
}

impl<'a> Desk<'a> {
    /// A request worked out at this desk.
    pub(super) fn work_out(
        self,
        conversation: &'a Conversation,
        memo: &mut Memo,
        request: &'a EstimateRequest,
        door: Door,
    ) -> Result<Plan, Refusal> {
        let Self {
            catalogue,
            encodings,
            limits,
        } = self;
        assembly::plan(
            Given {
                conversation,
                request,
                door,
                catalogue,
                encodings,
                limits,
            },
            memo,
        )
    }
}

/// A request worked out, in numbers and handles.
pub fn plan(
    desk: Desk<'_>,
    conversation: &Conversation,
    memo: &mut Memo,
    request: &Value,
) -> Result<Plan, Refusal> {
    let request = EstimateRequest::read(request)?;
    desk.work_out(conversation, memo, &request, Door::Estimate)
}

/// `context_estimate`: the counts, and with `render: true` what the send would seal.
pub fn context_estimate(
    desk: Desk<'_>,
    conversation: &Conversation,
    memo: &mut Memo,
    request: &Value,
) -> Result<Estimate, Refusal> {
    Ok(Estimate::of(
        &plan(desk, conversation, memo, request)?,
        conversation,
    ))
}
