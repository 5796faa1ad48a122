//! The context manager: the module that the npm package loads with the first call.
//!
//! Messages cross once. [`Manager::hold`] takes them and answers a number for each, by which requests name them
//! from then on; an answer names those that came back as they were by their place in the request, and writes out
//! only what is new. Everything else crosses as JSON text, and what is thrown is the JSON text of a refusal.

mod body;
mod held;

use std::rc::Rc;

use galley_core::fit::{self, Asked, Extras, Failure, Outcome, Step, TrimRequest};
use galley_core::json::{self, typed};
use galley_core::refusal::Refusal;
use galley_core::tokens::{Encoding, ModelRow};
use galley_core::wording::Wording;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

use held::{Answer, Held, Message};

#[wasm_bindgen]
extern "C" {
    /// A loaded vocabulary with its counter.
    pub type Loaded;

    #[wasm_bindgen(method)]
    fn count(this: &Loaded, utf8: &[u8]) -> f64;
}

struct HostEncoding {
    name: String,
    loaded: Loaded,
}

impl Encoding for HostEncoding {
    fn name(&self) -> &str {
        &self.name
    }

    fn count(&self, text: &str) -> u64 {
        self.loaded.count(text.as_bytes()) as u64
    }
}

/// What a manager is made with.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Made {
    catalogue: Vec<ModelRow>,
    wording: Option<indexmap::IndexMap<String, String>>,
    asks_host: bool,
}

/// A manager and the messages it was handed.
#[wasm_bindgen]
pub struct Manager {
    inner: Rc<fit::Manager>,
    held: Held,
}

#[wasm_bindgen]
impl Manager {
    /// `{ catalogue?, wording?, asks_host? }`.
    #[wasm_bindgen(constructor)]
    pub fn new(made: &str) -> Result<Self, JsValue> {
        let made: Made = read(made)?;
        let wording = made.wording.map(Wording::with).transpose();
        let manager =
            fit::Manager::new(made.catalogue, wording.map_err(thrown)?.unwrap_or_default());
        let inner = if made.asks_host {
            manager.asking_host()
        } else {
            manager
        };
        Ok(Self {
            inner: Rc::new(inner),
            held: Held::default(),
        })
    }

    /// Sets members of the configuration; `null` sets one back.
    pub fn configure(&self, config: &str) -> Result<(), JsValue> {
        self.inner.configure(&read(config)?).map_err(thrown)
    }

    /// The configuration.
    pub fn config(&self) -> String {
        json!(*self.inner.config()).to_string()
    }

    /// Hosts are asked for models anew.
    #[wasm_bindgen(js_name = modelsChanged)]
    pub fn models_changed(&self) {
        self.inner.models_changed();
    }

    /// Counts with this vocabulary from here on, where a model's row names it.
    #[wasm_bindgen(js_name = loadEncoding)]
    pub fn load_encoding(&self, name: String, loaded: Loaded) {
        self.inner
            .load_encoding(Rc::new(HostEncoding { name, loaded }));
    }

    /// Takes messages, JSON texts a line each, that stand at these places of their request; a number for each.
    /// Long texts stand one behind the other in `texts`; four numbers in `spans` say where each belongs: its line,
    /// its block, the block inside of that or 2³²−1, its bytes.
    pub fn hold(
        &mut self,
        lines: &str,
        places: &[u32],
        texts: &[u8],
        spans: &[u32],
    ) -> Result<Vec<u32>, JsValue> {
        self.held.take(lines, places, texts, spans).map_err(thrown)
    }

    /// Forgets a message.
    pub fn release(&mut self, number: u32) {
        self.held.release(number);
    }

    /// Begins a call of that word; `messages` are held ones by their numbers, and stand in place of the request's.
    #[allow(clippy::too_many_arguments)]
    pub fn call(
        &self,
        call: &str,
        request: &str,
        messages: Option<Vec<u32>>,
        extras: &str,
        now_ms: f64,
        nonce: String,
    ) -> Result<Run, JsValue> {
        let extras: Extras = read(extras)?;
        let mut asked = Asked::read(call, &read(request)?).map_err(thrown)?;
        let requested = messages.map(|numbers| self.held.get(&numbers));
        if let Some(requested) = &requested {
            asked = asked.with_messages(requested.iter().map(Message::item).collect());
        }
        let run = self.inner.call(asked, extras, now_ms as u64, nonce);
        Ok(Run::new(run, requested.unwrap_or_default()))
    }

    /// The newest turns that fit.
    pub fn trim(&self, request: &str, messages: Option<Vec<u32>>) -> Result<Answer, JsValue> {
        let mut request: TrimRequest = read(request)?;
        let requested = messages.map(|numbers| self.held.get(&numbers));
        if let Some(requested) = &requested {
            request.messages = Some(requested.iter().map(Message::item).collect());
        }
        let mut response = fit::trim(&self.inner, request).map_err(thrown)?;
        let items = std::mem::take(&mut response.messages);
        let requested = requested.unwrap_or_default();
        Ok(Answer::new(
            json!(response),
            &items,
            &response.sources,
            &requested,
        ))
    }
}

/// A call on its way.
#[wasm_bindgen]
pub struct Run {
    run: fit::Run<Outcome>,
    requested: Vec<Message>,
    need: Option<String>,
    outcome: Option<Outcome>,
}

impl Run {
    fn new(run: fit::Run<Outcome>, requested: Vec<Message>) -> Self {
        let mut run = Self {
            run,
            requested,
            need: None,
            outcome: None,
        };
        let step = run.run.step();
        run.took(step);
        run
    }

    fn took(&mut self, step: Step<Outcome>) {
        self.need = None;
        match step {
            Step::Needs(need) => self.need = Some(json!(need).to_string()),
            Step::Done(outcome) => self.outcome = Some(outcome),
            Step::Over => {}
        }
    }
}

#[wasm_bindgen]
impl Run {
    /// What is needed; nothing when the call is over.
    pub fn need(&self) -> Option<String> {
        self.need.clone()
    }

    /// Brings what was needed.
    pub fn resume(&mut self, given: &str, now_ms: f64) -> Result<(), JsValue> {
        let given: Value = read(given)?;
        let step = self.run.resume(Ok(given), now_ms as u64);
        self.took(step);
        Ok(())
    }

    /// Says that it could not be brought: `unavailable`, `empty`, or anything else.
    pub fn fail(&mut self, kind: String, message: String, now_ms: f64) {
        let step = self
            .run
            .resume(Err(Failure { kind, message }), now_ms as u64);
        self.took(step);
    }

    /// What was done, once the call is over.
    pub fn detail(&self) -> Option<String> {
        self.outcome
            .as_ref()
            .map(|outcome| json!(outcome.detail).to_string())
    }

    /// The answer, once the call is over. Once.
    pub fn answer(&mut self) -> Result<Answer, JsValue> {
        let Some(outcome) = self.outcome.take() else {
            return Err(thrown(Refusal::new(
                "parameter_invalid",
                "the call is not over",
            )));
        };
        let mut response = outcome.response.map_err(thrown)?;
        let Some(items) = response.take_messages() else {
            return Ok(Answer::without_messages(json!(response)));
        };
        let sizes = outcome.detail.sizes.messages.iter();
        let sources: Vec<usize> = sizes.map(|size| size.message).collect();
        Ok(Answer::new(
            json!(response),
            &items,
            &sources,
            &self.requested,
        ))
    }
}

/// A summariser's answer that came in frames: `{ text }`, or `{ kind, message }` of what failed.
#[wasm_bindgen(js_name = foldFrames)]
pub fn fold_frames(frames: Vec<String>) -> String {
    match fit::fold_frames(frames.iter().map(String::as_str)) {
        Ok(text) => json!({ "text": text }),
        Err(Failure { kind, message }) => json!({"kind": kind, "message": message}),
    }
    .to_string()
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, JsValue> {
    let value = json::read(text.as_bytes(), "parameter_invalid")
        .map_err(thrown)?
        .value;
    typed(&value).map_err(|misfit| thrown(misfit.refusal("parameter_invalid")))
}

fn thrown(refusal: Refusal) -> JsValue {
    JsValue::from_str(&json!(refusal).to_string())
}
