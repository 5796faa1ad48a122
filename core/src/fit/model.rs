//! What is known of a model, from where, and how much room that leaves.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::Config;
use super::wire::{ModelInput, ModelLimits, ModelResolved, ThinkingLevel};
use crate::tokens::ModelRow;

/// The limits of a model that nothing is known of.
const FALLBACK: ModelLimits = ModelLimits {
    context_window: 8192,
    max_output_tokens: 1024,
    input_limit: None,
};

/// How long a model's row holds, and how long it holds that there is none, milliseconds.
const FOUND_MS: u64 = 60_000;
const UNKNOWN_MS: u64 = 5_000;

/// What a host knows of a model; members that are not listed are ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct ModelRecord {
    /// The model's id.
    pub id: String,
    /// The provider's id.
    #[serde(default)]
    pub provider: String,
    /// Input and output together, tokens.
    pub context_window: u64,
    /// The longest answer, tokens.
    pub max_output_tokens: u64,
    /// The input alone, tokens.
    #[serde(default)]
    pub input_limit: Option<u64>,
    /// Tokens of thinking by level.
    #[serde(default)]
    #[cfg_attr(feature = "types", tsify(type = "Record<string, number> | null"))]
    pub thinking_budgets: Option<IndexMap<String, u64>>,
    /// Whether it sees images.
    #[serde(default)]
    pub supports_vision: Option<bool>,
}

/// What a host answers when it is asked for a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct ModelReply {
    /// The model; nothing when it is not known.
    #[serde(default)]
    pub model: Option<ModelRecord>,
    /// The longest answer as things are set up, tokens.
    #[serde(default)]
    pub effective_max_output_tokens: Option<u64>,
}

/// A model with its limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct ResolvedModel {
    /// Where the limits came from.
    pub model_resolved: ModelResolved,
    /// The limits, tokens.
    pub limits: ModelLimits,
    /// Tokens of thinking by level.
    #[cfg_attr(feature = "types", tsify(type = "Record<string, number>"))]
    pub thinking_budgets: IndexMap<String, u64>,
    /// Whether it sees images; absent when that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vision: Option<bool>,
    /// Why there are no limits of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl ResolvedModel {
    /// The limits of the request.
    pub fn inline(limits: ModelLimits) -> Self {
        Self {
            model_resolved: ModelResolved::Inline,
            limits,
            thinking_budgets: IndexMap::new(),
            vision: None,
            reason: None,
        }
    }

    /// Cautious limits, and why.
    pub fn fallback(reason: String) -> Self {
        Self {
            model_resolved: ModelResolved::Fallback,
            reason: Some(reason),
            ..Self::inline(FALLBACK)
        }
    }

    /// What the host knows.
    pub fn router(known: &Known) -> Self {
        let Known { record, effective } = known;
        let limits = ModelLimits {
            context_window: record.context_window,
            max_output_tokens: (*effective).min(record.max_output_tokens),
            input_limit: record.input_limit,
        };
        Self {
            model_resolved: ModelResolved::Router,
            thinking_budgets: record.thinking_budgets.clone().unwrap_or_default(),
            vision: Some(record.supports_vision == Some(true)),
            ..Self::inline(limits)
        }
    }
}

/// A model that the host knows, and the longest answer as things are set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    record: ModelRecord,
    effective: u64,
}

impl Known {
    /// What a host's answer says; `None` when it does not know the model.
    pub fn of(reply: Option<ModelReply>) -> Option<Self> {
        let reply = reply?;
        let record = reply.model?;
        Some(Self {
            effective: reply
                .effective_max_output_tokens
                .unwrap_or(record.max_output_tokens),
            record,
        })
    }

    /// What a catalogue's row says; `None` when it names no window.
    pub fn row(row: &ModelRow) -> Option<Self> {
        let window = row.combined_tokens.filter(|tokens| *tokens > 0);
        let record = ModelRecord {
            id: row.model.clone().unwrap_or_default(),
            provider: row.provider_id.clone().unwrap_or_default(),
            context_window: window.or(row.hard_window())?,
            // A row without one is planned with as much as an unknown model.
            max_output_tokens: row.max_output_tokens.unwrap_or(FALLBACK.max_output_tokens),
            input_limit: row.input_tokens.filter(|tokens| *tokens > 0),
            thinking_budgets: Some(row.thinking_budgets.clone()),
            supports_vision: row.input_modalities.as_ref().map(|_| row.reads("image")),
        };
        Some(Self {
            effective: record.max_output_tokens,
            record,
        })
    }
}

/// How much room there is, tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct Budget {
    /// The input limit, or the window without the longest answer.
    pub base: u64,
    /// Kept free.
    pub reserved: u64,
    /// Kept for thinking.
    pub thinking: u64,
    /// What is left.
    pub usable: u64,
}

/// The room a model leaves, with a reserve of the request's own or the configured one.
pub fn budget(
    model: &ResolvedModel,
    reserved: Option<u64>,
    level: Option<ThinkingLevel>,
    config: &Config,
) -> Budget {
    let ModelLimits {
        context_window,
        max_output_tokens,
        input_limit,
    } = model.limits;
    let base = input_limit.unwrap_or_else(|| context_window.saturating_sub(max_output_tokens));
    let reserved = reserved.unwrap_or_else(|| {
        let share = context_window.saturating_mul(config.reserved_pct) / 100;
        share.min(config.reserved_tokens_cap)
    });
    let thinking = level
        .and_then(|level| model.thinking_budgets.get(level.as_str()))
        .copied()
        .unwrap_or_default();
    Budget {
        base,
        reserved,
        thinking,
        usable: base.saturating_sub(reserved).saturating_sub(thinking),
    }
}

/// Tokens of the newest messages that a compaction keeps word for word.
pub fn tail_budget(usable: u64) -> u64 {
    (usable / 4).clamp(2000, 8000)
}

/// What hosts answered, for a while. Found and unknown are kept, failures are not.
#[derive(Clone, Debug, Default)]
pub struct ModelCache {
    known: IndexMap<(Option<String>, String), (Option<Known>, u64)>,
}

impl ModelCache {
    /// What is still known at `now_ms`: a model, that it is unknown, or nothing.
    pub fn get(&self, model: &ModelInput, now_ms: u64) -> Option<Option<Known>> {
        let (known, at) = self.known.get(&key(model))?;
        let holds = if known.is_some() {
            FOUND_MS
        } else {
            UNKNOWN_MS
        };
        (now_ms.saturating_sub(*at) <= holds).then(|| known.clone())
    }

    /// Keeps an answer.
    pub fn keep(&mut self, model: &ModelInput, known: Option<Known>, now_ms: u64) {
        self.known.insert(key(model), (known, now_ms));
    }

    /// Forgets all answers.
    pub fn flush(&mut self) {
        self.known.clear();
    }
}

fn key(model: &ModelInput) -> (Option<String>, String) {
    (model.provider.clone(), model.id.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inline(window: u64, output: u64, input_limit: Option<u64>) -> ResolvedModel {
        ResolvedModel::inline(ModelLimits {
            context_window: window,
            max_output_tokens: output,
            input_limit,
        })
    }

    #[track_caller]
    fn check(model: &ResolvedModel, reserved: Option<u64>, usable: u64) {
        let budget = budget(
            model,
            reserved,
            Some(ThinkingLevel::High),
            &Config::default(),
        );
        assert_eq!(budget.usable, usable);
    }

    #[test]
    fn the_worked_budgets() {
        check(&inline(200_000, 8_000, None), None, 172_000);
        check(&inline(32_000, 16_000, None), None, 12_800);
        check(&inline(10_000, 1_000, None), None, 8_000);
        check(&inline(10_000, 1_000, Some(5_000)), None, 4_000);
        check(&inline(1_000, 2_000, None), None, 0);
        check(&inline(8_192, 1_024, None), Some(10_000), 0);
        check(&inline(1, 1, Some(100_000)), Some(20_000), 80_000);
        check(&ResolvedModel::fallback(String::new()), None, 6_349);
        let reply = ModelReply {
            model: Some(ModelRecord {
                context_window: 272_000,
                max_output_tokens: 128_000,
                ..ModelRecord::default()
            }),
            effective_max_output_tokens: Some(32_000),
        };
        let known = ResolvedModel::router(&Known::of(Some(reply)).unwrap());
        check(&known, Some(20_000), 220_000);
        let thinking = ResolvedModel {
            thinking_budgets: [("high".to_owned(), 16_000)].into_iter().collect(),
            ..inline(100_000, 10_000, None)
        };
        check(&thinking, None, 64_000);
        for (usable, tail) in [(40_000, 8_000), (20_000, 5_000), (1_000, 2_000)] {
            assert_eq!(tail_budget(usable), tail);
        }
    }

    #[test]
    fn an_answer_holds_for_a_minute_and_a_miss_for_five_seconds() {
        let mut cache = ModelCache::default();
        let model = |provider: Option<&str>| ModelInput {
            id: "m".to_owned(),
            provider: provider.map(str::to_owned),
            limits: None,
        };
        let known = Known::of(Some(ModelReply {
            model: Some(ModelRecord::default()),
            effective_max_output_tokens: None,
        }));
        cache.keep(&model(Some("p")), known.clone(), 1_000);
        cache.keep(&model(Some("q")), None, 1_000);
        assert_eq!(cache.get(&model(Some("p")), 61_000), Some(known));
        assert_eq!(cache.get(&model(Some("p")), 61_001), None);
        assert_eq!(cache.get(&model(Some("q")), 6_000), Some(None));
        assert_eq!(cache.get(&model(Some("q")), 6_001), None);
        assert_eq!(cache.get(&model(None), 1_000), None);
        cache.flush();
        assert_eq!(cache.get(&model(Some("p")), 1_000), None);
    }

    #[test]
    fn a_row_gives_its_own_limits_and_says_whether_it_sees() {
        let row = crate::tokens::catalogue::lookup("gpt-5").unwrap();
        let model = ResolvedModel::router(&Known::row(&row).unwrap());
        let limits = ModelLimits {
            context_window: 400_000,
            max_output_tokens: 128_000,
            input_limit: Some(272_000),
        };
        assert_eq!((model.limits, model.vision), (limits, Some(true)));
        assert_eq!(Known::row(&ModelRow::default()), None);
    }
}
