//! Chats of the tools around SillyTavern, each one JSON object.
//!
//! Text generation web UI `{internal, visible}` (pairs; what was sent is `internal`), Agnai `{messages: [{msg,
//! userId}]}`, CAI Tools `{histories: {histories: [{msgs}]}}`, Kobold Lite `{savedsettings, prompt, memory,
//! actions}` and RisuAI `{type: "risuChat", data: {message}}`.

use serde_json::{Value, json};

use crate::import::Ask;
use crate::import::lines::LOOKED_AT;
use crate::import::pen::{Answer, Pen, Piece};
use crate::import::record::{At, Record, facts, flag, word};
use crate::import::time::millis;
use crate::import::ways::{Way, Ways, walk};
use crate::transcript::Imported;

/// Stands for the question that nobody asked before a greeting.
const NO_QUESTION: &str = "<|BEGIN-VISIBLE-CHAT|>";

/// Where a Kobold Lite text changes hands: to the person, and back.
const HANDS: [&str; 2] = ["{{[INPUT]}}", "{{[OUTPUT]}}"];

#[derive(Clone, Copy)]
enum Cousin {
    Kobold,
    Cai,
    TextGeneration,
    Agnai,
    Risu,
}

/// Which chat a value is. Apart from how each is read, so that who only asks carries none of the readers.
fn of(value: &Value) -> Option<Cousin> {
    let said = |all: &Vec<Value>| all.iter().take(LOOKED_AT).any(|m| word(m, "msg").is_some());
    if value.get("savedsettings").is_some() && list(value, "/actions").is_some() {
        Some(Cousin::Kobold)
    } else if list(value, "/histories/histories").is_some() {
        Some(Cousin::Cai)
    } else if pairs(value).is_some() {
        Some(Cousin::TextGeneration)
    } else if list(value, "/messages").is_some_and(said) {
        Some(Cousin::Agnai)
    } else if word(value, "type") == Some("risuChat") {
        Some(Cousin::Risu)
    } else {
        None
    }
}

/// Whether a value is such a chat.
pub(in crate::import) fn is_cousin(value: &Value) -> bool {
    of(value).is_some()
}

/// The chats of such a file.
pub(super) fn read(record: &Record, ask: &Ask) -> Vec<Imported> {
    match of(&record.value) {
        Some(Cousin::Kobold) => kobold(record, ask),
        Some(Cousin::Cai) => cai(record, ask),
        Some(Cousin::TextGeneration) => text_generation(record, ask),
        Some(Cousin::Agnai) => agnai(record, ask),
        Some(Cousin::Risu) => risu(record, ask),
        None => Vec::new(),
    }
}

/// Who said what, in the ways it was said, the first one chosen.
struct Said<'r> {
    user: bool,
    ways: Vec<&'r str>,
    time: i64,
    model: Option<&'r str>,
    at: At,
}

/// A pen for texts that went to models of any kind.
fn pen(title: Option<&str>) -> Pen {
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    pen.transcript().title = title.map(str::to_owned);
    pen
}

fn write(mut pen: Pen, said: &[Said<'_>], ask: &Ask) -> Imported {
    let ways = said.iter().enumerate().map(|(index, said)| Ways {
        ways: said
            .ways
            .iter()
            .enumerate()
            .map(|(number, words)| Way {
                id: format!("{index}/{number}"),
                words: (*words).to_owned(),
                turn: said.user,
                time: said.time,
            })
            .collect(),
        chosen: 0,
    });
    let (path, branches) = walk(&ways.collect::<Vec<_>>(), ask.branch.as_deref());
    pen.transcript().branches = branches;
    for (index, way) in path {
        let Some(said) = said.get(index) else {
            continue;
        };
        let words = json!(said.ways.get(way).copied().unwrap_or_default());
        if said.user {
            pen.user(&words, &said.at, said.time);
            continue;
        }
        let answer = Answer {
            model: said.model,
            timestamp: said.time,
            ..Answer::default()
        };
        pen.answer(vec![Piece::Part(words)], answer, &said.at);
    }
    let own = pen.transcript().title.take();
    pen.name(own.as_deref());
    pen.finish()
}

fn list<'r>(value: &'r Value, pointer: &str) -> Option<&'r Vec<Value>> {
    value.pointer(pointer)?.as_array()
}

/// The items of a list that say something, and those that say nothing told.
fn said<'r>(
    pen: &mut Pen,
    items: &'r [Value],
    at: &At,
    one: impl Fn(&'r Value, At) -> Option<Said<'r>>,
) -> Vec<Said<'r>> {
    let mut found = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let place = at.inside(&format!("/{index}"));
        match one(item, place.clone()) {
            Some(said) => found.push(said),
            None => {
                pen.not_a_message(&place);
            }
        }
    }
    found
}

/// The pairs of a chat and their place: as they were sent, else as they were shown.
fn pairs(value: &Value) -> Option<(&'static str, &Vec<Value>)> {
    let shown = ["/visible", "/data_visible"];
    if !shown.iter().any(|pointer| list(value, pointer).is_some()) {
        return None;
    }
    let kept = ["/internal", "/data"].into_iter().chain(shown);
    let mut found = kept.filter_map(|pointer| Some((pointer, list(value, pointer)?)));
    found.find(|(_, pairs)| pairs.iter().all(Value::is_array))
}

fn text_generation(record: &Record, ask: &Ask) -> Vec<Imported> {
    let Some((pointer, pairs)) = pairs(&record.value) else {
        return Vec::new();
    };
    let mut pen = pen(None);
    let at = record.at.inside(pointer);
    if pointer.ends_with("visible") {
        let says = "the texts are as the page showed them, with its escapes; what was sent is not in the file";
        pen.count("texts_as_shown", "", says, &at);
    }
    let mut said = Vec::new();
    for (number, pair) in pairs.iter().enumerate() {
        for (side, words) in pair.as_array().into_iter().flatten().take(2).enumerate() {
            let words = words.as_str().unwrap_or_default();
            if words.is_empty() || words == NO_QUESTION {
                continue;
            }
            said.push(Said {
                user: side == 0,
                ways: vec![words],
                time: 0,
                model: None,
                at: at.inside(&format!("/{number}/{side}")),
            });
        }
    }
    vec![write(pen, &said, ask)]
}

fn agnai(record: &Record, ask: &Ask) -> Vec<Imported> {
    let Record { value, at } = record;
    let mut pen = pen(word(value, "name"));
    pen.facts(
        facts(value, &["greeting", "scenario", "sampleChat", "overrides"]),
        0,
    );
    let items = list(value, "/messages")
        .map(Vec::as_slice)
        .unwrap_or_default();
    let said = said(&mut pen, items, &at.inside("/messages"), |item, at| {
        let retries = item.get("retries").and_then(Value::as_array);
        let mut ways = vec![word(item, "msg")?];
        ways.extend(retries.into_iter().flatten().filter_map(Value::as_str));
        Some(Said {
            user: word(item, "userId").is_some_and(|id| !id.is_empty()),
            ways,
            time: millis(item.get("createdAt")),
            model: None,
            at,
        })
    });
    vec![write(pen, &said, ask)]
}

fn cai(record: &Record, ask: &Ask) -> Vec<Imported> {
    let Record { value, at } = record;
    let name = value
        .pointer("/info/character/name")
        .or_else(|| value.pointer("/info/name"));
    let histories = list(value, "/histories/histories")
        .into_iter()
        .flatten()
        .enumerate();
    let chats = histories.map(|(number, history)| {
        let mut pen = pen(name.and_then(Value::as_str));
        pen.facts(
            facts(history, &["external_id", "created"]),
            millis(history.get("created")),
        );
        let items = list(history, "/msgs")
            .map(Vec::as_slice)
            .unwrap_or_default();
        let at = at.inside(&format!("/histories/histories/{number}/msgs"));
        let said = said(&mut pen, items, &at, |item, at| {
            Some(Said {
                user: item.get("src").is_some_and(|src| flag(src, "is_human")),
                ways: vec![word(item, "text")?],
                time: millis(item.get("created")),
                model: None,
                at,
            })
        });
        write(pen, &said, ask)
    });
    chats.collect()
}

fn kobold(record: &Record, ask: &Ask) -> Vec<Imported> {
    let Record { value, at } = record;
    let settings = value.get("savedsettings").unwrap_or(&Value::Null);
    let other = word(settings, "chatopponent").unwrap_or_default();
    let mut pen = pen(other.split("||$||").next());
    if let Some(memory) = word(value, "memory").filter(|text| !text.is_empty()) {
        pen.system("system", &json!(memory), &at.inside("/memory"), 0);
    }
    pen.facts(
        facts(value, &["authorsnote", "anotetemplate", "worldinfo"]),
        0,
    );
    let mut said = Vec::new();
    let prompt = value
        .get("prompt")
        .map(|prompt| (at.inside("/prompt"), prompt));
    let actions = list(value, "/actions").into_iter().flatten().enumerate();
    let actions = actions.map(|(index, action)| (at.inside(&format!("/actions/{index}")), action));
    for (at, action) in prompt.into_iter().chain(actions) {
        let Some(text) = action.as_str() else {
            pen.not_a_message(&at);
            continue;
        };
        for (user, words) in hands(text) {
            said.push(Said {
                user,
                ways: vec![words],
                time: 0,
                model: None,
                at: at.clone(),
            });
        }
    }
    vec![write(pen, &said, ask)]
}

/// The parts of a Kobold Lite text, and whether the person wrote them: from its input marks to its output marks.
fn hands(text: &str) -> Vec<(bool, &str)> {
    let (mut found, mut user, mut rest) = (Vec::new(), false, text);
    loop {
        let marks = HANDS.iter().enumerate();
        let next = marks.filter_map(|(number, mark)| Some((rest.find(mark)?, number, mark.len())));
        let Some((at, number, long)) = next.min() else {
            break;
        };
        found.push((user, rest.get(..at).unwrap_or_default()));
        user = number == 0;
        rest = rest.get(at + long..).unwrap_or_default();
    }
    found.push((user, rest));
    // The line breaks set the marks apart.
    let parts = found
        .into_iter()
        .map(|(user, words)| (user, words.trim_matches('\n')));
    parts
        .filter(|(_, words)| !words.trim().is_empty())
        .collect()
}

fn risu(record: &Record, ask: &Ask) -> Vec<Imported> {
    let chat = record.value.get("data").unwrap_or(&Value::Null);
    let mut pen = pen(word(chat, "name"));
    pen.facts(facts(chat, &["id", "note", "localLore", "fmIndex"]), 0);
    let items = list(chat, "/message")
        .map(Vec::as_slice)
        .unwrap_or_default();
    let said = said(
        &mut pen,
        items,
        &record.at.inside("/data/message"),
        |item, at| {
            Some(Said {
                user: word(item, "role") == Some("user"),
                ways: vec![word(item, "data")?],
                time: millis(item.get("time")),
                model: item
                    .pointer("/generationInfo/model")
                    .and_then(Value::as_str),
                at,
            })
        },
    );
    vec![write(pen, &said, ask)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_changes_hands_at_its_marks() {
        assert_eq!(
            hands("\n{{[INPUT]}}\nhi\n{{[OUTPUT]}}\nhello there\n"),
            [(true, "hi"), (false, "hello there")]
        );
        assert_eq!(hands("Once upon a time"), [(false, "Once upon a time")]);
        assert_eq!(hands("{{[INPUT]}}{{[OUTPUT]}}"), []);
    }
}
