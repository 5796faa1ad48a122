//! A file, read slice by slice: each conversation is given out as soon as it is whole.
//!
//! A list of conversations, and the lines of a log or a data set, are let go of as they are read. Only what
//! shows to be one value is gathered first.

mod asked;
mod cutter;
mod items;
mod lines;
mod printed;

use serde_json::Value;

use super::lines as line;
use super::readers::{self, Read, ReadValue, Readers};
use super::record::Record;
use super::shapes::{self, Kind, Reads};
use super::{Ask, Format, INVALID, guess, plain, sniff, unknown, unreadable};
use crate::json::{self, Notes, Place};
use crate::refusal::{Refusal, Warning};
use crate::transcript::Imported;
use asked::Doubt;
use items::Items;
use lines::Lines;

/// The most bytes that are gathered of a file that is one value.
const GATHERED: usize = 512 * 1024 * 1024;

/// The most bytes of lines that are gathered to find out what a file is.
const SAMPLE: usize = 16 * 1024 * 1024;

/// A conversation and where it stands.
#[derive(Debug)]
pub(super) struct Found {
    /// The conversation.
    pub imported: Imported,
    /// What has to be read to read it again.
    pub unit: Unit,
}

/// A part of a file that is read by itself.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// Which part.
    pub part: Part,
    /// Which of its conversations, from 0.
    pub nth: usize,
}

/// A part of a file.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// All of it.
    Whole,
    /// An item of the list that the file is.
    Item(&'static Reads, usize, Span),
    /// A line.
    Line(&'static Reads, Span),
}

/// A stretch of the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// Where it begins.
    pub place: Place,
    /// How many bytes it has.
    pub len: usize,
}

/// What the end of a file brings.
#[derive(Debug)]
pub(super) struct End {
    /// What the file is.
    pub format: Format,
    /// The conversations that were not given out before.
    pub found: Vec<Found>,
    /// What could not be read outside of the conversations, and what was mended.
    pub warnings: Vec<Warning>,
}

/// Reads a file.
#[derive(Debug)]
pub(super) struct Reading {
    ask: Ask,
    readers: Readers,
    notes: Notes,
    /// What was gathered from the beginning of the source on.
    bytes: Vec<u8>,
    state: State,
    /// The file looks like something else than what it is read as.
    doubt: Option<Doubt>,
}

#[derive(Debug)]
enum State {
    /// What the file is does not show yet.
    Start(Start),
    /// It is one value.
    Whole,
    Lines(Lines),
    Items(Items),
}

/// How far the beginning has been looked at.
#[derive(Debug, Default)]
struct Start {
    /// Where the first line ends.
    newline: Option<usize>,
    /// The first line is a value by itself.
    line_is_whole: bool,
    /// How many lines that are not blank ended so far, and up to which byte they were counted.
    lines: (usize, usize),
    /// The line that has not ended is not blank.
    written: bool,
    /// Looks for the end of the first item of a list; gone when the items are no conversations.
    cutter: Option<cutter::Cutter>,
    /// The first item was looked at.
    item_seen: bool,
}

impl Reading {
    /// A reading by these readers.
    pub fn new(ask: Ask, readers: Readers) -> Self {
        Self {
            ask,
            readers,
            notes: Notes::default(),
            bytes: Vec::new(),
            state: State::Start(Start::default()),
            doubt: None,
        }
    }

    /// Takes the next slice and gives out the conversations that became whole by it. Refuses what shows to be
    /// of a kind that is not read.
    pub fn push(&mut self, slice: &[u8]) -> Result<Vec<Found>, Refusal> {
        let found = match &mut self.state {
            State::Lines(lines) => lines.push(slice, &self.ask, &mut self.notes),
            State::Items(items) => items.push(slice, &self.ask, &mut self.notes),
            State::Start(_) | State::Whole => self.gather(slice)?,
        };
        Ok(asked::settle(&mut self.doubt, found))
    }

    fn gather(&mut self, slice: &[u8]) -> Result<Vec<Found>, Refusal> {
        if self.bytes.len().saturating_add(slice.len()) > GATHERED {
            let message = format!(
                "the file is one value of more than {GATHERED} bytes: split it, or export fewer conversations"
            );
            return Err(Refusal::new("file_too_large", message));
        }
        self.bytes.extend_from_slice(slice);
        if let Some(refusal) = sniff::unpacked(&self.bytes) {
            return Err(refusal);
        }
        match &mut self.state {
            State::Start(start) => {
                match start.look(&self.bytes, self.ask.format, self.readers.value) {
                    Look::Wait => Ok(Vec::new()),
                    Look::Whole => {
                        self.state = State::Whole;
                        Ok(Vec::new())
                    }
                    Look::Lines(looks) => self.as_lines(looks),
                    Look::Items(reads) => {
                        let mut items = Items::new(reads, self.readers, after_mark(&self.bytes))?;
                        let bytes = std::mem::take(&mut self.bytes);
                        let rest = bytes.get(after_mark(&bytes)..).unwrap_or_default();
                        let found = items.push(rest, &self.ask, &mut self.notes);
                        self.state = State::Items(items);
                        Ok(found)
                    }
                }
            }
            _ => Ok(Vec::new()),
        }
    }

    /// What the file has shown to be, when it has.
    pub fn format(&self) -> Option<Format> {
        match &self.state {
            State::Lines(lines) => Some(lines.format()),
            State::Items(items) => Some(items.format()),
            State::Start(_) | State::Whole => None,
        }
    }

    /// The last bytes of the file and its end.
    pub fn finish_with(mut self, rest: &[u8]) -> Result<End, Refusal> {
        let mut found = self.push(rest)?;
        let mut end = self.finish()?;
        found.append(&mut end.found);
        Ok(End { found, ..end })
    }

    /// The end of the file. Refuses what is empty, damaged from the start, or no conversation.
    pub fn finish(mut self) -> Result<End, Refusal> {
        let state = std::mem::replace(&mut self.state, State::Whole);
        let (format, found) = match state {
            State::Lines(lines) => lines.finish(&self.ask, &mut self.notes),
            State::Items(items) => items.finish(&self.ask, &mut self.notes),
            State::Start(_) | State::Whole => {
                let bytes = std::mem::take(&mut self.bytes);
                return self.whole(&bytes);
            }
        };
        self.end(format, found)
    }

    /// The format that is asked for, else the one that the file looks like.
    fn format_of(&mut self, looks: Result<Format, Refusal>) -> Result<Format, Refusal> {
        match self.ask.format {
            Some(asked) if looks.as_ref().ok() != Some(&asked) => {
                self.doubt = Some(Doubt::new(asked, looks));
                Ok(asked)
            }
            _ => looks,
        }
    }

    /// How JSON of that format is divided. Refuses a format that is no JSON, and a native file among others.
    fn reads(&mut self, looks: Result<Format, Refusal>) -> Result<&'static Reads, Refusal> {
        let format = self.format_of(looks)?;
        let message = "a native file is one JSON object and nothing after it; this one goes on";
        let native = || Refusal::new(INVALID, message);
        let refusal = self.doubt.as_ref().map(|doubt| doubt.refusal.clone());
        shapes::reads(format).ok_or_else(|| refusal.unwrap_or_else(native))
    }

    fn end(mut self, format: Format, found: Vec<Found>) -> Result<End, Refusal> {
        let found = asked::settle(&mut self.doubt, found);
        if let Some(doubt) = self.doubt {
            return Err(doubt.refusal);
        }
        let mut warnings = self.notes.finish();
        warnings.sort_by_key(|warning| (warning.offset.is_none(), warning.offset));
        Ok(End {
            format,
            found,
            warnings,
        })
    }

    fn as_lines(&mut self, looks: Result<Format, Refusal>) -> Result<Vec<Found>, Refusal> {
        let reads = self.reads(looks)?;
        let read = self.readers.records(reads.format)?;
        let bytes = std::mem::take(&mut self.bytes);
        let mark = after_mark(&bytes);
        let mut lines = Lines::new(reads, read, mark);
        let rest = bytes.get(mark..).unwrap_or_default();
        let found = lines.push(rest, &self.ask, &mut self.notes);
        self.state = State::Lines(lines);
        Ok(found)
    }

    fn whole(mut self, bytes: &[u8]) -> Result<End, Refusal> {
        let text = json::text(bytes, &mut self.notes);
        let Some(start) = sniff::start(&text.bytes) else {
            return Err(Refusal::new(
                INVALID,
                "the file is empty: choose the file that holds the conversation",
            ));
        };
        let plain = text.bytes.get(start..).and_then(plain::of);
        let looks = plain.map(plain::Kind::format);
        // No text begins as JSON does.
        let json = matches!(text.bytes.get(start), Some(b'{' | b'['));
        let as_text = match self.ask.format {
            Some(asked) => !json && plain::read().any(|format| format == asked),
            None => matches!(looks, Some(Ok(_))),
        };
        if as_text {
            let unknown = || Refusal::new(INVALID, "it is a text of no known format");
            let behind = behind_words(&text, &mut Notes::default());
            let behind = behind.and_then(|value| shapes::of(&value));
            let behind = behind.map(Kind::format).ok_or_else(unknown);
            let looks = looks.unwrap_or(behind);
            let format = self.format_of(looks)?;
            let read = self.readers.texts(format)?;
            let found = read(&text, &self.ask, &mut self.notes);
            return self.end(format, in_order(found, Part::Whole));
        }
        // Lines that the beginning alone does not show: decoded ones, few ones, a first one that is broken.
        let several = first_is_whole(&text.bytes, start);
        let value = match several {
            true => None,
            false => match (self.readers.value)(&text.bytes, text.place, &mut self.notes) {
                Ok(value) => Some(value),
                Err(_) if line::any_is_whole(&text.bytes) => None,
                Err(fault) => {
                    if let Some((format, records)) = printed::values(&text, &mut self.notes) {
                        let reads = self.reads(Ok(format))?;
                        return self.records(reads, records);
                    }
                    if let Some(value) = behind_words(&text, &mut self.notes) {
                        return self.value(value);
                    }
                    let looks = looks.unwrap_or_else(|| Err(unreadable(&fault)));
                    let format = self.format_of(looks)?;
                    return self.end(format, Vec::new());
                }
            },
        };
        if let Some(value) = value {
            return self.value(value);
        }
        let reads = self.reads(of_lines(&text.bytes))?;
        let read = self.readers.records(reads.format)?;
        let mut lines = Lines::new(reads, read, text.place.offset as usize);
        let mut found = lines.push(&text.bytes, &self.ask, &mut self.notes);
        let (format, rest) = lines.finish(&self.ask, &mut self.notes);
        found.extend(rest);
        self.end(format, found)
    }

    fn value(mut self, value: Value) -> Result<End, Refusal> {
        let looks = shapes::of(&value).map(Kind::format);
        if looks == Some(Format::Galley) && self.ask.format.is_none_or(|f| f == Format::Galley) {
            return self.end(Format::Galley, Vec::new());
        }
        let reads = self.reads(looks.ok_or_else(|| unknown(&value)))?;
        let each = match value.as_array().map(Vec::as_slice) {
            None | Some([]) => false,
            Some(items) => items.iter().all(reads.each),
        };
        let record = Record::whole(value);
        let records = match each {
            true => record.items(),
            false => vec![record],
        };
        self.records(reads, records)
    }

    /// Reads records: those that are a conversation each, and the rest together.
    fn records(mut self, reads: &'static Reads, records: Vec<Record>) -> Result<End, Refusal> {
        let read = self.readers.records(reads.format)?;
        let each = |record: &Record| (reads.each)(&record.value);
        let (apart, together): (Vec<Record>, Vec<Record>) = records.into_iter().partition(each);
        let mut groups: Vec<Vec<Record>> = apart.into_iter().map(|record| vec![record]).collect();
        groups.extend(Some(together).filter(|together| !together.is_empty()));
        let groups = groups.into_iter();
        let found = groups.flat_map(|group| read(group, &self.ask, &mut self.notes));
        let found = in_order(found.collect(), Part::Whole);
        self.end(reads.format, found)
    }
}

impl Part {
    /// The stretch of the source it is; `None` for all of it.
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::Whole => None,
            Self::Item(_, _, span) | Self::Line(_, span) => Some(*span),
        }
    }

    /// Reads the part again from its bytes.
    pub fn again(&self, bytes: &[u8], ask: &Ask) -> Result<Vec<Imported>, Refusal> {
        // What stands outside of the conversations was told when the file was read.
        let mut notes = Notes::default();
        match self {
            Self::Whole => {
                let mut reading = Reading::new(ask.clone(), readers::ALL);
                let mut found = reading.push(bytes)?;
                found.extend(reading.finish()?.found);
                Ok(found.into_iter().map(|found| found.imported).collect())
            }
            Self::Item(reads, index, span) => {
                let value = (readers::ALL.value)(bytes, span.place, &mut notes);
                let value = value.map_err(|fault| unreadable(&fault))?;
                let record = Record::item(value, *index, span.place);
                let read = readers::ALL.records(reads.format)?;
                Ok(read(vec![record], ask, &mut notes))
            }
            Self::Line(reads, span) => {
                let read: Read = readers::ALL.records(reads.format)?;
                let values = line::read(bytes, span.place).map_or(Vec::new(), |line| line.values);
                let records = values.into_iter().filter(|value| (reads.each)(value));
                let records = records.map(|value| Record::new(value, span.place));
                Ok(records
                    .flat_map(|record| read(vec![record], ask, &mut notes))
                    .collect())
            }
        }
    }
}

/// The conversations of a part, numbered.
fn in_order(found: Vec<Imported>, part: Part) -> Vec<Found> {
    let numbered = found.into_iter().enumerate().map(|(nth, imported)| Found {
        imported,
        unit: Unit {
            part: part.clone(),
            nth,
        },
    });
    numbered.collect()
}

/// What the beginning of a file shows.
enum Look {
    Wait,
    Whole,
    /// Lines that look like this.
    Lines(Result<Format, Refusal>),
    Items(&'static Reads),
}

impl Start {
    fn look(&mut self, bytes: &[u8], asked: Option<Format>, read: ReadValue) -> Look {
        if bytes.len() < 3 {
            return Look::Wait;
        }
        if matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
            return Look::Whole;
        }
        let mark = after_mark(bytes);
        let text = bytes.get(mark..).unwrap_or_default();
        let Some(start) = sniff::start(text) else {
            return Look::Wait;
        };
        let text = text.get(start..).unwrap_or_default();
        if !matches!(text.first(), Some(b'{' | b'[')) {
            return Look::Whole;
        }
        self.count(text);
        // Before the line: whether that is whole shows only later, and must not depend on how a file is sliced.
        if text.first() == Some(&b'[') && !self.item_seen {
            match self.first_item(text, asked, read) {
                Some(reads) => return Look::Items(reads),
                None if !self.item_seen => return Look::Wait,
                None => {}
            }
        }
        match self.newline {
            Some(_) if self.line_is_whole => self.sampled(text),
            Some(_) => Look::Whole,
            None => Look::Wait,
        }
    }

    /// Counts lines, and looks at the first once it is there.
    fn count(&mut self, text: &[u8]) {
        let (count, counted) = &mut self.lines;
        let new = text.get(*counted..).unwrap_or_default();
        if self.newline.is_none()
            && let Some(found) = new.iter().position(|byte| *byte == b'\n')
        {
            let end = *counted + found;
            self.newline = Some(end);
            self.line_is_whole = line::is_whole(text.get(..end).unwrap_or_default());
        }
        for byte in new {
            if *byte == b'\n' {
                *count += usize::from(self.written);
                self.written = false;
            } else {
                self.written |= !line::blank(byte);
            }
        }
        *counted = text.len();
    }

    /// By the same lines however the file is sliced.
    fn sampled(&self, text: &[u8]) -> Look {
        if self.lines.0 < line::LOOKED_AT && text.len() < SAMPLE {
            return Look::Wait;
        }
        let first = self.newline.unwrap_or(0);
        match sniff::start(text.get(first..).unwrap_or_default()) {
            Some(_) => Look::Lines(of_lines(text.get(..first.max(SAMPLE)).unwrap_or(text))),
            None => Look::Wait,
        }
    }

    /// The format of a list whose first item is a conversation by itself. What is said to be something else is
    /// looked at as a whole.
    fn first_item(
        &mut self,
        text: &[u8],
        asked: Option<Format>,
        read: ReadValue,
    ) -> Option<&'static Reads> {
        let cut = self.cutter.get_or_insert_default().next(text)?;
        self.item_seen = true;
        let cutter::Cut::Item(from, to) = cut else {
            return None;
        };
        let item = text.get(from..to).unwrap_or_default();
        let value = read(item, Place::default(), &mut Notes::default()).ok()?;
        let format = shapes::of(&value)?.format();
        let reads = shapes::reads(format).filter(|_| asked.is_none_or(|asked| asked == format))?;
        (!reads.log && (reads.each)(&value)).then_some(reads)
    }
}

/// The value that a text ends in, when a tool printed words before it: it begins a line and is of a known kind.
fn behind_words(text: &json::Text<'_>, notes: &mut Notes) -> Option<Value> {
    let start = sniff::start(&text.bytes)?;
    if matches!(text.bytes.get(start), Some(b'{' | b'[')) {
        return None;
    }
    let mut place = text.place;
    let lines = text.bytes.split_inclusive(|byte| *byte == b'\n');
    for line in lines.take(line::LOOKED_AT) {
        if matches!(line.first(), Some(b'{' | b'[')) {
            let from = (place.offset - text.place.offset) as usize;
            let mut met = Notes::default();
            let value = json::value(text.bytes.get(from..)?, place, &mut met).ok()?;
            shapes::of(&value)?;
            let says = "words stand before the JSON; they are not read";
            notes.push(Warning::new("words_before_json", says).in_source(1, text.place.offset));
            notes.absorb(met);
            return Some(value);
        }
        place.line += 1;
        place.offset += line.len() as u64;
    }
    None
}

/// Whether the line that begins a text is a whole object or list, and more follows it.
fn first_is_whole(text: &[u8], start: usize) -> bool {
    let rest = text.get(start..).unwrap_or_default();
    let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
        return false;
    };
    let (line, after) = rest.split_at(end);
    sniff::start(after).is_some() && line::is_whole(line)
}

/// What a file by lines looks like.
fn of_lines(text: &[u8]) -> Result<Format, Refusal> {
    let found = line::sample(text);
    let kind = found.iter().find_map(shapes::log);
    let kind = kind.or_else(|| found.iter().find_map(shapes::of));
    match (kind, found.first()) {
        (Some(kind), _) => Ok(kind.format()),
        (None, Some(one)) => {
            let guess = guess::of(&Value::Array(found.clone()));
            Err(guess.map_or_else(|| unknown(one), |guess| guess.refusal()))
        }
        (None, None) => Err(Refusal::new(INVALID, "no line of the file is JSON")),
    }
}

/// How many bytes the mark takes that UTF-8 may begin with.
fn after_mark(bytes: &[u8]) -> usize {
    match bytes.starts_with(b"\xef\xbb\xbf") {
        true => 3,
        false => 0,
    }
}

#[cfg(test)]
mod tests;
