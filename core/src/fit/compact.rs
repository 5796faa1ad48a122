//! History summarised: by itself, and as a step of an assembly.

use super::detail::{Compaction, CompactionOutcome, Detail};
use super::item::{Item, Scale, sum};
use super::lease::Claim;
use super::manager::{Call, required};
use super::model::{budget, tail_budget};
use super::select::select;
use super::summary;
use super::wire::{CompactRequest, CompactResponse, ModelInput};
use super::{Need, Sizes};
use crate::refusal::Refusal;

/// What is summarised, of which list.
pub struct Head<'a> {
    /// The messages.
    pub items: &'a [Item],
    /// Index in the request of the first message that stays.
    pub tail_start_index: Option<usize>,
    /// Index in the request behind the last message that goes.
    pub head_len: usize,
    /// The summary that is carried on.
    pub previous: Option<&'a str>,
    /// Who summarises.
    pub model: &'a ModelInput,
}

/// `context::compact`.
pub async fn compact(
    call: &Call,
    request: CompactRequest,
    detail: &mut Detail,
) -> Result<CompactResponse, Refusal> {
    let items = required(request.messages)?;
    let options = request.options.unwrap_or_default();
    let scale = call.scale(Some(&request.model), detail);
    detail.tokens_before = sum(&items, &scale);
    detail.tokens_after = detail.tokens_before;
    detail.sizes = Sizes::of(items.iter().enumerate(), &[], &scale);
    if items.is_empty() {
        return Ok(CompactResponse::Empty);
    }
    let model = call.resolve(&request.model).await?;
    let room = budget(&model, None, None, &call.config);
    detail.model = Some(model);
    detail.budget = Some(room);
    let claim = Claim::of(call, options.lease_key, &items);
    if let Some(claim) = &claim
        && !claim.acquire().await
    {
        detail.compaction = Some(Compaction::none(CompactionOutcome::Busy));
        return Ok(CompactResponse::Busy);
    }
    let sizes: Vec<u64> = items.iter().map(|item| item.tokens(&scale)).collect();
    let sources: Vec<usize> = (0..items.len()).collect();
    let cut = select(
        &items,
        &sizes,
        options
            .preserve_recent_tokens
            .unwrap_or_else(|| tail_budget(room.usable)),
        options.tail_turns.unwrap_or(call.config.tail_turns),
        &call.protected(None, &sources),
    );
    let (head, tail) = items
        .split_at_checked(cut.head_len)
        .unwrap_or((&items, &[]));
    let head = Head {
        items: head,
        tail_start_index: cut.tail_start,
        head_len: cut.head_len,
        previous: options.previous_summary.as_deref(),
        model: &request.model,
    };
    let (told, text) = summarize(call, &head, &scale).await;
    if let Some(claim) = claim {
        claim.release().await;
    }
    let response = match (told.outcome, text) {
        (CompactionOutcome::Done, Some(text)) => {
            let summary_tokens = scale.text(&text);
            let tokens_after = sum(tail, &scale).saturating_add(summary_tokens);
            detail.tokens_after = tokens_after;
            // A summary stands in the system prompt.
            detail.sizes = Sizes {
                system_prompt: summary_tokens,
                ..Sizes::of((cut.head_len..).zip(tail), &[], &scale)
            };
            CompactResponse::Ok {
                tail_start_index: cut.tail_start,
                tokens_before: told.head_tokens,
                tokens_after,
                used_prior_summary: head.previous.is_some(),
                summary: text,
            }
        }
        (CompactionOutcome::Nothing | CompactionOutcome::Empty | CompactionOutcome::Dry, _) => {
            CompactResponse::Empty
        }
        _ => CompactResponse::Overflow,
    };
    detail.compaction = Some(told);
    Ok(response)
}

/// Has a head summarised, unless it is empty or nothing is to be done. A summary that is blank, or no smaller than
/// what it stands for, is none.
pub async fn summarize(
    call: &Call,
    head: &Head<'_>,
    scale: &Scale,
) -> (Compaction, Option<String>) {
    let wording = call.manager.wording();
    let mut told = Compaction {
        head_len: head.head_len,
        tail_start_index: head.tail_start_index,
        head_tokens: sum(head.items, scale),
        ..Compaction::none(CompactionOutcome::Nothing)
    };
    if head.items.is_empty() {
        return (told, None);
    }
    told.system_prompt = summary::system_prompt(head.previous, wording);
    told.prompt = summary::prompt(head.items, call.config.max_output_chars, wording);
    if call.extras.dry_run {
        told.outcome = CompactionOutcome::Dry;
        return (told, None);
    }
    let need = Need::Summarize {
        system_prompt: told.system_prompt.clone(),
        prompt: told.prompt.clone(),
        model: head.model.id.clone(),
        provider: head.model.provider.clone(),
        timeout_ms: call.config.summarizer_timeout_ms,
    };
    let text = match call.desk.ask(need).await {
        Ok(text) => text.as_str().unwrap_or_default().to_owned(),
        Err(failure) => {
            told.outcome = match failure.kind.as_str() {
                "unavailable" => CompactionOutcome::Unavailable,
                "empty" => CompactionOutcome::Empty,
                _ => CompactionOutcome::Failed,
            };
            told.message = Some(failure.message);
            return (told, None);
        }
    };
    let tokens = scale.text(&text);
    told.summary_tokens = Some(tokens);
    told.scratchpad = summary::begins_with_notes(&text);
    if text.trim().is_empty() {
        told.outcome = CompactionOutcome::Empty;
        return (told, None);
    }
    if tokens >= told.head_tokens {
        told.outcome = CompactionOutcome::NotSmaller;
        told.message = Some(format!(
            "the summary has {tokens} tokens and stands for {}",
            told.head_tokens
        ));
        return (told, None);
    }
    told.outcome = CompactionOutcome::Done;
    (told, Some(text))
}
