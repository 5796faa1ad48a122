//! The kernel's cases: `tests/suite/kernel/*.json` and `tests/suite/kernel-templates.json`.
//!
//! A case is `{name, shows, conversation, opened?, request?, expect?, then?}`. The conversation is laid over
//! `kernel-base.json`; a string is a whole file as it stands. `opened` names the places of the warnings that
//! opening it gives, none unless it says so: pointers, or byte offsets where there is no JSON yet. `then`
//! lists further steps on the same conversation: `{request, expect}` estimates, `{seal: request, as?,
//! expect?}` sends, `{settle: id, answer, expect?}` answers, `{append: turn, expect?}` appends.
//!
//! `expect` names whole members of what is answered, each compared exactly. Apart from that, `refusal` holds
//! members of the refusal (`null`: it has no such member), `warned` the places of the warnings, `absent` names
//! members that must not be there, and `turn` members of the turn that was written.

use galley_core::doors::{SealAs, check_template};
use galley_core::session::Session;
use galley_tests::{lay_over, suite, suite_files, unpack};
use serde_json::{Value, json};

#[test]
fn every_case_answers_exactly_what_it_expects() {
    let base = suite("kernel-base.json");
    let files = suite_files("kernel");
    assert!(!files.is_empty());
    let wrong: Vec<String> = files
        .iter()
        .flat_map(|(name, case)| {
            assert_eq!(case["name"], **name);
            play(&base, &unpack(case.clone()))
                .into_iter()
                .map(move |wrong| format!("{name} {wrong}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Plays one case; answers what came out otherwise.
fn play(base: &Value, case: &Value) -> Vec<String> {
    let file = match &case["conversation"] {
        Value::String(file) => file.clone(),
        over => lay_over(base.clone(), over.clone()).to_string(),
    };
    let mut session = match Session::open(file.as_bytes()) {
        Ok(session) => session,
        Err(refusal) => return vec![format!("is not opened: {refusal}")],
    };
    let opened = places(&json!(session.warnings()));
    let expected = case.get("opened").cloned().unwrap_or(json!([]));
    let mut wrong = Vec::new();
    if opened != expected {
        wrong.push(told("opened", &expected, &opened));
    }
    let first = case.get("expect").map(|_| case);
    let then = case["then"].as_array().into_iter().flatten();
    for (index, step) in first.into_iter().chain(then).enumerate() {
        let answer = take(&mut session, step);
        for line in compare(&step["expect"], &answer) {
            wrong.push(format!("step {index} {line}"));
        }
    }
    wrong
}

fn take(session: &mut Session, step: &Value) -> Value {
    let taken = if let Some(request) = step.get("seal") {
        let seal_as = step.get("as").map_or_else(SealAs::default, |seal_as| {
            serde_json::from_value(seal_as.clone()).unwrap()
        });
        session.seal(request, seal_as).map(|sealed| json!(sealed))
    } else if let Some(id) = step["settle"].as_str() {
        let turn = session.settle(id, &step["answer"]);
        turn.map(|turn| json!({ "turn": turn }))
    } else if let Some(turn) = step.get("append") {
        let turn = session.append(turn);
        turn.map(|turn| json!({ "turn": turn }))
    } else {
        let estimate = session.estimate(&step["request"]);
        estimate.map(|estimate| json!(estimate))
    };
    taken.unwrap_or_else(|refusal| json!({ "refusal": refusal }))
}

fn compare(expect: &Value, answer: &Value) -> Vec<String> {
    let Some(expect) = expect.as_object() else {
        return match answer.get("refusal") {
            Some(refusal) => vec![format!("is refused: {refusal}")],
            None => Vec::new(),
        };
    };
    if let (None, Some(refusal)) = (expect.get("refusal"), answer.get("refusal")) {
        return vec![format!("is refused: {refusal}")];
    }
    let mut wrong = Vec::new();
    for (member, expected) in expect {
        match member.as_str() {
            "refusal" | "turn" => {
                for (inner, expected) in expected.as_object().unwrap() {
                    let answered = &answer[member][inner];
                    if answered != expected || answer.get(member).is_none() {
                        wrong.push(told(&format!("{member}.{inner}"), expected, answered));
                    }
                }
            }
            "warned" => {
                let answered = places(&answer["warnings"]);
                if answered != *expected {
                    wrong.push(told("warned", expected, &answered));
                }
            }
            "absent" => {
                for name in expected.as_array().unwrap() {
                    if let Some(answered) = answer.get(name.as_str().unwrap()) {
                        wrong.push(told(&format!("without {name}"), &Value::Null, answered));
                    }
                }
            }
            _ => {
                if answer.get(member) != Some(expected) {
                    wrong.push(told(member, expected, &answer[member]));
                }
            }
        }
    }
    wrong
}

fn places(warnings: &Value) -> Value {
    warnings
        .as_array()
        .into_iter()
        .flatten()
        .map(|warning| match &warning["path"] {
            Value::Null => warning["offset"].clone(),
            path => path.clone(),
        })
        .collect()
}

fn told(what: &str, expected: &Value, answered: &Value) -> String {
    format!(
        "{what}\n  expected {}\n  answered {}",
        brief(expected),
        brief(answered)
    )
}

#[test]
fn every_template_is_taken_or_refused_at_its_place() {
    let mut wrong = Vec::new();
    for case in suite("kernel-templates.json").as_array().unwrap() {
        let refusal = check_template(&unpack(case["template"].clone()));
        let answer = refusal
            .as_ref()
            .map(|refusal| (Some(refusal.code.as_str()), refusal.path.as_deref()));
        let expected = (!case["expect"].is_null()).then(|| {
            (
                case["expect"]["code"].as_str(),
                case["expect"]["path"].as_str(),
            )
        });
        if answer != expected {
            wrong.push(format!(
                "{}: expected {expected:?}, answered {answer:?}",
                case["name"]
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn brief(value: &Value) -> String {
    let text = value.to_string();
    if text.len() < 3_000 {
        text
    } else {
        format!(
            "{}… ({} bytes)",
            text.chars().take(600).collect::<String>(),
            text.len()
        )
    }
}
