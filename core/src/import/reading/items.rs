//! A list whose items are conversations, read item by item.

use super::cutter::{Cut, Cutter};
use super::{Found, Part, Span, in_order};
use crate::import::readers::{Read, ReadValue, Readers};
use crate::import::record::Record;
use crate::import::shapes::Reads;
use crate::import::{Ask, Format};
use crate::json::{Notes, Place};
use crate::refusal::{Refusal, Warning};

#[derive(Debug)]
pub(super) struct Items {
    reads: &'static Reads,
    read: Read,
    value: ReadValue,
    /// What is not read yet, and where it begins.
    bytes: Vec<u8>,
    place: Place,
    cutter: Cutter,
    index: usize,
    ended: bool,
    /// Something follows the list.
    followed: Option<Place>,
}

impl Items {
    /// A list that begins after so many bytes. Refuses a format that this build does not read.
    pub fn new(reads: &'static Reads, readers: Readers, offset: usize) -> Result<Self, Refusal> {
        Ok(Self {
            reads,
            read: readers.records(reads.format)?,
            value: readers.value,
            bytes: Vec::new(),
            place: Place {
                line: 1,
                offset: offset as u64,
            },
            cutter: Cutter::default(),
            index: 0,
            ended: false,
            followed: None,
        })
    }

    pub fn format(&self) -> Format {
        self.reads.format
    }

    pub fn push(&mut self, slice: &[u8], ask: &Ask, notes: &mut Notes) -> Vec<Found> {
        self.bytes.extend_from_slice(slice);
        let bytes = std::mem::take(&mut self.bytes);
        let mut found = Vec::new();
        let mut counted = 0;
        while !self.ended {
            match self.cutter.next(&bytes) {
                None => break,
                Some(Cut::End) => self.ended = true,
                Some(Cut::Item(from, to)) => {
                    let item = bytes.get(from..to).unwrap_or_default();
                    self.pass(bytes.get(counted..from).unwrap_or_default());
                    counted = from;
                    found.extend(self.item(item, ask, notes));
                }
            }
        }
        let done = self.cutter.done();
        self.pass(bytes.get(counted..done).unwrap_or_default());
        self.cutter.forget(done);
        let rest = bytes.get(done..).unwrap_or_default();
        if !self.ended {
            self.bytes = rest.to_vec();
            return found;
        }
        let blank = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let (blanks, after) = rest.split_at(blank);
        self.pass(blanks);
        if !after.is_empty() {
            self.followed.get_or_insert(self.place);
        }
        self.pass(after);
        found
    }

    pub fn finish(mut self, ask: &Ask, notes: &mut Notes) -> (Format, Vec<Found>) {
        let mut found = Vec::new();
        if !self.ended {
            let rest = std::mem::take(&mut self.bytes);
            let end = rest.len()
                - rest
                    .iter()
                    .rev()
                    .take_while(|b| b.is_ascii_whitespace())
                    .count();
            let item = rest.get(..end).unwrap_or_default();
            let message =
                "the list is cut off; what is there is read: export it again for the rest";
            let place = self.place;
            notes.push(Warning::new("file_cut_off", message).in_source(place.line, place.offset));
            if !item.is_empty() && (self.value)(item, place, &mut Notes::default()).is_ok() {
                found = self.item(item, ask, notes);
            }
        }
        if let Some(place) = self.followed {
            let message = "something follows the list; it is not read";
            notes.push(Warning::new("not_read", message).in_source(place.line, place.offset));
        }
        (self.reads.format, found)
    }

    /// Goes past bytes.
    fn pass(&mut self, bytes: &[u8]) {
        self.place.offset += bytes.len() as u64;
        self.place.line += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
    }

    fn item(&mut self, item: &[u8], ask: &Ask, notes: &mut Notes) -> Vec<Found> {
        let index = self.index;
        self.index += 1;
        let place = self.place;
        match (self.value)(item, place, notes) {
            Ok(value) => {
                let span = Span {
                    place,
                    len: item.len(),
                };
                let record = Record::item(value, index, place);
                let read = (self.read)(vec![record], ask, notes);
                in_order(read, Part::Item(self.reads, index, span))
            }
            Err(fault) => {
                let message = format!("the item is no JSON and is skipped: {}", fault.message);
                let warning = Warning::new("item_unreadable", message).at(format!("/{index}"));
                notes.push(warning.in_source(fault.line, fault.offset));
                Vec::new()
            }
        }
    }
}
