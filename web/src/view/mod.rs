//! The page, drawn: three panes, a bar, a dock on a phone, and what stands above them.

mod bar;
mod blocks;
mod dialogs;
mod entries;
mod fields;
mod files;
mod inline;
mod keys;
mod notices;
mod proof;
mod rail;
mod request;
mod strip;
mod template;
mod totals;

use leptos::prelude::*;

use crate::panel::Panel;

/// The pane a phone shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    /// The conversation.
    Conversation,
    /// The request.
    Request,
    /// The proof.
    Proof,
}

/// What the views share beside the panel: which pane is up, and places to bring into sight.
#[derive(Clone, Copy)]
pub struct Stage {
    /// The pane a phone shows.
    pub pane: RwSignal<Pane>,
    /// A line of the rail to bring into sight.
    pub reveal_row: RwSignal<Option<usize>>,
    /// An entry to bring into sight.
    pub reveal_entry: RwSignal<Option<usize>>,
    /// A block of the template to open and bring into sight.
    pub reveal_block: RwSignal<Option<usize>>,
    /// The template is edited as JSON.
    pub as_json: RwSignal<bool>,
    /// A dialog to show: `keys`, `conversations`, `warnings`, `paste`, `save`.
    pub dialog: RwSignal<Option<&'static str>>,
    /// A file hangs over the page.
    pub over: RwSignal<bool>,
}

/// The page.
#[component]
pub fn App() -> impl IntoView {
    let panel = Panel::new();
    let stage = Stage {
        pane: RwSignal::new(Pane::Proof),
        reveal_row: RwSignal::new(None),
        reveal_entry: RwSignal::new(None),
        reveal_block: RwSignal::new(None),
        as_json: RwSignal::new(false),
        dialog: RwSignal::new(None),
        over: RwSignal::new(false),
    };
    provide_context(panel);
    provide_context(stage);
    files::listen(panel, stage);
    keys::listen(panel, stage);
    panel.start();

    let heading = move || {
        panel.doc.with(|doc| {
            doc.as_ref()
                .map_or("Galley".to_owned(), |doc| format!("Proof of {}", doc.name))
        })
    };
    Effect::new(move |_| {
        document().set_title(&panel.doc.with(|doc| {
            doc.as_ref()
                .map_or("Galley".to_owned(), |doc| format!("{} · Galley", doc.name))
        }))
    });
    let pane = move || match stage.pane.get() {
        Pane::Conversation => "conversation",
        Pane::Request => "request",
        Pane::Proof => "proof",
    };
    view! {
        <a class="skip" href="#proof">"Skip to the proof"</a>
        <bar::Bar/>
        <notices::Above/>
        <main class="panes" data-pane=pane class:alone=move || panel.alone.get()>
            <h1 class="sr">{heading}</h1>
            <rail::Rail/>
            <request::RequestPane/>
            <proof::Proof/>
        </main>
        <Dock/>
        <dialogs::Keys/>
        <dialogs::Conversations/>
        <dialogs::Warnings/>
        <dialogs::Paste/>
        <dialogs::Save/>
        <div class="dropping" aria-hidden="true" hidden=move || !stage.over.get()><p>"Drop it: Galley reads it here, and sends it nowhere."</p></div>
    }
}

#[component]
fn Dock() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let stage = expect_context::<Stage>();
    let tab = move |pane: Pane, word: &'static str| {
        view! {
            <button type="button" aria-current=move || (stage.pane.get() == pane).then_some("page") on:click=move |_| stage.pane.set(pane)>
                {word}
                {move || (pane == Pane::Request && panel.refused.with(Option::is_some)).then(|| view! { <b class="red">"1"<span class="sr">" refusal"</span></b> })}
            </button>
        }
    };
    view! {
        <nav class="dock" aria-label="Panes">
            {tab(Pane::Conversation, "Conversation")} {tab(Pane::Request, "Request")} {tab(Pane::Proof, "Proof")}
        </nav>
    }
}
