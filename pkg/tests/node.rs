//! The boundary as JavaScript sees it, in Node.
#![cfg(target_arch = "wasm32")]

use galley_pkg::check_template;
use js_sys::{JSON, Reflect};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

fn js(json: &str) -> JsValue {
    JSON::parse(json).unwrap()
}

fn member(value: &JsValue, key: &str) -> Option<String> {
    Reflect::get(value, &key.into()).unwrap().as_string()
}

#[wasm_bindgen_test]
fn a_template_that_stands_answers_nothing() {
    assert!(check_template(js(r#"{"blocks":[{"type":"history"},{"type":"input"}]}"#)).is_ok());
}

#[wasm_bindgen_test]
fn a_refusal_crosses_with_its_code_and_place() {
    let thrown = check_template(js(r#"{"blocks":[{"type":"lorebook"}]}"#)).unwrap_err();
    assert_eq!(
        member(&thrown, "code").as_deref(),
        Some("prompt_template_invalid")
    );
    assert_eq!(member(&thrown, "path").as_deref(), Some("/blocks/0/type"));
    assert_eq!(Reflect::get(&thrown, &"status".into()).unwrap(), 422);
}

#[wasm_bindgen_test]
fn a_value_without_json_is_refused() {
    let thrown = check_template(JsValue::UNDEFINED).unwrap_err();
    assert_eq!(
        member(&thrown, "code").as_deref(),
        Some("parameter_invalid")
    );
}
