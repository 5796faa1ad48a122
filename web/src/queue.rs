//! Latest wins: one question in flight, and of each kind only the newest waits.
//!
//! ```
//! use galley_web::queue::{Lane, Queue};
//! let mut queue = Queue::new();
//! assert_eq!(queue.ask(Lane::Estimate, 1), Some(1)); // goes at once
//! assert_eq!(queue.ask(Lane::Estimate, 2), None); // waits
//! assert_eq!(queue.ask(Lane::Estimate, 3), None); // takes its place
//! assert_eq!(queue.answered(), Some(3));
//! assert_eq!(queue.answered(), None);
//! ```

/// The kinds of question; an earlier one goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Another file: what waits of the old one is dropped.
    Open,
    /// Another plan.
    Estimate,
    /// Another fit.
    Fit,
    /// More entries of the plan, or parts of the fit.
    Entries,
    /// What a provider counted, counted here.
    Recount,
    /// Texts of the fit.
    Text,
}

/// How many kinds there are.
const LANES: usize = 6;

/// One in flight, one waiting a lane.
#[derive(Debug)]
pub struct Queue<T> {
    busy: bool,
    waiting: [Option<T>; LANES],
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Queue<T> {
    /// Nothing asked yet.
    pub fn new() -> Self {
        Self {
            busy: false,
            waiting: Default::default(),
        }
    }

    /// Takes a question; answers it back when it can go at once.
    pub fn ask(&mut self, lane: Lane, question: T) -> Option<T> {
        if lane == Lane::Open {
            self.waiting = Default::default();
        }
        if self.busy {
            self.waiting[lane as usize] = Some(question);
            None
        } else {
            self.busy = true;
            Some(question)
        }
    }

    /// The one in flight has been answered; the next one to send, if any.
    pub fn answered(&mut self) -> Option<T> {
        let next = self.waiting.iter_mut().find_map(Option::take);
        self.busy = next.is_some();
        next
    }

    /// Whether a question is in flight.
    pub fn busy(&self) -> bool {
        self.busy
    }

    /// Forgets everything: the other side is gone.
    pub fn reset(&mut self) {
        *self = Self::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_plan_goes_before_entries() {
        let mut queue = Queue::new();
        assert_eq!(queue.ask(Lane::Entries, "a"), Some("a"));
        assert_eq!(queue.ask(Lane::Entries, "b"), None);
        assert_eq!(queue.ask(Lane::Estimate, "c"), None);
        assert_eq!(queue.answered(), Some("c"));
        assert_eq!(queue.answered(), Some("b"));
        assert!(queue.busy());
        assert_eq!(queue.answered(), None);
        assert!(!queue.busy());
    }

    #[test]
    fn another_file_drops_what_waits_for_the_old_one() {
        let mut queue = Queue::new();
        queue.ask(Lane::Estimate, 1);
        queue.ask(Lane::Estimate, 2);
        queue.ask(Lane::Open, 3);
        assert_eq!(queue.answered(), Some(3));
        assert_eq!(queue.answered(), None);
    }

    #[test]
    fn a_thousand_edits_send_two() {
        let mut queue = Queue::new();
        let at_once: Vec<u32> = (0..1000)
            .filter_map(|n| queue.ask(Lane::Estimate, n))
            .collect();
        assert_eq!(at_once, [0]);
        assert_eq!(queue.answered(), Some(999));
        assert_eq!(queue.answered(), None);
    }
}
