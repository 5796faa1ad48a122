//! Which result answers which call, found by looking back from each result, and where a list may be cut.

use galley_core::transcript::{AgentMessage, ContentBlock};

/// A call and a result of it, each by its message and its block; a result that is a message has no block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    pub call: (usize, usize),
    pub function_id: String,
    pub result: (usize, Option<usize>),
}

/// Every result with the latest call of its id that stands before it.
pub fn pairs(messages: &[&AgentMessage]) -> Vec<Pair> {
    let found = results(messages).into_iter();
    found
        .filter_map(|(index, block, id)| {
            let before = (index, block.unwrap_or(0));
            let mut calls = calls(messages).rev();
            let (call, _, function_id) =
                calls.find(|(call, called, _)| *call < before && *called == id)?;
            Some(Pair {
                call,
                function_id: function_id.clone(),
                result: (index, block),
            })
        })
        .collect()
}

/// How many results have no call, and how many calls no result.
pub fn alone(messages: &[&AgentMessage]) -> [usize; 2] {
    let pairs = pairs(messages);
    let answered = |call: &(usize, usize)| pairs.iter().any(|pair| pair.call == *call);
    [
        results(messages).len() - pairs.len(),
        calls(messages).filter(|(call, ..)| !answered(call)).count(),
    ]
}

fn results<'a>(messages: &'a [&AgentMessage]) -> Vec<(usize, Option<usize>, &'a String)> {
    let results = messages
        .iter()
        .enumerate()
        .flat_map(|(index, message)| match message {
            AgentMessage::FunctionResult {
                function_call_id, ..
            } => vec![(index, None, function_call_id)],
            other => inline(other)
                .map(|(block, id)| (index, Some(block), id))
                .collect(),
        });
    results.collect()
}

/// Every call with its place, its id and its function.
pub fn calls<'a>(
    messages: &'a [&AgentMessage],
) -> impl DoubleEndedIterator<Item = ((usize, usize), &'a String, &'a String)> {
    messages.iter().enumerate().flat_map(|(index, message)| {
        let blocks = message.content().iter().enumerate();
        blocks.filter_map(move |(block, content)| match content {
            ContentBlock::FunctionCall {
                id, function_id, ..
            } => Some(((index, block), id, function_id)),
            _ => None,
        })
    })
}

fn inline(message: &AgentMessage) -> impl Iterator<Item = (usize, &String)> {
    let blocks = message.content().iter().enumerate();
    blocks.filter_map(|(block, content)| match content {
        ContentBlock::FunctionResult {
            function_call_id, ..
        } => Some((block, function_call_id)),
        _ => None,
    })
}

/// Whether a cut before this message leaves no call and its result on two sides.
pub fn is_whole(pairs: &[Pair], cut: usize) -> bool {
    pairs
        .iter()
        .all(|pair| pair.call.0 >= cut || pair.result.0 < cut)
}
