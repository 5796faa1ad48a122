//! The proof: totals, blocks, history, entries, storage; held at the last revision that passed.

use leptos::html;
use leptos::prelude::*;

use super::entries::{Entries, Scroller};
use super::notices::Encodings;
use super::strip::Strip;
use super::totals::{Blocks, Totals, Ways};
use super::{Pane, Stage};
use crate::panel::Panel;
use crate::words::{n, percent, took};

/// The proof pane.
#[component]
pub fn Proof() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let node = NodeRef::<html::Div>::new();
    let scroller = Scroller::watch(node);
    let planned = Memo::new(move |_| panel.plan.with(Option::is_some));
    view! {
        <section class="pane" id="proof" tabindex="-1" aria-labelledby="h-proof">
            <h2 class="sr" id="h-proof">"Proof"</h2>
            <Held/>
            <div class="scroll" node_ref=node>
                <Encodings/>
                {move || planned.get().then(|| view! {
                    <div class="summary">
                        <Totals/>
                        <Ways/>
                        <Blocks/>
                        <Strip/>
                    </div>
                    <Entries scroller/>
                })}
            </div>
            <Foot/>
        </section>
    }
}

/// Says that what is shown is not what is being written.
#[component]
fn Held() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let stage = expect_context::<Stage>();
    move || {
        panel.refused.get().map(|refused| {
            let shown = panel.shown.get().0;
            let at = refused.refusal.path.clone().filter(|path| !path.is_empty()).unwrap_or(refused.refusal.code.clone());
            let held = if shown > 0 { format!("Held at revision {shown}.") } else { "Nothing to show yet.".to_owned() };
            view! {
                <p class="held" role="status" data-hook="held"><b>{held}</b>
                    {format!(" Revision {} is refused at ", refused.revision)}
                    <button type="button" class="link" on:click=move |_| { stage.pane.set(Pane::Request); super::keys::to_refusal() }><code>{at}</code></button>
                    {if shown > 0 { "; this is the last one that passed." } else { "." }}</p>
            }
        })
    }
}

#[component]
fn Foot() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let storage = Memo::new(move |_| {
        panel
            .plan
            .with(|plan| plan.as_ref().map(|plan| plan.storage.clone()))
    });
    view! {
        <footer class="foot">
            {move || storage.get().map(|storage| {
                let verdict = storage.refusal.clone().unwrap_or_else(|| "within bound".to_owned());
                view! {
                    <span class:red=!storage.within_bound data-hook="storage">"Storage"
                        <meter class="gauge" aria-label="Storage" min="0" max=storage.bound.to_string() value=storage.bytes.to_string()>{percent(storage.bytes, storage.bound)}</meter>
                        {format!("{} of {} bytes, {verdict}", n(storage.bytes), n(storage.bound))}</span>
                }
            })}
            <span class="nb" data-hook="revision">{move || { let (revision, ms) = panel.shown.get(); (revision > 0).then(|| format!("rev {revision} · {}", took(ms))) }}</span>
        </footer>
    }
}
