//! What can be read: which turns reach here, which of them are context, where reading starts.
//!
//! Nothing of it is stored; it follows from the turns.

use super::Conversation;
use super::native::{Turn, Visibility};

/// The turns a request reads from, in order, as indexes into the file's turns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surface {
    /// Turns that are context.
    pub turns: Vec<usize>,
    /// Where in `turns` reading starts: the newest standing summary, or 0.
    pub start: usize,
    /// Whether a summary stands there.
    pub cut: bool,
}

impl Conversation {
    /// A turn's place: its position, else its index.
    pub fn position(&self, index: usize) -> i64 {
        self.turns
            .get(index)
            .and_then(|turn| turn.position)
            .unwrap_or(index as i64)
    }

    /// Whether the turn is this conversation's own or inherited up to an ancestor's boundary.
    pub fn reaches(&self, index: usize) -> bool {
        let Some(turn) = self.turns.get(index) else {
            return false;
        };
        match turn.conversation.as_deref() {
            None => true,
            Some(own) if own == self.id => true,
            Some(other) => self
                .ancestors
                .iter()
                .any(|a| a.conversation == other && self.position(index) <= a.boundary_position),
        }
    }

    /// All turns that reach here, by position.
    pub fn reachable(&self) -> Vec<usize> {
        let mut turns: Vec<usize> = (0..self.turns.len())
            .filter(|index| self.reaches(*index))
            .collect();
        turns.sort_by_key(|index| self.position(*index));
        turns
    }

    /// The assembly surface: reachable turns that are visible and not deleted, strictly below `before`.
    pub fn surface(&self, before: Option<i64>) -> Surface {
        let mut turns = self.reachable();
        turns.retain(|index| {
            is_context(self, *index) && before.is_none_or(|before| self.position(*index) < before)
        });
        let summary = turns.iter().rposition(|index| {
            self.turns
                .get(*index)
                .is_some_and(Turn::is_standing_summary)
        });
        Surface {
            turns,
            start: summary.unwrap_or(0),
            cut: summary.is_some(),
        }
    }

    /// The boundary position of the parent, for a side conversation.
    pub fn side_boundary(&self) -> Option<i64> {
        let parent = self.ancestors.iter().find(|ancestor| ancestor.depth == 1)?;
        self.side.then_some(parent.boundary_position)
    }
}

fn is_context(file: &Conversation, index: usize) -> bool {
    file.turns
        .get(index)
        .is_some_and(|turn| turn.visibility == Visibility::Visible && !turn.deleted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn conversation(value: serde_json::Value) -> Conversation {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn inherited_turns_reach_up_to_their_boundary() {
        let fork = conversation(
            json!({"id": "c2", "ancestors": [{"depth": 1, "conversation": "c1", "boundary_position": 1}],
            "turns": [
                {"position": 0, "conversation": "c1", "text": "a"},
                {"position": 1, "conversation": "c1", "text": "b"},
                {"position": 2, "conversation": "c1", "text": "past the boundary"},
                {"position": 2, "text": "own"},
                {"position": 3, "conversation": "elsewhere", "text": "no"}]}),
        );
        assert_eq!(fork.surface(None).turns, [0, 1, 3]);
    }

    #[test]
    fn reading_starts_at_the_newest_standing_summary() {
        let one = conversation(json!({"turns": [
            {"text": "a"},
            {"kind": "compaction_summary", "content": "first"},
            {"text": "b"},
            {"kind": "compaction_summary", "content": "second"},
            {"kind": "compaction_summary", "content": "half", "status": "failed"},
            {"text": "c", "visibility": "hidden"},
            {"text": "d", "deleted": true}]}));
        assert_eq!(
            one.surface(None),
            Surface {
                turns: vec![0, 1, 2, 3, 4],
                start: 3,
                cut: true
            }
        );
        assert_eq!(
            one.surface(Some(3)),
            Surface {
                turns: vec![0, 1, 2],
                start: 1,
                cut: true
            }
        );
        assert_eq!(
            one.surface(Some(1)),
            Surface {
                turns: vec![0],
                start: 0,
                cut: false
            }
        );
    }
}
