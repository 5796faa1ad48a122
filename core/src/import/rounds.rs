//! An answer that a tool keeps as one message although it was several: words, calls, what came back, words again.

use serde_json::{Value, json};

use super::pen::{Answer, Outcome, Pen, Piece};
use super::record::At;

/// A piece of such an answer.
#[derive(Debug)]
pub(super) enum Step {
    /// Words, reasoning or a picture.
    Said(Value),
    /// A call, with what it came back with when the file keeps both in one. Calls next to each other were made
    /// together.
    Called(Call, Option<Back>),
    /// What a call came back with, kept by itself.
    Back(Back),
}

/// A call.
#[derive(Debug, Default)]
pub(super) struct Call {
    pub id: String,
    pub function: String,
    /// A text is the model's own string.
    pub arguments: Value,
}

/// What a call came back with.
#[derive(Debug, Default)]
pub(super) struct Back {
    /// The call's id; empty when the file gives none.
    pub call: String,
    /// The function's name; empty when only the call says it.
    pub function: String,
    pub content: Value,
    pub failed: bool,
    pub details: Value,
}

impl Step {
    /// Words.
    pub fn words(text: &str) -> Self {
        Self::Said(json!({"type": "text", "text": text}))
    }

    /// Reasoning.
    pub fn thought(text: &str) -> Self {
        Self::Said(json!({"type": "thinking", "thinking": text}))
    }
}

/// The parts of what a person said: nobody calls a function in a question.
pub(super) fn said(steps: Vec<Step>) -> Value {
    let parts = steps.into_iter().filter_map(|step| match step {
        Step::Said(part) => Some(part),
        Step::Called(..) | Step::Back(_) => None,
    });
    parts.collect()
}

#[derive(Default)]
struct Round {
    pieces: Vec<Piece>,
    back: Vec<Back>,
}

impl Pen {
    /// Writes such an answer, one message a round: what is said after a result begins the next. What the tool
    /// says of the whole stands with the last.
    pub fn rounds(&mut self, steps: Vec<Step>, answer: Answer<'_>, at: &At) {
        let mut rounds = rounds(steps);
        let last = rounds.pop().unwrap_or_default();
        for round in rounds {
            let between = Answer {
                model: answer.model,
                provider: answer.provider,
                timestamp: answer.timestamp,
                ..Answer::default()
            };
            self.round(round, between, at);
        }
        self.round(last, answer, at);
    }

    fn round(&mut self, round: Round, answer: Answer<'_>, at: &At) {
        let time = answer.timestamp;
        self.answer(round.pieces, answer, at);
        for back in round.back {
            let outcome = Outcome {
                call: &back.call,
                function: &back.function,
                content: back.content,
                failed: back.failed,
                details: back.details,
            };
            self.result(outcome, at, time);
        }
    }
}

/// The rounds that steps make; empty words are none.
fn rounds(steps: Vec<Step>) -> Vec<Round> {
    let mut rounds: Vec<Round> = Vec::new();
    let mut round = Round::default();
    // A result that the file keeps apart from its call says that the round was over.
    let mut over = false;
    for step in steps {
        if matches!(&step, Step::Said(part) if part.get("text").is_some_and(|text| text == "")) {
            continue;
        }
        let begins = match &step {
            Step::Said(_) => !round.back.is_empty(),
            Step::Called(..) => over,
            Step::Back(_) => false,
        };
        if begins {
            rounds.push(std::mem::take(&mut round));
            over = false;
        }
        match step {
            Step::Said(part) => round.pieces.push(Piece::Part(part)),
            Step::Called(call, back) => {
                let piece = Piece::Call(call.id, call.function, call.arguments);
                round.pieces.push(piece);
                round.back.extend(back);
            }
            Step::Back(back) => {
                round.back.push(back);
                over = true;
            }
        }
    }
    if !round.pieces.is_empty() || !round.back.is_empty() {
        rounds.push(round);
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str, back: bool) -> Step {
        let call = Call {
            id: id.to_owned(),
            ..Call::default()
        };
        Step::Called(call, back.then(Back::default))
    }

    fn shape(steps: Vec<Step>) -> Vec<(usize, usize)> {
        let rounds = rounds(steps);
        let shape = rounds.iter().map(|r| (r.pieces.len(), r.back.len()));
        shape.collect()
    }

    #[test]
    fn calls_side_by_side_are_one_round_and_words_after_a_result_begin_the_next() {
        let together = vec![
            Step::words("a"),
            Step::words(""),
            call("1", true),
            call("2", true),
            Step::words("b"),
        ];
        assert_eq!(shape(together), [(3, 2), (1, 0)]);
        let apart = || Step::Back(Back::default());
        let one_by_one = vec![call("1", false), apart(), call("2", false), apart()];
        assert_eq!(shape(one_by_one), [(1, 1), (1, 1)]);
        assert_eq!(shape(Vec::new()), []);
    }
}
