//! The rounds behind a reply: what each read first, its words and calls, and one result for every call.

use super::pen::Pen;
use super::segment::{Call, Id, Output, Part, Segment, Source};
use crate::conversation::native::{CallResult, Round, Run};
use crate::role::Role;
use crate::wording::{self, Sentence};

/// The first round that still reads for itself: the newest one led by a summary that is not blank.
pub fn led_by_summary(run: &Run) -> Option<usize> {
    run.rounds
        .iter()
        .rposition(|round| summary(round).is_some())
}

fn summary(round: &Round) -> Option<&str> {
    round
        .arrived_summary
        .as_deref()
        .filter(|summary| !summary.trim().is_empty())
}

/// The index below which results are cleared: the newest prune mark's. A mark that names a round outside the
/// chain clears what is before the round that carries it.
fn cleared_below(run: &Run) -> usize {
    let Some((carrier, mark)) = run
        .rounds
        .iter()
        .enumerate()
        .rev()
        .find_map(|(index, round)| round.pruned_before.as_deref().map(|mark| (index, mark)))
    else {
        return 0;
    };
    run.rounds
        .iter()
        .position(|round| round.key == mark)
        .unwrap_or(carrier)
}

/// A run as segments, oldest first.
pub fn render(pen: &mut Pen<'_>, run: &Run, turn: usize, out: &mut Vec<Segment>) {
    let first = led_by_summary(run);
    let cleared = cleared_below(run);
    for (index, round) in run.rounds.iter().enumerate().skip(first.unwrap_or(0)) {
        let source = Source {
            turn: Some(turn),
            round: Some(index),
        };
        if Some(index) == first {
            let text = format!(
                "{}\n\n{}",
                wording::REREAD_RULE,
                summary(round).unwrap_or_default()
            );
            let words = pen.words(&text);
            out.push(Segment {
                source,
                ..Segment::words(Role::User, words)
            });
            fan(pen, run, round, cleared, source, out);
        }
        for text in round.material.iter().chain(&round.steers) {
            let words = pen.words(text);
            out.push(Segment {
                source,
                alone: true,
                ..Segment::words(Role::User, words)
            });
        }
        let parts = pen.parts(&round.output, &[]);
        let mut segment = Segment {
            role: Role::Assistant,
            parts,
            source,
            ..Segment::default()
        };
        answer(pen, round, |_| true, index < cleared, &mut segment);
        out.push(segment);
    }
}

/// Calls of a replaced round that its repair still has to read: as that round, without its words.
fn fan(
    pen: &mut Pen<'_>,
    run: &Run,
    round: &Round,
    cleared: usize,
    source: Source,
    out: &mut Vec<Segment>,
) {
    let Some(fan) = &round.compacted_fan else {
        return;
    };
    let Some((index, replaced)) = run
        .rounds
        .iter()
        .enumerate()
        .find(|(_, other)| other.key == fan.source)
    else {
        return;
    };
    let mut segment = Segment {
        role: Role::Assistant,
        source,
        ..Segment::default()
    };
    answer(
        pen,
        replaced,
        |id| fan.calls.iter().any(|call| call == id),
        index < cleared,
        &mut segment,
    );
    out.push(segment);
}

/// Puts the wanted calls of a round, their results and the results' pictures behind a segment.
fn answer(
    pen: &mut Pen<'_>,
    round: &Round,
    wanted: impl Fn(&str) -> bool,
    cleared: bool,
    segment: &mut Segment,
) {
    let mut pictures: Vec<&str> = Vec::new();
    for call in round.calls.iter().filter(|call| wanted(&call.id)) {
        let (id, name) = (Id::new(&call.id), pen.words(&call.name));
        let arguments = pen.words(&call.arguments);
        segment.calls.push(Call {
            id: id.clone(),
            name: name.clone(),
            arguments,
        });
        let result = round.results.get(&call.id);
        let completed = result.is_none_or(|result| result.status == "completed");
        let (text, is_error) = if cleared && completed {
            (pen.wording.say(wording::CLEARED).to_owned(), false)
        } else if let Some(tip) = round.tips.get(&call.id) {
            (tip.clone(), false)
        } else {
            if let Some(result) = result.filter(|_| completed) {
                for upload in &result.uploads {
                    if !pictures.contains(&upload.as_str()) {
                        pictures.push(upload);
                    }
                }
            }
            result_text(pen, result)
        };
        let output = pen.words(&text);
        segment.outputs.push(Output {
            id,
            name,
            output,
            is_error,
        });
    }
    for upload in pictures {
        if let Some(part) = picture(pen, upload) {
            segment.pictures.push(part);
        }
    }
}

/// A captured image or PDF, by its stored type; any other capture never shows.
fn picture(pen: &mut Pen<'_>, upload: &str) -> Option<Part> {
    let kind = &pen.conversation.uploads.get(upload)?.content_type;
    (kind.starts_with("image/") || kind == "application/pdf").then(|| pen.upload(upload))
}

/// What the model reads of a result, and whether it is flagged.
fn result_text(pen: &Pen<'_>, result: Option<&CallResult>) -> (String, bool) {
    let Some(result) = result else {
        return (wrapped(pen.wording.say(wording::UNANSWERED)), true);
    };
    if result.status == "completed" {
        let text = result.output.as_deref().unwrap_or_default();
        return if result.is_error {
            (wrapped(text), true)
        } else {
            (text.to_owned(), false)
        };
    }
    let key = result.error_key.as_deref().filter(|key| !key.is_empty());
    let detail = result
        .error_detail
        .as_deref()
        .filter(|detail| !detail.is_empty());
    let mut text = match key.and_then(of_key) {
        Some(sentence) => pen.wording.say(sentence).to_owned(),
        None => {
            let sentence = pen.wording.say(of_status(&result.status));
            key.map_or_else(|| sentence.to_owned(), |key| format!("{sentence} ({key})"))
        }
    };
    if let Some(detail) = detail {
        text.push(' ');
        text.push_str(detail);
    }
    (wrapped(&text), true)
}

fn of_key(key: &str) -> Option<Sentence> {
    match key {
        "approval_denied" => Some(wording::APPROVAL_DENIED),
        "approval_expired" => Some(wording::APPROVAL_EXPIRED),
        "result_unstorable" => Some(wording::RESULT_UNSTORABLE),
        _ => None,
    }
}

fn of_status(status: &str) -> Sentence {
    match status {
        "canceled" => wording::CANCELED,
        "skipped" => wording::SKIPPED,
        "failed" => wording::FAILED,
        "timed_out" => wording::TIMED_OUT,
        "uncertain" => wording::UNCERTAIN,
        _ => wording::UNANSWERED,
    }
}

fn wrapped(text: &str) -> String {
    format!("<tool_use_error>{text}</tool_use_error>")
}
