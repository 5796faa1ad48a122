//! The template, as blocks or as its JSON; a refusal stands at its pointer in either.

use leptos::prelude::*;
use serde_json::Value;

use super::Stage;
use super::blocks::Blocks;
use super::fields::said;
use crate::form;
use crate::panel::Panel;
use crate::place::{self, Place};
use crate::protocol::Refusal;
use crate::template;
use crate::words::some;

/// The editor.
#[component]
pub fn Template() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let stage = expect_context::<Stage>();
    let refused = move || panel.refusal_at(|place| matches!(place, Place::Template(_)));
    let pick = move |json: bool, word: &'static str| {
        view! { <label><input type="radio" name="template-as" prop:checked=move || stage.as_json.get() == json on:change=move |_| stage.as_json.set(json)/>{word}</label> }
    };
    view! {
        <div class="sec" id="template">
            <div class="head"><h2>"Template"</h2>
                <span class="pick" role="radiogroup" aria-label="Edit the template as">{pick(false, "Blocks")} {pick(true, "JSON")}</span>
                <span class="s nb" role="status">{move || refused().map(|_| view! { <span class="red b">"1 refusal"</span>" "<kbd>"F8"</kbd> })}</span>
            </div>
            {move || if stage.as_json.get() { view! { <Json/> }.into_any() } else { view! { <Blocks/> }.into_any() }}
        </div>
    }
}

/// The text of the template in force, or of the trial as it is being written.
fn text(panel: Panel) -> String {
    let Some(doc) = panel.doc.get() else {
        return String::new();
    };
    panel.form.with(|form| {
        form.trial
            .clone()
            .unwrap_or_else(|| template::text(&form::declared(form, &doc)))
    })
}

#[component]
fn Json() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let words = Memo::new(move |_| text(panel));
    let bad = Memo::new(move |_| match panel.refused.get().map(|one| one.place) {
        Some(Place::Template(pointer)) => {
            let text = words.get();
            // Text that is no JSON is refused where reading stopped.
            match serde_json::from_str::<Value>(&text) {
                Ok(_) => Some(place::lines(&text, &pointer)),
                Err(error) => Some(error.line().saturating_sub(1)..=error.line().saturating_sub(1)),
            }
        }
        _ => None,
    });
    let count = Memo::new(move |_| words.with(|text| text.split('\n').count()));
    view! {
        <div class="code" style=move || format!("--lines:{}", count.get())>
            <ol class="gutter" aria-hidden="true">
                {move || { let bad = bad.get(); (0..count.get()).map(|line| view! { <li class:err=bad.as_ref().is_some_and(|bad| bad.contains(&line))>{line + 1}</li> }).collect_view() }}
            </ol>
            {move || bad.get().map(|bad| view! { <div class="err-lines" style=format!("--from:{};--to:{}", bad.start(), bad.end() + 1)></div> })}
            <textarea class="mono" aria-label="Template as JSON" spellcheck="false" wrap="off" aria-invalid=move || bad.get().is_some().to_string() aria-describedby="template-refusal"
                prop:value=move || words.get()
                on:input=move |event| { let text = event_target_value(&event); panel.edit("template text", |form| form.trial = Some(text)) }></textarea>
        </div>
        <TemplateRefusal here=|_| true line=Signal::derive(move || bad.get().map(|bad| bad.start() + 1))/>
    }
}

/// A refusal of the template, with what can be done about it.
#[component]
pub fn TemplateRefusal(
    /// Whether a pointer is this one's to show.
    here: impl Fn(&str) -> bool + Send + Sync + 'static,
    /// Its line in the text.
    #[prop(optional, into)]
    line: Signal<Option<usize>>,
) -> impl IntoView {
    let panel = expect_context::<Panel>();
    move || {
        let refusal =
            panel.refusal_at(|place| matches!(place, Place::Template(pointer) if here(pointer)))?;
        let pointer = refusal.path.clone().unwrap_or_default();
        let undeclared = undeclared(&refusal);
        let removable = pointer.len() > 1 && pointer != "/blocks" && pointer != "/variables";
        let missing = missing(&refusal);
        let out = pointer.clone();
        Some(view! {
            <div class="refusal" id="template-refusal" role="alert" data-hook="refusal" data-pointer=pointer.clone()>
                <span class="ptr">{pointer.clone()}{move || line.get().map(|line| format!(" · line {line}"))}</span>
                {said(&refusal.message)}
                <span class="acts">
                    {undeclared.map(|name| { let label = format!("Declare {name}"); view! { <button type="button" class="link" on:click=move |_| panel.edit_template("", |template| template::declare(template, &name, ""))>{label}</button> } })}
                    {missing.map(|kind| view! { <button type="button" class="link" on:click=move |_| panel.edit_template("", |template| template::add(template, serde_json::json!({ "type": kind })))>{format!("Add {kind}")}</button> })}
                    {removable.then(|| view! { <button type="button" class="link" on:click=move |_| panel.edit_template("", |template| take_out(template, &out))>"Take it out"</button> })}
                    <button type="button" class="link" on:click=move |_| panel.undo()>"Undo"</button>
                </span>
            </div>
        })
    }
}

/// A name used in a text that nobody declares.
fn undeclared(refusal: &Refusal) -> Option<String> {
    let name = refusal.detail.as_deref()?;
    let at_text = refusal
        .path
        .as_deref()
        .is_some_and(|path| path.ends_with("/text"));
    let is_name = name != "text"
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    (at_text && is_name).then(|| name.to_owned())
}

/// A block the grammar asks for and the template lacks.
fn missing(refusal: &Refusal) -> Option<&'static str> {
    let lacks = refusal.path.as_deref() == Some("/blocks");
    match refusal.detail.as_deref() {
        Some("input") if lacks => Some("input"),
        Some("history") if lacks => Some("history"),
        _ => None,
    }
}

/// Takes out a member that has no business there, or else the block that is at fault.
fn take_out(template: &mut Value, pointer: &str) {
    let required = ["type", "role", "text", "slot"];
    let last = pointer.rsplit('/').next().unwrap_or_default();
    match place::block_of(pointer) {
        Some(block) if required.contains(&last) => template::remove(template, block),
        _ => template::take_out(template, pointer),
    }
}

/// Adds what the list offers under this label.
pub fn add(panel: Panel, block: Value) {
    panel.edit_template("", |template| template::add(template, block));
}

/// How many names the template declares, in words.
pub fn declared_names(template: &Value) -> String {
    let names: Vec<String> = form::variables(template)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    if names.is_empty() {
        "no variables".to_owned()
    } else {
        format!(
            "{}: {}",
            some(names.len() as u64, "variable"),
            names.join(", ")
        )
    }
}
