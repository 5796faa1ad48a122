//! The invariants of a plan, on generated conversations, with what the generator reached counted.

use std::cell::RefCell;
use std::collections::BTreeMap;

use galley_core::assembly::merge::Merged;
use galley_core::assembly::plan::{BlockState, Plan};
use galley_core::assembly::segment::{Entry, Part, Segment};
use galley_core::assembly::select::SkippedReason;
use galley_core::assembly::{Estimate, Limits};
use galley_core::json::canonical::value_bytes;
use galley_core::session::Session;
use galley_tests::generate::{Case, case};
use galley_tests::{lay_over, suite};
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use proptest::{prop_assert, prop_assert_eq};
use serde_json::{Value, json};

const CASES: u32 = 10_000;

fn open(base: &Value, case: &Case) -> Session {
    let file = lay_over(base.clone(), case.conversation.clone()).to_string();
    let session = Session::open(file.as_bytes()).expect("a generated file opens");
    session.with_limits(Limits {
        window: case.window,
        bytes: case.bytes,
    })
}

fn runner() -> TestRunner {
    // The same cases every time, so that what is reached is a fact and not luck.
    let config = Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new_with_rng(
        config,
        proptest::test_runner::TestRng::deterministic_rng(Default::default()),
    )
}

/// What the cases reached.
#[derive(Default)]
struct Reached(RefCell<BTreeMap<&'static str, u32>>);

impl Reached {
    fn note(&self, what: &'static str, yes: bool) {
        *self.0.borrow_mut().entry(what).or_default() += u32::from(yes);
    }

    /// Every noted thing was there in at least 1 % of the cases.
    fn assert_all(&self) {
        let rare: Vec<_> = self
            .0
            .borrow()
            .iter()
            .map(|(what, times)| (*what, *times))
            .filter(|(_, times)| *times < CASES / 100)
            .collect();
        assert!(
            rare.is_empty(),
            "reached in fewer than 1 % of {CASES} cases: {rare:?}"
        );
    }
}

fn note(reached: &Reached, plan: &Plan) {
    let state = |state| plan.blocks.iter().any(|row| row.state == state);
    reached.note("selected", state(BlockState::Selected));
    reached.note("empty", state(BlockState::Empty));
    reached.note("floor_unmet", state(BlockState::FloorUnmet));
    reached.note("carried", state(BlockState::Carried));
    let reason = plan.history.skipped_reason;
    reached.note("entry_limit", reason == Some(SkippedReason::EntryLimit));
    reached.note(
        "budget_exceeded",
        reason == Some(SkippedReason::BudgetExceeded),
    );
    reached.note(
        "candidate_limit",
        reason == Some(SkippedReason::CandidateLimit),
    );
    let segments = || plan.placed.iter().map(|placed| &placed.segment);
    reached.note("alone", segments().any(|segment| segment.alone));
    reached.note(
        "call without a result",
        segments().any(|segment| {
            segment.outputs.iter().any(|output| {
                output
                    .output
                    .text
                    .as_str()
                    .contains("The call has no result.")
            })
        }),
    );
    reached.note(
        "blank text",
        segments().any(|segment| segment.parts.iter().any(Part::is_blank)),
    );
    reached.note("byte wall", !plan.storage.within_bound);
    reached.note("compacted", plan.history.compacted.is_some());
    reached.note(
        "pictures behind results",
        segments().any(|segment| !segment.pictures.is_empty()),
    );
}

#[test]
fn a_plan_holds_what_it_promises() {
    let base = suite("kernel-base.json");
    let reached = Reached::default();
    let outcome = runner().run(&case(), |case| {
        let mut session = open(&base, &case);
        let plan = session
            .plan(&case.request)
            .map_err(|refusal| TestCaseError::fail(refusal.to_string()))?;
        note(&reached, &plan);
        same_inputs_same_bytes(&base, &case, &mut session)?;
        counts_add_up(&plan, &case)?;
        calls_keep_their_results(&plan)?;
        merging_loses_nothing(&plan)?;
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    reached.assert_all();
}

fn same_inputs_same_bytes(
    base: &Value,
    case: &Case,
    session: &mut Session,
) -> Result<(), TestCaseError> {
    let warm = serde_json::to_string(&session.estimate(&case.request).expect("it was planned"))
        .expect("it is JSON");
    let cold = serde_json::to_string(
        &open(base, case)
            .estimate(&case.request)
            .expect("it was planned"),
    )
    .expect("it is JSON");
    prop_assert_eq!(warm, cold);
    Ok(())
}

fn counts_add_up(plan: &Plan, case: &Case) -> Result<(), TestCaseError> {
    let sealed: Vec<Value> = plan
        .sealed()
        .iter()
        .map(|entry| serde_json::to_value(entry).expect("an entry is JSON"))
        .collect();
    prop_assert_eq!(
        plan.storage.bytes,
        sealed.iter().map(value_bytes).sum::<u64>(),
        "the measure is the bytes"
    );
    prop_assert_eq!(plan.storage.within_bound, plan.storage.refusal.is_none());
    let history = plan
        .blocks
        .iter()
        .find(|row| row.r#type == "history")
        .expect("a template has history");
    if let Some(granted) = history.allocated_tokens {
        prop_assert!(history.tokens <= granted, "history stays inside its grant");
    }
    if plan
        .blocks
        .iter()
        .any(|row| row.r#type != "history" && row.state == BlockState::FloorUnmet)
    {
        prop_assert_eq!(
            (history.tokens, history.allocated_tokens),
            (0, Some(0)),
            "history trims first"
        );
    }
    let placed: u64 = plan
        .placed
        .iter()
        .filter(|placed| &*placed.block == "history")
        .map(|placed| placed.tokens)
        .sum();
    prop_assert_eq!(history.tokens, placed);
    for row in plan.blocks.iter().filter(|row| row.r#type != "history") {
        let placed: u64 = plan
            .placed
            .iter()
            .filter(|placed| *placed.block == *row.block)
            .map(|placed| placed.tokens)
            .sum();
        prop_assert_eq!(row.tokens, placed, "{}", row.block);
    }
    let traced: u64 = plan.turns.iter().map(|turn| turn.selected).sum();
    prop_assert_eq!(plan.history.selected, traced);
    prop_assert_eq!(
        plan.blocks.len(),
        case.request
            .get("template")
            .map_or(9, |t| t["blocks"].as_array().map_or(0, Vec::len))
    );
    Ok(())
}

/// Every call is answered once, in call order, right behind its message; no result stands without its call.
fn calls_keep_their_results(plan: &Plan) -> Result<(), TestCaseError> {
    let mut open: Vec<&str> = Vec::new();
    let mut answering = false;
    for Merged { entry, .. } in &plan.entries {
        match entry {
            Entry::Call(call) => {
                prop_assert!(!answering || open.is_empty(), "a call among results");
                answering = false;
                open.push(&call.id.id);
            }
            Entry::Output(output) => {
                answering = true;
                prop_assert!(!open.is_empty(), "a result without a call");
                prop_assert_eq!(open.remove(0), &*output.id.id);
            }
            Entry::Message { .. } => {
                prop_assert!(open.is_empty(), "words between a call and its result")
            }
        }
    }
    prop_assert!(open.is_empty(), "a call without a result");
    Ok(())
}

/// Every word that was placed is sent once, in order, in its role; nothing else is.
fn merging_loses_nothing(plan: &Plan) -> Result<(), TestCaseError> {
    let sent: Vec<String> = plan
        .sealed()
        .iter()
        .map(|entry| serde_json::to_string(entry).expect("an entry is JSON"))
        .collect();
    let words = |parts: &[Part]| -> Vec<String> {
        parts
            .iter()
            .filter(|part| !part.is_blank())
            .map(|part| match part {
                Part::Words(words) => words.text.as_str().to_owned(),
                Part::Upload(id, _) => format!("upload {}", id.id),
            })
            .collect()
    };
    let mut from_segments = String::new();
    for placed in &plan.placed {
        let segment: &Segment = &placed.segment;
        prop_assert!(!segment.is_nothing());
        for part in words(&segment.parts) {
            from_segments.push_str(&format!("{}: {part}\n\n", segment.role.as_str()));
        }
        for part in words(&segment.pictures) {
            from_segments.push_str(&format!("user: {part}\n\n"));
        }
    }
    let mut from_entries = String::new();
    let mut last: Option<usize> = None;
    for merged in &plan.entries {
        prop_assert!(merged.from < merged.to && merged.to <= plan.placed.len());
        prop_assert!(
            last.is_none_or(|last| merged.to >= last),
            "entries keep the order of their segments"
        );
        last = Some(merged.to);
        if let Entry::Message { role, parts, .. } = &merged.entry {
            prop_assert!(
                !parts.is_empty() && parts.iter().all(|part| !part.is_blank()),
                "no blank part is sent"
            );
            for part in words(parts) {
                from_entries.push_str(&format!("{}: {part}\n\n", role.as_str()));
            }
        }
    }
    // A fold joins texts by a blank line, which is what stands between them here once the roles are gone.
    let bare = |text: &str| {
        ["system: ", "developer: ", "user: ", "assistant: "]
            .iter()
            .fold(text.to_owned(), |text, role| text.replace(role, ""))
    };
    prop_assert_eq!(bare(&from_entries), bare(&from_segments), "{:?}", sent);
    for pair in plan.entries.windows(2) {
        if let [
            Merged {
                entry: Entry::Message { role: a, .. },
                to,
                ..
            },
            Merged {
                entry: Entry::Message { role: b, .. },
                from,
                ..
            },
        ] = pair
            && a == b
        {
            let apart = |index: usize| {
                plan.placed
                    .get(index)
                    .is_some_and(|placed| placed.segment.alone || placed.segment.has_tail())
            };
            prop_assert!(
                apart(to - 1) || apart(*from),
                "neighbours of one role are one entry"
            );
        }
    }
    Ok(())
}

#[test]
fn a_preview_is_what_the_send_seals() {
    let base = suite("kernel-base.json");
    let reached = Reached::default();
    let outcome = runner().run(&case(), |case| {
        let mut session = open(&base, &case);
        let preview = session
            .estimate(&case.request)
            .map_err(|refusal| TestCaseError::fail(refusal.to_string()))?;
        let before = session.to_json();
        let Estimate {
            preview: Some(preview),
            warnings,
            ..
        } = preview
        else {
            return Err(TestCaseError::fail("render asks for the preview"));
        };
        reached.note("assembly", case.request.get("template").is_some());
        reached.note("default", case.request.get("template").is_none());
        reached.note(
            "away from the stored answerer",
            case.request.get("to").is_some(),
        );
        match session.seal(&case.request, Default::default()) {
            Ok(sealed) => {
                reached.note("sealed", true);
                prop_assert_eq!(&sealed.request.entries, &preview.entries);
                prop_assert_eq!(&sealed.turn.preface, &preview.preface);
                prop_assert_eq!(
                    sealed.turn.body.request,
                    Some(serde_json::to_value(&sealed.request).expect("it is JSON"))
                );
            }
            Err(refusal) => {
                reached.note("refused", true);
                match refusal.code.as_str() {
                    "parameter_invalid" => {
                        prop_assert!(warnings.iter().any(|warning| warning.path == refusal.path))
                    }
                    code => prop_assert_eq!(preview.storage.refusal, Some(code)),
                }
                prop_assert_eq!(session.to_json(), before, "a refused send writes nothing");
            }
        }
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    reached.assert_all();
}

#[test]
fn a_floor_the_window_cannot_fund_changes_no_byte() {
    let base = suite("kernel-base.json");
    let reached = Reached::default();
    let outcome = runner().run(&case(), |case| {
        let mut session = open(&base, &case);
        let tight = session
            .plan(&case.request)
            .map_err(|refusal| TestCaseError::fail(refusal.to_string()))?;
        let unmet = tight
            .blocks
            .iter()
            .any(|row| row.state == BlockState::FloorUnmet);
        reached.note("floor_unmet", unmet);
        // The same request on a model without a window that keeps as much history: the same bytes.
        let mut wide = case.request.clone();
        for window in ["input_tokens", "effective_input_tokens", "combined_tokens"] {
            wide["model"][window] = Value::Null;
        }
        wide["history"] = json!({"max_entries": tight.history.selected});
        if let Some(blocks) = wide
            .get_mut("template")
            .and_then(|t| t["blocks"].as_array_mut())
        {
            for block in blocks.iter_mut().filter(|block| block["type"] == "history") {
                *block = json!({"type": "history"});
            }
        }
        let asked = case.request["history"]["max_entries"]
            .as_u64()
            .map_or(0, |entries| usize::try_from(entries).unwrap_or(0));
        let mut session = session.with_limits(Limits {
            window: case.window.max(asked),
            bytes: case.bytes,
        });
        let wide = session
            .plan(&wide)
            .map_err(|refusal| TestCaseError::fail(refusal.to_string()))?;
        prop_assert_eq!(tight.sealed(), wide.sealed());
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    reached.assert_all();
}
