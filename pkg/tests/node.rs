//! The boundary as JavaScript sees it, in Node.
#![cfg(target_arch = "wasm32")]

use galley_pkg::host::{install_encoding, install_refusal};
use galley_pkg::{check_template, open_conversation};
use js_sys::{Function, JSON, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
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

const FILE: &str = r#"{"galley":"conversation/1","turns":[{"text":"first"}]}"#;

fn estimate(request: &str) -> Result<JsValue, JsValue> {
    open_conversation(FILE.into())?.estimate(js(request))
}

/// An object whose one method is this JavaScript.
fn object<T: JsCast>(method: &str, body: &str) -> T {
    let object = js_sys::Object::new();
    let function = Function::new_with_args("given", body);
    Reflect::set(&object, &method.into(), &function).unwrap();
    object.unchecked_into()
}

#[wasm_bindgen_test]
fn a_file_is_a_string_or_bytes_and_nothing_else() {
    assert!(open_conversation(FILE.into()).is_ok());
    assert!(open_conversation(Uint8Array::from(FILE.as_bytes()).into()).is_ok());
    let thrown = open_conversation(js(FILE)).err().unwrap();
    assert_eq!(
        member(&thrown, "code").as_deref(),
        Some("parameter_invalid")
    );
}

#[wasm_bindgen_test]
fn an_answer_crosses_as_plain_objects() {
    let answer = estimate(r#"{"prompt":"x","model":{"input_tokens":8192},"render":true}"#).unwrap();
    let text = String::from(JSON::stringify(&answer).unwrap());
    assert!(
        text.contains(
            r#""entries":[{"role":"user","parts":[{"type":"text","text":"first\n\nx"}]}]"#
        ),
        "{text}"
    );
    assert!(text.contains(r#""slots":{}"#), "{text}");
}

#[wasm_bindgen_test]
fn a_lone_surrogate_of_a_string_is_mended_with_a_warning() {
    let half: JsValue = Function::new_no_args(r#"return '[{"role":"user","content":"a\ud83d"}]'"#)
        .call0(&JsValue::NULL)
        .unwrap();
    let session = open_conversation(half).unwrap();
    assert!(String::from(JSON::stringify(&session.warnings()).unwrap()).contains("surrogate"));
}

#[wasm_bindgen_test]
fn a_counter_is_handed_the_bytes_of_a_text() {
    let request =
        r#"{"prompt":"\u00e9\u00e9","model":{"input_tokens":100000,"counter":"r50k_base"}}"#;
    let thrown = estimate(request).unwrap_err();
    assert_eq!(
        member(&thrown, "code").as_deref(),
        Some("token_counter_unavailable")
    );
    assert!(
        member(&thrown, "message")
            .unwrap()
            .ends_with(r#"await loadEncoding("r50k_base")"#)
    );

    install_encoding(
        "r50k_base".to_owned(),
        object("count", "return given.length * 1000"),
    );
    let answer = estimate(request).unwrap();
    // One folded text: `first`, a blank line and two letters of two bytes.
    assert_eq!(
        Reflect::get(&answer, &"input_tokens".into()).unwrap(),
        11_000
    );
}

#[wasm_bindgen_test]
fn a_refusal_is_thrown_as_the_host_makes_it() {
    install_refusal(object(
        "refuse",
        "return Object.assign(new Error(given.message), given)",
    ));
    let thrown = check_template(js("[]")).unwrap_err();
    assert!(thrown.is_instance_of::<js_sys::Error>());
    assert_eq!(member(&thrown, "path").as_deref(), Some("/"));
}
