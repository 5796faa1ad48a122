//! What a call needs from outside, asked one thing at a time.
//!
//! A call is written as it runs, top to bottom; where it must wait it puts a [`Need`] on its desk and stops there
//! until the answer lies beside it. Nothing here waits by itself: [`Run::step`] says what is needed, [`Run::resume`]
//! brings it.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::lease::Lease;

/// What a call needs from its host.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(tag = "need", rename_all = "snake_case")]
pub enum Need {
    /// What is known of a model: a `ModelReply`, or `null` when it is unknown.
    ResolveModel {
        /// The model's id.
        id: String,
        /// The provider's id.
        #[serde(skip_serializing_if = "Option::is_none")]
        provider: Option<String>,
        /// How long that may take, milliseconds.
        timeout_ms: u64,
    },
    /// The lease of this key, or `null`.
    GetLease {
        /// The key.
        key: String,
    },
    /// The lease of this key as it was, once `record` is in its place; `null` clears it.
    SwapLease {
        /// The key.
        key: String,
        /// What is put there.
        record: Option<Lease>,
    },
    /// A summary: its text.
    Summarize {
        /// What the summariser is told.
        system_prompt: String,
        /// What it is asked.
        prompt: String,
        /// The model's id.
        model: String,
        /// The provider's id.
        #[serde(skip_serializing_if = "Option::is_none")]
        provider: Option<String>,
        /// How long that may take, milliseconds.
        timeout_ms: u64,
    },
}

/// Why a host could not bring what was needed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Failure {
    /// `unavailable`: there is nobody to ask; `empty`: there was no text; anything else failed.
    #[serde(default)]
    pub kind: String,
    /// What happened.
    #[serde(default)]
    pub message: String,
}

/// What a host brings.
pub type Given = Result<Value, Failure>;

/// Where a call and its host meet.
#[derive(Default)]
pub struct Desk {
    need: Cell<Option<Need>>,
    given: Cell<Option<Given>>,
    now_ms: Cell<u64>,
}

impl Desk {
    /// Waits for what is needed.
    pub async fn ask(&self, need: Need) -> Given {
        self.need.set(Some(need));
        Answer(self).await
    }

    /// The time, milliseconds since 1970, as the host last said it.
    pub fn now_ms(&self) -> u64 {
        self.now_ms.get()
    }
}

struct Answer<'a>(&'a Desk);

impl Future for Answer<'_> {
    type Output = Given;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Given> {
        self.0.given.take().map_or(Poll::Pending, Poll::Ready)
    }
}

/// A call on its way.
pub struct Run<T> {
    desk: Rc<Desk>,
    call: Option<Pin<Box<dyn Future<Output = T>>>>,
}

/// How far a call is.
#[derive(Debug)]
pub enum Step<T> {
    /// It waits for this.
    Needs(Need),
    /// It is over, and this is what it came to. Once.
    Done(T),
    /// It was over before.
    Over,
}

impl<T> Run<T> {
    /// A call at its beginning, at this time.
    pub fn new<F>(now_ms: u64, call: impl FnOnce(Rc<Desk>) -> F) -> Self
    where
        F: Future<Output = T> + 'static,
    {
        let desk = Rc::new(Desk::default());
        desk.now_ms.set(now_ms);
        Self {
            call: Some(Box::pin(call(Rc::clone(&desk)))),
            desk,
        }
    }

    /// Goes on as far as it can.
    pub fn step(&mut self) -> Step<T> {
        let Some(call) = &mut self.call else {
            return Step::Over;
        };
        match call.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(outcome) => {
                self.call = None;
                Step::Done(outcome)
            }
            Poll::Pending => match self.desk.need.take() {
                Some(need) => {
                    self.desk.need.set(Some(need.clone()));
                    Step::Needs(need)
                }
                None => Step::Over,
            },
        }
    }

    /// Brings what was needed, at this time.
    pub fn resume(&mut self, given: Given, now_ms: u64) -> Step<T> {
        self.desk.need.set(None);
        self.desk.now_ms.set(now_ms);
        self.desk.given.set(Some(given));
        self.step()
    }
}
