//! History as a strip, oldest to newest, width by tokens: one listbox, walked by arrows.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::Stage;
use super::rail::word;
use super::totals::Reported;
use crate::lines::{self, Group};
use crate::panel::{Current, Panel};
use crate::protocol::{Plan, RowState, SegmentState};
use crate::share;
use crate::words::{n, some};

/// Cells beyond which neighbours are drawn as one.
const MOST: usize = 120;

/// The strip and its evidence.
#[component]
pub fn Strip() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let groups = Memo::new(move |_| {
        let (Some(doc), Some(plan)) = (panel.doc.get(), panel.plan.get()) else {
            return Vec::new();
        };
        lines::strip(&doc, &plan, MOST)
    });
    let excluded = move || {
        let rows: Vec<usize> = panel.plan.with(|plan| {
            plan.as_ref()
                .map(|plan| {
                    (0..plan.rail.len())
                        .filter(|&row| plan.rail[row].state == SegmentState::Excluded)
                        .collect()
                })
                .unwrap_or_default()
        });
        panel.doc.with(|doc| {
            doc.as_ref()
                .map(|doc| {
                    let mut turns: Vec<String> = rows
                        .iter()
                        .filter_map(|&row| doc.rail.get(row))
                        .map(|row| (row.position + 1).to_string())
                        .collect();
                    turns.dedup();
                    turns
                })
                .unwrap_or_default()
        })
    };
    let reported = Memo::new(move |_| match panel.current.get() {
        Some(Current::Row(row)) => panel
            .doc
            .with(|doc| doc.as_ref().and_then(|doc| lines::reported(doc, row))),
        _ => None,
    });
    view! {
        <div class="sec" data-hook="history">
            <div class="head"><h2>"History"</h2><span class="s q">"oldest to newest, width by tokens"</span>
                <span class="s nb">{move || { let turns = excluded(); (!turns.is_empty()).then(|| view! {
                    <i class="m excluded"></i>{format!(" {} excluded ", turns.len())}<span class="q">{format!("{} {}", if turns.len() == 1 { "turn" } else { "turns" }, turns.join(", "))}</span>
                })}}</span></div>
            {move || if groups.with(Vec::is_empty) { view! { <p class="q s">"No history: the request stands alone."</p> }.into_any() } else { view! { <Cells groups/> }.into_any() }}
            <Reported row=reported/>
            <Remark/>
        </div>
    }
}

#[component]
fn Cells(groups: Memo<Vec<Group>>) -> impl IntoView {
    let panel = expect_context::<Panel>();
    let stage = expect_context::<Stage>();
    let node = NodeRef::<html::Div>::new();
    let at = RwSignal::new(None::<usize>);
    let flat = move || {
        groups.with(|groups| {
            groups
                .iter()
                .flat_map(|group| group.cells.iter().map(|cell| cell.rows.clone()))
                .collect::<Vec<_>>()
        })
    };
    let current = Memo::new(move |_| {
        let cells = flat();
        match panel.current.get() {
            Some(Current::Row(row)) => cells.iter().position(|cell| cell.contains(&row)),
            Some(Current::Entry(entry)) => panel.plan.with(|plan| {
                plan.as_ref().and_then(|plan| {
                    cells.iter().position(|cell| {
                        cell.clone().any(|row| {
                            plan.rail
                                .get(row)
                                .is_some_and(|row| row.entry == Some(entry))
                        })
                    })
                })
            }),
            _ => None,
        }
    });
    let go = move |cell: usize| {
        if let Some(rows) = flat().get(cell) {
            at.set(Some(cell));
            panel.current.set(Some(Current::Row(rows.start)));
            stage.reveal_row.set(Some(rows.start));
            let entry = panel.plan.with_untracked(|plan| {
                plan.as_ref()
                    .and_then(|plan| plan.rail.get(rows.start))
                    .and_then(|row| row.entry)
            });
            if entry.is_some() {
                stage.reveal_entry.set(entry);
            }
        }
    };
    let keys = move |event: web_sys::KeyboardEvent| {
        let count = flat().len();
        let now = current.get_untracked().or(at.get_untracked());
        let to = match event.key().as_str() {
            "ArrowRight" | "ArrowDown" => {
                now.map_or(0, |now| (now + 1).min(count.saturating_sub(1)))
            }
            "ArrowLeft" | "ArrowUp" => {
                now.map_or(count.saturating_sub(1), |now| now.saturating_sub(1))
            }
            "Home" => 0,
            "End" => count.saturating_sub(1),
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        go(to);
    };
    // A press picks the nearest cell, so that a narrow one needs no aim.
    let press = move |event: web_sys::MouseEvent| {
        let Some(strip) = node.get_untracked() else {
            return;
        };
        let Ok(cells) = strip.query_selector_all("[role=option]") else {
            return;
        };
        let x = f64::from(event.client_x());
        let nearest = (0..cells.length())
            .filter_map(|index| {
                cells
                    .get(index)?
                    .dyn_into::<web_sys::Element>()
                    .ok()
                    .map(|cell| (index, cell.get_bounding_client_rect()))
            })
            .min_by(|(_, a), (_, b)| away(x, a).total_cmp(&away(x, b)));
        if let Some((index, _)) = nearest {
            go(index as usize);
        }
    };
    view! {
        <div class="strip" role="listbox" tabindex="0" aria-orientation="horizontal" aria-label="Segments, oldest first" node_ref=node
            aria-activedescendant=move || current.get().map(|cell| format!("cell-{cell}")) on:keydown=keys on:click=press>
            {move || {
                let all = groups.get();
                let mut index = 0;
                all.iter().enumerate().map(|(place, group)| {
                    let first = index;
                    index += group.cells.len();
                    // In a narrow last group the words stand before the line, not after it.
                    let narrow = group.tokens * 3 < all.iter().map(|group| group.tokens).sum::<u64>();
                    let stop = place > 0 && group.state == SegmentState::Selected && all[place - 1].state == SegmentState::Skipped;
                    draw(panel, group.clone(), first, stop, narrow, current)
                }).collect_view()
            }}
        </div>
    }
}

fn away(x: f64, place: &web_sys::DomRect) -> f64 {
    if x < place.left() {
        place.left() - x
    } else if x > place.right() {
        x - place.right()
    } else {
        0.0
    }
}

fn draw(
    panel: Panel,
    group: Group,
    first: usize,
    stop: bool,
    narrow: bool,
    current: Memo<Option<usize>>,
) -> impl IntoView {
    let plan = panel.plan.get_untracked();
    let doc = panel.doc.get_untracked();
    let flex = match group.state {
        SegmentState::Compacted => format!(
            "flex:0 1 {}rem",
            (group.cells.len() as f64 * 0.75).clamp(4.75, 8.0)
        ),
        _ => format!(
            "flex:{} 1 0;min-inline-size:{}rem",
            group.tokens.max(1),
            (group.cells.len() as f64 * 0.375).clamp(6.5, 12.0)
        ),
    };
    let [head, tokens, bound] = plan
        .as_deref()
        .map(|plan| label(plan, &group))
        .unwrap_or_default();
    let cells = group.cells.iter().enumerate().map(|(place, cell)| {
        let index = first + place;
        let row = doc.as_ref().and_then(|doc| doc.rail.get(cell.rows.start).cloned()).unwrap_or_default();
        let who = row.calls.first().cloned().unwrap_or_else(|| row.speaker.clone());
        let several = if cell.rows.len() > 1 { format!("{} segments, ", cell.rows.len()) } else { String::new() };
        let counted = doc.as_ref().and_then(|doc| doc.rail.get(lines::reported(doc, cell.rows.start)?)?.reported);
        let counted = counted.map_or(String::new(), |tokens| format!(", its provider counted {} for the request", n(tokens)));
        let name = format!("Turn {}, {who}, {several}{} tokens, {}{counted}", row.position + 1, n(cell.tokens), word(cell.state));
        let weight = if cell.state == SegmentState::Compacted { 1 } else { cell.tokens.max(1) };
        view! {
            <span role="option" id=format!("cell-{index}") class=word(cell.state) style=format!("--k:{weight}") aria-label=name.clone() title=name
                aria-selected=move || (current.get() == Some(index)).to_string()><i></i></span>
        }
    }).collect_view();
    view! {
        <div class="grp" role="group" aria-label=head.clone() style=flex data-state=word(group.state)>
            {stop.then(|| plan.as_deref().and_then(share::stop).map(|stop| view! { <span class="stop" class:before=narrow aria-hidden="true">{format!("stops here: {}", stop.words())}</span> }))}
            <div class="segs">{cells}</div>
            <p class="lb" aria-hidden="true"><b>{head.clone()}</b>" "{tokens}<br/>{bound}</p>
        </div>
    }
}

/// A group's label: how many, their tokens, and what bounds them.
fn label(plan: &Plan, group: &Group) -> [String; 3] {
    let history = plan.blocks.iter().find(|block| block.kind == "history");
    let grant = history.and_then(|block| block.allocated_tokens);
    let tokens = format!("{} tokens", n(group.tokens));
    match group.state {
        SegmentState::Compacted => {
            let turns = plan.history.compacted.unwrap_or(group.cells.len() as u64);
            [
                format!("{turns} compacted"),
                String::new(),
                "behind a summary".to_owned(),
            ]
        }
        SegmentState::Skipped => [
            format!("{} skipped", n(plan.history.skipped)),
            tokens,
            plan.history.skipped_reason.clone().unwrap_or_default(),
        ],
        SegmentState::Selected => [
            format!("{} selected", n(plan.history.selected)),
            tokens,
            grant.map_or(String::new(), |grant| format!("of {} granted", n(grant))),
        ],
        SegmentState::Excluded | SegmentState::Silent => {
            [word(group.state).to_owned(), String::new(), String::new()]
        }
    }
}

/// One sentence where history leaves out more than one would think.
#[component]
fn Remark() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let remark = Memo::new(move |_| {
        let (Some(doc), Some(plan)) = (panel.doc.get(), panel.plan.get()) else {
            return None;
        };
        let window = share::planning_window(&plan)?;
        let skipped_summary = (0..doc.rail.len()).any(|row| {
            doc.rail[row].kind == "summary"
                && plan
                    .rail
                    .get(row)
                    .is_some_and(|row| row.state == SegmentState::Skipped)
        });
        let shared = panel.form.with(|form| form.share.is_some());
        if plan.history.skipped == 0 || !shared {
            return None;
        }
        let all: u64 = plan
            .rail
            .iter()
            .filter(|row| row.candidate)
            .map(|row| row.tokens)
            .sum();
        let history: u64 = plan
            .blocks
            .iter()
            .filter(|block| block.kind == "history")
            .map(|block| block.tokens)
            .sum();
        let with_all = plan.request_tokens - history.min(plan.request_tokens) + all;
        let fits = with_all <= window;
        // Turns beyond the candidate window stay out whatever the share; of them there is nothing to promise.
        let beyond = |row: &&RowState| row.state == SegmentState::Skipped && !row.candidate;
        if plan.rail.iter().any(|row| beyond(&row)) {
            return None;
        }
        let segments = some(plan.history.selected + plan.history.skipped, "segment");
        let head = if skipped_summary {
            "The summary is skipped too, and what it stands for."
        } else {
            "Older segments are left out by the share."
        };
        let tail = if fits {
            format!(
                "With no share, all {segments} fit in {} of {}.",
                n(with_all),
                n(window)
            )
        } else {
            format!(
                "All {segments} would take {} of {}.",
                n(with_all),
                n(window)
            )
        };
        Some((head, tail, fits))
    });
    move || {
        remark.get().map(|(head, tail, fits)| view! {
            <p class="note"><b>{head}</b>" "{tail}" "{fits.then(|| view! { <button type="button" class="link" on:click=move |_| panel.edit("history share", |form| form.share = None)>"Clear the share"</button> })}</p>
        })
    }
}

/// The share under which one segment more, or one less, comes in; for the keys.
pub fn step_share(panel: Panel, more: bool) {
    let Some(plan) = panel.plan.get_untracked() else {
        return;
    };
    let Some(window) = share::planning_window(&plan) else {
        return;
    };
    let steps = share::steps(&plan.rail, window);
    let selected = plan.history.selected as usize;
    let step = if more {
        share::one_more(&steps, selected)
    } else {
        share::one_less(&steps, selected)
    };
    if let Some(step) = step {
        let share = step.share;
        panel.edit("history share", move |form| form.share = Some(share));
    }
}
