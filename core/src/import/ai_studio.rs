//! Prompts of AI Studio, as it keeps them in Google Drive: chunks of a person and of a model in order. The name
//! is the file's own and stands nowhere in it; branches are other files.

use serde_json::{Map, Value, json};

use crate::json::Notes;
use crate::role::Role;
use crate::transcript::{Imported, SystemPiece};
use crate::wire::gemini::API_FORMAT;

use super::Ask;
use super::pen::{Answer, Pen, Piece};
use super::record::{At, Record, facts, flag, word};
use super::time::millis;

/// Whether a file is a prompt.
pub(super) fn is(value: &Value) -> bool {
    value.get("chunkedPrompt").is_some_and(Value::is_object)
}

/// The conversation of each record.
pub(super) fn read(records: Vec<Record>, _: &Ask, _: &mut Notes) -> Vec<Imported> {
    records.iter().map(prompt).collect()
}

/// Chunks of one side that stand beside each other, which are one message.
struct Draft {
    model: bool,
    at: At,
    time: i64,
    parts: Vec<Value>,
    reason: Option<String>,
    error: Option<String>,
}

fn prompt(record: &Record) -> Imported {
    let value = &record.value;
    let mut pen = Pen::new(API_FORMAT);
    let settings = value.get("runSettings").unwrap_or(&Value::Null);
    let model = word(settings, "model").map(|name| name.strip_prefix("models/").unwrap_or(name));
    pen.transcript().model = model.map(str::to_owned);
    system(&mut pen, value.get("systemInstruction"));
    let chunks = value
        .pointer("/chunkedPrompt/chunks")
        .and_then(Value::as_array);
    let mut counts = Vec::new();
    let mut draft: Option<Draft> = None;
    for (index, chunk) in chunks.into_iter().flatten().enumerate() {
        let at = record.at.inside(&format!("/chunkedPrompt/chunks/{index}"));
        counts.push(chunk.get("tokenCount").cloned().unwrap_or_default());
        if !chunk.is_object() {
            let says = "chunks that are no objects are not read";
            pen.count("not_a_message", "", says, &at);
            continue;
        }
        let by_model = word(chunk, "role") == Some("model");
        if draft.as_ref().is_none_or(|draft| draft.model != by_model) {
            close(&mut pen, draft.take(), model);
        }
        let draft = draft.get_or_insert_with(|| Draft {
            model: by_model,
            at: at.clone(),
            time: millis(chunk.get("createTime")),
            parts: Vec::new(),
            reason: None,
            error: None,
        });
        draft.parts.extend(parts(chunk));
        let own = |key: &str| word(chunk, key).map(str::to_owned);
        draft.reason = own("finishReason").or(draft.reason.take());
        draft.error = own("errorMessage").or(draft.error.take());
        for key in ["grounding", "safetyRatings", "isEdited", "branchChildren"] {
            if chunk.get(key).is_some_and(|member| !member.is_null()) {
                let says = "what chunks hold beside their words is not kept";
                pen.count("members_not_kept", key, says, &at);
            }
        }
    }
    close(&mut pen, draft, model);
    around(&mut pen, record, counts);
    pen.finish()
}

fn system(pen: &mut Pen, instruction: Option<&Value>) {
    let Some(instruction) = instruction else {
        return;
    };
    let parts = instruction.get("parts").and_then(Value::as_array);
    let parts = parts.into_iter().flatten().chain([instruction]);
    let texts = parts
        .filter_map(|part| word(part, "text"))
        .filter(|text| !text.is_empty());
    let pieces = texts.map(|text| SystemPiece {
        role: Role::System,
        text: text.to_owned(),
    });
    pen.transcript().system.extend(pieces);
}

/// A chunk as parts. `parts` repeats `text` in the pieces in which it was streamed, and is read where it holds
/// more than that.
fn parts(chunk: &Value) -> Vec<Value> {
    let thought = flag(chunk, "isThought");
    let said = |text: &str| json!({"text": text, "thought": thought});
    let pieces = chunk.get("parts").and_then(Value::as_array);
    let pieces = pieces.map(Vec::as_slice).unwrap_or_default();
    let text = word(chunk, "text").filter(|text| !text.is_empty());
    let only_words = |piece: &Value| {
        let members = piece.as_object().into_iter().flatten();
        piece.get("text").is_some()
            && members
                .into_iter()
                .all(|(key, _)| matches!(key.as_str(), "text" | "thought"))
    };
    if !pieces.iter().all(only_words) {
        return pieces.to_vec();
    }
    let streamed: String = pieces
        .iter()
        .filter_map(|piece| word(piece, "text"))
        .collect();
    if let Some(text) = text.or(Some(streamed.as_str()).filter(|text| !text.is_empty())) {
        // Code that was run is in the words as well.
        let code = |part: &Value| {
            part.get("executableCode").is_some() || part.get("codeExecutionResult").is_some()
        };
        let attached = attached(chunk).filter(|part| !code(part));
        return [said(text)].into_iter().chain(attached).collect();
    }
    attached(chunk).into_iter().collect()
}

/// What is attached beside words or instead of them, or done.
fn attached(chunk: &Value) -> Option<Value> {
    let members = chunk.as_object()?;
    members.iter().find_map(|(key, value)| match key.as_str() {
        _ if key.starts_with("inline") => Some(json!({ "inlineData": value })),
        "executableCode" | "codeExecutionResult" => Some(json!({ key: value })),
        "driveImage" => Some(json!({"type": "input_image", "file_id": word(value, "id")?})),
        "driveVideo" => {
            Some(json!({"type": "video_url", "video_url": {"url": word(value, "id")?}}))
        }
        "driveAudio" => Some(json!({"type": "audio", "audio": {"id": word(value, "id")?}})),
        _ if key.starts_with("drive") => {
            Some(json!({"type": "file", "file": {"file_id": word(value, "id")?}}))
        }
        "youtubeVideo" => {
            let url = format!("https://www.youtube.com/watch?v={}", word(value, "id")?);
            Some(json!({"type": "video_url", "video_url": {"url": url}}))
        }
        _ => None,
    })
}

fn close(pen: &mut Pen, draft: Option<Draft>, model: Option<&str>) {
    let Some(draft) = draft else { return };
    if !draft.model && draft.parts.is_empty() {
        return;
    }
    if !draft.model {
        return pen.user(&Value::Array(draft.parts), &draft.at, draft.time);
    }
    let answer = Answer {
        stop_reason: draft.reason.as_deref(),
        error: draft.error.as_deref(),
        model,
        timestamp: draft.time,
        ..Answer::default()
    };
    let pieces = draft.parts.into_iter().map(Piece::Part).collect();
    pen.answer(pieces, answer, &draft.at);
}

/// What stands around the chunks: the settings, what each chunk counts, a draft that was not sent.
fn around(pen: &mut Pen, record: &Record, counts: Vec<Value>) {
    let value = &record.value;
    let pending = value
        .pointer("/chunkedPrompt/pendingInputs")
        .and_then(Value::as_array);
    let drafts = pending.into_iter().flatten();
    let drafts = drafts.filter(|draft| word(draft, "text").is_some_and(|text| !text.is_empty()));
    for _ in drafts {
        let at = record.at.inside("/chunkedPrompt/pendingInputs");
        pen.count(
            "draft_not_kept",
            "",
            "drafts that were not sent are not kept",
            &at,
        );
    }
    let chunks = value
        .pointer("/chunkedPrompt/chunks")
        .and_then(Value::as_array);
    let chunks = chunks.into_iter().flatten().enumerate();
    let mut branched = chunks.filter(|(_, chunk)| chunk.get("branchParent").is_some());
    if let Some((index, _)) = branched.next() {
        let at = record.at.inside(&format!("/chunkedPrompt/chunks/{index}"));
        let says = "the prompt was branched off another one, which is a file of its own";
        pen.count("branches_in_other_files", "", says, &at);
    }
    let mut known: Map<String, Value> = facts(value, &["runSettings", "citations", "applets"]);
    if counts.iter().any(|count| !count.is_null()) {
        known.insert("token_counts".to_owned(), Value::from(counts));
    }
    pen.facts(known, 0);
}
