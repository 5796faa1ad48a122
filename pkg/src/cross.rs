//! How values cross: in as JSON text, out as JavaScript values.
//!
//! `JSON.stringify` writes a lone surrogate as an escape, so nothing of a request is lost on the way
//! in; the engine's reader says what it made of it.

use galley_core::json;
use galley_core::refusal::Refusal;
use js_sys::{ArrayBuffer, JSON, JsString, Uint8Array};
use serde::Serialize;
use serde_json::Value;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::{JsCast, JsValue};

/// A value of the engine as JavaScript has it after `JSON.parse`: plain objects, arrays and numbers.
pub fn out<T: Serialize + ?Sized>(value: &T) -> JsValue {
    let direct = value.serialize(&Serializer::json_compatible());
    // An integer that no number of JavaScript holds fails there; `JSON.parse` rounds it, as it does in any file.
    let parsed = || JSON::parse(&serde_json::to_string(value).ok()?).ok();
    direct.ok().or_else(parsed).unwrap_or(JsValue::NULL)
}

/// A JavaScript value as the engine reads it. Refuses what has no JSON: `undefined`, a function, a cycle.
pub fn value(value: &JsValue) -> Result<Value, Refusal> {
    let text = JSON::stringify(value)
        .ok()
        .and_then(|text| text.as_string())
        .ok_or_else(|| {
            Refusal::new(
                "parameter_invalid",
                "this value has no JSON form: give a plain object without cycles",
            )
        })?;
    Ok(json::read(text.as_bytes(), "parameter_invalid")?.value)
}

/// A file's bytes, from a string, a `Uint8Array` or an `ArrayBuffer`.
pub fn bytes(source: &JsValue) -> Result<Vec<u8>, Refusal> {
    if let Some(text) = source.dyn_ref::<JsString>() {
        return Ok(utf8(text).into_bytes());
    }
    if source.is_instance_of::<Uint8Array>() || source.is_instance_of::<ArrayBuffer>() {
        return Ok(Uint8Array::new(source).to_vec());
    }
    Err(Refusal::new(
        "parameter_invalid",
        "a file is given as a string, a Uint8Array or an ArrayBuffer; read a Blob with arrayBuffer()",
    ))
}

/// A string as UTF-8. A lone surrogate has no UTF-8; it becomes the JSON escape that means the same.
fn utf8(text: &JsString) -> String {
    if text.is_valid_utf16() {
        return String::from(text);
    }
    char::decode_utf16(text.iter())
        .map(|unit| match unit {
            Ok(character) => character.to_string(),
            Err(lone) => format!("\\u{:04x}", lone.unpaired_surrogate()),
        })
        .collect()
}
