//! What was sent to a provider's API and what it answered, in the wrappings that files have: a bare list of
//! messages, a request body, a response, both beside each other or in one object, lines of a batch and of its
//! results.

use serde_json::Value;

use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::Imported;
use crate::wire::Reader;

use super::record::{At, Record, word};

/// One provider's API.
pub(super) struct Api {
    /// The wire's word.
    pub api_format: &'static str,
    /// Whether a message, an item or a body shows to be of this API.
    pub shows: fn(&Value) -> bool,
    /// Whether a value is a message, which is no conversation by itself.
    pub is_message: fn(&Value) -> bool,
    /// Reads a body, at its pointer: a request, a response, or both in one. `false` when it is none.
    pub body: fn(&mut Reader, &Value, &str) -> bool,
    /// The request that a body is or holds, as it was sent.
    pub request: fn(&Value) -> Option<Value>,
}

/// Where a wrapping holds bodies, the request's before the answer's.
const INSIDE: [&str; 7] = [
    "/body",
    "/params",
    "/request/body",
    "/request",
    "/response/body",
    "/response",
    "/result/message",
];

/// How many items of a list are looked at.
const LOOKED_AT: usize = 50;

/// Whether a file, or a line of one, shows to be of an API.
pub(super) fn is(api: &Api, value: &Value) -> bool {
    let one = |value: &Value| {
        let inside = INSIDE.iter().filter_map(|path| value.pointer(path));
        (api.shows)(value) || inside.into_iter().any(api.shows)
    };
    let items = value.as_array().into_iter().flatten();
    one(value) || items.take(LOOKED_AT).any(one)
}

/// The conversations of records: messages are one together, any other record is one by itself.
pub(super) fn read(api: &Api, records: Vec<Record>, notes: &mut Notes) -> Vec<Imported> {
    let mut found = Vec::new();
    let mut loose = Loose::default();
    for Record { value, at } in records {
        if (api.is_message)(&value) {
            loose.message(api, &value, at);
            continue;
        }
        let mut met = Notes::default();
        for mut imported in unwrapped(api, &value, &at.path, &mut met) {
            for warning in &mut imported.warnings {
                *warning = at.placed(warning.clone());
            }
            found.push(imported);
        }
        let placed = met.finish().into_iter();
        notes.extend(placed.map(|warning| at.placed(warning)));
    }
    found.extend(loose.finish());
    found
}

/// Messages that stand one a line.
#[derive(Default)]
struct Loose {
    reader: Reader,
    places: Vec<At>,
}

impl Loose {
    fn message(&mut self, api: &Api, value: &Value, at: At) {
        if self.places.is_empty() {
            self.reader = Reader::new(api.api_format, None);
        }
        // The pointer's first segment is the message's number until the warnings are placed in their lines.
        self.reader
            .message(value, &format!("/{}", self.places.len()));
        self.places.push(at);
    }

    fn finish(self) -> Option<Imported> {
        if self.places.is_empty() {
            return None;
        }
        let mut imported = self.reader.finish();
        for warning in &mut imported.warnings {
            let path = warning.path.take().unwrap_or_default();
            let (number, rest) = match path.trim_start_matches('/').split_once('/') {
                Some((number, rest)) => (number.to_owned(), format!("/{rest}")),
                None => (path.trim_start_matches('/').to_owned(), String::new()),
            };
            let place = number
                .parse()
                .ok()
                .and_then(|number: usize| self.places.get(number));
            if let Some(at) = place {
                *warning = at.inside(&rest).of(warning.clone());
            }
        }
        Some(imported)
    }
}

/// The conversations of one value at a JSON pointer.
fn unwrapped(api: &Api, value: &Value, at: &str, notes: &mut Notes) -> Vec<Imported> {
    let mut reader = Reader::new(api.api_format, None);
    if let Some(items) = value.as_array() {
        if items.iter().any(api.is_message) {
            reader.messages(value, at);
            return vec![reader.finish()];
        }
        if !(api.body)(&mut reader, value, at) {
            let items = items.iter().enumerate();
            return items
                .flat_map(|(index, item)| unwrapped(api, item, &format!("{at}/{index}"), notes))
                .collect();
        }
        return vec![reader.finish()];
    }
    let mut request = None;
    let mut any = false;
    let mut taken = "";
    for path in [""].into_iter().chain(INSIDE) {
        let Some(body) = value.pointer(path).filter(|body| !body.is_null()) else {
            continue;
        };
        // What holds a body that was read is its envelope.
        let envelope = !taken.is_empty() && taken.starts_with(path);
        if !envelope && (api.body)(&mut reader, body, &format!("{at}{path}")) {
            any = true;
            taken = path;
            request = request.or_else(|| (api.request)(body));
        }
    }
    if !any {
        let answer = ["response", "result", "error"]
            .into_iter()
            .find(|key| value.get(*key).is_some_and(|answer| !answer.is_null()));
        let warning = match answer {
            Some(key) => Warning::new("no_answer", "the batch has no answer here; it is skipped")
                .at(format!("{at}/{key}")),
            None => {
                Warning::new("not_a_conversation", "no messages are here; it is skipped").at(at)
            }
        };
        notes.push(warning);
        return Vec::new();
    }
    let title = word(value, "custom_id").or_else(|| word(value, "key"));
    vec![Imported {
        title: title.map(str::to_owned),
        request,
        ..reader.finish()
    }]
}

/// The first of the members that is set: bodies come in the spelling of more than one client.
pub(super) fn either<'a>(value: &'a Value, keys: &[&str]) -> Option<&'a Value> {
    let members = keys.iter().filter_map(|key| value.get(*key));
    members.into_iter().find(|member| !member.is_null())
}

/// Takes the model that a body names.
pub(super) fn model(reader: &mut Reader, body: &Value, keys: &[&str]) {
    let named = either(body, keys).and_then(Value::as_str);
    let named = named.map(|name| name.strip_prefix("models/").unwrap_or(name));
    if let Some(name) = named.filter(|name| !name.is_empty()) {
        reader.transcript().model = Some(name.to_owned());
    }
}
