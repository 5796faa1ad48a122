//! The built-in model catalogue: rows of well-known models, dated, each figure with its source.
//!
//! It is a convenience and it ages: a row from the file or the caller wins over it. A figure on which
//! the sources differ is left out. Ids are `provider/model`; a bare model id and a dated or `-latest`
//! name of a listed model find the same row.
//!
//! Which OpenAI model uses which encoding is what OpenAI's own tokenizer declares (`tiktoken` 0.14);
//! it declares none for the sixth generation, and Anthropic and Google publish none, so those rows
//! have no counter.

use super::model::{CounterRow, ModelRow, ReplayFormat};

/// The day the figures were read.
const DATED: &str = "2026-11-30";
const OPENAI: &str = "OpenAI model pages, as in models.dev and LiteLLM 1.110.2";
const OPEN_WEIGHTS: &str = "gpt-oss model card";
const ANTHROPIC: &str = "Claude models overview, models.dev and LiteLLM 1.110.2";
const GEMINI: &str = "Gemini API model pages, as in models.dev and LiteLLM 1.110.2";

const PNG_JPEG_WEBP_GIF: &[&str] = &["image/png", "image/jpeg", "image/webp", "image/gif"];
const PNG_JPEG_WEBP_HEIF: &[&str] = &[
    "image/png",
    "image/jpeg",
    "image/webp",
    "image/heic",
    "image/heif",
];

/// What the rows of one provider share.
struct Provider {
    id: &'static str,
    api_format: &'static str,
    replay_format: ReplayFormat,
    image_types: &'static [&'static str],
    source: &'static str,
    rows: &'static [Row],
}

/// One model. A limit of 0 is not known or not there.
struct Row {
    model_id: &'static str,
    input: u64,
    combined: u64,
    max_output: u64,
    encoding: Option<&'static str>,
    traits: &'static [Trait],
}

#[derive(PartialEq)]
enum Trait {
    /// Reasons before it answers.
    Reasons,
    /// Reads pictures and PDF beside text.
    Sees,
}
use Trait::{Reasons, Sees};

const fn row(
    model_id: &'static str,
    input: u64,
    combined: u64,
    max_output: u64,
    encoding: Option<&'static str>,
    traits: &'static [Trait],
) -> Row {
    Row {
        model_id,
        input,
        combined,
        max_output,
        encoding,
        traits,
    }
}

const O200K: Option<&str> = Some("o200k_base");
const CL100K: Option<&str> = Some("cl100k_base");
const HARMONY: Option<&str> = Some("o200k_harmony");
const BOTH: &[Trait] = &[Reasons, Sees];

const PROVIDERS: [Provider; 4] = [
    Provider {
        id: "openai_api",
        api_format: "openai_responses",
        replay_format: ReplayFormat::ResponsesReasoning,
        image_types: PNG_JPEG_WEBP_GIF,
        source: OPENAI,
        rows: &[
            row("gpt-3.5-turbo", 0, 16_385, 4_096, CL100K, &[]),
            row("gpt-4", 0, 8_192, 0, CL100K, &[]),
            row("gpt-4-turbo", 0, 128_000, 4_096, CL100K, &[Sees]),
            row("gpt-4o", 0, 128_000, 16_384, O200K, &[Sees]),
            row("gpt-4o-2024-05-13", 0, 128_000, 4_096, O200K, &[Sees]),
            row("gpt-4o-mini", 0, 128_000, 16_384, O200K, &[Sees]),
            row("gpt-4.1", 0, 1_047_576, 32_768, O200K, &[Sees]),
            row("gpt-4.1-mini", 0, 1_047_576, 32_768, O200K, &[Sees]),
            row("gpt-4.1-nano", 0, 1_047_576, 32_768, O200K, &[Sees]),
            row("o1", 0, 200_000, 100_000, O200K, BOTH),
            row("o1-pro", 0, 200_000, 100_000, O200K, BOTH),
            row("o3", 0, 200_000, 100_000, O200K, BOTH),
            row("o3-mini", 0, 200_000, 100_000, O200K, &[Reasons]),
            row("o3-pro", 0, 200_000, 100_000, O200K, BOTH),
            row("o4-mini", 0, 200_000, 100_000, O200K, BOTH),
            row("gpt-5", 272_000, 400_000, 128_000, O200K, BOTH),
            row("gpt-5-mini", 272_000, 400_000, 128_000, O200K, BOTH),
            row("gpt-5-nano", 272_000, 400_000, 128_000, O200K, BOTH),
            row("gpt-5-codex", 272_000, 400_000, 128_000, O200K, BOTH),
            row("gpt-5.1", 272_000, 400_000, 128_000, O200K, BOTH),
            row("gpt-5.2", 272_000, 400_000, 128_000, O200K, BOTH),
            row("gpt-5.2-codex", 272_000, 400_000, 128_000, O200K, BOTH),
            row("gpt-5.3-codex", 272_000, 400_000, 128_000, O200K, BOTH),
            row("gpt-5.4", 922_000, 1_050_000, 128_000, O200K, BOTH),
            row("gpt-5.4-mini", 272_000, 400_000, 128_000, O200K, BOTH),
            row("gpt-5.5", 922_000, 1_050_000, 128_000, O200K, BOTH),
            row("gpt-5.6", 922_000, 1_050_000, 128_000, O200K, BOTH),
            row("gpt-6-luna", 922_000, 1_050_000, 128_000, None, BOTH),
            row("gpt-6-sol", 922_000, 1_050_000, 128_000, None, BOTH),
            row("gpt-6.1-sol", 922_000, 1_050_000, 128_000, None, BOTH),
            row("gpt-6.1-terra", 922_000, 1_050_000, 128_000, None, BOTH),
        ],
    },
    Provider {
        id: "openai_open_weights",
        api_format: "openai_chat",
        replay_format: ReplayFormat::ChatReasoning,
        image_types: &[],
        source: OPEN_WEIGHTS,
        rows: &[
            row("gpt-oss-20b", 0, 131_072, 0, HARMONY, &[Reasons]),
            row("gpt-oss-120b", 0, 131_072, 0, HARMONY, &[Reasons]),
        ],
    },
    Provider {
        id: "anthropic_api",
        api_format: "anthropic_messages",
        replay_format: ReplayFormat::AnthropicThinking,
        image_types: PNG_JPEG_WEBP_GIF,
        source: ANTHROPIC,
        rows: &[
            row("claude-3-haiku", 0, 200_000, 4_096, None, &[Sees]),
            row("claude-3-opus", 0, 200_000, 4_096, None, &[Sees]),
            row("claude-3-5-haiku", 0, 200_000, 8_192, None, &[Sees]),
            row("claude-3-5-sonnet", 0, 200_000, 8_192, None, &[Sees]),
            row("claude-3-7-sonnet", 0, 200_000, 64_000, None, BOTH),
            row("claude-sonnet-4", 0, 200_000, 64_000, None, BOTH),
            row("claude-opus-4", 0, 200_000, 32_000, None, BOTH),
            row("claude-opus-4-1", 0, 200_000, 32_000, None, BOTH),
            row("claude-haiku-4-5", 0, 200_000, 64_000, None, BOTH),
            row("claude-sonnet-4-5", 0, 200_000, 64_000, None, BOTH),
            row("claude-opus-4-5", 0, 200_000, 64_000, None, BOTH),
            row("claude-sonnet-4-6", 0, 1_000_000, 128_000, None, BOTH),
            row("claude-opus-4-6", 0, 1_000_000, 128_000, None, BOTH),
            row("claude-opus-4-7", 0, 1_000_000, 128_000, None, BOTH),
            row("claude-opus-4-8", 0, 1_000_000, 128_000, None, BOTH),
            row("claude-sonnet-5", 0, 1_000_000, 128_000, None, BOTH),
            row("claude-opus-5", 0, 1_000_000, 128_000, None, BOTH),
            row("claude-fable-5", 0, 1_000_000, 128_000, None, BOTH),
            row("claude-fable-5-1", 0, 1_000_000, 128_000, None, BOTH),
            row("claude-haiku-5-5", 0, 1_000_000, 128_000, None, BOTH),
            row("claude-sonnet-5-5", 0, 1_000_000, 128_000, None, BOTH),
            row("claude-opus-5-5", 0, 1_000_000, 128_000, None, BOTH),
        ],
    },
    Provider {
        id: "gemini_api",
        api_format: "gemini",
        replay_format: ReplayFormat::GeminiThought,
        image_types: PNG_JPEG_WEBP_HEIF,
        source: GEMINI,
        rows: &[
            row("gemini-2.0-flash", 1_048_576, 0, 8_192, None, &[Sees]),
            row("gemini-2.5-flash-lite", 1_048_576, 0, 65_536, None, BOTH),
            row("gemini-2.5-flash", 1_048_576, 0, 65_536, None, BOTH),
            row("gemini-2.5-pro", 1_048_576, 0, 65_536, None, BOTH),
            row("gemini-3-flash-preview", 1_048_576, 0, 65_536, None, BOTH),
            row("gemini-3.1-pro-preview", 1_048_576, 0, 65_536, None, BOTH),
            row("gemini-3.5-flash", 1_048_576, 0, 65_536, None, BOTH),
            row("gemini-3.8-flash", 1_048_576, 0, 65_536, None, BOTH),
        ],
    },
];

/// Every row.
pub fn rows() -> Vec<ModelRow> {
    listed()
        .map(|(provider, row)| full(provider, row, row.model_id))
        .collect()
}

/// The row of a model, by `provider/model` or by its bare model id.
///
/// A name with a date or `-latest` behind a listed one finds that one's row, under the name asked for:
/// two snapshots are two models when reasoning is replayed.
pub fn lookup(id: &str) -> Option<ModelRow> {
    let (provider_id, model_id) = match id.split_once('/') {
        Some((provider, model)) => (Some(provider), model),
        None => (None, id),
    };
    let find = |wanted: &str| {
        listed().find(|(provider, row)| {
            row.model_id == wanted && provider_id.is_none_or(|id| id == provider.id)
        })
    };
    let (provider, row) = find(model_id).or_else(|| find(undated(model_id)?))?;
    Some(full(provider, row, model_id))
}

fn listed() -> impl Iterator<Item = (&'static Provider, &'static Row)> {
    const { &PROVIDERS }
        .iter()
        .flat_map(|provider| provider.rows.iter().map(move |row| (provider, row)))
}

/// The name before `-latest`, `-YYYY-MM-DD` or `-YYYYMMDD`.
fn undated(model_id: &str) -> Option<&str> {
    ["-latest", "-####-##-##", "-########"]
        .iter()
        .find_map(|shape| {
            let (name, suffix) =
                model_id.split_at_checked(model_id.len().checked_sub(shape.len())?)?;
            let fits = suffix
                .bytes()
                .zip(shape.bytes())
                .all(|(byte, mark)| match mark {
                    b'#' => byte.is_ascii_digit(),
                    _ => byte == mark,
                });
            fits.then_some(name)
        })
}

fn full(provider: &Provider, row: &Row, model_id: &str) -> ModelRow {
    let limit = |tokens: u64| (tokens > 0).then_some(tokens);
    let owned = |words: &[&str]| {
        words
            .iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<_>>()
    };
    let (reasons, sees) = (row.traits.contains(&Reasons), row.traits.contains(&Sees));
    ModelRow {
        model: Some(format!("{}/{model_id}", provider.id)),
        provider_id: Some(provider.id.to_owned()),
        model_id: Some(model_id.to_owned()),
        api_format: Some(provider.api_format.to_owned()),
        input_tokens: limit(row.input),
        combined_tokens: limit(row.combined),
        max_output_tokens: limit(row.max_output),
        counter: row
            .encoding
            .map(|name| CounterRow::Encoding(name.to_owned())),
        reasoning_enabled: reasons,
        replay_format: if reasons {
            provider.replay_format
        } else {
            ReplayFormat::None
        },
        input_modalities: Some(owned(if sees { &["text", "image"] } else { &["text"] })),
        image_types: sees.then(|| owned(provider.image_types)),
        file_types: if sees {
            owned(&["application/pdf"])
        } else {
            Vec::new()
        },
        source: Some(provider.source.to_owned()),
        dated: Some(DATED.to_owned()),
        ..ModelRow::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::counter::known_encoding;

    #[test]
    fn every_row_is_whole_and_is_found_by_both_its_names() {
        let rows = rows();
        assert!(rows.len() > 50);
        for row in rows {
            let model_id = row.model_id.clone().unwrap();
            assert_eq!(lookup(row.model.as_deref().unwrap()), Some(row.clone()));
            assert_eq!(
                lookup(&model_id),
                Some(row.clone()),
                "a bare id is unambiguous"
            );
            assert!(row.planning_window().is_some(), "{model_id} has a window");
            assert!(row.source.is_some() && row.dated.is_some());
            if let (Some(input), Some(combined)) = (row.input_tokens, row.combined_tokens) {
                assert!(input < combined, "{model_id}");
            }
            if let Some(CounterRow::Encoding(name)) = &row.counter {
                assert!(known_encoding(name), "{model_id}: {name}");
            }
            let json = serde_json::to_value(&row).unwrap();
            assert_eq!(serde_json::from_value::<ModelRow>(json).unwrap(), row);
        }
    }

    #[track_caller]
    fn check_found(id: &str, model: &str, max_output: u64) {
        let row = lookup(id).unwrap();
        assert_eq!(row.model.as_deref(), Some(model));
        assert_eq!(row.max_output_tokens, Some(max_output));
    }

    #[test]
    fn a_dated_name_finds_its_model_under_the_name_asked_for() {
        check_found("gpt-5-2025-08-07", "openai_api/gpt-5-2025-08-07", 128_000);
        check_found(
            "openai_api/gpt-4.1-mini-2025-04-14",
            "openai_api/gpt-4.1-mini-2025-04-14",
            32_768,
        );
        check_found(
            "claude-opus-4-1-20250805",
            "anthropic_api/claude-opus-4-1-20250805",
            32_000,
        );
        check_found(
            "claude-opus-4-20250514",
            "anthropic_api/claude-opus-4-20250514",
            32_000,
        );
        check_found(
            "claude-3-5-sonnet-latest",
            "anthropic_api/claude-3-5-sonnet-latest",
            8_192,
        );
        // A snapshot with limits of its own has a row of its own.
        check_found("gpt-4o-2024-05-13", "openai_api/gpt-4o-2024-05-13", 4_096);
        check_found("gpt-4o-2024-08-06", "openai_api/gpt-4o-2024-08-06", 16_384);
    }

    #[test]
    fn what_is_not_listed_is_not_found() {
        for id in [
            "",
            "/",
            "-",
            "gpt",
            "gpt-4o-",
            "gpt-4o-2024",
            "gpt-4o-20240",
            "gpt-4o-2024-05-1x",
            "-2024-05-13",
            "anthropic_api/gpt-4o",
            "openai_api/",
            "openai_api/gpt-4o/x",
            "é-20240513",
            "latest",
            "-latest",
        ] {
            assert_eq!(lookup(id), None, "{id:?}");
        }
    }
}
