//! A model row: what is declared about one model, in the one shape that the file, the catalogue
//! and the request share. Every field may be missing; `null` on an optional field reads as missing,
//! and a window of 0 is none.
//!
//! ```
//! use galley_core::tokens::ModelRow;
//! let row: ModelRow = serde_json::from_str(r#"{"model":"openai_api/gpt-x","input_tokens":8192}"#).unwrap();
//! assert_eq!(row.planning_window(), Some(8192));
//! ```

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize};

/// What is declared about one model. Windows and limits are tokens.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ModelRow {
    /// The row's id, for example `openai_api/gpt-x`. Required in the file and the catalogue; a row
    /// given in a request may be nameless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The provider's id, which reasoning replay and `native_origin` compare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<String>,
    /// The provider's own name of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// The wire the model is spoken to on: `openai_responses`, `openai_chat`, `anthropic_messages`
    /// or `gemini`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_format: Option<String>,
    /// The hard limit of the input alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// The hard limit of input and output together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub combined_tokens: Option<u64>,
    /// The advisory limit: how much input the model is worth filling with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective_input_tokens: Option<u64>,
    /// The longest answer the model gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u64>,
    /// How text is counted; missing means there is no tokenizer and fill is bytes/4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counter: Option<CounterRow>,
    /// What the wire adds to the counted texts of a request.
    #[serde(
        default,
        deserialize_with = "null_is_default",
        skip_serializing_if = "is_default"
    )]
    pub framing: Framing,
    /// Whether the model reasons at all as it is called.
    #[serde(
        default,
        deserialize_with = "null_is_default",
        skip_serializing_if = "is_default"
    )]
    pub reasoning_enabled: bool,
    /// The model's own replay mode, when neither the request nor the conversation says one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_replay: Option<ReplayMode>,
    /// The form in which reasoning is handed back to this model.
    #[serde(
        default,
        deserialize_with = "null_is_default",
        skip_serializing_if = "is_default"
    )]
    pub replay_format: ReplayFormat,
    /// Tokens kept for thinking, by thinking level.
    #[serde(
        default,
        deserialize_with = "null_is_default",
        skip_serializing_if = "IndexMap::is_empty"
    )]
    #[cfg_attr(feature = "types", tsify(type = "Record<string, number>"))]
    pub thinking_budgets: IndexMap<String, u64>,
    /// What the model reads, for example `["text","image"]`, which is also what a missing list means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_modalities: Option<Vec<String>>,
    /// The image MIME types the wire takes; missing means every one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_types: Option<Vec<String>>,
    /// The MIME types the wire takes natively that are no images, for example `application/pdf`.
    #[serde(
        default,
        deserialize_with = "null_is_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub file_types: Vec<String>,
    /// Tokens of one native attachment, by its MIME type; undeclared costs 0.
    #[serde(
        default,
        deserialize_with = "null_is_default",
        skip_serializing_if = "IndexMap::is_empty"
    )]
    #[cfg_attr(feature = "types", tsify(type = "Record<string, number>"))]
    pub token_cost: IndexMap<String, u64>,
    /// Where the figures come from, for a reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The day the figures were read, `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dated: Option<String>,
}

/// Tokens that the wire adds: `fixed` + `per_text` × number of texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Framing {
    /// Once a request.
    #[serde(default)]
    pub fixed: u64,
    /// Once a counted text.
    #[serde(default)]
    pub per_text: u64,
}

/// How a row says that text is counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "a counter is null, an encoding's name, {\"kind\":\"anchored\",\"encoding\",\"safety_factor\"} with a positive factor, or {\"kind\":\"table\",\"counts\"}"
)]
pub enum CounterRow {
    /// The model's own tokenizer, by the name of its encoding: an exact count.
    Encoding(String),
    /// Anything else.
    Declared(DeclaredCounter),
}

/// A counter that is not the model's own tokenizer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum DeclaredCounter {
    /// A near tokenizer and a declared safety factor: ceil(tokens × factor), inexact.
    Anchored {
        /// The near tokenizer's encoding.
        encoding: String,
        /// A positive number.
        #[serde(deserialize_with = "positive")]
        safety_factor: f64,
    },
    /// Counts by text, exact, for tests; a text the table lacks counts by bytes/4.
    Table {
        /// Tokens by text.
        #[cfg_attr(feature = "types", tsify(type = "Record<string, number>"))]
        counts: IndexMap<String, u64>,
    },
}

/// Which earlier turns hand their reasoning back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ReplayMode {
    /// None of them.
    None,
    /// Only the newest eligible one.
    LastTurn,
    /// Every eligible one.
    All,
}

/// The form in which reasoning is handed back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ReplayFormat {
    /// Not at all.
    #[default]
    None,
    /// Encrypted Responses items; bound to the model.
    ResponsesReasoning,
    /// Responses items with readable text; bound to the model.
    ResponsesReasoningText,
    /// Signed thinking blocks; they cross models of one provider.
    AnthropicThinking,
    /// Thought parts; they cross models of one provider.
    GeminiThought,
    /// `reasoning_details` or `reasoning_content` of a chat wire; bound to the model.
    ChatReasoning,
}

impl ReplayFormat {
    /// The form in which a wire hands reasoning back, by a row's `api_format`.
    pub fn of_wire(api_format: Option<&str>) -> Self {
        match api_format {
            Some("openai_responses") => ReplayFormat::ResponsesReasoning,
            Some("anthropic_messages") => ReplayFormat::AnthropicThinking,
            Some("gemini") => ReplayFormat::GeminiThought,
            _ => ReplayFormat::ChatReasoning,
        }
    }

    /// Whether reasoning that shows no text is signed all the same, rather than encrypted.
    pub fn signs_what_it_hides(self) -> bool {
        self == ReplayFormat::AnthropicThinking
    }

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            ReplayFormat::None => "none",
            ReplayFormat::ResponsesReasoning => "responses_reasoning",
            ReplayFormat::ResponsesReasoningText => "responses_reasoning_text",
            ReplayFormat::AnthropicThinking => "anthropic_thinking",
            ReplayFormat::GeminiThought => "gemini_thought",
            ReplayFormat::ChatReasoning => "chat_reasoning",
        }
    }

    /// Whether the reasoning of one model means nothing to another model of the same provider.
    pub fn model_bound(self) -> bool {
        !matches!(
            self,
            ReplayFormat::None | ReplayFormat::AnthropicThinking | ReplayFormat::GeminiThought
        )
    }
}

impl ModelRow {
    /// The limit the provider enforces: of the input, else of input and output together.
    pub fn hard_window(&self) -> Option<u64> {
        declared(self.input_tokens).or(declared(self.combined_tokens))
    }

    /// The limit the allocator plans with: the advisory one, else the hard one.
    pub fn planning_window(&self) -> Option<u64> {
        self.advisory_window().or(self.hard_window())
    }

    /// The same model with no limit declared.
    pub fn without_limits(self) -> Self {
        Self {
            input_tokens: None,
            combined_tokens: None,
            effective_input_tokens: None,
            ..self
        }
    }

    /// The advisory limit.
    pub fn advisory_window(&self) -> Option<u64> {
        declared(self.effective_input_tokens)
    }

    /// Whether the model reads this modality (`text`, `image`, …).
    pub fn reads(&self, modality: &str) -> bool {
        match &self.input_modalities {
            Some(modalities) => modalities.iter().any(|known| known == modality),
            None => matches!(modality, "text" | "image"),
        }
    }

    /// Whether the wire takes this MIME type natively, whatever the modalities say.
    pub fn wire_takes(&self, content_type: &str) -> bool {
        if content_type.starts_with("image/") {
            self.image_types
                .as_ref()
                .is_none_or(|types| types.iter().any(|known| known == content_type))
        } else {
            self.file_types.iter().any(|known| known == content_type)
        }
    }
}

fn declared(window: Option<u64>) -> Option<u64> {
    window.filter(|tokens| *tokens > 0)
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn null_is_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let factor = f64::deserialize(deserializer)?;
    if factor.is_finite() && factor > 0.0 {
        Ok(factor)
    } else {
        Err(serde::de::Error::custom(
            "a safety factor is a positive number",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn row(value: Value) -> ModelRow {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn the_full_row_reads_and_its_defaults_fall_away_on_the_way_back() {
        let full = json!({
            "model":"openai_api/gpt-x","provider_id":"openai_api","model_id":"gpt-x","api_format":"openai_responses",
            "input_tokens":8192,"combined_tokens":null,"effective_input_tokens":null,"max_output_tokens":null,
            "counter":null,"framing":{"fixed":0,"per_text":0},"reasoning_enabled":false,"reasoning_replay":null,
            "replay_format":"none","thinking_budgets":{},"input_modalities":["text","image"],"image_types":null,
            "file_types":[],"token_cost":{"image/png":2500},"source":null,"dated":null
        });
        let back = json!({
            "model":"openai_api/gpt-x","provider_id":"openai_api","model_id":"gpt-x","api_format":"openai_responses",
            "input_tokens":8192,"input_modalities":["text","image"],"token_cost":{"image/png":2500}
        });
        assert_eq!(serde_json::to_value(row(full)).unwrap(), back);
    }

    #[test]
    fn null_reads_as_missing_everywhere() {
        let keys = [
            "model",
            "provider_id",
            "model_id",
            "api_format",
            "input_tokens",
            "combined_tokens",
            "effective_input_tokens",
            "max_output_tokens",
            "counter",
            "framing",
            "reasoning_enabled",
            "reasoning_replay",
            "replay_format",
            "thinking_budgets",
            "input_modalities",
            "image_types",
            "file_types",
            "token_cost",
            "source",
            "dated",
        ];
        let nulls: Value = keys
            .iter()
            .map(|key| (key.to_string(), Value::Null))
            .collect();
        assert_eq!(row(nulls), ModelRow::default());
    }

    #[test]
    fn a_window_of_zero_is_none() {
        let zero = row(json!({"input_tokens":0,"combined_tokens":9,"effective_input_tokens":0}));
        assert_eq!(
            (zero.hard_window(), zero.planning_window()),
            (Some(9), Some(9))
        );
        assert_eq!(row(json!({"input_tokens":0})).planning_window(), None);
        let advisory = row(json!({"input_tokens":8000,"effective_input_tokens":100}));
        assert_eq!(
            (advisory.hard_window(), advisory.planning_window()),
            (Some(8000), Some(100))
        );
    }

    #[test]
    fn counters_read_in_every_shape_and_refuse_the_rest_by_name() {
        assert_eq!(
            row(json!({"counter":"o200k_base"})).counter,
            Some(CounterRow::Encoding("o200k_base".into()))
        );
        for good in [
            json!({"kind":"anchored","encoding":"cl100k_base","safety_factor":1.25}),
            json!({"kind":"table","counts":{"hi":3}}),
        ] {
            let read = row(json!({ "counter": good }));
            assert_eq!(
                serde_json::to_value(read).unwrap(),
                json!({ "counter": good })
            );
        }
        for bad in [
            json!(4),
            json!({"kind":"anchored","encoding":"cl100k_base"}),
            json!({"kind":"anchored","encoding":"cl100k_base","safety_factor":0}),
            json!({"kind":"anchored","encoding":"cl100k_base","safety_factor":-1}),
            json!({"kind":"table","counts":{"hi":-1}}),
            json!({"kind":"guess"}),
        ] {
            let error = serde_json::from_value::<ModelRow>(json!({ "counter": bad })).unwrap_err();
            assert!(
                error.to_string().starts_with("a counter is null"),
                "{error}"
            );
        }
    }

    #[test]
    fn an_unknown_key_is_refused_by_name() {
        let error = serde_json::from_value::<ModelRow>(json!({"window":1})).unwrap_err();
        assert!(error.to_string().contains("`window`"), "{error}");
    }

    #[test]
    fn what_rides_natively_follows_modalities_and_types() {
        let plain = ModelRow::default();
        assert!(plain.reads("text") && plain.reads("image") && !plain.reads("audio"));
        assert!(plain.wire_takes("image/webp") && !plain.wire_takes("application/pdf"));
        let narrow = row(
            json!({"input_modalities":["text"],"image_types":["image/png"],"file_types":["application/pdf"]}),
        );
        assert!(!narrow.reads("image") && narrow.wire_takes("image/png"));
        assert!(!narrow.wire_takes("image/webp") && narrow.wire_takes("application/pdf"));
    }

    #[test]
    fn replay_formats_read_as_they_are_written() {
        for format in [
            ReplayFormat::None,
            ReplayFormat::ResponsesReasoning,
            ReplayFormat::ResponsesReasoningText,
            ReplayFormat::AnthropicThinking,
            ReplayFormat::GeminiThought,
            ReplayFormat::ChatReasoning,
        ] {
            assert_eq!(
                serde_json::to_value(format).unwrap(),
                json!(format.as_str())
            );
        }
        assert!(
            ReplayFormat::ChatReasoning.model_bound() && !ReplayFormat::GeminiThought.model_bound()
        );
    }
}
