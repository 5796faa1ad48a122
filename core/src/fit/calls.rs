//! Which call each result answers: the latest one of its id that stands before it. Ids may be used again.

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
    /// Index of the message that made the call, when one did.
    pub call: Option<usize>,
    /// The function: what the message says, or, of an inline result, what the call says.
    pub function_id: Option<&'a str>,
}

/// Every result in order: function result messages and the inline results at the top level of others.
pub fn results(items: &[Item]) -> Vec<Found<'_>> {
    let mut calls: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    let mut found = Vec::new();
    for (message, item) in items.iter().enumerate() {
        if let AgentMessage::FunctionResult {
            function_call_id,
            function_id,
            ..
        } = item.message()
        {
            found.push(Found {
                message,
                block: None,
                call_id: function_call_id,
                call: calls.get(function_call_id.as_str()).map(|call| call.0),
                function_id: Some(function_id),
            });
        }
        let whole = matches!(item.message(), AgentMessage::FunctionResult { .. });
        for (index, block) in item.message().content().iter().enumerate() {
            match block {
                ContentBlock::FunctionCall {
                    id, function_id, ..
                } => {
                    calls.insert(id, (message, function_id));
                }
                ContentBlock::FunctionResult {
                    function_call_id, ..
                } if !whole => {
                    let call = calls.get(function_call_id.as_str());
                    found.push(Found {
                        message,
                        block: Some(index),
                        call_id: function_call_id,
                        call: call.map(|call| call.0),
                        function_id: call.map(|call| call.1),
                    });
                }
                _ => {}
            }
        }
    }
    found
}
