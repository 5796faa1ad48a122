//! The request: who is asked, on which model, what, and how much history may come along.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::fields::{Count, RefusalAt};
use super::inline::InlineTexts;
use super::template::Template;
use crate::form;
use crate::panel::Panel;
use crate::place::Place;
use crate::protocol::Model;
use crate::share;
use crate::ways;
use crate::words::{self, n};

/// How near the slider must come to a share that matters to take it.
const SNAP: f64 = 0.006;

/// The request pane.
#[component]
pub fn RequestPane() -> impl IntoView {
    let panel = expect_context::<Panel>();
    view! {
        <section class="pane" id="request" tabindex="-1" aria-labelledby="h-req">
            <div class="scroll">
                <div class="sec">
                    <div class="head"><h2 id="h-req">"Request"</h2><CopyJson/></div>
                    <form class="form" on:submit=|event| event.prevent_default()>
                        <To/>
                        <ModelField/>
                        <Prompt/>
                        <Share/>
                        <Most/>
                        <Variables/>
                        <Today/>
                        <InlineTexts/>
                        <Attachments/>
                    </form>
                    <RefusalAt here=|place| *place == Place::Request/>
                </div>
                <Template/>
            </div>
            <footer class="foot">
                <span>{move || if panel.form.with(|form| form.trial.is_some()) { "Trial template, not stored" } else { "The template in force" }}</span>
                {move || panel.form.with(|form| form.trial.is_some()).then(|| view! {
                    <button type="button" class="link" on:click=move |_| panel.edit("back to the declared template", |form| form.trial = None)>"Back to the declared one"</button>
                })}
            </footer>
        </section>
    }
}

#[component]
fn CopyJson() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let copied = RwSignal::new(false);
    let clipboard = window().is_secure_context();
    Effect::new(move |_| {
        panel.form.track();
        copied.set(false);
    });
    let copy = move |_| {
        let Some(doc) = panel.doc.get_untracked() else {
            return;
        };
        let body = panel.form.with_untracked(|form| form::request(form, &doc));
        let text = serde_json::to_string_pretty(&body).unwrap_or_default();
        // Whether the clipboard took it is not the page's to know; a refusal asks the person itself.
        let _ = window().navigator().clipboard().write_text(&text);
        copied.set(true);
    };
    clipboard.then(|| view! { <button type="button" class="link s" on:click=copy>{move || if copied.get() { "Copied" } else { "Copy as JSON" }}</button> })
}

#[component]
fn To() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let all = move || {
        panel.doc.with(|doc| {
            doc.as_ref()
                .map(|doc| doc.addressees.clone())
                .unwrap_or_default()
        })
    };
    view! {
        <label for="to">"To"</label>
        <div>
            <select id="to" on:change=move |event| { let to = event_target_value(&event); panel.edit("addressee", |form| form.to = to) }>
                {move || all().into_iter().map(|one| {
                    let id = one.id.clone();
                    let label = format!("@{}, {}{}", one.handle, one.name, if one.mechanism == "default" { String::new() } else { format!(" ({})", one.mechanism) });
                    view! { <option value=one.id selected=move || panel.form.with(|form| form.to == id)>{label}</option> }
                }).collect_view()}
            </select>
            <RefusalAt here=|place| *place == Place::To/>
        </div>
    }
}

/// A model's limits and where they come from, in a line.
fn limits(row: &Model) -> String {
    let hard = row
        .input_tokens
        .map(|limit| format!("{} hard", n(limit)))
        .or(row
            .combined_tokens
            .map(|limit| format!("{} in and out together", n(limit))));
    let advisory = row
        .effective_input_tokens
        .map(|limit| format!("{} advisory", n(limit)));
    let source = match (&row.source, &row.dated) {
        (Some(source), Some(dated)) => format!("{}, {source}, {dated}", row.origin),
        (Some(source), None) => format!("{}, {source}", row.origin),
        _ => row.origin.clone(),
    };
    let known: Vec<String> = [hard, advisory].into_iter().flatten().collect();
    let known = if known.is_empty() {
        "no limits known".to_owned()
    } else {
        known.join(" · ")
    };
    format!("{known} · {source}")
}

/// What bounds the request, and who says so. Another addressee may answer with a model of its own.
fn model_hint(panel: Panel, known: Option<Model>) -> String {
    let (asked, window) = panel.form.with(|form| (form.model.clone(), form.window));
    if asked.is_empty() && window.is_none() {
        return "No window: nothing is sized until one is given.".to_owned();
    }
    let Some(plan) = panel.plan.get() else {
        return known.as_ref().map(limits).unwrap_or_default();
    };
    let planned = |from: &str| {
        let hard = plan
            .catalog_input_token_limit
            .map(|limit| format!("{} hard", n(limit)));
        let advisory = plan
            .advisory_input_token_limit
            .map(|limit| format!("{} advisory", n(limit)));
        let known: Vec<String> = [hard, advisory].into_iter().flatten().collect();
        format!("{} · {from}", known.join(" · "))
    };
    match (&plan.model, plan.model_from.as_str()) {
        (_, "unknown") => {
            "No limits are known: nothing is sized until a window is given.".to_owned()
        }
        (Some(model), from) if *model != asked && !asked.is_empty() => {
            format!("answers with {model}, its own · {}", planned(from))
        }
        (_, "inline") => planned("given here"),
        (_, from) => known.as_ref().map_or_else(|| planned(from), limits),
    }
}

/// The model, and who says what bounds it. `at` goes before its ids where it stands a second time.
#[component]
pub fn ModelField(#[prop(default = "")] at: &'static str) -> impl IntoView {
    let panel = expect_context::<Panel>();
    let id = move |name: &str| format!("{at}{name}");
    let other = "\u{0}other";
    let rows = Memo::new(move |_| {
        panel.doc.with(|doc| {
            doc.as_ref()
                .map(|doc| doc.models.clone())
                .unwrap_or_default()
        })
    });
    let model = Memo::new(move |_| panel.form.with(|form| form.model.clone()));
    let known = Memo::new(move |_| {
        rows.with(|rows| rows.iter().find(|row| row.model == model.get()).cloned())
    });
    let unknown = Memo::new(move |_| known.with(Option::is_none));
    let window = Memo::new(move |_| panel.form.with(|form| form.window));
    let group = move |origin: &'static str, label: &'static str| {
        move || {
            let rows: Vec<Model> = rows.with(|rows| {
                rows.iter()
                    .filter(|row| (row.origin == "file") == (origin == "file"))
                    .cloned()
                    .collect()
            });
            (!rows.is_empty()).then(|| view! {
                <optgroup label=label>{rows.into_iter().map(|row| {
                    let id = row.model.clone();
                    view! { <option value=row.model.clone() selected=move || model.get() == id>{row.model.clone()}</option> }
                }).collect_view()}</optgroup>
            })
        }
    };
    view! {
        <label for=id("model")>"Model"</label>
        <div>
            <select id=id("model") aria-describedby=id("model-h") on:change=move |event| {
                let chosen = event_target_value(&event);
                panel.edit("model", |form| form.model = if chosen == other { String::new() } else { chosen });
            }>
                {group("file", "From the file")}
                {group("catalogue", "Catalogue")}
                <option value=other selected=move || unknown.get()>"another, by its limits"</option>
            </select>
            {move || unknown.get().then(|| view! {
                <div class="two">
                    <input type="text" aria-label="Model id" placeholder="model id" spellcheck="false" prop:value=move || model.get()
                        on:change=move |event| { let id = event_target_value(&event); panel.edit("model", |form| form.model = id) }/>
                    <Count id=id("window") value=window set=move |window| panel.edit("window", |form| form.window = window) empty="window"/>
                </div>
            })}
            <p class="hint" id=id("model-h")>{move || model_hint(panel, known.get())}</p>
            <RefusalAt here=|place| *place == Place::Model/>
        </div>
    }
}

#[component]
fn Prompt() -> impl IntoView {
    let panel = expect_context::<Panel>();
    view! {
        <label for="prompt">"Prompt"</label>
        <textarea id="prompt" rows="4" dir="auto" prop:value=move || panel.form.with(|form| form.prompt.clone())
            on:input=move |event| { let words = event_target_value(&event); panel.edit("prompt", |form| form.prompt = words) }></textarea>
    }
}

#[component]
fn Share() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let range = NodeRef::<html::Input>::new();
    let share = Memo::new(move |_| panel.form.with(|form| form.share));
    let window = Memo::new(move |_| {
        panel
            .plan
            .with(|plan| plan.as_ref().and_then(|plan| share::planning_window(plan)))
    });
    let steps = Memo::new(move |_| {
        let window = window.get().unwrap_or(0);
        panel.plan.with(|plan| {
            plan.as_ref()
                .map(|plan| share::steps(&plan.rail, window))
                .unwrap_or_default()
        })
    });
    let selected = Memo::new(move |_| {
        panel.plan.with(|plan| {
            plan.as_ref()
                .map_or(0, |plan| plan.history.selected as usize)
        })
    });
    let total = Memo::new(move |_| {
        panel.plan.with(|plan| {
            plan.as_ref()
                .map_or(0, |plan| plan.history.selected + plan.history.skipped)
        })
    });
    let slide = move |event: web_sys::Event| {
        let Some(input) = event
            .target()
            .and_then(|target| target.dyn_into::<web_sys::HtmlInputElement>().ok())
        else {
            return;
        };
        let at = input.value_as_number().clamp(0.0001, 1.0);
        let near = steps.with_untracked(|steps| {
            steps
                .iter()
                .map(|step| step.share)
                .min_by(|a, b| (a - at).abs().total_cmp(&(b - at).abs()))
        });
        let taken = near.filter(|near| (near - at).abs() < SNAP).unwrap_or(at);
        panel.edit("history share", |form| form.share = Some(taken));
    };
    let to = move |share: Option<f64>| panel.edit("history share", |form| form.share = share);
    let hint = move || {
        let more = steps.with(|steps| share::one_more(steps, selected.get()).cloned());
        let all = steps.with(|steps| {
            steps
                .last()
                .filter(|last| {
                    last.segments as u64 >= total.get() && last.segments > selected.get()
                })
                .cloned()
        });
        let chosen = share.get().is_some();
        let starved = panel
            .plan
            .with(|plan| plan.as_ref().is_some_and(|plan| ways::shortfall(plan) > 0));
        if starved {
            return "nothing, while a required block is not funded".into_any();
        }
        match panel
            .plan
            .with(|plan| plan.as_ref().and_then(|plan| share::stop(plan)))
        {
            Some(share::Stop::Entries) => return "bounded by the entry limit below".into_any(),
            Some(share::Stop::Bytes) => {
                return "bounded by the bytes one request may store".into_any();
            }
            _ => {}
        }
        let now = selected.get();
        let button = move |hook: &'static str, share: Option<f64>, word: String, after: String| {
            view! { <span class="nb"><button type="button" class="link" data-hook=hook on:click=move |_| to(share)>{word}</button>{after}</span>" " }
        };
        view! {
            {more.map(|step| button("share-more", Some(step.share), words::share(step.share), format!(" takes {} more", step.segments.saturating_sub(now))))}
            {all.map(|step| button("share-all", Some(step.share), words::share(step.share), " takes all".to_owned()))}
            {chosen.then(|| button("share-none", None, "no share".to_owned(), " leaves it to the window".to_owned()))}
            {(!chosen).then_some("bounded by the window alone")}
        }
        .into_any()
    };
    view! {
        <label for="share">"History"</label>
        <div>
            {move || if window.get().is_none() && share.get().is_none() {
                view! { <p class="hint" data-tall="">"unbounded: a share needs a window"</p> }.into_any()
            } else {
                view! {
                    <div class="two">
                        <input id="share" node_ref=range type="range" min="0" max="1" step="0.0001" list="steps" aria-describedby="share-h"
                            prop:value=move || share.get().unwrap_or(1.0).to_string()
                            style=move || format!("--at:{}%", share.get().unwrap_or(1.0) * 100.0)
                            class:unset=move || share.get().is_none()
                            aria-valuetext=move || share.get().map_or("no share".to_owned(), words::share)
                            on:input=slide/>
                        <output for="share" class="nb">{move || match (share.get(), window.get()) {
                            (Some(now), Some(window)) => view! { <b>{words::share(now)}</b>" "<span class="q">{format!("= {}", n(share::grant(window, now)))}</span> }.into_any(),
                            (Some(now), None) => view! { <b>{words::share(now)}</b> }.into_any(),
                            _ => view! { <span class="q">"no share"</span> }.into_any(),
                        }}</output>
                    </div>
                    <datalist id="steps">{move || steps.get().into_iter().take(40).map(|step| view! { <option value=step.share.to_string()></option> }).collect_view()}</datalist>
                    <p class="hint" id="share-h">{hint}</p>
                }.into_any()
            }}
            <RefusalAt here=|place| *place == Place::Share/>
        </div>
    }
}

#[component]
fn Most() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let most = Memo::new(move |_| panel.form.with(|form| form.max_entries));
    let taken = move || {
        panel
            .plan
            .with(|plan| plan.as_ref().map_or(0, |plan| plan.history.selected))
    };
    view! {
        <label for="most">"At most"</label>
        <div>
            <div class="two start"><Count id="most".to_owned() value=most set=move |most| panel.edit("entry limit", |form| form.max_entries = most) empty="all"/>
                <span class="hint">{move || format!("segments · {} taken", n(taken()))}</span></div>
            <RefusalAt here=|place| *place == Place::MaxEntries/>
        </div>
    }
}

/// A field for each name the template in force declares.
#[component]
fn Variables() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let declared = Memo::new(move |_| {
        let Some(doc) = panel.doc.get() else {
            return Vec::new();
        };
        panel
            .form
            .with(|form| form::variables(&form::template(form, &doc)))
    });
    view! {
        <For each=move || declared.get() key=|(name, default)| format!("{name} {default}") let((name, default))>
            {
                let id = format!("var-{name}");
                let (shown, set) = (name.clone(), name.clone());
                view! {
                    <label for=id.clone() class="var" title=name.clone()>{name.clone()}</label>
                    <input id=id type="text" dir="auto" placeholder=if default.is_empty() { "renders empty".to_owned() } else { default }
                        prop:value=move || panel.form.with(|form| form.variables.get(&shown).cloned().unwrap_or_default())
                        on:input=move |event| {
                            let value = event_target_value(&event);
                            let name = set.clone();
                            panel.edit(&format!("variable {name}"), move |form| {
                                if value.is_empty() { form.variables.remove(&name); } else { form.variables.insert(name, value); }
                            })
                        }/>
                }
            }
        </For>
        {move || panel.refusal_at(|place| *place == Place::Variables).map(|_| view! { <span></span><RefusalAt here=|place| *place == Place::Variables/> })}
    }
}

/// The date is part of what is sent wherever a text says `{{date}}`, so it can be seen and set.
#[component]
fn Today() -> impl IntoView {
    let panel = expect_context::<Panel>();
    view! {
        <label for="date" class="var">"date"</label>
        <input id="date" type="date" class="date" prop:value=move || panel.form.with(|form| form.date.clone())
            on:input=move |event| { let date = event_target_value(&event); panel.edit("date", |form| form.date = date) }/>
    }
}

/// Files of the conversation that may ride along.
#[component]
fn Attachments() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let all = move || {
        panel.doc.with(|doc| {
            doc.as_ref()
                .map(|doc| doc.uploads.clone())
                .unwrap_or_default()
        })
    };
    move || {
        let all = all();
        (!all.is_empty()).then(|| view! {
            <span class="lab">"Attach"</span>
            <div class="ticks">
                {all.into_iter().map(|one| {
                    let (id, shown) = (one.id.clone(), one.id.clone());
                    view! {
                        <label class="check"><input type="checkbox" prop:checked=move || panel.form.with(|form| form.attachments.contains(&shown))
                            on:change=move |event| {
                                let (on, id) = (event_target_checked(&event), id.clone());
                                panel.edit("attachments", move |form| {
                                    form.attachments.retain(|one| *one != id);
                                    if on { form.attachments.push(id); }
                                })
                            }/>" "<span dir="auto">{one.filename}</span>" "<span class="hint" title=one.content_type>{format!("{} bytes", n(one.byte_size))}</span></label>
                    }
                }).collect_view()}
                <RefusalAt here=|place| *place == Place::Attachments/>
            </div>
        })
    }
}
