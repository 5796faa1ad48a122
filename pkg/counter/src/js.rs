//! What JavaScript sees.

use wasm_bindgen::prelude::*;

/// Counts tokens in one encoding. Text comes in as UTF-8 bytes, so that another module's memory can
/// be handed over as it is; bytes that are no UTF-8 count as U+FFFD.
#[wasm_bindgen]
pub struct Counter(crate::Counter);

#[wasm_bindgen]
impl Counter {
    /// A counter for an encoding. Throws an `Error` for an unknown name and for an encoding that is in
    /// another module.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str) -> Result<Counter, JsError> {
        Ok(Counter(crate::Counter::new(name)?))
    }

    /// The encoding's name.
    #[wasm_bindgen(getter)]
    pub fn name(&self) -> String {
        self.0.name().to_owned()
    }

    /// Tokens of a text.
    pub fn count(&self, utf8: &[u8]) -> u32 {
        self.0.count(&String::from_utf8_lossy(utf8)) as u32
    }

    /// The byte offset at which each token of a text ends.
    pub fn ends(&self, utf8: &[u8]) -> Vec<usize> {
        self.0.ends(&String::from_utf8_lossy(utf8))
    }
}
