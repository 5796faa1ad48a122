//! The context manager as the page sets it: its numbers, the request they become, and what came of it.

use std::collections::BTreeMap;

use galley_core::fit::{Config, ThinkingLevel};
use serde_json::{Map, Value, json};

use crate::form::Form;
use crate::protocol::fit::{Fit, FitRequest};
use crate::protocol::{Doc, Model};

/// What a person sets; what is left alone is as it comes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Numbers by their names on the wire.
    pub numbers: BTreeMap<&'static str, u64>,
    /// Words by their names on the wire, as they were typed.
    pub words: BTreeMap<&'static str, String>,
    /// Old results stay.
    pub no_prune: bool,
    /// Nothing is summarised.
    pub no_compaction: bool,
}

impl Settings {
    /// Whether they ask for nothing but the defaults.
    pub fn is_default(&self) -> bool {
        let knobs = [LIMITS, RESERVE, CAP, PRUNE, COMPACTION].concat();
        let usual = |(name, number): (&&str, &u64)| {
            knobs
                .iter()
                .any(|knob| knob.name == *name && knob.default() == Some(*number))
        };
        let said = |word: &String| !word.trim().is_empty();
        !self.no_prune
            && !self.no_compaction
            && self.numbers.iter().all(usual)
            && !self.words.values().any(said)
    }
}

/// Where a number goes in the request.
#[derive(Clone, Copy, Debug)]
pub enum Goes {
    /// Into the model's limits.
    Limits,
    /// Into the options; what it is when it is left alone, where that is a number of its own.
    Options(Option<u64>),
    /// Into the configuration.
    Config(fn(&Config) -> u64),
}

/// A number that can be set.
#[derive(Clone, Copy, Debug)]
pub struct Knob {
    /// Its name on the wire.
    pub name: &'static str,
    /// Where it goes.
    pub goes: Goes,
    /// How far its slider reaches.
    pub most: u64,
    /// By how much it moves.
    pub step: u64,
    /// What it does.
    pub says: &'static str,
}

const fn knob(
    name: &'static str,
    goes: Goes,
    (most, step): (u64, u64),
    says: &'static str,
) -> Knob {
    Knob {
        name,
        goes,
        most,
        step,
        says,
    }
}

/// The limits of the model, when they are given by hand.
pub const LIMITS: &[Knob] = &[
    knob(
        "context_window",
        Goes::Limits,
        (0, 1),
        "in and out together",
    ),
    knob(
        "max_output_tokens",
        Goes::Limits,
        (0, 1),
        "the longest answer",
    ),
    knob("input_limit", Goes::Limits, (0, 1), "the input alone"),
];

/// What is kept free.
pub const RESERVE: &[Knob] = &[
    knob(
        "reserved_tokens",
        Goes::Options(None),
        (50_000, 250),
        "kept free, in place of the share below",
    ),
    knob(
        "reserved_pct",
        Goes::Config(|config| config.reserved_pct),
        (50, 1),
        "kept free, percent of the window",
    ),
    knob(
        "reserved_tokens_cap",
        Goes::Config(|config| config.reserved_tokens_cap),
        (50_000, 250),
        "at most this many tokens of it",
    ),
    knob(
        "request_overhead_tokens",
        Goes::Options(Some(0)),
        (20_000, 100),
        "tokens sent that no prompt, message or function stands for",
    ),
];

/// What caps a single result.
pub const CAP: &[Knob] = &[knob(
    "max_result_tokens",
    Goes::Config(|config| config.max_result_tokens),
    (50_000, 250),
    "tokens of a single result; 0 is no limit",
)];

/// What prunes old results.
pub const PRUNE: &[Knob] = &[
    knob(
        "protect_recent_tokens",
        Goes::Config(|config| config.protect_recent_tokens),
        (100_000, 500),
        "tokens of the newest results that stay",
    ),
    knob(
        "protected_user_turns",
        Goes::Config(|config| config.protected_user_turns as u64),
        (20, 1),
        "newest user turns that are not looked at",
    ),
    knob(
        "max_output_chars",
        Goes::Config(|config| config.max_output_chars as u64),
        (20_000, 100),
        "bytes; a longer result may go at once",
    ),
    knob(
        "decay_user_turns",
        Goes::Config(|config| config.decay_user_turns as u64),
        (20, 1),
        "later user turns after which any may go; 0 is never",
    ),
    knob(
        "min_free_tokens",
        Goes::Config(|config| config.min_free_tokens),
        (50_000, 250),
        "tokens; nothing goes when less would be freed",
    ),
];

/// Functions whose results pruning leaves, apart by commas or blanks.
pub const PROTECTED_FUNCTIONS: &str = "protected_functions";

/// How much the model is asked to think, as one of [`THINKING_LEVELS`].
pub const THINKING_LEVEL: &str = "thinking_level";

/// What can be asked of it.
pub const THINKING_LEVELS: [ThinkingLevel; 5] = [
    ThinkingLevel::Minimal,
    ThinkingLevel::Low,
    ThinkingLevel::Medium,
    ThinkingLevel::High,
    ThinkingLevel::Xhigh,
];

/// The summary of an earlier compaction.
pub const PREVIOUS_SUMMARY: &str = "previous_summary";

/// What is left by a compaction.
pub const COMPACTION: &[Knob] = &[knob(
    "tail_turns",
    Goes::Config(|config| config.tail_turns as u64),
    (20, 1),
    "newest turns that stay word for word",
)];

impl Knob {
    /// What it is when it is left alone, where that is a number of its own.
    pub fn default(&self) -> Option<u64> {
        match self.goes {
            Goes::Config(of) => Some(of(&Config::default())),
            Goes::Options(usual) => usual,
            Goes::Limits => None,
        }
    }
}

/// The request the settings become, on the model that is chosen.
pub fn request(form: &Form, doc: &Doc) -> FitRequest {
    let numbers = &form.fit.numbers;
    let (mut config, mut options) = (Map::new(), Map::new());
    for knob in [RESERVE, CAP, PRUNE, COMPACTION].concat() {
        let number = json!(numbers.get(knob.name));
        match knob.goes {
            Goes::Config(_) => config.insert(knob.name.to_owned(), number),
            Goes::Options(_) => options.insert(knob.name.to_owned(), number),
            Goes::Limits => None,
        };
    }
    let word = |name: &str| form.fit.words.get(name).map(|word| word.trim());
    let word = |name: &str| word(name).filter(|word| !word.is_empty());
    for name in [THINKING_LEVEL, PREVIOUS_SUMMARY] {
        options.insert(name.to_owned(), json!(word(name)));
    }
    let functions = word(PROTECTED_FUNCTIONS).map(|words| {
        let ids = words.split(|c: char| c == ',' || c.is_whitespace());
        ids.filter(|id| !id.is_empty()).collect::<Vec<_>>()
    });
    options.insert(PROTECTED_FUNCTIONS.to_owned(), json!(functions));
    options.insert("allow_prune".to_owned(), json!(!form.fit.no_prune));
    options.insert(
        "allow_compaction".to_owned(),
        json!(!form.fit.no_compaction),
    );
    let row = doc.models.iter().find(|row| row.model == form.model);
    FitRequest {
        model: json!({ "id": form.model, "limits": limits(form, row) }),
        config,
        options,
    }
}

/// The limits given by hand, those of the row where one is left open. A window given by hand is the only bound,
/// unless the input's is given too.
fn limits(form: &Form, row: Option<&Model>) -> Value {
    let given = |name: &str| form.fit.numbers.get(name).copied();
    let window = form.window.filter(|_| row.is_none());
    if window.is_none() && !LIMITS.iter().any(|knob| given(knob.name).is_some()) {
        return Value::Null;
    }
    let own = |of: fn(&Model) -> Option<u64>| row.and_then(of);
    let input = given("input_limit").or(match given("context_window") {
        Some(_) => None,
        None => own(|row| row.input_tokens).or(window),
    });
    let all = given("context_window").or(own(|row| row.combined_tokens));
    let out = given("max_output_tokens").or(own(|row| row.max_output_tokens));
    json!({
        "context_window": all.or(input).unwrap_or_default(),
        "max_output_tokens": out.unwrap_or_default(),
        "input_limit": input,
    })
}

/// What came of a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It fits as it is.
    AsIs,
    /// It fits once the passes have been over it.
    After,
    /// It fits if so many messages are summarised in so many tokens at most.
    Summarised(usize, u64),
    /// So many tokens are too many.
    Over(u64),
    /// It was not tried.
    Refused,
}

/// What came of a fit.
pub fn verdict(fit: &Fit) -> Verdict {
    let usable = fit.budget.usable;
    match fit.refusal.as_ref().map(|refusal| refusal.code.as_str()) {
        Some("context/overflow") => return Verdict::Over(fit.tokens_after.saturating_sub(usable)),
        Some(_) => return Verdict::Refused,
        None => {}
    }
    let left = usable.saturating_sub(fit.tokens_after);
    match fit.compaction.as_ref().filter(|told| told.outcome == "dry") {
        Some(told) => {
            Verdict::Summarised(told.head_len, left.min(told.head_tokens.saturating_sub(1)))
        }
        None if fit.passes.iter().all(|pass| pass.parts == 0) => Verdict::AsIs,
        None => Verdict::After,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::fit::{Budget, Compaction, Pass};
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn doc() -> Doc {
        Doc {
            models: vec![Model {
                model: "acme/quill-2".into(),
                input_tokens: Some(16_384),
                combined_tokens: Some(20_000),
                max_output_tokens: Some(2_000),
                ..Model::default()
            }],
            ..Doc::default()
        }
    }

    #[test]
    fn every_number_of_the_configuration_is_sent_and_null_is_its_default() {
        let mut form = Form::default();
        form.fit.numbers.insert("tail_turns", 3);
        let config = request(&form, &doc()).config;
        assert_eq!(config["tail_turns"], 3);
        assert_eq!(config["reserved_pct"], Value::Null);
        let members = serde_json::to_value(Config::default()).unwrap();
        let numbers = members.as_object().unwrap().iter();
        let set = ["lease_ttl_secs", "summarizer_timeout_ms"];
        let numbers =
            numbers.filter(|(name, value)| value.is_u64() && !set.contains(&name.as_str()));
        assert!(numbers.clone().all(|(name, _)| config.contains_key(name)));
        assert_eq!(numbers.count(), config.len());
    }

    #[test]
    fn words_are_sent_as_options_and_blank_ones_are_none() {
        let mut form = Form::default();
        let options = |form: &Form| {
            let options = request(form, &doc()).options;
            [PROTECTED_FUNCTIONS, THINKING_LEVEL, PREVIOUS_SUMMARY]
                .map(|name| options[name].clone())
        };
        form.fit.words.insert(PROTECTED_FUNCTIONS, "  ".into());
        assert!(form.fit.is_default());
        assert_eq!(options(&form), [Value::Null, Value::Null, Value::Null]);
        form.fit.words = BTreeMap::from([
            (PROTECTED_FUNCTIONS, " a::b, read  ,write".into()),
            (THINKING_LEVEL, "high".into()),
            (PREVIOUS_SUMMARY, "They met.\n".into()),
        ]);
        assert!(!form.fit.is_default());
        let sent = [
            json!(["a::b", "read", "write"]),
            json!("high"),
            json!("They met."),
        ];
        assert_eq!(options(&form), sent);
    }

    #[test]
    fn limits_are_the_rows_until_one_is_given() {
        let mut form = Form {
            model: "acme/quill-2".into(),
            ..Form::default()
        };
        let limits = |form: &Form| request(form, &doc()).model["limits"].clone();
        assert_eq!(limits(&form), Value::Null);
        form.fit.numbers.insert("max_output_tokens", 500);
        assert_eq!(
            limits(&form),
            json!({"context_window": 20_000, "max_output_tokens": 500, "input_limit": 16_384})
        );
        form.fit.numbers.insert("context_window", 4_000);
        assert_eq!(
            limits(&form),
            json!({"context_window": 4_000, "max_output_tokens": 500, "input_limit": null})
        );
        form.fit.numbers.clear();
        form.model = "someone/else".into();
        form.window = Some(9_000);
        assert_eq!(
            limits(&form),
            json!({"context_window": 9_000, "max_output_tokens": 0, "input_limit": 9_000})
        );
    }

    #[test]
    fn a_verdict_is_told_by_what_is_left_and_by_what_was_done() {
        let mut fit = Fit {
            tokens_after: 90,
            budget: Budget {
                usable: 100,
                ..Budget::default()
            },
            passes: vec![Pass::default()],
            ..Fit::default()
        };
        assert_eq!(verdict(&fit), Verdict::AsIs);
        fit.passes[0].parts = 1;
        assert_eq!(verdict(&fit), Verdict::After);
        fit.compaction = Some(Compaction {
            outcome: "dry".into(),
            head_len: 4,
            head_tokens: 6,
            ..Compaction::default()
        });
        assert_eq!(verdict(&fit), Verdict::Summarised(4, 5));
        fit.tokens_after = 130;
        fit.refusal = Some(crate::protocol::Refusal {
            code: "context/overflow".into(),
            ..crate::protocol::Refusal::default()
        });
        assert_eq!(verdict(&fit), Verdict::Over(30));
    }
}
