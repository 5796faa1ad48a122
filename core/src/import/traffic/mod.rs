//! Recorded traffic: what was sent to a model's API and what came back, in the files of those who record it.
//!
//! Each exchange is a conversation. Of its envelope only the address without its query is kept: headers, queries
//! and the members of a body that hold a key are secrets of who recorded it.

mod body;
pub(super) mod cassette;
pub(super) mod event_stream;
pub(super) mod har;
pub(super) mod lhar;
mod spelling;
mod yaml;

use serde_json::{Value, json};

use super::exchange::{self, Api};
use super::record::{At, Record, word};
use super::{anthropic, chat, gemini, responses};
use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::{AgentMessage, Imported, StopReason};
use body::Body;

/// What was sent and what came back, as it was recorded.
struct Exchange {
    /// Where it went; empty when that is not known.
    url: String,
    /// The request's body; told already when it is not there.
    request: Option<Body>,
    /// The response's body.
    response: Option<Body>,
    /// The HTTP status; 0 when it is not known.
    status: u64,
    /// When it was sent, milliseconds since 1970; 0 when it is not known.
    sent: i64,
    at: At,
}

/// What an exchange is.
enum Read {
    /// With a model.
    Conversation(Box<Imported>),
    /// With a chat's own server, which speaks to the model in its turn.
    Page,
    /// With something else.
    Other,
}

/// The conversations of a file so far, and how much else was in it.
#[derive(Default)]
struct Tally {
    found: Vec<Imported>,
    pages: usize,
    others: usize,
}

impl Tally {
    /// Takes an exchange and what was noticed in its bodies. One in which nothing is said is told, not shown.
    fn take(&mut self, exchange: Exchange, met: Notes, notes: &mut Notes) {
        match exchange.read(met) {
            Read::Conversation(imported) => {
                if imported.messages.is_empty() && imported.system.is_empty() {
                    notes.extend(imported.warnings);
                } else {
                    self.found.push(*imported);
                }
            }
            Read::Page => self.pages += 1,
            Read::Other => self.others += 1,
        }
    }

    /// Tells what was passed over.
    fn finish(self, at: &At, notes: &mut Notes) -> Vec<Imported> {
        let passed = [
            (
                self.others,
                "exchanges_not_read",
                "exchanges that are no request to a model are not read",
            ),
            (
                self.pages,
                "page_traffic_not_read",
                "exchanges of a chat's page with its own server are no requests to a model; use the data export of that service",
            ),
        ];
        for (count, code, says) in passed.into_iter().filter(|(count, ..)| *count > 0) {
            notes.push(at.of(Warning::new(code, format!("{says}: {count}"))));
        }
        self.found
    }
}

impl Exchange {
    /// Reads it; `notes` are of its bodies.
    fn read(self, mut notes: Notes) -> Read {
        let place = place(&self.url);
        if is_page(&place) {
            return Read::Page;
        }
        let (request, response) = (
            self.request.as_ref().map(|body| &body.value),
            self.response.as_ref().map(|body| &body.value),
        );
        let Some(api) = api(&place, request, response) else {
            return Read::Other;
        };
        let bodies = json!({
            "request": request.map(spelling::request),
            "response": response.map(spelling::response),
        });
        let record = Record::whole(bodies);
        let mut met = Notes::default();
        let mut imported = match exchange::read(api, vec![record], &mut met).pop() {
            Some(imported) => imported,
            None => Imported {
                api_format: Some(api.api_format.to_owned()),
                ..Imported::default()
            },
        };
        let inside = std::mem::take(&mut imported.warnings).into_iter();
        notes.extend(inside.map(|warning| self.moved(warning)));
        let kept = request.map(|body| without_secrets(body, &self.at, &mut notes));
        self.ending(response, &mut imported, &mut notes);
        imported.request = kept;
        if imported.model.is_none() {
            imported.model = model_in(&place);
            let said = imported
                .messages
                .iter_mut()
                .filter_map(|message| match message {
                    AgentMessage::Assistant { model, .. } => Some(model),
                    _ => None,
                });
            for model in said {
                imported
                    .model
                    .as_deref()
                    .unwrap_or_default()
                    .clone_into(model);
            }
        }
        imported.title = Some(place).filter(|place| !place.is_empty());
        imported.warnings = notes.finish();
        Read::Conversation(Box::new(imported))
    }

    /// A warning of a body where that stands in the file.
    fn moved(&self, mut warning: Warning) -> Warning {
        let path = warning.path.take().unwrap_or_default();
        let sides = [("/request", &self.request), ("/response", &self.response)];
        for (side, body) in sides {
            if let (Some(rest), Some(body)) = (path.strip_prefix(side), body) {
                return body.place(rest).of(warning);
            }
        }
        self.at.of(warning)
    }

    /// How it ended: with an answer, whose time may stand in the envelope alone, or with an error.
    fn ending(&self, response: Option<&Value>, imported: &mut Imported, notes: &mut Notes) {
        let error = response.and_then(error);
        let answer = imported.messages.iter_mut().rev().find(|message| {
            matches!(message, AgentMessage::Assistant { .. }) && response.is_some_and(has_answer)
        });
        match (answer, self.response.as_ref()) {
            (Some(answer), _) => {
                if answer.timestamp() == 0 {
                    answer.set_timestamp(self.sent);
                }
                if let (
                    Some(error),
                    AgentMessage::Assistant {
                        stop_reason,
                        error_message,
                        ..
                    },
                ) = (error, answer)
                {
                    *stop_reason = StopReason::Error;
                    *error_message = Some(error);
                }
            }
            (None, Some(body)) => {
                let status = match self.status {
                    0 => String::new(),
                    status => format!(" (status {status})"),
                };
                let said = error.map_or_else(String::new, |error| format!(": {error}"));
                let message = format!("the provider gave no answer{status}{said}");
                notes.push(body.place("").of(Warning::new("no_answer", message)));
            }
            (None, None) => {}
        }
    }
}

/// Whether an address is of a chat's own server.
fn is_page(place: &str) -> bool {
    let servers = ["/backend-api/", "/backend-anon/", "/chat_conversations"];
    servers.iter().any(|server| place.contains(server))
}

/// An address without its scheme, its query and who asks.
fn place(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = host.rsplit('@').next().unwrap_or_default();
    let host = match scheme {
        "https" => host.strip_suffix(":443").unwrap_or(host),
        "http" => host.strip_suffix(":80").unwrap_or(host),
        _ => host,
    };
    // What a recorder put in the place of an address is none.
    match host.contains('*') {
        true => String::new(),
        false => format!("{host}{path}"),
    }
}

/// Whose exchange it is: as the response shows, else the address, else the request. `None` when it is no model's.
fn api(place: &str, request: Option<&Value>, response: Option<&Value>) -> Option<&'static Api> {
    let has = |body: Option<&Value>, keys: &[&str]| {
        body.is_some_and(|body| keys.iter().any(|key| body.get(*key).is_some()))
    };
    let kind = |key| {
        response
            .and_then(|body| word(body, key))
            .unwrap_or_default()
    };
    if has(response, &["choices"]) {
        return Some(&chat::API);
    } else if has(response, &["candidates"]) {
        return Some(&gemini::API);
    } else if kind("object") == "list" {
        // Of embeddings, or of what the service has stored.
        return None;
    } else if kind("object").starts_with("response") {
        return Some(&responses::API);
    } else if kind("type") == "message" {
        return Some(&anthropic::API);
    }
    let last = place.rsplit('/').next().unwrap_or_default();
    let method = last.rsplit(':').next().unwrap_or_default();
    // A request that lacks what any of them has is another's, whatever its address.
    let sent = ["messages", "input", "contents", "prompt", "request"];
    if request.is_some() && !has(request, &sent) {
        return None;
    }
    match last {
        "completions" | "chat" | "generate" => return Some(&chat::API),
        "responses" => return Some(&responses::API),
        "messages" | "converse" | "converse-stream" => return Some(&anthropic::API),
        "embeddings" | "moderations" | "count_tokens" | "input_tokens" | "rerank" | "tokenize" => {
            return None;
        }
        _ => {}
    }
    match method {
        "generateContent" | "streamGenerateContent" => return Some(&gemini::API),
        "countTokens" | "embedContent" | "batchEmbedContents" => return None,
        _ => {}
    }
    let request = request?;
    let shows = [&responses::API, &anthropic::API, &gemini::API];
    let shown = shows.into_iter().find(|api| (api.shows)(request));
    let messages = request.get("messages").and_then(Value::as_array);
    let said = messages.is_some_and(|list| list.iter().any(|one| (chat::API.is_message)(one)));
    shown.or(said.then_some(&chat::API))
}

/// The model that an address names.
fn model_in(place: &str) -> Option<String> {
    let mut parts = place.split('/');
    parts.find(|part| matches!(*part, "models" | "model" | "deployments"))?;
    let name = parts.next()?.split(':').next()?;
    Some(name.to_owned()).filter(|name| !name.is_empty())
}

/// What the provider says went wrong.
fn error(response: &Value) -> Option<String> {
    let error = response.get("error").filter(|error| !error.is_null())?;
    let said = error.as_str().or_else(|| word(error, "message"));
    Some(said.map_or_else(|| error.to_string(), str::to_owned))
}

/// Whether a response has an answer in it.
fn has_answer(response: &Value) -> bool {
    let any = |key: &str| match response.get(key) {
        Some(Value::Array(items)) => !items.is_empty(),
        Some(member) => !member.is_null(),
        None => false,
    };
    [
        "choices",
        "candidates",
        "output",
        "content",
        "message",
        "response",
    ]
    .into_iter()
    .any(any)
}

/// A request without what only its sender may know: the keys of the servers that the provider calls for it.
fn without_secrets(request: &Value, at: &At, notes: &mut Notes) -> Value {
    let mut request = request.clone();
    let mut taken = 0;
    for list in ["tools", "mcp_servers"] {
        let items = request.get_mut(list).and_then(Value::as_array_mut);
        for item in items.into_iter().flatten().filter_map(Value::as_object_mut) {
            let remote = list == "mcp_servers" || item.contains_key("server_url");
            let secrets = ["authorization", "authorization_token", "headers"];
            let before = item.len();
            item.retain(|key, _| !(remote && secrets.contains(&key.as_str())));
            taken += before - item.len();
        }
    }
    if taken > 0 {
        let message = format!("{taken} members of the request that hold a key are not kept");
        notes.push(at.of(Warning::new("secret_not_kept", message)));
    }
    request
}

#[cfg(test)]
mod tests;
