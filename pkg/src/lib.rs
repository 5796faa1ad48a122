//! The engine's boundary to JavaScript: the npm package `galley` is this crate and the small face in
//! `js/`. It adds no behaviour; the types it declares are the engine's own.

mod cross;
mod host;

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
    match galley_core::template::check(&template) {
        Some(refusal) => Err(thrown(refusal)),
        None => Ok(()),
    }
}
