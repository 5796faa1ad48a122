//! Values that stand one after the other, each over several lines, as exporters print them to a console.

use crate::import::Format;
use crate::import::lines;
use crate::import::record::Record;
use crate::import::shapes::{self, Kind};
use crate::json::{self, Notes, Text};

/// The values of a text that begins with two at least, the first of a kind that is read. What follows the last
/// one that reads is told.
pub(super) fn values(text: &Text<'_>, notes: &mut Notes) -> Option<(Format, Vec<Record>)> {
    let (mut records, mut known) = (Vec::new(), None);
    let (mut at, mut place, mut met) = (0, text.place, Notes::default());
    while let Some(next) = json::rest(&text.bytes, at) {
        place = place.after(text.bytes.get(at..next)?);
        match json::first(text.bytes.get(next..)?, place, &mut met) {
            Ok((value, len)) => {
                if known.is_none() {
                    let Some(Kind::Reads(reads)) = shapes::of(&value) else {
                        return None;
                    };
                    known = Some(reads.format);
                }
                records.push(Record::new(value, place));
                place = place.after(text.bytes.get(next..next + len)?);
                at = next + len;
            }
            Err(_) if records.len() < 2 => return None,
            Err(fault) => {
                met.push(lines::unreadable(&fault, false, true));
                break;
            }
        }
    }
    let format = known.filter(|_| records.len() > 1)?;
    notes.absorb(met);
    Some((format, records))
}
