//! Where bytes come from, and how they come: stretch by stretch, unpacked on the way.

use super::container::{Entry, Stream};
use super::opening::Step;
use crate::refusal::Refusal;

/// How much is read at once.
const SLICE: u64 = 1024 * 1024;

/// Where bytes come from.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// The file, unpacked when its bytes are packed.
    File,
    /// The file, whose bytes are not packed: any stretch of it can be read by itself.
    Plain,
    /// An entry of the archive that the file is.
    Entry(Entry),
}

impl Source {
    /// The stretch of the file, of so many bytes, to read from beginning to end.
    fn stretch(&self, size: u64) -> (u64, u64) {
        match self {
            Self::File | Self::Plain => (0, size),
            Self::Entry(entry) => (entry.from, entry.from.saturating_add(entry.packed)),
        }
    }

    /// What undoes its packing.
    fn stream(&self) -> Stream {
        match self {
            Self::File | Self::Plain => Stream::default(),
            Self::Entry(entry) => Stream::of_entry(entry),
        }
    }
}

/// The next stretch of one that is read to its end.
pub(super) fn next(at: u64, end: u64) -> Option<Step> {
    let len = SLICE.min(end.checked_sub(at)?);
    (len > 0).then_some(Step::Read { from: at, len })
}

/// The bytes of a source on their way.
pub(super) struct Flow {
    at: u64,
    end: u64,
    stream: Stream,
}

impl Flow {
    /// All of a source, in a file of so many bytes.
    pub fn new(source: &Source, size: u64) -> Self {
        let (at, end) = source.stretch(size);
        let stream = source.stream();
        Self { at, end, stream }
    }

    /// A stretch of a file that is not packed.
    pub fn stretch(from: u64, len: u64) -> Self {
        Self {
            at: from,
            end: from + len,
            stream: Stream::default(),
        }
    }

    /// What is read next; nothing at the end.
    pub fn next(&self) -> Option<Step> {
        next(self.at, self.end)
    }

    /// Takes what was read and answers it unpacked.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Refusal> {
        self.at += bytes.len() as u64;
        self.stream.push(bytes)
    }

    /// Whether the bytes that were pushed last are the last; none are the end of the file.
    pub fn ends_with(&self, bytes: &[u8]) -> bool {
        self.at >= self.end || bytes.is_empty()
    }

    /// What is still to come of the packing.
    pub fn finish(&mut self) -> Result<Vec<u8>, Refusal> {
        self.stream.finish()
    }

    /// Whether the bytes are not packed.
    pub fn is_plain(&self) -> bool {
        self.stream.is_plain()
    }
}
