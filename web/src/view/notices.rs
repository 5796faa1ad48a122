//! Lines above the panes: what the page is, what is being read, what went wrong.

use leptos::prelude::*;

use super::{Stage, files};
use crate::panel::Panel;
use crate::protocol::Loading;
use crate::words::n;

/// The lines above the panes.
#[component]
pub fn Above() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let stage = expect_context::<Stage>();
    let told = RwSignal::new(false);
    let sample = move || {
        !told.get()
            && panel
                .doc
                .with(|doc| doc.as_ref().is_some_and(|doc| doc.sample))
    };
    view! {
        <div class="above" role="status">
            {move || panel.stopped.get().map(|said| {
                let revision = panel.shown.get_untracked().0;
                view! {
                    <p class="line bad" data-hook="stopped"><span><b>{if revision == 0 { "The proof could not start.".to_owned() } else { format!("The proof stopped at revision {revision}.") }}</b>" Your text is safe. "<span class="q">{said}</span></span>
                        <button type="button" class="link" on:click=move |_| panel.restart()>"Start it again"</button></p>
                }
            })}
            {move || panel.unopened.get().map(|(name, refusal)| view! {
                <p class="line bad" data-hook="unopened"><span><b dir="auto">{format!("{name} cannot be opened.")}</b>" "{super::fields::said(&refusal.message)}" "<code class="q">{refusal.code}{refusal.path.map(|path| format!(" {path}"))}</code></span>
                    {(refusal.detail.as_deref() == Some("guess")).then(|| view! { <button type="button" class="link" on:click=move |_| panel.open_by_guess()>"Read it so"</button> })}
                    <button type="button" class="link" on:click=move |_| panel.unopened.set(None)>"Close"</button></p>
            })}
            {move || panel.reading.get().map(|name| view! {
                <p class="line late" data-hook="reading"><span>"Reading "<b dir="auto">{name}</b></span>
                    {move || match panel.read.get() {
                        Some((loaded, total)) if total > 0 => view! {
                            <progress max=total.to_string() value=loaded.to_string() aria-label="Reading"></progress>
                            <span class="q">{format!("{} of {} MB", n(loaded / 1_000_000), n(total / 1_000_000))}</span>
                        }.into_any(),
                        _ => view! { <progress aria-label="Reading"></progress> }.into_any(),
                    }}
                    <button type="button" class="link" on:click=move |_| panel.give_up()>"Cancel"</button></p>
            })}
            {move || sample().then(|| view! {
                <p class="line" data-hook="sample"><span><b>"This is a sample."</b>
                    " Drop your own conversation anywhere, "
                    <button type="button" class="link" on:click=move |_| files::choose(panel)>"open"</button>" or "
                    <button type="button" class="link" on:click=move |_| stage.dialog.set(Some("paste"))>"paste"</button>
                    " it. Nothing leaves this page."</span>
                    <button type="button" class="link" aria-label="Close this line" on:click=move |_| told.set(true)>"Close"</button></p>
            })}
        </div>
    }
}

/// Vocabularies on their way, or not to be had; stands by the total.
#[component]
pub fn Encodings() -> impl IntoView {
    let panel = expect_context::<Panel>();
    move || {
        panel.encodings.with(|all| {
            all.iter()
                .filter_map(|(name, state)| match state {
                    Loading::Coming { bytes, of } => {
                        let (bytes, of) = (*bytes, *of);
                        Some(view! {
                            <p class="load" data-hook="loading"><span>{format!("Loading {name}")}</span>
                                {if of > 0 { view! { <progress max=of.to_string() value=bytes.to_string() aria-label=format!("Loading {name}")></progress> }.into_any() } else { view! { <progress aria-label=format!("Loading {name}")></progress> }.into_any() }}
                                <span class="q">{if of > 0 { format!("{} of {} KB, once; estimates until then", n(bytes / 1024), n(of / 1024)) } else { "once; estimates until then".to_owned() }}</span></p>
                        }.into_any())
                    }
                    Loading::Failed(why) => Some(view! {
                        <p class="load" data-hook="no-vocabulary"><span>{format!("{name} is not to be had here; counts stay estimates.")}</span>" "<span class="q">{why.clone()}</span></p>
                    }.into_any()),
                    Loading::Here => None,
                })
                .collect_view()
        })
    }
}
