//! Under a pass: the parts it wrote anew, a windowed list, and the texts of the one that is open.

use leptos::html;
use leptos::prelude::*;

use super::super::entries::Scroller;
use super::texts::Texts;
use crate::panel::Panel;
use crate::protocol::fit::{Compaction, Look, Part};
use crate::windowing;
use crate::words::{n, some};

/// What the chosen pass did, part by part.
#[component]
pub fn Parts() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let fitting = panel.fitting;
    let pass = Memo::new(move |_| fitting.pass());
    let shown = Memo::new(move |_| {
        fitting
            .fit
            .with(|fit| fit.as_ref()?.pass(&pass.get()).cloned())
    });
    let count = Memo::new(move |_| shown.with(|shown| shown.as_ref().map_or(0, |pass| pass.parts)));
    let idle = Memo::new(move |_| shown.with(|shown| shown.as_ref()?.idle.clone()));
    let summary = Memo::new(move |_| {
        let told = fitting.fit.with(|fit| fit.as_ref()?.compaction.clone());
        told.filter(|told| told.outcome == "dry" && pass.get() == "compaction")
    });
    view! {
        <div class="sec" id="parts" role="tabpanel" aria-labelledby=move || format!("pass-{}", pass.get())>
            <div class="head"><h2>{move || pass.get()}</h2>
                <span class="s q">{move || (count.get() > 0).then(|| format!("{} rewritten", some(count.get() as u64, "part")))}</span></div>
            {move || summary.get().map(|told| compaction(&told))}
            {move || idle.get().map(|idle| view! { <p class="q s">{format!("It did nothing: {idle}.")}</p> })}
            {move || (count.get() > 0).then(|| view! { <List count/> })}
            <Texts/>
        </div>
    }
}

/// What would be summarised, in a sentence or two.
fn compaction(told: &Compaction) -> AnyView {
    let last = told.head_len.saturating_sub(1);
    let stays = match told.tail_start_index {
        Some(first) => format!("Message {first} is the first that stays word for word."),
        None => "None stays word for word.".to_owned(),
    };
    view! {
        <p class="note" data-hook="compaction"><b>{format!("Messages 0–{last} would be summarised: {} tokens.", n(told.head_tokens))}</b>" "{stays}
            {format!(" The summary has to be shorter than that. The summariser would read {} bytes.", n(told.bytes))}</p>
    }
    .into_any()
}

#[component]
fn List(count: Memo<usize>) -> impl IntoView {
    let panel = expect_context::<Panel>();
    let fitting = panel.fitting;
    let node = NodeRef::<html::Div>::new();
    let scroller = Scroller::watch(node);
    let row = super::super::rail::row_height();
    let range = Memo::new(move |_| {
        windowing::even(
            scroller.top.get(),
            scroller.height.get(),
            row.get(),
            count.get(),
        )
    });
    Effect::new(move |_| panel.look_at_parts(range.get()));
    let current = Memo::new(move |_| {
        let look = fitting.look.get();
        fitting.parts.with(|parts| {
            let found = parts.iter().find(|(_, part)| is_of(part, look.as_ref()));
            found.map(|(place, _)| *place)
        })
    });
    // A part that is asked for opens once it has come: the list holds only those that were in sight.
    let wanted = RwSignal::new(None::<(String, usize)>);
    Effect::new(move |_| {
        let pass = fitting.pass();
        let Some((_, place)) = wanted.get().filter(|(of, _)| *of == pass) else {
            return;
        };
        if let Some(part) = fitting.parts.with(|parts| parts.get(&place).cloned()) {
            wanted.set(None);
            panel.open_texts(Some(Look::Part {
                pass,
                message: part.message,
                block: part.block,
            }));
        }
    });
    let open = move |place: usize| {
        wanted.set(Some((untrack(|| fitting.pass()), place)));
        if let Some(element) = node.get_untracked() {
            let to = windowing::reveal(
                f64::from(element.scroll_top()),
                f64::from(element.client_height()),
                row.get_untracked(),
                place,
            );
            element.set_scroll_top(to as i32);
        }
    };
    let keys = move |event: web_sys::KeyboardEvent| {
        let last = count.get_untracked().saturating_sub(1);
        let wanted = wanted.with_untracked(|wanted| wanted.as_ref().map(|(_, place)| *place));
        let now = wanted.or(current.get_untracked());
        let to = match (event.key().as_str(), now) {
            ("ArrowDown" | "j", now) => now.map_or(0, |now| (now + 1).min(last)),
            ("ArrowUp" | "k", now) => now.map_or(0, |now| now.saturating_sub(1)),
            ("Home", _) => 0,
            ("End", _) => last,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        open(to);
    };
    view! {
        <div class="changes" node_ref=node>
            <ol role="listbox" tabindex="0" aria-label="Parts, oldest first" on:keydown=keys
                aria-activedescendant=move || current.get().map(|place| format!("part-{place}"))
                style=move || {
                    let range = range.get();
                    let below = count.get().saturating_sub(range.end);
                    format!("padding-block:{}px {}px", range.start as f64 * row.get(), below as f64 * row.get())
                }>
                <For each=move || range.get() key=|place| *place let:place>
                    {
                        let part = Memo::new(move |_| fitting.parts.with(|parts| parts.get(&place).cloned()));
                        view! {
                            <li role="option" id=format!("part-{place}") data-part=place aria-setsize=move || count.get() aria-posinset=place + 1
                                aria-selected=move || (current.get() == Some(place)).to_string() on:click=move |_| open(place)>
                                {move || part.get().map(|part| line(panel, &part))}
                            </li>
                        }
                    }
                </For>
            </ol>
        </div>
    }
}

fn is_of(part: &Part, look: Option<&Look>) -> bool {
    matches!(look, Some(Look::Part { message, block, .. }) if *message == part.message && *block == part.block)
}

fn line(panel: Panel, part: &Part) -> AnyView {
    let turn = part.row.and_then(|row| panel.turn_of(row));
    let block = part.block.map(|block| format!(", block {block}"));
    let freed = part.tokens_before.saturating_sub(part.tokens_after);
    view! {
        <span class="no">{format!("message {}", part.message)}{block}</span>
        <span class="w"><code>{part.function_id.clone()}</code>{turn.map(|turn| view! { <span class="qq">{format!(" turn {turn}")}</span> })}</span>
        <span class="n">{format!("{} → {}", n(part.tokens_before), n(part.tokens_after))}</span>
        <span class="n q">{format!("−{}", n(freed))}</span>
    }
    .into_any()
}
