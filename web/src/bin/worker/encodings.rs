//! Counters, each with its vocabulary: fetched from the page's own origin when a model first asks for
//! one. Until it is here a stand-in counts bytes divided by four, and every count says so.

use std::cell::RefCell;
use std::rc::Rc;

use galley_core::tokens::Encoding;
use galley_web::protocol::{Answer, Encoding as News, Loading};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::desk::Desk;
use super::say;

#[wasm_bindgen(module = "/src/bin/worker/modules.js")]
extern "C" {
    type Counter;

    #[wasm_bindgen(catch)]
    async fn load_counter(
        name: &str,
        progress: &Closure<dyn FnMut(f64, f64)>,
    ) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method)]
    fn count(this: &Counter, utf8: &[u8]) -> u32;
}

/// An exact tokenizer, in a module of its own.
struct Loaded {
    name: String,
    counter: Counter,
}

impl Encoding for Loaded {
    fn name(&self) -> &str {
        &self.name
    }

    fn count(&self, text: &str) -> u64 {
        u64::from(self.counter.count(text.as_bytes()))
    }
}

/// What counts under a name until its vocabulary is here.
pub struct StandIn(pub String);

impl Encoding for StandIn {
    fn name(&self) -> &str {
        &self.0
    }

    fn count(&self, text: &str) -> u64 {
        (text.len() as u64).div_ceil(4)
    }
}

/// Loads an encoding, tells the page how far it is, and hands it to the desk.
pub fn load(desk: Rc<RefCell<Desk>>, name: String) {
    spawn_local(async move {
        let tell = |name: &str, state: Loading| {
            say(
                0,
                0.0,
                Answer::Encoding(News {
                    name: name.to_owned(),
                    state,
                }),
            )
        };
        tell(&name, Loading::Coming { bytes: 0, of: 0 });
        let coming = name.clone();
        let progress = Closure::new(move |bytes: f64, of: f64| {
            tell(
                &coming,
                Loading::Coming {
                    bytes: bytes as u64,
                    of: of as u64,
                },
            );
        });
        let state = match load_counter(&name, &progress).await {
            Ok(counter) => {
                let counter = counter.unchecked_into();
                desk.borrow_mut().load_encoding(Rc::new(Loaded {
                    name: name.clone(),
                    counter,
                }));
                Loading::Here
            }
            Err(error) => {
                desk.borrow_mut().encoding_failed(&name);
                let said = error
                    .dyn_ref::<js_sys::Error>()
                    .map(|error| String::from(error.message()));
                Loading::Failed(said.or_else(|| error.as_string()).unwrap_or_default())
            }
        };
        tell(&name, state);
    });
}
