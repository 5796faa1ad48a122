//! The template as a list of blocks: move them, open one, add one, take one out.

use leptos::html;
use leptos::prelude::*;
use serde_json::{Value, json};

use super::Stage;
use super::template::{TemplateRefusal, add, declared_names};
use crate::form;
use crate::panel::{Current, Panel};
use crate::place::{self, Place};
use crate::template;

/// The list.
#[component]
pub fn Blocks() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let stage = expect_context::<Stage>();
    let now = Memo::new(move |_| {
        let Some(doc) = panel.doc.get() else {
            return Value::Null;
        };
        panel.form.with(|form| form::template(form, &doc))
    });
    let unreadable = Memo::new(move |_| {
        panel.form.with(|form| {
            form.trial
                .as_deref()
                .and_then(|text| serde_json::from_str::<Value>(text).err())
                .map(|error| error.to_string())
        })
    });
    let count = Memo::new(move |_| now.with(|now| template::blocks(now).len()));
    let open = RwSignal::new(None::<usize>);
    let dragged = RwSignal::new(None::<usize>);
    let list = NodeRef::<html::Ol>::new();
    Effect::new(move |_| {
        if let Some(block) = stage.reveal_block.get() {
            open.set(Some(block));
            stage.reveal_block.set(None);
            super::keys::focus(&format!("block-{block}"));
        }
    });
    let adding = move |event| {
        let label = event_target_value(&event);
        let found = now.with_untracked(|now| {
            template::addable(now)
                .into_iter()
                .find(|(known, _)| *known == label)
        });
        if let Some((_, block)) = found {
            add(panel, block);
        }
    };
    view! {
        {move || unreadable.get().map(|why| view! { <p class="note bad"><b>"The JSON does not read."</b>" "{why}" "<button type="button" class="link" on:click=move |_| stage.as_json.set(true)>"Go to it"</button></p> })}
        <TemplateRefusal here=|pointer| place::block_of(pointer).is_none()/>
        <ol class="blocks-edit" node_ref=list aria-label="Blocks of the template, in order">
            <For each=move || 0..count.get() key=|index| *index let:index><Block index now open dragged/></For>
            <li class="add-block">
                <select aria-label="Add a block" prop:value="" on:change=adding>
                    <option value="">"Add a block"</option>
                    {move || now.with(template::addable).into_iter().map(|(label, _)| view! { <option value=label.clone()>{label.clone()}</option> }).collect_view()}
                </select>
                <span class="s q">{move || now.with(declared_names)}</span>
            </li>
        </ol>
    }
}

/// What a block says of itself in the list.
fn gist(block: &Value) -> String {
    let word = |key: &str| {
        block
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    match template::kind(block) {
        "slot" => word("slot"),
        "inline" => format!(
            "{}  {}",
            word("role"),
            word("text").lines().next().unwrap_or_default()
        ),
        "history" => {
            let budget = |key: &str| {
                block
                    .get("budget")
                    .and_then(|budget| budget.get(key))
                    .map(|value| value.to_string())
            };
            [
                block
                    .get("max_entries")
                    .map(|most| format!("at most {most}")),
                budget("share").map(|share| format!("share {share}")),
                budget("min_tokens").map(|least| format!("min {least}")),
                budget("max_tokens").map(|most| format!("max {most}")),
            ]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" · ")
        }
        "input" => "always last".to_owned(),
        _ => String::new(),
    }
}

#[component]
fn Block(
    index: usize,
    now: Memo<Value>,
    open: RwSignal<Option<usize>>,
    dragged: RwSignal<Option<usize>>,
) -> impl IntoView {
    let panel = expect_context::<Panel>();
    let block = Memo::new(move |_| {
        now.with(|now| {
            template::blocks(now)
                .get(index)
                .cloned()
                .unwrap_or_default()
        })
    });
    let kind = Memo::new(move |_| block.with(|block| template::kind(block).to_owned()));
    let bad = Memo::new(move |_| {
        panel.refusal_at(|place| matches!(place, Place::Template(pointer) if place::block_of(pointer) == Some(index))).is_some()
    });
    let fixed = Memo::new(move |_| kind.get() == "input");
    let opened =
        Memo::new(move |_| open.get() == Some(index) || (bad.get() && open.get().is_none()));
    // Which document stands in a slot is known once the order has been compiled.
    let version = move || {
        let slot =
            block.with(|block| block.get("slot").and_then(Value::as_str).map(str::to_owned))?;
        panel.plan.with(|plan| {
            plan.as_ref().map(|plan| {
                plan.slots
                    .get(&slot)
                    .map_or("none written".to_owned(), |version| format!("v{version}"))
            })
        })
    };
    let shift = move |by: isize| {
        if let Some(to) = index.checked_add_signed(by) {
            panel.edit_template("", |template| template::shift(template, index, to));
            super::keys::focus(&format!("block-{to}"));
        }
    };
    view! {
        <li class:bad=move || bad.get() class:under=move || dragged.get().is_some_and(|from| from != index)
            on:dragover=move |event| if dragged.get_untracked().is_some() { event.prevent_default() }
            on:drop=move |event| {
                if let Some(from) = dragged.get_untracked() {
                    event.prevent_default();
                    dragged.set(None);
                    panel.edit_template("", |template| template::shift(template, from, index));
                }
            }>
            <div class="be" data-block=index>
                <span class="grip" draggable=move || (!fixed.get()).to_string() aria-hidden="true" class:fixed=move || fixed.get()
                    on:dragstart=move |_| dragged.set(Some(index)) on:dragend=move |_| dragged.set(None)></span>
                <span class="i">{index}</span>
                <button type="button" class="bare" id=format!("block-{index}") aria-expanded=move || opened.get().to_string()
                    on:click=move |_| {
                        open.update(|open| *open = if *open == Some(index) { None } else { Some(index) });
                        panel.current.set(Some(Current::Block(index)));
                    }
                    on:keydown=move |event| if event.alt_key() {
                        match event.key().as_str() {
                            "ArrowUp" => { event.prevent_default(); shift(-1) }
                            "ArrowDown" => { event.prevent_default(); shift(1) }
                            _ => {}
                        }
                    }>
                    <span class="k">{move || kind.get()}</span><span class="v" dir="auto">{move || block.with(gist)}</span>
                </button>
                <span class="n">{move || if bad.get() { Some("refused".to_owned()) } else { version() }}</span>
            </div>
            {move || opened.get().then(|| view! {
                <div class="bad-body">
                    <Fields index kind=kind.get() block bad/>
                    <TemplateRefusal here=move |pointer| place::block_of(pointer) == Some(index)/>
                    <p class="acts">
                        <button type="button" class="link" disabled=index == 0 on:click=move |_| shift(-1)>"Up"</button>
                        <button type="button" class="link" on:click=move |_| shift(1)>"Down"</button>
                        <button type="button" class="link" on:click=move |_| panel.edit_template("", |template| template::remove(template, index))>"Take out"</button>
                    </p>
                </div>
            })}
        </li>
    }
}

/// The members of a block that can be edited.
#[component]
fn Fields(index: usize, kind: String, block: Memo<Value>, bad: Memo<bool>) -> impl IntoView {
    let panel = expect_context::<Panel>();
    let word = move |key: &'static str| {
        block.with(|block| {
            block
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        })
    };
    let set = move |key: &'static str, value: Value| {
        panel.edit_template(&format!("block {index} {key}"), |template| {
            template::set(template, index, key, value)
        })
    };
    let choice = move |key: &'static str, options: &'static [&'static str]| {
        view! {
            <select aria-label=format!("{key} of block {index}") on:change=move |event| set(key, json!(event_target_value(&event)))>
                {options.iter().map(|option| view! { <option value=*option selected=move || word(key) == *option>{*option}</option> }).collect_view()}
            </select>
        }
    };
    match kind.as_str() {
        "slot" => choice("slot", &template::SLOTS).into_any(),
        "inline" => view! {
            <div class="two start">{choice("role", &["system", "developer", "user", "assistant"])}</div>
            <textarea class="field" dir="auto" rows="2" aria-label=format!("Text of block {index}") aria-invalid=move || bad.get().to_string() spellcheck="false"
                prop:value=move || word("text") on:input=move |event| set("text", json!(event_target_value(&event)))></textarea>
            <p class="hint">{format!("knows {}, and what is declared", template::BUILT_INS.map(|name| format!("{{{{{name}}}}}")).join(" "))}</p>
        }
        .into_any(),
        "history" => {
            let number = move |label: &'static str, key: &'static str, budget: bool| {
                let now = move || block.with(|block| {
                    let holder = if budget { block.get("budget") } else { Some(block) };
                    holder.and_then(|holder| holder.get(key)).filter(|value| !value.is_null()).map(Value::to_string).unwrap_or_default()
                });
                let change = move |event| {
                    let typed = event_target_value(&event);
                    // What is not a number is sent as it was typed, and refused at its place.
                    let value = if typed.trim().is_empty() { Value::Null } else { serde_json::from_str(typed.trim()).unwrap_or(json!(typed)) };
                    if budget {
                        panel.edit_template(&format!("block {index} {key}"), |template| template::set_budget(template, index, key, value));
                    } else {
                        set(key, value);
                    }
                };
                view! { <label class="small"><span>{label}</span><input type="text" inputmode="decimal" prop:value=now on:input=change/></label> }
            };
            view! { <div class="four">{number("at most", "max_entries", false)} {number("share", "share", true)} {number("min tokens", "min_tokens", true)} {number("max tokens", "max_tokens", true)}</div> }.into_any()
        }
        _ => ().into_any(),
    }
}
