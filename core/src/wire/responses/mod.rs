//! OpenAI Responses: a flat list of items, several of which are one answer.

mod write;

use serde_json::{Map, Value, json};

use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::{ContentBlock, Usage};

use super::files::{bytes, linked};
use super::parts::{Arguments, Call, Outcome, Part, Summary, output, thinking};
use super::{any, but, word};

pub use write::write;

/// The word of a model row for this wire.
pub const API_FORMAT: &str = "openai_responses";

/// Whether a `type` is an item's of this shape. A message's is told by its role.
pub fn is_item(kind: &str) -> bool {
    ITEMS.contains(&kind)
        || kind.ends_with("_call")
        || kind.ends_with("_call_output")
        || kind.starts_with("mcp_")
}

const ITEMS: [&str; 11] = [
    "reasoning",
    "compaction",
    "compaction_summary",
    "context_compaction",
    "compaction_trigger",
    "configuration_update",
    "item_reference",
    "additional_tools",
    "tool_search_output",
    "program",
    "program_output",
];

/// The parts that an item is; `None` when the type is not of this shape.
pub(super) fn item(
    kind: &str,
    item: &Value,
    pointer: &str,
    notes: &mut Notes,
) -> Option<Vec<Part>> {
    if !is_item(kind) {
        return None;
    }
    let id = any(item, &["call_id", "id"])
        .and_then(Value::as_str)
        .unwrap_or_default();
    let call = |name: &str, arguments: Arguments| {
        Part::Call(Call {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments,
            pointer: pointer.to_owned(),
        })
    };
    let name = word(item, "name").unwrap_or_default();
    let one = match kind {
        "reasoning" => return Some(reasoning(item, pointer, notes)),
        "function_call" => call(name, Arguments::of(item.get("arguments"))),
        "custom_tool_call" => call(name, Arguments::Value(json!({"input": item.get("input")}))),
        "local_shell_call" | "shell_call" | "apply_patch_call" | "computer_call"
        | "tool_search_call" | "program" => {
            let input = any(
                item,
                &["action", "actions", "operation", "arguments", "code"],
            );
            call(kind.trim_end_matches("_call"), given(input))
        }
        "tool_search_output" => {
            let tools = item.get("tools").cloned().unwrap_or_default();
            let named: Vec<&str> = tools
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|tool| word(tool, "name"))
                .collect();
            let words = ContentBlock::text(format!("[tools: {}]", named.join(", ")));
            let mut outcome = answered(item, id, pointer, notes);
            outcome.content = vec![words.into()];
            return Some(vec![
                Part::Result(outcome),
                Part::Tools(tools, format!("{pointer}/tools")),
            ]);
        }
        "mcp_list_tools" | "additional_tools" => Part::Tools(
            item.get("tools").cloned().unwrap_or_default(),
            format!("{pointer}/tools"),
        ),
        "compaction" | "compaction_summary" | "context_compaction" => Part::Summary(Summary {
            text: String::new(),
            sealed: word(item, "encrypted_content").map(str::to_owned),
            keeps_users: true,
            pointer: pointer.to_owned(),
        }),
        "compaction_trigger"
        | "configuration_update"
        | "mcp_approval_request"
        | "mcp_approval_response" => Part::aside(kind, item, pointer),
        "item_reference" => {
            let message = "an item that is only referred to is not in the file";
            notes.push(Warning::new("item_not_in_file", message).at(pointer));
            Part::aside(kind, item, pointer)
        }
        _ if kind.ends_with("_output") => Part::Result(answered(item, id, pointer, notes)),
        _ => {
            let plain = kind.trim_end_matches("_call");
            let name = if name.is_empty() { plain } else { name };
            let input = any(
                item,
                &["action", "arguments", "queries", "code", "revised_prompt"],
            );
            let arguments = match input {
                Some(Value::String(_)) if plain == "mcp" => Arguments::of(input),
                input => given(input),
            };
            let served = served(item, plain, id, name, pointer, notes);
            return Some(vec![call(name, arguments), Part::Result(served)]);
        }
    };
    Some(vec![one])
}

/// Arguments are an object; what is none is its input.
fn given(input: Option<&Value>) -> Arguments {
    Arguments::Value(match input {
        Some(object @ Value::Object(_)) => object.clone(),
        Some(other) => json!({ "input": other }),
        None => Value::Object(Map::new()),
    })
}

/// Reasoning: its summary or, of servers that show it, its text; and what is sealed.
fn reasoning(item: &Value, pointer: &str, notes: &mut Notes) -> Vec<Part> {
    let text = |key: &str| -> String {
        let items = item.get(key).and_then(Value::as_array);
        let texts = items
            .into_iter()
            .flatten()
            .filter_map(|part| word(part, "text"));
        texts.collect::<Vec<_>>().join("\n\n")
    };
    let (summary, sealed) = (text("summary"), word(item, "encrypted_content"));
    let shown = if summary.is_empty() {
        text("content")
    } else {
        summary
    };
    if shown.is_empty() && sealed.is_none() {
        let message = "reasoning that is only referred to is not in the file";
        notes.push(Warning::new("item_not_in_file", message).at(pointer));
        return Vec::new();
    }
    vec![thinking(&shown, sealed)]
}

/// An output of a call: a string, parts, or something structured, which reads as its JSON.
fn answered(item: &Value, id: &str, pointer: &str, notes: &mut Notes) -> Outcome {
    let said = item.get("output").unwrap_or(&Value::Null);
    // Old clients wrap the words with whether they are a success's.
    let words = said.get("content").unwrap_or(said);
    let at = format!("{pointer}/output");
    let content = match words {
        Value::Array(parts) if parts.iter().any(|part| word(part, "type").is_none()) => {
            vec![ContentBlock::text(words.to_string()).into()]
        }
        Value::Object(_) => match word(words, "image_url").or_else(|| word(words, "file_id")) {
            Some(address) => vec![linked("image", address, None, &at, notes)],
            None => vec![ContentBlock::text(words.to_string()).into()],
        },
        words => output(Some(words), &at, notes),
    };
    Outcome {
        id: id.to_owned(),
        name: word(item, "name").unwrap_or_default().to_owned(),
        content,
        failed: said.get("success").and_then(Value::as_bool) == Some(false),
        details: Value::Null,
        pointer: pointer.to_owned(),
    }
}

/// What came of a call that the server ran: it stands in the call's own item.
fn served(
    item: &Value,
    kind: &str,
    id: &str,
    name: &str,
    pointer: &str,
    notes: &mut Notes,
) -> Outcome {
    const CAME_BACK: [&str; 5] = ["output", "result", "results", "outputs", "error"];
    let content = match any(item, &CAME_BACK) {
        Some(Value::String(data)) if kind == "image_generation" => {
            vec![bytes("image", "image/png", data, None, pointer, notes)]
        }
        Some(Value::String(text)) => vec![ContentBlock::text(text).into()],
        Some(other) => vec![ContentBlock::text(other.to_string()).into()],
        None => Vec::new(),
    };
    let called = [
        "type",
        "id",
        "call_id",
        "name",
        "action",
        "arguments",
        "queries",
        "code",
        "revised_prompt",
        "status",
    ];
    let details = but(item, &[&called[..], &CAME_BACK].concat());
    let some = details
        .as_object()
        .is_some_and(|members| !members.is_empty());
    Outcome {
        id: id.to_owned(),
        name: name.to_owned(),
        content,
        failed: any(item, &["error"]).is_some(),
        details: if some { details } else { Value::Null },
        pointer: pointer.to_owned(),
    }
}

/// What the provider counted, cached tokens taken out of the input.
pub(super) fn usage(value: &Value) -> Usage {
    let number = |path: &str| value.pointer(path).and_then(Value::as_u64);
    let cache_read =
        number("/input_tokens_details/cached_tokens").or_else(|| number("/cached_input_tokens"));
    let cache_write = number("/input_tokens_details/cache_write_tokens");
    let cached = cache_read
        .unwrap_or(0)
        .saturating_add(cache_write.unwrap_or(0));
    Usage {
        input: number("/input_tokens").map(|all| all.saturating_sub(cached)),
        output: number("/output_tokens"),
        cache_read,
        cache_write,
        reasoning: number("/output_tokens_details/reasoning_tokens")
            .or_else(|| number("/reasoning_output_tokens")),
        cost_usd: None,
    }
}

#[cfg(test)]
mod tests;
