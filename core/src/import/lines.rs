//! JSON by lines. Lines end at `\n` only: U+2028, U+2029 and U+0085 may stand raw inside a string.

use serde_json::Value;

use crate::json::{self, Fault, Notes, Place, Text};
use crate::refusal::Warning;

use super::shapes;

/// How many lines are looked at to find out what a file is.
pub(super) const LOOKED_AT: usize = 50;

/// What one line holds: a value, or several that were glued together.
pub(super) struct Line {
    /// The values that read.
    pub values: Vec<Value>,
    /// What was mended in them.
    pub notes: Notes,
    /// Where the line first stops being JSON.
    pub fault: Option<Fault>,
    /// A value was found again behind the fault: a write was interrupted and the record written anew.
    pub resumed: bool,
}

/// Reads one line that begins at a place; `None` when it holds nothing but blanks and NULs.
pub(super) fn read(line: &[u8], place: Place) -> Option<Line> {
    if line.iter().all(blank) {
        return None;
    }
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let mut read = Line {
        values: Vec::new(),
        notes: Notes::default(),
        fault: None,
        resumed: false,
    };
    let mut at = 0;
    while let Some(next) = json::rest(line, at) {
        let place = Place {
            line: place.line,
            offset: place.offset + next as u64,
        };
        let rest = line.get(next..).unwrap_or_default();
        match json::first(rest, place, &mut read.notes) {
            Ok((value, end)) => {
                read.values.push(value);
                at = next + end;
            }
            Err(mut fault) => {
                fault.column += next as u64;
                read.fault.get_or_insert(fault);
                match written_anew(line, next) {
                    Some(again) => at = again,
                    None => break,
                }
                read.resumed = true;
            }
        }
    }
    Some(read)
}

/// Every line with the place where it begins.
pub(super) fn all<'a>(text: &'a Text<'_>) -> impl Iterator<Item = (Place, &'a [u8])> {
    let mut place = text.place;
    let lines = text.bytes.split(|byte| *byte == b'\n');
    lines.map(move |line| {
        let begins = place;
        place.line += 1;
        place.offset += line.len() as u64 + 1;
        (begins, line.strip_suffix(b"\r").unwrap_or(line))
    })
}

/// The values of the first lines, by which a file is recognised.
pub(super) fn sample(bytes: &[u8]) -> Vec<Value> {
    let lines = slices(bytes).filter_map(|line| read(line, Place::default()));
    lines.take(LOOKED_AT).flat_map(|line| line.values).collect()
}

/// Where behind a broken record one begins that starts with the same key and reads.
fn written_anew(line: &[u8], broken: usize) -> Option<usize> {
    let rest = line.get(broken..)?;
    let quotes = rest.iter().enumerate().filter(|(_, byte)| **byte == b'"');
    let (end, _) = quotes.take(2).last()?;
    let opening = rest
        .get(..=end)
        .filter(|opening| opening.starts_with(b"{\""))?;
    let mut from = opening.len();
    // A line of nothing but beginnings is given up on.
    for _ in 0..8 {
        let found = find(rest.get(from..)?, opening)?;
        let record = rest.get(from + found..)?;
        // Up to the line's end: a part of a record may begin like one.
        if reads(record).is_some_and(|(_, end)| json::rest(record, end).is_none()) {
            return Some(broken + from + found);
        }
        from += found + opening.len();
    }
    None
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes
        .windows(what.len().max(1))
        .position(|window| window == what)
}

/// Whether one of the first lines is, by itself, something that is known here: one value, or several glued
/// together. A list cut off in the middle is not: its lines end in commas.
pub(super) fn any_is_whole(bytes: &[u8]) -> bool {
    let known = |line: &[u8]| {
        let Some((value, end)) = reads(line) else {
            return false;
        };
        let after = json::rest(line, end).and_then(|at| line.get(at));
        matches!(after, None | Some(b'{' | b'[')) && shapes::of(&value).is_some()
    };
    slices(bytes).take(LOOKED_AT).any(known)
}

/// Whether a line is a whole object or list.
pub(super) fn is_whole(line: &[u8]) -> bool {
    reads(line).is_some()
}

/// The first value of a line and its end, when it is an object or a list that begins the line.
fn reads(line: &[u8]) -> Option<(Value, usize)> {
    if !matches!(line.first(), Some(b'{' | b'[')) {
        return None;
    }
    json::first(line, Place::default(), &mut Notes::default()).ok()
}

/// Says what of a line could not be read; the writer may have been cut off in the last one.
pub(super) fn unreadable(fault: &Fault, resumed: bool, last: bool) -> Warning {
    let (code, message) = if resumed {
        (
            "record_written_twice",
            "half a record stands before whole ones; the half is not read",
        )
    } else if last && fault.cut_off {
        (
            "line_cut_off",
            "the last line is cut off; its rest is not read",
        )
    } else {
        (
            "line_unreadable",
            "the line is no JSON from here on and is skipped",
        )
    };
    let message = format!("{message}: {}", fault.message);
    Warning::new(code, message).in_source(fault.line, fault.offset)
}

pub(super) fn blank(byte: &u8) -> bool {
    byte.is_ascii_whitespace() || *byte == 0
}

/// The lines that are not blank.
fn slices(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines
        .filter(|line| !line.iter().all(blank))
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}
