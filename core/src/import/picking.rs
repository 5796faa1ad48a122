//! One conversation of a file, opened step by step.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::archive;
use super::container::Entry;
use super::opening::Step;
use super::reading::{Found, Part, Reading, Unit};
use super::source::{Flow, Source};
use super::{Ask, INVALID, readers};
use crate::refusal::Refusal;
use crate::transcript::{AgentMessage, Attachment, ContentBlock, Imported};

/// The most bytes of a picture that are put into a conversation.
const PICTURE: u64 = 32 * 1024 * 1024;

/// Opens a conversation.
pub struct Picking {
    unit: Unit,
    ask: Ask,
    stage: Stage,
    /// The pictures that lie beside the conversation and are still to be read, the next one last.
    pictures: Vec<(usize, Entry)>,
    beside: Vec<Entry>,
}

enum Stage {
    /// The bytes of the conversation come.
    Part(Flow, Take),
    /// Those of a picture.
    Picture(Box<Imported>, usize, Flow, Vec<u8>),
    Done(Box<Imported>),
    /// It was refused.
    Over,
}

/// What is done with the bytes of a source.
enum Take {
    /// A stretch of them is kept: so many are passed over first, so many wanted.
    Span(u64, usize, Vec<u8>),
    /// All of them are read.
    Whole(Box<Reading>, Vec<Found>),
}

impl Picking {
    pub(super) fn new(
        source: Source,
        unit: Unit,
        ask: Ask,
        kept: Option<Imported>,
        beside: Vec<Entry>,
        size: u64,
    ) -> Self {
        let flow = || Flow::new(&source, size);
        let stage = match (unit.part.span(), &source) {
            (Some(span), Source::Plain) => {
                let flow = Flow::stretch(span.place.offset, span.len as u64);
                Stage::Part(flow, Take::Span(0, span.len, Vec::new()))
            }
            (Some(span), _) => {
                Stage::Part(flow(), Take::Span(span.place.offset, span.len, Vec::new()))
            }
            (None, _) => Stage::Part(
                flow(),
                Take::Whole(
                    Box::new(Reading::new(ask.clone(), readers::ALL)),
                    Vec::new(),
                ),
            ),
        };
        let mut picking = Self {
            unit,
            ask,
            stage,
            pictures: Vec::new(),
            beside,
        };
        if let Some(imported) = kept {
            picking.stage = picking.with_pictures(imported);
        }
        picking
    }

    /// What is needed next.
    pub fn step(&self) -> Step {
        let next = match &self.stage {
            Stage::Part(flow, _) | Stage::Picture(_, _, flow, _) => flow.next(),
            Stage::Done(_) | Stage::Over => None,
        };
        next.unwrap_or(Step::Done)
    }

    /// Takes the bytes that were asked for, or the first of them; none are the end of the file. Refuses a file
    /// that is not the one that was listed.
    pub fn give(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        self.stage = match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::Part(flow, take) => self.part(flow, take, bytes)?,
            Stage::Picture(imported, index, flow, held) => {
                self.picture(imported, index, flow, held, bytes)
            }
            stage => stage,
        };
        Ok(())
    }

    /// The conversation.
    pub fn finish(mut self) -> Result<Imported, Refusal> {
        if let Stage::Part(..) = self.stage {
            self.give(&[])?;
        }
        match self.stage {
            Stage::Done(imported) | Stage::Picture(imported, ..) => Ok(*imported),
            Stage::Part(..) | Stage::Over => Err(gone()),
        }
    }

    fn part(&mut self, mut flow: Flow, mut take: Take, bytes: &[u8]) -> Result<Stage, Refusal> {
        let mut plain = flow.push(bytes)?;
        let mut over = flow.ends_with(bytes);
        if over {
            plain.extend(flow.finish()?);
        }
        match &mut take {
            Take::Span(skip, len, held) => {
                let skipped = (*skip).min(plain.len() as u64);
                *skip -= skipped;
                let rest = plain.get(skipped as usize..).unwrap_or_default();
                let wanted = rest.len().min(*len - held.len());
                held.extend_from_slice(rest.get(..wanted).unwrap_or_default());
                over |= held.len() == *len;
            }
            Take::Whole(reading, found) => found.extend(reading.push(&plain)?),
        }
        if !over {
            return Ok(Stage::Part(flow, take));
        }
        let read = match take {
            Take::Span(_, _, held) => self.unit.part.again(&held, &self.ask)?,
            Take::Whole(reading, mut found) => {
                found.extend(reading.finish()?.found);
                let whole = |found: &Found| matches!(found.unit.part, Part::Whole);
                let found = found.into_iter().filter(whole);
                found.map(|found| found.imported).collect()
            }
        };
        let imported = read.into_iter().nth(self.unit.nth).ok_or_else(gone)?;
        Ok(self.with_pictures(imported))
    }

    /// Goes on to the pictures that lie beside the conversation in its archive.
    fn with_pictures(&mut self, imported: Imported) -> Stage {
        let facts = imported.attachments.iter().enumerate();
        let beside = facts.filter_map(|(index, attachment)| {
            let entry = archive::beside(attachment, &self.beside)?;
            (entry.bytes <= PICTURE).then(|| (index, entry.clone()))
        });
        self.pictures = beside.collect();
        self.following(Box::new(imported))
    }

    fn following(&mut self, imported: Box<Imported>) -> Stage {
        match self.pictures.pop() {
            Some((index, entry)) => {
                let flow = Flow::new(&Source::Entry(entry), u64::MAX);
                Stage::Picture(imported, index, flow, Vec::new())
            }
            None => Stage::Done(imported),
        }
    }

    fn picture(
        &mut self,
        mut imported: Box<Imported>,
        index: usize,
        mut flow: Flow,
        mut held: Vec<u8>,
        bytes: &[u8],
    ) -> Stage {
        let mut plain = flow.push(bytes);
        let over = plain.is_err() || flow.ends_with(bytes);
        if let Ok(plain) = &plain {
            held.extend_from_slice(plain);
        }
        if !over {
            return Stage::Picture(imported, index, flow, held);
        }
        if plain.is_ok() {
            plain = flow.finish();
        }
        // A damaged picture stays what it was: named, and not there.
        if let Ok(rest) = plain {
            held.extend(rest);
            put(&mut imported, index, &held);
        }
        self.following(imported)
    }
}

/// Puts the bytes of an attachment into its place: a picture is one, of anything else the size is known now.
fn put(imported: &mut Imported, index: usize, bytes: &[u8]) {
    let Some(attachment) = imported.attachments.get_mut(index) else {
        return;
    };
    attachment.byte_size = bytes.len() as u64;
    let Some(mime) = picture(bytes) else {
        return;
    };
    let Attachment { message, block, .. } = *attachment;
    let content = match imported.messages.get_mut(message) {
        Some(
            AgentMessage::User { content, .. }
            | AgentMessage::Assistant { content, .. }
            | AgentMessage::FunctionResult { content, .. }
            | AgentMessage::Custom { content, .. },
        ) => content,
        None => return,
    };
    let Some(placeholder) = content.get_mut(block) else {
        return;
    };
    let stood = std::mem::replace(
        placeholder,
        ContentBlock::Image {
            mime: mime.to_owned(),
            data: STANDARD.encode(bytes),
        },
    );
    // Later attachments are read already, so their places in the list are not needed any more.
    imported.attachments.remove(index);
    if let ContentBlock::Text { text } = stood {
        let told = imported.warnings.iter().position(|warning| {
            warning.code == "attachment_not_read" && warning.message.starts_with(&text)
        });
        if let Some(told) = told {
            imported.warnings.remove(told);
        }
    }
}

/// The MIME type of a picture, by its first bytes.
fn picture(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => Some("image/webp"),
        _ => None,
    }
}

fn gone() -> Refusal {
    let message = "the conversation is not where it was in the file: open the file again";
    Refusal::new(INVALID, message)
}
