//! Langfuse: a trace with its observations, a session's list of traces, pages of the API, rows of a table.
//!
//! The calls of a model are the observations of type `GENERATION`; a trace without any is read by what it says
//! itself was put in and came out.

use serde_json::{Value, json};

use super::cut::{Inside, inside};
use super::{Call, in_order};
use crate::import::Ask;
use crate::import::record::{At, Record, word};
use crate::import::time::millis;
use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::{Imported, Usage};

/// Whether a file, or an item or line of one, is of this kind.
pub(in crate::import) fn is(value: &Value) -> bool {
    let items = value.as_array().or_else(|| value.get("data")?.as_array());
    let items = items.map_or(std::slice::from_ref(value), Vec::as_slice);
    let list = |value: &Value, key: &str| value.get(key).is_some_and(Value::is_array);
    items.iter().take(50).any(|item| {
        let known = word(item, "type").is_some_and(|kind| OBSERVED.contains(&kind));
        list(item, "observations")
            || known && text(item, ["traceId", "trace_id"]).is_some()
            || list(item, "scores") && item.get("sessionId").is_some()
            || item.get("htmlPath").is_some() && item.get("input").is_some()
    })
}

/// Whether an item or a line is a trace by itself.
pub(in crate::import) fn each(value: &Value) -> bool {
    value.get("observations").is_some_and(Value::is_array)
}

/// The kinds of observations.
const OBSERVED: [&str; 10] = [
    "GENERATION",
    "SPAN",
    "EVENT",
    "AGENT",
    "TOOL",
    "CHAIN",
    "RETRIEVER",
    "EVALUATOR",
    "EMBEDDING",
    "GUARDRAIL",
];

/// The calls of each trace.
pub(in crate::import) fn read(records: Vec<Record>, _: &Ask, notes: &mut Notes) -> Vec<Imported> {
    let mut traces: Vec<Trace> = Vec::new();
    for record in records {
        let record = match record.value.get("data").is_some_and(Value::is_array) {
            true => record.members("data"),
            false => record.items(),
        };
        for record in record {
            match record.value.is_object() {
                true => add(&mut traces, record),
                false => {
                    let message = "an observation is an object; this is not read";
                    notes.push(record.at.of(Warning::new("not_an_observation", message)));
                }
            }
        }
    }
    let mut found = Vec::new();
    for trace in traces {
        let (calls, others) = (trace.calls(), trace.others());
        if !others.is_empty() {
            let message =
                format!("observations that are no call of a model are not shown: {others}");
            notes.push(trace.at.of(Warning::new("observations_not_shown", message)));
        }
        found.extend(in_order(calls, notes, &trace.at));
    }
    found
}

/// A trace, as far as the file has it.
#[derive(Default)]
struct Trace {
    id: Option<String>,
    /// What the trace says itself.
    own: Option<Record>,
    observations: Vec<Record>,
    at: At,
}

fn add(traces: &mut Vec<Trace>, record: Record) {
    if each(&record.value) {
        let (at, observations) = (record.at.clone(), record.members("observations"));
        let own = match record.value.get("trace") {
            Some(trace) => Record {
                value: trace.clone(),
                at: at.inside("/trace"),
            },
            None => record,
        };
        traces.push(Trace {
            id: None,
            own: Some(own),
            observations,
            at,
        });
        return;
    }
    let id = text(&record.value, ["traceId", "trace_id"]).map(str::to_owned);
    if id.is_none() {
        let at = record.at.clone();
        traces.push(Trace {
            own: Some(record),
            at,
            ..Trace::default()
        });
        return;
    }
    match traces.iter_mut().find(|trace| trace.id == id) {
        Some(trace) => trace.observations.push(record),
        None => traces.push(Trace {
            id,
            at: record.at.clone(),
            observations: vec![record],
            own: None,
        }),
    }
}

impl Trace {
    fn calls(&self) -> Vec<Call> {
        let name = self.own.as_ref().and_then(|own| word(&own.value, "name"));
        let generations = self
            .observations
            .iter()
            .filter(|one| is_generation(&one.value));
        let calls: Vec<Call> = generations.map(|one| call(one, name)).collect();
        match &self.own {
            Some(own) if calls.is_empty() => vec![call(own, None)],
            _ => calls,
        }
    }

    /// What else was observed, with how often.
    fn others(&self) -> String {
        let mut kinds: Vec<(&str, usize)> = Vec::new();
        for one in self
            .observations
            .iter()
            .filter(|one| !is_generation(&one.value))
        {
            let kind = word(&one.value, "type").unwrap_or("without a type");
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, times)) => *times += 1,
                None => kinds.push((kind, 1)),
            }
        }
        let kinds = kinds.iter().map(|(kind, times)| format!("{times} {kind}"));
        kinds.collect::<Vec<_>>().join(", ")
    }
}

fn is_generation(observation: &Value) -> bool {
    word(observation, "type") == Some("GENERATION")
}

fn call(Record { value, at }: &Record, trace: Option<&str>) -> Call {
    let side = |key: &str, role: &str| {
        let said = value.get(key).filter(|said| !said.is_null())?;
        let said = match said {
            Value::String(text) if text.contains(MEDIA) => match (inside(text), split(text)) {
                (Inside::Json(value, _), _) => with_media(&value),
                (Inside::Words, Some(parts)) => json!({"role": role, "content": parts}),
                (Inside::Words, None) => said.clone(),
            },
            said => with_media(said),
        };
        Some((said, at.inside(&format!("/{key}"))))
    };
    let own = word(value, "name");
    let title = match (trace, own) {
        (Some(trace), Some(own)) if trace != own => Some(format!("{trace}: {own}")),
        (trace, own) => own.or(trace).map(str::to_owned),
    };
    let failed = word(value, "level") == Some("ERROR");
    let error = text(value, ["statusMessage", "status_message"]).filter(|_| failed);
    Call {
        title,
        model: text(value, ["model", "providedModelName"])
            .or_else(|| text(value, ["provided_model_name", "internalModel"]))
            .map(str::to_owned),
        input: side("input", "user").into_iter().collect(),
        output: side("output", "assistant")
            .or_else(|| error.map(|_| (Value::Null, at.inside("/output")))),
        error: error.map(str::to_owned),
        usage: usage(value),
        asked: millis(
            either(value, ["startTime", "start_time"])
                .or_else(|| either(value, ["timestamp", "createdAt"])),
        ),
        answered: millis(either(value, ["endTime", "end_time"])),
        ..Call::default()
    }
}

/// What was counted, in the words of either generation: details leave the cache out of the input.
fn usage(observation: &Value) -> Option<Usage> {
    let details = either(observation, ["usageDetails", "usage_details"]);
    let old = observation.get("usage");
    let detail = |keys: &[&str]| {
        let found = keys.iter().find_map(|key| details?.get(*key));
        found.and_then(Value::as_u64)
    };
    let old = |keys: &[&str]| {
        let found = keys.iter().find_map(|key| old?.get(*key));
        found.and_then(Value::as_u64)
    };
    let cost = either(observation, ["costDetails", "cost_details"]);
    let cost = cost
        .and_then(|cost| cost.get("total"))
        .or_else(|| observation.get("calculatedTotalCost"));
    let usage = Usage {
        input: detail(&["input", "input_tokens"]).or_else(|| old(&["input", "promptTokens"])),
        output: detail(&["output", "output_tokens"])
            .or_else(|| old(&["output", "completionTokens"])),
        cache_read: detail(&[
            "cache_read_input_tokens",
            "input_cached_tokens",
            "input_cache_read",
        ]),
        cache_write: detail(&["cache_creation_input_tokens", "input_cache_creation"]),
        reasoning: detail(&[
            "output_reasoning_tokens",
            "output_reasoning",
            "reasoning_tokens",
        ]),
        cost_usd: cost.and_then(Value::as_f64),
    };
    (usage != Usage::default()).then_some(usage)
}

fn either<'a>(value: &'a Value, keys: [&str; 2]) -> Option<&'a Value> {
    let members = keys.into_iter().filter_map(|key| value.get(key));
    members.into_iter().find(|member| !member.is_null())
}

fn text<'a>(value: &'a Value, keys: [&str; 2]) -> Option<&'a str> {
    either(value, keys)?.as_str()
}

const MEDIA: &str = "@@@langfuseMedia:";

/// A value whose media, which are kept apart, are parts that name them.
fn with_media(value: &Value) -> Value {
    if !value.to_string().contains(MEDIA) {
        return value.clone();
    }
    match value {
        Value::String(text) => split(text).map_or_else(|| value.clone(), Value::Array),
        Value::Array(items) => items
            .iter()
            .flat_map(|item| match item {
                Value::String(text) => split(text).unwrap_or_else(|| vec![item.clone()]),
                item => match part(item) {
                    Some(parts) => parts,
                    None => vec![with_media(item)],
                },
            })
            .collect(),
        Value::Object(members) => {
            let members = members.iter();
            members
                .map(|(key, member)| (key.clone(), with_media(member)))
                .collect()
        }
        other => other.clone(),
    }
}

/// The parts in the place of one that holds a token and is no message.
fn part(part: &Value) -> Option<Vec<Value>> {
    if part.get("role").is_some() {
        return None;
    }
    if let Some(text) = word(part, "text") {
        return split(text);
    }
    let text = part.to_string();
    let from = text.find(MEDIA)?;
    let token = text.get(from..)?;
    let end = token.get(3..)?.find("@@@")? + 6;
    Some(vec![media(token.get(..end)?)])
}

/// A text as what stands between its media, and those.
fn split(text: &str) -> Option<Vec<Value>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(MEDIA) {
        let (inside, behind) = after.split_once("@@@")?;
        if !before.is_empty() {
            parts.push(json!({"type": "text", "text": before}));
        }
        parts.push(media(&format!("{MEDIA}{inside}@@@")));
        rest = behind;
    }
    if !rest.is_empty() {
        parts.push(json!({"type": "text", "text": rest}));
    }
    Some(parts)
}

fn media(token: &str) -> Value {
    let inside = token.trim_start_matches(MEDIA);
    let facts = inside
        .split('|')
        .find_map(|fact| fact.strip_prefix("type="));
    json!({"fileData": {"mimeType": facts, "fileUri": token}})
}
