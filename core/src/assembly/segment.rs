//! Segments: the unit of pricing, selection and merge. And the parts they are made of, each with its
//! canonical bytes, so that nothing is measured twice.

use std::rc::Rc;

use crate::json::canonical::string_bytes;
use crate::role::Role;
use crate::seal::{self, Label, bytes};
use crate::tokens::{Text, Texts};

/// A counted text with its bytes as a JSON string.
#[derive(Clone, Debug, PartialEq)]
pub struct Words {
    /// The text.
    pub text: Text,
    /// Bytes as a JSON string, quotes included.
    pub json_bytes: u64,
    /// False when it holds U+0000.
    pub storable: bool,
}

impl Words {
    /// The words of a text.
    pub fn new(texts: &mut Texts, text: &str) -> Self {
        Self {
            text: texts.text(text),
            json_bytes: string_bytes(text),
            storable: !text.contains('\0'),
        }
    }

    /// Texts joined by a blank line.
    pub fn fold(texts: &mut Texts, words: &[&Words]) -> Self {
        const BLANK_LINE: &str = "\n\n";
        // Each line feed is two bytes in JSON, and the quotes of all but one go.
        let between = words.len().saturating_sub(1) as u64;
        let parts: Vec<Text> = words.iter().map(|words| words.text.clone()).collect();
        Self {
            text: texts.join(&parts, BLANK_LINE),
            json_bytes: words.iter().map(|words| words.json_bytes).sum::<u64>() + between * 2,
            storable: words.iter().all(|words| words.storable),
        }
    }
}

/// An id with its bytes as a JSON string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Id {
    /// The id.
    pub id: Rc<str>,
    /// Bytes as a JSON string, quotes included.
    pub json_bytes: u64,
}

impl Id {
    /// An id.
    pub fn new(id: &str) -> Self {
        Self {
            id: id.into(),
            json_bytes: string_bytes(id),
        }
    }
}

/// One part of a segment.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Words.
    Words(Words),
    /// An upload sent natively, with its declared cost in tokens.
    Upload(Id, u64),
}

impl Part {
    /// Canonical bytes as a part of an entry.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Words(words) => bytes::text_part(words.json_bytes),
            Self::Upload(id, _) => bytes::upload_part(id.json_bytes),
        }
    }

    /// Whether it contributes nothing on the wire.
    pub fn is_blank(&self) -> bool {
        matches!(self, Self::Words(words) if words.text.is_blank())
    }

    fn fill(&self, texts: &mut Texts) -> u64 {
        match self {
            Self::Words(words) => texts.fill(&words.text),
            Self::Upload(_, cost) => *cost,
        }
    }

    fn sealed(&self) -> seal::Part {
        match self {
            Self::Words(words) => seal::Part::Text {
                text: words.text.as_str().to_owned(),
            },
            Self::Upload(id, _) => seal::Part::Upload {
                upload_public_id: id.id.to_string(),
            },
        }
    }
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Its id within its round.
    pub id: Id,
    /// The tool as called.
    pub name: Words,
    /// The model's own string.
    pub arguments: Words,
}

/// What answers a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The call's id.
    pub id: Id,
    /// The tool as called.
    pub name: Words,
    /// What the model reads.
    pub output: Words,
    /// Whether it is flagged as an error.
    pub is_error: bool,
}

/// Where a segment comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Index of the turn in the file.
    pub turn: Option<usize>,
    /// Index of the round in the turn's run.
    pub round: Option<usize>,
}

/// The unit of pricing, selection and merge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Segment {
    /// Who speaks.
    pub role: Role,
    /// Words and uploads in order.
    pub parts: Vec<Part>,
    /// Calls behind the words.
    pub calls: Vec<Call>,
    /// Their results.
    pub outputs: Vec<Output>,
    /// Pictures the results brought.
    pub pictures: Vec<Part>,
    /// Never merged with a neighbour.
    pub alone: bool,
    /// The label of its words.
    pub label: Option<Label>,
    /// Where it comes from.
    pub source: Source,
}

impl Segment {
    /// Words of one role.
    pub fn words(role: Role, words: Words) -> Self {
        Self {
            role,
            parts: vec![Part::Words(words)],
            ..Self::default()
        }
    }

    /// Whether there is nothing in it at all, so that it counts nowhere and separates nobody.
    pub fn is_nothing(&self) -> bool {
        self.parts.iter().all(Part::is_blank) && !self.has_tail()
    }

    /// Whether calls, results or pictures stand behind its words: it ends its group.
    pub fn has_tail(&self) -> bool {
        !self.calls.is_empty() || !self.outputs.is_empty() || !self.pictures.is_empty()
    }

    /// Its fill cost: each text by itself, each native upload as declared.
    pub fn fill(&self, texts: &mut Texts) -> u64 {
        let parts = self
            .parts
            .iter()
            .chain(&self.pictures)
            .map(|part| part.fill(texts))
            .sum::<u64>();
        let calls = self
            .calls
            .iter()
            .map(|call| texts.fill(&call.name.text) + texts.fill(&call.arguments.text))
            .sum::<u64>();
        let outputs = self
            .outputs
            .iter()
            .map(|output| texts.fill(&output.output.text))
            .sum::<u64>();
        parts.saturating_add(calls).saturating_add(outputs)
    }

    /// Canonical bytes as entries of its own, unmerged and unfolded.
    pub fn bytes(&self) -> u64 {
        let mut entries = Vec::new();
        flatten(&[self], &mut entries);
        entries.iter().map(Entry::bytes).sum()
    }
}

/// One entry of a plan.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A message.
    Message {
        /// Who speaks.
        role: Role,
        /// Words and uploads in order, none of them blank.
        parts: Vec<Part>,
        /// Its label.
        label: Option<Label>,
    },
    /// A call.
    Call(Call),
    /// A result.
    Output(Output),
}

impl Entry {
    /// Its canonical bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Message { role, parts, label } => bytes::message(
                *role,
                parts.len(),
                parts.iter().map(Part::bytes).sum(),
                label.as_ref(),
            ),
            Self::Call(call) => bytes::call(
                call.id.json_bytes,
                call.name.json_bytes,
                call.arguments.json_bytes,
            ),
            Self::Output(output) => bytes::output(
                output.id.json_bytes,
                output.name.json_bytes,
                output.output.json_bytes,
                output.is_error,
            ),
        }
    }

    /// The texts that count.
    pub fn texts(&self) -> Vec<&Words> {
        match self {
            Self::Message { parts, .. } => parts
                .iter()
                .filter_map(|part| match part {
                    Part::Words(words) => Some(words),
                    Part::Upload(..) => None,
                })
                .collect(),
            Self::Call(call) => vec![&call.name, &call.arguments],
            Self::Output(output) => vec![&output.output],
        }
    }

    /// Whether it can be stored: no text and no name in it holds U+0000.
    pub fn storable(&self) -> bool {
        let named = match self {
            Self::Message { .. } => true,
            Self::Call(call) => !call.id.id.contains('\0'),
            Self::Output(output) => output.name.storable && !output.id.id.contains('\0'),
        };
        named && self.texts().iter().all(|words| words.storable)
    }

    /// The entry as the wire carries it.
    pub fn sealed(&self) -> seal::Entry {
        match self {
            Self::Message { role, parts, label } => seal::Entry::Message {
                role: *role,
                parts: parts.iter().map(Part::sealed).collect(),
                phase: label.as_ref().map(|label| label.phase.clone()),
                native_origin: label.as_ref().and_then(|label| label.native_origin.clone()),
            },
            Self::Call(call) => seal::Entry::Call {
                r#type: seal::CallItem::Item,
                payload: seal::CallPayload {
                    call_id: call.id.id.to_string(),
                    name: call.name.text.as_str().to_owned(),
                    arguments: call.arguments.text.as_str().to_owned(),
                },
            },
            Self::Output(output) => seal::Entry::Output {
                r#type: seal::OutputItem::Item,
                payload: seal::OutputPayload {
                    call_id: output.id.id.to_string(),
                    name: output.name.text.as_str().to_owned(),
                    output: output.output.text.as_str().to_owned(),
                    is_error: output.is_error,
                },
            },
        }
    }
}

/// One group of segments as entries: the message, then the last one's calls, results and pictures.
pub fn flatten(group: &[&Segment], entries: &mut Vec<Entry>) {
    let Some(last) = group.last() else { return };
    let said = |parts: &[Part]| {
        parts
            .iter()
            .filter(|part| !part.is_blank())
            .cloned()
            .collect::<Vec<_>>()
    };
    let parts: Vec<Part> = group
        .iter()
        .flat_map(|segment| said(&segment.parts))
        .collect();
    if !parts.is_empty() {
        // A pair: the newest label in the group.
        let label = group.iter().rev().find_map(|segment| segment.label.clone());
        entries.push(Entry::Message {
            role: last.role,
            parts,
            label,
        });
    }
    entries.extend(last.calls.iter().cloned().map(Entry::Call));
    entries.extend(last.outputs.iter().cloned().map(Entry::Output));
    let pictures = said(&last.pictures);
    if !pictures.is_empty() {
        entries.push(Entry::Message {
            role: Role::User,
            parts: pictures,
            label: None,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::canonical::value_bytes;

    #[test]
    fn a_fold_measures_as_the_text_it_is() {
        let mut texts = Texts::new();
        let words = ["a\n\"b\"", "汉", "c"].map(|text| Words::new(&mut texts, text));
        let fold = Words::fold(&mut texts, &words.iter().collect::<Vec<_>>());
        assert_eq!(fold.text.as_str(), "a\n\"b\"\n\n汉\n\nc");
        assert_eq!(fold.json_bytes, string_bytes(fold.text.as_str()));
    }

    #[test]
    fn a_segment_measures_as_its_sealed_entries() {
        let mut texts = Texts::new();
        let mut words = |text: &str| Words::new(&mut texts, text);
        let segment = Segment {
            role: Role::Assistant,
            parts: vec![Part::Words(words("calling")), Part::Words(words(" "))],
            calls: vec![Call {
                id: Id::new("c1"),
                name: words("read"),
                arguments: words("{\"a\":1}"),
            }],
            outputs: vec![Output {
                id: Id::new("c1"),
                name: words("read"),
                output: words("x"),
                is_error: true,
            }],
            pictures: vec![Part::Upload(Id::new("up1"), 2_500)],
            ..Segment::default()
        };
        let mut entries = Vec::new();
        flatten(&[&segment], &mut entries);
        let sealed: u64 = entries
            .iter()
            .map(|entry| value_bytes(&serde_json::to_value(entry.sealed()).unwrap()))
            .sum();
        assert_eq!((entries.len(), segment.bytes()), (4, sealed));
        assert_eq!(segment.fill(&mut texts), 2 + 1 + 2 + 1 + 2_500);
    }
}
