//! Who gets how much of the pool. Numbers only.
//!
//! Repeat: every living floor, in order, gets min(need, left); history gets up to its minimum. The first
//! floor that is still short is excluded and its part refunded, and it starts again; then a history below
//! its minimum is excluded likewise; else it stops, and a living history takes what is left, up to its
//! maximum. Each pass excludes one, so there are at most as many passes as floors and one more.

/// What history asks for, tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Want {
    /// Less than this is nothing.
    pub min_tokens: u64,
    /// More than this is never taken.
    pub max_tokens: Option<u64>,
}

/// What everyone got, tokens. An excluded one (`budget_exhausted`) has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grants {
    /// In the order of the floors.
    pub floors: Vec<Option<u64>>,
    /// History's.
    pub history: Option<u64>,
}

impl Grants {
    /// Whether every floor is funded.
    pub fn all_floors_funded(&self) -> bool {
        self.floors.iter().all(Option::is_some)
    }
}

/// Shares `pool` out.
pub fn allocate(pool: u64, floors: &[u64], history: Want) -> Grants {
    let mut living = vec![true; floors.len()];
    let mut history_lives = true;
    loop {
        let mut left = pool;
        let mut grants = Vec::with_capacity(floors.len());
        let mut short = None;
        for (index, (need, lives)) in floors.iter().zip(&living).enumerate() {
            if !lives {
                grants.push(None);
                continue;
            }
            let grant = left.min(*need);
            left -= grant;
            if grant < *need && short.is_none() {
                short = Some(index);
            }
            grants.push(Some(grant));
        }
        if let Some(lives) = short.and_then(|index| living.get_mut(index)) {
            *lives = false;
            continue;
        }
        if history_lives && left < history.min_tokens {
            history_lives = false;
            continue;
        }
        let most = history.max_tokens.unwrap_or(u64::MAX);
        return Grants {
            floors: grants,
            history: history_lives.then(|| left.min(most)),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        pool: u64,
        floors: &[u64],
        min: u64,
        max: Option<u64>,
        floors_got: &[Option<u64>],
        history: Option<u64>,
    ) {
        let grants = allocate(
            pool,
            floors,
            Want {
                min_tokens: min,
                max_tokens: max,
            },
        );
        assert_eq!(
            (grants.floors.as_slice(), grants.history),
            (floors_got, history)
        );
    }

    #[test]
    fn the_cases_of_the_contract() {
        check(10, &[10], 10, None, &[Some(10)], None);
        check(10, &[3], 10, None, &[Some(3)], None);
        check(100, &[150, 20], 0, None, &[None, Some(20)], Some(80));
        check(
            20_000,
            &[16_250, 16_250, 16_250, 2],
            0,
            None,
            &[Some(16_250), None, None, Some(2)],
            Some(3_748),
        );
        check(60, &[5], 50, Some(60), &[Some(5)], Some(55));
        check(100, &[5], 50, Some(60), &[Some(5)], Some(60));
        check(15, &[5], 50, Some(60), &[Some(5)], None);
        check(0, &[], 0, None, &[], Some(0));
        check(
            u64::MAX,
            &[u64::MAX, u64::MAX],
            u64::MAX,
            None,
            &[Some(u64::MAX), None],
            None,
        );
    }
}
