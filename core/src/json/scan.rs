//! One JSON value checked byte by byte: what other tools write and strict readers refuse is mended and
//! noted, everything else is a [`Fault`] with its place.
//!
//! Mended: a lone surrogate escape and invalid UTF-8 in a string become U+FFFD; `NaN`, the infinities and
//! numbers past them become `null`. Nothing is built here but the mended copy, and that only when needed.

use crate::refusal::{Refusal, Warning};

use super::notes::Notes;

/// The deepest nesting that is read.
pub const MAX_DEPTH: usize = 127;

/// Where a slice begins in its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: u64,
    /// Byte offset, from 0.
    pub offset: u64,
}

impl Default for Place {
    fn default() -> Self {
        Self { line: 1, offset: 0 }
    }
}

impl Place {
    /// The place after these bytes.
    pub fn after(self, bytes: &[u8]) -> Self {
        let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
        Self {
            line: self.line + lines as u64,
            offset: self.offset + bytes.len() as u64,
        }
    }
}

/// Why a text is no JSON, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong there.
    pub message: String,
    /// Line, from 1.
    pub line: u64,
    /// Column in characters, from 1.
    pub column: u64,
    /// Byte offset, from 0.
    pub offset: u64,
    /// The text simply ends: what was there so far was JSON.
    pub cut_off: bool,
    /// It is nested deeper than [`MAX_DEPTH`].
    pub too_deep: bool,
}

impl Fault {
    /// A fault at a byte of a slice that begins at `place`.
    pub fn at(bytes: &[u8], at: usize, place: Place, message: &str) -> Self {
        let mut notes = Notes::default();
        let mut scan = Scan::new(bytes, place, &mut notes);
        scan.at = at;
        scan.fault(message)
    }

    /// A refusal that names the place.
    pub fn refusal(&self, code: &str) -> Refusal {
        let remedy = if self.cut_off {
            "; it looks cut off: export or copy it again"
        } else {
            ""
        };
        Refusal::new(
            code,
            format!(
                "no JSON at line {}, column {} (byte {}): {}{remedy}",
                self.line, self.column, self.offset, self.message
            ),
        )
    }
}

/// What [`scan`] saw of a value.
pub(super) struct Scanned {
    /// The value's text with what was mended, when anything was.
    pub mended: Option<Vec<u8>>,
    /// Where in the slice the value ends.
    pub end: usize,
}

/// Checks the first value of a slice that begins at `place`; what follows the value is not looked at.
pub(super) fn scan(bytes: &[u8], place: Place, notes: &mut Notes) -> Result<Scanned, Fault> {
    let mut scan = Scan::new(bytes, place, notes);
    scan.value()?;
    let end = scan.at;
    let mended = scan.touched.then(|| {
        scan.copy(end);
        scan.mended
    });
    Ok(Scanned { mended, end })
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    place: Place,
    /// An offset, its line, and where that line begins; places are only asked for going forward.
    located: (usize, u64, usize),
    mended: Vec<u8>,
    copied: usize,
    touched: bool,
    notes: &'a mut Notes,
}

impl<'a> Scan<'a> {
    fn new(bytes: &'a [u8], place: Place, notes: &'a mut Notes) -> Self {
        Self {
            bytes,
            at: 0,
            place,
            located: (0, place.line, 0),
            mended: Vec::new(),
            copied: 0,
            touched: false,
            notes,
        }
    }

    fn value(&mut self) -> Result<(), Fault> {
        let mut open = Vec::new();
        loop {
            self.blank();
            match self.peek() {
                Some(bracket @ (b'{' | b'[')) => {
                    if open.len() == MAX_DEPTH {
                        let message = format!("nested deeper than {MAX_DEPTH} levels");
                        let mut fault = self.fault(&message);
                        fault.too_deep = true;
                        return Err(fault);
                    }
                    open.push(bracket);
                    self.at += 1;
                    self.blank();
                    match (bracket, self.peek()) {
                        (b'{', Some(b'}')) | (b'[', Some(b']')) => {
                            self.at += 1;
                            open.pop();
                        }
                        (b'{', _) => {
                            self.key()?;
                            continue;
                        }
                        _ => continue,
                    }
                }
                Some(b'"') => self.string()?,
                Some(b'-' | b'0'..=b'9' | b'N' | b'I') => self.number()?,
                Some(b't') => self.word("true")?,
                Some(b'f') => self.word("false")?,
                Some(b'n') => self.word("null")?,
                Some(_) => return Err(self.fault("a value is expected here")),
                None => return Err(self.ends(open.last())),
            }
            loop {
                let Some(bracket) = open.last().copied() else {
                    return Ok(());
                };
                self.blank();
                match (bracket, self.peek()) {
                    (b'[', Some(b',')) => {
                        self.at += 1;
                        break;
                    }
                    (b'{', Some(b',')) => {
                        self.at += 1;
                        self.key()?;
                        break;
                    }
                    (b'[', Some(b']')) | (b'{', Some(b'}')) => {
                        self.at += 1;
                        open.pop();
                    }
                    (_, None) => return Err(self.ends(Some(&bracket))),
                    (b'[', _) => return Err(self.fault("`,` or `]` is expected here")),
                    _ => return Err(self.fault("`,` or `}` is expected here")),
                }
            }
        }
    }

    fn key(&mut self) -> Result<(), Fault> {
        self.blank();
        match self.peek() {
            Some(b'"') => self.string()?,
            Some(_) => return Err(self.fault("a member's name in double quotes is expected here")),
            None => return Err(self.ends(Some(&b'{'))),
        }
        self.blank();
        match self.peek() {
            Some(b':') => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(self.fault("`:` is expected here")),
            None => Err(self.ends(Some(&b'{'))),
        }
    }

    fn string(&mut self) -> Result<(), Fault> {
        let opened = self.at;
        self.at += 1;
        let mut run = self.at;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.utf8(run);
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    self.utf8(run);
                    self.escape(opened)?;
                    run = self.at;
                }
                Some(0..=0x1f) => {
                    return Err(self.fault("a control character in a string is not escaped"));
                }
                Some(_) => self.at += 1,
                None => return Err(self.unclosed(opened)),
            }
        }
    }

    fn escape(&mut self, opened: usize) -> Result<(), Fault> {
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let from = self.at;
                let unit = self.unit(opened)?;
                match unit {
                    0xd800..=0xdbff => {
                        let paired = self.bytes.get(self.at..self.at + 2) == Some(b"\\u")
                            && matches!(
                                hex(self.bytes.get(self.at + 2..self.at + 6)),
                                Some(0xdc00..=0xdfff)
                            );
                        if paired {
                            self.at += 6;
                        } else {
                            self.lone(from);
                        }
                    }
                    0xdc00..=0xdfff => self.lone(from),
                    _ => {}
                }
            }
            Some(_) => return Err(self.fault("JSON has no such escape")),
            None => return Err(self.unclosed(opened)),
        }
        Ok(())
    }

    /// Reads `\uXXXX`.
    fn unit(&mut self, opened: usize) -> Result<u16, Fault> {
        let digits = self.bytes.get(self.at + 2..self.at + 6);
        if digits.is_none() {
            return Err(self.unclosed(opened));
        }
        let Some(unit) = hex(digits) else {
            return Err(self.fault("`\\u` needs four hexadecimal digits"));
        };
        self.at += 6;
        Ok(unit)
    }

    fn lone(&mut self, from: usize) {
        self.note(
            from,
            "lone_surrogate",
            "a lone surrogate is no character; it reads as U+FFFD",
        );
        self.mend(from, self.at, b"\\ufffd");
    }

    /// Checks the bytes of a string from `run` to here.
    fn utf8(&mut self, run: usize) {
        let end = self.at;
        let mut from = run;
        while let Some(rest) = self.bytes.get(from..end) {
            let Err(error) = std::str::from_utf8(rest) else {
                return;
            };
            let bad = from + error.valid_up_to();
            let after = error.error_len().map_or(end, |len| bad + len);
            self.note(
                bad,
                "invalid_utf8",
                "bytes that are no UTF-8 read as U+FFFD",
            );
            self.mend(bad, after, "\u{fffd}".as_bytes());
            from = after;
        }
    }

    fn number(&mut self) -> Result<(), Fault> {
        let from = self.at;
        for word in ["NaN", "Infinity", "-Infinity"] {
            if self.starts(word) {
                self.at += word.len();
                self.note(
                    from,
                    "not_a_number",
                    &format!("{word} is no JSON; it reads as null"),
                );
                self.mend(from, self.at, b"null");
                return Ok(());
            }
            let rest = self.bytes.get(from..).unwrap_or_default();
            if rest != b"-" && word.as_bytes().starts_with(rest) {
                self.at = self.bytes.len();
                return Err(self.ended("in a word"));
            }
        }
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        let text = self.bytes.get(from..self.at).unwrap_or_default();
        let number: Option<f64> = std::str::from_utf8(text).ok().and_then(|t| t.parse().ok());
        if number.is_some_and(f64::is_infinite) {
            self.note(
                from,
                "not_a_number",
                "a number too large to hold reads as null",
            );
            self.mend(from, self.at, b"null");
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Fault> {
        match self.peek() {
            Some(b'0'..=b'9') => {}
            Some(_) => return Err(self.fault("a digit is expected here")),
            None => return Err(self.ended("in a number")),
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn word(&mut self, word: &str) -> Result<(), Fault> {
        if self.starts(word) {
            self.at += word.len();
            return Ok(());
        }
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if word.as_bytes().starts_with(rest) {
            self.at = self.bytes.len();
            return Err(self.ended("in a word"));
        }
        Err(self.fault("a value is expected here"))
    }

    fn starts(&self, word: &str) -> bool {
        self.bytes
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(word.as_bytes()))
    }

    fn blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn mend(&mut self, from: usize, to: usize, with: &[u8]) {
        self.copy(from);
        self.mended.extend_from_slice(with);
        self.copied = to;
        self.touched = true;
    }

    fn copy(&mut self, to: usize) {
        self.mended
            .extend_from_slice(self.bytes.get(self.copied..to).unwrap_or_default());
        self.copied = to;
    }

    fn note(&mut self, at: usize, code: &str, message: &str) {
        let (line, _) = self.locate(at);
        self.notes
            .push(Warning::new(code, message).in_source(line, self.place.offset + at as u64));
    }

    fn locate(&mut self, at: usize) -> (u64, u64) {
        let (from, mut line, mut start) = self.located;
        for (index, byte) in self.bytes.iter().enumerate().take(at).skip(from) {
            if *byte == b'\n' {
                line += 1;
                start = index + 1;
            }
        }
        self.located = (at.max(from), line, start);
        let before = self.bytes.get(start..at).unwrap_or_default();
        let characters = before.iter().filter(|byte| (**byte & 0xc0) != 0x80).count();
        (line, characters as u64 + 1)
    }

    fn fault(&mut self, message: &str) -> Fault {
        let (line, column) = self.locate(self.at);
        Fault {
            message: message.to_owned(),
            line,
            column,
            offset: self.place.offset + self.at as u64,
            cut_off: false,
            too_deep: false,
        }
    }

    fn ended(&mut self, inside: &str) -> Fault {
        let mut fault = self.fault(&format!("the text ends {inside}"));
        fault.cut_off = true;
        fault
    }

    fn ends(&mut self, bracket: Option<&u8>) -> Fault {
        self.ended(match bracket {
            Some(b'{') => "inside an object",
            Some(_) => "inside a list",
            None => "where a value is expected",
        })
    }

    fn unclosed(&mut self, opened: usize) -> Fault {
        self.at = self.bytes.len();
        let opened = self.place.offset + opened as u64;
        self.ended(&format!("inside the string that opens at byte {opened}"))
    }
}

fn hex(digits: Option<&[u8]>) -> Option<u16> {
    let text = std::str::from_utf8(digits?).ok()?;
    if !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u16::from_str_radix(text, 16).ok()
}
