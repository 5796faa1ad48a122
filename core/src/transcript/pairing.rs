//! Which call a result answers.
//!
//! By id when it has one, and then only by id; without one by the function's name, else by order. Among
//! several calls it could answer, the earliest unanswered one of the newest message that has any.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Newest message first, earliest call first.
type Rank = (Reverse<usize>, usize);

/// Calls that wait for their result, each with whatever the caller knows it by.
#[derive(Debug)]
pub struct OpenCalls<K> {
    calls: BTreeMap<Rank, Call<K>>,
    by_id: BTreeMap<String, BTreeSet<Rank>>,
    by_name: BTreeMap<String, BTreeSet<Rank>>,
    made: usize,
}

#[derive(Debug)]
struct Call<K> {
    id: String,
    name: String,
    key: K,
}

impl<K> Default for OpenCalls<K> {
    fn default() -> Self {
        Self {
            calls: BTreeMap::new(),
            by_id: BTreeMap::new(),
            by_name: BTreeMap::new(),
            made: 0,
        }
    }
}

impl<K> OpenCalls<K> {
    /// A call made in the message at index `message`; messages come in order.
    pub fn made(&mut self, message: usize, id: &str, name: &str, key: K) {
        let rank = (Reverse(message), self.made);
        self.made += 1;
        self.by_id.entry(id.to_owned()).or_default().insert(rank);
        self.by_name
            .entry(name.to_owned())
            .or_default()
            .insert(rank);
        let call = Call {
            id: id.to_owned(),
            name: name.to_owned(),
            key,
        };
        self.calls.insert(rank, call);
    }

    /// The call that a result answers, which is then closed. An empty id or name is none.
    pub fn answered(&mut self, id: &str, name: &str) -> Option<K> {
        let rank = if !id.is_empty() {
            *self.by_id.get(id)?.first()?
        } else if !name.is_empty() {
            *self.by_name.get(name)?.first()?
        } else {
            *self.calls.first_key_value()?.0
        };
        let call = self.calls.remove(&rank)?;
        for (index, key) in [(&mut self.by_id, &call.id), (&mut self.by_name, &call.name)] {
            if let Some(ranks) = index.get_mut(key) {
                ranks.remove(&rank);
            }
        }
        Some(call.key)
    }

    /// What the calls are known by that nothing answered, in the order they were made.
    pub fn left(self) -> Vec<K> {
        let mut left: Vec<_> = self.calls.into_iter().collect();
        left.sort_by_key(|((_, made), _)| *made);
        left.into_iter().map(|(_, call)| call.key).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_find_their_calls_by_id_whatever_their_order() {
        let mut open = OpenCalls::default();
        for (key, id) in ["a", "b", "c"].into_iter().enumerate() {
            open.made(0, id, "f", key);
        }
        assert_eq!(open.answered("c", ""), Some(2));
        assert_eq!(open.answered("a", "g"), Some(0));
        assert_eq!(open.answered("a", "f"), None, "answered already");
        assert_eq!(
            open.answered("z", "f"),
            None,
            "never by position when ids exist"
        );
        assert_eq!(open.left(), [1]);
    }

    #[test]
    fn an_id_used_again_belongs_to_the_newest_message_and_within_it_to_the_earliest_call() {
        let mut open = OpenCalls::default();
        open.made(0, "call_0", "f", "old");
        open.made(1, "call_0", "f", "first");
        open.made(1, "call_0", "f", "second");
        let met: Vec<_> = (0..4).map(|_| open.answered("call_0", "")).collect();
        assert_eq!(met, [Some("first"), Some("second"), Some("old"), None]);
    }

    #[test]
    fn without_ids_names_and_order_decide() {
        let mut open = OpenCalls::default();
        open.made(0, "", "read", 0);
        open.made(0, "", "write", 1);
        open.made(0, "", "read", 2);
        assert_eq!(open.answered("", "write"), Some(1));
        assert_eq!(open.answered("", ""), Some(0));
        assert_eq!(open.answered("", "write"), None);
        assert_eq!(open.left(), [2]);
    }
}
