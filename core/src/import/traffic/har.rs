//! HAR 1.2: the requests to models among everything that a browser or a proxy recorded. A conversation that a
//! chat's page got from its own server is read as that service's export is.

use serde_json::Value;

use super::{Exchange, Tally, body, is_page, place};
use crate::import::readers;
use crate::import::record::{At, Record};
use crate::import::shapes::{self, Kind};
use crate::import::time::millis;
use crate::import::{Ask, Format};
use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::Imported;

/// Whether a file is one.
pub(in crate::import) fn is(value: &Value) -> bool {
    value.pointer("/log/entries").is_some_and(Value::is_array)
}

/// The exchanges with models, in the order of the file.
pub(in crate::import) fn read(records: Vec<Record>, ask: &Ask, notes: &mut Notes) -> Vec<Imported> {
    let mut found = Vec::new();
    for Record { value, at } in records {
        let entries = value.pointer("/log/entries").and_then(Value::as_array);
        let (mut tally, mut frames) = (Tally::default(), 0);
        for (index, entry) in entries.into_iter().flatten().enumerate() {
            let at = at.inside(&format!("/log/entries/{index}"));
            let messages = entry.get("_webSocketMessages").and_then(Value::as_array);
            frames += messages.map_or(0, Vec::len);
            if let Some(conversations) = page(entry, &at, ask, notes) {
                tally.found.extend(conversations);
                continue;
            }
            let method = entry.pointer("/request/method").and_then(Value::as_str);
            if method.is_some_and(|method| !method.eq_ignore_ascii_case("POST")) {
                tally.others += 1;
                continue;
            }
            let (exchange, met) = exchange(entry, at);
            tally.take(exchange, met, notes);
        }
        let at = at.inside("/log/entries");
        found.extend(tally.finish(&at, notes));
        if frames > 0 {
            let message = format!("messages of web sockets are not read: {frames}");
            notes.push(at.of(Warning::new("frames_not_read", message)));
        }
    }
    found
}

fn exchange(entry: &Value, at: At) -> (Exchange, Notes) {
    let mut met = Notes::default();
    let mut side = |pointer: &str| {
        let raw = entry.pointer(pointer).unwrap_or(&Value::Null);
        body::enveloped(raw, at.inside(pointer), &mut met)
    };
    let (request, response) = (side("/request/postData"), side("/response/content"));
    let status = entry.pointer("/response/status").and_then(Value::as_u64);
    let exchange = Exchange {
        url: url(entry).to_owned(),
        request,
        response,
        status: status.unwrap_or(0),
        sent: millis(entry.get("startedDateTime")),
        at,
    };
    (exchange, met)
}

fn url(entry: &Value) -> &str {
    let url = entry.pointer("/request/url").and_then(Value::as_str);
    url.unwrap_or_default()
}

/// The conversation that a page got from its own server.
fn page(entry: &Value, at: &At, ask: &Ask, notes: &mut Notes) -> Option<Vec<Imported>> {
    if !is_page(&place(url(entry))) {
        return None;
    }
    let content = entry.pointer("/response/content")?;
    let at = at.inside("/response/content");
    let body = body::enveloped(content, at, &mut Notes::default())?;
    let exports = [Format::Chatgpt, Format::ClaudeAi];
    match shapes::of(&body.value)? {
        Kind::Reads(reads) if exports.contains(&reads.format) => {
            let at = body.place("");
            let record = Record {
                value: body.value,
                at,
            };
            let read = readers::ALL.records(reads.format).ok()?;
            Some(read(vec![record], ask, notes))
        }
        _ => None,
    }
}
