//! The context manager's cases: `tests/suite/context-manager/*.json`.
//!
//! A case is `{name, shows, function, request, env, expect, then?}`. `function` is one of the four calls, or a pass
//! by itself: `select`, `normalize_images`, `cap`, `emergency`. `env` is the outside: `config`, `router {models |
//! down}`, `now_ms`, `leases`, `summarizer` (answers in order, a text or `{error}`), `lease_store_fails`, `wording`.
//! `expect` holds what is asserted: `response` (whole), `error`, `summarizer_calls`, `router_calls`, `leases_after`.
//! `then` lists further steps in the same environment.

use std::rc::Rc;

use galley_core::fit::{
    Asked, Change, Extras, Failure, Given, Heuristic, Item, Manager, Need, Outcome, Protected,
    Scale, Step, cap, normalize, reduce, select,
};
use galley_core::wording::Wording;
use galley_tests::{suite_files, unpack};
use serde_json::{Map, Value, json};

#[test]
fn every_case_answers_exactly_what_it_expects() {
    let files = suite_files("context-manager");
    assert!(files.len() > 180);
    let mut wrong = Vec::new();
    for (name, case) in files {
        let case = unpack(case);
        let mut host = Host::new(&case["env"]);
        let then = case["then"].as_array().into_iter().flatten();
        for (index, step) in std::iter::once(&case).chain(then).enumerate() {
            for line in host.take(step) {
                wrong.push(format!("{name} step {index}: {line}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The outside of a case.
struct Host {
    manager: Rc<Manager>,
    wording: Wording,
    env: Value,
    summarizer: Vec<Value>,
    leases: Map<String, Value>,
    summarizer_calls: Vec<Value>,
    router_calls: Vec<Value>,
}

impl Host {
    fn new(env: &Value) -> Self {
        let wording: Wording = env.get("wording").map_or_else(Wording::default, |wording| {
            Wording::with(serde_json::from_value(wording.clone()).unwrap()).unwrap()
        });
        let manager = Manager::new(Vec::new(), wording.clone()).asking_host();
        if let Some(config) = env.get("config") {
            manager.configure(config).unwrap();
        }
        let list = env["summarizer"].as_array().cloned();
        Self {
            manager: Rc::new(manager),
            wording,
            env: env.clone(),
            summarizer: list.unwrap_or_default(),
            leases: env["leases"].as_object().cloned().unwrap_or_default(),
            summarizer_calls: Vec::new(),
            router_calls: Vec::new(),
        }
    }

    /// Plays one step; answers what came out otherwise.
    fn take(&mut self, step: &Value) -> Vec<String> {
        let function = step["function"].as_str().unwrap();
        let request = &step["request"];
        let answer = match function {
            "select" | "normalize_images" | "cap" | "emergency" => Ok(self.pass(function, request)),
            call => self.call(call, request),
        };
        self.compare(&step["expect"], answer)
    }

    fn call(&mut self, call: &str, request: &Value) -> Result<Value, String> {
        let said =
            |refusal: galley_core::refusal::Refusal| match refusal.code.starts_with("context/") {
                true => format!("{}: {}", refusal.code, refusal.message),
                false => refusal.message,
            };
        let asked = Asked::read(call, request).map_err(said)?;
        let now = self.env["now_ms"].as_u64().unwrap();
        let mut run = self
            .manager
            .call(asked, Extras::default(), now, "ours".to_owned());
        let mut step = run.step();
        loop {
            match step {
                Step::Needs(need) => step = run.resume(self.bring(need), now),
                Step::Done(Outcome { response, .. }) => {
                    return response.map(|response| json!(response)).map_err(said);
                }
                Step::Over => panic!("a call ends once"),
            }
        }
    }

    fn bring(&mut self, need: Need) -> Given {
        let store = self.env["lease_store_fails"] != json!(true);
        let failed = |kind: &str| Failure {
            kind: kind.to_owned(),
            message: "as scripted".to_owned(),
        };
        match need {
            Need::ResolveModel { id, provider, .. } => {
                let mut asked = Map::new();
                asked.insert("id".into(), json!(id));
                if let Some(provider) = provider {
                    asked.insert("provider".into(), json!(provider));
                }
                self.router_calls.push(Value::Object(asked));
                if self.env["router"]["down"] == json!(true) {
                    return Err(failed(""));
                }
                Ok(match self.env["router"]["models"].get(&id) {
                    None => Value::Null,
                    Some(record) => json!({"model": record,
                        "effective_max_output_tokens": record.get("effective_max_output_tokens")}),
                })
            }
            Need::GetLease { key } if store => Ok(json!(self.leases.get(&key))),
            Need::SwapLease { key, record } if store => {
                let before = match record {
                    Some(record) => self.leases.insert(key, json!(record)),
                    None => self.leases.shift_remove(&key),
                };
                Ok(json!(before))
            }
            Need::GetLease { .. } | Need::SwapLease { .. } => Err(failed("")),
            Need::Summarize {
                system_prompt,
                prompt,
                model,
                provider,
                ..
            } => {
                self.summarizer_calls
                    .push(json!({"model": model, "provider": provider,
                    "system_prompt": system_prompt, "user_prompt": prompt}));
                if self.summarizer.is_empty() {
                    return Err(failed("unavailable"));
                }
                let scripted = self.summarizer.remove(0);
                match scripted["error"].as_str() {
                    Some(kind) => Err(failed(kind)),
                    None => Ok(scripted),
                }
            }
        }
    }

    fn pass(&self, pass: &str, request: &Value) -> Value {
        let mut items: Vec<Item> = serde_json::from_value(request["messages"].clone()).unwrap();
        let scale = Scale::new(0, Rc::new(Heuristic));
        let number = |key: &str| request[key].as_u64().unwrap();
        let none = Protected::default();
        let freed = |changes: &[Change]| changes.iter().map(Change::freed).sum::<u64>();
        match pass {
            "select" => {
                let sizes: Vec<u64> = items.iter().map(|item| item.tokens(&scale)).collect();
                let turns = number("tail_turns") as usize;
                let cut = select(&items, &sizes, number("budget"), turns, &none);
                json!({"head_len": cut.head_len, "tail_start": cut.tail_start})
            }
            "normalize_images" => {
                let vision = match request["vision"].as_str() {
                    Some("yes") => Some(true),
                    Some("no") => Some(false),
                    _ => None,
                };
                normalize(&mut items, vision, &none, &self.wording, &scale);
                json!({ "messages": items })
            }
            "cap" => {
                let changes = cap(&mut items, number("limit"), &none, &scale);
                json!({"messages": items, "capped_parts": changes.len(), "capped_tokens": freed(&changes)})
            }
            _ => {
                let changes = reduce(&mut items, number("required"), &none, &self.wording, &scale);
                json!({"messages": items, "reduced_parts": changes.len(), "freed_tokens": freed(&changes)})
            }
        }
    }

    fn compare(&mut self, expect: &Value, answer: Result<Value, String>) -> Vec<String> {
        let mut wrong = Vec::new();
        let summarizer = std::mem::take(&mut self.summarizer_calls);
        let router = std::mem::take(&mut self.router_calls);
        for (member, expected) in expect.as_object().unwrap() {
            match member.as_str() {
                "response" => match &answer {
                    Ok(response) => differ("", &self.expected(expected), response, &mut wrong),
                    Err(error) => wrong.push(format!("failed: {error}")),
                },
                "error" => match &answer {
                    Ok(response) => wrong.push(format!("did not fail: {response}")),
                    Err(error) if fits(expected, error) => {}
                    Err(error) => wrong.push(format!("failed with {error}, not {expected}")),
                },
                "summarizer_calls" => summarized(expected, &summarizer, &mut wrong),
                "router_calls" => differ("/router_calls", expected, &json!(router), &mut wrong),
                "leases_after" => differ("/leases", expected, &json!(self.leases), &mut wrong),
                other => panic!("{other} is nothing a case expects"),
            }
        }
        wrong
    }

    /// `{"$reduced": reference}` is the words for a reduced result, a space, and the reference.
    fn expected(&self, value: &Value) -> Value {
        match value {
            Value::Object(members) => match members.get("$reduced") {
                Some(reference) => {
                    json!({"$reduced": [self.wording.say(galley_core::wording::REDUCED), reference]})
                }
                None => members
                    .iter()
                    .map(|(key, member)| (key.clone(), self.expected(member)))
                    .collect(),
            },
            Value::Array(items) => items.iter().map(|item| self.expected(item)).collect(),
            other => other.clone(),
        }
    }
}

fn fits(expected: &Value, said: &str) -> bool {
    match expected.get("$contains").and_then(Value::as_array) {
        None => expected == said,
        Some(parts) => parts
            .iter()
            .all(|part| said.contains(part.as_str().unwrap())),
    }
}

fn summarized(expected: &Value, calls: &[Value], wrong: &mut Vec<String>) {
    if expected["count"] != json!(calls.len()) {
        wrong.push(format!(
            "the summariser was called {} times, not {}",
            calls.len(),
            expected["count"]
        ));
    }
    for call in calls {
        for (member, expected) in expected.as_object().unwrap() {
            match (member.as_str(), expected) {
                ("count", _) => {}
                (_, Value::Object(prompt)) => {
                    let said = call[member].as_str().unwrap();
                    let parts = |key: &str| {
                        prompt
                            .get(key)
                            .and_then(Value::as_array)
                            .cloned()
                            .unwrap_or_default()
                    };
                    for part in parts("contains") {
                        if !said.contains(part.as_str().unwrap()) {
                            wrong.push(format!("{member} lacks {part}\n  {said}"));
                        }
                    }
                    for part in parts("lacks") {
                        if said.contains(part.as_str().unwrap()) {
                            wrong.push(format!("{member} has {part}"));
                        }
                    }
                }
                (_, expected) => differ(&format!("/{member}"), expected, &call[member], wrong),
            }
        }
    }
}

/// Every place where two values are not the same.
fn differ(at: &str, expected: &Value, answered: &Value, wrong: &mut Vec<String>) {
    if let Some(reduced) = expected.get("$reduced") {
        let (words, reference) = (reduced[0].as_str().unwrap(), &reduced[1]);
        let said = answered.as_str().unwrap_or_default();
        let rest = said.strip_prefix(&format!("{words} ")).unwrap_or_default();
        let found: Value = serde_json::from_str(rest).unwrap_or_default();
        if found != *reference || serde_json::to_string(&found).unwrap() != rest {
            wrong.push(format!("{at}: {reference} expected, {said} answered"));
        }
        return;
    }
    match (expected, answered) {
        (Value::Object(left), Value::Object(right)) => {
            let keys = left
                .keys()
                .chain(right.keys().filter(|key| !left.contains_key(*key)));
            for key in keys {
                match (left.get(key), right.get(key)) {
                    (Some(left), Some(right)) => differ(&format!("{at}/{key}"), left, right, wrong),
                    (left, right) => wrong.push(format!(
                        "{at}/{key}: {} expected, {} answered",
                        brief(left),
                        brief(right)
                    )),
                }
            }
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (index, (left, right)) in left.iter().zip(right).enumerate() {
                differ(&format!("{at}/{index}"), left, right, wrong);
            }
        }
        _ if expected == answered => {}
        _ => wrong.push(format!(
            "{at}: {} expected, {} answered",
            brief(Some(expected)),
            brief(Some(answered))
        )),
    }
}

fn brief(value: Option<&Value>) -> String {
    let text = value.map_or("nothing".to_owned(), Value::to_string);
    let end = text
        .char_indices()
        .nth(300)
        .map_or(text.len(), |(end, _)| end);
    text[..end].to_owned()
}
