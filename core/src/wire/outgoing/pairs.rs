//! Which result is of which call, and what both are called on the way.

use std::collections::{BTreeMap, BTreeSet};

use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::{AgentMessage, ContentBlock, Imported, OpenCalls};

use super::Rules;

/// The calls of a transcript with their results.
pub(super) struct Pairs<'i> {
    /// By message and block.
    calls: BTreeMap<(usize, usize), Made>,
    results: BTreeMap<usize, Found<'i>>,
    orphans: BTreeMap<usize, Vec<Found<'i>>>,
    ids: bool,
    renamed: Vec<(usize, String, String)>,
}

struct Made {
    key: usize,
    id: String,
    name: String,
}

/// A result where it stands in the transcript.
#[derive(Clone, Debug)]
pub(super) struct Found<'i> {
    pub message: usize,
    /// Its order among all results.
    pub number: usize,
    pub content: &'i [ContentBlock],
    pub failed: bool,
    /// Something else stands between it and its call.
    pub moved: bool,
}

impl<'i> Pairs<'i> {
    pub fn new(imported: &'i Imported, start: usize, rules: &Rules) -> Self {
        let mut pairs = Self {
            calls: BTreeMap::new(),
            results: BTreeMap::new(),
            orphans: BTreeMap::new(),
            ids: rules.ids,
            renamed: Vec::new(),
        };
        let mut open = OpenCalls::default();
        let mut used = BTreeSet::new();
        // The newest message that is no result, and in which message each call stands.
        let (mut newest, mut stands) = (0, Vec::new());
        let messages = imported.messages.iter().enumerate().skip(start);
        for (index, message) in messages {
            if let AgentMessage::FunctionResult {
                function_call_id,
                function_id,
                content,
                is_error,
                ..
            } = message
            {
                let name = Some(function_id.as_str()).filter(|name| *name != "unknown");
                let key = open.answered(function_call_id, name.unwrap_or_default());
                pairs.came(key, index, content, *is_error, &stands, newest);
                continue;
            }
            let sent = |kind: &str| matches!(kind, "system_injection" | "compaction");
            let aside =
                matches!(message, AgentMessage::Custom { custom_type, .. } if !sent(custom_type));
            if !aside && !only_results(message) {
                newest = index;
            }
            for (number, block) in message.content().iter().enumerate() {
                match block {
                    ContentBlock::FunctionCall {
                        id, function_id, ..
                    } if matches!(message, AgentMessage::Assistant { .. }) => {
                        let key = stands.len();
                        stands.push(index);
                        open.made(index, id, function_id, key);
                        let made = pairs.made(index, key, id, function_id, rules, &mut used);
                        pairs.calls.insert((index, number), made);
                    }
                    ContentBlock::FunctionResult {
                        function_call_id,
                        content,
                        is_error,
                    } => {
                        let key = open.answered(function_call_id, "");
                        let failed = is_error.unwrap_or(false);
                        pairs.came(key, index, content, failed, &stands, newest);
                    }
                    _ => {}
                }
            }
        }
        pairs
    }

    fn came(
        &mut self,
        key: Option<usize>,
        message: usize,
        content: &'i [ContentBlock],
        failed: bool,
        stands: &[usize],
        newest: usize,
    ) {
        let number = self.results.len();
        let found = Found {
            message,
            number,
            content,
            failed,
            moved: key
                .and_then(|key| stands.get(key))
                .is_some_and(|at| *at != newest),
        };
        match key {
            Some(key) => {
                self.results.insert(key, found);
            }
            None => self.orphans.entry(message).or_default().push(found),
        }
    }

    /// A call in an id and a name that the shape takes.
    fn made(
        &mut self,
        index: usize,
        key: usize,
        id: &str,
        name: &str,
        rules: &Rules,
        used: &mut BTreeSet<String>,
    ) -> Made {
        let written = free(&plain(id, simple, "call"), used);
        let called = plain(name, rules.names, "unknown");
        let id = Some((id, &written)).filter(|_| rules.ids);
        for (said, now) in id.into_iter().chain([(name, &called)]) {
            if said != now {
                self.renamed.push((index, said.to_owned(), now.clone()));
            }
        }
        Made {
            key,
            id: written,
            name: called,
        }
    }

    /// A call's key, its id and its name.
    pub fn call(&self, message: usize, number: usize) -> Option<(usize, String, String)> {
        let made = self.calls.get(&(message, number))?;
        Some((made.key, made.id.clone(), made.name.clone()))
    }

    /// What a call came back with.
    pub fn result(&mut self, key: usize) -> Option<Found<'i>> {
        self.results.remove(&key)
    }

    /// The results of a message that answer no call.
    pub fn orphans(&mut self, message: usize) -> Vec<Found<'i>> {
        self.orphans.remove(&message).unwrap_or_default()
    }

    /// Says what is called otherwise.
    pub fn tell(self, notes: &mut Notes) {
        for (index, said, now) in self.renamed {
            let message = format!("{said:?} is not taken there; it is {now:?}");
            notes.push(Warning::new("renamed", message).at(format!("/messages/{index}")));
        }
        if !self.ids && !self.calls.is_empty() {
            let message = "calls have no ids there: a result is told by its function and its order";
            notes.push(Warning::new("ids_not_written", message));
        }
    }
}

fn only_results(message: &AgentMessage) -> bool {
    let content = message.content();
    let result = |block: &ContentBlock| matches!(block, ContentBlock::FunctionResult { .. });
    !content.is_empty() && content.iter().all(result)
}

/// A sign that every provider takes in ids and names.
pub(in crate::wire) fn simple(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-')
}

/// A word in signs that are taken; another one in the place of none.
pub(super) fn plain(word: &str, takes: fn(char) -> bool, none: &str) -> String {
    let plain: String = word
        .chars()
        .map(|sign| if takes(sign) { sign } else { '_' })
        .collect();
    match plain.is_empty() {
        true => none.to_owned(),
        false => plain,
    }
}

/// The word itself, or the first of `word_2`, `word_3`, … that is free.
fn free(word: &str, used: &mut BTreeSet<String>) -> String {
    if used.insert(word.to_owned()) {
        return word.to_owned();
    }
    let others = (2..u64::MAX).map(|n| format!("{word}_{n}"));
    let mut unused = others.filter(|other| !used.contains(other));
    let found = unused.next().unwrap_or_default();
    used.insert(found.clone());
    found
}
