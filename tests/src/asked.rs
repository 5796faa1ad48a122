//! Histories in few words, and what the context manager makes of them.

use galley_core::fit::{Detail, Outcome, TrimResponse, trim};
use galley_core::refusal::Refusal;
use galley_core::transcript::AgentMessage;
use serde_json::{Value, json};

use crate::fit::Case;

/// A block of words.
pub fn block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// A block of reasoning.
pub fn thought(text: &str) -> Value {
    json!({"type": "thinking", "text": text})
}

/// A call.
pub fn call(id: &str, function_id: &str, arguments: &str) -> Value {
    json!({"type": "function_call", "id": id, "function_id": function_id, "arguments": arguments})
}

/// What a person says.
pub fn user(text: &str) -> Value {
    json!({"role": "user", "content": [block(text)], "timestamp": 1})
}

/// An answer of these blocks.
pub fn answer(content: Value) -> Value {
    json!({"role": "assistant", "content": content, "stop_reason": "end", "model": "m", "provider": "p", "timestamp": 1})
}

/// An answer of words.
pub fn said(text: &str) -> Value {
    answer(json!([block(text)]))
}

/// An answer of calls: id, function, arguments.
pub fn calls(calls: &[(&str, &str, &str)]) -> Value {
    let made = calls
        .iter()
        .map(|(id, function_id, arguments)| call(id, function_id, arguments));
    answer(made.collect())
}

/// A result of words.
pub fn result(id: &str, function_id: &str, text: &str) -> Value {
    json!({"role": "function_result", "function_call_id": id, "function_id": function_id, "content": [block(text)],
        "timestamp": 1})
}

/// A result as it is written: every member there.
pub fn whole(result: &Value) -> Value {
    let message: AgentMessage = serde_json::from_value(result.clone()).unwrap();
    json!(message)
}

/// A model of this window and no answer, a tenth of it kept free.
pub fn window(context_window: u64) -> Value {
    json!({"id": "m", "limits": {"context_window": context_window, "max_output_tokens": 0}})
}

/// A call with nothing set and nothing known outside.
pub fn case(call: &str, request: Value) -> Case {
    Case {
        call: call.to_owned(),
        request,
        ..Case::default()
    }
}

fn with(messages: &[Value], mut request: Value) -> Value {
    request["messages"] = json!(messages);
    request
}

/// What a call answers about these messages.
pub fn answered(call: &str, messages: &[Value], request: Value) -> Value {
    let (outcome, _) = case(call, with(messages, request)).play_new();
    json!(outcome.response.unwrap())
}

/// What is assembled, and what was done.
pub fn assemble(messages: &[Value], request: Value) -> (Result<Value, Refusal>, Detail) {
    let (Outcome { response, detail }, _) = case("assemble", with(messages, request)).play_new();
    (response.map(|response| json!(response)), detail)
}

/// What a compaction for a large model answers.
pub fn compact(messages: &[Value], options: Value) -> Value {
    answered(
        "compact",
        messages,
        json!({"model": window(200_000), "options": options}),
    )
}

/// What is left with all but the newest turn open to pruning.
pub fn prune(messages: &[Value], mut options: Value) -> Value {
    for (name, value) in [
        ("protect_recent_tokens", 0),
        ("min_free_tokens", 1),
        ("protected_user_turns", 1),
        ("max_output_chars", 100),
    ] {
        options[name] = json!(value);
    }
    answered("prune", messages, json!({ "options": options }))
}

/// Tokens by the heuristic.
pub fn count(messages: &[Value]) -> u64 {
    answered("count_tokens", messages, json!({"model": {"id": "any"}}))["tokens"]
        .as_u64()
        .unwrap()
}

/// What is left under a bound.
pub fn trim_to(messages: &[Value], max_tokens: u64, mut request: Value) -> TrimResponse {
    request["max_tokens"] = json!(max_tokens);
    let request = with(messages, request);
    let manager = Case::default().manager();
    trim(&manager, serde_json::from_value(request).unwrap()).unwrap()
}
