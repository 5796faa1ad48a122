//! A raw capture of server-sent events: what a model answered, without what it was asked.

use super::body::Body;
use super::{Exchange, Tally};
use crate::import::Ask;
use crate::import::record::At;
use crate::import::stream;
use crate::json::{Notes, Text};
use crate::refusal::Warning;
use crate::transcript::Imported;

/// Whether a text is one, by how it begins.
pub(in crate::import) fn is(text: &[u8]) -> bool {
    let fields: [&[u8]; 6] = [b"data:", b"event:", b"id:", b"retry:", b": ", b":\n"];
    let head = text.get(..4096).unwrap_or(text);
    let mut lines = head.split(|byte| *byte == b'\n');
    let data = |line: &[u8]| line.starts_with(b"data:") || line.starts_with(b"event:");
    fields.iter().any(|field| text.starts_with(field)) && lines.any(data)
}

/// The answers, each a conversation.
pub(in crate::import) fn read(text: &Text<'_>, _: &Ask, notes: &mut Notes) -> Vec<Imported> {
    let (answers, strange) = stream::join(stream::events(text, notes));
    if strange > 0 {
        let message = format!("{}: {strange}", stream::STRANGE);
        notes.push(Warning::new("events_not_read", message));
    }
    let mut tally = Tally::default();
    for answer in answers {
        let at = At {
            path: String::new(),
            source: Some((answer.place.line, answer.place.offset)),
        };
        let mut met = Notes::default();
        if !answer.whole {
            met.push(at.of(Warning::new("stream_cut_off", stream::CUT_OFF)));
        }
        let exchange = Exchange {
            url: String::new(),
            request: None,
            response: Some(Body::joined(answer.body, at.clone())),
            status: 0,
            sent: 0,
            at,
        };
        tally.take(exchange, met, notes);
    }
    tally.finish(&At::default(), notes)
}
