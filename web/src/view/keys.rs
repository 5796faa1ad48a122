//! The keyboard: single letters outside a text, F6 and F8 everywhere.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::rail::findings;
use super::strip::step_share;
use super::{Pane, Stage, files};
use crate::lines::{self, Line};
use crate::panel::{Current, Panel, Screen};

const PROOF: &[(Pane, &str)] = &[
    (Pane::Conversation, "conversation"),
    (Pane::Request, "request"),
    (Pane::Proof, "proof"),
];

const FIT: &[(Pane, &str)] = &[(Pane::Request, "settings"), (Pane::Proof, "fit")];

/// Focuses an element once what has just changed is drawn.
pub fn focus(id: &str) {
    let id = id.to_owned();
    request_animation_frame(move || {
        if let Some(element) = document()
            .get_element_by_id(&id)
            .and_then(|element| element.dyn_into::<HtmlElement>().ok())
        {
            // An element that cannot take focus leaves it where it is.
            let _ = element.focus();
        }
    });
}

/// Brings the refusal into sight, and focuses what it is about where that can be.
pub fn to_refusal() {
    request_animation_frame(|| {
        let Some(refusal) = document()
            .query_selector("[data-hook=refusal]")
            .ok()
            .flatten()
        else {
            return;
        };
        refusal.scroll_into_view_with_bool(false);
        let button = refusal
            .query_selector("button")
            .ok()
            .flatten()
            .and_then(|button| button.dyn_into::<HtmlElement>().ok());
        if let Some(button) = button {
            let _ = button.focus();
        }
    });
}

/// Listens for keys on the whole page.
pub fn listen(panel: Panel, stage: Stage) {
    window_event_listener(ev::keydown, move |event| {
        let command = event.ctrl_key() || event.meta_key();
        let typing = files::in_text(event.target());
        let handled = match event.key().as_str() {
            _ if stage.dialog.get_untracked().is_some() => false,
            "F6" => next_pane(panel, stage, event.shift_key()),
            "F8" if panel.screen.get_untracked() == Screen::Proof => {
                next_finding(panel, stage, event.shift_key())
            }
            "o" | "O" if command => {
                files::choose(panel);
                true
            }
            "z" | "Z" if command && !typing => {
                if event.shift_key() {
                    panel.redo()
                } else {
                    panel.undo()
                }
                true
            }
            "Escape" => {
                panel.current.set(None);
                panel.unopened.set(None);
                panel.alone.set(false);
                panel.open_texts(None);
                false
            }
            _ if command || event.alt_key() || typing => false,
            "ArrowDown" if in_list() => walk(panel, stage, 1),
            "ArrowUp" if in_list() => walk(panel, stage, -1),
            "Home" if in_list() => walk(panel, stage, isize::MIN),
            "End" if in_list() => walk(panel, stage, isize::MAX),
            key if panel.letters.get_untracked() => letter(panel, stage, key),
            _ => false,
        };
        if handled {
            event.prevent_default();
        }
    });
}

fn letter(panel: Panel, stage: Stage, key: &str) -> bool {
    match key {
        "?" => stage.dialog.set(Some("keys")),
        "1" => super::show(panel, stage, Screen::Proof),
        "2" => super::show(panel, stage, Screen::Fit),
        // What follows is about the proof.
        _ if panel.screen.get_untracked() != Screen::Proof => return false,
        "j" | "J" => return walk(panel, stage, 1),
        "k" | "K" => return walk(panel, stage, -1),
        "g" | "G" => there_and_back(panel, stage),
        "e" | "E" => panel.alone.update(|alone| *alone = !*alone),
        "[" => step_share(panel, false),
        "]" => step_share(panel, true),
        "/" => {
            stage.pane.set(Pane::Conversation);
            focus("find");
        }
        _ => return false,
    }
    true
}

fn focused_in(selector: &str) -> bool {
    document()
        .active_element()
        .and_then(|element| element.closest(selector).ok().flatten())
        .is_some()
}

/// Whether arrows walk a list rather than scroll.
fn in_list() -> bool {
    focused_in(".turns")
}

fn next_pane(panel: Panel, stage: Stage, back: bool) -> bool {
    let panes = match panel.screen.get_untracked() {
        Screen::Proof => PROOF,
        Screen::Fit => FIT,
    };
    let now = panes
        .iter()
        .position(|(_, id)| focused_in(&format!("#{id}")));
    let all = panes.len();
    let next = match (now, back) {
        (None, false) => 0,
        (None, true) => all - 1,
        (Some(now), false) => (now + 1) % all,
        (Some(now), true) => (now + all - 1) % all,
    };
    if let Some((pane, id)) = panes.get(next) {
        stage.pane.set(*pane);
        focus(id);
    }
    true
}

fn next_finding(panel: Panel, stage: Stage, back: bool) -> bool {
    if panel.refused.with_untracked(Option::is_some) {
        stage.pane.set(Pane::Request);
        to_refusal();
        return true;
    }
    let rows: Vec<usize> = untrack(|| findings(panel))
        .into_iter()
        .filter_map(|one| one.row)
        .collect();
    let now = match panel.current.get_untracked() {
        Some(Current::Row(row)) => rows.iter().position(|one| *one == row),
        _ => None,
    };
    let count = rows.len();
    let next = match (now, back) {
        (None, _) => 0,
        (Some(now), false) => (now + 1) % count.max(1),
        (Some(now), true) => (now + count - 1) % count.max(1),
    };
    if let Some(row) = rows.get(next) {
        go_to_row(panel, stage, *row);
    }
    true
}

fn go_to_row(panel: Panel, stage: Stage, row: usize) {
    panel.current.set(Some(Current::Row(row)));
    stage.reveal_row.set(Some(row));
}

/// Next or previous: an entry while the proof has focus, a line of the rail otherwise.
fn walk(panel: Panel, stage: Stage, by: isize) -> bool {
    let Some(plan) = panel.plan.get_untracked() else {
        return false;
    };
    if focused_in("#proof") && !focused_in(".strip") {
        let count = plan.entries.len();
        let now = match panel.current.get_untracked() {
            Some(Current::Entry(entry)) => Some(entry),
            Some(Current::Row(row)) => plan.rail.get(row).and_then(|row| row.entry),
            _ => None,
        };
        if let Some(next) = step(now, by, count) {
            panel.current.set(Some(Current::Entry(next)));
            stage.reveal_entry.set(Some(next));
        }
        return true;
    }
    let Some(doc) = panel.doc.get_untracked() else {
        return false;
    };
    let rows: Vec<usize> = lines::lines(&doc, Some(&plan), "", false)
        .into_iter()
        .filter_map(|line| match line {
            Line::Row(row) => Some(row),
            _ => None,
        })
        .collect();
    let now = match panel.current.get_untracked() {
        Some(Current::Row(row)) => rows.iter().position(|one| *one >= row),
        Some(Current::Entry(entry)) => rows.iter().position(|row| {
            plan.rail
                .get(*row)
                .is_some_and(|row| row.entry == Some(entry))
        }),
        _ => None,
    };
    if let Some(next) = step(now, by, rows.len()) {
        go_to_row(panel, stage, rows[next]);
    }
    true
}

/// A step in a list of so many; from nowhere the first step lands on the nearer end.
fn step(now: Option<usize>, by: isize, count: usize) -> Option<usize> {
    let last = count.checked_sub(1)?;
    Some(match now {
        None if by > 0 && by != isize::MAX => 0,
        None if by == isize::MIN => 0,
        None => last,
        Some(now) => now.saturating_add_signed(by).min(last),
    })
}

/// From a line to its entry, from an entry to its line.
fn there_and_back(panel: Panel, stage: Stage) {
    let Some(plan) = panel.plan.get_untracked() else {
        return;
    };
    match panel.current.get_untracked() {
        Some(Current::Row(row)) => {
            if let Some(entry) = plan.rail.get(row).and_then(|row| row.entry) {
                panel.current.set(Some(Current::Entry(entry)));
                stage.pane.set(Pane::Proof);
                stage.reveal_entry.set(Some(entry));
                focus("proof");
            }
        }
        Some(Current::Entry(entry)) => {
            if let Some(row) = plan.rail.iter().position(|row| row.entry == Some(entry)) {
                stage.pane.set(Pane::Conversation);
                go_to_row(panel, stage, row);
                focus("conversation");
            }
        }
        Some(Current::Block(block)) => {
            stage.pane.set(Pane::Request);
            stage.as_json.set(false);
            stage.reveal_block.set(Some(block));
        }
        None => {}
    }
}
