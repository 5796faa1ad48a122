//! OpenTelemetry: spans of calls of models, in the words of each generation of those who record them.
//!
//! | who | where the words are |
//! |---|---|
//! | the conventions now | `gen_ai.input.messages`, `gen_ai.output.messages`, `gen_ai.system_instructions` |
//! | the conventions before | events `gen_ai.user.message`, `gen_ai.choice` and their kin, on spans or as logs |
//! | OpenLLMetry | `gen_ai.prompt.N.*`, `gen_ai.completion.N.*`, `llm.request.functions.N.*` |
//! | OpenInference | `llm.input_messages.N.message.*`, `llm.output_messages.N.message.*`, `llm.tools.N.*` |
//! | the AI SDK | `ai.prompt.messages`, `ai.response.text`, `ai.response.toolCalls` |
//! | LangSmith | `gen_ai.prompt`, `gen_ai.completion` |

mod attributes;
mod spans;

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use super::cut::{Inside, inside};
use super::{Call, in_order};
use crate::import::Ask;
use crate::import::record::{At, Record};
use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::{Imported, Usage};
use attributes::nested;
use spans::{Event, Span, spans};

/// Whether a file, or an item or line of one, is of this kind.
pub(in crate::import) fn is(value: &Value) -> bool {
    match value.as_array() {
        Some(items) => items.iter().take(50).any(spans::is),
        None => spans::is(value),
    }
}

/// The calls of each trace.
pub(in crate::import) fn read(records: Vec<Record>, _: &Ask, notes: &mut Notes) -> Vec<Imported> {
    let at = records
        .first()
        .map(|record| record.at.clone())
        .unwrap_or_default();
    let mut traces: IndexMap<String, Vec<Span>> = IndexMap::new();
    let mut places: BTreeMap<(String, String), usize> = BTreeMap::new();
    for span in records.into_iter().flat_map(spans) {
        let trace = traces.entry(span.trace.clone()).or_default();
        let own = (span.trace.clone(), span.id.clone());
        let known = places.get(&own).and_then(|place| trace.get_mut(*place));
        match known.filter(|known| known.log || span.log) {
            Some(known) => known.join(span),
            None => {
                if !span.id.is_empty() {
                    places.insert(own, trace.len());
                }
                trace.push(span);
            }
        }
    }
    let traces = traces.into_values();
    traces
        .flat_map(|trace| of_trace(&trace, notes, &at))
        .collect()
}

fn of_trace(trace: &[Span], notes: &mut Notes, at: &At) -> Vec<Imported> {
    let (mut calls, mut around, mut others) = (Vec::new(), Vec::new(), 0);
    for span in trace {
        match kind(span) {
            Kind::Call => calls.push(call(span)),
            Kind::Agent => around.push(call(span)),
            Kind::Other => others += 1,
        }
    }
    // An agent's own span says what its calls say; it counts where those are not in the file.
    if calls.is_empty() {
        calls = around;
    } else {
        others += around.len();
    }
    if others > 0 {
        let message = format!("spans that are no call of a model are not shown: {others}");
        notes.push(at.of(Warning::new("spans_not_shown", message)));
    }
    in_order(calls, notes, at)
}

/// What a span is about.
enum Kind {
    /// One call of a model.
    Call,
    /// What stands around calls, with their words.
    Agent,
    /// Anything else.
    Other,
}

fn kind(span: &Span) -> Kind {
    let has = |key: &str| span.attributes.contains_key(key);
    let words = WORDS.iter().any(|key| has(key) || under(span, key));
    let said = span
        .events
        .iter()
        .any(|event| role(&event.name).is_some() || held(event));
    let word = |key: &str| {
        span.attributes
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    match word("gen_ai.operation.name") {
        "chat" | "generate_content" | "text_completion" | "completion" => return Kind::Call,
        "" => {}
        _ if words || said => return Kind::Agent,
        _ => return Kind::Other,
    }
    match word("openinference.span.kind") {
        "LLM" => return Kind::Call,
        "" => {}
        _ => return Kind::Other,
    }
    let outer = [word("ai.operationId"), word("operation.name")]
        .iter()
        .any(|id| {
            let id = id.split(' ').next().unwrap_or_default();
            id.starts_with("ai.") && !id.ends_with(".doGenerate") && !id.ends_with(".doStream")
        });
    match (words || said, outer || has("traceloop.span.kind")) {
        (true, false) => Kind::Call,
        (true, true) => Kind::Agent,
        (false, _) if has("gen_ai.request.model") && has("gen_ai.usage.input_tokens") => Kind::Call,
        _ => Kind::Other,
    }
}

/// The attributes, or the beginnings of their names, that hold words.
const WORDS: [&str; 9] = [
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.prompt",
    "gen_ai.completion",
    "llm.input_messages",
    "llm.output_messages",
    "ai.prompt.messages",
    "ai.prompt",
    "ai.response.text",
];

fn under(span: &Span, prefix: &str) -> bool {
    let mut names = span.attributes.keys();
    names.any(|name| {
        name.strip_prefix(prefix)
            .is_some_and(|rest| rest.starts_with('.'))
    })
}

/// Whose message an event is.
fn role(event: &str) -> Option<&str> {
    let kind = event.strip_prefix("gen_ai.")?;
    match kind.strip_suffix(".message") {
        Some(role @ ("system" | "user" | "assistant" | "tool")) => Some(role),
        _ => (kind == "choice").then_some(kind),
    }
}

/// Whether an event holds what attributes of spans do.
fn held(event: &Event) -> bool {
    WORDS.iter().any(|key| event.attributes.contains_key(*key))
}

fn call(span: &Span) -> Call {
    let mut all = span.attributes.clone();
    for event in span.events.iter().filter(|event| held(event)) {
        for (key, value) in &event.attributes {
            all.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
    let first = |keys: &[&str]| {
        let found = keys.iter().filter_map(|key| all.get(*key));
        found.into_iter().find(|value| !value.is_null()).cloned()
    };
    let text = |keys: &[&str]| first(keys).and_then(|value| value.as_str().map(str::to_owned));
    let placed = |value: Option<Value>| value.map(|value| (value, span.at.clone()));
    let (asked, answered) = events(span);
    let input = first(&["gen_ai.input.messages", "ai.prompt.messages"])
        .or_else(|| messages(&all, "llm.input_messages"))
        .or_else(|| messages(&all, "gen_ai.prompt"))
        .or(asked)
        .or_else(|| first(&["gen_ai.prompt", "ai.prompt", "input.value"]));
    let output = first(&["gen_ai.output.messages"])
        .or_else(|| messages(&all, "llm.output_messages"))
        .or_else(|| messages(&all, "gen_ai.completion"))
        .or(answered)
        .or_else(|| ai_sdk(&all))
        .or_else(|| first(&["gen_ai.completion", "output.value"]));
    let reasons = first(&[
        "gen_ai.response.finish_reasons",
        "ai.response.finishReason",
        "gen_ai.response.finish_reason",
    ]);
    let reason = match &reasons {
        Some(Value::Array(reasons)) => reasons.first().and_then(Value::as_str),
        Some(reason) => reason.as_str(),
        None => None,
    };
    Call {
        title: Some(span.name.clone()).filter(|name| !name.is_empty()),
        model: text(&[
            "gen_ai.response.model",
            "gen_ai.request.model",
            "llm.model_name",
            "ai.response.model",
            "ai.model.id",
        ]),
        provider: text(&[
            "gen_ai.provider.name",
            "gen_ai.system",
            "llm.provider",
            "llm.system",
            "ai.model.provider",
        ]),
        system: placed(first(&["gen_ai.system_instructions"]))
            .into_iter()
            .collect(),
        input: placed(input).into_iter().collect(),
        tools: placed(tools(&all)).into_iter().collect(),
        output: placed(output.or(span.error.as_ref().map(|_| Value::Null))),
        stop_reason: reason.map(str::to_owned),
        error: span.error.clone(),
        usage: usage(&all),
        asked: span.start,
        answered: span.end,
        response: text(&["gen_ai.response.id", "ai.response.id"]),
    }
}

/// The messages of events: what was asked, and the first choice.
fn events(span: &Span) -> (Option<Value>, Option<Value>) {
    let (mut asked, mut answered) = (Vec::new(), None);
    for event in &span.events {
        let Some(role) = role(&event.name) else {
            continue;
        };
        let members = match event.attributes.get("gen_ai.event.content") {
            Some(Value::String(text)) => match inside(text) {
                Inside::Json(Value::Object(members), _) => members,
                _ => Map::from_iter([("content".to_owned(), Value::from(text.clone()))]),
            },
            _ => event.attributes.clone(),
        };
        if role == "choice" {
            answered.get_or_insert(Value::Object(members));
            continue;
        }
        let mut message = members;
        message.entry("role").or_insert_with(|| Value::from(role));
        if let (Some(id), "tool") = (message.remove("id"), role) {
            message.insert("tool_call_id".to_owned(), id);
        }
        asked.push(Value::Object(message));
    }
    let asked = (!asked.is_empty()).then_some(Value::Array(asked));
    (asked, answered)
}

/// Messages of numbered names.
fn messages(all: &Map<String, Value>, prefix: &str) -> Option<Value> {
    let Value::Array(items) = nested(all, prefix)? else {
        return None;
    };
    let message = |item: Value| {
        let mut message = item.get("message").cloned().unwrap_or(item);
        if let Value::Object(members) = &mut message
            && let Some(Value::Array(contents)) = members.remove("contents")
        {
            let parts = contents.iter().map(content).collect();
            members.insert("content".to_owned(), parts);
        }
        message
    };
    Some(items.into_iter().map(message).collect())
}

/// A part of OpenInference's.
fn content(part: &Value) -> Value {
    let part = part.get("message_content").unwrap_or(part);
    match part.pointer("/image/image/url") {
        Some(url) => json!({"type": "image_url", "image_url": {"url": url}}),
        None => part.clone(),
    }
}

/// What the AI SDK says that came back.
fn ai_sdk(all: &Map<String, Value>) -> Option<Value> {
    let known = [
        "ai.response.text",
        "ai.response.toolCalls",
        "ai.response.reasoning",
        "ai.response.object",
    ];
    known.iter().any(|key| all.contains_key(*key)).then(|| {
        let of = |key: &str| all.get(key).cloned();
        json!({
            "role": "assistant",
            "content": of("ai.response.text").or_else(|| of("ai.response.object")),
            "reasoning": of("ai.response.reasoning"),
            "tool_calls": of("ai.response.toolCalls"),
        })
    })
}

fn tools(all: &Map<String, Value>) -> Option<Value> {
    let listed = [
        "gen_ai.tool.definitions",
        "ai.prompt.tools",
        "gen_ai.request.tools",
    ];
    let listed = listed.iter().find_map(|key| all.get(*key)).cloned();
    listed
        .or_else(|| nested(all, "llm.request.functions"))
        .or_else(|| {
            let tools = nested(all, "llm.tools")?;
            let schemas = tools.as_array()?.iter();
            let schemas = schemas.map(|tool| tool.pointer("/tool/json_schema").unwrap_or(tool));
            Some(schemas.cloned().collect())
        })
}

/// What was counted. The conventions count the cache into the input; a cache larger than the input is not in it.
fn usage(all: &Map<String, Value>) -> Option<Usage> {
    let number = |keys: &[&str]| {
        let found = keys.iter().filter_map(|key| all.get(*key));
        found.into_iter().find_map(|value| {
            let text = value.as_str().and_then(|text| text.parse().ok());
            text.or_else(|| value.as_f64().map(|number| number as u64))
        })
    };
    let cache_read = number(&[
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",
        "llm.token_count.prompt_details.cache_read",
        "ai.usage.cachedInputTokens",
    ]);
    let cache_write = number(&[
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_creation_input_tokens",
        "llm.token_count.prompt_details.cache_write",
    ]);
    let all_of_it = number(&[
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.prompt_tokens",
        "llm.token_count.prompt",
        "llm.usage.prompt_tokens",
        "ai.usage.inputTokens",
        "ai.usage.promptTokens",
    ]);
    let cached = cache_read
        .unwrap_or(0)
        .saturating_add(cache_write.unwrap_or(0));
    let usage = Usage {
        input: all_of_it.map(|all| all.checked_sub(cached).unwrap_or(all)),
        output: number(&[
            "gen_ai.usage.output_tokens",
            "gen_ai.usage.completion_tokens",
            "llm.token_count.completion",
            "llm.usage.completion_tokens",
            "ai.usage.outputTokens",
            "ai.usage.completionTokens",
        ]),
        cache_read,
        cache_write,
        reasoning: number(&[
            "gen_ai.usage.reasoning.output_tokens",
            "gen_ai.usage.reasoning_tokens",
            "llm.token_count.completion_details.reasoning",
            "ai.usage.reasoningTokens",
        ]),
        cost_usd: None,
    };
    (usage != Usage::default()).then_some(usage)
}
