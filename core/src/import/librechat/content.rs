//! The parts of a LibreChat message's content.
//!
//! An answer may hold more than what the model said: words of the person's that reached it on its way (`steer`),
//! which are sent as a message of theirs, and a `summary`, which stands for all before it from then on.

use serde_json::{Value, json};

use crate::import::pen::{Answer, Pen};
use crate::import::record::{At, facts, flag, id, rest, text_of, word};
use crate::import::rounds::{Back, Call, Step, said};
use crate::import::time::millis;

/// Writes an answer's parts, and what stands beside them.
pub(super) fn answered(
    pen: &mut Pen,
    parts: &[Value],
    beside: Vec<Step>,
    answer: Answer<'_>,
    at: &At,
) {
    let mut steps = Vec::new();
    let mut parted = false;
    for part in parts {
        let kind = word(part, "type").unwrap_or_default();
        match kind {
            "steer" | "summary" => {
                if !steps.is_empty() {
                    let so_far = Answer {
                        model: answer.model,
                        provider: answer.provider,
                        timestamp: answer.timestamp,
                        ..Answer::default()
                    };
                    pen.rounds(std::mem::take(&mut steps), so_far, at);
                }
                parted = true;
                match kind {
                    "steer" => steered(pen, part, at),
                    _ => summed(pen, part, answer.timestamp),
                }
            }
            "agent_update" | "activity_label" => {
                let says = "parts of answers that only the page shows are not kept";
                pen.count("parts_not_kept", kind, says, at);
            }
            _ => steps.extend(step(part)),
        }
    }
    steps.extend(beside);
    if !steps.is_empty() || !parted || answer.error.is_some() {
        pen.rounds(steps, answer, at);
    }
}

fn steered(pen: &mut Pen, part: &Value, at: &At) {
    let words = Step::words(word(part, "steer").unwrap_or_default());
    let files = part.get("files").and_then(Value::as_array);
    let files = files
        .into_iter()
        .flatten()
        .map(|found| Step::Said(file(found)));
    let steps = [words].into_iter().chain(files).collect();
    pen.user(&said(steps), at, millis(part.get("createdAt")));
}

/// A summary that was not finished, or that the provider keeps, stands aside.
fn summed(pen: &mut Pen, part: &Value, time: i64) {
    let text = match text_of(part.get("content")) {
        text if text.is_empty() => text_of(part.get("text")),
        text => text,
    };
    let whole = !text.is_empty() && !flag(part, "failed") && !flag(part, "summarizing");
    match whole {
        true => {
            let keys = ["model", "provider", "tokenCount", "initiatedBy"];
            pen.compaction(&text, facts(part, &keys), time);
        }
        false => pen.aside(
            "summary",
            &text,
            rest(part, &["type", "content", "text"]),
            time,
        ),
    }
}

/// A part of a content; none of an error, or where nothing was written yet.
pub(super) fn step(part: &Value) -> Option<Step> {
    let step = match word(part, "type") {
        Some("think") => {
            let thought = part.get("think");
            let text = thought.and_then(|think| think.as_str().or_else(|| word(think, "value")));
            Step::thought(text.unwrap_or_default())
        }
        Some("tool_call") => called(part.get("tool_call").unwrap_or(part)),
        Some("image_file") => {
            let image = part.get("image_file").unwrap_or(part);
            let path = word(image, "filepath").or_else(|| word(image, "file_id"));
            Step::Said(json!({"type": "image_url", "image_url": {"url": path}}))
        }
        Some("error") => return None,
        _ if part.is_null() => return None,
        _ => Step::Said(part.clone()),
    };
    Some(step)
}

fn called(call: &Value) -> Step {
    let holders = ["function", "code_interpreter"];
    let function = holders.iter().find_map(|key| call.get(key)).unwrap_or(call);
    let own = |key: &str| {
        function
            .get(key)
            .or_else(|| call.get(key))
            .filter(|found| !found.is_null())
    };
    let name = own("name")
        .and_then(Value::as_str)
        .or_else(|| word(call, "type"));
    let name = name.unwrap_or_default().to_owned();
    // Code stands as a text by itself, not as the arguments that a model writes.
    let input = || match own("input")? {
        Value::String(code) => Some(json!({"input": code})),
        input => Some(input.clone()),
    };
    let arguments = own("args").or_else(|| own("arguments")).cloned();
    let made = Call {
        id: id(call, "id").unwrap_or_default(),
        function: name.clone(),
        arguments: arguments.or_else(input).unwrap_or_default(),
    };
    let outputs = || {
        own("outputs")?
            .as_array()
            .map(|list| list.iter().map(output).collect())
    };
    let back = own("output").cloned().or_else(outputs).map(|content| Back {
        call: made.id.clone(),
        function: name,
        content,
        failed: word(call, "runStepStatus") == Some("failed"),
        ..Back::default()
    });
    Step::Called(made, back)
}

/// What code put out: the text of its log, or a picture.
fn output(output: &Value) -> Value {
    match (word(output, "logs"), output.pointer("/image/file_id")) {
        (Some(logs), _) => json!({"type": "text", "text": logs}),
        (None, Some(file)) => json!({"type": "input_image", "file_id": file}),
        (None, None) => output.clone(),
    }
}

/// Whether an attachment is a file: others are pages that were found, memories, or what the page draws.
pub(super) fn is_file(attachment: &Value) -> bool {
    let named = ["file_id", "filepath", "filename"];
    named.iter().any(|key| attachment.get(key).is_some())
}

/// A file of a message as a part: a picture, or its name.
pub(super) fn file(file: &Value) -> Value {
    let path = word(file, "filepath").or_else(|| word(file, "file_id"));
    let picture = word(file, "type").is_some_and(|mime| mime.starts_with("image/"));
    match (picture, path) {
        (true, Some(path)) => json!({"type": "image_url", "image_url": {"url": path}}),
        _ => json!({"type": "file", "file": {"filename": word(file, "filename"), "file_id": path}}),
    }
}
