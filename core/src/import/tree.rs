//! The branches of a conversation that is a tree: retries and edits beside each other.

use std::collections::BTreeMap;

use super::pen::Pen;
use super::record::At;
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
    /// Nodes whose parent comes after them on the same way; their links close a circle and are not followed.
    pub circles: Vec<usize>,
    /// Nodes whose id was there before; they lie on no way.
    pub repeated: Vec<usize>,
}

/// How many characters of a branch's first words are its title.
const TITLE: usize = 80;

/// Walks a tree to the end that is asked for, else to the current one, else to the newest: by time, then by
/// depth, then by place. The first node of an id counts; links in a circle end where they began.
pub(super) fn walk(nodes: &[Node<'_>], current: Option<&str>, asked: Option<&str>) -> Walk {
    let tree = Tree::new(nodes, current);
    let named = current.and_then(|id| tree.ids.get(id).copied());
    let mut ends = tree.leaves();
    if let Some(end) = named.filter(|end| !ends.contains(end)) {
        ends.push(end);
        ends.sort_unstable();
    }
    let newest = ends.iter().copied().max_by_key(|end| {
        let way = tree.way(*end);
        (way.time, way.depth, *end)
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
        repeated: tree.repeated(),
        circles: tree.circles,
    }
}

impl Walk {
    /// Everything was taken back: what was is there to be asked for. The only way there is is shown all the same.
    pub fn taken_back(&mut self, pen: &mut Pen, asked: Option<&str>) {
        self.branches
            .iter_mut()
            .for_each(|branch| branch.current = false);
        if self.branches.is_empty() && !self.path.is_empty() {
            let says = "everything was taken back; it is shown all the same";
            pen.tell("all_taken_back", says, &At::default());
        } else if !self
            .branches
            .iter()
            .any(|branch| Some(branch.id.as_str()) == asked)
        {
            self.path.clear();
        }
    }

    /// Puts the branches into the transcript and tells what of the tree is not as the file says; `place` gives
    /// where a node stands, `whole` where the conversation does.
    pub fn tell(&mut self, pen: &mut Pen, whole: &At, place: impl Fn(usize) -> Option<At>) {
        pen.transcript().branches = std::mem::take(&mut self.branches);
        if self.dangling {
            let says = "the message that the file has as the current one is not in it; the newest one stands for it";
            pen.tell("current_not_in_file", says, whole);
        }
        let says = "messages follow one that is not in the file; each begins a way of its own";
        let orphans = self
            .orphans
            .iter()
            .map(|index| (index, "parent_not_in_file", says));
        let says = "messages follow one that follows them; such a link is not followed";
        let circles = self
            .circles
            .iter()
            .map(|index| (index, "parent_in_a_circle", says));
        let says = "messages with the id of one before are not read";
        let repeated = self
            .repeated
            .iter()
            .map(|index| (index, "message_repeated", says));
        for (index, code, says) in orphans.chain(circles).chain(repeated) {
            let at = place(*index).unwrap_or_else(|| whole.clone());
            pen.count(code, "", says, &at);
        }
    }
}

struct Tree<'n, 'a> {
    nodes: &'n [Node<'a>],
    ids: BTreeMap<&'a str, usize>,
    parents: Vec<Option<usize>>,
    children: Vec<usize>,
    ways: Vec<Way<'a>>,
    circles: Vec<usize>,
}

/// The way from the root to a node.
#[derive(Clone, Copy, Default)]
struct Way<'a> {
    depth: usize,
    /// The last time on it that is known.
    time: i64,
    /// How often the person spoke on it.
    turns: usize,
    /// Its first words since it last forked.
    words: &'a str,
}

impl<'n, 'a> Tree<'n, 'a> {
    /// The tree, its circles cut so that the current end keeps all of its way: whatever branch is asked for, the
    /// same ones are there.
    fn new(nodes: &'n [Node<'a>], current: Option<&str>) -> Self {
        let places = nodes.iter().enumerate().rev();
        let ids: BTreeMap<&str, usize> = places.map(|(index, node)| (node.id, index)).collect();
        let parent = |(index, node): (usize, &Node<'a>)| {
            let found = ids.get(node.parent?).copied();
            found.filter(|_| ids.get(node.id) == Some(&index))
        };
        let mut parents: Vec<Option<usize>> = nodes.iter().enumerate().map(parent).collect();
        let circles = cut_circles(&mut parents, current.and_then(|id| ids.get(id).copied()));
        let mut children = vec![0; nodes.len()];
        for parent in parents.iter().flatten() {
            if let Some(count) = children.get_mut(*parent) {
                *count += 1;
            }
        }
        let mut tree = Self {
            nodes,
            ids,
            parents,
            children,
            ways: vec![Way::default(); nodes.len()],
            circles,
        };
        for index in tree.parents_first() {
            let way = tree.lengthened(index);
            if let Some(slot) = tree.ways.get_mut(index) {
                *slot = way;
            }
        }
        tree
    }

    fn parent(&self, index: usize) -> Option<usize> {
        self.parents.get(index).copied().flatten()
    }

    fn way(&self, index: usize) -> Way<'a> {
        self.ways.get(index).copied().unwrap_or_default()
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

    /// The way to a node, by the way to its parent.
    fn lengthened(&self, index: usize) -> Way<'a> {
        let node = self.nodes.get(index).copied().unwrap_or_default();
        let parent = self.parent(index);
        let before = parent.map(|parent| self.way(parent)).unwrap_or_default();
        let forks = parent.is_none_or(|parent| self.children.get(parent).is_some_and(|n| *n > 1));
        Way {
            depth: before.depth + 1,
            time: match node.time {
                0 => before.time,
                time => time,
            },
            turns: before.turns + usize::from(node.turn),
            words: match forks || before.words.trim().is_empty() {
                true => node.words,
                false => before.words,
            },
        }
    }

    /// Whether a node is the first one of its id.
    fn is_first(&self, index: usize) -> bool {
        let node = self.nodes.get(index);
        node.is_some_and(|node| self.ids.get(node.id) == Some(&index))
    }

    /// The nodes that nothing follows.
    fn leaves(&self) -> Vec<usize> {
        let ends = self.children.iter().enumerate();
        let ends = ends.filter(|(index, children)| **children == 0 && self.is_first(*index));
        ends.map(|(index, _)| index).collect()
    }

    fn orphans(&self) -> Vec<usize> {
        let nodes = self.nodes.iter().enumerate();
        let lost = nodes.filter(|(_, node)| {
            node.parent
                .is_some_and(|parent| !self.ids.contains_key(parent))
        });
        lost.map(|(index, _)| index).collect()
    }

    fn repeated(&self) -> Vec<usize> {
        let nodes = 0..self.nodes.len();
        nodes.filter(|index| !self.is_first(*index)).collect()
    }

    /// The nodes from the root to this one.
    fn path(&self, end: usize) -> Vec<usize> {
        let parent = |index: &usize| self.parent(*index);
        let mut path: Vec<usize> = std::iter::successors(Some(end), parent).collect();
        path.reverse();
        path
    }

    fn branch(&self, end: usize, current: bool) -> Branch {
        let way = self.way(end);
        Branch {
            id: self.nodes.get(end).map_or("", |node| node.id).to_owned(),
            title: title(way.words),
            turns: way.turns,
            current,
        }
    }
}

/// Takes out of each circle the link by which it closes, one walked from `first` before all others; answers the
/// nodes whose links these were.
fn cut_circles(parents: &mut [Option<usize>], first: Option<usize>) -> Vec<usize> {
    // The walk that met a node first; a node met again by the same walk closes a circle.
    let mut met: Vec<usize> = vec![0; parents.len()];
    let mut cut = Vec::new();
    let starts = first.into_iter().chain(0..parents.len());
    for (walk, start) in (1..).zip(starts) {
        let mut at = Some(start);
        let mut before: Option<usize> = None;
        while let Some(index) = at {
            match met.get_mut(index) {
                Some(met) if *met == 0 => *met = walk,
                Some(met) if *met == walk => {
                    if let Some(last) = before
                        && let Some(link) = parents.get_mut(last)
                    {
                        *link = None;
                        cut.push(last);
                    }
                    break;
                }
                _ => break,
            }
            before = at;
            at = parents.get(index).copied().flatten();
        }
    }
    cut
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
    fn a_circle_is_cut_in_one_place_whatever_branch_is_asked_for() {
        let nodes = [("a", "b"), ("b", "a"), ("c", "b"), ("d", "a")];
        let nodes = nodes.map(|(id, parent)| node(id, parent, true));
        let listed = walk(&nodes, Some("c"), None).branches;
        assert_eq!(listed.len(), 2);
        for branch in &listed {
            let walked = walk(&nodes, Some("c"), Some(&branch.id));
            assert_eq!(walked.branches, listed);
            let end = walked.path.last().map(|end| nodes[*end].id);
            assert_eq!(end, Some(branch.id.as_str()));
        }
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
        assert_eq!((walked.circles, walked.repeated), (vec![1], vec![3]));
        let own = walk(&[node("a", "a", true)], None, None);
        assert_eq!((own.path, own.circles), (vec![0], vec![0]));
    }

    #[test]
    fn a_comb_of_many_ends_is_walked_once() {
        let names: Vec<String> = (0..100_000).map(|n| n.to_string()).collect();
        let parent = |n: usize| n.checked_sub(1 + n % 2).map_or("", |p| names[p].as_str());
        let nodes: Vec<Node<'_>> = (0..names.len())
            .map(|n| node(&names[n], parent(n), true))
            .collect();
        let walked = walk(&nodes, None, None);
        assert_eq!(walked.branches.len(), 50_001);
        assert_eq!(walked.path.len(), 50_000);
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
