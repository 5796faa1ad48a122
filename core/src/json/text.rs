//! What stands before the JSON in a file: a byte order mark, another encoding.

use std::borrow::Cow;

use crate::refusal::Warning;

use super::notes::Notes;
use super::scan::Place;

/// A source as (nearly) UTF-8.
#[derive(Debug)]
pub struct Text<'a> {
    /// The bytes after the mark.
    pub bytes: Cow<'a, [u8]>,
    /// Where they begin in the source. Of a UTF-16 source, offsets count its UTF-8 form from 0.
    pub place: Place,
}

/// Strips a UTF-8 byte order mark without a word, and decodes UTF-16 with a warning.
///
/// What begins like UTF-16 but whose first characters hold nothing that JSON or text begins with is left
/// as it is: megabytes of noise are not decoded to find out that they are noise.
pub fn text<'a>(bytes: &'a [u8], notes: &mut Notes) -> Text<'a> {
    if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        let place = Place { line: 1, offset: 3 };
        return Text {
            bytes: Cow::Borrowed(rest),
            place,
        };
    }
    let plain = Text {
        bytes: Cow::Borrowed(bytes),
        place: Place::default(),
    };
    let (units, order): (_, fn([u8; 2]) -> u16) = match bytes {
        [0xff, 0xfe, rest @ ..] => (rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => (rest, u16::from_be_bytes),
        _ => return plain,
    };
    let readable = |unit: u16| matches!(unit, 0x09 | 0x0a | 0x0d | 0x20..=0x7e);
    if !pairs(units).take(1).all(|pair| readable(order(pair))) {
        return plain;
    }
    let mut decoded = String::with_capacity(units.len());
    let mut line = 1;
    notes.push(Warning::new(
        "utf16",
        "the text is UTF-16 and was decoded; byte offsets count its UTF-8 form",
    ));
    for unit in char::decode_utf16(pairs(units).map(order)) {
        let character = unit.unwrap_or_else(|_| {
            let message = "a lone surrogate is no character; it reads as U+FFFD";
            let warning = Warning::new("lone_surrogate", message);
            notes.push(warning.in_source(line, decoded.len() as u64));
            char::REPLACEMENT_CHARACTER
        });
        line += u64::from(character == '\n');
        decoded.push(character);
    }
    Text {
        bytes: Cow::Owned(decoded.into_bytes()),
        place: Place::default(),
    }
}

/// The code units of UTF-16 text; an odd last byte is none.
fn pairs(bytes: &[u8]) -> impl Iterator<Item = [u8; 2]> {
    bytes
        .chunks_exact(2)
        .filter_map(|pair| pair.try_into().ok())
}
