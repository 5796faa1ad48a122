//! What the model said, and what its calls came back with right after it.

use serde_json::{Value, json};

use crate::transcript::ContentBlock;
use crate::wording;

use super::pairs::Found;
use super::{Outcome, Said, Step, Way, Word};

impl<'i> Way<'i, '_> {
    pub(super) fn answer(&mut self, index: usize, content: &'i [ContentBlock]) {
        let mut said = Vec::new();
        let mut calls = Vec::new();
        for (number, block) in content.iter().enumerate() {
            match block {
                ContentBlock::Text { text } if (self.rules.blank)(text) => self.blank(index),
                ContentBlock::Text { text } => {
                    said.push(match self.text(index, number, text, false) {
                        Word::Text(text) | Word::Link(text) => Said::Text(text),
                        Word::Picture(mime, data) => Said::Picture(mime, data),
                    })
                }
                ContentBlock::Image { mime, data } => {
                    said.push(
                        match self.picture(index, mime, data, self.rules.answers_show) {
                            Ok((mime, data)) => Said::Picture(mime, data),
                            Err(text) => Said::Text(text),
                        },
                    );
                }
                ContentBlock::Thinking { text, signature } => {
                    if self.thinks(text, signature.as_deref()) {
                        said.push(Said::Thinking(text.clone(), signature.clone()));
                    } else {
                        self.thought(index);
                    }
                }
                ContentBlock::FunctionCall { id, arguments, .. } => {
                    let Some((key, written, name)) = self.pairs.call(index, number) else {
                        continue;
                    };
                    let own = self.imported.arguments.get(id).cloned();
                    if own.is_some() && !self.rules.any_arguments {
                        let message =
                            "the model's own spelling of the arguments has no place there";
                        self.note("arguments_respelled", index, message);
                    }
                    let arguments = self.arguments(index, arguments);
                    said.push(Said::Call(written.clone(), name.clone(), arguments, own));
                    calls.push((key, written, name));
                }
                ContentBlock::FunctionResult { .. } => {}
            }
        }
        while !self.rules.ends_thinking && matches!(said.last(), Some(Said::Thinking(..))) {
            said.pop();
            self.thought(index);
        }
        match said.is_empty() && !self.rules.empties {
            true => self.nothing(index),
            false => self.say(index, said),
        }
        if !calls.is_empty() {
            self.results(index, calls);
        }
        self.orphans(index);
    }

    fn thinks(&self, text: &str, signature: Option<&str>) -> bool {
        let own = self.imported.api_format.as_deref() == Some(self.rules.api_format);
        own && (self.rules.thinks)(text, signature)
    }

    fn thought(&mut self, index: usize) {
        let message = "reasoning goes back only to the wire it came from, as that takes it; it is not written";
        self.note("thinking_not_written", index, message);
    }

    fn say(&mut self, index: usize, said: Vec<Said>) {
        match self.steps.last_mut() {
            Some(Step::Answer(_, before)) if self.rules.joins_answers => {
                before.extend(said);
                let message = "answers beside each other are one message there";
                self.note("messages_joined", index, message);
            }
            _ => self.steps.push(Step::Answer(index, said)),
        }
    }

    fn arguments(&mut self, index: usize, arguments: &Value) -> Value {
        if self.rules.any_arguments || arguments.is_object() {
            return arguments.clone();
        }
        let message = "arguments are an object there; these stand in one";
        self.note("arguments_wrapped", index, message);
        json!({ "input": arguments })
    }

    /// One result of each call, as they came back or in the order of the calls.
    fn results(&mut self, index: usize, calls: Vec<(usize, String, String)>) {
        let mut answered = Vec::new();
        for (order, (key, id, name)) in calls.into_iter().enumerate() {
            let found = self.pairs.result(key);
            let came = match &found {
                Some(found) => (found.message, found.number),
                None => (usize::MAX, order),
            };
            answered.push((came, order, id, name, found));
        }
        if !self.rules.results_in_order {
            answered.sort_by_key(|(came, order, ..)| (*came, *order));
        } else if !answered.is_sorted_by_key(|(came, ..)| *came) {
            let message = "results stand in the order of their calls there";
            self.note("results_reordered", index, message);
        }
        let mut outcomes = Vec::new();
        for (_, _, id, name, found) in answered {
            let Some(found) = found else {
                let message = format!("the call {id} has no result; one that says so is put there");
                self.note("result_added", index, &message);
                outcomes.push(Outcome {
                    id,
                    name,
                    content: vec![Word::Text(wording::UNANSWERED.text.to_owned())],
                    failed: true,
                });
                continue;
            };
            if found.moved {
                let message = "a result stands right after its call";
                self.note("result_moved", found.message, message);
            }
            if found.failed && !self.rules.failures {
                let message = "that a result is a failure has no place there";
                self.note("failure_not_written", found.message, message);
            }
            let content = self.content(&found);
            outcomes.push(Outcome {
                id,
                name,
                content,
                failed: found.failed,
            });
        }
        self.steps.push(Step::Results(outcomes));
    }

    fn content(&mut self, found: &Found<'i>) -> Vec<Word> {
        let words = self.words(found.message, found.content, false);
        let text = |word: &Word| matches!(word, Word::Text(_));
        let first = words.iter().filter(|word| text(word)).count();
        let sorted = words.iter().take(first).all(text);
        if (first > 1 || !sorted) && !self.rules.results_in_parts {
            let message = "the texts of a result are one there, each in a line, and stand first";
            self.note("texts_joined", found.message, message);
        }
        words
    }

    /// Results of this message that answer no call, as words.
    pub(super) fn orphans(&mut self, index: usize) {
        for found in self.pairs.orphans(index) {
            let message =
                "no call waits for this result; its content is sent as words of the person's";
            self.note("result_without_call", index, message);
            let words = self.words(index, found.content, true);
            self.speak(index, words);
        }
    }
}
