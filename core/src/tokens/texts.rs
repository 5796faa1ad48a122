//! Texts that are counted once.
//!
//! Equal texts are one text, and a text keeps its count until another counter is used. Joins of texts are
//! remembered by their parts, so that a plan made again counts only what is new in it.

use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use indexmap::IndexMap;

use super::Counter;

/// A text with its count.
#[derive(Clone, Debug)]
pub struct Text(Rc<Counted>);

#[derive(Debug)]
struct Counted {
    text: Rc<str>,
    blank: bool,
    /// Tokens under the counter of that number; 0 is no counter.
    tokens: Cell<(u64, u64)>,
}

impl Text {
    /// The words.
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// Whether it is only white space.
    pub fn is_blank(&self) -> bool {
        self.0.blank
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0) || self.0.text == other.0.text
    }
}

/// All texts at hand and the counter in use.
#[derive(Default)]
pub struct Texts {
    texts: IndexMap<Rc<str>, Text>,
    joins: IndexMap<Parts, Text>,
    counter: Counter,
    counter_number: u64,
    counted: u64,
}

/// Parts of a join, told apart by where they are kept: they are held, so no address is ever another's.
struct Parts(Vec<Text>);

impl PartialEq for Parts {
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len()
            && self
                .0
                .iter()
                .zip(&other.0)
                .all(|(a, b)| Rc::ptr_eq(&a.0, &b.0))
    }
}

impl Eq for Parts {}

impl Hash for Parts {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for part in &self.0 {
            Rc::as_ptr(&part.0).addr().hash(state);
        }
    }
}

impl Texts {
    /// No texts, counted by ceil(bytes/4) until another counter is used.
    pub fn new() -> Self {
        Self {
            counter_number: 1,
            ..Self::default()
        }
    }

    /// Counts with another counter from here on. The same counter again keeps every count.
    pub fn use_counter(&mut self, counter: Counter) {
        if self.counter != counter {
            self.counter = counter;
            self.counter_number += 1;
        }
    }

    /// The counter in use.
    pub fn counter(&self) -> &Counter {
        &self.counter
    }

    /// The one text of these words.
    pub fn text(&mut self, words: &str) -> Text {
        if let Some(known) = self.texts.get(words) {
            return known.clone();
        }
        let words: Rc<str> = words.into();
        let text = Text(Rc::new(Counted {
            blank: words.trim().is_empty(),
            text: words.clone(),
            tokens: Cell::new((0, 0)),
        }));
        self.texts.insert(words, text.clone());
        text
    }

    /// The text that texts make with `between` between them; `between` is the same for every join.
    pub fn join(&mut self, parts: &[Text], between: &str) -> Text {
        if let [only] = parts {
            return only.clone();
        }
        let key = Parts(parts.to_vec());
        if let Some(known) = self.joins.get(&key) {
            return known.clone();
        }
        let words: Vec<&str> = parts.iter().map(Text::as_str).collect();
        let whole = self.text(&words.join(between));
        self.joins.insert(key, whole.clone());
        whole
    }

    /// Tokens the text fills under the counter in use.
    pub fn fill(&mut self, text: &Text) -> u64 {
        match text.0.tokens.get() {
            (number, tokens) if number == self.counter_number => tokens,
            _ => {
                let tokens = self.counter.fill(text.as_str());
                self.counted += 1;
                text.0.tokens.set((self.counter_number, tokens));
                tokens
            }
        }
    }

    /// How many texts were counted so far, each anew.
    pub fn counted(&self) -> u64 {
        self.counted
    }

    /// Forgets every text that nobody else holds.
    pub fn forget_unused(&mut self) {
        // A join holds its whole once, beside the list of texts.
        self.joins.retain(|_, whole| Rc::strong_count(&whole.0) > 2);
        self.texts.retain(|_, text| Rc::strong_count(&text.0) > 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_counted_once() {
        let mut texts = Texts::new();
        let (a, b) = (texts.text("twelve bytes"), texts.text("twelve bytes"));
        assert_eq!((texts.fill(&a), texts.fill(&b), texts.counted()), (3, 3, 1));
    }

    #[test]
    fn a_join_is_made_and_counted_once() {
        let mut texts = Texts::new();
        let parts = [texts.text("one"), texts.text("two")];
        let whole = texts.join(&parts, "\n\n");
        assert_eq!(whole.as_str(), "one\n\ntwo");
        texts.fill(&whole);
        let again = texts.join(&parts, "\n\n");
        texts.fill(&again);
        assert_eq!(texts.counted(), 1);
    }

    #[test]
    fn another_counter_counts_anew_and_the_same_one_does_not() {
        let mut texts = Texts::new();
        let text = texts.text("abcd");
        texts.fill(&text);
        texts.use_counter(Counter::Bytes);
        texts.fill(&text);
        assert_eq!(texts.counted(), 1);
        texts.use_counter(Counter::Table(
            [("abcd".to_owned(), 7)].into_iter().collect(),
        ));
        assert_eq!((texts.fill(&text), texts.counted()), (7, 2));
    }

    #[test]
    fn what_nobody_holds_is_forgotten() {
        let mut texts = Texts::new();
        let kept = texts.text("kept");
        let parts = [kept.clone(), texts.text("dropped")];
        let whole = texts.join(&parts, "\n\n");
        drop(parts);
        texts.forget_unused();
        assert_eq!(
            (texts.texts.len(), texts.joins.len()),
            (3, 1),
            "a held join keeps its parts"
        );
        drop(whole);
        texts.forget_unused();
        assert_eq!((texts.texts.len(), texts.joins.len()), (1, 0));
        assert_eq!(kept.as_str(), "kept");
    }
}
