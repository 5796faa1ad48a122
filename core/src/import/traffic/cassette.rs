//! Cassettes: exchanges that a test recorded. VCR's interactions and those of its Ruby and Go kin, in YAML or JSON;
//! two lists of requests and of responses; Nock's arrays; Gemini CLI's lines of responses.

use serde_json::Value;

use super::body;
use super::{Exchange, Tally, yaml};
use crate::import::Ask;
use crate::import::record::{At, Record, word};
use crate::json::{Notes, Text};
use crate::transcript::Imported;

/// The members that hold interactions, and the two that hold them apart.
const INTERACTIONS: [&str; 2] = ["interactions", "http_interactions"];
const APART: [&str; 2] = ["requests", "responses"];

/// Whether a JSON value is one.
pub(in crate::import) fn is(value: &Value) -> bool {
    let list = |key: &str| value.get(key).is_some_and(Value::is_array);
    let items = value
        .as_array()
        .map_or(std::slice::from_ref(value), Vec::as_slice);
    INTERACTIONS.into_iter().any(list)
        || APART.into_iter().all(list)
        || items
            .iter()
            .take(50)
            .any(|item| is_nock(item) || is_method(item))
}

/// Whether an item or a line is an exchange by itself.
pub(in crate::import) fn each(value: &Value) -> bool {
    is_nock(value) || is_method(value)
}

fn is_nock(value: &Value) -> bool {
    word(value, "scope").is_some()
        && word(value, "path").is_some()
        && value.get("response").is_some()
}

fn is_method(value: &Value) -> bool {
    word(value, "method").is_some_and(|method| method.starts_with("generateContent"))
        && value.get("response").is_some()
}

/// Whether a text is one in YAML, by the names at its margin.
pub(in crate::import) fn is_yaml(text: &[u8]) -> bool {
    let named = |line: &[u8]| {
        let names = ["interactions", "http_interactions", "requests", "responses"];
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
        names.iter().any(|known| known.as_bytes() == name) && line.len() > name.len()
    };
    let begins = text.starts_with(b"---") || text.starts_with(b"version:") || named(text);
    begins && text.split(|byte| *byte == b'\n').any(named)
}

/// The exchanges of a cassette in YAML.
pub(in crate::import) fn read_yaml(text: &Text<'_>, ask: &Ask, notes: &mut Notes) -> Vec<Imported> {
    let value = yaml::value(text, notes);
    read(vec![Record::whole(value)], ask, notes)
}

/// The exchanges, in the order of the file.
pub(in crate::import) fn read(records: Vec<Record>, _: &Ask, notes: &mut Notes) -> Vec<Imported> {
    let mut found = Vec::new();
    for record in records {
        let (at, mut tally) = (record.at.clone(), Tally::default());
        for (exchange, met) in exchanges(record) {
            tally.take(exchange, met, notes);
        }
        found.extend(tally.finish(&at, notes));
    }
    found
}

fn exchanges(record: Record) -> Vec<(Exchange, Notes)> {
    let Record { value, at } = &record;
    let count = |key: &str| value.get(key).and_then(Value::as_array).map(Vec::len);
    if let Some(key) = INTERACTIONS.into_iter().find(|key| count(key).is_some()) {
        let all = 0..count(key).unwrap_or(0);
        let sides = all.map(|n| {
            [
                format!("/{key}/{n}/request"),
                format!("/{key}/{n}/response"),
            ]
        });
        return sides.map(|sides| recorded(value, at, sides)).collect();
    }
    if let [Some(asked), Some(answered)] = APART.map(count) {
        let all = 0..asked.max(answered);
        let sides = all.map(|n| APART.map(|key| format!("/{key}/{n}")));
        return sides.map(|sides| recorded(value, at, sides)).collect();
    }
    let items = record.items().into_iter();
    items.map(|item| alone(&item.value, item.at)).collect()
}

/// An exchange whose request and response stand at these pointers.
fn recorded(value: &Value, at: &At, sides: [String; 2]) -> (Exchange, Notes) {
    let mut notes = Notes::default();
    let [request, response] = sides
        .each_ref()
        .map(|side| value.pointer(side).unwrap_or(&Value::Null));
    let [asked, answered] = sides.map(|side| at.inside(&side));
    let mut body = |side: &Value, at: &At| {
        // Some write a body of JSON out, to be read by people.
        if let Some(read) = side.get("parsed_body") {
            return body::plain(read, at.inside("/parsed_body"), &mut notes);
        }
        let raw = side.get("body").unwrap_or(&Value::Null);
        body::enveloped(raw, at.inside("/body"), &mut notes)
    };
    let status = response
        .pointer("/status/code")
        .or_else(|| response.get("code"));
    let exchange = Exchange {
        url: word(request, "uri")
            .or_else(|| word(request, "url"))
            .unwrap_or_default()
            .to_owned(),
        request: body(request, &asked),
        response: body(response, &answered),
        status: status.and_then(Value::as_u64).unwrap_or(0),
        sent: 0,
        at: asked,
    };
    (exchange, notes)
}

/// An exchange that is a record of Nock's, or a line that holds a response and nothing of its request.
fn alone(value: &Value, at: At) -> (Exchange, Notes) {
    let mut notes = Notes::default();
    let mut body = |key: &str| {
        let raw = value.get(key).unwrap_or(&Value::Null);
        body::plain(raw, at.inside(&format!("/{key}")), &mut notes)
    };
    let exchange = Exchange {
        url: ["scope", "path"]
            .into_iter()
            .filter_map(|key| word(value, key))
            .collect(),
        response: body("response"),
        request: if is_nock(value) { body("body") } else { None },
        status: value.get("status").and_then(Value::as_u64).unwrap_or(0),
        sent: 0,
        at: at.clone(),
    };
    (exchange, notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cassette_in_yaml_is_known_by_the_names_at_its_margin() {
        for (text, known) in [
            ("interactions:\n- request:\n", true),
            ("---\nhttp_interactions:\n- request:\n", true),
            ("version: 1\ninteractions: []\n", true),
            ("requests:\n- body: x\nresponses:\n- body: y\n", true),
            ("version: 1\nservices:\n  requests: 1\n", false),
            ("interactions of people\n", false),
            ("interactions", false),
        ] {
            assert_eq!(is_yaml(text.as_bytes()), known, "{text}");
        }
    }
}
