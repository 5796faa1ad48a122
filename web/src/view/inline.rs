//! Client text laid as lead or tail.

use leptos::prelude::*;

use super::fields::RefusalAt;
use crate::form::Inline;
use crate::panel::Panel;
use crate::place::Place;
use crate::words::n;

/// The pieces of client text, each with its role, its position and its words.
#[component]
pub fn InlineTexts() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let count = Memo::new(move |_| panel.form.with(|form| form.inline.len()));
    let add = move |_: web_sys::MouseEvent| {
        panel.edit("", |form| {
            form.inline.push(Inline {
                role: "developer".into(),
                position: "lead".into(),
                text: String::new(),
            })
        });
    };
    view! {
        <span class="lab">"Inline"</span>
        <div class="inline">
            <div class="two"><span class="hint" data-tall="">{move || if count.get() == 0 { "no text of the client's own".to_owned() } else { String::new() }}</span>
                <button type="button" class="link s" disabled={move || count.get() >= 16} on:click=add>"Add"</button></div>
            <For each=move || 0..count.get() key=|index| *index let:index><Piece index/></For>
        </div>
    }
}

#[component]
fn Piece(index: usize) -> impl IntoView {
    let panel = expect_context::<Panel>();
    let piece = Memo::new(move |_| {
        panel
            .form
            .with(|form| form.inline.get(index).cloned().unwrap_or_default())
    });
    let change = move |kind: &str, change: Box<dyn FnOnce(&mut Inline)>| {
        panel.edit(&format!("inline {index} {kind}"), |form| {
            if let Some(piece) = form.inline.get_mut(index) {
                change(piece);
            }
        });
    };
    let cost = move || {
        let position = piece.get().position;
        panel.plan.with(|plan| {
            plan.as_ref().and_then(|plan| {
                plan.blocks
                    .iter()
                    .find(|block| block.block == position)
                    .map(|block| block.tokens)
            })
        })
    };
    let choice = move |name: &'static str,
                       options: [&'static str; 2],
                       now: fn(&Inline) -> &str,
                       set: fn(&mut Inline, String)| {
        view! {
            <select aria-label=format!("{name} of inline text {index}") on:change=move |event| {
                let value = event_target_value(&event);
                change(name, Box::new(move |piece| set(piece, value)));
            }>
                {options.map(|option| view! { <option value=option selected=move || now(&piece.get()) == option>{option}</option> }).collect_view()}
            </select>
        }
    };
    view! {
        <div class="piece">
            <div class="three">
                {choice("Position", ["lead", "tail"], |piece| &piece.position, |piece, value| piece.position = value)}
                {choice("Role", ["developer", "user"], |piece| &piece.role, |piece, value| piece.role = value)}
                <span class="hint nb">{move || cost().map(|cost| format!("{} tokens", n(cost)))}</span>
                <button type="button" class="link s" aria-label=format!("Take out inline text {index}")
                    on:click=move |_| panel.edit("", |form| { if index < form.inline.len() { form.inline.remove(index); } })>"Take out"</button>
            </div>
            <textarea rows="2" dir="auto" aria-label=format!("Inline text {index}") placeholder="an environment, a reminder" prop:value=move || piece.get().text
                on:input=move |event| { let text = event_target_value(&event); change("text", Box::new(move |piece| piece.text = text)) }></textarea>
            {move || panel.refusal_at(|place| *place == Place::Inline(index)).map(|_| view! { <RefusalAt here=|place| matches!(place, Place::Inline(_))/> })}
        </div>
    }
}
