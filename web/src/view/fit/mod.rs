//! The fit: what the context manager would make of the conversation, and what it is told.

mod parts;
mod passes;
mod room;
mod settings;
mod texts;
mod verdict;

use leptos::html;
use leptos::prelude::*;

use super::notices::Encodings;
use crate::panel::{Panel, Screen};
use crate::words::{some, took};

/// The two panes of the fit, while it is shown.
#[component]
pub fn Fit() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let up = Memo::new(move |_| panel.screen.get() == Screen::Fit);
    move || {
        up.get().then(|| {
            view! {
                <settings::SettingsPane/>
                <Result/>
            }
        })
    }
}

#[component]
fn Result() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let fitting = panel.fitting;
    let node = NodeRef::<html::Div>::new();
    let told = Memo::new(move |_| fitting.fit.with(Option::is_some));
    let tried = Memo::new(move |_| {
        fitting
            .fit
            .with(|fit| fit.as_ref().is_some_and(|fit| !fit.passes.is_empty()))
    });
    let messages = Memo::new(move |_| fitting.fit.with(|fit| fit.as_ref().map(|fit| fit.messages)));
    view! {
        <section class="pane" id="fit" tabindex="-1" aria-labelledby="h-fit">
            <h2 class="sr" id="h-fit">"Fit"</h2>
            <div class="scroll" node_ref=node>
                <Encodings/>
                {move || (!told.get()).then(|| view! { <p class="nothing">"The conversation is being counted."</p> })}
                {move || told.get().then(|| view! { <verdict::Verdict/> })}
                {move || tried.get().then(|| view! {
                    <passes::Passes/>
                    <parts::Parts/>
                    <room::Room/>
                })}
            </div>
            <footer class="foot">
                <span>{move || messages.get().map(|count| format!("A dry run on {}: nothing is written, nothing is sent", some(count, "message")))}</span>
                <span class="nb" data-hook="fit-revision">{move || { let (revision, ms) = fitting.shown.get(); (revision > 0).then(|| format!("rev {revision} · {}", took(ms))) }}</span>
            </footer>
        </section>
    }
}
