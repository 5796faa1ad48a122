//! What opens above the page: the keys, the warnings of the file, the paste box.

use leptos::html;
use leptos::prelude::*;

use super::{Stage, files};
use crate::panel::Panel;

/// A native dialog that is up while the stage names it.
#[component]
fn Sheet(name: &'static str, label: &'static str, children: ChildrenFn) -> impl IntoView {
    let stage = expect_context::<Stage>();
    let node = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let wanted = stage.dialog.get() == Some(name);
        if let Some(dialog) = node.get() {
            if wanted && !dialog.open() {
                // Fails only for a dialog that is out of the page.
                let _ = dialog.show_modal();
            } else if !wanted && dialog.open() {
                dialog.close();
            }
        }
    });
    let closed = move |_| {
        if stage.dialog.get_untracked() == Some(name) {
            stage.dialog.set(None);
        }
    };
    view! {
        <dialog node_ref=node aria-label=label on:close=closed on:click=move |event| {
            // A press on the backdrop lands on the dialog itself.
            if event.target() == event.current_target() { stage.dialog.set(None) }
        }>
            <div class="sheet">{move || (stage.dialog.get() == Some(name)).then(|| children())}</div>
        </dialog>
    }
}

/// The keys.
#[component]
pub fn Keys() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let stage = expect_context::<Stage>();
    view! {
        <Sheet name="keys" label="Keyboard">
            <div class="head"><h2>"Keyboard"</h2><button type="button" class="link" on:click=move |_| stage.dialog.set(None)>"Close"</button></div>
            <dl>
                <dt><kbd>"F6"</kbd></dt><dd>"next pane; "<kbd>"⇧F6"</kbd>" the one before"</dd>
                <dt><kbd>"J"</kbd>" "<kbd>"K"</kbd>" or "<kbd>"↓"</kbd>" "<kbd>"↑"</kbd></dt><dd>"next and previous line, in the conversation or the entries"</dd>
                <dt><kbd>"G"</kbd></dt><dd>"from a line to its entry; again, back"</dd>
                <dt><kbd>"F8"</kbd></dt><dd>"the refusal, or the next finding"</dd>
                <dt><kbd>"⌥↑"</kbd>" "<kbd>"⌥↓"</kbd></dt><dd>"move the block"</dd>
                <dt><kbd>"["</kbd>" "<kbd>"]"</kbd></dt><dd>"history share, one segment less or more"</dd>
                <dt><kbd>"E"</kbd></dt><dd>"entries alone, and back"</dd>
                <dt><kbd>"/"</kbd></dt><dd>"find in turns"</dd>
                <dt><kbd>"⌘O"</kbd>" "<kbd>"⌘V"</kbd></dt><dd>"open a file, paste a conversation"</dd>
                <dt><kbd>"⌘Z"</kbd>" "<kbd>"⇧⌘Z"</kbd></dt><dd>"undo, redo, outside a text"</dd>
                <dt><kbd>"Esc"</kbd></dt><dd>"close what is open, let go of what is current"</dd>
            </dl>
            <p class="q s"><kbd>"Ctrl"</kbd>" stands for "<kbd>"⌘"</kbd>", "<kbd>"Alt"</kbd>" for "<kbd>"⌥"</kbd>" elsewhere."</p>
            <p><label class="check"><input type="checkbox" prop:checked=move || panel.letters.get() on:change=move |event| panel.letters.set(event_target_checked(&event))/>" single letters act, outside a text"</label></p>
        </Sheet>
    }
}

/// What could not be read, by position.
#[component]
pub fn Warnings() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let stage = expect_context::<Stage>();
    let all = move || {
        panel.doc.with(|doc| {
            doc.as_ref()
                .map(|doc| doc.warnings.clone())
                .unwrap_or_default()
        })
    };
    view! {
        <Sheet name="warnings" label="Warnings of the file">
            <div class="head"><h2>"Read with warnings"</h2><button type="button" class="link" on:click=move |_| stage.dialog.set(None)>"Close"</button></div>
            <dl>{move || all().into_iter().map(|one| view! { <dt><code>{one.at}</code></dt><dd>{super::fields::said(&one.message)}</dd> }).collect_view()}</dl>
        </Sheet>
    }
}

/// A box to paste a conversation into, for where the key alone does not do.
#[component]
pub fn Paste() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let stage = expect_context::<Stage>();
    let node = NodeRef::<html::Textarea>::new();
    let open = move |_| {
        let text = node
            .get_untracked()
            .map(|area| area.value())
            .unwrap_or_default();
        if !text.trim().is_empty() {
            stage.dialog.set(None);
            files::open_text(panel, &text);
        }
    };
    view! {
        <Sheet name="paste" label="Paste a conversation">
            <div class="head"><h2>"Paste a conversation"</h2><button type="button" class="link" on:click=move |_| stage.dialog.set(None)>"Close"</button></div>
            <p class="q">"A request body, an export, an agent's log. It is recognised by its bytes, read here, and sent nowhere."</p>
            <textarea node_ref=node rows="10" class="mono" aria-label="Text of the conversation" spellcheck="false"></textarea>
            <p class="acts"><button type="button" class="primary" on:click=open>"Open"</button></p>
        </Sheet>
    }
}
