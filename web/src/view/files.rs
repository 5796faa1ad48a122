//! Ways in: drop a file anywhere, choose one, paste one.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Blob, File, HtmlElement, HtmlInputElement};

use super::Stage;
use crate::panel::Panel;

/// Listens for drops and pastes on the whole page.
pub fn listen(panel: Panel, stage: Stage) {
    let carries_files = |event: &web_sys::DragEvent| {
        event.data_transfer().is_some_and(|data| {
            data.types()
                .iter()
                .any(|kind| kind.as_string().as_deref() == Some("Files"))
        })
    };
    window_event_listener(ev::dragover, move |event| {
        if carries_files(&event) {
            event.prevent_default();
            stage.over.set(true);
        }
    });
    window_event_listener(ev::dragleave, move |event| {
        if event.related_target().is_none() {
            stage.over.set(false);
        }
    });
    window_event_listener(ev::drop, move |event| {
        stage.over.set(false);
        if !carries_files(&event) {
            return;
        }
        event.prevent_default();
        if let Some(file) = event
            .data_transfer()
            .and_then(|data| data.files())
            .and_then(|files| files.get(0))
        {
            open(panel, &file);
        }
    });
    window_event_listener(ev::paste, move |event| {
        if in_text(event.target()) {
            return;
        }
        let Some(data) = event
            .dyn_ref::<web_sys::ClipboardEvent>()
            .and_then(web_sys::ClipboardEvent::clipboard_data)
        else {
            return;
        };
        if let Some(file) = data.files().and_then(|files| files.get(0)) {
            event.prevent_default();
            open(panel, &file);
        } else if let Ok(text) = data.get_data("text/plain")
            && !text.trim().is_empty()
        {
            event.prevent_default();
            open_text(panel, &text);
        }
    });
}

/// Whether an event comes from where someone writes.
pub fn in_text(target: Option<web_sys::EventTarget>) -> bool {
    target
        .and_then(|target| target.dyn_into::<HtmlElement>().ok())
        .is_some_and(|element| match element.tag_name().as_str() {
            "TEXTAREA" | "SELECT" => true,
            "INPUT" => !matches!(
                element.get_attribute("type").as_deref(),
                Some("range" | "radio" | "checkbox")
            ),
            _ => element.is_content_editable(),
        })
}

/// Asks for a file, and opens it.
pub fn choose(panel: Panel) {
    let Some(input) = document()
        .create_element("input")
        .ok()
        .and_then(|element| element.dyn_into::<HtmlInputElement>().ok())
    else {
        return;
    };
    input.set_type("file");
    let chosen = input.clone();
    let on_change = Closure::once_into_js(move || {
        if let Some(file) = chosen.files().and_then(|files| files.get(0)) {
            open(panel, &file);
        }
    });
    input.set_onchange(Some(on_change.unchecked_ref()));
    input.click();
}

/// Opens pasted text.
pub fn open_text(panel: Panel, text: &str) {
    let parts = js_sys::Array::of1(&text.into());
    if let Ok(blob) = Blob::new_with_str_sequence(&parts) {
        panel.open("pasted text".to_owned(), blob);
    }
}

fn open(panel: Panel, file: &File) {
    panel.open(file.name(), file.clone().into());
}
