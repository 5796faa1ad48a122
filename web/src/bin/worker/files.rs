//! Files that the page was given, opened by the importer: a module of its own, which reads them slice by slice.

use std::cell::RefCell;
use std::rc::Rc;

use galley_core::conversation;
use galley_core::doors::Opened;
use galley_core::import::{Format, Listed};
use galley_core::refusal::{self, Warning};
use galley_core::session::Session;
use galley_web::protocol::{Answer, Branch, Choice, Refusal};
use js_sys::{Array, Uint8Array};
use serde::Deserialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use super::desk::{Desk, Shelf, nothing_open, refused};
use super::{facts, say};

#[wasm_bindgen(module = "/src/bin/worker/modules.js")]
extern "C" {
    #[wasm_bindgen(catch)]
    async fn open_file(
        file: &Blob,
        format: Option<String>,
        progress: &Closure<dyn FnMut(f64, f64)>,
    ) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch)]
    async fn pick_conversation(
        index: usize,
        branch: Option<String>,
        progress: &Closure<dyn FnMut(f64, f64)>,
    ) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch)]
    async fn write_file(file: String, to: String) -> Result<JsValue, JsValue>;

    fn stop_opening();
}

/// What the importer found in a file.
#[derive(Clone, Deserialize)]
pub struct Index {
    format: Format,
    conversations: Vec<Listed>,
    warnings: Vec<Warning>,
}

impl Index {
    /// Its conversations, as the page lists them.
    pub fn choices(&self) -> Vec<Choice> {
        let choices = self.conversations.iter().map(|one| Choice {
            title: one.title.clone(),
            turns: one.turns,
            bytes: one.bytes,
            branches: one
                .branches
                .iter()
                .map(|branch| Branch {
                    id: branch.id.clone(),
                    title: branch.title.clone(),
                    turns: branch.turns,
                    current: branch.current,
                })
                .collect(),
        });
        choices.collect()
    }
}

/// Opens a file, and of several conversations the first.
pub async fn open(
    desk: &Rc<RefCell<Desk>>,
    name: String,
    format: Option<String>,
    file: Blob,
) -> Result<Answer, Refusal> {
    let progress = progress();
    let index = open_file(&file, format, &progress)
        .await
        .map_err(|said| failed(&said))?;
    let index: Index = read(&index)?;
    let mut shelf = Shelf {
        name,
        ..Shelf::default()
    };
    if index.format == Format::Galley {
        let buffer = JsFuture::from(file.array_buffer()).await;
        let buffer = buffer.map_err(|said| failed(&said))?;
        let bytes = Uint8Array::new(&buffer).to_vec();
        return desk.borrow_mut().open_native(&bytes, shelf);
    }
    shelf.index = Some(index);
    picked(desk, shelf, progress).await
}

/// Opens another conversation of the file, or another branch of it.
pub async fn pick(
    desk: &Rc<RefCell<Desk>>,
    index: usize,
    branch: Option<String>,
) -> Result<Answer, Refusal> {
    let shelf = Shelf {
        conversation: index,
        branch,
        ..desk.borrow().shelf().clone()
    };
    picked(desk, shelf, progress()).await
}

/// Writes the open conversation as a file.
pub async fn write(desk: &Rc<RefCell<Desk>>, to: String) -> Result<Answer, Refusal> {
    let file = desk.borrow().file().ok_or_else(nothing_open)?;
    if to == "native" {
        return Ok(Answer::Written {
            to,
            text: file,
            warnings: Vec::new(),
        });
    }
    let answer = write_file(file, to.clone()).await;
    let answer = Array::from(&answer.map_err(|said| failed(&said))?);
    let warnings: Vec<Warning> = read(&answer.get(1))?;
    Ok(Answer::Written {
        to,
        text: answer.get(0).as_string().unwrap_or_default(),
        warnings: warnings.iter().map(facts::notice).collect(),
    })
}

/// Gives up what is being opened.
pub fn stop() {
    stop_opening();
}

async fn picked(
    desk: &Rc<RefCell<Desk>>,
    shelf: Shelf,
    progress: Closure<dyn FnMut(f64, f64)>,
) -> Result<Answer, Refusal> {
    let Some(index) = shelf.index.clone() else {
        return Err(nothing_open());
    };
    let answer = pick_conversation(shelf.conversation, shelf.branch.clone(), &progress).await;
    let answer = Array::from(&answer.map_err(|said| failed(&said))?);
    let file = answer.get(0).as_string().unwrap_or_default();
    let own: Vec<Warning> = read(&answer.get(1))?;
    let (conversation, mended) = conversation::read(file.as_bytes()).map_err(refused)?;
    let warnings = index
        .warnings
        .into_iter()
        .chain(own)
        .chain(mended)
        .collect();
    let session = Session::new(Opened {
        format: index.format,
        conversation,
        warnings,
    });
    Ok(desk.borrow_mut().take(session, shelf))
}

/// Tells the page how far a file is read.
fn progress() -> Closure<dyn FnMut(f64, f64)> {
    Closure::new(|loaded: f64, total: f64| {
        say(
            0,
            0.0,
            Answer::Reading {
                loaded: loaded as u64,
                total: total as u64,
            },
        );
    })
}

fn read<T: serde::de::DeserializeOwned>(text: &JsValue) -> Result<T, Refusal> {
    let text = text.as_string().unwrap_or_default();
    serde_json::from_str(&text).map_err(|error| Refusal {
        code: "file_unreadable".to_owned(),
        message: format!("The importer said something unreadable: {error}."),
        ..Refusal::default()
    })
}

/// What was thrown: a refusal as its JSON text, the word of an opening that was given up, or the browser's own.
fn failed(said: &JsValue) -> Refusal {
    if let Some(text) = said.as_string()
        && let Ok(refusal) = serde_json::from_str::<refusal::Refusal>(&text)
    {
        return refused(refusal);
    }
    let error = said.dyn_ref::<js_sys::Error>();
    let code = match error.map(|error| String::from(error.name())).as_deref() {
        Some("AbortError") => "given_up",
        _ => "file_unreadable",
    };
    let reason = error.map(|error| String::from(error.message()));
    Refusal {
        code: code.to_owned(),
        message: format!(
            "The browser could not read it: {}",
            reason.unwrap_or_else(|| "it may have moved, or be no file.".to_owned())
        ),
        ..Refusal::default()
    }
}
