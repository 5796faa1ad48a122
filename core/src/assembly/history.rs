//! The history candidates: every turn of the candidate window as segments, oldest first.

use std::rc::Rc;

use super::pen::Pen;
use super::rounds;
use super::segment::{Part, Segment, Source};
use crate::conversation::native::{ConversationKind, Run, Turn, TurnKind};
use crate::role::Role;
use crate::seal::Label;
use crate::wording;

/// Turns of the window unless more entries are asked for.
pub const CANDIDATE_WINDOW: usize = 200;

/// What may ride.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidates {
    /// Segments, oldest first. None of them holds nothing.
    pub segments: Vec<Rc<Segment>>,
    /// Turns of the window, oldest first.
    pub window: Vec<usize>,
    /// Turns beyond the window that bear content, oldest first.
    pub beyond: Vec<usize>,
    /// Content-bearing turns that a summary stands for.
    pub compacted: Vec<usize>,
    /// Turns that laid a lead, oldest first.
    pub carriers: Vec<Carrier>,
}

/// A turn that laid a lead.
#[derive(Clone, Debug, PartialEq)]
pub struct Carrier {
    /// The turn.
    pub turn: usize,
    /// Its first preface segment.
    pub first: usize,
    /// The lead it laid, role and text of each segment.
    pub lead: Vec<(Role, String)>,
}

/// Which history is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading<'c> {
    /// The answerer it is assembled for.
    pub addressee: &'c str,
    /// Only what is strictly below this position.
    pub before: Option<i64>,
    /// Turns of the candidate window.
    pub window: usize,
}

/// Renders the candidates.
pub fn render(pen: &mut Pen<'_>, reading: Reading<'_>) -> Candidates {
    let c = pen.conversation;
    if c.kind == ConversationKind::Standalone {
        return Candidates::default();
    }
    let surface = c.surface(reading.before);
    let (behind, open) = surface
        .turns
        .split_at_checked(surface.start)
        .unwrap_or((&surface.turns, &[]));
    let bears = |turn: &&usize| c.turns.get(**turn).is_some_and(Turn::bears_content);
    let skip = open.len().saturating_sub(reading.window);
    let (beyond, window) = open.split_at_checked(skip).unwrap_or((&[], open));
    let mut candidates = Candidates {
        window: window.to_vec(),
        beyond: beyond.iter().filter(bears).copied().collect(),
        compacted: behind.iter().filter(bears).copied().collect(),
        ..Candidates::default()
    };
    let summary = surface.cut.then(|| open.first().copied()).flatten();
    let boundary = c
        .side_boundary()
        .and_then(|at| window.iter().rposition(|turn| c.position(*turn) <= at));
    for (place, index) in window.iter().enumerate() {
        let Some(turn) = c.turns.get(*index) else {
            continue;
        };
        let mut segments = Vec::new();
        let laid = turn_segments(
            pen,
            reading.addressee,
            turn,
            *index,
            summary == Some(*index),
            &mut segments,
        );
        let first = candidates.segments.len();
        candidates.segments.extend(
            segments
                .into_iter()
                .filter(|segment| !segment.is_nothing())
                .map(Rc::new),
        );
        if !laid.is_empty() {
            candidates.carriers.push(Carrier {
                turn: *index,
                first,
                lead: laid,
            });
        }
        if boundary == Some(place) {
            let text = pen.wording.say(wording::BOUNDARY).to_owned();
            let words = pen.words(&text);
            let source = Source {
                turn: Some(*index),
                round: None,
            };
            candidates.segments.push(Rc::new(Segment {
                source,
                ..Segment::words(Role::User, words)
            }));
        }
    }
    candidates
}

/// One turn's segments; answers the lead it laid.
fn turn_segments(
    pen: &mut Pen<'_>,
    addressee: &str,
    turn: &Turn,
    index: usize,
    stands: bool,
    out: &mut Vec<Segment>,
) -> Vec<(Role, String)> {
    let c = pen.conversation;
    let source = Source {
        turn: Some(index),
        round: None,
    };
    match turn.kind {
        TurnKind::CompactionSummary if stands => {
            let text = format!("{}\n\n{}", pen.wording.compaction_header(), turn.words());
            let words = pen.words(&text);
            out.push(Segment {
                source,
                ..Segment::words(Role::User, words)
            });
        }
        TurnKind::CompactionSummary => {}
        TurnKind::Message => {
            let role = turn.role();
            let text = match role {
                Role::User => c.voiced(c.row(turn), turn.words()),
                _ => turn.words().to_owned(),
            };
            let parts = pen.parts(&text, &turn.uploads);
            out.push(Segment {
                role,
                parts,
                source,
                ..Segment::default()
            });
        }
        TurnKind::DirectReply if turn.answerer(c) == addressee => {
            return own_reply(pen, turn, source, out);
        }
        TurnKind::DirectReply => peer_reply(pen, addressee, turn, source, out),
    }
    Vec::new()
}

/// The answerer's own reply: its preface, its seed, then its rounds or its final text.
fn own_reply(
    pen: &mut Pen<'_>,
    turn: &Turn,
    source: Source,
    out: &mut Vec<Segment>,
) -> Vec<(Role, String)> {
    let candidate = turn.active();
    let run = candidate
        .body
        .run
        .as_ref()
        .filter(|run| !run.rounds.is_empty());
    let led = run.is_some_and(|run| rounds::led_by_summary(run).is_some());
    let mut lead = Vec::new();
    if !led {
        for entry in candidate.preface.iter().filter(|entry| !entry.carried) {
            let parts = pen.sealed(&entry.parts);
            if entry.block.as_deref() == Some("lead") {
                lead.push((entry.role, said(&parts)));
            }
            out.push(Segment {
                role: entry.role,
                parts,
                source,
                ..Segment::default()
            });
        }
        seed(pen, turn, source, out);
    }
    match (run, &candidate.body.content) {
        (Some(run), _) => rounds::render(pen, run, source.turn.unwrap_or_default(), out),
        (None, Some(content)) => {
            let label = candidate.body.phase.clone().map(|phase| Label {
                phase,
                native_origin: candidate.body.native_origin.clone(),
            });
            let parts = pen.parts(content, &[]);
            out.push(Segment {
                role: Role::Assistant,
                parts,
                label,
                source,
                ..Segment::default()
            });
        }
        (None, None) => {}
    }
    lead
}

/// A colleague's reply: its seed, every steer of its rounds, then its final text in its envelope. Never its
/// rounds, never its preface.
fn peer_reply(
    pen: &mut Pen<'_>,
    addressee: &str,
    turn: &Turn,
    source: Source,
    out: &mut Vec<Segment>,
) {
    let c = pen.conversation;
    if turn.speaker(c) != addressee && !turn.is_of_kernel_origin() {
        seed(pen, turn, source, out);
    }
    let body = turn.active().body;
    let rounds = body
        .run
        .as_ref()
        .map(|run: &Run| run.rounds.as_slice())
        .unwrap_or_default();
    for (round, steer) in rounds
        .iter()
        .enumerate()
        .flat_map(|(round, steers)| steers.steers.iter().map(move |steer| (round, steer)))
    {
        let words = pen.words(steer);
        let source = Source {
            round: Some(round),
            ..source
        };
        out.push(Segment {
            source,
            alone: true,
            ..Segment::words(Role::User, words)
        });
    }
    let content = body
        .content
        .as_deref()
        .filter(|content| !content.trim().is_empty());
    let last = content
        .or(rounds.last().map(|round| round.output.as_str()))
        .unwrap_or_default();
    if !last.trim().is_empty() {
        let text = c.envelope(turn.answerer(c), None, last);
        let words = pen.words(&text);
        out.push(Segment {
            source,
            ..Segment::words(Role::User, words)
        });
    }
}

fn seed(pen: &mut Pen<'_>, turn: &Turn, source: Source, out: &mut Vec<Segment>) {
    let Some(seed) = turn.active().prompt else {
        return;
    };
    let text = pen
        .conversation
        .voiced(pen.conversation.row(turn), &seed.text);
    let parts = pen.parts(&text, &seed.uploads);
    out.push(Segment {
        role: Role::User,
        parts,
        source,
        ..Segment::default()
    });
}

/// The words of parts, for comparing leads.
pub fn said(parts: &[Part]) -> String {
    let words: Vec<&str> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Words(words) => Some(words.text.as_str()),
            Part::Upload(..) => None,
        })
        .collect();
    words.join("\n\n")
}
