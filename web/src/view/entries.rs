//! The entries exactly as sealed: a windowed list of rows of their own heights.

use std::sync::Arc;

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

use super::{Stage, to_row};
use crate::panel::{Current, Panel, Shown};
use crate::protocol::{EntryFace, EntryMeta, Origin};
use crate::windowing::Heights;
use crate::words::n;

/// Pixels kept beyond either edge of what is in sight.
const MARGIN: f64 = 400.0;

/// A scrolling box: where it is and how much of it shows.
#[derive(Clone, Copy)]
pub struct Scroller {
    /// The box.
    pub node: NodeRef<html::Div>,
    /// Pixels above what shows.
    pub top: RwSignal<f64>,
    /// Pixels that show.
    pub height: RwSignal<f64>,
    /// Pixels across.
    pub width: RwSignal<f64>,
}

impl Scroller {
    /// Follows a box.
    pub fn watch(node: NodeRef<html::Div>) -> Self {
        let scroller = Self {
            node,
            top: RwSignal::new(0.0),
            height: RwSignal::new(800.0),
            width: RwSignal::new(0.0),
        };
        Effect::new(move |_| {
            let Some(element) = node.get() else { return };
            let read = {
                let element = element.clone();
                move || {
                    // The box is told of its own end too; and one that is not shown has no size to go by.
                    if scroller.top.try_get_untracked().is_none() || element.client_width() == 0 {
                        return;
                    }
                    scroller.top.set(f64::from(element.scroll_top()));
                    scroller.height.set(f64::from(element.client_height()));
                    let width = f64::from(element.client_width());
                    if scroller.width.get_untracked() != width {
                        scroller.width.set(width);
                    }
                }
            };
            read();
            let on_scroll = Closure::<dyn Fn()>::new(read.clone()).into_js_value();
            element.set_onscroll(Some(on_scroll.unchecked_ref()));
            let on_size = Closure::<dyn Fn()>::new(read).into_js_value();
            if let Ok(observer) = web_sys::ResizeObserver::new(on_size.unchecked_ref()) {
                observer.observe(&element);
            }
        });
        scroller
    }
}

/// The entries.
#[component]
pub fn Entries(scroller: Scroller) -> impl IntoView {
    let panel = expect_context::<Panel>();
    let stage = expect_context::<Stage>();
    let list = NodeRef::<html::Ol>::new();
    let count = Memo::new(move |_| {
        panel
            .plan
            .with(|plan| plan.as_ref().map_or(0, |plan| plan.entries.len()))
    });
    let heights = RwSignal::new(Heights::default());
    let measuring = Measuring {
        heights,
        scroller,
        drawn: StoredValue::new(Vec::new()),
    };
    Effect::new(move |_| {
        let shown = panel.shown_as.get();
        let guessed = panel.plan.with(|plan| {
            plan.as_ref()
                .map(|plan| {
                    plan.entries
                        .iter()
                        .map(|entry| guess(entry, shown))
                        .collect::<Vec<_>>()
                })
                .unwrap_or_default()
        });
        if heights.with_untracked(Heights::len) != guessed.len() {
            heights.set(Heights::guessed(guessed));
        }
    });
    // Looked for in the frame, when the page is about to be laid out anyway: a place asked for while a plan
    // is being drawn would have the browser lay out what it is in the middle of.
    let range = RwSignal::new(0..0);
    let looking = StoredValue::new(false);
    Effect::new(move |_| {
        scroller.top.track();
        scroller.height.track();
        heights.track();
        if looking.get_value() {
            return;
        }
        looking.set_value(true);
        request_animation_frame(move || {
            // Between two frames another conversation may have been opened, and the list is gone.
            if looking.try_set_value(false).is_some() {
                return;
            }
            // What is not shown has no place; shown again, it is told of its size.
            let list = list.get_untracked().filter(|list| list.client_width() > 0);
            let Some(list) = list else { return };
            let from = scroller.top.get_untracked() - offset_in(&list, scroller);
            let until = from + scroller.height.get_untracked();
            let now = heights.with_untracked(|heights| heights.between(from, until, MARGIN));
            if range.with_untracked(|before| *before != now) {
                range.set(now);
            }
        });
    });
    Effect::new(move |_| {
        let range = range.get();
        if !range.is_empty() {
            panel.look(range);
        }
    });
    Effect::new(move |_| {
        if let Some(entry) = stage.reveal_entry.get() {
            stage.reveal_entry.set(None);
            reveal(entry, list, scroller, heights, TRIES, 0);
        }
    });
    let pad = move || {
        let range = range.get();
        heights.with(|heights| {
            format!(
                "padding-block:{}px {}px",
                heights.top(range.start),
                (heights.total() - heights.top(range.end)).max(0.0)
            )
        })
    };
    let pick = move |shown: Shown, word: &'static str| {
        view! { <label><input type="radio" name="entries-as" prop:checked=move || panel.shown_as.get() == shown on:change=move |_| panel.shown_as.set(shown)/>{word}</label> }
    };
    view! {
        <div class="sec entries" id="entries">
            <div class="head"><h2>"Entries"</h2><span class="s q">{move || format!("{}, as sealed", n(count.get() as u64))}</span>
                <span class="nb"><span class="pick" role="radiogroup" aria-label="Show entries as">{pick(Shown::Read, "Read")} {pick(Shown::Sealed, "Sealed JSON")}</span>
                    <button type="button" class="link gap" aria-pressed=move || panel.alone.get().to_string() on:click=move |_| panel.alone.update(|alone| *alone = !*alone)>{move || if panel.alone.get() { "With totals" } else { "Alone" }}</button></span></div>
            <ol class="list" node_ref=list style=pad>
                <For each=move || range.get() key=|index| *index let:index><Entry index measuring/></For>
            </ol>
        </div>
    }
}

/// Heights that wait for the next frame. All are taken in one go, since a height read after a write makes
/// the browser lay the page out once more.
#[derive(Clone, Copy)]
struct Measuring {
    heights: RwSignal<Heights>,
    scroller: Scroller,
    drawn: StoredValue<Vec<(usize, NodeRef<html::Li>)>>,
}

impl Measuring {
    /// Takes an entry's height once it is drawn.
    fn entry(self, index: usize, node: NodeRef<html::Li>) {
        let mut first = false;
        self.drawn.update_value(|drawn| {
            first = drawn.is_empty();
            drawn.push((index, node));
        });
        if first {
            request_animation_frame(move || self.settle());
        }
    }

    /// What is in sight stays where it is when something above it was guessed wrong.
    fn settle(self) {
        // Between two frames another conversation may have been opened, and the list is gone.
        let (Some(drawn), Some(boxed)) = (
            self.drawn.try_update_value(std::mem::take),
            self.scroller.node.try_get_untracked().flatten(),
        ) else {
            return;
        };
        let sight = boxed.get_bounding_client_rect().top();
        let mut moved = 0.0;
        let measured: Vec<(usize, f64)> = drawn
            .into_iter()
            .filter_map(|(index, node)| {
                let place = node
                    .try_get_untracked()
                    .flatten()?
                    .get_bounding_client_rect();
                // Nothing that is shown is without a height.
                let height = Some(place.height()).filter(|height| *height > 0.0)?;
                let by = self
                    .heights
                    .with_untracked(|known| known.differs(index, height))?;
                // Drawn, it has already moved what is below it; only a padding that changes moves the rest.
                if place.top() < sight {
                    moved += by;
                }
                Some((index, height))
            })
            .collect();
        if measured.is_empty() {
            return;
        }
        self.heights.update(|known| {
            for (index, height) in measured {
                known.measure(index, height);
            }
        });
        if moved != 0.0 {
            boxed.set_scroll_top((f64::from(boxed.scroll_top()) + moved).round() as i32);
        }
    }
}

/// Frames in which a revealed entry may still move, because heights above it were guessed.
const TRIES: u8 = 40;

/// Frames in which it has to stand still.
const STILL: u8 = 4;

/// Brings an entry into sight. What was guessed is measured on the way, so it is looked for again until
/// it is drawn and stands still.
fn reveal(
    entry: usize,
    list: NodeRef<html::Ol>,
    scroller: Scroller,
    heights: RwSignal<Heights>,
    tries: u8,
    still: u8,
) {
    // Between two frames another conversation may have been opened, and the list is gone.
    let (Some(list_element), Some(boxed)) = (
        list.try_get_untracked().flatten(),
        scroller.node.try_get_untracked().flatten(),
    ) else {
        return;
    };
    let drawn = document().get_element_by_id(&format!("e{entry}"));
    let (top, height) = match &drawn {
        Some(drawn) => {
            let (place, sight) = (
                drawn.get_bounding_client_rect(),
                boxed.get_bounding_client_rect(),
            );
            (
                place.top() - sight.top() + f64::from(boxed.scroll_top()),
                place.height(),
            )
        }
        None => (
            offset_in(&list_element, scroller)
                + heights.with_untracked(|heights| heights.top(entry)),
            0.0,
        ),
    };
    let (now, sight) = (
        f64::from(boxed.scroll_top()),
        f64::from(boxed.client_height()),
    );
    let in_sight = top >= now && top + height.min(sight - 40.0) <= now + sight;
    if !in_sight {
        boxed.set_scroll_top((top - 40.0).max(0.0) as i32);
    }
    let still = if in_sight && drawn.is_some() {
        still + 1
    } else {
        0
    };
    if tries > 0 && still < STILL {
        request_animation_frame(move || reveal(entry, list, scroller, heights, tries - 1, still));
    }
}

/// Where an element begins within the scrolled content.
fn offset_in(element: &web_sys::HtmlElement, scroller: Scroller) -> f64 {
    scroller.node.get_untracked().map_or(0.0, |boxed| {
        element.get_bounding_client_rect().top() - boxed.get_bounding_client_rect().top()
            + f64::from(boxed.scroll_top())
    })
}

/// A height to begin with, by the bytes an entry holds.
fn guess(entry: &EntryMeta, shown: Shown) -> f64 {
    let shown_bytes = entry
        .bytes
        .min(if shown == Shown::Sealed { 3200 } else { 1600 });
    13.0 + 18.0 * (shown_bytes as f64 / 70.0).ceil().clamp(1.0, 24.0)
}

#[component]
fn Entry(index: usize, measuring: Measuring) -> impl IntoView {
    let panel = expect_context::<Panel>();
    let node = NodeRef::<html::Li>::new();
    let meta = Memo::new(move |_| {
        panel.plan.with(|plan| {
            plan.as_ref()
                .and_then(|plan| plan.entries.get(index).cloned())
                .unwrap_or_default()
        })
    });
    let face = Memo::new(move |_| panel.faces.with(|faces| faces.get(&index).cloned()));
    let current = Memo::new(move |_| panel.is_entry_current(index));
    // The height is taken once what is drawn is drawn.
    Effect::new(move |_| {
        meta.track();
        panel.shown_as.track();
        measuring.scroller.width.track();
        if face.with(Option::is_some) {
            measuring.entry(index, node);
        }
    });
    let segments = Memo::new(move |_| meta.get().segments);
    view! {
        <li class="e" node_ref=node id=format!("e{index}") data-entry=index aria-current=move || current.get().then_some("true")
            on:click=move |_| panel.current.set(Some(Current::Entry(index)))>
            <span class="i">{index}</span>
            <span class="role">{move || meta.get().role}</span>
            {move || match (face.get(), panel.shown_as.get()) {
                (Some(face), Shown::Read) => read(panel, face, segments.get()),
                (Some(face), Shown::Sealed) => sealed(panel, face, segments.get()),
                (None, _) => view! { <pre class="body q">"…"</pre> }.into_any(),
            }}
        </li>
    }
}

/// Each segment's texts with its own origin and tokens, a seam between two.
fn read(panel: Panel, face: Arc<EntryFace>, segments: Vec<Origin>) -> AnyView {
    let single = segments.len() == 1;
    let rows = segments
        .into_iter()
        .enumerate()
        .map(|(at, origin)| {
            let tool = face
                .tool
                .clone()
                .filter(|_| at == 0)
                .map(|tool| view! { <code class="tool">{tool}" "</code> });
            let texts = face
                .parts
                .iter()
                .filter(|part| part.segment == at)
                .map(|part| view! { <pre dir="auto">{part.text.clone()}</pre> })
                .collect_view();
            let tokens = if single { face.tokens } else { origin.tokens };
            view! {
                <div class="part">
                    {(at > 0).then(|| view! { <span class="seam">"joined by a blank line"</span> })}
                    <div class="body" class:called=face.tool.is_some()>{tool}{texts}</div>
                    <div class="from"><OriginLink origin/></div>
                    <span class="n">{n(tokens)}</span>
                </div>
            }
        })
        .collect_view();
    let facts = face
        .facts
        .clone()
        .map(|facts| view! { <span class="seam">{facts}</span> });
    view! { {rows}{facts}{more(panel, &face)} }.into_any()
}

fn sealed(panel: Panel, face: Arc<EntryFace>, segments: Vec<Origin>) -> AnyView {
    view! {
        <div class="part">
            <div class="body"><pre class="json">{face.sealed.clone()}</pre></div>
            <div class="from">{segments.into_iter().map(|origin| view! { <OriginLink origin/> }).collect_view()}</div>
            <span class="n">{n(face.tokens)}</span>
        </div>
        {more(panel, &face)}
    }
    .into_any()
}

fn more(panel: Panel, face: &EntryFace) -> Option<AnyView> {
    let (index, more) = (face.index, face.more);
    (more > 0).then(|| view! { <button type="button" class="link s more" on:click=move |_| panel.open_entry(index)>{format!("{} more bytes", n(more))}</button> }.into_any())
}

/// Where a part comes from; a press makes it current and shows it in the conversation.
#[component]
fn OriginLink(origin: Origin) -> impl IntoView {
    let panel = expect_context::<Panel>();
    let stage = expect_context::<Stage>();
    let row = origin.row;
    let number = row.and_then(|row| panel.turn_of(row));
    let words = match (number, &origin.turn, &origin.round) {
        (Some(number), _, Some(round)) => format!("turn {number}, {round}"),
        (Some(number), _, None) => format!("turn {number}"),
        (None, Some(turn), _) => format!("turn {turn}"),
        _ => origin.block.clone(),
    };
    let go = move |event: web_sys::MouseEvent| {
        event.stop_propagation();
        match row {
            Some(row) => to_row(panel, stage, row),
            None => {
                let block = panel.plan.with_untracked(|plan| {
                    plan.as_ref().and_then(|plan| {
                        plan.blocks
                            .iter()
                            .position(|block| block.block == origin.block)
                    })
                });
                panel.current.set(block.map(Current::Block));
            }
        }
    };
    view! { <button type="button" class="origin" title=format!("{} tokens", n(origin.tokens)) on:click=go>{words}</button> }
}
