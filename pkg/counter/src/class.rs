//! What the patterns ask of a character: its general category, put together by what they tell apart.

use unicode_general_category::{GeneralCategory, get_general_category};

/// The class of a character. Each belongs to exactly one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Class {
    /// `\p{Lu}`, `\p{Lt}`
    Upper,
    /// `\p{Ll}`
    Lower,
    /// `\p{Lm}`, `\p{Lo}`: letters without case.
    Caseless,
    /// `\p{M}`
    Mark,
    /// `\p{N}`
    Number,
    /// `\r` or `\n`
    Newline,
    /// `\s`, but `\r` and `\n`.
    Space,
    /// Anything else: punctuation, symbols, controls, what is not assigned.
    Other,
}

impl Class {
    /// `\p{L}`
    pub(crate) fn letter(self) -> bool {
        matches!(self, Class::Upper | Class::Lower | Class::Caseless)
    }

    /// `\s`
    pub(crate) fn space(self) -> bool {
        matches!(self, Class::Space | Class::Newline)
    }

    /// `[^\s\p{L}\p{N}]`
    pub(crate) fn symbol(self) -> bool {
        matches!(self, Class::Other | Class::Mark)
    }

    fn of(character: char) -> Class {
        use GeneralCategory as G;
        match character {
            '\r' | '\n' => Class::Newline,
            _ if character.is_whitespace() => Class::Space,
            _ => match get_general_category(character) {
                G::UppercaseLetter | G::TitlecaseLetter => Class::Upper,
                G::LowercaseLetter => Class::Lower,
                G::ModifierLetter | G::OtherLetter => Class::Caseless,
                G::NonspacingMark | G::SpacingMark | G::EnclosingMark => Class::Mark,
                G::DecimalNumber | G::LetterNumber | G::OtherNumber => Class::Number,
                _ => Class::Other,
            },
        }
    }
}

/// The class of every character of the first plane, for a look-up without a search.
pub(crate) struct Classes {
    ascii: [Class; 128],
    plane: Box<[Class]>,
}

impl Classes {
    pub(crate) fn new() -> Classes {
        let of = |point: u32| char::from_u32(point).map_or(Class::Other, Class::of);
        Classes {
            ascii: std::array::from_fn(|byte| of(byte as u32)),
            plane: (0..=0xffff).map(of).collect(),
        }
    }

    /// The class of the character of `text` at a byte and the byte after it.
    #[inline]
    pub(crate) fn at(&self, text: &str, at: usize) -> Option<(Class, usize)> {
        let byte = *text.as_bytes().get(at)?;
        match self.ascii.get(usize::from(byte)) {
            Some(class) => Some((*class, at + 1)),
            None => self.beyond_ascii(text, at),
        }
    }

    fn beyond_ascii(&self, text: &str, at: usize) -> Option<(Class, usize)> {
        let character = text.get(at..)?.chars().next()?;
        let class = match self.plane.get(character as usize) {
            Some(class) => *class,
            None => Class::of(character),
        };
        Some((class, at + character.len_utf8()))
    }
}
