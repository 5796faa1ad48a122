//! The worker: one session, one question at a time, answers as they are ready.

mod desk;
mod encodings;
mod facts;
mod files;
mod fit;
mod sheet;

use std::cell::RefCell;
use std::rc::Rc;

use galley_web::protocol::{Answer, Ask, Question, Reply};
use js_sys::Array;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Blob, DedicatedWorkerGlobalScope, MessageEvent};

use desk::Desk;

/// The sample the page opens with.
const SAMPLE: &[u8] = include_bytes!("../../../sample/boathouse.json");
const SAMPLE_NAME: &str = "boathouse.json";

/// Lines of the rail in one message: some hundred kilobytes.
const PIECE: usize = 1_000;

fn main() {
    let desk = Rc::new(RefCell::new(Desk::default()));
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let message = Array::from(&event.data());
        let Some(ask) = message
            .get(0)
            .as_string()
            .and_then(|text| serde_json::from_str::<Ask>(&text).ok())
        else {
            return;
        };
        let file = message.get(1).dyn_into::<Blob>().ok();
        let desk = desk.clone();
        spawn_local(async move { answer(&desk, ask, file).await });
    });
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    say(0, 0.0, Answer::Ready);
}

async fn answer(desk: &Rc<RefCell<Desk>>, ask: Ask, file: Option<Blob>) {
    let began = now();
    let what = match ask.what {
        // The question it ends is the one that is answered.
        Question::GiveUp => return files::stop(),
        Question::Sample => desk.borrow_mut().open_sample(SAMPLE_NAME, SAMPLE),
        Question::Open { name, format } => match file {
            Some(file) => files::open(desk, name, format, file).await,
            None => Err(desk::nothing_open()),
        },
        Question::Pick { index, branch } => files::pick(desk, index, branch).await,
        Question::Estimate { request, view } => desk.borrow_mut().estimate(&request, view),
        Question::Entries { view } => desk.borrow_mut().entries(view),
        Question::Recount { row } => desk.borrow_mut().recount(row),
        Question::Fit(question) => desk.borrow_mut().fit(question),
        Question::Write { to } => files::write(desk, to).await,
    };
    let mut what = what.unwrap_or_else(Answer::Refused);
    if let Answer::Opened(doc) = &mut what {
        let mut rows = std::mem::take(&mut doc.rail).into_iter();
        while rows.len() > 0 {
            let piece = rows.by_ref().take(PIECE).collect();
            say(ask.revision, 0.0, Answer::Rail(piece));
        }
    }
    say(ask.revision, now() - began, what);
    let wanted = desk.borrow_mut().wanted();
    if let Some(name) = wanted {
        encodings::load(desk.clone(), name);
    }
}

/// Says something to the page.
fn say(revision: u64, took_ms: f64, what: Answer) {
    if let Ok(text) = serde_json::to_string(&Reply {
        revision,
        what,
        took_ms,
    }) {
        // The page is there as long as its worker is.
        let _ = scope().post_message(&text.into());
    }
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

fn now() -> f64 {
    scope().performance().map_or(0.0, |clock| clock.now())
}
