//! Logs of gptme (`conversation.jsonl`): `{role, content, timestamp, files?, call_id?, …}` by line.
//!
//! What functions came back with stands in messages of the system's role: with a `call_id` it answers a call, which
//! is written in the words of an answer (`@function(call_id): {…}`); without one both were sent as the words they
//! are. Reasoning stands in the words between its tags. A message that is hidden is sent all the same, one for the
//! screen only (`ui_only`) never is, and one that expires (`ephemeral_ttl`) loses its reasoning or is left out.

use serde_json::{Value, json};

use super::Ask;
use super::pen::{Answer, Outcome, Pen, Piece, file};
use super::record::{Record, filled, flag, rest, word};
use super::time::millis;
use crate::json::Notes;
use crate::transcript::{AgentMessage, Imported, Usage};

const ROLES: [&str; 3] = ["system", "user", "assistant"];

/// Whether a value is a line of such a log: a message with a time and what only gptme writes beside it.
pub(super) fn is_line(value: &Value) -> bool {
    let role = word(value, "role").is_some_and(|role| ROLES.contains(&role));
    let message = role && word(value, "content").is_some() && word(value, "timestamp").is_some();
    let flags = ["pinned", "hide", "ui_only"];
    let files = value.get("files").and_then(Value::as_array);
    let own = flags.iter().any(|key| flag(value, key))
        || files.is_some_and(|files| files.iter().all(Value::is_string))
        || word(value, "call_id").is_some()
        || value.get("ephemeral_ttl").is_some_and(Value::is_u64)
        || value
            .pointer("/metadata/usage")
            .is_some_and(Value::is_object);
    message && own
}

/// The conversation of a log.
pub(super) fn read(records: Vec<Record>, _: &Ask, _: &mut Notes) -> Vec<Imported> {
    // gptme talks to every provider; the pen needs no wire to write what they said.
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    let fates = fates(&records);
    let mut answers: Vec<(&Record, &str)> = Vec::new();
    for (record, fate) in records.iter().zip(fates) {
        let call = filled(&record.value, "call_id").filter(|_| role(record) == Some("system"));
        // What a function came back with may stand in several messages behind each other.
        if answers.last().is_some_and(|(_, last)| call != Some(*last)) {
            came_back(&mut pen, &std::mem::take(&mut answers));
        }
        match (call, fate) {
            (Some(call), Fate::Sent) => answers.push((record, call)),
            (_, fate) => message(&mut pen, record, fate),
        }
    }
    came_back(&mut pen, &answers);
    pen.name(None);
    vec![pen.finish()]
}

fn role(record: &Record) -> Option<&str> {
    word(&record.value, "role")
}

fn content(record: &Record) -> &str {
    word(&record.value, "content").unwrap_or_default()
}

/// What becomes of a message when the conversation goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Sent,
    /// Its reasoning is left out.
    WithoutThoughts,
    /// It is left out.
    NotSent,
}

/// The fate of each message: one that expires counts the answers behind it that are sent.
fn fates(records: &[Record]) -> Vec<Fate> {
    let mut answers = 0;
    let mut fates = Vec::with_capacity(records.len());
    for record in records.iter().rev() {
        let ttl = record.value.get("ephemeral_ttl").and_then(Value::as_u64);
        let ttl = ttl.filter(|_| !flag(&record.value, "pinned"));
        let expired = ttl.is_some_and(|ttl| answers > ttl);
        let fate = match role(record) {
            _ if flag(&record.value, "ui_only") => Fate::NotSent,
            Some("assistant") if expired => {
                let said = pieces(content(record));
                let thinks = |said: &Said<'_>| matches!(said, Said::Thought(..));
                match said.iter().any(thinks) && !said.iter().all(thinks) {
                    true => Fate::WithoutThoughts,
                    false => Fate::NotSent,
                }
            }
            _ if expired => Fate::NotSent,
            _ => Fate::Sent,
        };
        if role(record) == Some("assistant") && fate != Fate::NotSent {
            answers += 1;
        }
        fates.push(fate);
    }
    fates.reverse();
    fates
}

fn message(pen: &mut Pen, record: &Record, fate: Fate) {
    let Record { value, at } = record;
    let time = millis(value.get("timestamp"));
    if fate == Fate::NotSent {
        let details = rest(value, &["content", "timestamp"]);
        return pen.aside("not_sent", content(record), details, time);
    }
    let parts = parts(record);
    match role(record) {
        _ if word(value, "content").is_none() => pen.not_a_message(at),
        Some("assistant") => answer(pen, record, fate, time),
        Some("user") if flag(value, "hide") => pen.injected(&parts, false, "hidden", at, time),
        Some("user") => pen.user(&parts, at, time),
        Some("system") => {
            let from = pen.transcript().messages.len();
            pen.system("system", &parts, at, time);
            if flag(value, "hide")
                && let Some(AgentMessage::Custom { display, .. }) =
                    pen.transcript().messages.get_mut(from)
            {
                *display = Some("hidden".to_owned());
            }
        }
        role => {
            let role = role.unwrap_or("without a role");
            pen.role_unknown(role, content(record), value, at, time);
        }
    }
    if flag(value, "pinned") && role(record) != Some("system") {
        let says = "messages are pinned, which keeps them from being trimmed; that is not kept";
        pen.count("pin_not_kept", "", says, at);
    }
}

/// The words of a message and the files that are named beside them, whose bytes are elsewhere.
fn parts(record: &Record) -> Value {
    let mut parts = vec![json!({"type": "text", "text": content(record)})];
    parts.extend(files(record));
    Value::Array(parts)
}

fn files(record: &Record) -> impl Iterator<Item = Value> {
    let files = record.value.get("files").and_then(Value::as_array);
    let paths = files.into_iter().flatten().filter_map(Value::as_str);
    paths.map(|path| {
        let ending = path.rsplit('.').next().unwrap_or_default();
        let picture = ["png", "jpg", "jpeg", "gif", "webp"];
        let mime = match picture.contains(&ending.to_ascii_lowercase().as_str()) {
            true => "image/*",
            false => "",
        };
        let name = path.rsplit('/').next();
        file(mime, name, path)
    })
}

fn answer(pen: &mut Pen, record: &Record, fate: Fate, time: i64) {
    let mut found = Vec::new();
    for said in pieces(content(record)) {
        match said {
            Said::Thought(text, _) if fate == Fate::WithoutThoughts => {
                let says = "reasoning that is not sent any more stands aside";
                pen.count("reasoning_expired", "", says, &record.at);
                pen.aside("not_sent", text, None, time);
            }
            Said::Thought(text, signature) => found.push(Piece::Part(
                json!({"type": "thinking", "thinking": text, "signature": signature}),
            )),
            Said::Words(text) => found.push(Piece::Part(json!({"type": "text", "text": text}))),
            Said::Call(call, function, arguments) => {
                let piece = Piece::Call(call.to_owned(), function.to_owned(), arguments);
                found.push(piece);
            }
        }
    }
    found.extend(files(record).map(Piece::Part));
    if found.is_empty() {
        return pen.wordless("assistant", &record.at);
    }
    let metadata = record.value.get("metadata").unwrap_or(&Value::Null);
    let answer = Answer {
        model: word(metadata, "model"),
        usage: usage(metadata),
        timestamp: time,
        ..Answer::default()
    };
    pen.answer(found, answer, &record.at);
}

/// What the provider counted; older logs have it without a member of its own.
fn usage(metadata: &Value) -> Option<Usage> {
    let counted = metadata.get("usage").unwrap_or(metadata);
    let number = |key: &str| counted.get(key).and_then(Value::as_u64);
    let usage = Usage {
        input: number("input_tokens"),
        output: number("output_tokens"),
        cache_read: number("cache_read_tokens"),
        cache_write: number("cache_creation_tokens"),
        reasoning: number("reasoning_tokens"),
        cost_usd: metadata.get("cost").and_then(Value::as_f64),
    };
    (usage != Usage::default()).then_some(usage)
}

/// What one function came back with, in one message or several.
fn came_back(pen: &mut Pen, answers: &[(&Record, &str)]) {
    let Some(((first, call), _)) = answers.split_first() else {
        return;
    };
    let contents = answers.iter().map(|(record, _)| parts(record));
    let contents = contents.flat_map(|parts| match parts {
        Value::Array(parts) => parts,
        _ => Vec::new(),
    });
    let outcome = Outcome {
        call,
        content: contents.collect(),
        ..Outcome::default()
    };
    pen.result(outcome, &first.at, millis(first.value.get("timestamp")));
}

/// A piece of the words of an answer.
#[derive(Debug, PartialEq)]
enum Said<'t> {
    Words(&'t str),
    /// Reasoning, and what the provider signed it with.
    Thought(&'t str, Option<&'t str>),
    /// A call: its id, the function and the arguments.
    Call(&'t str, &'t str, Value),
}

/// The words of an answer, taken apart.
fn pieces(text: &str) -> Vec<Said<'_>> {
    let mut found = Vec::new();
    let mut tags = vec![("<think>", "</think>"), ("<thinking>", "</thinking>")];
    let (mut rest, mut from) = (text, 0);
    while let Some(at) = rest.get(from..).and_then(|rest| rest.find("<think")) {
        from += at;
        let (before, after) = rest.split_at_checked(from).unwrap_or((rest, ""));
        from += 1;
        let opened = tags.iter().position(|(open, _)| after.starts_with(open));
        let Some((open, close)) = opened.and_then(|index| tags.get(index)) else {
            continue;
        };
        let inner = after.strip_prefix(open).unwrap_or_default();
        match inner.split_once(close) {
            Some((thought, after)) => {
                calls(before, &mut found);
                let (thought, signature) = signed(thought);
                found.push(Said::Thought(thought, signature));
                (rest, from) = (after, 0);
            }
            // Nothing behind it closes one either.
            None => {
                let open = *open;
                tags.retain(|(tag, _)| *tag != open);
            }
        }
    }
    calls(rest, &mut found);
    found
}

/// Reasoning without the comment that holds its signature.
fn signed(thought: &str) -> (&str, Option<&str>) {
    let comment = thought.split_once("<!-- think-sig:");
    let signed = comment.and_then(|(words, rest)| Some((words, rest.split_once("-->")?)));
    match signed {
        Some((words, (signature, after))) if after.trim().is_empty() => {
            (words.trim(), Some(signature.trim()))
        }
        _ => (thought.trim(), None),
    }
}

/// The calls in words, which begin a line each, and the words around them.
fn calls<'t>(text: &'t str, found: &mut Vec<Said<'t>>) {
    let mut words = text;
    let mut from = 0;
    while let Some(line) = words.get(from..) {
        if let Some((call, function, arguments, length)) = call_of(line) {
            said(words.get(..from), found);
            found.push(Said::Call(call, function, arguments));
            words = line.get(length..).unwrap_or_default();
            from = 0;
        } else {
            match line.find('\n') {
                Some(end) => from += end + 1,
                None => break,
            }
        }
    }
    said(Some(words), found);
}

fn said<'t>(words: Option<&'t str>, found: &mut Vec<Said<'t>>) {
    let words = words.unwrap_or_default().trim();
    if !words.is_empty() {
        found.push(Said::Words(words));
    }
}

/// The call that a text begins with, and how long it is: `@function(call_id): {…}`.
fn call_of(text: &str) -> Option<(&str, &str, Value, usize)> {
    let line = text.split('\n').next()?;
    let (function, rest) = line.strip_prefix('@')?.split_once('(')?;
    let (call, rest) = rest.split_once("):")?;
    let is_name = |text: &str| {
        let own = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        !text.is_empty() && text.chars().all(own)
    };
    let body = text.get(line.len() - rest.trim_start().len()..)?;
    if !is_name(function) || !is_name(call) || !body.starts_with('{') {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(body).into_iter::<Value>();
    let arguments = values.next()?.ok()?;
    let end = text.len() - body.len() + values.byte_offset();
    Some((call, function, arguments, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_apart() {
        let text = "<think>\na\n<!-- think-sig: c2ln -->\n</think>\nGo.\n@shell(c-1): {\"command\": \"ls {\"}\n@save(c2): {}\nDone, @shell(c3): {}\n@shell(c4): {\"cut";
        let found = pieces(text);
        let expected = [
            Said::Thought("a", Some("c2ln")),
            Said::Words("Go."),
            Said::Call("c-1", "shell", json!({"command": "ls {"})),
            Said::Call("c2", "save", json!({})),
            Said::Words("Done, @shell(c3): {}\n@shell(c4): {\"cut"),
        ];
        assert_eq!(found, expected);
        let open = "<think>open <thinker> <thinking>b</thinking>";
        let expected = [
            Said::Words("<think>open <thinker>"),
            Said::Thought("b", None),
        ];
        assert_eq!(pieces(open), expected);
        assert_eq!(pieces(" \n"), []);
    }
}
