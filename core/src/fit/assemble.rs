//! `context::assemble`, top to bottom: images, cap, prune, compaction, emergency.

use super::change::{Change, freed};
use super::compact::{Head, summarize};
use super::detail::{Compaction, CompactionOutcome, Detail, PassName, PrefixBreak, Undo};
use super::item::{Item, Scale, sum};
use super::lease::Claim;
use super::manager::{Call, by_part, by_role, pass, pruned_idle, required, tool_tokens};
use super::model::{budget, tail_budget};
use super::select::select;
use super::wire::{
    Applied, AssembleBreakdown, AssembleOptions, AssembleRequest, AssembleResponse, ModelInput,
};
use super::{Protected, PruneRule, Sizes, cap, normalize, prune, reduce, summary};
use crate::refusal::Refusal;
use crate::transcript::AgentMessage;

/// What the model is to see, as it stands between two passes.
struct View<'a> {
    items: Vec<Item>,
    /// Index in the request of each.
    sources: Vec<usize>,
    /// Tokens of all items.
    items_tokens: u64,
    prompt: String,
    /// What prompt, functions and overhead cost.
    fixed: Sizes,
    protected: Protected,
    scale: &'a Scale,
    detail: &'a mut Detail,
}

impl View<'_> {
    fn tokens(&self) -> u64 {
        self.items_tokens
            .saturating_add(self.fixed.system_prompt)
            .saturating_add(tool_tokens(&self.fixed.tools))
            .saturating_add(self.fixed.overhead)
    }

    /// Says another system prompt.
    fn say(&mut self, prompt: String) {
        self.fixed.system_prompt = self.scale.text(&prompt);
        self.prompt = prompt;
    }

    /// Tells a pass that is over; answers the tokens after it.
    fn tell(
        &mut self,
        name: PassName,
        before: u64,
        changes: &[Change],
        idle: Option<String>,
    ) -> u64 {
        if !changes.is_empty() {
            self.items_tokens = sum(&self.items, self.scale);
        }
        let after = self.tokens();
        let list = (self.items.as_slice(), self.sources.as_slice(), self.scale);
        let told = pass(name, (before, after), changes, list, idle);
        self.detail.passes.push(told);
        after
    }
}

pub async fn assemble(
    call: &Call,
    request: AssembleRequest,
    detail: &mut Detail,
) -> Result<AssembleResponse, Refusal> {
    let requested = required(request.messages)?;
    let options = request.options.unwrap_or_default();
    let wording = call.manager.wording();
    let model = call.resolve(&request.model).await?;
    let room = budget(
        &model,
        options.reserved_tokens,
        options.thinking_level,
        &call.config,
    );
    let scale = call.scale(Some(&request.model), detail);
    let tools = request.tools.unwrap_or_default();
    detail.model = Some(model.clone());
    detail.budget = Some(room);

    let seen = |item: &Item| !matches!(item.message(), AgentMessage::Custom { .. });
    let numbered = requested.iter().cloned().enumerate();
    let (sources, items): (Vec<usize>, Vec<Item>) = numbered.filter(|(_, item)| seen(item)).unzip();
    let mut view = View {
        protected: call.protected(options.protected_functions.clone(), &sources),
        items_tokens: sum(&items, &scale),
        items,
        sources,
        prompt: String::new(),
        fixed: Sizes {
            overhead: options.request_overhead_tokens.unwrap_or_default(),
            ..Sizes::of(std::iter::empty(), &tools, &scale)
        },
        scale: &scale,
        detail,
    };
    let base = request.system_prompt.as_deref();
    view.say(summary::rendered(base, options.previous_summary.as_deref()));

    let before = view.tokens();
    view.detail.tokens_before = before;
    let changes = normalize(
        &mut view.items,
        model.vision,
        &view.protected,
        wording,
        &scale,
    );
    let idle = match model.vision {
        None => "whether the model sees images is not known",
        Some(_) => "no image had to go",
    };
    let mut tokens = view.tell(PassName::Images, before, &changes, Some(idle.to_owned()));
    let mut applied = Applied {
        initial_token_count: tokens,
        ..Applied::default()
    };

    let limit = options
        .max_result_tokens
        .unwrap_or(call.config.max_result_tokens);
    let changes = cap(&mut view.items, limit, &view.protected, &scale);
    applied.capped_parts = changes.len() as u64;
    applied.capped_tokens = freed(&changes);
    let idle = match limit {
        0 => "it is switched off".to_owned(),
        limit => format!("no result has more than {limit} tokens"),
    };
    tokens = view.tell(PassName::Cap, tokens, &changes, Some(idle));

    if options.allow_prune.unwrap_or(true) {
        let rule = PruneRule::of(&call.config);
        let pruned = prune(&mut view.items, &rule, &view.protected, &scale);
        applied.pruned = !pruned.changes.is_empty();
        applied.pruned_tokens = pruned.tokens;
        let idle = pruned_idle(&pruned, &rule);
        tokens = view.tell(PassName::Prune, tokens, &pruned.changes, idle);
    } else {
        let idle = "it is switched off".to_owned();
        tokens = view.tell(PassName::Prune, tokens, &[], Some(idle));
    }

    let idle = if tokens <= room.usable {
        Some("everything fits".to_owned())
    } else if !options.allow_compaction.unwrap_or(true) {
        Some("it is switched off".to_owned())
    } else {
        let asked = (&request.model, &options, requested.as_slice());
        let told = compaction(
            call,
            &mut view,
            asked,
            base,
            tail_budget(room.usable),
            &mut applied,
        )
        .await;
        let idle = told.idle();
        view.detail.compaction = Some(told);
        idle
    };
    let dropped = applied.compacted
        || view
            .detail
            .compaction
            .as_ref()
            .is_some_and(Compaction::is_dry);
    tokens = view.tell(PassName::Compaction, tokens, &[], idle.filter(|_| !dropped));
    if let Some(told) = view.detail.passes.last_mut().filter(|_| dropped) {
        told.prefix = Some(PrefixBreak {
            system_prompt: true,
            message: view.sources.first().copied(),
            tokens,
        });
    }

    let required = tokens.saturating_sub(room.usable);
    let mut idle = "everything fits".to_owned();
    let mut changes = Vec::new();
    if required > 0 {
        changes = reduce(&mut view.items, required, &view.protected, wording, &scale);
        applied.pruned |= !changes.is_empty();
        applied.pruned_tokens = applied.pruned_tokens.saturating_add(freed(&changes));
        idle = "no result would be smaller".to_owned();
    }
    tokens = view.tell(PassName::Emergency, tokens, &changes, Some(idle));

    let View {
        items,
        sources,
        prompt,
        fixed,
        detail,
        ..
    } = view;
    let numbered = sources.iter().copied().zip(&items);
    detail.sizes = Sizes {
        messages: Sizes::of(numbered, &[], &scale).messages,
        ..fixed
    };
    detail.tokens_after = tokens;
    detail.undo = Some(Undo {
        requested: requested.len(),
        answered: items.len(),
    });
    if tokens > room.usable {
        let message = format!(
            "assembled context requires {tokens} tokens but usable budget is {}",
            room.usable
        );
        return Err(Refusal::new("context/overflow", message));
    }
    Ok(AssembleResponse {
        token_count: tokens,
        usable: room.usable,
        effective_max_output_tokens: model.limits.max_output_tokens,
        model_resolved: model.model_resolved,
        applied,
        breakdown: AssembleBreakdown {
            system_prompt_tokens: detail.sizes.system_prompt,
            tools_tokens: tool_tokens(&detail.sizes.tools),
            by_role: by_role(&items, &scale),
            estimator: scale.kind(),
            by_part: by_part(request.parts.as_ref(), &scale),
        },
        system_prompt: prompt,
        messages: items,
    })
}

/// Summarises the head of the view under the history's lease; whatever stands in the way, the view stays.
async fn compaction(
    call: &Call,
    view: &mut View<'_>,
    (model, options, requested): (&ModelInput, &AssembleOptions, &[Item]),
    base: Option<&str>,
    budget: u64,
    applied: &mut Applied,
) -> Compaction {
    let claim = Claim::of(call, options.lease_key.clone(), requested);
    if let Some(claim) = &claim
        && !claim.acquire().await
    {
        return Compaction::none(CompactionOutcome::Busy);
    }
    let sizes: Vec<u64> = view
        .items
        .iter()
        .map(|item| item.tokens(view.scale))
        .collect();
    let turns = options.tail_turns.unwrap_or(call.config.tail_turns);
    let cut = select(&view.items, &sizes, budget, turns, &view.protected);
    // The list is never emptied.
    let length = Some(cut.head_len).filter(|length| *length < view.items.len());
    let head = view.items.get(..length.unwrap_or(0)).unwrap_or_default();
    let source = |index: usize| view.sources.get(index).copied();
    let head = Head {
        items: head,
        tail_start_index: source(head.len()),
        head_len: head
            .len()
            .checked_sub(1)
            .and_then(source)
            .map_or(0, |last| last + 1),
        previous: options.previous_summary.as_deref(),
        model,
    };
    let (told, text) = summarize(call, &head, view.scale).await;
    let length = head.items.len();
    if let Some(claim) = claim {
        claim.release().await;
    }
    if let Some(text) = text {
        view.say(summary::rendered(base, Some(&text)));
        *applied = Applied {
            compacted: true,
            summary: Some(text),
            tail_start_index: told.tail_start_index,
            tokens_before: Some(told.head_tokens),
            summarized_head_tokens: Some(told.head_tokens),
            ..applied.clone()
        };
    } else if told.is_dry() {
        // As it would be, but for the summary, which nobody knows yet.
        view.say(summary::rendered(base, None));
    } else {
        return told;
    }
    view.items.drain(..length);
    view.items_tokens = sum(&view.items, view.scale);
    view.sources.drain(..length);
    view.protected = call.protected(options.protected_functions.clone(), &view.sources);
    told
}
