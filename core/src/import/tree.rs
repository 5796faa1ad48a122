//! The branches of a conversation that is a tree: retries and edits beside each other.

use std::collections::BTreeMap;

use crate::transcript::Branch;

/// One message of a tree, in file order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Node<'a> {
    /// Its own id.
    pub id: &'a str,
    /// The id it follows; `None` at a root.
    pub parent: Option<&'a str>,
    /// Its words, to name a branch by; empty when it has none.
    pub words: &'a str,
    /// The person said it.
    pub turn: bool,
    /// When, milliseconds since 1970; 0 when unknown.
    pub time: i64,
}

/// A tree, walked.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Walk {
    /// The nodes of the branch that was asked for, from the root on, as indexes.
    pub path: Vec<usize>,
    /// Every branch in file order of its end; none when there is only one way through the tree.
    pub branches: Vec<Branch>,
    /// The file names a current end that is not there; the newest one stands for it.
    pub dangling: bool,
    /// Nodes whose parent is not in the file, which begin a way of their own.
    pub orphans: Vec<usize>,
}

/// How many characters of a branch's first words are its title.
const TITLE: usize = 80;

/// Walks a tree to the end that is asked for, else to the current one, else to the newest: by time, then by
/// depth, then by place. The first node of an id counts; links in a circle end where they began.
pub(super) fn walk(nodes: &[Node<'_>], current: Option<&str>, asked: Option<&str>) -> Walk {
    let tree = Tree::new(nodes);
    let named = current.and_then(|id| tree.ids.get(id).copied());
    let mut ends = tree.leaves();
    if let Some(end) = named.filter(|end| !ends.contains(end)) {
        ends.push(end);
        ends.sort_unstable();
    }
    let newest = ends.iter().copied().max_by_key(|end| {
        let time = nodes.get(*end).map_or(0, |node| node.time);
        (time, tree.path(*end).len(), *end)
    });
    let current_end = named.or(newest);
    let chosen = asked
        .and_then(|id| tree.ids.get(id).copied())
        .filter(|end| ends.contains(end))
        .or(current_end);
    let branch = |end: &usize| tree.branch(*end, current_end == Some(*end));
    Walk {
        path: chosen.map(|end| tree.path(end)).unwrap_or_default(),
        branches: match ends.len() {
            0 | 1 => Vec::new(),
            _ => ends.iter().map(branch).collect(),
        },
        dangling: current.is_some() && named.is_none() && !nodes.is_empty(),
        orphans: tree.orphans(),
    }
}

struct Tree<'n, 'a> {
    nodes: &'n [Node<'a>],
    ids: BTreeMap<&'a str, usize>,
    parents: Vec<Option<usize>>,
    children: Vec<usize>,
}

impl<'n, 'a> Tree<'n, 'a> {
    fn new(nodes: &'n [Node<'a>]) -> Self {
        let places = nodes.iter().enumerate().rev();
        let ids: BTreeMap<&str, usize> = places.map(|(index, node)| (node.id, index)).collect();
        let parent = |(index, node): (usize, &Node<'a>)| {
            let found = ids.get(node.parent?).copied();
            found.filter(|parent| *parent != index && ids.get(node.id) == Some(&index))
        };
        let mut parents: Vec<Option<usize>> = nodes.iter().enumerate().map(parent).collect();
        cut_circles(&mut parents);
        let mut children = vec![0; nodes.len()];
        for parent in parents.iter().flatten() {
            if let Some(count) = children.get_mut(*parent) {
                *count += 1;
            }
        }
        Self {
            nodes,
            ids,
            parents,
            children,
        }
    }

    /// The nodes that nothing follows; a node whose id was there before is none.
    fn leaves(&self) -> Vec<usize> {
        let ends = self.nodes.iter().enumerate().zip(&self.children);
        let ends = ends.filter(|((index, node), children)| {
            **children == 0 && self.ids.get(node.id) == Some(index)
        });
        ends.map(|((index, _), _)| index).collect()
    }

    fn orphans(&self) -> Vec<usize> {
        let nodes = self.nodes.iter().enumerate();
        let lost = nodes.filter(|(_, node)| {
            node.parent
                .is_some_and(|parent| !self.ids.contains_key(parent))
        });
        lost.map(|(index, _)| index).collect()
    }

    /// The nodes from the root to this one.
    fn path(&self, end: usize) -> Vec<usize> {
        let parent = |index: &usize| self.parents.get(*index).copied().flatten();
        let mut path: Vec<usize> = std::iter::successors(Some(end), parent).collect();
        path.reverse();
        path
    }

    fn branch(&self, end: usize, current: bool) -> Branch {
        let path = self.path(end);
        let forks = |index: &usize| self.children.get(*index).is_some_and(|count| *count > 1);
        let own = path.iter().rposition(forks).map_or(0, |fork| fork + 1);
        let node = |index: &usize| self.nodes.get(*index);
        let words = path
            .iter()
            .skip(own)
            .filter_map(node)
            .map(|node| node.words)
            .find(|words| !words.trim().is_empty());
        Branch {
            id: node(&end).map_or("", |node| node.id).to_owned(),
            title: words.map(title).unwrap_or_default(),
            turns: path
                .iter()
                .filter_map(node)
                .filter(|node| node.turn)
                .count(),
            current,
        }
    }
}

/// Takes out of each circle the link by which it closes.
fn cut_circles(parents: &mut [Option<usize>]) {
    // The walk that met a node first; a node met again by the same walk closes a circle.
    let mut met: Vec<usize> = vec![0; parents.len()];
    for start in 0..parents.len() {
        let mut at = Some(start);
        let mut before = None;
        while let Some(index) = at {
            match met.get_mut(index) {
                Some(walk) if *walk == 0 => *walk = start + 1,
                Some(walk) if *walk == start + 1 => {
                    if let Some(link) = before.and_then(|before: usize| parents.get_mut(before)) {
                        *link = None;
                    }
                    break;
                }
                _ => break,
            }
            before = at;
            at = parents.get(index).copied().flatten();
        }
    }
}

/// The beginning of words on one line.
pub(super) fn title(words: &str) -> String {
    let mut line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(TITLE) {
        line.truncate(end);
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn node<'a>(id: &'a str, parent: &'a str, turn: bool) -> Node<'a> {
        Node {
            id,
            parent: Some(parent).filter(|parent| !parent.is_empty()),
            words: id,
            turn,
            time: 0,
        }
    }

    fn ids(walk: &Walk, nodes: &[Node<'_>]) -> String {
        let ids: Vec<&str> = walk.path.iter().map(|index| nodes[*index].id).collect();
        ids.join(" ")
    }

    #[test]
    fn the_current_end_decides_and_a_branch_can_be_asked_for() {
        let nodes = [
            node("q", "", true),
            node("a1", "q", false),
            node("a2", "q", false),
            node("q2", "a1", true),
        ];
        let current = walk(&nodes, Some("a2"), None);
        assert_eq!(ids(&current, &nodes), "q a2");
        let told: Vec<_> = current
            .branches
            .iter()
            .map(|b| (b.id.as_str(), b.title.as_str(), b.turns, b.current))
            .collect();
        assert_eq!(told, [("a2", "a2", 1, true), ("q2", "a1", 2, false)]);
        assert_eq!(
            ids(&walk(&nodes, Some("a2"), Some("q2")), &nodes),
            "q a1 q2"
        );
        let dangling = walk(&nodes, Some("gone"), None);
        assert_eq!(
            (ids(&dangling, &nodes).as_str(), dangling.dangling),
            ("q a1 q2", true)
        );
        let inner = walk(&nodes, Some("a1"), None);
        assert_eq!(ids(&inner, &nodes), "q a1");
        assert_eq!(inner.branches.len(), 3);
    }

    #[test]
    fn one_way_has_no_branches_and_a_lost_parent_begins_one() {
        let nodes = [node("a", "", true), node("b", "a", false)];
        assert_eq!(walk(&nodes, None, None).branches, []);
        let nodes = [node("a", "", true), node("b", "lost", true)];
        let lost = walk(&nodes, None, None);
        assert_eq!(
            (lost.orphans.as_slice(), lost.branches.len()),
            (&[1][..], 2)
        );
    }

    #[test]
    fn circles_and_repeated_ids_end() {
        let nodes = [
            node("a", "c", false),
            node("b", "a", false),
            node("c", "b", false),
            node("b", "b", false),
            node("d", "c", false),
        ];
        let walked = walk(&nodes, None, None);
        assert_eq!(ids(&walked, &nodes), "b c d");
    }

    #[test]
    fn a_title_is_the_beginning_on_one_line() {
        assert_eq!(title(" a\n\n b "), "a b");
        assert_eq!(title(&"é".repeat(81)), format!("{}…", "é".repeat(80)));
    }

    proptest! {
        #[test]
        fn every_tree_is_walked(links in prop::collection::vec((0u8..12, 0u8..14), 0..12), asked in 0u8..14) {
            let names: Vec<String> = (0..14u8).map(|n| n.to_string()).collect();
            let nodes: Vec<Node<'_>> = links
                .iter()
                .map(|(id, parent)| node(&names[*id as usize], &names[*parent as usize], true))
                .collect();
            let walked = walk(&nodes, None, Some(&names[asked as usize]));
            prop_assert_eq!(walked.path.is_empty(), nodes.is_empty());
            let mut path = walked.path.clone();
            path.dedup();
            prop_assert_eq!(&path, &walked.path);
            prop_assert!(walked.branches.iter().filter(|b| b.current).count() <= 1);
        }
    }
}
