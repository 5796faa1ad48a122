//! The values that a stream carries, as server-sent events or by lines.

use serde_json::Value;

use crate::import::lines;
use crate::json::{self, Fault, Notes, Place, Text};
use crate::refusal::Warning;

/// A value of a stream.
#[derive(Debug)]
pub(in crate::import) struct Event {
    /// What it says.
    pub value: Value,
    /// Where it stands.
    pub place: Place,
}

/// The values of server-sent events. An event ends with a blank line; where a copy lost those, with the line that
/// names the next event or with a line that is whole by itself.
pub(in crate::import) fn events(text: &Text<'_>, notes: &mut Notes) -> Vec<Event> {
    let mut data = Data::default();
    for (place, line) in lines::all(text) {
        match line.strip_prefix(b"data:") {
            Some(rest) => data.lines.push((place, rest)),
            None => data.end(notes),
        }
    }
    data.end(notes);
    data.found
}

/// The `data` lines of the event that is being read.
#[derive(Default)]
struct Data<'a> {
    lines: Vec<(Place, &'a [u8])>,
    found: Vec<Event>,
}

impl Data<'_> {
    fn end(&mut self, notes: &mut Notes) {
        let lines = std::mem::take(&mut self.lines);
        let mut read = |data: &[u8], place: Place| match data.trim_ascii() {
            b"" | b"[DONE]" => Ok(()),
            data => {
                let value = json::value(data, place, notes)?;
                self.found.push(Event { value, place });
                Ok(())
            }
        };
        let unread = match lines.as_slice() {
            [] => return,
            [(place, line)] => read(line, *place).err(),
            [(place, _), ..] => {
                let parts: Vec<&[u8]> = lines.iter().map(|(_, line)| *line).collect();
                match read(&parts.join(&b'\n'), *place) {
                    Ok(()) => None,
                    Err(_) => {
                        let each = lines.iter().map(|(place, line)| read(line, *place));
                        each.fold(None, |first, next| first.or(next.err()))
                    }
                }
            }
        };
        if let Some(fault) = unread {
            notes.push(unreadable(&fault));
        }
    }
}

fn unreadable(fault: &Fault) -> Warning {
    let message = match fault.cut_off {
        true => "the event is cut off; its rest is not read",
        false => "the event is no JSON and is skipped",
    };
    let message = format!("{message}: {}", fault.message);
    Warning::new("event_unreadable", message).in_source(fault.line, fault.offset)
}

/// The values of a stream that is one value a line, or one after the other.
pub(in crate::import) fn values(text: &Text<'_>, notes: &mut Notes) -> Vec<Event> {
    let mut found = Vec::new();
    for (place, line) in lines::all(text) {
        let Some(line) = lines::read(line, place) else {
            continue;
        };
        notes.absorb(line.notes);
        found.extend(line.values.into_iter().map(|value| Event { value, place }));
        if let Some(fault) = &line.fault {
            notes.push(unreadable(fault));
        }
    }
    found
}
