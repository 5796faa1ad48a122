//! A text in the place of something else, as each shape spells it there.

use serde_json::{Value, json};

use super::super::{Shape, responses, word};
use super::work::Work;

/// A text in the place of what stood there.
pub(super) fn text(shape: Shape, was: &Value, text: &str, answers: bool) -> Value {
    let kind = word(was, "type").unwrap_or_default();
    match shape {
        _ if was.is_string() => json!(text),
        Shape::Gemini => json!({ "text": text }),
        Shape::Responses if responses::is_item(kind) => {
            json!({"role": "assistant", "content": text})
        }
        Shape::Responses if answers => {
            json!({"type": "output_text", "text": text, "annotations": []})
        }
        Shape::Responses => json!({"type": "input_text", "text": text}),
        _ => json!({"type": "text", "text": text}),
    }
}

/// Words of the person.
pub(super) fn person(shape: Shape, text: &str) -> Value {
    match shape {
        Shape::Gemini => json!({"role": "user", "parts": [{ "text": text }]}),
        _ => json!({"role": "user", "content": text}),
    }
}

/// A text as all that a call came back with. Where the result of that function takes no text, the call goes and the
/// text stands by itself; then it is no result any more, and this answers `true`.
pub(super) fn result(
    shape: Shape,
    work: &mut Work,
    place: &str,
    call: Option<&str>,
    text: &str,
) -> bool {
    let was = work.get(place);
    let kind = word(was, "type").unwrap_or_default().to_owned();
    match shape {
        Shape::Chat | Shape::LangChain if kind != "server_tool_result" => {
            work.member(place, "content", json!(text));
        }
        Shape::Anthropic if matches!(&*kind, "tool_result" | "mcp_tool_result") => {
            work.member(place, "content", json!(text));
        }
        Shape::Responses if TAKES_TEXT.contains(&&*kind) => {
            work.member(place, "output", json!(text));
        }
        Shape::Gemini => {
            let key = ["functionResponse", "function_response"];
            let Some(key) = key.into_iter().find(|key| was.get(key).is_some()) else {
                return stand_alone(work, place, call, json!({ "text": text }));
            };
            let inner = format!("{place}/{key}");
            work.member(&inner, "response", json!({ "output": text }));
            work.drop(&format!("{inner}/parts"));
        }
        Shape::AiSdk => {
            let failed = was.pointer("/output/type").and_then(Value::as_str);
            let failed = failed.is_some_and(|kind| kind.starts_with("error"));
            let kind = if failed { "error-text" } else { "text" };
            work.member(place, "output", json!({"type": kind, "value": text}));
        }
        Shape::Responses => {
            let served = call.is_none_or(|call| call == place);
            let role = if served { "assistant" } else { "user" };
            return stand_alone(work, place, call, json!({"role": role, "content": text}));
        }
        _ => return stand_alone(work, place, call, json!({"type": "text", "text": text})),
    }
    false
}

/// The results of the Responses shape whose `output` may be a text.
const TAKES_TEXT: [&str; 4] = [
    "function_call_output",
    "custom_tool_call_output",
    "local_shell_call_output",
    "apply_patch_call_output",
];

fn stand_alone(work: &mut Work, place: &str, call: Option<&str>, said: Value) -> bool {
    if let Some(call) = call.filter(|call| *call != place) {
        work.drop(call);
    }
    work.set(place, said);
    true
}
