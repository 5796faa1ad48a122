//! LHAR, the traces of Context Lens: by lines (a session, then its entries) or wrapped in one object. An entry has
//! the bodies, unless they were left out for privacy, and the recorder's own count of what the request was made of.

use serde_json::{Map, Value};

use super::{Exchange, Read, body};
use crate::import::Ask;
use crate::import::record::{Record, facts, word};
use crate::import::time::millis;
use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::{AgentMessage, Imported};

/// Whether a file, or a line of one, is of this kind.
pub(in crate::import) fn is(value: &Value) -> bool {
    let kind = word(value, "type");
    value.get("lhar").is_some()
        || kind == Some("session") && word(value, "trace_id").is_some()
        || is_entry(value)
}

/// Whether a line is an exchange by itself.
pub(in crate::import) fn each(value: &Value) -> bool {
    is_entry(value)
}

fn is_entry(value: &Value) -> bool {
    word(value, "type") == Some("entry")
        && value.get("gen_ai").is_some()
        && value.get("http").is_some()
}

/// The exchanges, in the order of the file.
pub(in crate::import) fn read(records: Vec<Record>, _: &Ask, notes: &mut Notes) -> Vec<Imported> {
    let entries = records
        .into_iter()
        .flat_map(|record| match record.value.get("lhar") {
            Some(inner) => Record {
                value: inner.clone(),
                at: record.at.inside("/lhar"),
            }
            .members("entries"),
            None => vec![record],
        });
    let mut found = Vec::new();
    // A session's line says nothing that its entries do not say.
    for Record { value, at } in
        entries.filter(|entry| word(&entry.value, "type") != Some("session"))
    {
        let mut met = Notes::default();
        let mut side = |pointer: &str| {
            let raw = value.pointer(pointer).unwrap_or(&Value::Null);
            body::plain(raw, at.inside(pointer), &mut met)
        };
        let (request, response) = (side("/raw/request_body"), side("/raw/response_body"));
        let exchange = Exchange {
            url: value
                .pointer("/http/url")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
            request,
            response,
            status: value
                .pointer("/http/status_code")
                .and_then(Value::as_u64)
                .unwrap_or(0),
            sent: millis(value.get("timestamp")),
            at: at.clone(),
        };
        match exchange.read(met) {
            Read::Conversation(mut imported) => {
                counted(&value, &mut imported);
                found.push(*imported);
            }
            Read::Page | Read::Other => {
                let message = "the entry is no request to a model and is not read";
                notes.push(at.of(Warning::new("exchanges_not_read", message)));
            }
        }
    }
    found
}

/// Keeps what the recorder counted: it is all that there is where the bodies were left out.
fn counted(entry: &Value, imported: &mut Imported) {
    let known = ["gen_ai", "usage_ext", "context_lens"];
    let facts: Map<String, Value> = facts(entry, &known);
    let named = entry
        .pointer("/gen_ai/request/model")
        .and_then(Value::as_str);
    imported.model = imported.model.take().or_else(|| named.map(str::to_owned));
    imported.messages.push(AgentMessage::Custom {
        custom_type: "session".to_owned(),
        content: Vec::new(),
        display: Some("hidden".to_owned()),
        details: Some(Value::Object(facts)),
        timestamp: millis(entry.get("timestamp")),
    });
}
