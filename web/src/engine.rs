//! The one file of the page that knows there is a worker.
//!
//! The file under proof stays a `Blob` on this side, so a stopped worker can be started again
//! without asking for it twice; its text never enters the page's memory.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use js_sys::Array;
use leptos::prelude::set_timeout;
use wasm_bindgen::prelude::*;
use web_sys::{Blob, MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::protocol::{Answer, Ask, Question, Reply};
use crate::queue::{Lane, Queue};

/// Where the worker's script stands, beside the page.
const SCRIPT: &str = "./worker_loader.js";

/// What the engine tells the page.
pub enum News {
    /// An answer.
    Reply(Box<Reply>),
    /// The worker is gone; what it said last.
    Stopped(String),
}

type Listener = Rc<dyn Fn(News)>;

/// The worker, its queue, the file it was given.
#[derive(Clone)]
pub struct Engine(Rc<RefCell<Inner>>);

struct Inner {
    worker: Option<Worker>,
    ready: bool,
    queue: Queue<(Ask, Option<Blob>)>,
    first: Option<(Ask, Option<Blob>)>,
    /// The revision of the opening that is under way, and its file, unless that is the open one.
    opening: Option<u64>,
    asked: Option<(Question, Option<Blob>)>,
    /// The file that is open.
    opened: Option<(Question, Option<Blob>)>,
    listener: Listener,
    on_message: Option<Closure<dyn FnMut(MessageEvent)>>,
    on_error: Option<Closure<dyn FnMut(web_sys::Event)>>,
}

impl Engine {
    /// Starts the worker.
    pub fn start(listener: impl Fn(News) + 'static) -> Self {
        let engine = Self(Rc::new(RefCell::new(Inner {
            worker: None,
            ready: false,
            queue: Queue::new(),
            first: None,
            opening: None,
            asked: None,
            opened: None,
            listener: Rc::new(listener),
            on_message: None,
            on_error: None,
        })));
        engine.spawn();
        engine
    }

    fn spawn(&self) {
        if !js_sys::Reflect::has(&js_sys::global(), &"Worker".into()).unwrap_or(false) {
            return self.stopped(
                "This browser gives the page no workers, and the engine lives in one.".to_owned(),
            );
        }
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = match Worker::new_with_options(SCRIPT, &options) {
            Ok(worker) => worker,
            Err(error) => return self.stopped(describe(&error)),
        };
        let weak = Rc::downgrade(&self.0);
        let on_message = Closure::new(move |event: MessageEvent| {
            if let Some(inner) = weak.upgrade() {
                Self(inner).heard(&event);
            }
        });
        let weak = Rc::downgrade(&self.0);
        let on_error = Closure::new(move |event: web_sys::Event| {
            event.prevent_default();
            if let Some(inner) = weak.upgrade() {
                let said = js_sys::Reflect::get(&event, &"message".into())
                    .ok()
                    .and_then(|message| message.as_string());
                Self(inner).stopped(said.unwrap_or_else(|| "Its script did not load.".to_owned()));
            }
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        let mut inner = self.0.borrow_mut();
        inner.worker = Some(worker);
        inner.ready = false;
        inner.queue.reset();
        inner.on_message = Some(on_message);
        inner.on_error = Some(on_error);
    }

    /// Asks; of each lane only the newest question waits.
    pub fn ask(&self, lane: Lane, ask: Ask, blob: Option<Blob>) {
        let mut inner = self.0.borrow_mut();
        if lane == Lane::Open {
            // Another file is wanted: what is being read of one is not.
            inner.give_up();
            inner.opening = Some(ask.revision);
            match &ask.what {
                // A conversation of the file that is open.
                Question::Pick { .. } => inner.asked = None,
                what => inner.asked = Some((what.clone(), blob.clone())),
            }
        }
        let Some(message) = inner.queue.ask(lane, (ask, blob)) else {
            return;
        };
        if inner.ready {
            inner.post(&message);
        } else {
            inner.first = Some(message);
        }
    }

    /// Gives up the opening that is under way.
    pub fn give_up(&self) {
        self.0.borrow().give_up();
    }

    /// The bytes of the open file from one place to another, as text; nothing when it is no text.
    pub async fn excerpt(&self, from: u64, to: u64) -> Option<String> {
        let blob = self.0.borrow().opened.as_ref()?.1.clone()?;
        let head = blob.slice_with_f64_and_f64(0.0, 4.0).ok()?;
        let part = blob.slice_with_f64_and_f64(from as f64, to as f64).ok()?;
        let bytes = async |blob: Blob| {
            let buffer = wasm_bindgen_futures::JsFuture::from(blob.array_buffer()).await;
            buffer
                .ok()
                .map(|buffer| js_sys::Uint8Array::new(&buffer).to_vec())
        };
        let packed = |head: &[u8]| {
            matches!(
                head,
                [b'P', b'K', ..] | [0x1f, 0x8b, ..] | [0x28, 0xb5, ..] | [0xfe | 0xff, ..]
            )
        };
        if packed(&bytes(head).await?) {
            return None;
        }
        Some(String::from_utf8_lossy(&bytes(part).await?).into_owned())
    }

    /// Starts the worker again and gives it the file it had.
    pub fn restart(&self, revision: u64) {
        if let Some(worker) = self.0.borrow_mut().worker.take() {
            worker.terminate();
        }
        self.spawn();
        let opened = self.0.borrow().opened.clone();
        if let Some((what, blob)) = opened {
            self.ask(Lane::Open, Ask { revision, what }, blob);
        }
    }

    fn heard(&self, event: &MessageEvent) {
        let reply = event
            .data()
            .as_string()
            .and_then(|text| serde_json::from_str::<Reply>(&text).ok());
        let Some(reply) = reply else {
            return self.stopped("It said something unreadable.".to_owned());
        };
        {
            let mut inner = self.0.borrow_mut();
            match reply.what {
                Answer::Ready => {
                    inner.ready = true;
                    if let Some(message) = inner.first.take() {
                        inner.post(&message);
                    }
                }
                Answer::Encoding(_) | Answer::Reading { .. } | Answer::Rail(_) => {}
                _ => {
                    if inner.opening == Some(reply.revision) {
                        // A file that is refused leaves the one before it open.
                        if matches!(reply.what, Answer::Opened(_)) {
                            inner.opened = inner.asked.take().or(inner.opened.take());
                        }
                        inner.opening = None;
                    }
                    if let Some(message) = inner.queue.answered() {
                        inner.post(&message);
                    }
                }
            }
        }
        self.tell(News::Reply(Box::new(reply)));
    }

    fn stopped(&self, said: String) {
        {
            let mut inner = self.0.borrow_mut();
            inner.ready = false;
            inner.first = None;
            inner.queue.reset();
            if let Some(worker) = inner.worker.take() {
                worker.terminate();
            }
        }
        self.tell(News::Stopped(said));
    }

    /// Reading a long answer and drawing it are two tasks, so that a key pressed meanwhile is heard between them.
    fn tell(&self, news: News) {
        let listener = self.0.borrow().listener.clone();
        set_timeout(move || listener(news), Duration::ZERO);
    }
}

impl Inner {
    fn give_up(&self) {
        if self.opening.is_some() && self.ready && self.queue.busy() {
            let ask = Ask {
                revision: 0,
                what: Question::GiveUp,
            };
            self.post(&(ask, None));
        }
    }

    fn post(&self, (ask, blob): &(Ask, Option<Blob>)) {
        let Some(worker) = &self.worker else { return };
        let Ok(text) = serde_json::to_string(ask) else {
            return;
        };
        let message = Array::of1(&text.into());
        if let Some(blob) = blob {
            message.push(blob);
        }
        // A Blob is cloned by reference, so this cannot run out of memory and does not fail.
        let _ = worker.post_message(&message);
    }
}

fn describe(error: &JsValue) -> String {
    error.dyn_ref::<js_sys::Error>().map_or_else(
        || "Its worker did not start.".to_owned(),
        |error| String::from(error.message()),
    )
}
