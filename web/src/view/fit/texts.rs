//! Texts of the fit: a part as it was against what it became, and what the summariser would read.

use leptos::prelude::*;

use super::super::TurnLink;
use crate::panel::Panel;
use crate::protocol::fit::{Fate, Look, Part, Side, Stretch};
use crate::words::{n, some};

/// The texts that are open.
#[component]
pub fn Texts() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let fitting = panel.fitting;
    let sides = Memo::new(move |_| match fitting.look.get() {
        Some(Look::Summariser) => [Side::Told, Side::Asked],
        _ => [Side::Old, Side::New],
    });
    let here = Memo::new(move |_| fitting.stretches.with(|all| !all.is_empty()));
    // The line of the rail that the open part stands in.
    let row = Memo::new(move |_| {
        let Some(Look::Part { message, .. }) = fitting.look.get() else {
            return None;
        };
        let of = |part: &&Part| part.message == message;
        fitting.parts.with(|parts| parts.values().find(of)?.row)
    });
    let title = move || match fitting.look.get() {
        Some(Look::Part { message, .. }) => Some(format!("Message {message}, old against new")),
        Some(Look::Summariser) => Some("What the summariser would read".to_owned()),
        None => None,
    };
    move || {
        here.get().then(|| {
            view! {
                <h3 class="against">{title}" "{move || row.get().map(|row| view! { <TurnLink row=Some(row)/> })}</h3>
                <div class="twin" data-hook="texts">
                    {sides.get().into_iter().map(|side| view! { <Column side/> }).collect_view()}
                </div>
            }
        })
    }
}

#[component]
fn Column(side: Side) -> impl IntoView {
    let panel = expect_context::<Panel>();
    let all = Memo::new(move |_| {
        panel.fitting.stretches.with(|all| {
            let of = all.iter().filter(|stretch| stretch.side == side);
            of.cloned().collect::<Vec<_>>()
        })
    });
    let word = match side {
        Side::Old => "old",
        Side::New => "new",
        Side::Told => "told",
        Side::Asked => "asked",
    };
    let bytes = move || all.with(|all| all.last().map_or(0, |stretch| stretch.to));
    view! {
        <div data-side=word>
            <p class="s q"><b>{word}</b>" "{move || some(bytes(), "byte")}</p>
            {move || {
                let all = all.get();
                let first = all.first().map(|first| first.from);
                all.into_iter().map(|stretch| draw(panel, &stretch, first)).collect_view()
            }}
        </div>
    }
}

/// A stretch, and a way to the rest of it.
fn draw(panel: Panel, stretch: &Stretch, first: Option<u64>) -> AnyView {
    let kept = stretch.fate == Fate::Kept;
    let head = kept && Some(stretch.from) == first;
    let more = |bytes: u64, words: &str| {
        let words = format!("{} {words}", n(bytes));
        let stretch = stretch.clone();
        (bytes > 0).then(|| view! { <button type="button" class="link s more" on:click=move |_| panel.more_text(&stretch)>{words}</button> })
    };
    let words = match stretch.fate {
        Fate::Kept => "bytes more, the same on both sides",
        Fate::Out => "bytes more, out",
        Fate::In | Fate::Alone => "bytes more",
    };
    let (before, after) = (stretch.at - stretch.from, stretch.to - stretch.end());
    let (class, name) = match stretch.fate {
        Fate::Kept => ("kept", "kept"),
        Fate::Out => ("gone", "out"),
        Fate::In => ("come", "in"),
        Fate::Alone => ("", ""),
    };
    let size = stretch.to - stretch.from;
    let label = (!name.is_empty()).then(|| format!("{name}, {}", some(size, "byte")));
    view! {
        <div class="stretch" data-fate=name>
            {label.map(|label| view! { <p class="seam">{label}</p> })}
            {head.then(|| more(before, words))}
            <pre class=class dir="auto">{stretch.text.clone()}</pre>
            {more(after, words)}
        </div>
    }
    .into_any()
}
