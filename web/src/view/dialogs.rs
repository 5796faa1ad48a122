//! What opens above the page: the keys, the conversations of the file, its warnings, the paste box, saving.

use leptos::html;
use leptos::prelude::*;

use super::{Stage, files};
use crate::panel::Panel;
use crate::words::{n, some};

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
                <dt><kbd>"1"</kbd>" "<kbd>"2"</kbd></dt><dd>"the proof, the fit"</dd>
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
            <dl>{move || all().into_iter().map(|one| match one.offset {
                Some(offset) => view! { <Placed offset at=one.at message=one.message/> }.into_any(),
                None => view! { <dt><code>{one.at}</code></dt><dd>{super::fields::said(&one.message)}</dd> }.into_any(),
            }).collect_view()}</dl>
        </Sheet>
    }
}

/// A warning at a place in the file; pressed, what stands there is shown.
#[component]
fn Placed(offset: u64, at: String, message: String) -> impl IntoView {
    let panel = expect_context::<Panel>();
    let around = RwSignal::new(None::<Option<(String, String)>>);
    let show = move |_| {
        if around.get_untracked().is_some() {
            return around.set(None);
        }
        leptos::task::spawn_local(async move {
            around.set(Some(panel.around(offset).await));
        });
    };
    let shown = move || {
        around.get().map(|found| match found {
            Some((before, after)) => {
                let (first, rest) = after.split_at(after.chars().next().map_or(0, char::len_utf8));
                let (first, rest) = (first.to_owned(), rest.to_owned());
                view! { <pre class="around" data-hook="around">{before}<mark>{first}</mark>{rest}</pre> }.into_any()
            }
            None => view! { <p class="q s">"The file is packed: its text cannot be shown here."</p> }
                .into_any(),
        })
    };
    view! {
        <dt><button type="button" class="link" data-hook="place" aria-expanded=move || around.get().is_some().to_string() on:click=show><code>{at}</code></button></dt>
        <dd>{super::fields::said(&message)}{shown}</dd>
    }
}

/// How many conversations are listed at once.
const LISTED: usize = 200;

/// The conversations of the file.
#[component]
pub fn Conversations() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let stage = expect_context::<Stage>();
    let find = RwSignal::new(String::new());
    let found = move || {
        let wanted = find.get().to_lowercase();
        panel.doc.with(|doc| {
            let all = doc
                .iter()
                .flat_map(|doc| doc.conversations.iter().enumerate());
            all.filter(|(_, one)| one.title.to_lowercase().contains(&wanted))
                .map(|(index, one)| (index, one.clone()))
                .collect::<Vec<_>>()
        })
    };
    let now = move || {
        panel
            .doc
            .with(|doc| doc.as_ref().map(|doc| doc.conversation))
    };
    let open = move |index: usize| {
        stage.dialog.set(None);
        panel.pick(index, None);
    };
    view! {
        <Sheet name="conversations" label="Conversations of the file">
            <div class="head"><h2>"Conversations"</h2><button type="button" class="link" on:click=move |_| stage.dialog.set(None)>"Close"</button></div>
            <p><input type="search" aria-label="Find a conversation by its title" placeholder="Find by title" prop:value=move || find.get() on:input=move |event| find.set(event_target_value(&event))/></p>
            <ul class="choices" aria-label="Conversations">{move || found().into_iter().take(LISTED).map(|(index, one)| {
                let size = (one.bytes > 0).then(|| format!(" · {} KB", n(one.bytes.div_ceil(1000))));
                let branches = (!one.branches.is_empty()).then(|| format!(" · {} branches", one.branches.len()));
                view! { <li><button type="button" class="link" aria-current=move || (now() == Some(index)).then_some("true") on:click=move |_| open(index)>
                    <b dir="auto">{if one.title.is_empty() { format!("conversation {}", index + 1) } else { one.title }}</b>
                    <span class="q">{some(one.turns as u64, "turn")}{branches}{size}</span></button></li> }
            }).collect_view()}</ul>
            {move || {
                let count = found().len();
                (count > LISTED).then(|| view! { <p class="q s">{format!("{} more: find one by its title.", n((count - LISTED) as u64))}</p> })
            }}
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

/// What a conversation can be saved as, and in which words.
const SHAPES: [(&str, &str); 5] = [
    (
        "native",
        "Native file: everything that is known of the conversation",
    ),
    ("chat", "Chat Completions request"),
    ("responses", "Responses request"),
    ("anthropic", "Anthropic Messages request"),
    ("gemini", "Gemini request"),
];

/// The conversation, saved as a file of a shape.
#[component]
pub fn Save() -> impl IntoView {
    let panel = expect_context::<Panel>();
    let stage = expect_context::<Stage>();
    view! {
        <Sheet name="save" label="Save the conversation">
            <div class="head"><h2>"Save the conversation"</h2><button type="button" class="link" on:click=move |_| stage.dialog.set(None)>"Close"</button></div>
            <ul class="choices">{SHAPES.map(|(to, words)| view! {
                <li><button type="button" class="link" data-save=to on:click=move |_| panel.write(to)>{words}</button></li>
            })}</ul>
            <div role="status">{move || panel.written.get().map(|(name, warnings)| view! {
                <p data-hook="written"><b>{name}</b>{if warnings.is_empty() { " is saved, with nothing left out.".to_owned() } else { format!(" is saved; {} in it.", some(warnings.len() as u64, "difference")) }}</p>
                <dl>{warnings.into_iter().map(|one| view! { <dt><code>{one.at}</code></dt><dd>{super::fields::said(&one.message)}</dd> }).collect_view()}</dl>
            })}</div>
        </Sheet>
    }
}
