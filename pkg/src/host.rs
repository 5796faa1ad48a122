//! What the JavaScript face hands in: how a refusal is thrown, and the counters it has loaded.
//!
//! The face installs both once; the engine itself holds no vocabulary. A text that is to be counted
//! crosses as a view of its UTF-8 bytes, which the counter's own memory copies: it never becomes a
//! JavaScript string.

use std::cell::RefCell;
use std::rc::Rc;

use galley_core::refusal::Refusal;
use galley_core::tokens::{Encoding, known_encoding};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The face's maker of errors.
    #[derive(Clone)]
    pub type Refuse;

    #[wasm_bindgen(method)]
    fn refuse(this: &Refuse, fields: JsValue) -> JsValue;

    /// A loaded vocabulary with its counter.
    pub type Loaded;

    #[wasm_bindgen(method)]
    fn count(this: &Loaded, utf8: &[u8]) -> f64;
}

thread_local! {
    static REFUSE: RefCell<Option<Refuse>> = const { RefCell::new(None) };
    /// In the order they came; a session that has the first of them takes the rest.
    static ENCODINGS: RefCell<Vec<Rc<dyn Encoding>>> = const { RefCell::new(Vec::new()) };
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

/// Says how a refusal is made: an object with `refuse(fields) → Error`.
#[wasm_bindgen(js_name = installRefusal, skip_typescript)]
pub fn install_refusal(refuse: Refuse) {
    REFUSE.set(Some(refuse));
}

/// Registers a loaded encoding: an object with `count(utf8) → number`.
#[wasm_bindgen(js_name = installEncoding, skip_typescript)]
pub fn install_encoding(name: String, loaded: Loaded) {
    ENCODINGS.with_borrow_mut(|all| all.push(Rc::new(HostEncoding { name, loaded })));
}

/// The encodings loaded after the first `have`.
pub fn encodings_from(have: usize) -> Vec<Rc<dyn Encoding>> {
    ENCODINGS.with_borrow(|all| all.iter().skip(have).cloned().collect())
}

/// What JavaScript sees thrown. Where the face has the remedy, the message ends in the call to make.
pub fn thrown(mut refusal: Refusal) -> JsValue {
    if refusal.code == "token_counter_unavailable"
        && let Some(name) = refusal
            .detail
            .as_deref()
            .filter(|name| known_encoding(name))
    {
        refusal.message = format!("{}: await loadEncoding(\"{name}\")", refusal.message);
    }
    let fields = crate::cross::out(&refusal);
    REFUSE.with_borrow(|refuse| match refuse {
        Some(refuse) => refuse.refuse(fields),
        None => fields,
    })
}
