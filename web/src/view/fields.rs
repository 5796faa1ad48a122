//! Small parts of the form: where a refusal stands, and a field of a few words.

use leptos::prelude::*;

use crate::panel::Panel;
use crate::place::Place;

/// A sentence of the engine: what stands between backquotes is set as code, and it ends with a stop.
pub fn said(message: &str) -> impl IntoView + use<> {
    let stop = if message.ends_with(['.', '!', '?']) {
        ""
    } else {
        "."
    };
    // The engine's sentences begin small, since they also stand after a code and a colon.
    let mut letters = message.chars();
    let message: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .chain(letters)
        .collect();
    let parts = message.split('`').enumerate().map(|(at, part)| {
        let part = part.to_owned();
        if at % 2 == 1 {
            view! { <code>{part}</code> }.into_any()
        } else {
            part.into_any()
        }
    });
    view! { <span dir="auto">{parts.collect_view()}{stop}</span> }
}

/// The refusal at a place, in place: its pointer, its sentence.
#[component]
pub fn RefusalAt(
    /// Whether a place is this one.
    here: fn(&Place) -> bool,
) -> impl IntoView {
    let panel = expect_context::<Panel>();
    move || {
        panel.refusal_at(here).map(|refusal| {
            let pointer = refusal.path.filter(|path| !path.is_empty()).unwrap_or(refusal.code);
            view! {
                <div class="refusal" role="alert" data-hook="refusal">
                    <span class="ptr">{pointer}</span>
                    {said(&refusal.message)}
                    <span class="acts"><button type="button" class="link" on:click=move |_| panel.undo()>"Undo"</button></span>
                </div>
            }
        })
    }
}

/// A number field that may be empty: then nothing is said.
#[component]
pub fn Count(
    /// Its id.
    id: String,
    /// The number now.
    #[prop(into)]
    value: Signal<Option<u64>>,
    /// What a change does.
    set: impl Fn(Option<u64>) + Copy + Send + 'static,
    /// What stands in it while it is empty.
    empty: &'static str,
) -> impl IntoView {
    view! {
        <input class="num" id=id type="number" inputmode="numeric" min="0" step="1" placeholder=empty
            prop:value=move || value.get().map(|value| value.to_string()).unwrap_or_default()
            on:input=move |event| set(event_target_value(&event).trim().parse().ok())/>
    }
}
