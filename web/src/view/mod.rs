//! The page, drawn: three panes, a bar, a dock on a phone, and what stands above them.

mod bar;
mod blocks;
mod dialogs;
mod entries;
mod fields;
mod files;
mod fit;
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

use crate::panel::{Current, Panel, Screen};

/// The pane a phone shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    /// The conversation.
    Conversation,
    /// The request, or the settings of the fit.
    Request,
    /// The proof, or the fit.
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
                .map_or("Galley".to_owned(), |doc| match panel.screen.get() {
                    Screen::Proof => format!("Proof of {}", doc.name),
                    Screen::Fit => format!("Fit of {}", doc.name),
                })
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
    let screen = move || match panel.screen.get() {
        Screen::Proof => "proof",
        Screen::Fit => "fit",
    };
    view! {
        {move || match panel.screen.get() {
            Screen::Proof => view! { <a class="skip" href="#proof">"Skip to the proof"</a> },
            Screen::Fit => view! { <a class="skip" href="#fit">"Skip to the fit"</a> },
        }}
        <bar::Bar/>
        <notices::Above/>
        <main class="panes" data-pane=pane data-screen=screen class:alone=move || panel.alone.get() && panel.screen.get() == Screen::Proof>
            <h1 class="sr">{heading}</h1>
            <rail::Rail/>
            <request::RequestPane/>
            <proof::Proof/>
            <fit::Fit/>
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

/// Shows the proof or the fit; a phone shows its answer first.
pub fn show(panel: Panel, stage: Stage, screen: Screen) {
    stage.pane.set(Pane::Proof);
    panel.show(screen);
}

/// Makes a line of the rail current and shows it in the conversation.
pub fn to_row(panel: Panel, stage: Stage, row: usize) {
    if panel.screen.get_untracked() != Screen::Proof {
        panel.show(Screen::Proof);
    }
    panel.current.set(Some(Current::Row(row)));
    stage.pane.set(Pane::Conversation);
    stage.reveal_row.set(Some(row));
}

/// The turn that a line of the rail is of; a press goes there. Nothing where no line is known.
#[component]
fn TurnLink(row: Option<usize>) -> impl IntoView {
    let panel = expect_context::<Panel>();
    let stage = expect_context::<Stage>();
    let row = row?;
    let turn = panel.turn_of(row)?;
    Some(
        view! { <button type="button" class="link" title="Show it in the conversation" on:click=move |_| to_row(panel, stage, row)>{format!("turn {turn}")}</button> },
    )
}

#[component]
fn Dock() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let stage = expect_context::<Stage>();
    let tab = move |screen: Screen, pane: Pane, word: &'static str| {
        let go = move |_| {
            if panel.screen.get_untracked() != screen {
                panel.show(screen);
            }
            stage.pane.set(pane);
        };
        let here = move || panel.screen.get() == screen && stage.pane.get() == pane;
        let request = (screen, pane) == (Screen::Proof, Pane::Request);
        view! {
            <button type="button" aria-current=move || here().then_some("page") on:click=go>
                {word}
                {move || (request && panel.refused.with(Option::is_some)).then(|| view! { <b class="red">"1"<span class="sr">" refusal"</span></b> })}
            </button>
        }
    };
    let proof = move || tab(Screen::Proof, Pane::Proof, "Proof");
    let fit = move || tab(Screen::Fit, Pane::Proof, "Fit");
    view! {
        <nav class="dock" aria-label="Panes">
            {move || match panel.screen.get() {
                Screen::Proof => view! { {tab(Screen::Proof, Pane::Conversation, "Conversation")} {tab(Screen::Proof, Pane::Request, "Request")} {proof()} {fit()} }.into_any(),
                Screen::Fit => view! { {proof()} {tab(Screen::Fit, Pane::Request, "Settings")} {fit()} }.into_any(),
            }}
        </nav>
    }
}
