//! The allocator and the selection under hostile numbers: they end, they stay inside, they waste nothing.

use galley_core::assembly::allocator::{Want, allocate};
use galley_core::assembly::select::{Bounds, SkippedReason, Weight, select};
use proptest::prelude::*;

fn tokens() -> impl Strategy<Value = u64> {
    prop_oneof![0..20_u64, 0..2_000_u64, Just(u64::MAX), any::<u64>()]
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 20_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_pool_is_shared_out_whole_and_never_twice(
        pool in tokens(),
        floors in prop::collection::vec(tokens(), 0..12),
        min_tokens in tokens(),
        max_tokens in prop::option::of(tokens()),
    ) {
        let want = Want { min_tokens, max_tokens };
        let grants = allocate(pool, &floors, want);
        prop_assert_eq!(&grants, &allocate(pool, &floors, want));
        prop_assert_eq!(grants.floors.len(), floors.len());
        let mut spent = 0_u64;
        for (grant, need) in grants.floors.iter().zip(&floors) {
            prop_assert!(grant.is_none_or(|grant| grant == *need), "a living floor gets exactly its need");
            spent = spent.checked_add(grant.unwrap_or(0)).expect("grants fit the pool");
        }
        let left = pool.checked_sub(spent).expect("grants fit the pool");
        match grants.history {
            Some(history) => {
                prop_assert!(left >= min_tokens);
                prop_assert_eq!(history, left.min(max_tokens.unwrap_or(u64::MAX)));
            }
            None => prop_assert!(left < min_tokens, "history is excluded only below its minimum"),
        }
        // An excluded floor does not fit beside the living floors that stand before it.
        let mut before = 0_u64;
        for (grant, need) in grants.floors.iter().zip(&floors) {
            match grant {
                Some(grant) => before += grant,
                None => prop_assert!(*need > pool - before),
            }
        }
        if floors.iter().try_fold(0_u64, |sum, need| sum.checked_add(*need)).is_some_and(|sum| sum <= pool) {
            prop_assert!(grants.all_floors_funded(), "what fits whole is funded whole");
        }
    }

    #[test]
    fn the_newest_that_fit_ride_and_nothing_else(
        weights in prop::collection::vec((tokens(), tokens()), 0..24),
        entries in prop::option::of(0..30_u64),
        budget in prop::option::of(tokens()),
        bytes in tokens(),
    ) {
        let weights: Vec<Weight> = weights.into_iter().map(|(tokens, bytes)| Weight { tokens, bytes }).collect();
        let bounds = Bounds { entries, tokens: budget, bytes };
        let selection = select(&weights, bounds);
        let fits = |first: usize| {
            let taken = &weights[first..];
            let sum = |of: fn(&Weight) -> u64| taken.iter().map(of).fold(0, u64::saturating_add);
            let counted = entries.is_none_or(|most| taken.len() as u64 <= most);
            let priced = budget.is_none_or(|most| sum(|w| w.tokens) <= most) && sum(|w| w.bytes) <= bytes;
            (counted, priced)
        };
        prop_assert_eq!(fits(selection.first), (true, true));
        match selection.first.checked_sub(1).map(fits) {
            None => prop_assert_eq!(selection.reason, None),
            Some((false, _)) => prop_assert_eq!(selection.reason, Some(SkippedReason::EntryLimit)),
            Some((true, priced)) => {
                prop_assert!(!priced, "one more would have fitted");
                prop_assert_eq!(selection.reason, Some(SkippedReason::BudgetExceeded));
            }
        }
    }
}
