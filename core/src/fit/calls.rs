//! Results and their calls. A result answers the latest call of its id that stands before it; ids may be used again.

use std::collections::BTreeMap;

use super::item::Item;
use crate::transcript::{AgentMessage, ContentBlock};

/// One result of a list of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<'a> {
    /// Index of the message it is or stands in.
    pub message: usize,
    /// Its index among the message's blocks, when it stands inside of one.
    pub block: Option<usize>,
    /// The id of the call it answers.
    pub call_id: &'a str,
    /// The function: what the message says, or, of an inline result, what the call says.
    pub function_id: Option<&'a str>,
}

/// Every result in order: function result messages and the inline results at the top level of others.
pub fn results(items: &[Item]) -> Vec<Found<'_>> {
    let mut found = Vec::new();
    // Only an inline result has to ask its call for the function.
    let mut inline = false;
    for (message, item) in items.iter().enumerate() {
        match item.message() {
            AgentMessage::FunctionResult {
                function_call_id,
                function_id,
                ..
            } => found.push(Found {
                message,
                block: None,
                call_id: function_call_id,
                function_id: Some(function_id),
            }),
            other => {
                for (block, content) in other.content().iter().enumerate() {
                    if let ContentBlock::FunctionResult {
                        function_call_id, ..
                    } = content
                    {
                        inline = true;
                        found.push(Found {
                            message,
                            block: Some(block),
                            call_id: function_call_id,
                            function_id: None,
                        });
                    }
                }
            }
        }
    }
    if inline {
        let calls = calls(items);
        for found in found.iter_mut().filter(|found| found.block.is_some()) {
            let call = latest(&calls, found.call_id, (found.message, found.block));
            found.function_id = call.map(|call| call.function_id);
        }
    }
    found
}

/// For every message, the index of the last message that answers a call of it; 0 where none does.
pub fn last_answers(items: &[Item]) -> Vec<usize> {
    let mut last = vec![0usize; items.len()];
    for (found, call) in answers(items) {
        if let Some(reach) = call.and_then(|call| last.get_mut(call.message)) {
            *reach = (*reach).max(found.message);
        }
    }
    last
}

/// Every result with the call it answers, when there is one.
pub fn answers(items: &[Item]) -> Vec<(Found<'_>, Option<Call<'_>>)> {
    let calls = calls(items);
    let call = |found: &Found<'_>| latest(&calls, found.call_id, (found.message, found.block));
    let results = results(items).into_iter();
    results
        .map(|found| (found, call(&found).copied()))
        .collect()
}

/// A call of a list of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    /// Index of the message it stands in.
    pub message: usize,
    block: usize,
    /// The function it calls.
    pub function_id: &'a str,
}

/// Calls by their ids, each id's in order.
fn calls(items: &[Item]) -> BTreeMap<&str, Vec<Call<'_>>> {
    let mut calls: BTreeMap<&str, Vec<Call<'_>>> = BTreeMap::new();
    for (message, item) in items.iter().enumerate() {
        for (block, content) in item.message().content().iter().enumerate() {
            if let ContentBlock::FunctionCall {
                id, function_id, ..
            } = content
            {
                calls.entry(id).or_default().push(Call {
                    message,
                    block,
                    function_id,
                });
            }
        }
    }
    calls
}

/// The latest call of an id before a place; a message by itself stands before its blocks.
fn latest<'a, 'b>(
    calls: &'b BTreeMap<&'a str, Vec<Call<'a>>>,
    id: &str,
    place: (usize, Option<usize>),
) -> Option<&'b Call<'a>> {
    let of_id = calls.get(id)?;
    let before = of_id.partition_point(|call| (call.message, Some(call.block)) < place);
    of_id.get(before.checked_sub(1)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn items(messages: Value) -> Vec<Item> {
        serde_json::from_value(messages).unwrap()
    }

    fn answer(blocks: Value) -> Value {
        json!({"role": "assistant", "content": blocks, "stop_reason": "function_call", "model": "m",
            "provider": "p", "timestamp": 1})
    }

    fn call(id: &str, function_id: &str) -> Value {
        json!({"type": "function_call", "id": id, "function_id": function_id})
    }

    fn inline(id: &str) -> Value {
        json!({"type": "function_result", "function_call_id": id, "content": []})
    }

    #[test]
    fn an_inline_result_answers_the_latest_call_of_its_id_that_stands_before_it() {
        let items = items(json!([
            answer(json!([call("c", "first"), inline("c"), call("c", "second")])),
            {"role": "user", "content": [inline("c"), inline("d")], "timestamp": 1},
            answer(json!([call("d", "late")])),
        ]));
        let named: Vec<_> = results(&items)
            .iter()
            .map(|found| (found.message, found.block, found.function_id))
            .collect();
        let expected = [
            (0, Some(1), Some("first")),
            (1, Some(0), Some("second")),
            (1, Some(1), None),
        ];
        assert_eq!(named, expected);
        assert_eq!(last_answers(&items), [1, 0, 0]);
    }

    #[test]
    fn a_message_says_itself_which_function_it_is_of() {
        let items = items(json!([
            answer(json!([call("c", "f")])),
            {"role": "function_result", "function_call_id": "c", "function_id": "g", "content": [], "timestamp": 1},
        ]));
        assert_eq!(results(&items)[0].function_id, Some("g"));
        assert_eq!(last_answers(&items), [1, 0]);
    }
}
