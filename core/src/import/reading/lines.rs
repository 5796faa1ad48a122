//! A file by lines, read line by line.

use super::{Found, Part, Span, in_order};
use crate::import::lines::{self, Line};
use crate::import::readers::Read;
use crate::import::record::Record;
use crate::import::shapes::Reads;
use crate::import::{Ask, Format};
use crate::json::{Fault, Notes, Place};

#[derive(Debug)]
pub(super) struct Lines {
    reads: &'static Reads,
    read: Read,
    /// What is not read yet, and where it begins.
    bytes: Vec<u8>,
    place: Place,
    /// Up to where no line ends.
    searched: usize,
    /// Records that are a conversation together.
    together: Vec<Record>,
    /// What was wrong in the newest line; whether it was the last one has to show.
    held: Option<(Fault, bool)>,
}

impl Lines {
    /// Lines that begin after so many bytes.
    pub fn new(reads: &'static Reads, read: Read, offset: usize) -> Self {
        Self {
            reads,
            read,
            bytes: Vec::new(),
            place: Place {
                line: 1,
                offset: offset as u64,
            },
            searched: 0,
            together: Vec::new(),
            held: None,
        }
    }

    pub fn format(&self) -> Format {
        self.reads.format
    }

    pub fn push(&mut self, slice: &[u8], ask: &Ask, notes: &mut Notes) -> Vec<Found> {
        self.bytes.extend_from_slice(slice);
        let bytes = std::mem::take(&mut self.bytes);
        let mut found = Vec::new();
        let (mut from, mut searched) = (0, self.searched);
        while let Some(at) = bytes
            .get(searched..)
            .and_then(|rest| rest.iter().position(|byte| *byte == b'\n'))
        {
            let end = searched + at;
            found.extend(self.line(bytes.get(from..end).unwrap_or_default(), ask, notes));
            self.place.line += 1;
            self.place.offset += (end + 1 - from) as u64;
            from = end + 1;
            searched = from;
        }
        self.bytes = bytes.get(from..).unwrap_or_default().to_vec();
        self.searched = self.bytes.len();
        found
    }

    pub fn finish(mut self, ask: &Ask, notes: &mut Notes) -> (Format, Vec<Found>) {
        let rest = std::mem::take(&mut self.bytes);
        let mut found = self.line(&rest, ask, notes);
        self.tell(true, notes);
        if !self.together.is_empty() {
            let read = (self.read)(self.together, ask, notes);
            found.extend(in_order(read, Part::Whole));
        }
        (self.reads.format, found)
    }

    fn line(&mut self, line: &[u8], ask: &Ask, notes: &mut Notes) -> Vec<Found> {
        let place = self.place;
        let Some(read) = lines::read(line, place) else {
            return Vec::new();
        };
        self.tell(false, notes);
        let Line {
            values,
            notes: mended,
            fault,
            resumed,
        } = read;
        notes.absorb(mended);
        self.held = fault.map(|fault| (fault, resumed));
        let mut apart = Vec::new();
        for value in values {
            let each = (self.reads.each)(&value);
            let record = Record::new(value, place);
            match each {
                true => apart.extend((self.read)(vec![record], ask, notes)),
                false => self.together.push(record),
            }
        }
        let span = Span {
            place,
            len: line.len(),
        };
        in_order(apart, Part::Line(self.reads, span))
    }

    fn tell(&mut self, last: bool, notes: &mut Notes) {
        if let Some((fault, resumed)) = self.held.take() {
            notes.push(lines::unreadable(&fault, resumed, last));
        }
    }
}
