//! One turn as messages.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::pen::{Answer, Pen, Piece};
use super::super::record::{At, facts, rest, word};
use super::super::time::millis;
use super::{Turn, attach};
use crate::role::Role;
use crate::transcript::{AgentMessage, ContentBlock, Usage};

const KINDS: [&str; 3] = ["direct_reply", "message", "compaction_summary"];

/// A page of turns, a conversation read, a deck of candidates, or one turn.
pub(super) fn is(value: &Value) -> bool {
    let turn = |turn: &Value| {
        word(turn, "kind").is_some_and(|kind| KINDS.contains(&kind))
            && turn.get("position").is_some()
    };
    let turns = value.get("turns").and_then(Value::as_array);
    let variants = value.get("variants").and_then(Value::as_array);
    let deck =
        |variant: &Value| word(variant, "public_id").is_some() && variant.get("active").is_some();
    turn(value)
        || value.get("turn").is_some_and(turn)
        || turns.is_some_and(|turns| value.get("pagination").is_some() || turns.iter().any(turn))
        || variants.is_some_and(|variants| variants.iter().any(deck))
        || value.pointer("/conversation/public_id").is_some()
}

/// Whether the person speaks in a turn.
pub(super) fn is_of_person(turn: &Value) -> bool {
    match word(turn, "kind") {
        Some("message") => word(turn, "role") == Some("user"),
        kind => kind == Some("direct_reply"),
    }
}

/// Writes a turn with one of its candidates.
pub(super) fn write(pen: &mut Pen, turn: &Value, variant: &Value, at: &At) {
    let either = |key: &str| word(variant, key).or(word(turn, key));
    let time = millis(turn.get("created_at"));
    let prompt = either("prompt_text").or(either("prompt"));
    let mut content = either("content").unwrap_or_default();
    if let Some(preview) = word(variant, "content_preview")
        && content.is_empty()
        && !preview.is_empty()
    {
        content = preview;
        let says = "only the beginning of an answer is in the file";
        pen.count("preview_only", "", says, at);
    }
    if either("details_pruned_at").is_some() {
        let says =
            "the kernel has let go of what runs called and got back; their last words are left";
        pen.count("details_pruned", "", says, at);
    }
    let visibility = word(turn, "visibility").unwrap_or("visible");
    let kind = word(turn, "kind").unwrap_or("direct_reply");
    if visibility != "visible" {
        let prompt = prompt.map(|words| ("user", words));
        let role = word(turn, "role").unwrap_or("assistant");
        let said = [
            prompt,
            Some((role, content)).filter(|(_, words)| !words.is_empty()),
        ];
        for (role, words) in said.into_iter().flatten() {
            unsent(pen, kind, visibility, role, words, time);
        }
        return attach(pen, variant.get("attachments"), at);
    }
    match kind {
        "message" => {
            message(pen, turn, content, at, time);
            attach(pen, variant.get("attachments"), at);
        }
        "compaction_summary" => {
            let status = either("status").unwrap_or("completed");
            // What was counted when it was written is the summariser's own context, not this one's.
            if status == "completed" && !content.trim().is_empty() {
                pen.compaction(content, facts(turn, &["public_id", "position"]), time);
            } else {
                let details = json!({"status": status});
                pen.aside("compaction_not_used", content, Some(details), time);
            }
        }
        "direct_reply" => {
            if let Some(prompt) = prompt {
                pen.user(&json!(prompt), at, time);
                attach(pen, variant.get("attachments"), at);
            }
            let steers = turn.get("steers").and_then(Value::as_array);
            for steer in steers.into_iter().flatten() {
                pen.user(steer, at, time);
            }
            rounds(pen, variant, at);
            answer(pen, turn, variant, content, at);
        }
        other => {
            let says = "turns of kinds that are not known here are kept aside";
            pen.count("turn_kind_unknown", other, says, at);
            pen.aside(
                other,
                content,
                rest(turn, &["active_variant", "kind"]),
                time,
            );
        }
    }
}

fn message(pen: &mut Pen, turn: &Value, content: &str, at: &At, time: i64) {
    let role = word(turn, "role").unwrap_or("user");
    match Role::parse(role) {
        Some(Role::User) => pen.user(&json!(content), at, time),
        Some(Role::Assistant) => {
            let said = vec![Piece::Part(json!({"type": "text", "text": content}))];
            let known = Answer {
                timestamp: time,
                ..Answer::default()
            };
            pen.answer(said, known, at);
        }
        // A turn of the history, wherever it stands: the agent's instructions are not in a page.
        Some(Role::System | Role::Developer) => {
            pen.transcript().messages.push(AgentMessage::Custom {
                custom_type: "system_injection".to_owned(),
                content: vec![ContentBlock::text(content)],
                display: None,
                details: Some(json!({"role": role})),
                timestamp: time,
            });
        }
        None => {
            let says = "messages of roles that are not known here are kept aside";
            pen.count("role_unknown", role, says, at);
            pen.aside(role, content, None, time);
        }
    }
}

fn answer(pen: &mut Pen, turn: &Value, variant: &Value, content: &str, at: &At) {
    let status = word(variant, "status")
        .or(word(turn, "status"))
        .unwrap_or("completed");
    let (stop_reason, error) = match status {
        "completed" => (None, None),
        "timed_out" => (Some("error"), Some("timed_out")),
        "failed" | "canceled" => (Some(status), None),
        _ => {
            let says = "turns that were not over when the page was read hold what was there";
            pen.count("turn_not_over", status, says, at);
            if content.is_empty() {
                return;
            }
            (None, None)
        }
    };
    let text = Some(content).filter(|content| !content.is_empty());
    let said = text.map(|text| Piece::Part(json!({"type": "text", "text": text})));
    let model = variant.get("model").unwrap_or(&Value::Null);
    let rounds = variant.get("rounds").and_then(Value::as_array);
    let usage = rounds
        .into_iter()
        .flatten()
        .rev()
        .find_map(|round| round.get("usage"));
    let number = |key: &str| usage?.get(key)?.as_u64();
    let usage = Usage {
        input: number("input_tokens"),
        output: number("output_tokens"),
        ..Usage::default()
    };
    let known = Answer {
        stop_reason,
        error,
        model: word(model, "model_ref"),
        provider: word(model, "provider_id"),
        usage: Some(usage).filter(|usage| *usage != Usage::default()),
        timestamp: millis(turn.get("created_at")),
    };
    pen.answer(said.into_iter().collect(), known, at);
}

/// Rounds, of which a page has the beginnings of their words and what was counted.
fn rounds(pen: &mut Pen, variant: &Value, at: &At) {
    let rounds = variant.get("rounds").and_then(Value::as_array);
    for round in rounds.into_iter().flatten() {
        let says = "rounds are previews in a page: what they called and got back is not in it";
        pen.count("rounds_are_previews", "", says, at);
        let (text, details) = (word(round, "text_preview"), rest(round, &["text_preview"]));
        pen.aside(
            "round",
            text.unwrap_or_default(),
            details,
            millis(round.get("started_at")),
        );
    }
}

/// Words that left the context.
fn unsent(pen: &mut Pen, kind: &str, visibility: &str, role: &str, words: &str, time: i64) {
    pen.transcript().messages.push(AgentMessage::Custom {
        custom_type: kind.to_owned(),
        content: vec![ContentBlock::text(words)],
        display: (visibility == "hidden").then(|| "hidden".to_owned()),
        details: Some(json!({"role": role, "visibility": visibility})),
        timestamp: time,
    });
}

/// Says who spoke, when several did: a transcript keeps no names, and the kernel wraps words in theirs.
pub(super) fn tell_speakers(pen: &mut Pen, turns: &[Turn<'_>]) {
    let mut spoke: BTreeMap<&str, (usize, &At)> = BTreeMap::new();
    for Turn { value, at, .. } in turns {
        let speaker = value.get("speaker").unwrap_or(&Value::Null);
        let name = word(speaker, "handle").or(word(speaker, "display_name"));
        if let Some(name) = name.filter(|_| is_of_person(value)) {
            spoke.entry(name).or_insert((0, at)).0 += 1;
        }
    }
    if spoke.len() > 1 {
        for (name, (times, at)) in spoke {
            for _ in 0..times {
                let says = "several speak here, and their names are not kept";
                pen.count("speakers_not_kept", name, says, at);
            }
        }
    }
}
