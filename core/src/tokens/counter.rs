//! From a declared counter to the fill cost of a text.
//!
//! The promise: [`Counter::exact`] is true only when the model's own tokenizer counts (or a table
//! that stands for it in tests), and a counter that is declared but not loaded is an error.

use std::rc::Rc;

use indexmap::IndexMap;
use serde::Serialize;

use super::model::{CounterRow, DeclaredCounter};

/// The encodings whose vocabularies this project builds.
const ENCODINGS: [&str; 5] = [
    "o200k_base",
    "o200k_harmony",
    "cl100k_base",
    "p50k_base",
    "r50k_base",
];

/// Whether `name` is an encoding that can be loaded at all.
pub fn known_encoding(name: &str) -> bool {
    ENCODINGS.contains(&name)
}

/// An exact tokenizer that the host hands in.
pub trait Encoding {
    /// The encoding's name, for example `o200k_base`.
    fn name(&self) -> &str;
    /// Tokens of `text`, with special-token text counted as plain text.
    fn count(&self, text: &str) -> u64;
}

/// The encodings a host has loaded.
pub trait Encodings {
    /// The loaded encoding of this name.
    fn get(&self, name: &str) -> Option<Rc<dyn Encoding>>;
}

/// None is loaded.
impl Encodings for () {
    fn get(&self, _: &str) -> Option<Rc<dyn Encoding>> {
        None
    }
}

impl Encodings for IndexMap<String, Rc<dyn Encoding>> {
    fn get(&self, name: &str) -> Option<Rc<dyn Encoding>> {
        IndexMap::get(self, name).cloned()
    }
}

/// A counter that is declared but not loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unloaded {
    /// The encoding that was asked for.
    pub encoding: String,
}

/// How the texts of one request are counted.
#[derive(Clone, Default)]
pub enum Counter {
    /// No tokenizer: ceil(bytes/4).
    #[default]
    Bytes,
    /// The model's own tokenizer.
    Exact(Rc<dyn Encoding>),
    /// A near tokenizer: ceil(tokens × `safety_factor`).
    Anchored {
        /// The near tokenizer.
        encoding: Rc<dyn Encoding>,
        /// The declared factor, positive.
        safety_factor: f64,
    },
    /// Tokens by text; a text it lacks counts ceil(bytes/4).
    Table(IndexMap<String, u64>),
}

/// What a count is labelled with.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct CounterLabel {
    /// `tokenizer` (exact), `anchored`, `bytes` or `table` (exact).
    pub method: &'static str,
    /// The encoding that counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// The declared factor of an anchored count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safety_factor: Option<f64>,
}

impl Counter {
    /// The counter a row declares, from what the host has loaded.
    pub fn resolve(
        declared: Option<&CounterRow>,
        loaded: &dyn Encodings,
    ) -> Result<Counter, Unloaded> {
        let get = |name: &str| {
            loaded.get(name).ok_or_else(|| Unloaded {
                encoding: name.to_owned(),
            })
        };
        Ok(match declared {
            None => Counter::Bytes,
            Some(CounterRow::Encoding(name)) => Counter::Exact(get(name)?),
            Some(CounterRow::Declared(DeclaredCounter::Anchored {
                encoding,
                safety_factor,
            })) => Counter::Anchored {
                encoding: get(encoding)?,
                safety_factor: *safety_factor,
            },
            Some(CounterRow::Declared(DeclaredCounter::Table { counts })) => {
                Counter::Table(counts.clone())
            }
        })
    }

    /// Tokens of one text; 0 when it is blank.
    pub fn fill(&self, text: &str) -> u64 {
        if text.trim().is_empty() {
            return 0;
        }
        match self {
            Counter::Bytes => quarter(text),
            Counter::Exact(encoding) => encoding.count(text),
            // A float cast saturates, so a hostile factor is a large count and no panic.
            Counter::Anchored {
                encoding,
                safety_factor,
            } => (encoding.count(text) as f64 * safety_factor).ceil() as u64,
            Counter::Table(counts) => counts.get(text).copied().unwrap_or_else(|| quarter(text)),
        }
    }

    /// Whether its counts are the model's own.
    pub fn exact(&self) -> bool {
        matches!(self, Counter::Exact(_) | Counter::Table(_))
    }

    /// What its counts are labelled with.
    pub fn describe(&self) -> CounterLabel {
        let (method, encoding, safety_factor) = match self {
            Counter::Bytes => ("bytes", None, None),
            Counter::Exact(encoding) => ("tokenizer", Some(encoding.name().to_owned()), None),
            Counter::Anchored {
                encoding,
                safety_factor,
            } => (
                "anchored",
                Some(encoding.name().to_owned()),
                Some(*safety_factor),
            ),
            Counter::Table(_) => ("table", None, None),
        };
        CounterLabel {
            method,
            encoding,
            safety_factor,
        }
    }
}

/// Two counters are equal when they are bound to count alike: the same tokenizer (not merely one of the same
/// name), factor or table.
impl PartialEq for Counter {
    fn eq(&self, other: &Self) -> bool {
        let same = |a: &Rc<dyn Encoding>, b: &Rc<dyn Encoding>| {
            Rc::as_ptr(a).cast::<()>() == Rc::as_ptr(b).cast::<()>()
        };
        match (self, other) {
            (Counter::Bytes, Counter::Bytes) => true,
            (Counter::Exact(a), Counter::Exact(b)) => same(a, b),
            (
                Counter::Anchored {
                    encoding: a,
                    safety_factor: x,
                },
                Counter::Anchored {
                    encoding: b,
                    safety_factor: y,
                },
            ) => same(a, b) && x == y,
            (Counter::Table(a), Counter::Table(b)) => a == b,
            _ => false,
        }
    }
}

impl std::fmt::Debug for Counter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.describe())
    }
}

fn quarter(text: &str) -> u64 {
    (text.len() as u64).div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    struct Words;
    impl Encoding for Words {
        fn name(&self) -> &str {
            "o200k_base"
        }
        fn count(&self, text: &str) -> u64 {
            text.split_whitespace().count() as u64
        }
    }

    fn loaded() -> IndexMap<String, Rc<dyn Encoding>> {
        let words: Rc<dyn Encoding> = Rc::new(Words);
        [("o200k_base".to_owned(), words)].into_iter().collect()
    }

    fn counter(value: serde_json::Value) -> Counter {
        let row: Option<CounterRow> = serde_json::from_value(value).unwrap();
        Counter::resolve(row.as_ref(), &loaded()).unwrap()
    }

    #[track_caller]
    fn check(
        declared: serde_json::Value,
        text: &str,
        fill: u64,
        exact: bool,
        label: serde_json::Value,
    ) {
        let counter = counter(declared);
        assert_eq!(counter.fill(text), fill);
        assert_eq!(counter.exact(), exact);
        assert_eq!(serde_json::to_value(counter.describe()).unwrap(), label);
    }

    #[test]
    fn each_counter_fills_by_its_own_rule_and_says_so() {
        check(json!(null), "hello", 2, false, json!({"method":"bytes"}));
        check(json!(null), "汉字", 2, false, json!({"method":"bytes"}));
        check(
            json!("o200k_base"),
            "a b c",
            3,
            true,
            json!({"method":"tokenizer","encoding":"o200k_base"}),
        );
        check(
            json!({"kind":"anchored","encoding":"o200k_base","safety_factor":1.25}),
            "a b c",
            4,
            false,
            json!({"method":"anchored","encoding":"o200k_base","safety_factor":1.25}),
        );
        check(
            json!({"kind":"table","counts":{"hi":9}}),
            "hi",
            9,
            true,
            json!({"method":"table"}),
        );
        check(
            json!({"kind":"table","counts":{"hi":9}}),
            "hello",
            2,
            true,
            json!({"method":"table"}),
        );
    }

    #[test]
    fn blank_text_fills_nothing_whatever_counts_it() {
        for declared in [
            json!(null),
            json!("o200k_base"),
            json!({"kind":"table","counts":{" \n":7}}),
        ] {
            let counter = counter(declared);
            for blank in ["", " \n", "\u{a0}\u{3000}\t"] {
                assert_eq!(counter.fill(blank), 0);
            }
        }
    }

    #[test]
    fn a_counter_that_is_not_loaded_is_an_error_not_an_estimate() {
        for declared in [
            CounterRow::Encoding("cl100k_base".into()),
            CounterRow::Declared(DeclaredCounter::Anchored {
                encoding: "cl100k_base".into(),
                safety_factor: 1.0,
            }),
        ] {
            let error = Counter::resolve(Some(&declared), &loaded()).unwrap_err();
            assert_eq!(error.encoding, "cl100k_base");
            assert!(Counter::resolve(Some(&declared), &()).is_err());
        }
    }

    #[test]
    fn a_hostile_factor_saturates() {
        assert_eq!(
            counter(json!({"kind":"anchored","encoding":"o200k_base","safety_factor":1e300}))
                .fill("a"),
            u64::MAX
        );
    }

    #[test]
    fn the_five_encodings_are_known() {
        assert!(ENCODINGS.iter().all(|name| known_encoding(name)));
        assert!(!known_encoding("gpt2"));
    }
}
