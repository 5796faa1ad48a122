//! The chat history of Aider (`.aider.chat.history.md`): Markdown that it appends to, many chats in one file.
//!
//! `# aider chat started at <date>` begins a chat, `#### ` is a line of the person's, `> ` one of the tool's
//! and the rest is the model's. Aider ends its own lines with two blanks, which tells them from headings and
//! quotes in an answer; a file whose blanks were stripped is read by how its lines begin. What else a request
//! held, the file does not have: the system prompt, the repository map, the texts of files.

use serde_json::{Map, json};

use super::Ask;
use super::pen::{Answer, Pen, Piece};
use super::record::At;
use super::time::millis;
use crate::json::{Notes, Text};
use crate::refusal::Warning;
use crate::transcript::{Imported, Usage};

const START: &str = "# aider chat started at ";

/// How far into a text the start of a chat is looked for.
const LOOKED_AT: usize = 1 << 20;

/// How Aider ends a line of its own.
const BREAK: &str = "  ";

/// Whether a chat is started in a text. Its first one may have been cut off at the head.
pub(super) fn is_history(text: &[u8]) -> bool {
    if matches!(text.first(), Some(b'{' | b'[')) {
        return false;
    }
    let text = text.get(..LOOKED_AT).unwrap_or(text);
    let mut lines = text.split(|byte| *byte == b'\n');
    lines.any(|line| line.starts_with(START.as_bytes()))
}

/// The chats of a history, in order.
pub(super) fn read(text: &Text<'_>, _: &Ask, notes: &mut Notes) -> Vec<Imported> {
    let says = "a history of Aider holds no system prompt, repository map or file: what was sent is more than stands here";
    notes.push(Warning::new("context_not_in_file", says));
    let lines = lines(text, notes);
    let broken = lines
        .iter()
        .any(|line| line.text.starts_with("#### ") && line.text.ends_with(BREAK));
    if !broken && let Some(first) = lines.iter().find(|line| line.text.starts_with("#### ")) {
        let says = "the blanks that close Aider's own lines are gone: headings and quotes in answers may pass for words of the person and the tool";
        notes.push(first.at.of(Warning::new("speakers_guessed", says)));
    }
    let mut chats = vec![Chat::new("", broken)];
    for line in &lines {
        match (line.text.strip_prefix(START), chats.last_mut()) {
            (Some(date), _) => chats.push(Chat::new(date.trim_end(), broken)),
            (None, Some(chat)) => chat.line(line),
            (None, None) => {}
        }
    }
    // What stands before the first start is the end of a chat whose head was cut off, if it is anything.
    chats.retain(|chat| !chat.started.is_empty() || !chat.blocks.is_empty());
    chats.into_iter().map(Chat::write).collect()
}

struct Line {
    text: String,
    at: At,
}

fn lines(text: &Text<'_>, notes: &mut Notes) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut offset = text.place.offset;
    for (bytes, number) in text
        .bytes
        .split(|byte| *byte == b'\n')
        .zip(text.place.line..)
    {
        let line = String::from_utf8_lossy(bytes.strip_suffix(b"\r").unwrap_or(bytes));
        let at = At {
            path: String::new(),
            source: Some((number, offset)),
        };
        if matches!(line, std::borrow::Cow::Owned(_)) {
            let says = "bytes of the line are no UTF-8; they read as U+FFFD";
            notes.push(at.of(Warning::new("invalid_utf8", says)));
        }
        let text = line.into_owned();
        lines.push(Line { text, at });
        offset += bytes.len() as u64 + 1;
    }
    lines
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Person,
    Tool,
    Model,
}

struct Block {
    who: Who,
    text: String,
    at: At,
}

impl Block {
    /// A command to the tool, which by itself is nothing that the model hears.
    fn is_command(&self) -> bool {
        self.who == Who::Person && self.text.starts_with(['/', '!'])
    }
}

struct Chat {
    /// The date in its first line; empty when that was cut off.
    started: String,
    /// Aider's own lines end as it ends them.
    broken: bool,
    blocks: Vec<Block>,
    /// The last block may go on.
    open: bool,
    /// A line of the tool's goes on until one that is closed.
    unclosed: bool,
}

impl Chat {
    fn new(started: &str, broken: bool) -> Self {
        Self {
            started: started.to_owned(),
            broken,
            blocks: Vec::new(),
            open: false,
            unclosed: false,
        }
    }

    fn line(&mut self, line: &Line) {
        let text = line.text.as_str();
        let closed = text.strip_suffix(BREAK);
        let own = |mark: &str| {
            let words = text.strip_prefix(mark)?;
            match self.broken {
                true => closed.map(|_| words.strip_suffix(BREAK).unwrap_or_default()),
                false => Some(words.trim_end()),
            }
        };
        if let Some(words) = own("#### ") {
            self.unclosed = false;
            self.say(Who::Person, words, line);
        } else if let Some(words) = own("> ") {
            self.unclosed = false;
            self.say(Who::Tool, words, line);
        } else if self.unclosed {
            // A line of nothing but blanks closes nothing: it is one of the text.
            let closed = closed.filter(|words| !words.trim().is_empty());
            self.unclosed = closed.is_none();
            self.say(Who::Tool, closed.unwrap_or(text), line);
        } else if let Some(words) = text.strip_prefix("> ").filter(|_| self.goes_on(text)) {
            self.unclosed = true;
            self.say(Who::Tool, words, line);
        } else if self.blocks.is_empty() && text.starts_with("-*-") {
            // A word for the editor.
        } else if text.trim().is_empty() && self.last() != Some(Who::Model) {
            self.open = false;
        } else {
            self.say(Who::Model, text, line);
        }
    }

    fn last(&self) -> Option<Who> {
        self.blocks.last().map(|block| block.who)
    }

    /// Whether an unclosed quote is text of the tool's in several lines: what a command put out, or the report of
    /// an answer's tokens.
    fn goes_on(&self, text: &str) -> bool {
        let last = self.blocks.last().filter(|_| self.open);
        last.is_some_and(|last| last.who == Who::Tool || last.is_command())
            || text.starts_with("> Tokens: ")
    }

    fn say(&mut self, who: Who, text: &str, line: &Line) {
        match self.blocks.last_mut().filter(|block| block.who == who) {
            Some(block) if self.open => {
                block.text.push('\n');
                block.text.push_str(text);
            }
            _ => self.blocks.push(Block {
                who,
                text: text.to_owned(),
                at: line.at.clone(),
            }),
        }
        self.open = true;
    }

    fn write(self) -> Imported {
        // Aider talks to every provider; the pen needs no wire to write what they said.
        let mut pen = Pen::new("");
        pen.transcript().api_format = None;
        if !self.started.is_empty() {
            pen.transcript().title = Some(format!("aider chat started at {}", self.started));
            let facts = Map::from_iter([("started_at".to_owned(), json!(self.started))]);
            pen.facts(facts, millis(Some(&json!(self.started))));
        }
        let mut model = None;
        let mut report = None;
        for (index, block) in self.blocks.iter().enumerate() {
            let text = block.text.as_str();
            let after = self.blocks.get(index + 1..).unwrap_or_default();
            match block.who {
                Who::Person if block.is_command() && !is_answered(after) => {
                    pen.aside("command", text, None, 0);
                }
                Who::Person => pen.user(&json!(text), &block.at, 0),
                Who::Model => {
                    let notices = after.iter().take_while(|block| block.who == Who::Tool);
                    let usage = notices.into_iter().find_map(reported).or(report.take());
                    let answer = Answer {
                        model,
                        usage,
                        ..Answer::default()
                    };
                    let (thought, words) = thought(text.trim());
                    let thought =
                        thought.map(|text| json!({"type": "thinking", "thinking": text.trim()}));
                    let words = Some(words.trim()).filter(|words| !words.is_empty());
                    let parts = thought.into_iter().chain(words.map(|words| json!(words)));
                    pen.answer(parts.map(Piece::Part).collect(), answer, &block.at);
                }
                Who::Tool => {
                    model = text.lines().rev().find_map(model_named).or(model);
                    pen.transcript().model = model.map(str::to_owned);
                    pen.aside("tool_output", text, None, 0);
                }
            }
            // A report that stands before its answer is that answer's; one behind it was taken.
            report = match (block.who, after.first().map(|block| block.who)) {
                (Who::Tool, Some(Who::Model)) if !self.answers(index) => reported(block),
                _ => None,
            };
        }
        pen.finish()
    }

    /// Whether a block of the tool's stands behind an answer.
    fn answers(&self, index: usize) -> bool {
        let before = self.blocks.get(..index).unwrap_or_default();
        let before = before.iter().rev().find(|block| block.who != Who::Tool);
        before.is_some_and(|block| block.who == Who::Model)
    }
}

/// Whether the model spoke before the person did again.
fn is_answered(after: &[Block]) -> bool {
    let next = after.iter().find(|block| block.who != Who::Tool);
    next.is_some_and(|block| block.who == Who::Model)
}

/// The reasoning that Aider puts before an answer, between marks with a name of its own, and the answer.
fn thought(text: &str) -> (Option<&str>, &str) {
    let marked = text.strip_prefix("<thinking-content-");
    let Some((name, rest)) = marked.and_then(|marked| marked.split_once(">\n")) else {
        return (None, text);
    };
    let end = format!("</thinking-content-{name}>");
    let (thought, words) = rest.split_once(&end).unwrap_or((rest, ""));
    (Some(thought), words)
}

/// The model that a line of the tool's names: `Main model: NAME with diff edit format`.
fn model_named(line: &str) -> Option<&str> {
    let marks = ["Main model: ", "Models: ", "Model: "];
    let named = marks.into_iter().find_map(|mark| line.strip_prefix(mark))?;
    let name = named.split(" with ").next()?;
    // The sign says that the prompt is cached.
    Some(name.trim_end_matches('⚡'))
}

/// What a block of the tool's reports of an answer: `Tokens: 4.3k sent, 1.2k cache hit, 570 received. Cost: …`.
fn reported(block: &Block) -> Option<Usage> {
    let report = block
        .text
        .lines()
        .skip_while(|line| !line.starts_with("Tokens: "));
    let report: Vec<&str> = report.take(2).collect();
    let report = report.join(" ");
    let report = report.strip_prefix("Tokens: ")?;
    let number = |mark: &str| {
        let before = report
            .split(mark)
            .next()
            .filter(|before| before.len() < report.len())?;
        amount(before.rsplit([' ', '$']).next()?)
    };
    let tokens = |mark: &str| number(mark).map(|tokens| tokens as u64);
    let (cache_read, cache_write) = (tokens(" cache hit"), tokens(" cache write"));
    let cached = cache_read
        .unwrap_or(0)
        .saturating_add(cache_write.unwrap_or(0));
    Some(Usage {
        input: Some(tokens(" sent")?.saturating_sub(cached)),
        output: tokens(" received"),
        cache_read,
        cache_write,
        reasoning: None,
        cost_usd: number(" message,").or_else(|| number(" request,")),
    })
}

/// `5,244`, `4.3k`, `1.2M` or `0.02`.
fn amount(text: &str) -> Option<f64> {
    let (digits, unit) = match text.strip_suffix(['k', 'M']) {
        Some(digits) if text.ends_with('k') => (digits, 1e3),
        Some(digits) => (digits, 1e6),
        None => (text, 1.0),
    };
    let number: f64 = digits.replace(',', "").parse().ok()?;
    Some((number * unit * 1e9).round() / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read_in_the_words_of_every_version() {
        let of = |text: &str| {
            reported(&Block {
                who: Who::Tool,
                text: text.to_owned(),
                at: At::default(),
            })
        };
        let old = of("Tokens: 5,244 sent, 604 received. Cost: $0.02 request, $0.03 session.");
        assert_eq!(
            old,
            Some(Usage {
                input: Some(5244),
                output: Some(604),
                cost_usd: Some(0.02),
                ..Usage::default()
            })
        );
        let new = of(
            "Tokens: 4.3k sent, 2.9k cache write, 1.2k cache hit, 570 received.\nCost: $0.0019 message, $0.06 session.",
        );
        assert_eq!(
            new,
            Some(Usage {
                input: Some(200),
                output: Some(570),
                cache_read: Some(1200),
                cache_write: Some(2900),
                cost_usd: Some(0.0019),
                ..Usage::default()
            })
        );
        assert_eq!(of("Tokens: a few").map(|_| ()), None);
    }
}
