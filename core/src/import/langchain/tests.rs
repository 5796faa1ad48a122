use super::*;
use crate::transcript::{AgentMessage, ContentBlock};
use serde_json::json;

fn opened(value: Value) -> Imported {
    let mut found = read(
        vec![Record::whole(value)],
        &Ask::default(),
        &mut Notes::default(),
    );
    assert_eq!(found.len(), 1);
    found.remove(0)
}

#[test]
fn a_stored_chunk_is_a_whole_message_of_its_kind() {
    let lc = |class: &str, members: Value| json!({"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", class], "kwargs": members});
    for list in [
        json!([
            {"type": "HumanMessageChunk", "content": "q"},
            {"type": "AIMessageChunk", "content": "", "tool_calls": [{"name": "f", "args": {}, "id": "c"}]},
            {"type": "ToolMessageChunk", "content": "r", "tool_call_id": "c"},
        ]),
        json!([
            lc("HumanMessage", json!({"content": "q"})),
            lc(
                "AIMessageChunk",
                json!({"content": "", "tool_calls": [{"name": "f", "args": {}, "id": "c"}]})
            ),
            lc("ToolMessage", json!({"content": "r", "tool_call_id": "c"})),
        ]),
    ] {
        let read = opened(list);
        let [
            AgentMessage::User { .. },
            AgentMessage::Assistant { .. },
            AgentMessage::FunctionResult { function_id, .. },
        ] = read.messages.as_slice()
        else {
            panic!("{:?}", read.messages);
        };
        assert_eq!(function_id, "f");
        assert_eq!(read.warnings, []);
    }
}

#[test]
fn a_call_that_stands_three_times_is_one() {
    let read = opened(json!([{"type": "ai",
        "content": [{"type": "text", "text": "a"}, {"type": "tool_use", "id": "c", "name": "f", "input": {}}, {"type": "text", "text": "b"}],
        "additional_kwargs": {"tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}},
            {"id": "d", "type": "function", "function": {"name": "g", "arguments": "{}"}},
        ]},
        "tool_calls": [{"name": "f", "args": {"x": 1}, "id": "c"}],
    }]));
    let said: Vec<String> = read.messages[0]
        .content()
        .iter()
        .map(|block| match block {
            ContentBlock::Text { text } => text.clone(),
            ContentBlock::FunctionCall { id, arguments, .. } => format!("{id} {arguments}"),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(said, ["a", "c {\"x\":1}", "b", "d {}"]);
}

#[test]
fn a_branch_of_a_thread_can_be_asked_for() {
    let state = |id: &str, parent: &str, time: u32, words: &[&str]| {
        let messages: Vec<Value> = words
            .iter()
            .map(|word| json!({"type": "human", "content": word, "id": word}))
            .collect();
        json!({"values": {"messages": messages}, "created_at": format!("2025-01-01T00:00:0{time}Z"), "next": [],
            "config": {"configurable": {"thread_id": "t", "checkpoint_id": id}},
            "parent_config": {"configurable": {"thread_id": "t", "checkpoint_id": parent}}})
    };
    let history = json!([
        state("c", "a", 3, &["1", "3"]),
        state("b", "a", 2, &["1", "2"]),
        state("a", "", 1, &["1"])
    ]);
    for (branch, last) in [(None, "3"), (Some("b"), "2"), (Some("gone"), "3")] {
        let ask = Ask {
            branch: branch.map(str::to_owned),
            ..Ask::default()
        };
        let read = read(
            vec![Record::whole(history.clone())],
            &ask,
            &mut Notes::default(),
        );
        let [thread] = read.as_slice() else {
            panic!("{read:?}")
        };
        let spoken = thread
            .messages
            .iter()
            .rev()
            .find(|m| matches!(m, AgentMessage::User { .. }));
        assert_eq!(spoken.unwrap().content(), [ContentBlock::text(last)]);
        let ids: Vec<&str> = thread
            .branches
            .iter()
            .map(|branch| branch.id.as_str())
            .collect();
        assert_eq!(ids, ["c", "b"]);
    }
}
