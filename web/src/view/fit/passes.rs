//! The passes in their order: what each made of the tokens, what it changed, what it costs the cache.

use leptos::prelude::*;

use crate::panel::Panel;
use crate::protocol::fit::{Compaction, Pass, PrefixBreak};
use crate::words::{n, some};

/// The strip of passes.
#[component]
pub fn Passes() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let fitting = panel.fitting;
    let names = Memo::new(move |_| {
        fitting.fit.with(|fit| {
            let passes = fit.as_ref().map(|fit| fit.passes.as_slice());
            let passes = passes.unwrap_or_default().iter();
            passes.map(|pass| pass.pass.clone()).collect::<Vec<_>>()
        })
    });
    let keys = move |event: web_sys::KeyboardEvent| {
        let names = names.get_untracked();
        let now = untrack(|| fitting.pass());
        let now = names.iter().position(|name| *name == now).unwrap_or(0);
        let last = names.len().saturating_sub(1);
        let to = match event.key().as_str() {
            "ArrowDown" | "ArrowRight" => (now + 1).min(last),
            "ArrowUp" | "ArrowLeft" => now.saturating_sub(1),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        if let Some(name) = names.get(to) {
            panel.choose_pass(name);
            super::super::keys::focus(&format!("pass-{name}"));
        }
    };
    view! {
        <div class="sec" data-hook="passes">
            <div class="head"><h2>"Passes"</h2><span class="s q">"in their order; each sees what the one before left"</span></div>
            <ol class="passes" role="tablist" aria-label="Passes" aria-orientation="vertical" on:keydown=keys>
                <For each=move || names.get() key=|name| name.clone() let:name><Row name/></For>
            </ol>
        </div>
    }
}

#[component]
fn Row(name: String) -> impl IntoView {
    let panel = expect_context::<Panel>();
    let fitting = panel.fitting;
    let named = name.clone();
    let pass = Memo::new(move |_| fitting.fit.with(|fit| fit.as_ref()?.pass(&named).cloned()));
    let told = Memo::new(move |_| fitting.fit.with(|fit| fit.as_ref()?.compaction.clone()));
    let largest = Memo::new(move |_| {
        fitting.fit.with(|fit| {
            fit.as_ref()
                .map_or(1, |fit| fit.tokens_before.max(fit.budget.usable).max(1))
        })
    });
    let (own, go) = (name.clone(), name.clone());
    let current = Memo::new(move |_| fitting.pass() == own);
    let acted = Memo::new(move |_| pass.get().is_some_and(|pass| pass.idle.is_none()));
    let meter = move || {
        let pass = pass.get().unwrap_or_default();
        let width = |tokens: u64| format!("{:.2}%", tokens as f64 / largest.get() as f64 * 100.0);
        let (before, after) = (width(pass.tokens_before), width(pass.tokens_after));
        format!("--g:{before};--u:{after};--c:var(--fill)")
    };
    view! {
        <li role="presentation" data-pass=name.clone() data-acted=move || acted.get().to_string()>
            <button type="button" role="tab" id=format!("pass-{name}") class="pass" aria-controls="parts"
                aria-selected=move || current.get().to_string() tabindex=move || if current.get() { "0" } else { "-1" }
                on:click=move |_| panel.choose_pass(&go)>
                <span class="w"><i class=move || if acted.get() { "m floors" } else { "m empty" }></i><b>{name.clone()}</b></span>
                <span class="did">{move || pass.get().map(|pass| did(&pass, told.get().as_ref()))}</span>
                <span class="n" data-hook="tokens">{move || pass.get().map(|pass| tokens(&pass))}</span>
                <i class="meter" style=meter></i>
                <span class="why">{move || pass.get().and_then(|pass| pass.prefix).map(|broken| lost(&broken))}</span>
            </button>
        </li>
    }
}

/// Tokens before and after, or the number that stays.
fn tokens(pass: &Pass) -> String {
    if pass.tokens_before == pass.tokens_after {
        return n(pass.tokens_after);
    }
    format!("{} → {}", n(pass.tokens_before), n(pass.tokens_after))
}

/// What a pass changed, or why it did not.
fn did(pass: &Pass, told: Option<&Compaction>) -> String {
    match (&pass.idle, told.filter(|_| pass.pass == "compaction")) {
        (Some(idle), _) => format!("did nothing: {idle}"),
        (None, Some(told)) => {
            format!("would summarise {}", some(told.head_len as u64, "message"))
        }
        (None, None) => format!("{} rewritten", some(pass.parts as u64, "part")),
    }
}

/// Where the cached prefix ends.
fn lost(broken: &PrefixBreak) -> String {
    let tokens = format!("{} lose the cache", some(broken.tokens, "token"));
    match broken.message {
        _ if broken.system_prompt => format!("no cached prefix holds: {tokens}"),
        Some(0) | None => format!("the cached prefix ends before message 0: {tokens}"),
        Some(first) => format!(
            "the cached prefix holds through message {}: {tokens}",
            first - 1
        ),
    }
}
