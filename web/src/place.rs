//! Where on the page a refusal stands: its field, its block, its line of the template's text.

use crate::protocol::Refusal;

/// A place of the request pane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The template, at this JSON pointer.
    Template(String),
    /// Who is asked.
    To,
    /// The model field.
    Model,
    /// The share of history.
    Share,
    /// The bound of history in segments.
    MaxEntries,
    /// The declared variables, or one of them.
    Variables,
    /// A piece of client text.
    Inline(usize),
    /// The attachments.
    Attachments,
    /// The request as a whole.
    Request,
}

/// The place a refusal stands at, by its path, else by its code. The template's own paths begin
/// with `/blocks` or `/variables`; those of a request name its fields.
pub fn place(refusal: &Refusal) -> Place {
    let path = refusal.path.as_deref().unwrap_or_default();
    let second = path.split('/').nth(2).and_then(|part| part.parse().ok());
    if refusal.code == "prompt_template_invalid" {
        return if path.is_empty() {
            Place::Variables
        } else {
            Place::Template(path.to_owned())
        };
    }
    match path.split('/').nth(1).unwrap_or_default() {
        "template" => return Place::Template(path.trim_start_matches("/template").to_owned()),
        "inline" => return Place::Inline(second.unwrap_or(0)),
        "attachments" => return Place::Attachments,
        "variables" => return Place::Variables,
        "model" => return Place::Model,
        "to" | "answering_user_public_id" => return Place::To,
        "history" if path.ends_with("max_entries") => return Place::MaxEntries,
        "history" => return Place::Share,
        _ => {}
    }
    match refusal.code.as_str() {
        "inline_position_unplaced" | "inline_role_unplaced" => Place::Inline(0),
        "unknown_model" | "model_selection_missing" | "token_counter_unavailable" => Place::Model,
        "history_budget_unavailable" => Place::Share,
        "principal_unknown" | "answerer_not_eligible" | "estimate_unavailable_under_raw" => {
            Place::To
        }
        _ => Place::Request,
    }
}

/// The block a template pointer lies in.
pub fn block_of(pointer: &str) -> Option<usize> {
    pointer
        .strip_prefix("/blocks/")?
        .split('/')
        .next()?
        .parse()
        .ok()
}

/// The lines, counted from 0, that the value a pointer names takes in a JSON text. A pointer to what
/// is not there answers the nearest parent; a text that is no JSON answers what could be read of it.
pub fn lines(text: &str, pointer: &str) -> std::ops::RangeInclusive<usize> {
    let wanted: Vec<String> = pointer
        .split('/')
        .skip(1)
        .filter(|part| !part.is_empty())
        .map(|part| part.replace("~1", "/").replace("~0", "~"))
        .collect();
    let mut scan = Scan {
        bytes: text.as_bytes(),
        at: 0,
        wanted: &wanted,
        best: None,
    };
    scan.value(0, true);
    let (from, to) = scan
        .best
        .map_or((0, text.len()), |(_, from, to)| (from, to));
    let line = |at: usize| {
        text.as_bytes()
            .iter()
            .take(at)
            .filter(|&&byte| byte == b'\n')
            .count()
    };
    line(from)..=line(to.saturating_sub(1).max(from))
}

/// A reader that only keeps where things stand.
struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    wanted: &'a [String],
    best: Option<(usize, usize, usize)>,
}

impl Scan<'_> {
    fn peek(&mut self) -> Option<u8> {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    fn string(&mut self) -> String {
        let from = self.at;
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                break;
            }
        }
        self.at = self.at.min(self.bytes.len());
        serde_json::from_slice(&self.bytes[from..self.at]).unwrap_or_default()
    }

    /// Reads one value; `on` says that its pointer so far, `depth` long, is a prefix of the wanted one.
    fn value(&mut self, depth: usize, on: bool) {
        let Some(first) = self.peek() else { return };
        let from = self.at;
        match first {
            b'{' | b'[' => self.list(first, depth, on),
            b'"' => {
                self.string();
            }
            _ => {
                while self
                    .bytes
                    .get(self.at)
                    .is_some_and(|byte| !b",]}\n".contains(byte))
                {
                    self.at += 1;
                }
            }
        }
        if on && self.best.is_none_or(|(known, ..)| depth > known) {
            self.best = Some((depth, from, self.at));
        }
    }

    fn list(&mut self, open: u8, depth: usize, on: bool) {
        self.at += 1;
        let mut index = 0usize;
        loop {
            match self.peek() {
                None => return,
                Some(b'}' | b']') => {
                    self.at += 1;
                    return;
                }
                Some(b',') => {
                    self.at += 1;
                    continue;
                }
                _ => {}
            }
            let from = self.at;
            let mut name = index.to_string();
            if open == b'{' {
                if self.peek() != Some(b'"') {
                    self.at += 1;
                    continue;
                }
                name = self.string();
                if self.peek() == Some(b':') {
                    self.at += 1;
                }
            }
            let on = on && self.wanted.get(depth).is_some_and(|part| *part == name);
            self.value(depth + 1, on);
            if self.at == from {
                self.at += 1;
            }
            index += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn refused(code: &str, path: Option<&str>) -> Refusal {
        Refusal {
            code: code.into(),
            path: path.map(Into::into),
            ..Refusal::default()
        }
    }

    #[test]
    fn a_refusal_finds_its_place() {
        let cases = [
            (
                "prompt_template_invalid",
                Some("/blocks/1/text"),
                Place::Template("/blocks/1/text".into()),
            ),
            ("prompt_template_invalid", None, Place::Variables),
            (
                "inline_role_unplaced",
                Some("/inline/2/role"),
                Place::Inline(2),
            ),
            ("inline_position_unplaced", None, Place::Inline(0)),
            (
                "parameter_invalid",
                Some("/history/max_entries"),
                Place::MaxEntries,
            ),
            (
                "parameter_invalid",
                Some("/history/token_budget_share"),
                Place::Share,
            ),
            (
                "parameter_invalid",
                Some("/attachments/0"),
                Place::Attachments,
            ),
            ("history_budget_unavailable", None, Place::Share),
            ("unknown_model", None, Place::Model),
            ("answerer_not_eligible", None, Place::To),
            ("something_new", None, Place::Request),
        ];
        for (code, path, expected) in cases {
            assert_eq!(place(&refused(code, path)), expected, "{code} {path:?}");
        }
        assert_eq!(block_of("/blocks/12/text"), Some(12));
        assert_eq!(block_of("/variables/mood"), None);
    }

    const TEXT: &str = "{\n  \"variables\": { \"scene\": \"a\" },\n  \"blocks\": [\n    { \"type\": \"slot\",\n      \"slot\": \"x,]}\\\"\" },\n    { \"type\": \"input\" }\n  ]\n}";

    #[test]
    fn a_pointer_finds_its_lines() {
        assert_eq!(lines(TEXT, "/variables/scene"), 1..=1);
        assert_eq!(lines(TEXT, "/blocks/0"), 3..=4);
        assert_eq!(lines(TEXT, "/blocks/0/slot"), 4..=4);
        assert_eq!(lines(TEXT, "/blocks/1/type"), 5..=5);
        assert_eq!(lines(TEXT, "/blocks"), 2..=6);
        assert_eq!(lines(TEXT, "/"), 0..=7);
    }

    #[test]
    fn what_is_not_there_answers_its_parent() {
        assert_eq!(lines(TEXT, "/blocks/1/text"), 5..=5);
        assert_eq!(lines(TEXT, "/allocation"), 0..=7);
    }

    #[test]
    fn a_text_that_is_no_json_ends() {
        for text in [
            "", "{", "[[[", "{\"a", "{\"a\":", "}{", "{,}", "nul", "{1:2}", "[\"\\",
        ] {
            lines(text, "/a/0");
        }
    }
}
