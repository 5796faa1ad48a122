//! The entries of a sealed request, as they stand on the wire, and the canonical bytes of each.

use serde::{Deserialize, Serialize};

use crate::role::Role;

/// One sealed entry: a message, a call or a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(untagged)]
pub enum Entry {
    /// `{"type":"tool_call_item","payload":{…}}`
    Call {
        /// `tool_call_item`.
        r#type: CallItem,
        /// The call.
        payload: CallPayload,
    },
    /// `{"type":"tool_result_item","payload":{…}}`
    Output {
        /// `tool_result_item`.
        r#type: OutputItem,
        /// The result.
        payload: OutputPayload,
    },
    /// `{"role":…,"parts":[…]}`
    Message {
        /// Who speaks.
        role: Role,
        /// Words and uploads in order.
        parts: Vec<Part>,
        /// The label of a labelled assistant message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        phase: Option<String>,
        /// The only target the label may be sent back to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        native_origin: Option<NativeOrigin>,
    },
}

impl Entry {
    /// The texts that count.
    pub fn texts(&self) -> Vec<&str> {
        match self {
            Self::Message { parts, .. } => parts
                .iter()
                .filter_map(|part| match part {
                    Part::Text { text } => Some(text.as_str()),
                    Part::Upload { .. } => None,
                })
                .collect(),
            Self::Call { payload, .. } => vec![&payload.name, &payload.arguments],
            Self::Output { payload, .. } => vec![&payload.output],
        }
    }
}

/// The word of a call entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub enum CallItem {
    /// `tool_call_item`
    #[serde(rename = "tool_call_item")]
    Item,
}

/// The word of a result entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub enum OutputItem {
    /// `tool_result_item`
    #[serde(rename = "tool_result_item")]
    Item,
}

/// One part of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// An upload sent natively.
    Upload {
        /// Its id.
        upload_public_id: String,
    },
}

/// A call as the wire carries it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(tag = "type", rename = "function_call")]
pub struct CallPayload {
    /// Its id.
    pub call_id: String,
    /// The tool as called.
    pub name: String,
    /// The model's own string.
    pub arguments: String,
}

/// A result as the wire carries it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(tag = "type", rename = "function_call_output")]
pub struct OutputPayload {
    /// The call's id.
    pub call_id: String,
    /// The tool as called.
    pub name: String,
    /// What came back.
    pub output: String,
    /// Present only when true.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

/// A label and where it comes from; they travel as a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// `commentary` or `final_answer`.
    pub phase: String,
    /// Its origin.
    pub native_origin: Option<NativeOrigin>,
}

/// The wire, provider and model a label comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default)]
pub struct NativeOrigin {
    /// The provider.
    pub provider_id: String,
    /// The model.
    pub model_id: String,
    /// The wire.
    pub api_format: String,
}

/// Canonical bytes of entries from the bytes of their strings, each with its quotes
/// (`json::canonical::string_bytes`).
pub mod bytes {
    use super::{Label, Role};
    use crate::json::canonical::string_bytes;

    const fn length(text: &str) -> u64 {
        text.len() as u64
    }

    /// A text part.
    pub fn text_part(text: u64) -> u64 {
        length(r#"{"text":,"type":"text"}"#) + text
    }

    /// An upload part.
    pub fn upload_part(id: u64) -> u64 {
        length(r#"{"type":"upload","upload_public_id":}"#) + id
    }

    /// A message of `count` parts that measure `parts` together.
    pub fn message(role: Role, count: usize, parts: u64, label: Option<&Label>) -> u64 {
        let label = label.map_or(0, |label| {
            let origin = label.native_origin.as_ref().map_or(0, |origin| {
                length(r#""native_origin":{"api_format":,"model_id":,"provider_id":},"#)
                    + string_bytes(&origin.api_format)
                    + string_bytes(&origin.model_id)
                    + string_bytes(&origin.provider_id)
            });
            origin + length(r#""phase":,"#) + string_bytes(&label.phase)
        });
        length(r#"{"parts":[],"role":""}"#)
            + length(role.as_str())
            + parts
            + count.saturating_sub(1) as u64
            + label
    }

    /// A call.
    pub fn call(id: u64, name: u64, arguments: u64) -> u64 {
        length(
            r#"{"payload":{"arguments":,"call_id":,"name":,"type":"function_call"},"type":"tool_call_item"}"#,
        ) + id
            + name
            + arguments
    }

    /// A result.
    pub fn output(id: u64, name: u64, output: u64, is_error: bool) -> u64 {
        let flag = if is_error {
            length(r#""is_error":true,"#)
        } else {
            0
        };
        length(
            r#"{"payload":{"call_id":,"name":,"output":,"type":"function_call_output"},"type":"tool_result_item"}"#,
        ) + id
            + name
            + output
            + flag
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::canonical::{string_bytes, value_bytes};
    use proptest::prelude::*;

    fn measured(entry: &Entry) -> u64 {
        match entry {
            Entry::Message {
                role,
                parts,
                phase,
                native_origin,
            } => {
                let label = phase.clone().map(|phase| Label {
                    phase,
                    native_origin: native_origin.clone(),
                });
                let sizes: u64 = parts
                    .iter()
                    .map(|part| match part {
                        Part::Text { text } => bytes::text_part(string_bytes(text)),
                        Part::Upload { upload_public_id } => {
                            bytes::upload_part(string_bytes(upload_public_id))
                        }
                    })
                    .sum();
                bytes::message(*role, parts.len(), sizes, label.as_ref())
            }
            Entry::Call { payload, .. } => bytes::call(
                string_bytes(&payload.call_id),
                string_bytes(&payload.name),
                string_bytes(&payload.arguments),
            ),
            Entry::Output { payload, .. } => bytes::output(
                string_bytes(&payload.call_id),
                string_bytes(&payload.name),
                string_bytes(&payload.output),
                payload.is_error,
            ),
        }
    }

    fn any_entry() -> impl Strategy<Value = Entry> {
        let part = prop_oneof![
            ".{0,8}".prop_map(|text| Part::Text { text }),
            "[a-z0-9]{1,6}".prop_map(|upload_public_id| Part::Upload { upload_public_id }),
        ];
        let origin =
            (".{0,4}", ".{0,4}", ".{0,4}").prop_map(|(provider_id, model_id, api_format)| {
                NativeOrigin {
                    provider_id,
                    model_id,
                    api_format,
                }
            });
        prop_oneof![
            (
                prop::sample::select(Role::ALL.to_vec()),
                prop::collection::vec(part, 0..4),
                prop::option::of((".{0,6}", prop::option::of(origin))),
            )
                .prop_map(|(role, parts, label)| {
                    let (phase, native_origin) =
                        label.map_or((None, None), |(phase, origin)| (Some(phase), origin));
                    Entry::Message {
                        role,
                        parts,
                        phase,
                        native_origin,
                    }
                }),
            (".{0,6}", ".{0,6}", ".{0,9}").prop_map(|(call_id, name, arguments)| Entry::Call {
                r#type: CallItem::Item,
                payload: CallPayload {
                    call_id,
                    name,
                    arguments
                },
            }),
            (".{0,6}", ".{0,6}", ".{0,9}", any::<bool>()).prop_map(
                |(call_id, name, output, is_error)| Entry::Output {
                    r#type: OutputItem::Item,
                    payload: OutputPayload {
                        call_id,
                        name,
                        output,
                        is_error
                    },
                }
            ),
        ]
    }

    #[test]
    fn the_smallest_user_entry_is_52_bytes() {
        assert_eq!(
            bytes::message(Role::User, 1, bytes::text_part(string_bytes("x")), None),
            52
        );
    }

    proptest! {
        #[test]
        fn the_arithmetic_is_the_canonical_length(entry in any_entry()) {
            let value = serde_json::to_value(&entry).unwrap();
            prop_assert_eq!(measured(&entry), value_bytes(&value), "{}", value);
            prop_assert_eq!(serde_json::from_value::<Entry>(value).unwrap(), entry);
        }
    }
}
