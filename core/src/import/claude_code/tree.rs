//! The branches of a log, and which lines lie on others than the one that is shown.
//!
//! The links make a graph, but most forks in it are artefacts of recording: a result beside the answer going
//! on, a hook beside a result, a line written twice. Only several prompts under one parent, at different
//! times, are a way back that the person took.

use std::collections::{BTreeMap, BTreeSet};

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
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ways {
    /// By line, whether it lies on another branch than the one that is shown.
    pub left: Vec<bool>,
    /// Every branch in file order of its end; none when there is only one.
    pub branches: Vec<Way>,
}

/// One branch.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Way {
    /// The prompt at which it last forked from another.
    pub first: Option<usize>,
    /// Its newest line.
    pub end: usize,
    /// How often the person spoke on it.
    pub turns: usize,
    /// It is that of the log's newest line.
    pub current: bool,
}

/// Finds the branches, and the lines beside the one whose last line is asked for, else beside the one of the
/// newest line. Links in a circle end where they began.
pub(super) fn ways(nodes: &[Node<'_>], asked: Option<&str>) -> Ways {
    let places = nodes.iter().enumerate().rev();
    let by_id: BTreeMap<&str, usize> = places.map(|(index, node)| (node.id, index)).collect();
    let link = |(index, node): (usize, &Node<'_>)| {
        let parent = by_id.get(node.parent?).copied();
        parent.filter(|parent| *parent != index)
    };
    let parents: Vec<Option<usize>> = nodes.iter().enumerate().map(link).collect();
    let tree = Tree { nodes, parents };
    let newest = tree.newest();
    let forks = tree.forks();
    let last = nodes.len().saturating_sub(1);
    let kept = tree.kept(&forks, |prompt| newest.get(prompt).copied().unwrap_or(0));
    let mut ends: Vec<usize> = tree
        .beside(&forks, &kept)
        .filter_map(|prompt| newest.get(prompt).copied())
        .collect();
    if ends.is_empty() {
        let (left, branches) = (vec![false; nodes.len()], Vec::new());
        return Ways { left, branches };
    }
    ends.push(last);
    ends.sort_unstable();
    ends.dedup();
    let is_asked = |end: &&usize| nodes.get(**end).is_some_and(|node| Some(node.id) == asked);
    let end = ends.iter().find(is_asked).copied();
    let way = tree.climb(end.unwrap_or(last));
    let shown = tree.kept(&forks, |prompt| match way.contains(&prompt) {
        true => nodes.len(),
        false => newest.get(prompt).copied().unwrap_or(0),
    });
    let mut left = vec![false; nodes.len()];
    for prompt in tree.beside(&forks, &shown) {
        set(&mut left, prompt, true);
    }
    let mut turns = vec![0_usize; nodes.len()];
    let mut first: Vec<Option<usize>> = vec![None; nodes.len()];
    for prompt in forks.iter().flatten() {
        set(&mut first, *prompt, Some(*prompt));
    }
    for index in tree.parents_first() {
        let before = tree.parent(index);
        if before.and_then(|before| left.get(before)) == Some(&true) {
            set(&mut left, index, true);
        }
        let spoken = before
            .and_then(|before| turns.get(before).copied())
            .unwrap_or(0);
        let prompt = nodes.get(index).is_some_and(|node| node.prompt.is_some());
        set(&mut turns, index, spoken + usize::from(prompt));
        if first.get(index).is_some_and(Option::is_none) {
            let above = before.and_then(|before| first.get(before).copied().flatten());
            set(&mut first, index, above);
        }
    }
    let branch = |end: usize| Way {
        first: first.get(end).copied().flatten(),
        end,
        turns: turns.get(end).copied().unwrap_or(0),
        current: end == last,
    };
    let branches = ends.into_iter().map(branch).collect();
    Ways { left, branches }
}

fn set<T>(list: &mut [T], index: usize, value: T) {
    if let Some(slot) = list.get_mut(index) {
        *slot = value;
    }
}

struct Tree<'n, 'a> {
    nodes: &'n [Node<'a>],
    parents: Vec<Option<usize>>,
}

impl Tree<'_, '_> {
    fn parent(&self, index: usize) -> Option<usize> {
        self.parents.get(index).copied().flatten()
    }

    fn time(&self, index: usize) -> Option<&str> {
        self.nodes.get(index)?.prompt
    }

    /// The newest line under each, itself when nothing follows it.
    fn newest(&self) -> Vec<usize> {
        // From the newest down: a line that has one already passes no other up.
        let mut newest: Vec<Option<usize>> = vec![None; self.nodes.len()];
        for index in (0..self.nodes.len()).rev() {
            let mut at = Some(index);
            while let Some(slot) = at
                .and_then(|at| newest.get_mut(at))
                .filter(|slot| slot.is_none())
            {
                *slot = Some(index);
                at = at.and_then(|at| self.parent(at));
            }
        }
        newest.into_iter().map(|found| found.unwrap_or(0)).collect()
    }

    /// The prompts that several follow under one parent, at different times.
    fn forks(&self) -> Vec<Vec<usize>> {
        let mut prompts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for index in 0..self.nodes.len() {
            if let (Some(_), Some(parent)) = (self.time(index), self.parent(index)) {
                prompts.entry(parent).or_default().push(index);
            }
        }
        let differ = |siblings: &Vec<usize>| {
            let mut times = siblings.iter().map(|index| self.time(*index));
            let first = times.next();
            times.any(|time| Some(time) != first)
        };
        prompts.into_values().filter(differ).collect()
    }

    /// Of each fork the prompt that comes first by a rank.
    fn kept(&self, forks: &[Vec<usize>], rank: impl Fn(usize) -> usize) -> Vec<usize> {
        let best = |fork: &Vec<usize>| fork.iter().copied().max_by_key(|prompt| rank(*prompt));
        forks.iter().filter_map(best).collect()
    }

    /// The prompts of the forks that are not the kept ones, nor those written a second time.
    fn beside<'f>(
        &'f self,
        forks: &'f [Vec<usize>],
        kept: &'f [usize],
    ) -> impl Iterator<Item = usize> {
        forks.iter().zip(kept).flat_map(|(fork, kept)| {
            let other = |index: &usize| self.time(*index) != self.time(*kept);
            fork.iter().copied().filter(other)
        })
    }

    /// A line and all that it follows.
    fn climb(&self, end: usize) -> BTreeSet<usize> {
        let mut way = BTreeSet::new();
        let mut at = Some(end);
        while let Some(index) = at.filter(|index| way.insert(*index)) {
            at = self.parent(index);
        }
        way
    }

    fn parents_first(&self) -> Vec<usize> {
        let mut met = vec![false; self.nodes.len()];
        let mut order = Vec::with_capacity(self.nodes.len());
        for start in 0..self.nodes.len() {
            let mut climbed = Vec::new();
            let mut at = Some(start);
            while let Some(index) = at {
                match met.get_mut(index) {
                    Some(met) if !*met => *met = true,
                    _ => break,
                }
                climbed.push(index);
                at = self.parent(index);
            }
            order.extend(climbed.into_iter().rev());
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines as `id parent time`, a prompt's with a time.
    fn found(lines: &[&'static str], asked: Option<&str>) -> (String, Vec<usize>) {
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
        let ways = ways(&nodes, asked);
        let marks = ways.left.iter().map(|left| if *left { 'x' } else { '.' });
        let others = ways.branches.iter().filter(|way| !way.current);
        (
            marks.collect(),
            others.filter_map(|way| way.first).collect(),
        )
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
                &[3, 5],
            ),
            // Circles end.
            (&["a b", "b a", "p p 1", "q a 2", "r a 3"], "...x.", &[3]),
        ] {
            assert_eq!(
                found(lines, None),
                (marks.to_owned(), branches.to_vec()),
                "{lines:?}"
            );
        }
    }

    #[test]
    fn the_branch_that_is_asked_for_by_its_last_line_is_the_one_that_is_left_standing() {
        let lines = &[
            "a -", "p a 1", "b p", "q b 2", "c q", "r b 3", "s a 4", "d s",
        ];
        for (asked, marks) in [
            ("d", ".xxxxx.."),
            ("c", ".....xxx"),
            ("r", "...xx.xx"),
            // No branch ends there.
            ("b", ".xxxxx.."),
            ("gone", ".xxxxx.."),
        ] {
            assert_eq!(found(lines, Some(asked)).0, marks, "{asked}");
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
        assert!(ways(&nodes, None).branches.is_empty());
    }
}
