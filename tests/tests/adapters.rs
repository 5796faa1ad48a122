//! Request bodies that are brought into what was fitted: `tests/suite/adapters/*.json`.
//!
//! A case is `{name, shows, shape, body}` and what is done to it: `fitted: {from?, changed?, system_prompt?}`, the
//! first message that is left and the content that messages have now; or `trim`, a request to the engine but for what
//! it takes from the body. `summary` is one that is handed on by itself. `request` says what is fitted, `becomes` the
//! body that comes out, the same when it is not named; `warnings` codes with their places, none unless named;
//! `first` the first item that is left; `added` that a message was put in. With `same` the body is written from its transcript as it was.

use std::sync::LazyLock;

use galley_core::fit::{self, Manager};
use galley_core::transcript::Imported;
use galley_core::wire::Shape;
use galley_core::wire::adapt::{Adapted, Body, Fitted, Request};
use galley_tests::{patched, suite_files};
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn every_case_becomes_exactly_what_it_says() {
    let files = suite_files("adapters");
    assert!(!files.is_empty());
    let wrong: Vec<String> = files
        .iter()
        .flat_map(|(name, case)| {
            assert_eq!(case["name"], **name);
            play(case)
                .into_iter()
                .map(move |wrong| format!("{name}: {wrong}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_was_brought_in_stays_as_it_is() {
    for (name, case) in suite_files("adapters") {
        let shape = shape(&case);
        let body = case.get("becomes").unwrap_or(&case["body"]);
        let mut again = Body::read(shape, body.clone()).unwrap();
        again.mend();
        again.fit(&Fitted::default());
        assert_eq!(again.finish().patch, None, "{name}");
    }
}

#[test]
fn a_body_without_its_messages_is_refused_at_their_place() {
    for (shape, body, place) in [
        (Shape::Chat, json!({}), "/messages"),
        (Shape::Responses, json!({"input": 1}), "/input"),
        (Shape::Anthropic, json!({"messages": "hi"}), "/messages"),
        (Shape::Gemini, json!([]), "/contents"),
        (Shape::AiSdk, json!("hi"), "/messages"),
        (Shape::LangChain, json!(null), "/messages"),
    ] {
        let refusal = Body::read(shape, body).unwrap_err();
        assert_eq!(refusal.code, "parameter_invalid");
        assert_eq!(refusal.path.as_deref(), Some(place));
    }
}

/// A place in a value, by numbers that choose among the members at each step.
fn place<'a>(value: &'a mut Value, steps: &[prop::sample::Index]) -> &'a mut Value {
    let Some((step, rest)) = steps.split_first() else {
        return value;
    };
    let held = match value {
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        _ => 0,
    };
    if held == 0 {
        return value;
    }
    let index = step.index(held);
    let next = match value {
        Value::Array(items) => items.get_mut(index),
        Value::Object(members) => members.values_mut().nth(index),
        _ => None,
    };
    place(next.unwrap(), rest)
}

static BODIES: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let files = suite_files("adapters").into_iter();
    files.map(|(_, case)| case["body"].clone()).collect()
});

fn odd() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        Just(json!("")),
        Just(json!([])),
        Just(json!({})),
        Just(json!(7)),
        Just(json!("words")),
        Just(json!([null, "a", {"type": "text", "text": " "}])),
        Just(json!({"role": "assistant", "content": null})),
        Just(
            json!({"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "hologram"}]})
        ),
        Just(json!({"parts": [{"functionCall": {}}]})),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_a_body_holds_it_is_refused_or_brought_in(
        case in any::<prop::sample::Index>(),
        changes in prop::collection::vec((prop::collection::vec(any::<prop::sample::Index>(), 1..6), odd()), 0..4),
        from in any::<prop::sample::Index>(),
        other in any::<prop::sample::Index>(),
    ) {
        let mut body = BODIES[case.index(BODIES.len())].clone();
        for (steps, odd) in changes {
            *place(&mut body, &steps) = odd;
        }
        for shape in Shape::ALL {
            let Ok(mut read) = Body::read(shape, body.clone()) else { continue };
            read.mend();
            let messages = read.request().messages;
            read.fit(&Fitted::default());
            Body::read(shape, brought(&body, read)).unwrap();
            if messages.is_empty() {
                continue;
            }
            // Whatever is cut where, it can be done.
            let other = other.index(messages.len());
            let mut message = json!(messages[other]);
            message["content"] = json!([{"type": "text", "text": "other"}]);
            let mut read = Body::read(shape, body.clone()).unwrap();
            read.mend();
            read.fit(&Fitted {
                kept: Some((from.index(messages.len())..messages.len()).collect()),
                changed: [(other, serde_json::from_value(message).unwrap())].into(),
                system_prompt: Some("# Conversation summary\n\nS".to_owned()),
            });
            Body::read(shape, brought(&body, read)).unwrap();
        }
    }
}

/// The body that comes out.
fn brought(body: &Value, read: Body) -> Value {
    let patch = read.finish().patch;
    patch.map_or_else(|| body.clone(), |patch| patched(body, &patch))
}

/// Plays one case; answers what came out otherwise.
fn play(case: &Value) -> Vec<String> {
    let (shape, was) = (shape(case), &case["body"]);
    let mut wrong = Vec::new();
    let mut compare = |what: &str, found: Value, expected: &Value| {
        if found != *expected {
            wrong.push(format!("{what}\n  is      {found}\n  and not {expected}"));
        }
    };
    let mut body = Body::read(shape, was.clone()).unwrap();
    body.mend();
    if let Some(summary) = case["summary"].as_str() {
        body.without_summary(summary);
    }
    let request = body.request();
    if let Some(expected) = case.get("request") {
        let messages = json!(request.messages);
        let roles = messages
            .as_array()
            .unwrap()
            .iter()
            .map(|message| message["role"].clone());
        let found = json!({"system_prompt": request.system_prompt, "roles": roles.collect::<Vec<_>>(), "standing": request.standing.len()});
        compare("the request", found, expected);
    }
    body.fit(&fitted(case, &request));
    let Adapted {
        patch,
        first,
        added,
        warnings,
    } = body.finish();
    let now = patch.map_or_else(|| was.clone(), |patch| patched(was, &patch));
    compare("the body", now, case.get("becomes").unwrap_or(was));
    if let Some(expected) = case.get("first") {
        compare("the first item that is left", json!(first), expected);
    }
    compare(
        "a message put in",
        json!(added.is_some()),
        &json!(case.get("added").is_some()),
    );
    let told = warnings.into_iter().map(|warning| match warning.path {
        Some(path) => format!("{} {path}", warning.code),
        None => warning.code,
    });
    // What has no readable bytes is told by whatever reads it.
    let told: Vec<String> = told
        .filter(|told| !told.starts_with("attachment_not_read"))
        .collect();
    compare(
        "warnings",
        json!(told),
        case.get("warnings").unwrap_or(&json!([])),
    );
    if case.get("same").is_some() {
        let transcript = Body::read(shape, was.clone()).unwrap().transcript();
        let request = Some(was.clone());
        let (written, _) = shape.write(&Imported {
            request,
            ..transcript
        });
        compare("the body written anew", written, was);
    }
    wrong
}

fn shape(case: &Value) -> Shape {
    Shape::parse(case["shape"].as_str().unwrap()).unwrap()
}

/// What became of the request of a case.
fn fitted(case: &Value, request: &Request) -> Fitted {
    if let Some(trim) = case.get("trim") {
        let mut asked = json!({"max_tokens": 1_000_000, "messages": request.messages});
        asked
            .as_object_mut()
            .unwrap()
            .extend(trim.as_object().unwrap().clone());
        let trimmed =
            fit::trim(&Manager::default(), serde_json::from_value(asked).unwrap()).unwrap();
        let messages: Vec<Value> = trimmed.messages.iter().map(|item| json!(item)).collect();
        let pairs = trimmed.sources.iter().zip(messages);
        let changed =
            pairs.filter(|(source, message)| json!(request.messages[**source]) != *message);
        return Fitted {
            kept: Some(trimmed.sources.iter().copied().collect()),
            changed: changed
                .map(|(source, message)| (*source, serde_json::from_value(message).unwrap()))
                .collect(),
            system_prompt: None,
        };
    }
    let fitted = &case["fitted"];
    let changed = fitted["changed"].as_object().cloned().unwrap_or_default();
    let from = fitted["from"].as_u64().map(|from| from as usize);
    Fitted {
        kept: from.map(|from| (from..request.messages.len()).collect()),
        changed: changed
            .into_iter()
            .map(|(index, content)| {
                let index: usize = index.parse().unwrap();
                let mut message = json!(request.messages[index]);
                message["content"] = content;
                (index, serde_json::from_value(message).unwrap())
            })
            .collect(),
        system_prompt: fitted["system_prompt"].as_str().map(str::to_owned),
    }
}
