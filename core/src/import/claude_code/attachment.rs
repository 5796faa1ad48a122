//! What the client added for the model beside the conversation: the lines of `attachment`.
//!
//! Newer logs keep the words that were sent (`rendered`), the system prompt and the tools (`prompt_snapshot`).
//! Older ones keep only what the words were made of; that stands for them, without the sentences around it.

use serde_json::{Value, json};

use super::super::pen::Pen;
use super::super::record::{Record, text_of, word};
use super::super::time::millis;
use crate::role::Role;
use crate::transcript::{AgentMessage, SystemPiece};

/// Writes one; nothing is left out of the transcript, what was not sent stands aside.
pub(super) fn write(pen: &mut Pen, record: &Record, attachment: &Value) {
    let value = &record.value;
    let time = millis(value.get("timestamp"));
    let kind = word(attachment, "type").unwrap_or("attachment");
    if kind == "prompt_snapshot" {
        return snapshot(pen, record, attachment);
    }
    let rendered = value.get("rendered").and_then(Value::as_array);
    if let Some(rendered) = rendered.filter(|rendered| !rendered.is_empty()) {
        let from = pen.transcript().messages.len();
        for content in rendered.iter().filter_map(|text| text.get("content")) {
            pen.injected(content, false, kind, &record.at, time);
        }
        if let Some(role) = word(value, "renderedRole") {
            detail(pen, from, "role", role);
        }
        return;
    }
    let texts: Vec<Value> = match given(kind, attachment) {
        true => held(attachment).into_iter().map(text).collect(),
        false => Vec::new(),
    };
    if texts.is_empty() {
        return pen.aside(kind, "", Some(attachment.clone()), time);
    }
    let says =
        "what was added for the model stands here without the sentences that were put around it";
    pen.count("context_reworded", kind, says, &record.at);
    let from = pen.transcript().messages.len();
    pen.injected(&Value::Array(texts), false, kind, &record.at, time);
    let name = ["filename", "path", "planFilePath"];
    if let Some(name) = name.iter().find_map(|key| word(attachment, key)) {
        detail(pen, from, "name", name);
    }
}

/// Says something more of the messages since an index.
fn detail(pen: &mut Pen, from: usize, key: &str, word: &str) {
    for message in pen.transcript().messages.iter_mut().skip(from) {
        if let AgentMessage::Custom { details, .. } = message
            && let Some(details) = details.as_mut().and_then(Value::as_object_mut)
        {
            details.insert(key.to_owned(), json!(word));
        }
    }
}

/// The system prompt and the tools as they were sent; those of the last one stand.
fn snapshot(pen: &mut Pen, record: &Record, attachment: &Value) {
    let piece = |text: String| SystemPiece {
        role: Role::System,
        text,
    };
    let pieces = match attachment.get("systemPrompt") {
        Some(Value::Array(parts)) => parts.iter().map(|part| text_of(Some(part))).collect(),
        prompt => vec![text_of(prompt)],
    };
    let pieces: Vec<String> = pieces.into_iter().filter(|text| !text.is_empty()).collect();
    if !pieces.is_empty() {
        pen.transcript().system = pieces.into_iter().map(piece).collect();
    }
    let tools = attachment.get("tools").and_then(Value::as_array);
    if let Some(tools) = tools.filter(|tools| !tools.is_empty()) {
        let tool = |tool: &Value| match tool.get("schema") {
            Some(schema) if schema.get("input_schema").is_some() => schema.clone(),
            schema => json!({
                "name": tool.get("name"),
                "description": tool.get("description"),
                "input_schema": schema,
            }),
        };
        pen.transcript().tools.clear();
        pen.tools(&tools.iter().map(tool).collect(), &record.at);
    }
}

/// Whether the words of an attachment of this kind went to the model: those of most hooks are the person's only.
fn given(kind: &str, attachment: &Value) -> bool {
    match kind {
        "hook_additional_context" => true,
        "hook_success" => matches!(
            word(attachment, "hookEvent"),
            Some("SessionStart" | "UserPromptSubmit")
        ),
        kind => !kind.starts_with("hook_"),
    }
}

/// The words that an attachment holds, wherever its kind keeps them.
fn held(attachment: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let content = attachment.get("content");
    let file = attachment.pointer("/content/file/content");
    let inner = attachment.pointer("/content/content");
    for one in [content, file, inner].into_iter().flatten() {
        found.push(text_of(Some(one).filter(|one| !one.is_object())));
    }
    for key in ["snippet", "planContent", "text"] {
        found.extend(word(attachment, key).map(str::to_owned));
    }
    for key in ["addedLines", "addedBlocks"] {
        let lines = attachment.get(key).and_then(Value::as_array);
        let lines: Vec<&str> = lines
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        found.push(lines.join("\n"));
    }
    for key in ["skills", "files", "memories"] {
        let list = attachment.get(key).and_then(Value::as_array);
        let texts = list
            .into_iter()
            .flatten()
            .filter_map(|one| word(one, "content"));
        found.extend(texts.map(str::to_owned));
    }
    found.retain(|text| !text.trim().is_empty());
    found
}

fn text(text: String) -> Value {
    json!({"type": "text", "text": text})
}
