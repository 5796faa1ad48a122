//! Messages that keep in their place the other ways in which they were said: swipes, versions, answers of
//! several models to one question. A conversation goes on behind the chosen way; any other one ends a branch.

use super::tree::{self, Node};
use crate::transcript::Branch;

/// One way in which a message was said.
#[derive(Debug, Default)]
pub(super) struct Way {
    /// The file's id of it, or its place where the file gives none.
    pub id: String,
    /// Its words.
    pub words: String,
    /// The person said it.
    pub turn: bool,
    /// When, milliseconds since 1970; 0 when unknown.
    pub time: i64,
}

/// The ways of one message.
#[derive(Debug, Default)]
pub(super) struct Ways {
    /// All of them, in file order.
    pub ways: Vec<Way>,
    /// The one that the conversation goes on from.
    pub chosen: usize,
}

/// The messages up to the way that is asked for, else all of them, each as its index and that of its way; and
/// the branches, none when nothing was said in two ways.
pub(super) fn walk(messages: &[Ways], asked: Option<&str>) -> (Vec<(usize, usize)>, Vec<Branch>) {
    let (mut nodes, mut places) = (Vec::new(), Vec::new());
    let mut before = None;
    for (message, Ways { ways, chosen }) in messages.iter().enumerate() {
        for (number, way) in ways.iter().enumerate() {
            nodes.push(Node {
                id: &way.id,
                parent: before,
                words: &way.words,
                turn: way.turn,
                time: way.time,
            });
            places.push((message, number));
        }
        before = ways.get(*chosen).map(|way| way.id.as_str()).or(before);
    }
    let walked = tree::walk(&nodes, before, asked);
    let place = |index: usize| places.get(index).copied();
    let path = walked.path.into_iter().filter_map(place);
    (path.collect(), walked.branches)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(id: &str, ways: usize, chosen: usize) -> Ways {
        let way = |number| Way {
            id: format!("{id}/{number}"),
            words: format!("{id} {number}"),
            ..Way::default()
        };
        Ways {
            ways: (0..ways).map(way).collect(),
            chosen,
        }
    }

    #[test]
    fn the_conversation_goes_on_behind_the_chosen_way() {
        let messages = [
            said("a", 1, 0),
            said("b", 3, 1),
            said("c", 0, 0),
            said("d", 2, 0),
        ];
        let (path, branches) = walk(&messages, None);
        assert_eq!(path, [(0, 0), (1, 1), (3, 0)]);
        let told: Vec<(&str, bool)> = branches
            .iter()
            .map(|b| (b.id.as_str(), b.current))
            .collect();
        assert_eq!(
            told,
            [
                ("b/0", false),
                ("b/2", false),
                ("d/0", true),
                ("d/1", false)
            ]
        );
        assert_eq!(walk(&messages, Some("b/2")).0, [(0, 0), (1, 2)]);
        assert_eq!(walk(&[said("a", 1, 0)], None).1, []);
    }
}
