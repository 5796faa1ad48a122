//! A file, opened step by step by who holds its bytes: first what is in it, then one conversation of it.
//!
//! The engine does no reading. [`Opening`] says which stretch of the file it needs next, takes it, and in the end
//! answers a [`File`]; [`File::pick`] opens one conversation the same way. Whatever the file's size, what is held
//! is the conversation at hand.
//!
//! ```
//! use galley_core::import::{Ask, Opening, Step};
//! let bytes = br#"[{"messages": [{"role": "user", "content": "a"}]}, {"messages": []}]"#;
//! let mut opening = Opening::new(bytes.len() as u64, Ask::default());
//! while let Step::Read { from, len } = opening.step() {
//!     opening.give(&bytes[from as usize..][..len as usize]).unwrap();
//! }
//! let file = opening.finish().unwrap();
//! assert_eq!(file.conversations.len(), 2);
//! ```

use serde::{Deserialize, Serialize};

use super::archive;
use super::container::{Directory, Entry, Listing};
use super::picking::Picking;
use super::reading::{End, Found, Reading, Unit};
use super::source::{Flow, Source, next};
use super::{Ask, Format, INVALID, readers, sniff, tree};
use crate::json::Notes;
use crate::refusal::{Refusal, Warning};
use crate::transcript::{AgentMessage, Branch, ContentBlock, Imported};

/// What an opening needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// These bytes of the file.
    Read {
        /// Where they begin.
        from: u64,
        /// How many they are.
        len: u64,
    },
    /// Nothing any more.
    Done,
}

/// A conversation of a file, as a list of them shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct Listed {
    /// Its number in the file, from 0.
    pub index: usize,
    /// Its name, or its first words.
    pub title: String,
    /// How often the person spoke.
    pub turns: usize,
    /// How many bytes of the (unpacked) file it takes; 0 when it is not apart from the others.
    pub bytes: u64,
    /// The ways through it, when it has several.
    pub branches: Vec<Branch>,
}

/// A file whose contents are known.
#[derive(Debug)]
pub struct File {
    /// What it is. Of an archive with several kinds, that of its first conversation.
    pub format: Format,
    /// Its conversations in file order.
    pub conversations: Vec<Listed>,
    /// What could not be read outside of the conversations, and what was mended, by position.
    pub warnings: Vec<Warning>,
    pub(super) size: u64,
    pub(super) ask: Ask,
    pub(super) places: Vec<(Source, Unit)>,
    /// What lies in the archive beside the conversations.
    pub(super) beside: Vec<Entry>,
    /// The conversations, when they are few enough to be kept; each is given out once and then read again.
    pub(super) kept: Vec<Option<Imported>>,
}

impl File {
    /// Opens one conversation, on the branch of this id or on its current one. Refuses `not_found` what is not
    /// in the file.
    pub fn pick(&mut self, index: usize, branch: Option<&str>) -> Result<Picking, Refusal> {
        let (Some(listed), Some((source, unit))) =
            (self.conversations.get(index), self.places.get(index))
        else {
            let message = format!("the file has {} conversations", self.conversations.len());
            return Err(Refusal::new("not_found", message).detail(index.to_string()));
        };
        if let Some(branch) = branch
            && !listed.branches.iter().any(|known| known.id == branch)
        {
            let message = "the conversation has no such branch: its branches are listed with it";
            return Err(Refusal::new("not_found", message).detail(branch));
        }
        let mut ask = self.ask.clone();
        ask.branch = branch.map(str::to_owned);
        let (source, unit) = (source.clone(), unit.clone());
        let kept = match branch {
            None => self.kept.get_mut(index).and_then(Option::take),
            Some(_) => None,
        };
        let beside = self.beside.clone();
        Ok(Picking::new(source, unit, ask, kept, beside, self.size))
    }
}

/// Opens a file.
pub struct Opening {
    file: File,
    stage: Stage,
    format: Option<Format>,
    notes: Notes,
    /// How many conversations are kept as they are read.
    keep: usize,
    /// The entries of the archive that are still to be read, the next one last.
    entries: Vec<Entry>,
    /// Why nothing could be read so far.
    refused: Option<Refusal>,
}

enum Stage {
    /// The first bytes are gathered to be looked at.
    Head(Vec<u8>),
    Listing(Directory, Step),
    Through(Box<Through>),
    Done,
}

impl Opening {
    /// The opening of a file of so many bytes.
    pub fn new(size: u64, ask: Ask) -> Self {
        Self {
            file: File {
                format: Format::Galley,
                conversations: Vec::new(),
                warnings: Vec::new(),
                size,
                ask,
                places: Vec::new(),
                beside: Vec::new(),
                kept: Vec::new(),
            },
            stage: Stage::Head(Vec::new()),
            format: None,
            notes: Notes::default(),
            keep: 1,
            entries: Vec::new(),
            refused: None,
        }
    }

    /// Keeps conversations up to so many as they are read; of a file with more, none.
    pub(super) fn keeping(mut self, conversations: usize) -> Self {
        self.keep = conversations;
        self
    }

    /// What is needed next.
    pub fn step(&self) -> Step {
        let next = match &self.stage {
            Stage::Head(held) => next(held.len() as u64, self.file.size),
            Stage::Listing(_, step) => Some(*step),
            Stage::Through(through) => through.flow.next(),
            Stage::Done => None,
        };
        next.unwrap_or(Step::Done)
    }

    /// Takes the bytes that were asked for, or the first of them; none are the end of the file. Refuses what is
    /// no conversation, and takes nothing more then.
    pub fn give(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        match std::mem::replace(&mut self.stage, Stage::Done) {
            Stage::Head(mut held) => {
                held.extend_from_slice(bytes);
                let more = !bytes.is_empty() && (held.len() as u64) < self.file.size;
                if more && held.len() < sniff::LOOKED_AT {
                    self.stage = Stage::Head(held);
                    return Ok(());
                }
                self.begin(&held)
            }
            Stage::Listing(directory, Step::Read { from, .. }) => {
                directory.give(from, bytes);
                self.list(directory, !bytes.is_empty())
            }
            Stage::Through(through) => self.through(through, bytes),
            Stage::Listing(_, Step::Done) | Stage::Done => Ok(()),
        }
    }

    /// What is in the file. Refuses `file_invalid` what is empty, damaged from the start or no conversation,
    /// naming the place, and `file_unsupported` what is recognised and not read, saying what to do.
    pub fn finish(mut self) -> Result<File, Refusal> {
        if self.file.size == 0 {
            self.begin(&[])?;
        }
        let read = self.format.filter(|format| {
            *format == Format::Galley
                || !self.file.conversations.is_empty()
                || self.refused.is_none()
        });
        let Some(format) = read else {
            let unread = || Refusal::new(INVALID, "the file was not read to its end");
            return Err(self.refused.unwrap_or_else(unread));
        };
        self.file.format = format;
        self.file.warnings = self.notes.finish();
        Ok(self.file)
    }

    fn begin(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        if sniff::is_zip(bytes) {
            let directory = Directory::new(self.file.size);
            directory.give(0, bytes);
            return self.list(directory, true);
        }
        if let Some(kind) = sniff::magic(bytes) {
            return Err(kind.refusal());
        }
        let through = Through::new(Source::File, &self.file);
        self.through(Box::new(through), bytes)
    }

    fn list(&mut self, directory: Directory, more: bool) -> Result<(), Refusal> {
        let (entries, unread) = match directory.read()? {
            Listing::Needs(from, len) if more => {
                self.stage = Stage::Listing(directory, Step::Read { from, len });
                return Ok(());
            }
            Listing::Needs(..) => (Vec::new(), Vec::new()),
            Listing::Whole(entries, unread) => (entries, unread),
        };
        for name in unread {
            let message = format!("{name} is encrypted, or packed in a way that is not read");
            self.notes.push(Warning::new("entry_not_read", message));
        }
        let (mut entries, beside) = archive::conversations(entries);
        entries.reverse();
        archive::told(&beside).for_each(|warning| self.notes.push(warning));
        self.entries = entries;
        self.file.beside = beside;
        self.refused = Some(Refusal::new(
            INVALID,
            "the archive holds no JSON or JSONL file of conversations: choose the export itself",
        ));
        self.following();
        Ok(())
    }

    /// Goes on to the next entry of the archive.
    fn following(&mut self) {
        if let Some(entry) = self.entries.pop() {
            let through = Through::new(Source::Entry(entry), &self.file);
            self.stage = Stage::Through(Box::new(through));
        }
    }

    fn through(&mut self, mut through: Box<Through>, bytes: &[u8]) -> Result<(), Refusal> {
        let over = match through.take(bytes) {
            Ok(found) => {
                self.found(&through, found);
                through.flow.ends_with(bytes).then(|| through.finish())
            }
            Err(refusal) => Some(Err(refusal)),
        };
        match over {
            None => {
                self.stage = Stage::Through(through);
                return Ok(());
            }
            Some(Ok(end)) => {
                self.format.get_or_insert(end.format);
                self.found(&through, end.found);
                for mut warning in end.warnings {
                    archive::name(&through.source, &mut warning);
                    self.notes.push(warning);
                }
            }
            Some(Err(refusal)) => self.unread(&through, refusal)?,
        }
        if matches!(through.source, Source::Entry(_)) {
            self.following();
        }
        Ok(())
    }

    /// Tells what of a source cannot be read, or not to its end. A file of which nothing is read is refused.
    fn unread(&mut self, through: &Through, refusal: Refusal) -> Result<(), Refusal> {
        let code = match through.source {
            Source::Entry(_) => "entry_not_read",
            _ if self.file.conversations.is_empty() => return Err(refusal),
            _ => "file_cut_off",
        };
        self.format = self.format.or(through.reading.format());
        let mut warning = Warning::new(code, refusal.message.clone());
        archive::name(&through.source, &mut warning);
        self.refused = Some(Refusal {
            message: warning.message.clone(),
            ..refusal
        });
        self.notes.push(warning);
        Ok(())
    }

    fn found(&mut self, through: &Through, found: Vec<Found>) {
        for Found { imported, unit } in found {
            let file = &mut self.file;
            file.conversations.push(Listed {
                index: file.conversations.len(),
                title: title(&imported).unwrap_or_else(|| archive::stem(&through.source)),
                turns: imported.turns(),
                bytes: unit.part.span().map_or(0, |span| span.len as u64),
                branches: imported.branches.clone(),
            });
            if file.places.len() < self.keep {
                file.kept.push(Some(imported));
            } else {
                file.kept = Vec::new();
            }
            let source = match (&through.source, through.flow.is_plain()) {
                (Source::File, true) => Source::Plain,
                (source, _) => source.clone(),
            };
            file.places.push((source, unit));
        }
    }
}

/// A source on its way through.
struct Through {
    source: Source,
    flow: Flow,
    reading: Reading,
}

impl Through {
    fn new(source: Source, file: &File) -> Self {
        Self {
            flow: Flow::new(&source, file.size),
            reading: Reading::new(file.ask.clone(), readers::ALL),
            source,
        }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<Vec<Found>, Refusal> {
        let plain = self.flow.push(bytes)?;
        self.reading.push(&plain)
    }

    fn finish(&mut self) -> Result<End, Refusal> {
        let rest = self.flow.finish()?;
        let reading = std::mem::replace(
            &mut self.reading,
            Reading::new(Ask::default(), readers::ALL),
        );
        reading.finish_with(&rest)
    }
}

/// The name of a conversation, or its first words.
fn title(imported: &Imported) -> Option<String> {
    let said = imported
        .messages
        .iter()
        .filter_map(|message| match message {
            AgentMessage::User { content, .. } => content.iter().find_map(|block| match block {
                ContentBlock::Text { text } => Some(text.as_str()),
                _ => None,
            }),
            _ => None,
        });
    let named = imported.title.as_deref().into_iter().chain(said);
    let titles = named.map(tree::title).filter(|title| !title.is_empty());
    titles.into_iter().next()
}

#[cfg(test)]
mod tests;
