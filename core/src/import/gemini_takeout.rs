//! What Google Takeout gives out of the Gemini apps: an activity per prompt, with its answer as HTML. The file
//! does not say which prompts were one conversation, so each is a conversation of its own.

use serde_json::{Value, json};

use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::Imported;
use crate::wire::gemini::API_FORMAT;

use super::Ask;
use super::pen::{Answer, Pen, Piece};
use super::record::{Record, facts, word};
use super::time::millis;

/// Whether a file is a list of such activities, or a value one of them.
pub(super) fn is(value: &Value) -> bool {
    let one = |value: &Value| {
        of_gemini(value) == Some(true)
            && word(value, "title").is_some()
            && value.get("time").is_some()
    };
    match value.as_array() {
        Some(items) => items.iter().take(50).any(one),
        None => one(value),
    }
}

/// Whether an activity says that it is of the Gemini apps, which has other words around the name in other
/// languages; none when it does not say of what it is.
fn of_gemini(value: &Value) -> Option<bool> {
    let products = value.get("products").and_then(Value::as_array);
    let products = products.into_iter().flatten().filter_map(Value::as_str);
    let names: Vec<&str> = products.chain(word(value, "header")).collect();
    let gemini = |name: &&str| ["Gemini", "Bard"].iter().any(|app| name.contains(app));
    (!names.is_empty()).then(|| names.iter().any(gemini))
}

/// The conversation of each activity.
pub(super) fn read(records: Vec<Record>, _: &Ask, notes: &mut Notes) -> Vec<Imported> {
    let mut found = Vec::new();
    for record in records.into_iter().flat_map(Record::items) {
        let title = word(&record.value, "title").filter(|title| !title.is_empty());
        let html = html(&record.value);
        let says = match title {
            None => "no prompt is here; it is skipped",
            Some(_) if of_gemini(&record.value) == Some(false) => {
                "the activity is another app's; it is skipped"
            }
            Some(title) if html.is_empty() && asks_nothing(title) => {
                "the activity is neither a prompt nor an answer; it is skipped"
            }
            Some(title) => {
                found.push(activity(&record, title, &html));
                continue;
            }
        };
        notes.push(record.at.of(Warning::new("not_a_conversation", says)));
    }
    found
}

/// What stands before the person's words in a title; in other languages it is kept with them.
const SAID: [&str; 5] = ["Prompted", "Asked", "Said", "Branched", "Answered"];

/// How titles begin that are not the person's words.
const DONE: [&str; 6] = [
    "Created Gemini Canvas",
    "Used an Assistant feature",
    "Used Gemini Apps",
    "Gave feedback",
    "Selected preferred draft",
    "Cleared previous feedback",
];

fn asks_nothing(title: &str) -> bool {
    DONE.iter().any(|done| title.starts_with(done))
}

/// The pieces of an answer.
fn html(activity: &Value) -> Vec<&str> {
    let items = activity.get("safeHtmlItem").and_then(Value::as_array);
    let items = items.into_iter().flatten();
    items.filter_map(|item| word(item, "html")).collect()
}

fn activity(record: &Record, title: &str, html: &[&str]) -> Imported {
    let (value, at) = (&record.value, &record.at);
    let mut pen = Pen::new(API_FORMAT);
    let time = millis(value.get("time"));
    // What parts the two may be a blank that breaks no line.
    let said = SAID
        .iter()
        .find_map(|verb| title.strip_prefix(verb)?.strip_prefix([' ', '\u{a0}']));
    let prompt = said.unwrap_or(title).trim();
    pen.transcript().title = (!prompt.is_empty()).then(|| prompt.chars().take(80).collect());
    let files = value.get("attachedFiles").and_then(Value::as_array);
    let files = files.into_iter().flatten().map(|file| {
        let name = file.as_str().or_else(|| word(file, "name"));
        json!({"type": "file", "file": {"filename": name}})
    });
    let asked = !prompt.is_empty() && !asks_nothing(title);
    let words = asked.then(|| json!({"type": "text", "text": prompt}));
    let parts: Vec<Value> = words.into_iter().chain(files).collect();
    if !parts.is_empty() {
        pen.user(&Value::Array(parts), at, time);
    }
    if html.is_empty() {
        pen.count("answer_not_in_file", "", "activities without an answer", at);
    } else {
        let text = plain(&html.concat());
        let answer = Answer {
            timestamp: time,
            ..Answer::default()
        };
        pen.answer(
            vec![Piece::Part(json!({"type": "text", "text": text}))],
            answer,
            at,
        );
        let says = "the answer stands as HTML in the file and is read as its plain words; the conversation it was in, the model and what was read of the web are not in the file";
        pen.count("answer_from_html", "", says, at);
    }
    pen.facts(facts(value, &["subtitles", "details", "titleUrl"]), time);
    pen.finish()
}

/// The words of HTML: a block begins a line, a list's item a dash.
fn plain(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some(at) = rest.find(['<', '&']) {
        let (before, tail) = rest.split_at(at);
        text.push_str(before);
        let end = match tail.starts_with('<') {
            true => tail.find('>'),
            false => tail.find(';').filter(|end| *end <= 10),
        };
        let Some(end) = end else {
            // A sign that opens nothing stands for itself.
            let after = tail.get(1..).unwrap_or_default();
            text.push_str(tail.get(..1).unwrap_or_default());
            rest = after;
            continue;
        };
        let inside = tail.get(1..end).unwrap_or_default();
        rest = tail.get(end + 1..).unwrap_or_default();
        match tail.starts_with('<') {
            true => tag(inside, &mut text),
            false => match entity(inside) {
                Some(sign) => text.push(sign),
                None => text.push_str(tail.get(..=end).unwrap_or_default()),
            },
        }
    }
    text.push_str(rest);
    text.trim().to_owned()
}

fn tag(tag: &str, text: &mut String) {
    let name = tag.trim_start_matches('/');
    let end = name.find(|c: char| !c.is_ascii_alphanumeric());
    let name = name.get(..end.unwrap_or(name.len())).unwrap_or_default();
    let closing = tag.starts_with('/');
    let mut line = |lines: usize| {
        let there = text.chars().rev().take_while(|c| *c == '\n').count();
        if !text.is_empty() {
            text.extend(std::iter::repeat_n('\n', lines.saturating_sub(there)));
        }
    };
    match name.to_ascii_lowercase().as_str() {
        "br" => text.push('\n'),
        "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "pre" | "table" | "ul" | "ol"
        | "blockquote" => {
            line(2);
        }
        "div" | "tr" | "hr" => line(1),
        "li" => {
            line(1);
            if !closing {
                text.push_str("- ");
            }
        }
        "td" | "th" if closing => text.push('\t'),
        _ => {}
    }
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let number = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => number.parse(),
        };
        return char::from_u32(number.ok()?);
    }
    let sign = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        _ => return None,
    };
    Some(sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_reads_as_its_words() {
        for (html, text) in [
            ("<p>One &amp; two</p><p>three</p>", "One & two\n\nthree"),
            ("<ul><li>a</li><li>b &lt;c&gt;</li></ul>", "- a\n- b <c>"),
            ("a<br>b<br/>c", "a\nb\nc"),
            (
                "<pre><code>if a &#60; b &#x26;&#x26; c:</code></pre>",
                "if a < b && c:",
            ),
            (
                "<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>",
                "1\t2\t\n3",
            ),
            ("5 < 6 & 7 &unknown; é", "5 < 6 & 7 &unknown; é"),
            ("", ""),
        ] {
            assert_eq!(plain(html), text, "{html}");
        }
    }
}
