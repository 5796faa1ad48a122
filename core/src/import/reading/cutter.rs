//! Where the items of a list begin and end, found without reading them.

/// What was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// An item, from one byte to another.
    Item(usize, usize),
    /// The end of the list.
    End,
}

/// Goes through a text that begins with a list, as far as it is there.
#[derive(Debug, Default)]
pub(super) struct Cutter {
    at: usize,
    depth: usize,
    string: bool,
    escaped: bool,
    item: Option<usize>,
}

impl Cutter {
    /// The next item, or the end; `None` when the text ends before it.
    pub fn next(&mut self, text: &[u8]) -> Option<Cut> {
        while let Some(byte) = text.get(self.at) {
            let at = self.at;
            self.at += 1;
            if self.string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => {
                    self.string = true;
                    self.item.get_or_insert(at);
                }
                b'[' | b'{' => {
                    if self.depth > 0 {
                        self.item.get_or_insert(at);
                    }
                    self.depth += 1;
                }
                b']' | b'}' if self.depth <= 1 => {
                    // The last item is given out first, and the end when it is asked for again.
                    if let Some(from) = self.item.take() {
                        self.at = at;
                        return Some(Cut::Item(from, at));
                    }
                    self.depth = 0;
                    return Some(Cut::End);
                }
                b']' | b'}' => self.depth -= 1,
                b',' if self.depth == 1 => {
                    if let Some(from) = self.item.take() {
                        return Some(Cut::Item(from, at));
                    }
                }
                byte if byte.is_ascii_whitespace() => {}
                _ => {
                    self.item.get_or_insert(at);
                }
            }
        }
        None
    }

    /// Up to where the text is not needed any more.
    pub fn done(&self) -> usize {
        self.item.unwrap_or(self.at)
    }

    /// The text now begins so many bytes later.
    pub fn forget(&mut self, bytes: usize) {
        self.at = self.at.saturating_sub(bytes);
        self.item = self.item.map(|item| item.saturating_sub(bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn items(text: &str) -> (Vec<&str>, bool) {
        let mut cutter = Cutter::default();
        let mut found = Vec::new();
        loop {
            match cutter.next(text.as_bytes()) {
                Some(Cut::Item(from, to)) => found.push(&text[from..to]),
                Some(Cut::End) => return (found, true),
                None => return (found, false),
            }
        }
    }

    #[test]
    fn items_are_cut_where_they_end() {
        for (text, found, ended) in [
            ("[]", vec![], true),
            ("[ ]", vec![], true),
            (
                "[1,{\"a\":[2,\"]}\\\",\"]},null]",
                vec!["1", "{\"a\":[2,\"]}\\\",\"]}", "null"],
                true,
            ),
            ("[[1],[2]]", vec!["[1]", "[2]"], true),
            ("[{\"a\":1},{\"b\"", vec!["{\"a\":1}"], false),
            ("[,1,,2]", vec!["1", "2"], true),
        ] {
            assert_eq!(items(text), (found, ended), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_slicing_finds_the_same(text in "[\\[\\]{}\",\\\\a1 ]{0,40}", at in 0usize..40) {
            let at = at.min(text.len());
            let text = format!("[{text}");
            let mut cutter = Cutter::default();
            let mut found = Vec::new();
            for end in [at, text.len()] {
                while let Some(cut) = cutter.next(&text.as_bytes()[..end]) {
                    let over = cut == Cut::End;
                    found.push(cut);
                    if over {
                        break;
                    }
                }
                if found.last() == Some(&Cut::End) {
                    break;
                }
            }
            let mut whole = Cutter::default();
            let mut expected = Vec::new();
            while let Some(cut) = whole.next(text.as_bytes()) {
                let over = cut == Cut::End;
                expected.push(cut);
                if over {
                    break;
                }
            }
            prop_assert_eq!(found, expected);
        }
    }
}
