//! The kernel's cases: `tests/suite/kernel/*.json` and `tests/suite/kernel-templates.json`.

use galley_core::doors::check_template;
use galley_core::session::Session;
use galley_tests::{lay_over, suite, suite_files, unpack};
use serde_json::Value;

#[test]
fn every_case_answers_exactly_what_it_expects() {
    let base = suite("kernel-base.json");
    let files = suite_files("kernel");
    assert!(!files.is_empty());
    let mut wrong = Vec::new();
    for (name, case) in &files {
        let conversation = lay_over(base.clone(), unpack(case["conversation"].clone()));
        let mut session = Session::open(conversation.to_string().as_bytes()).unwrap();
        assert_eq!(session.warnings(), [], "{name}");
        let request = unpack(case["request"].clone());
        let expected = unpack(case["expect"].clone());
        let answer = match session.estimate(&request) {
            Ok(estimate) => serde_json::to_value(estimate).unwrap(),
            Err(refusal) => serde_json::to_value(refusal).unwrap(),
        };
        for (member, expected) in expected.as_object().unwrap() {
            if answer.get(member) != Some(expected) {
                wrong.push(format!(
                    "{name} {member}\n  expected {}\n  answered {}",
                    brief(expected),
                    brief(&answer[member])
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
