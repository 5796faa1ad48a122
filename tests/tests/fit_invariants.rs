//! The invariants of the context manager, on drawn histories, with what they reached counted.

use std::cell::RefCell;
use std::collections::BTreeMap;

use galley_tests::fit::{Case, check};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRng, TestRunner};

const CASES: u32 = 24_000;

#[test]
fn what_is_answered_holds() {
    // The same cases every time, so that what is reached is a fact and not luck.
    let config = Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner =
        TestRunner::new_with_rng(config, TestRng::deterministic_rng(Default::default()));
    let cases = prop::collection::vec(any::<u8>(), 0..500).prop_map(|bytes| Case::drawn(&bytes));
    let reached = RefCell::new(BTreeMap::<&str, u32>::new());
    runner
        .run(&cases, |case| {
            for word in check(&case) {
                *reached.borrow_mut().entry(word).or_default() += 1;
            }
            Ok(())
        })
        .unwrap();
    let reached = reached.into_inner();
    for word in [
        "refused",
        "exact",
        "heuristic",
        "images",
        "capped",
        "pruned",
        "pruned alone",
        "compacted",
        "emergency",
        "busy",
        "dry",
        "no head",
        "blank",
        "not smaller",
        "failed",
        "unavailable",
        "trimmed",
        "does not fit",
        "fits as it is",
    ] {
        let times = reached.get(word).copied().unwrap_or_default();
        assert!(
            times >= CASES / 400,
            "{word}: {times} of {CASES}, {reached:?}"
        );
    }
}
