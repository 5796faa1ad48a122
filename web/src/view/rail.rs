//! The conversation: a windowed list of turns and their segments, each with its fate; findings below.

use std::sync::Arc;

use leptos::html;
use leptos::prelude::*;

use super::entries::Scroller;
use super::{Pane, Stage};
use crate::lines::{self, Line};
use crate::panel::{Current, Panel};
use crate::protocol::{Doc, RowState, SegmentState};
use crate::share;
use crate::windowing;
use crate::words::{n, some};

/// The word and the class of a state.
pub fn word(state: SegmentState) -> &'static str {
    match state {
        SegmentState::Selected => "selected",
        SegmentState::Skipped => "skipped",
        SegmentState::Compacted => "compacted",
        SegmentState::Excluded => "excluded",
        SegmentState::Silent => "not read",
    }
}

/// The rail.
#[component]
pub fn Rail() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let stage = expect_context::<Stage>();
    let search = RwSignal::new(String::new());
    let unfolded = RwSignal::new(false);
    let lines = Memo::new(move |_| {
        let doc = panel.doc.get();
        let plan = panel.plan.get();
        doc.map(|doc| {
            Arc::new(lines::lines(
                &doc,
                plan.as_deref(),
                &search.read(),
                unfolded.get(),
            ))
        })
        .unwrap_or_default()
    });
    let node = NodeRef::<html::Div>::new();
    let scroller = Scroller::watch(node);
    let row = row_height();
    let range = Memo::new(move |_| {
        windowing::even(
            scroller.top.get(),
            scroller.height.get(),
            row.get(),
            lines.with(|lines| lines.len()),
        )
    });
    let reveal = move |line: usize| {
        if let Some(element) = node.get_untracked() {
            let to = windowing::reveal(
                f64::from(element.scroll_top()),
                f64::from(element.client_height()),
                row.get_untracked(),
                line,
            );
            element.set_scroll_top(to as i32);
        }
    };
    Effect::new(move |_| {
        if let Some(wanted) = stage.reveal_row.get() {
            let at = lines.with_untracked(|lines| {
                lines.iter().position(|line| match line {
                    Line::Row(row) => *row == wanted,
                    Line::Folded(rows) => rows.contains(&wanted),
                    _ => false,
                })
            });
            at.inspect(|at| reveal(*at));
            stage.reveal_row.set(None);
        }
    });
    // A conversation is read from its end: the newest lines are in sight when it opens.
    Effect::new(move |before: Option<Option<String>>| {
        let name = panel.doc.with(|doc| {
            doc.as_ref()
                .map(|doc| format!("{} {} {:?}", doc.name, doc.conversation, doc.branch))
        });
        let planned = panel.plan.with(Option::is_some);
        if planned
            && before != Some(name.clone())
            && lines.with_untracked(|lines| !lines.is_empty())
        {
            request_animation_frame(move || {
                if let Some(element) = node.get_untracked() {
                    element.set_scroll_top(element.scroll_height());
                }
            });
            return name;
        }
        if planned { name } else { None }
    });
    let turns = move || {
        panel.doc.with(|doc| {
            doc.as_ref()
                .map_or(0, |doc| lines::turns(doc, 0..doc.rail.len()))
        })
    };
    let found = move || (!search.read().trim().is_empty()).then(|| lines.with(|lines| lines.len()));
    let active = Memo::new(move |_| match panel.current.get() {
        Some(Current::Row(row)) => Some(format!("row-{row}")),
        _ => None,
    });
    view! {
        <section class="pane rail" id="conversation" tabindex="-1" aria-labelledby="h-conv">
            <div class="head"><h2 id="h-conv">"Conversation"</h2>
                <span class="s q">{move || some(turns() as u64, "turn")}{move || found().map(|found| format!(" · {} found", n(found as u64)))}</span></div>
            <div class="find"><input type="search" id="find" aria-label="Find in turns" placeholder="Find in turns"
                prop:value=move || search.get() on:input=move |event| search.set(event_target_value(&event))/></div>
            <div class="scroll" node_ref=node>
                {move || (found() == Some(0)).then(|| view! {
                    <p class="nothing">{format!("No turn speaks of “{}”. ", search.get_untracked().trim())}<button type="button" class="link" on:click=move |_| search.set(String::new())>"Clear"</button></p>
                })}
                {move || panel.doc.with(|doc| doc.as_ref().is_some_and(|doc| doc.rail.is_empty())).then(|| view! { <p class="nothing">"No turns yet. The request is the prompt alone."</p> })}
                <ol class="turns" role="listbox" tabindex="0" aria-label="Turns, oldest first" aria-activedescendant=move || active.get()
                    style=move || {
                        let range = range.get();
                        let below = lines.with(|lines| lines.len()).saturating_sub(range.end);
                        format!("padding-block:{}px {}px", range.start as f64 * row.get(), below as f64 * row.get())
                    }>
                    <For each=move || range.get() key=|line| *line let:line>
                        {
                            let now = Memo::new(move |_| lines.with(|lines| lines.get(line).cloned()));
                            move || {
                                // The same place in another conversation is another line.
                                panel.doc.track();
                                now.get().map(|now| draw(panel, stage, unfolded, now))
                            }
                        }
                    </For>
                </ol>
            </div>
            <Findings/>
        </section>
    }
}

fn draw(panel: Panel, stage: Stage, unfolded: RwSignal<bool>, line: Line) -> AnyView {
    match line {
        Line::Row(row) => view! { <Row row/> }.into_any(),
        Line::Folded(rows) => {
            let Some(doc) = panel.doc.get_untracked() else { return ().into_any() };
            let (first, last) = (rows.start, rows.end.saturating_sub(1));
            let number = |row: usize| doc.rail.get(row).map_or(0, |row| row.position + 1);
            let turns = lines::turns(&doc, rows.clone());
            let tokens = Memo::new(move |_| panel.plan.with(|plan| plan.as_ref().map_or(0, |plan| plan.rail.get(rows.clone()).unwrap_or_default().iter().map(|row| row.tokens).sum::<u64>())));
            view! {
                <li class="out" role="option" aria-selected="false" on:click=move |_| unfolded.set(true) title="Show them">
                    <span class="no">{format!("{}–{}", number(first), number(last))}</span><i class="m compacted"></i>
                    <span class="w">{format!("{} compacted", some(turns as u64, "turn"))}</span><span class="n">{move || n(tokens.get())}</span>
                </li>
            }
            .into_any()
        }
        Line::Cut(row) => {
            let turn = panel.doc.with_untracked(|doc| doc.as_ref().and_then(|doc| doc.rail.get(row)).map_or(0, |row| row.position + 1));
            let fold = move |_| unfolded.set(false);
            view! {
                <li class="mark-line" role="option" aria-disabled="true" aria-selected="false"><span>{format!("cut · reading starts at turn {turn}")}</span>
                    {move || unfolded.get().then(|| view! { <button type="button" class="link" tabindex="-1" on:click=fold>"Fold"</button> })}</li>
            }
            .into_any()
        }
        Line::Bound => view! {
            <li class="mark-line bound" role="option" aria-disabled="true" aria-selected="false"><span>{move || bound_word(panel)}</span></li>
        }
        .into_any(),
        Line::Now => view! { <li class="mark-line" role="option" aria-disabled="true" aria-selected="false"><span>"now · not sent"</span></li> }.into_any(),
        Line::Next => {
            let number = panel.doc.with_untracked(|doc| doc.as_ref().and_then(|doc| doc.rail.last()).map_or(1, |row| row.position + 2));
            let words = move || panel.form.with(|form| form.prompt.chars().take(80).collect::<String>());
            let tokens = Memo::new(move |_| panel.plan.with(|plan| plan.as_ref().and_then(|plan| plan.blocks.iter().find(|block| block.kind == "input").map(|block| block.tokens))));
            view! {
                <li role="option" aria-selected="false" on:click=move |_| { stage.pane.set(Pane::Request); super::keys::focus("prompt"); }>
                    <span class="no">{number}</span><i class="m next"></i>
                    <span class="w" dir="auto"><span class="sr">"not sent "</span>{move || if words().is_empty() { "No prompt yet".to_owned() } else { words() }}</span>
                    <span class="n">{move || tokens.get().map(n)}</span>
                </li>
            }
            .into_any()
        }
    }
}

/// The bound's own word, and what was left under it.
fn bound_word(panel: Panel) -> String {
    panel.plan.with(|plan| {
        let Some(plan) = plan else {
            return String::new();
        };
        let reason = plan.history.skipped_reason.clone().unwrap_or_default();
        match share::stop(plan) {
            Some(share::Stop::Tokens { left, .. }) => format!("{reason} · {} left", n(left)),
            Some(share::Stop::Bytes) => format!("{reason} · bytes"),
            _ => reason,
        }
    })
}

#[component]
fn Row(row: usize) -> impl IntoView {
    let panel = expect_context::<Panel>();
    let stage = expect_context::<Stage>();
    let fate = Memo::new(move |_| {
        panel
            .plan
            .with(|plan| lines::state_of(plan.as_deref(), row))
    });
    let planned = Memo::new(move |_| panel.plan.with(Option::is_some));
    let current = Memo::new(move |_| panel.is_row_current(row));
    let Some(doc) = panel.doc.get_untracked() else {
        return ().into_any();
    };
    let Some(facts) = doc.rail.get(row).cloned() else {
        return ().into_any();
    };
    let head = if facts.calls.is_empty() {
        view! { <i>{facts.speaker.clone()}</i>{facts.head.clone()} }.into_any()
    } else {
        let said = (!facts.head.is_empty()).then(|| format!("{} · ", facts.head));
        view! { {said}<code>{facts.calls.join(" · ")}</code> }.into_any()
    };
    let number = facts.opens.then(|| facts.position + 1);
    let choose = move |_| {
        panel.current.set(Some(Current::Row(row)));
        if let Some(entry) = fate.get_untracked().entry {
            stage.reveal_entry.set(Some(entry));
        }
    };
    view! {
        <li id=format!("row-{row}") role="option" data-row=row data-state=move || word(fate.get().state)
            class:out=move || fate.get().state != SegmentState::Selected class:x=move || fate.get().state == SegmentState::Excluded
            aria-selected=move || current.get().to_string() aria-setsize=doc.rail.len() aria-posinset=row + 1 on:click=choose>
            <span class="no">{number}</span>
            <i class=move || format!("m {}", word(fate.get().state).replace(' ', "-"))></i>
            <span class="w" dir="auto"><span class="sr">{move || format!("{} ", word(fate.get().state))}</span>{head}</span>
            <span class="n">{move || planned.get().then(|| count(&fate.get()))}</span>
        </li>
    }
    .into_any()
}

/// Tokens, or the word where a number would mislead.
fn count(fate: &RowState) -> String {
    match fate.state {
        SegmentState::Excluded | SegmentState::Silent => word(fate.state).to_owned(),
        _ => n(fate.tokens),
    }
}

/// A line of findings: a sentence, and a place to go to.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The sentence.
    pub says: String,
    /// The place, in words.
    pub place: String,
    /// The row it is about.
    pub row: Option<usize>,
}

/// What the plan shows that one might not see.
pub fn findings(panel: Panel) -> Vec<Finding> {
    let (Some(doc), Some(plan)) = (panel.doc.get(), panel.plan.get()) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    let place = |doc: &Doc, row: usize| {
        doc.rail
            .get(row)
            .map_or_else(String::new, |row| format!("turn {}", row.position + 1))
    };
    let fate = |row: usize| lines::state_of(Some(&plan), row).state;
    if let Some(row) = (0..doc.rail.len())
        .rev()
        .find(|&row| doc.rail[row].kind == "summary" && fate(row) == SegmentState::Skipped)
    {
        out.push(Finding {
            says: "The summary is skipped, and what it stands for".into(),
            place: place(&doc, row),
            row: Some(row),
        });
    }
    if let Some(row) = (0..doc.rail.len()).find(|&row| fate(row) == SegmentState::Selected)
        && doc.rail[row].round.is_some()
    {
        out.push(Finding {
            says: "An answer without its question".into(),
            place: place(&doc, row),
            row: Some(row),
        });
    }
    out.extend(plan.warnings.iter().map(|one| Finding {
        says: one.message.clone(),
        place: one.at.clone(),
        row: None,
    }));
    out
}

#[component]
fn Findings() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let stage = expect_context::<Stage>();
    let all = Memo::new(move |_| findings(panel));
    let go = move |row: Option<usize>| {
        if let Some(row) = row {
            panel.current.set(Some(Current::Row(row)));
            stage.reveal_row.set(Some(row));
        }
    };
    move || {
        let all = all.get();
        (!all.is_empty()).then(|| view! {
            <section class="findings" aria-labelledby="h-find">
                <div class="head"><h2 id="h-find">"Findings"</h2><span class="s q">{all.len()}" "<kbd>"F8"</kbd></span></div>
                <ul>{all.into_iter().map(|one| {
                    let row = one.row;
                    view! { <li><button type="button" class="link" disabled=row.is_none() on:click=move |_| go(row)>{super::fields::said(&one.says)}</button><span>{one.place}</span></li> }
                }).collect_view()}</ul>
            </section>
        })
    }
}

/// A row's height in pixels, as the stylesheet has it: it differs on a phone.
pub fn row_height() -> RwSignal<f64> {
    let narrow = window().match_media("(max-width: 720px)").ok().flatten();
    let height = RwSignal::new(
        if narrow
            .as_ref()
            .is_some_and(web_sys::MediaQueryList::matches)
        {
            36.0
        } else {
            24.0
        },
    );
    let handle = window_event_listener(leptos::ev::resize, move |_| {
        if let Some(narrow) = &narrow {
            height.set(if narrow.matches() { 36.0 } else { 24.0 });
        }
    });
    on_cleanup(move || handle.remove());
    height
}
