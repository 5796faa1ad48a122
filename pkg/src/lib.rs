//! The engine's boundary to JavaScript: the npm package `galley` is this crate and the small face in
//! `js/`. It adds no behaviour; the types it declares are the engine's own.

mod cross;
pub mod host;
mod session;

pub use session::{Session, open_conversation};

use wasm_bindgen::prelude::*;

use host::thrown;

#[wasm_bindgen(typescript_custom_section)]
const FACE: &str = include_str!("face.d.ts");

/// Checks an assembly template by itself. Throws a `Refusal` at the JSON pointer of its first fault.
#[wasm_bindgen(js_name = checkTemplate)]
pub fn check_template(
    #[wasm_bindgen(unchecked_param_type = "Value")] template: JsValue,
) -> Result<(), JsValue> {
    let template = cross::value(&template).map_err(thrown)?;
    match galley_core::doors::check_template(&template) {
        Some(refusal) => Err(thrown(refusal)),
        None => Ok(()),
    }
}

/// The built-in model rows, dated, each with the source of its figures. Rows of a file or a request win
/// over them.
#[wasm_bindgen(unchecked_return_type = "ModelRow[]")]
pub fn catalogue() -> JsValue {
    cross::out(&galley_core::tokens::catalogue::rows())
}
