//! Small parts of the form: where a refusal stands, and a field of a few words.

use leptos::prelude::*;

use crate::panel::Panel;
use crate::place::Place;

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
                    <span>{refusal.message}</span>
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
    id: &'static str,
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
