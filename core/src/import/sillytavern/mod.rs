//! Chats of SillyTavern: JSONL, a header and then a row a message, or the same rows as one list.
//!
//! A row's `mes` is the chosen one of its `swipes`; the others are branches that end there. `is_system` rows
//! stand on the page and not in the prompt, but for rows of `tool_invocations`, which are calls and results. The
//! character card, the world info and the presets are in other files. `cousins.rs` reads the single-JSON chats
//! that the same people have.

mod cousins;

pub(super) use cousins::is_cousin;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Ask;
use super::lines::LOOKED_AT;
use super::pen::{Answer, Pen};
use super::record::{At, Record, facts, filled, flag, id, rest, word};
use super::rounds::{Back, Call, Step, said};
use super::time::millis;
use super::ways::{Way, Ways, walk};
use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::Imported;

/// Whether a value is a header, a row, a list of rows, or a cousin.
pub(super) fn is_chat(value: &Value) -> bool {
    let is = |value: &Value| is_header(value) || is_row(value);
    match value.as_array() {
        Some(items) => items.iter().take(LOOKED_AT).any(is),
        None => is(value) || is_cousin(value),
    }
}

fn is_header(value: &Value) -> bool {
    let named = value.get("user_name").is_some() && value.get("character_name").is_some();
    (value.get("chat_metadata").is_some() || named) && value.get("mes").is_none()
}

fn is_row(value: &Value) -> bool {
    let named = value.get("is_user").is_some() || value.get("name").is_some();
    value.get("mes").is_some() && named
}

/// The chat of a file's rows, or those of a cousin.
pub(super) fn read(records: Vec<Record>, ask: &Ask, _: &mut Notes) -> Vec<Imported> {
    if let [only] = records.as_slice()
        && is_cousin(&only.value)
    {
        return cousins::read(only, ask);
    }
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    let (mut rows, mut character) = (Vec::new(), None);
    for record in records.into_iter().flat_map(Record::items) {
        if is_header(&record.value) {
            let name = filled(&record.value, "character_name");
            character = name.filter(|name| *name != "unused").map(str::to_owned);
            header(&mut pen, &record.value);
        } else if record.value.is_object() {
            rows.extend(row(record, rows.len(), &mut pen));
        } else {
            pen.not_a_message(&record.at);
        }
    }
    let ways: Vec<Ways> = rows.iter().map(Row::ways).collect();
    let (path, branches) = walk(&ways, ask.branch.as_deref());
    pen.transcript().branches = branches;
    let speakers = speakers(&rows);
    for (index, way) in path {
        if let Some(row) = rows.get(index) {
            write(&mut pen, row, way, speakers.len() > 1);
        }
    }
    let alone = speakers.first().filter(|_| speakers.len() == 1);
    pen.name(character.as_deref().or(alone.copied()));
    let mut imported = pen.finish();
    imported.warnings.push(Warning::new(
        "prompt_not_in_file",
        "the character card, the world info and the presets are not in such a file: give the system prompt beside it",
    ));
    vec![imported]
}

fn header(pen: &mut Pen, value: &Value) {
    let keys = [
        "user_name",
        "character_name",
        "create_date",
        "chat_metadata",
    ];
    pen.facts(facts(value, &keys), millis(value.get("create_date")));
}

/// A message with its texts.
struct Row {
    number: usize,
    value: Value,
    at: At,
    texts: Vec<String>,
    chosen: usize,
}

/// A text by itself, or in the `message` of one, as Chub writes it.
fn text(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| word(value, "message"))
}

/// A row with its texts; none of an object that says nothing.
fn row(record: Record, number: usize, pen: &mut Pen) -> Option<Row> {
    let Record { value, at } = record;
    let said = value.get("mes").and_then(text).map(str::to_owned);
    let swipes = value.get("swipes").and_then(Value::as_array);
    let swipes = swipes
        .into_iter()
        .flatten()
        .map(|swipe| text(swipe).unwrap_or_default().to_owned());
    let mut texts: Vec<String> = swipes.collect();
    if texts.is_empty() && said.is_none() {
        pen.not_a_message(&at);
        return None;
    }
    let named = value.get("swipe_id").and_then(Value::as_u64);
    let named = named
        .and_then(|id| usize::try_from(id).ok())
        .filter(|id| *id < texts.len());
    let equal = || texts.iter().position(|swipe| said.as_ref() == Some(swipe));
    let chosen = named.or_else(equal).unwrap_or(texts.len());
    match (texts.get_mut(chosen), said) {
        (Some(swipe), Some(said)) if *swipe != said => {
            let says = "chosen swipes differ from the text of their message, which counts";
            pen.count("swipe_differs", "", says, &at);
            *swipe = said;
        }
        (Some(_), _) => {}
        (None, said) => texts.push(said.unwrap_or_default()),
    }
    Some(Row {
        number,
        value,
        at,
        texts,
        chosen,
    })
}

impl Row {
    fn ways(&self) -> Ways {
        let way = |(number, words): (usize, &String)| Way {
            id: format!("{}/{number}", self.number),
            words: words.clone(),
            turn: flag(&self.value, "is_user") && !flag(&self.value, "is_system"),
            time: self.time(number),
        };
        Ways {
            ways: self.texts.iter().enumerate().map(way).collect(),
            chosen: self.chosen,
        }
    }

    fn swipe(&self, way: usize) -> Option<&Value> {
        self.value.get("swipe_info")?.get(way)
    }

    fn time(&self, way: usize) -> i64 {
        let of_swipe = self
            .swipe(way)
            .map_or(0, |swipe| millis(swipe.get("send_date")));
        match of_swipe {
            0 => millis(self.value.get("send_date")),
            time => time,
        }
    }

    /// What is kept beside the text of a way.
    fn extra(&self, way: usize) -> &Value {
        let of_swipe = self.swipe(way).and_then(|swipe| swipe.get("extra"));
        let of_swipe = of_swipe.filter(|_| way != self.chosen);
        of_swipe
            .or_else(|| self.value.get("extra"))
            .unwrap_or(&Value::Null)
    }

    fn name(&self) -> &str {
        word(&self.value, "name").unwrap_or_default()
    }

    fn narrates(&self) -> bool {
        let extra = self.value.get("extra");
        extra.is_some_and(|extra| word(extra, "type") == Some("narrator"))
    }

    fn answers(&self) -> bool {
        !flag(&self.value, "is_user") && !flag(&self.value, "is_system") && !self.narrates()
    }
}

/// The names of the characters that answer.
fn speakers(rows: &[Row]) -> BTreeSet<&str> {
    let names = rows.iter().filter(|row| row.answers()).map(Row::name);
    names.filter(|name| !name.is_empty()).collect()
}

fn write(pen: &mut Pen, row: &Row, way: usize, group: bool) {
    let Row {
        value, at, texts, ..
    } = row;
    let words = texts.get(way).map(String::as_str).unwrap_or_default();
    let (extra, time) = (row.extra(way), row.time(way));
    let macros = ["{{user}}", "{{char}}"];
    if macros.iter().any(|name| words.contains(name)) {
        let says =
            "macros stand in messages as they were written; the tool fills them in when it sends";
        pen.count("macros_unexpanded", "", says, at);
    }
    let calls = extra.get("tool_invocations").and_then(Value::as_array);
    if let Some(calls) = calls.filter(|calls| !calls.is_empty()) {
        if !words.is_empty() {
            let says = "the page's own words for calls are not kept; the calls are";
            pen.count("words_for_calls", "", says, at);
        }
        let steps = calls.iter().map(called).collect();
        return pen.rounds(steps, answer(extra, time), at);
    }
    if flag(value, "is_system") {
        let keys = ["mes", "swipes", "swipe_id", "swipe_info", "send_date"];
        return pen.aside("hidden", words, rest(value, &keys), time);
    }
    if row.narrates() {
        return pen.system("system", &json!(words), at, time);
    }
    let mut steps: Vec<Step> = filled(extra, "reasoning")
        .map(Step::thought)
        .into_iter()
        .collect();
    // The texts of files are sent before the words.
    let (texts, others) = media(extra);
    steps.extend(texts.into_iter().map(Step::words));
    if group && row.answers() && !row.name().is_empty() {
        let says =
            "several characters answer: each answer begins with its speaker's name, as it is sent";
        pen.count("names_put_before", row.name(), says, at);
        steps.push(Step::words(&format!("{}: {words}", row.name())));
    } else {
        steps.push(Step::words(words));
    }
    steps.extend(others.into_iter().map(Step::Said));
    match flag(value, "is_user") {
        false => pen.rounds(steps, answer(extra, time), at),
        true => pen.user(&said(steps), at, time),
    }
}

fn answer(extra: &Value, timestamp: i64) -> Answer<'_> {
    Answer {
        model: word(extra, "model"),
        provider: word(extra, "api"),
        timestamp,
        ..Answer::default()
    }
}

fn called(invocation: &Value) -> Step {
    let function = word(invocation, "name").unwrap_or_default().to_owned();
    let call = Call {
        id: id(invocation, "id").unwrap_or_default(),
        function: function.clone(),
        arguments: invocation.get("parameters").cloned().unwrap_or_default(),
    };
    let back = invocation.get("result").map(|result| Back {
        call: call.id.clone(),
        function,
        content: result.clone(),
        failed: flag(invocation, "error"),
        ..Back::default()
    });
    Step::Called(call, back)
}

/// The texts of the files of a message, and its pictures and other files as parts.
fn media(extra: &Value) -> (Vec<&str>, Vec<Value>) {
    let list = |key: &str| {
        extra
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let picture = |url: &str| json!({"type": "image_url", "image_url": {"url": url}});
    let file = |file: &Value| {
        let name = word(file, "name").or_else(|| word(file, "title"));
        json!({"type": "file", "file": {"filename": name, "file_url": word(file, "url")}})
    };
    let one = extra.get("file").filter(|found| found.is_object());
    let files: Vec<&Value> = one.into_iter().chain(list("files")).collect();
    let texts = files.iter().filter_map(|found| filled(found, "text"));
    let mut parts = Vec::new();
    let shown: Vec<&Value> = list("media").collect();
    parts.extend(
        word(extra, "image")
            .filter(|_| shown.is_empty())
            .map(picture),
    );
    parts.extend(
        shown
            .into_iter()
            .map(|item| match (word(item, "type"), word(item, "url")) {
                (Some("image") | None, Some(url)) => picture(url),
                _ => file(item),
            }),
    );
    let unread = files.iter().filter(|found| filled(found, "text").is_none());
    parts.extend(unread.map(|found| file(found)));
    (texts.collect(), parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Format, open};
    use crate::transcript::AgentMessage;

    fn texts(bytes: &[u8], branch: Option<&str>) -> Vec<String> {
        let ask = Ask {
            branch: branch.map(str::to_owned),
            ..Ask::default()
        };
        let opened = open(bytes, &ask).unwrap();
        assert_eq!(opened.format, Format::Sillytavern);
        let told = opened.conversations[0].messages.iter().map(|message| {
            let role = match message {
                AgentMessage::User { .. } => "user",
                AgentMessage::Assistant { .. } => "assistant",
                AgentMessage::FunctionResult { .. } => "result",
                AgentMessage::Custom { custom_type, .. } => custom_type,
            };
            let text = message.content().first().map_or("", |block| match block {
                crate::transcript::ContentBlock::Text { text } => text,
                _ => "",
            });
            format!("{role}: {text}")
        });
        told.collect()
    }

    const ROWS: &str = r#"{"name":"W","is_user":false,"mes":"a","swipes":["a","b"],"swipe_id":0}
{"name":"A","is_user":true,"is_system":true,"mes":"hidden"}
{"name":"A","is_user":true,"mes":"q"}"#;

    #[test]
    fn hidden_rows_are_kept_and_a_swipe_can_be_asked_for() {
        let rows = ["assistant: a", "hidden: hidden", "user: q"];
        assert_eq!(texts(ROWS.as_bytes(), None), rows);
        assert_eq!(texts(ROWS.as_bytes(), Some("0/1")), ["assistant: b"]);
        let list = format!("[{}]", ROWS.replace('\n', ","));
        assert_eq!(texts(list.as_bytes(), None), rows);
    }

    #[test]
    fn a_byte_order_mark_and_a_broken_header_lose_no_row() {
        let rows = texts(ROWS.as_bytes(), None);
        for head in [
            "\u{feff}",
            "\u{feff}{\"user_name\":\"A\",\"chat_meta\n",
            "null\n",
            "\n\n",
        ] {
            assert_eq!(
                texts(format!("{head}{ROWS}").as_bytes(), None),
                rows,
                "{head}"
            );
        }
    }
}
