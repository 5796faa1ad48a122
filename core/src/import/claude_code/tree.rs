//! Which lines of a log lie on a branch that was left.
//!
//! The links make a graph, but most forks in it are artefacts of recording: a result beside the answer going
//! on, a hook beside a result, a line written twice. Only several prompts under one parent, at different
//! times, are a way back that the person took.

use std::collections::BTreeMap;

/// What the tree needs to know of a line.
#[derive(Debug)]
pub(super) struct Node<'a> {
    /// Its own id; empty when it has none.
    pub id: &'a str,
    /// The id it follows; `None` at a root.
    pub parent: Option<&'a str>,
    /// The person's own words, and when they were said.
    pub prompt: Option<&'a str>,
}

/// What was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Left {
    /// By line, whether it lies on a branch that was left.
    pub lines: Vec<bool>,
    /// The prompts that such branches begin with.
    pub branches: Vec<usize>,
}

/// Finds the branches that were left for the one of the newest line. Links in a circle end where they began.
pub(super) fn left(nodes: &[Node<'_>]) -> Left {
    let by_id: BTreeMap<&str, usize> = nodes
        .iter()
        .enumerate()
        .rev()
        .map(|(index, node)| (node.id, index))
        .collect();
    let parent = |index: usize| {
        let id = nodes.get(index)?.parent?;
        by_id.get(id).copied().filter(|found| *found != index)
    };
    // The newest line under each, found from the newest down: a line that has one already passes no other up.
    let mut newest: Vec<Option<usize>> = vec![None; nodes.len()];
    for index in (0..nodes.len()).rev() {
        let mut at = Some(index);
        while let Some(slot) = at
            .and_then(|at| newest.get_mut(at))
            .filter(|slot| slot.is_none())
        {
            *slot = Some(index);
            at = at.and_then(parent);
        }
    }
    let mut prompts: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, node) in nodes.iter().enumerate() {
        if let (Some(_), Some(id), Some(_)) = (node.prompt, node.parent, parent(index)) {
            prompts.entry(id).or_default().push(index);
        }
    }
    let time = |index: usize| nodes.get(index).and_then(|node| node.prompt);
    let mut branches: Vec<usize> = Vec::new();
    for siblings in prompts.values() {
        let ends = |index: &usize| newest.get(*index).copied().flatten();
        let Some(kept) = siblings.iter().copied().max_by_key(ends) else {
            continue;
        };
        branches.extend(siblings.iter().filter(|index| time(**index) != time(kept)));
    }
    branches.sort_unstable();
    let mut known: Vec<Option<bool>> = vec![None; nodes.len()];
    for index in &branches {
        if let Some(slot) = known.get_mut(*index) {
            *slot = Some(true);
        }
    }
    for index in 0..nodes.len() {
        let mut climbed = Vec::new();
        let mut at = Some(index);
        let mut answer = false;
        while let Some(current) = at {
            match known.get(current).copied().flatten() {
                Some(found) => {
                    answer = found;
                    break;
                }
                None => {
                    // Until it is known better the line is not left: that is what ends a circle.
                    climbed.push(current);
                    if let Some(slot) = known.get_mut(current) {
                        *slot = Some(false);
                    }
                    at = parent(current);
                }
            }
        }
        for current in climbed {
            if let Some(slot) = known.get_mut(current) {
                *slot = Some(answer);
            }
        }
    }
    let lines = known
        .into_iter()
        .map(|left| left.unwrap_or(false))
        .collect();
    Left { lines, branches }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines as `id parent time`, a prompt's with a time.
    fn found(lines: &[&'static str]) -> (String, Vec<usize>) {
        let nodes: Vec<Node<'_>> = lines
            .iter()
            .map(|line| {
                let mut words = line.split(' ');
                Node {
                    id: words.next().unwrap_or_default(),
                    parent: words.next().filter(|parent| *parent != "-"),
                    prompt: words.next(),
                }
            })
            .collect();
        let left = left(&nodes);
        let marks = left.lines.iter().map(|left| if *left { 'x' } else { '.' });
        (marks.collect(), left.branches)
    }

    #[test]
    fn only_prompts_of_other_times_under_one_parent_are_branches() {
        for (lines, marks, branches) in [
            (
                &["p - 1", "a p", "q a 2", "b q", "r a 3", "c r"][..],
                "..xx..",
                &[2][..],
            ),
            // The newest line decides, not the newest prompt.
            (
                &["p - 1", "a p", "q a 2", "r a 3", "c r", "b q"],
                "...xx.",
                &[3],
            ),
            // A result beside the answer going on.
            (&["p - 1", "a p", "r a", "b a", "q b 2"], ".....", &[]),
            // The same prompt written twice, and a continuation of what is not in the file.
            (&["a gone", "q a 2", "r a 2", "z lost 9"], "....", &[]),
            // Forks within forks.
            (
                &[
                    "a -", "p a 1", "b p", "q b 2", "c q", "r b 3", "s a 4", "d s",
                ],
                ".xxxxx..",
                &[1, 3],
            ),
            // Circles end.
            (&["a b", "b a", "p p 1", "q a 2", "r a 3"], "...x.", &[3]),
        ] {
            assert_eq!(
                found(lines),
                (marks.to_owned(), branches.to_vec()),
                "{lines:?}"
            );
        }
    }

    #[test]
    fn a_long_chain_is_climbed_once() {
        let ids: Vec<String> = (0..200_000).map(|n| format!("n{n}")).collect();
        let node = |n: usize| Node {
            id: &ids[n],
            parent: n.checked_sub(1).map(|before| ids[before].as_str()),
            prompt: Some("t").filter(|_| n.is_multiple_of(3)),
        };
        let nodes: Vec<Node<'_>> = (0..ids.len()).map(node).collect();
        assert!(left(&nodes).branches.is_empty());
    }
}
