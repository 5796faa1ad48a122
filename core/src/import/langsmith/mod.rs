//! Runs of LangSmith: a list of them, lines, or a page of its API, nested or flat.
//!
//! A run of the kind `llm` is one request and its answer. Of each trace the last one, by `dotted_order`, has the
//! longest request and comes first, and the others follow it backwards. A trace without any is read at its root.

mod io;

use indexmap::IndexMap;
use serde_json::Value;

use super::Ask;
use super::pen::Pen;
use super::record::{At, Record, facts, word};
use super::time::millis;
use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::Imported;
use io::{answered, asked, is_whole, settle};

/// A run and where it stands.
struct Run<'a> {
    value: &'a Value,
    at: At,
    /// The trace it is of.
    trace: &'a str,
}

/// Whether a value is runs.
pub(super) fn is(value: &Value) -> bool {
    let some = |list: &Value| {
        list.as_array()
            .is_some_and(|items| items.iter().any(is_run))
    };
    let held = ["runs", "data"]
        .into_iter()
        .filter_map(|key| value.get(key));
    is_run(value) || some(value) || held.into_iter().any(some)
}

fn is_run(value: &Value) -> bool {
    let told = ["inputs", "trace_id", "dotted_order"];
    word(value, "run_type").is_some() && told.iter().any(|key| value.get(key).is_some())
}

/// The conversations of all runs.
pub(super) fn read(records: Vec<Record>, _: &Ask, notes: &mut Notes) -> Vec<Imported> {
    let mut runs = Vec::new();
    for record in &records {
        gather(&record.value, &record.at, "", &mut runs, notes);
    }
    let mut traces: IndexMap<&str, Vec<&Run<'_>>> = IndexMap::new();
    for run in &runs {
        traces.entry(run.trace).or_default().push(run);
    }
    let mut found = Vec::new();
    let mut others: Vec<&Run<'_>> = Vec::new();
    for of_trace in traces.into_values() {
        let is_call = |run: &&Run<'_>| word(run.value, "run_type") == Some("llm");
        let (mut calls, mut rest): (Vec<&Run<'_>>, Vec<&Run<'_>>) =
            of_trace.into_iter().partition(is_call);
        calls.sort_by(|one, other| order(other).cmp(order(one)));
        if calls.is_empty() {
            let is_root =
                |run: &&Run<'_>| run.value.get("parent_run_id").is_none_or(Value::is_null);
            let root = rest.iter().position(is_root).unwrap_or(0);
            calls.push(rest.remove(root));
        }
        others.append(&mut rest);
        found.extend(calls.into_iter().filter_map(|run| conversation(run, notes)));
    }
    if let Some(first) = others.first() {
        let mut kinds: IndexMap<&str, usize> = IndexMap::new();
        for kind in others.iter().filter_map(|run| word(run.value, "run_type")) {
            *kinds.entry(kind).or_default() += 1;
        }
        let kinds = kinds.iter().map(|(kind, times)| format!("{times} {kind}"));
        let kinds: Vec<String> = kinds.collect();
        let message = format!(
            "runs that are no calls of a model are not read by themselves: {}",
            kinds.join(", ")
        );
        notes.push(first.at.of(Warning::new("runs_not_read", message)));
    }
    found
}

/// Gathers the runs of a value, the nested ones too.
fn gather<'a>(
    value: &'a Value,
    at: &At,
    trace: &'a str,
    runs: &mut Vec<Run<'a>>,
    notes: &mut Notes,
) {
    let list = |key: &str| value.get(key).and_then(Value::as_array);
    let mut each = |items: &'a [Value], key: &str, trace: &'a str| {
        for (index, item) in items.iter().enumerate() {
            gather(
                item,
                &at.inside(&format!("{key}/{index}")),
                trace,
                runs,
                notes,
            );
        }
    };
    if let Some(items) = value.as_array() {
        return each(items, "", trace);
    }
    if !is_run(value) {
        match list("runs")
            .map(|items| ("/runs", items))
            .or_else(|| Some(("/data", list("data")?)))
        {
            Some((key, items)) => each(items, key, trace),
            None => notes.push(at.of(Warning::new("not_a_run", "no run is here; it is skipped"))),
        }
        if value.pointer("/cursors/next").is_some_and(Value::is_string) {
            let message = "the file is one page of several; the others are not in it";
            notes.push(at.of(Warning::new("page_of_several", message)));
        }
        return;
    }
    let own = word(value, "trace_id").or(Some(trace).filter(|trace| !trace.is_empty()));
    let trace = own.or_else(|| word(value, "id")).unwrap_or_default();
    let children = list("child_runs").map(Vec::as_slice).unwrap_or_default();
    each(children, "/child_runs", trace);
    let at = at.clone();
    runs.push(Run { value, at, trace });
}

/// Where a run stands among those of its trace.
fn order<'a>(run: &Run<'a>) -> &'a str {
    let order = word(run.value, "dotted_order").or_else(|| word(run.value, "start_time"));
    order.unwrap_or_default()
}

/// What was sent and what came back.
fn conversation(run: &Run<'_>, notes: &mut Notes) -> Option<Imported> {
    let Run { value, at, .. } = run;
    let null = Value::Null;
    let member = |key: &str| value.get(key).unwrap_or(&null);
    let (inputs, outputs) = (member("inputs"), member("outputs"));
    for (key, held) in [("inputs", inputs), ("outputs", outputs)] {
        let urls = member(&format!("{key}_s3_urls"));
        let elsewhere = urls.as_object().is_some_and(|urls| !urls.is_empty());
        if held.is_null() && elsewhere {
            let message = format!(
                "the {key} of the run were moved to another store; they are not in the file"
            );
            notes.push(
                at.inside(&format!("/{key}"))
                    .of(Warning::new("content_not_in_file", message)),
            );
        }
    }
    let error = word(value, "error");
    if inputs.is_null() && outputs.is_null() && error.is_none() {
        let message = "the run holds nothing that went in or came back; it is skipped";
        notes.push(at.of(Warning::new("run_empty", message)));
        return None;
    }
    let mut pen = Pen::new("");
    pen.transcript().api_format = wire_of(value).map(str::to_owned);
    pen.transcript().title = word(value, "name").map(str::to_owned);
    pen.transcript().model = model(value).map(str::to_owned);
    let at_inputs = at.inside("/inputs");
    if !is_whole(inputs, outputs) {
        asked(&mut pen, inputs, &at_inputs);
    }
    let tools = [
        "/extra/invocation_params/tools",
        "/extra/invocation_params/functions",
        "/inputs/tools",
    ];
    if let Some((path, list)) = tools
        .iter()
        .find_map(|path| Some((path, value.pointer(path).filter(|list| list.is_array())?)))
    {
        pen.tools(list, &at.inside(path));
    }
    let from = pen.transcript().messages.len();
    if !outputs.is_null() || error.is_some() {
        // What answered before does not say what answers now.
        pen.transcript().model = model(value).map(str::to_owned);
        answered(&mut pen, outputs, &at.inside("/outputs"));
        settle(&mut pen, from, value, at);
    }
    let keys = [
        "id",
        "trace_id",
        "parent_run_id",
        "dotted_order",
        "session_id",
        "run_type",
        "status",
        "start_time",
        "end_time",
        "tags",
        "feedback_stats",
    ];
    let mut told = facts(value, &keys);
    let metadata = value
        .pointer("/extra/metadata")
        .filter(|metadata| metadata.is_object());
    told.extend(metadata.map(|metadata| ("metadata".to_owned(), metadata.clone())));
    pen.facts(told, millis(value.get("end_time")));
    // What a wrapped client was called with is the body that it sent.
    let body = word(inputs, "model").is_some()
        && (inputs.get("messages").is_some() || inputs.get("input").is_some());
    pen.transcript().request = body.then(|| inputs.clone());
    Some(pen.finish())
}

/// The model that was called.
fn model(run: &Value) -> Option<&str> {
    let holders = [
        "/extra/invocation_params/model",
        "/extra/invocation_params/model_name",
        "/extra/metadata/ls_model_name",
        "/inputs/model",
    ];
    holders.iter().find_map(|path| run.pointer(path)?.as_str())
}

/// The wire that the call went over.
fn wire_of(run: &Value) -> Option<&'static str> {
    let holders = [
        "/extra/invocation_params/_type",
        "/extra/metadata/ls_provider",
    ];
    let named = holders
        .iter()
        .find_map(|path| run.pointer(path)?.as_str())?;
    [
        ("anthropic", "anthropic_messages"),
        ("openai-chat", "openai_chat"),
        ("google", "gemini"),
        ("vertex", "gemini"),
    ]
    .into_iter()
    .find_map(|(word, wire)| named.contains(word).then_some(wire))
}

#[cfg(test)]
mod tests;
