//! Cutting a text into the pieces that byte-pair encoding works on.
//!
//! Each encoding has a regular expression for this, an ordered list of branches of which the first
//! that fits wins. Here each is a function that looks at the first characters and takes the branch
//! they decide, since a regular expression engine would be most of the wasm; the expressions stand
//! beside them, and the tests hold the two together for every character.

use crate::class::{Class, Classes};

/// An encoding's way to cut.
#[derive(Clone, Copy)]
pub(crate) enum Pattern {
    O200k,
    Cl100k,
    Gpt2,
}

/// A text and what its characters are.
#[derive(Clone, Copy)]
struct Text<'a> {
    text: &'a str,
    classes: &'a Classes,
}

/// The end of the piece of `text` that starts at byte `start`, which is inside the text.
pub(crate) fn end_of_piece(pattern: Pattern, text: &str, classes: &Classes, start: usize) -> usize {
    let text = Text { text, classes };
    let end = match pattern {
        Pattern::O200k => text.o200k(start),
        Pattern::Cl100k => text.cl100k(start),
        Pattern::Gpt2 => text.gpt2(start),
    };
    debug_assert!(end > start);
    end
}

impl Text<'_> {
    /// ```text
    /// [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
    /// [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
    /// \p{N}{1,3}
    ///  ?[^\s\p{L}\p{N}]+[\r\n/]*
    /// \s*[\r\n]+
    /// \s+(?!\S)
    /// \s+
    /// ```
    fn o200k(self, start: usize) -> usize {
        let Some((first, after)) = self.at(start) else {
            return start;
        };
        // The optional first character of a word may be a mark, which a word may start with as well.
        let led = !first.letter() && !matches!(first, Class::Number | Class::Newline);
        let word = led
            .then(|| self.lower_word(after))
            .flatten()
            .or_else(|| self.lower_word(start))
            .or_else(|| led.then(|| self.upper_word(after)).flatten())
            .or_else(|| self.upper_word(start));
        if let Some(end) = word {
            return self.contraction(end, true).unwrap_or(end);
        }
        if first == Class::Number {
            return self.up_to_three_numbers(start);
        }
        if let Some(end) = self.symbols(start) {
            return self.run(end, |class, byte| class == Class::Newline || byte == b'/');
        }
        let space = self.white_space(start);
        space.after_newline.unwrap_or_else(|| space.without_last())
    }

    /// ```text
    /// '(?i:[sdmt]|ll|ve|re)
    /// [^\r\n\p{L}\p{N}]?+\p{L}++
    /// \p{N}{1,3}+
    ///  ?[^\s\p{L}\p{N}]++[\r\n]*+
    /// \s++$
    /// \s*[\r\n]
    /// \s+(?!\S)
    /// \s
    /// ```
    fn cl100k(self, start: usize) -> usize {
        let Some((first, after)) = self.at(start) else {
            return start;
        };
        if let Some(end) = self.contraction(start, true) {
            return end;
        }
        let letters = match first {
            Class::Number | Class::Newline => start,
            _ if first.letter() => start,
            _ => after,
        };
        let end = self.run(letters, |class, _| class.letter());
        if end > letters {
            return end;
        }
        if first == Class::Number {
            return self.up_to_three_numbers(start);
        }
        if let Some(end) = self.symbols(start) {
            return self.run(end, |class, _| class == Class::Newline);
        }
        let space = self.white_space(start);
        if space.end == self.text.len() {
            return space.end;
        }
        space.after_newline.unwrap_or_else(|| space.without_last())
    }

    /// ```text
    /// '(?:[sdmt]|ll|ve|re)
    ///  ?\p{L}++
    ///  ?\p{N}++
    ///  ?[^\s\p{L}\p{N}]++
    /// \s++$
    /// \s+(?!\S)
    /// \s
    /// ```
    fn gpt2(self, start: usize) -> usize {
        if let Some(end) = self.contraction(start, false) {
            return end;
        }
        let word = self.skip_blank(start);
        match self.at(word) {
            Some((class, _)) if class.letter() => self.run(word, |class, _| class.letter()),
            Some((Class::Number, _)) => self.run(word, |class, _| class == Class::Number),
            Some((class, _)) if class.symbol() => self.run(word, |class, _| class.symbol()),
            _ => self.white_space(start).without_last(),
        }
    }

    fn at(self, at: usize) -> Option<(Class, usize)> {
        self.classes.at(self.text, at)
    }

    /// The end of the characters from `start` on that fit.
    fn run(self, start: usize, fits: impl Fn(Class, u8) -> bool) -> usize {
        let mut end = start;
        while let Some((class, after)) = self.at(end) {
            if !fits(class, self.text.as_bytes()[end]) {
                break;
            }
            end = after;
        }
        end
    }

    /// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+`
    fn lower_word(self, start: usize) -> Option<usize> {
        let mut end = start;
        // What the second class can have when the first gives back as much as it must.
        let mut given_back = None;
        while let Some((class, after)) = self.at(end) {
            match class {
                Class::Upper => {}
                Class::Caseless | Class::Mark => given_back = Some(after),
                Class::Lower => {
                    return Some(self.run(after, |class, _| {
                        matches!(class, Class::Lower | Class::Caseless | Class::Mark)
                    }));
                }
                _ => break,
            }
            end = after;
        }
        given_back
    }

    /// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*`, where no `lower_word` is.
    fn upper_word(self, start: usize) -> Option<usize> {
        let end = self.run(start, |class, _| class == Class::Upper);
        (end > start).then_some(end)
    }

    /// `'(?i:[sdmt]|ll|ve|re)`, or without `(?i:…)`. Of all letters only `ſ` folds to one of these.
    fn contraction(self, start: usize, any_case: bool) -> Option<usize> {
        let rest = self.text.as_bytes().get(start..)?.strip_prefix(b"'")?;
        let folded = |at: usize| match rest.get(at) {
            Some(byte) if any_case => byte.to_ascii_lowercase(),
            Some(byte) => *byte,
            None => 0,
        };
        let letters = match (folded(0), folded(1)) {
            (b's' | b'd' | b'm' | b't', _) => 1,
            (b'l', b'l') | (b'v', b'e') | (b'r', b'e') => 2,
            _ if any_case && rest.starts_with("ſ".as_bytes()) => 2,
            _ => return None,
        };
        Some(start + 1 + letters)
    }

    /// `\p{N}{1,3}`
    fn up_to_three_numbers(self, start: usize) -> usize {
        let mut end = start;
        for _ in 0..3 {
            match self.at(end) {
                Some((Class::Number, after)) => end = after,
                _ => break,
            }
        }
        end
    }

    /// ` ?[^\s\p{L}\p{N}]+`
    fn symbols(self, start: usize) -> Option<usize> {
        let first = self.skip_blank(start);
        let end = self.run(first, |class, _| class.symbol());
        (end > first).then_some(end)
    }

    /// ` ?`
    fn skip_blank(self, start: usize) -> usize {
        start + usize::from(self.text.as_bytes().get(start) == Some(&b' '))
    }

    /// The white space from `start` on.
    fn white_space(self, start: usize) -> WhiteSpace {
        let mut space = WhiteSpace {
            start,
            last: start,
            end: start,
            after_newline: None,
            text_end: self.text.len(),
        };
        while let Some((class, after)) = self.at(space.end) {
            if !class.space() {
                break;
            }
            if class == Class::Newline {
                space.after_newline = Some(after);
            }
            space.last = space.end;
            space.end = after;
        }
        space
    }
}

/// A run of white space, by byte offsets.
struct WhiteSpace {
    start: usize,
    /// Where its last character starts.
    last: usize,
    end: usize,
    /// Behind its last `\r` or `\n`.
    after_newline: Option<usize>,
    text_end: usize,
}

impl WhiteSpace {
    /// `\s+(?!\S)`, else `\s+`: all of it at the end of the text or when it is one character, else all
    /// but the last character, which then leads the next piece.
    fn without_last(&self) -> usize {
        if self.end == self.text_end || self.last == self.start {
            self.end
        } else {
            self.last
        }
    }
}
