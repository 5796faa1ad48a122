//! What the context manager is told: the model's limits, what is kept free, and the numbers of each pass.

use std::collections::BTreeSet;

use galley_core::fit::ThinkingLevel;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::super::request::ModelField;
use crate::fit::{
    CAP, COMPACTION, Knob, LIMITS, PREVIOUS_SUMMARY, PROTECTED_FUNCTIONS, PRUNE, RESERVE, Settings,
    THINKING_LEVEL, THINKING_LEVELS,
};
use crate::panel::Panel;
use crate::protocol::fit::Fit;
use crate::words::n;

/// The settings pane.
#[component]
pub fn SettingsPane() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let touched = Memo::new(move |_| panel.form.with(|form| !form.fit.is_default()));
    let reset = move |_| panel.edit("defaults", |form| form.fit = Settings::default());
    view! {
        <section class="pane" id="settings" tabindex="-1" aria-labelledby="h-settings">
            <div class="scroll">
                <div class="sec">
                    <div class="head"><h2 id="h-settings">"Settings"</h2></div>
                    <form class="form" on:submit=|event| event.prevent_default()>
                        <ModelField at="fit-"/>
                        <Limits/>
                    </form>
                </div>
                <Group word="Kept free" knobs=RESERVE><Thinking/></Group>
                <Group word="Cap" knobs=CAP/>
                <Group word="Prune" knobs=PRUNE switch=Switch { name: "allow_prune", of: |settings| &mut settings.no_prune }><Functions/></Group>
                <Group word="Compaction" knobs=COMPACTION switch=Switch { name: "allow_compaction", of: |settings| &mut settings.no_compaction }/>
                <Before/>
            </div>
            <footer class="foot">
                <span>{move || if touched.get() { "Not the defaults" } else { "The defaults" }}</span>
                {move || touched.get().then(|| view! { <button type="button" class="link" data-hook="defaults" on:click=reset>"Back to the defaults"</button> })}
            </footer>
        </section>
    }
}

/// A pass that can be switched off.
#[derive(Clone, Copy)]
struct Switch {
    name: &'static str,
    of: fn(&mut Settings) -> &mut bool,
}

#[component]
fn Group(
    word: &'static str,
    knobs: &'static [Knob],
    #[prop(optional)] switch: Option<Switch>,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    let panel = expect_context::<Panel>();
    let off = Memo::new(move |_| {
        let mut settings = panel.form.with(|form| form.fit.clone());
        switch.is_some_and(|switch| *(switch.of)(&mut settings))
    });
    let id = format!("h-{}", word.to_lowercase().replace(' ', "-"));
    view! {
        <div class="sec" role="group" aria-labelledby=id.clone() class:off=move || off.get()>
            <div class="head"><h3 id=id.clone()>{word}</h3>
                {switch.map(|Switch { name, of }| view! {
                    <label class="check"><input type="checkbox" name=name prop:checked=move || !off.get()
                        on:change=move |event| { let on = event_target_checked(&event); panel.edit(name, |form| *of(&mut form.fit) = !on) }/><code>{name}</code></label>
                })}</div>
            <div class="knobs">{knobs.iter().map(|knob| view! { <Setting knob/> }).collect_view()}{children.map(|children| children())}</div>
        </div>
    }
}

/// A number that is set by a slider or by its digits.
#[component]
fn Setting(knob: &'static Knob) -> impl IntoView {
    let panel = expect_context::<Panel>();
    let given = Memo::new(move |_| {
        panel
            .form
            .with(|form| form.fit.numbers.get(knob.name).copied())
    });
    // What stands while nothing is given; the reserve's is what its share comes to.
    let stands = Memo::new(move |_| {
        knob.default().unwrap_or_else(|| {
            let fit = panel.fitting.fit.get();
            fit.map_or(0, |fit| fit.budget.reserved)
        })
    });
    let now = Memo::new(move |_| given.get().unwrap_or(stands.get()));
    let moot = move || {
        knob.name.starts_with("reserved_")
            && knob.default().is_some()
            && panel
                .form
                .with(|form| form.fit.numbers.contains_key("reserved_tokens"))
    };
    let set = move |number: Option<u64>| set(panel, knob, number);
    let slide = move |event: web_sys::Event| {
        let input = event.target();
        let input = input.and_then(|input| input.dyn_into::<web_sys::HtmlInputElement>().ok());
        if let Some(input) = input {
            set(Some(input.value_as_number().max(0.0) as u64));
        }
    };
    let most = knob.most;
    let at = move || now.get().min(most) as f64 / most as f64 * 100.0;
    view! {
        <div class="knob" class:moot=moot data-knob=knob.name>
            <label for=knob.name><code>{knob.name}</code></label>
            <input class="num" id=knob.name type="number" inputmode="numeric" min="0" step="1" aria-describedby=format!("{}-h", knob.name)
                placeholder=move || stands.get().to_string() prop:value=move || given.get().map(|given| given.to_string()).unwrap_or_default()
                on:input=move |event| set(event_target_value(&event).trim().parse().ok())/>
            <input type="range" min="0" max=most.to_string() step=knob.step.to_string() aria-label=knob.name
                aria-valuetext=move || n(now.get()) class:unset=move || given.get().is_none() && knob.default().is_none()
                prop:value=move || now.get().min(most).to_string() style=move || format!("--at:{:.2}%", at()) on:input=slide/>
            <p class="hint" id=format!("{}-h", knob.name)>{move || if moot() { "not used while reserved_tokens is given" } else { knob.says }}</p>
        </div>
    }
}

/// What was typed as one of the settings that are words.
fn typed(panel: Panel, name: &'static str) -> impl Fn() -> String + Copy {
    move || {
        let word = panel.form.with(|form| form.fit.words.get(name).cloned());
        word.unwrap_or_default()
    }
}

fn say(panel: Panel, name: &'static str, word: String) {
    panel.edit(name, |form| {
        form.fit.words.insert(name, word);
    });
}

/// How much the model is asked to think.
#[component]
fn Thinking() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let now = typed(panel, THINKING_LEVEL);
    view! {
        <div class="knob worded">
            <label for=THINKING_LEVEL><code>{THINKING_LEVEL}</code></label>
            <select id=THINKING_LEVEL aria-describedby="thinking_level-h" on:change=move |event| say(panel, THINKING_LEVEL, event_target_value(&event))>
                <option value="" selected=move || now().is_empty()>"not asked to"</option>
                {THINKING_LEVELS.map(ThinkingLevel::as_str).into_iter().map(|level| view! { <option value=level selected=move || now() == level>{level}</option> }).collect_view()}
            </select>
            <p class="hint" id="thinking_level-h">"room is kept where the model's row says how much"</p>
        </div>
    }
}

/// Functions whose results pruning leaves.
#[component]
fn Functions() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let now = typed(panel, PROTECTED_FUNCTIONS);
    let called = Memo::new(move |_| {
        panel.doc.with(|doc| {
            let rows = doc.as_ref().map(|doc| doc.rail.as_slice());
            let calls = rows.into_iter().flatten().flat_map(|row| &row.calls);
            calls.cloned().collect::<BTreeSet<String>>()
        })
    });
    view! {
        <div class="knob worded">
            <label for=PROTECTED_FUNCTIONS><code>{PROTECTED_FUNCTIONS}</code></label>
            <input type="text" id=PROTECTED_FUNCTIONS list="functions-called" spellcheck="false" autocomplete="off" aria-describedby="protected_functions-h"
                prop:value=now on:input=move |event| say(panel, PROTECTED_FUNCTIONS, event_target_value(&event))/>
            <datalist id="functions-called">{move || called.get().into_iter().map(|id| view! { <option value=id></option> }).collect_view()}</datalist>
            <p class="hint" id="protected_functions-h">"their results stay; several apart by commas"</p>
        </div>
    }
}

/// The summary of an earlier compaction, which stands in the system prompt.
#[component]
fn Before() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let now = typed(panel, PREVIOUS_SUMMARY);
    view! {
        <div class="sec" role="group" aria-labelledby="h-previous_summary">
            <div class="head"><h3 id="h-previous_summary">"Summarised before"</h3></div>
            <div class="knobs"><div class="knob worded long">
                <label for=PREVIOUS_SUMMARY><code>{PREVIOUS_SUMMARY}</code></label>
                <textarea id=PREVIOUS_SUMMARY rows="3" dir="auto" aria-describedby="previous_summary-h" prop:value=now
                    on:input=move |event| say(panel, PREVIOUS_SUMMARY, event_target_value(&event))></textarea>
                <p class="hint" id="previous_summary-h">"the summary of an earlier compaction; it stands in the system prompt, and a new one carries it on"</p>
            </div></div>
        </div>
    }
}

/// Sets a number, or leaves it alone again.
fn set(panel: Panel, knob: &'static Knob, number: Option<u64>) {
    panel.edit(knob.name, |form| {
        match number {
            Some(number) => form.fit.numbers.insert(knob.name, number),
            None => form.fit.numbers.remove(knob.name),
        };
    });
}

/// The model's limits, which win over those of its row when they are given.
#[component]
fn Limits() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let known = move |name: &'static str| {
        panel.fitting.fit.with(|fit| {
            let limit = fit.as_ref().and_then(|fit| limit(fit, name));
            limit.map_or("none".to_owned(), |limit| limit.to_string())
        })
    };
    view! {
        <div class="limits-by-hand" role="group" aria-label="Limits">
            {LIMITS.iter().map(|knob| {
                let given = move || panel.form.with(|form| form.fit.numbers.get(knob.name).copied());
                view! {
                    <label><code>{knob.name}</code><span class="hint">{knob.says}</span>
                        <input class="num" id=knob.name type="number" inputmode="numeric" min="0" step="1" placeholder=move || known(knob.name)
                            prop:value=move || given().map(|given| given.to_string()).unwrap_or_default()
                            on:input=move |event| set(panel, knob, event_target_value(&event).trim().parse().ok())/></label>
                }
            }).collect_view()}
        </div>
    }
}

fn limit(fit: &Fit, name: &str) -> Option<u64> {
    match name {
        "context_window" => Some(fit.limits.context_window),
        "max_output_tokens" => Some(fit.limits.max_output_tokens),
        _ => fit.limits.input_limit,
    }
}
