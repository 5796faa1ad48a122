//! The one number of the fit, the room it stands against, and what has become of it.

use leptos::prelude::*;

use crate::fit::{self, Verdict as Came};
use crate::panel::Panel;
use crate::protocol::fit::Fit;
use crate::words::{self, n, percent, some};

/// The totals.
#[component]
pub fn Verdict() -> impl IntoView {
    let panel = expect_context::<Panel>();
    move || {
        panel.fitting.fit.get().map(|fit| {
            let came = fit::verdict(&fit);
            let Came::Refused = came else {
                return view! {
                    <div class="sec">
                        <div class="slug">
                            <div>
                                <p class="big" data-hook="fit-total">{total(&fit)}</p>
                                <p class="verdict" role="status" data-hook="fit-verdict">{state(&fit, came)}</p>
                            </div>
                            {room(&fit)}
                        </div>
                        {bars(&fit)}
                    </div>
                }
                .into_any();
            };
            let refusal = fit.refusal.clone().unwrap_or_default();
            view! {
                <div class="sec">
                    <p class="note bad untried" role="alert" data-hook="fit-verdict"><b>{refusal.code}</b>" "{refusal.path.map(|path| view! { <code>{path}</code>" " })}{super::super::fields::said(&refusal.message)}</p>
                </div>
            }
            .into_any()
        })
    }
}

/// Before, after, and of how much.
fn total(fit: &Fit) -> AnyView {
    let about = words::sign(&fit.counter);
    let (before, after) = (fit.tokens_before, fit.tokens_after);
    let of = format!(
        "of {} usable {}",
        n(fit.budget.usable),
        words::counted_by(&fit.counter)
    );
    let same = before == after;
    view! {
        {(!same).then(|| view! { <span>{about}{n(before)}</span>" "<span class="to" aria-label="becomes">"→"</span>" " })}
        <span>{about}{n(after)}</span><small>{of}</small>
    }
    .into_any()
}

/// What has come of it: a shape, a word, a sentence.
fn state(fit: &Fit, came: Came) -> AnyView {
    let left = fit.budget.usable.saturating_sub(fit.tokens_after);
    let done = || {
        let acted = fit.passes.iter().filter(|pass| pass.parts > 0);
        let acted: Vec<String> = acted
            .map(|pass| format!("{} by {}", some(pass.parts as u64, "part"), pass.pass))
            .collect();
        match acted.is_empty() {
            true => String::new(),
            false => format!(" Rewritten: {}.", acted.join(", ")),
        }
    };
    let (bad, word, rest) = match came {
        Came::AsIs => (
            false,
            "Fits.".to_owned(),
            format!("Nothing had to change; {} left.", n(left)),
        ),
        Came::After => (
            false,
            "Fits.".to_owned(),
            format!("{} left.{}", n(left), done()),
        ),
        Came::Summarised(messages, most) => (
            false,
            "Fits once summarised.".to_owned(),
            format!(
                "{} become a summary of at most {} tokens, not counted here.{}",
                some(messages as u64, "message"),
                n(most),
                done()
            ),
        ),
        Came::Over(over) => (
            true,
            format!("Does not fit: {} too many.", n(over)),
            format!(
                "{} tokens are left when all is done, {} are usable.{}",
                n(fit.tokens_after),
                n(fit.budget.usable),
                done()
            ),
        ),
        Came::Refused => (true, String::new(), String::new()),
    };
    let mark = match came {
        Came::Over(_) | Came::Refused => "m floor_unmet",
        Came::Summarised(..) => "m compacted",
        Came::AsIs | Came::After => "m ok",
    };
    let code = fit
        .refusal
        .as_ref()
        .map(|refusal| view! { " "<code>{refusal.code.clone()}</code> });
    view! { <i class=mark></i>" "<b class:red=bad>{word}</b>" "{rest}{code} }.into_any()
}

/// The room, as it is worked out, and where the limits came from.
fn room(fit: &Fit) -> AnyView {
    let (limits, budget) = (fit.limits, fit.budget);
    let from = match fit.model_resolved.as_str() {
        "inline" => "limits given here",
        "router" => "limits of the model’s row",
        _ => "no limits known: cautious ones",
    };
    let row = |word: &'static str, sign: &'static str, tokens: u64| {
        view! { <tr><th scope="row">{word}</th><td class="n">{sign}{n(tokens)}</td></tr> }
    };
    let rows = match limits.input_limit {
        Some(input) => vec![row("input_limit", "", input).into_any()],
        None => vec![
            row("context_window", "", limits.context_window).into_any(),
            row("max_output_tokens", "−", limits.max_output_tokens).into_any(),
        ],
    };
    view! {
        <table class="limits sum" data-hook="fit-limits"><caption>{from}" "<code>{fit.model_resolved.clone()}</code></caption>
            <tbody>
                {rows}
                {row("reserved", "−", budget.reserved)}
                {(budget.thinking > 0).then(|| row("thinking", "−", budget.thinking))}
            </tbody>
            <tfoot>{row("usable", "", budget.usable)}</tfoot>
        </table>
    }
    .into_any()
}

/// Before and after, against what is usable.
fn bars(fit: &Fit) -> AnyView {
    let usable = fit.budget.usable;
    let scale = usable.max(fit.tokens_before).max(fit.tokens_after).max(1);
    let share = |tokens: u64| tokens as f64 / scale as f64;
    let width = |tokens: u64| format!("--w:{:.3}%", share(tokens) * 100.0);
    let fixed: u64 = fit.shares.iter().take(2).map(|(_, tokens)| tokens).sum();
    let bar = |all: u64| {
        let over = all.saturating_sub(usable);
        let fixed = fixed.min(all - over);
        let spans = [
            ("floors", fixed),
            ("history", all - over - fixed),
            ("over", over),
        ];
        let spans = spans.into_iter().filter(|(_, tokens)| *tokens > 0);
        spans
            .map(|(class, tokens)| view! { <span class=class style=width(tokens)></span> })
            .collect_view()
    };
    let name = format!(
        "Before {} tokens, after {}, of {} usable, {}.",
        n(fit.tokens_before),
        n(fit.tokens_after),
        n(usable),
        percent(fit.tokens_after, usable)
    );
    let late = share(usable) > 0.8;
    let over = fit.tokens_before.max(fit.tokens_after) > usable;
    view! {
        <div class="ba" role="img" aria-label=name>
            <span>"before"</span><div class="track">{bar(fit.tokens_before)}</div>
            <span>"after"</span><div class="track">{bar(fit.tokens_after)}</div>
            <span class="tick" class:past=!late style=format!("--f:{:.4}", share(usable))><span>"usable "<b>{n(usable)}</b></span></span>
        </div>
        <dl class="key">
            <div><dt><i class="m floors"></i>"system prompt and tools"</dt><dd>{n(fixed)}</dd></div>
            <div><dt><i class="m selected"></i>"messages"</dt><dd>{then(fit.tokens_before.saturating_sub(fixed), fit.tokens_after.saturating_sub(fixed))}</dd></div>
            {over.then(|| view! { <div><dt><i class="m over"></i>"past what is usable"</dt><dd>{then(fit.tokens_before.saturating_sub(usable), fit.tokens_after.saturating_sub(usable))}</dd></div> })}
        </dl>
    }
    .into_any()
}

/// A number before and after.
fn then(before: u64, after: u64) -> String {
    if before == after {
        return n(after);
    }
    format!("{}, then {}", n(before), n(after))
}
