//! A conversation grown turn by turn keeps the prefix: what was sent stays at the head of what is sent next.

use galley_core::session::Session;
use galley_tests::{lay_over, suite};
use proptest::prelude::*;
use serde_json::{Value, json};

/// One turn: what is asked, the texts around it, and what comes back.
#[derive(Clone, Debug)]
struct Step {
    prompt: String,
    lead: Option<String>,
    tail: Option<String>,
    answer: Value,
    answered: bool,
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-z]{1,7}( [a-z]{1,7}){0,5}", 1 => "\\PC{1,12}".prop_filter("not blank", |t| !t.trim().is_empty())]
}

fn answer() -> impl Strategy<Value = (Value, bool)> {
    let round = (
        words(),
        prop::collection::vec((words(), prop::option::of(words())), 0..3),
        prop::option::weighted(0.3, words()),
    );
    let run = prop::collection::vec(round, 1..4).prop_map(|rounds| {
        let rounds: Vec<Value> = rounds
            .into_iter()
            .enumerate()
            .map(|(index, (output, calls, steer))| {
                let mut results = serde_json::Map::new();
                let calls: Vec<Value> = calls
                    .into_iter()
                    .enumerate()
                    .map(|(n, (arguments, result))| {
                        if let Some(output) = result {
                            results.insert(format!("c{n}"), json!({"status": "completed", "output": output}));
                        }
                        json!({"id": format!("c{n}"), "name": "tool", "arguments": arguments})
                    })
                    .collect();
                // Words that land before the first round would follow the seed unanswered; they land later.
                let steers: Vec<String> = steer.into_iter().filter(|_| index > 0).collect();
                json!({"key": format!("r{index}"), "output": output, "calls": calls, "results": results, "steers": steers})
            })
            .collect();
        (json!({"run": {"rounds": rounds}}), true)
    });
    let spoken = words().prop_map(|content| (json!({"content": content}), true));
    let failed = Just((json!({"status": "failed"}), false));
    prop_oneof![3 => spoken.boxed(), 3 => run.boxed(), 1 => failed.boxed()]
}

fn step() -> impl Strategy<Value = Step> {
    let lead = prop::option::of(prop::sample::select(vec![
        "paths are relative".to_owned(),
        "be brief".to_owned(),
    ]));
    (
        words(),
        lead,
        prop::option::weighted(0.3, words()),
        answer(),
    )
        .prop_map(|(prompt, lead, tail, (answer, answered))| Step {
            prompt,
            lead,
            tail,
            answer,
            answered,
        })
}

fn request(step: &Step, template: Option<&Value>, caller: &str, merge: &str) -> Value {
    let mut inline = Vec::new();
    inline.extend(
        step.lead
            .iter()
            .map(|text| json!({"role": "developer", "text": text, "position": "lead"})),
    );
    inline.extend(
        step.tail
            .iter()
            .map(|text| json!({"role": "user", "text": text, "position": "tail"})),
    );
    let mut request = json!({"prompt": step.prompt, "model": {"model": "m", "input_tokens": 10_000_000}, "caller": caller,
        "merge": merge, "render": true});
    if !inline.is_empty() {
        request["inline"] = json!(inline);
    }
    if let Some(template) = template {
        request["template"] = template.clone();
    }
    request
}

/// Entries as a flat list of role and part, calls and results as themselves.
fn unfolded(entries: &[Value]) -> Vec<Value> {
    entries
        .iter()
        .flat_map(|entry| match entry["parts"].as_array() {
            Some(parts) => parts
                .iter()
                .map(|part| json!([entry["role"], part]))
                .collect(),
            None => vec![entry.clone()],
        })
        .collect()
}

fn entries(session: &mut Session, request: &Value) -> Vec<Value> {
    let estimate = session
        .estimate(request)
        .expect("a grown conversation can be estimated");
    let answer = serde_json::to_value(estimate).expect("an estimate is JSON");
    answer["entries"].as_array().cloned().unwrap_or_default()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn request_n_is_the_head_of_request_n_plus_one(
        steps in prop::collection::vec(step(), 3..5),
        template in prop::option::of(Just(json!({"blocks": [
            {"type": "slot", "slot": "system_prompt"}, {"type": "memory"}, {"type": "history"},
            {"type": "lead"}, {"type": "inline", "role": "developer", "text": "as {{agent}}"}, {"type": "tail"}, {"type": "input"}]}))),
        caller in prop::sample::select(vec!["u_member", "u_owner", "u_peer"]),
    ) {
        let file = lay_over(suite("kernel-base.json"), json!({
            "documents": {"system_prompt": {"content": "You are {{agent}}."}},
            "memory": [{"path": "workspace/notes.md", "content": "gate code"}]}));
        let mut session = Session::open(file.to_string().as_bytes()).expect("the base opens");
        let mut before: Option<(Vec<Value>, Vec<Value>, bool)> = None;
        for step in &steps {
            let folded = entries(&mut session, &request(step, template.as_ref(), caller, "fold"));
            let parts = entries(&mut session, &request(step, template.as_ref(), caller, "parts"));
            if let Some((old, old_parts, answered)) = &before {
                if *answered {
                    prop_assert!(folded.starts_with(old), "{}\n{}", json!(old), json!(folded));
                }
                prop_assert!(unfolded(&parts).starts_with(&unfolded(old_parts)), "{}\n{}", json!(old_parts), json!(parts));
            }
            let sealed = session.seal(&request(step, template.as_ref(), caller, "fold"), Default::default()).expect("it fits");
            prop_assert_eq!(&json!(sealed.request.entries), &json!(folded));
            session.settle(&sealed.turn.id, &step.answer).expect("it is running");
            before = Some((folded, parts, step.answered));
        }
        // What was grown is a file like any other.
        let again = Session::open(session.to_json().as_bytes()).expect("what was written opens");
        prop_assert_eq!(again.warnings(), []);
        prop_assert_eq!(again.to_json(), session.to_json());
    }
}
