//! The bar: the file under proof, and what can be done from anywhere.

use leptos::prelude::*;

use super::{Stage, files};
use crate::panel::{Panel, Screen};
use crate::words;

/// The bar.
#[component]
pub fn Bar() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let stage = expect_context::<Stage>();
    let name = move || {
        panel
            .doc
            .with(|doc| doc.as_ref().map(|doc| doc.name.clone()))
    };
    let format = move || {
        panel
            .doc
            .with(|doc| doc.as_ref().map(|doc| doc.format.clone()))
    };
    let warnings = move || {
        panel
            .doc
            .with(|doc| doc.as_ref().map_or(0, |doc| doc.warnings.len()))
    };
    let several = move || {
        panel.doc.with(|doc| {
            let doc = doc.as_ref().filter(|doc| doc.conversations.len() > 1)?;
            Some((doc.conversation + 1, doc.conversations.len()))
        })
    };
    let branches = move || {
        panel.doc.with(|doc| {
            let doc = doc.as_ref()?;
            let choice = doc.conversations.get(doc.conversation)?;
            let current = choice.branches.iter().find(|branch| branch.current);
            let now = doc
                .branch
                .clone()
                .or(current.map(|branch| branch.id.clone()));
            (!choice.branches.is_empty()).then(|| (doc.conversation, choice.branches.clone(), now))
        })
    };
    let view_of = move |screen: Screen, word: &'static str| {
        view! {
            <button type="button" aria-current=move || (panel.screen.get() == screen).then_some("page")
                on:click=move |_| super::show(panel, stage, screen)>{word}</button>
        }
    };
    view! {
        <header class="bar">
            <p class="wordmark"><Mark/>"Galley"</p>
            <nav class="views" aria-label="Views">{view_of(Screen::Proof, "Proof")} {view_of(Screen::Fit, "Fit")}</nav>
            <p class="file" aria-label="File">
                <b dir="auto">{name}</b>
                {move || format().map(|format| view! { " · " {format} })}
                {move || (warnings() > 0).then(|| view! {
                    " · "
                    <button type="button" class="link" data-hook="warnings" on:click=move |_| stage.dialog.set(Some("warnings"))>
                        {words::some(warnings() as u64, "warning")}
                    </button>
                })}
                {move || several().map(|(now, all)| view! {
                    " · "
                    <button type="button" class="link" data-hook="conversations" on:click=move |_| stage.dialog.set(Some("conversations"))>
                        {format!("conversation {} of {}", words::n(now as u64), words::n(all as u64))}
                    </button>
                })}
                {move || branches().map(|(index, all, now)| view! {
                    <select class="which" aria-label="Branch of the conversation" on:change=move |event| panel.pick(index, Some(event_target_value(&event)))>
                        {all.into_iter().map(|branch| {
                            let chosen = now.as_ref() == Some(&branch.id);
                            let word = if branch.current { "current" } else { "branch" };
                            view! { <option value=branch.id selected=chosen>{format!("{word} · {} · {}", words::some(branch.turns as u64, "turn"), branch.title)}</option> }
                        }).collect_view()}
                    </select>
                })}
            </p>
            <div class="tools">
                <button type="button" class="plain" on:click=move |_| files::choose(panel)>"Open"</button>
                <button type="button" class="plain" on:click=move |_| stage.dialog.set(Some("paste"))>"Paste"</button>
                <button type="button" class="plain" on:click=move |_| stage.dialog.set(Some("save"))>"Save"</button>
                <button type="button" class="plain wide-only" disabled=move || panel.undoable().is_none()
                    title=move || panel.undoable()
                    on:click=move |_| panel.undo()>"Undo"</button>
                <button type="button" class="plain wide-only" disabled=move || panel.redoable().is_none()
                    title=move || panel.redoable()
                    on:click=move |_| panel.redo()>"Redo"</button>
                <Theme/>
                <button type="button" class="plain" aria-label="Keyboard help" on:click=move |_| stage.dialog.set(Some("keys"))><kbd>"?"</kbd></button>
            </div>
        </header>
    }
}

/// The crop marks around a few set lines.
#[component]
fn Mark() -> impl IntoView {
    view! {
        <svg viewBox="0 0 16 16" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.25">
            <path d="M4.5 0v3M0 4.5h3M11.5 16v-3M16 11.5h-3"/>
            <path d="M4.5 6.5h7M4.5 9h7M4.5 11.5h4"/>
        </svg>
    }
}

/// The theme follows the system until someone says otherwise; that word alone is kept.
#[component]
fn Theme() -> impl IntoView {
    let root = || document().document_element();
    let now = root().and_then(|root| root.get_attribute("data-theme"));
    let theme = RwSignal::new(now);
    let kept = RwSignal::new(true);
    let next = move |_| {
        let next = match theme.get_untracked().as_deref() {
            None => Some("light"),
            Some("light") => Some("dark"),
            _ => None,
        };
        if let Some(root) = root() {
            // Setting an attribute of a valid name does not fail.
            let _ = match next {
                Some(word) => root.set_attribute("data-theme", word),
                None => root.remove_attribute("data-theme"),
            };
        }
        let storage = window().local_storage().ok().flatten();
        kept.set(storage.is_some_and(|storage| match next {
            Some(word) => storage.set_item("galley.theme", word).is_ok(),
            None => storage.remove_item("galley.theme").is_ok(),
        }));
        theme.set(next.map(str::to_owned));
    };
    let word = move || {
        theme
            .get()
            .unwrap_or_else(|| "follows the system".to_owned())
    };
    view! {
        <button type="button" class="plain" aria-label=move || format!("Theme: {}", word()) title=move || format!("Theme: {}", word()) on:click=next>"Theme"</button>
        <span class="s q" role="status">{move || (!kept.get()).then_some("not kept: this browser gives the page no storage")}</span>
    }
}
