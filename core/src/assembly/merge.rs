//! The wire rule: adjacent segments of one role make one entry.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::segment::{Entry, Part, Segment, Words, flatten};
use crate::tokens::Texts;

/// How adjacent texts of one entry are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Merge {
    /// One part, joined by a blank line.
    #[default]
    Fold,
    /// Each its own part.
    Parts,
}

/// An entry and the segments it comes from, as a range of indexes.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// The entry.
    pub entry: Entry,
    /// First segment.
    pub from: usize,
    /// One past the last.
    pub to: usize,
}

/// Merges and flattens. Segments that hold nothing are expected to be gone.
pub fn merge(segments: &[Rc<Segment>], how: Merge, texts: &mut Texts) -> Vec<Merged> {
    let mut merged = Vec::with_capacity(segments.len());
    let mut entries = Vec::new();
    let mut from = 0;
    while from < segments.len() {
        let to = group_end(segments, from);
        let group: Vec<&Segment> = segments
            .iter()
            .take(to)
            .skip(from)
            .map(Rc::as_ref)
            .collect();
        flatten(&group, &mut entries);
        for (index, mut entry) in entries.drain(..).enumerate() {
            if how == Merge::Fold {
                fold(&mut entry, texts);
            }
            // What stands behind the message is the last segment's alone.
            let message = index == 0 && matches!(entry, Entry::Message { .. });
            merged.push(Merged {
                entry,
                from: if message { from } else { to - 1 },
                to,
            });
        }
        from = to;
    }
    merged
}

/// One past the last segment of the group that begins at `from`.
fn group_end(segments: &[Rc<Segment>], from: usize) -> usize {
    let mut to = from + 1;
    while let (Some(older), Some(newer)) = (segments.get(to - 1), segments.get(to)) {
        if older.alone || newer.alone || older.has_tail() || older.role != newer.role {
            break;
        }
        to += 1;
    }
    to
}

/// Runs of adjacent texts become one.
fn fold(entry: &mut Entry, texts: &mut Texts) {
    let Entry::Message { parts, .. } = entry else {
        return;
    };
    if parts.len() < 2 {
        return;
    }
    let mut folded: Vec<Part> = Vec::with_capacity(parts.len());
    for run in parts.chunk_by(|a, b| matches!((a, b), (Part::Words(_), Part::Words(_)))) {
        let words: Vec<&Words> = run
            .iter()
            .filter_map(|part| match part {
                Part::Words(words) => Some(words),
                Part::Upload(..) => None,
            })
            .collect();
        match words.as_slice() {
            [] | [_] => folded.extend(run.iter().cloned()),
            several => folded.push(Part::Words(Words::fold(texts, several))),
        }
    }
    *parts = folded;
}

#[cfg(test)]
mod tests {
    use super::super::segment::{Call, Id, Output};
    use super::*;
    use crate::role::Role;

    fn words(texts: &mut Texts, text: &str) -> Part {
        Part::Words(Words::new(texts, text))
    }

    fn shape(merged: &[Merged]) -> Vec<String> {
        merged
            .iter()
            .map(|merged| match &merged.entry {
                Entry::Message { role, parts, .. } => {
                    let parts: Vec<String> = parts
                        .iter()
                        .map(|part| match part {
                            Part::Words(words) => words.text.as_str().to_owned(),
                            Part::Upload(id, _) => format!("[{}]", id.id),
                        })
                        .collect();
                    format!("{} {}", role.as_str(), parts.join("|"))
                }
                Entry::Call(call) => format!("call {}", call.id.id),
                Entry::Output(output) => format!("output {}", output.id.id),
            })
            .collect()
    }

    fn says(texts: &mut Texts, role: Role, text: &str) -> Rc<Segment> {
        Rc::new(Segment {
            role,
            parts: vec![words(texts, text)],
            ..Segment::default()
        })
    }

    #[test]
    fn neighbours_of_one_role_fold_or_keep_their_parts() {
        let mut texts = Texts::new();
        let segments = [
            says(&mut texts, Role::User, "one"),
            says(&mut texts, Role::User, "two"),
            says(&mut texts, Role::Assistant, "three"),
        ];
        assert_eq!(
            shape(&merge(&segments, Merge::Fold, &mut texts)),
            ["user one\n\ntwo", "assistant three"]
        );
        assert_eq!(
            shape(&merge(&segments, Merge::Parts, &mut texts)),
            ["user one|two", "assistant three"]
        );
    }

    #[test]
    fn pictures_keep_their_seam() {
        let mut texts = Texts::new();
        let with = |texts: &mut Texts, text: &str, id: &str| {
            Rc::new(Segment {
                parts: vec![words(texts, text), Part::Upload(Id::new(id), 0)],
                ..Segment::default()
            })
        };
        let segments = [with(&mut texts, "A", "pic1"), with(&mut texts, "B", "pic2")];
        assert_eq!(
            shape(&merge(&segments, Merge::Fold, &mut texts)),
            ["user A|[pic1]|B|[pic2]"]
        );
    }

    #[test]
    fn a_tail_ends_its_group_and_its_picture_speaks_as_the_user() {
        let mut texts = Texts::new();
        let (name, out) = (Words::new(&mut texts, "read"), Words::new(&mut texts, "x"));
        let round = Rc::new(Segment {
            role: Role::Assistant,
            calls: vec![Call {
                id: Id::new("c"),
                name: name.clone(),
                arguments: out.clone(),
            }],
            outputs: vec![Output {
                id: Id::new("c"),
                name,
                output: out,
                is_error: false,
            }],
            pictures: vec![Part::Upload(Id::new("pic"), 0)],
            ..Segment::default()
        });
        let segments = [
            says(&mut texts, Role::Assistant, "looking"),
            round,
            says(&mut texts, Role::Assistant, "seen"),
        ];
        let merged = merge(&segments, Merge::Fold, &mut texts);
        assert_eq!(
            shape(&merged),
            [
                "assistant looking",
                "call c",
                "output c",
                "user [pic]",
                "assistant seen"
            ]
        );
        assert_eq!(
            merged.iter().map(|m| (m.from, m.to)).collect::<Vec<_>>(),
            [(0, 2), (1, 2), (1, 2), (1, 2), (2, 3)]
        );
    }

    #[test]
    fn what_is_alone_stays_alone() {
        let mut texts = Texts::new();
        let steer = Rc::new(Segment {
            parts: vec![words(&mut texts, "steer")],
            alone: true,
            ..Segment::default()
        });
        let segments = [
            says(&mut texts, Role::User, "a"),
            steer.clone(),
            steer,
            says(&mut texts, Role::User, "b"),
        ];
        assert_eq!(
            shape(&merge(&segments, Merge::Fold, &mut texts)),
            ["user a", "user steer", "user steer", "user b"]
        );
    }
}
