use super::super::{Ask, Format, open};
use super::*;
use crate::transcript::{AgentMessage, ContentBlock, Usage};

fn read(lines: &[Value]) -> Vec<Imported> {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let opened = open(text.as_bytes(), &Ask::default()).unwrap();
    assert_eq!(opened.format, Format::ClaudeCode);
    opened.conversations
}

fn line(kind: &str, id: &str, parent: &str, content: Value) -> Value {
    let parent = Some(parent).filter(|parent| !parent.is_empty());
    json!({"type": kind, "uuid": id, "parentUuid": parent, "sessionId": "s",
        "timestamp": format!("2025-10-01T10:00:00.{id}Z"),
        "message": {"role": kind, "content": content}})
}

fn words(imported: &Imported) -> Vec<&str> {
    let spoken = imported.messages.iter();
    let spoken = spoken.filter(|message| !matches!(message, AgentMessage::Custom { .. }));
    let blocks = spoken.flat_map(AgentMessage::content);
    blocks
        .filter_map(|block| match block {
            ContentBlock::Text { text } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

fn codes(imported: &Imported) -> Vec<&str> {
    let codes = imported.warnings.iter();
    codes.map(|warning| warning.code.as_str()).collect()
}

#[test]
fn lines_of_one_message_are_one_answer_with_all_its_blocks_and_the_last_usage() {
    let block = |id: &str, parent: &str, block: Value, output: u64| {
        let mut line = line("assistant", id, parent, json!([block]));
        line["requestId"] = json!("r");
        line["message"]["id"] = json!("m");
        line["message"]["usage"] = json!({"input_tokens": 7, "output_tokens": output,
            "cache_read_input_tokens": 100});
        line
    };
    let call = json!({"type": "tool_use", "id": "t", "name": "Read", "input": {}});
    let result = json!([{"type": "tool_result", "tool_use_id": "t", "content": "A"}]);
    let found = read(&[
        line("user", "1", "", json!("?")),
        block(
            "2",
            "1",
            json!({"type": "thinking", "thinking": "hm", "signature": "s"}),
            1,
        ),
        block("3", "2", json!({"type": "text", "text": "Let me look."}), 9),
        line("user", "5", "4", result),
        block("4", "3", call, 40),
    ]);
    let answers: Vec<_> = found[0]
        .messages
        .iter()
        .filter_map(|message| match message {
            AgentMessage::Assistant { content, usage, .. } => Some((content.len(), usage.clone())),
            _ => None,
        })
        .collect();
    let usage = Usage {
        input: Some(7),
        output: Some(40),
        cache_read: Some(100),
        ..Usage::default()
    };
    assert_eq!(answers, [(3, Some(usage))]);
    assert_eq!(codes(&found[0]), [""; 0]);
}

#[test]
fn lost_parents_repeated_lines_and_a_snapshot_with_a_messages_id_take_nothing_away() {
    let found = read(&[
        json!({"type": "file-history-snapshot", "messageId": "1", "snapshot": {}}),
        line("user", "1", "in another file", json!("one")),
        line("assistant", "2", "1", json!("two")),
        line("user", "1", "in another file", json!("one")),
        line("assistant", "2", "1", json!("two")),
        line("user", "3", "retried", json!("three")),
    ]);
    assert_eq!(words(&found[0]), ["one", "two", "three"]);
    let told = ["lines_not_kept", "line_repeated", "parent_not_in_file"];
    assert_eq!(codes(&found[0]), told);
}

#[test]
fn a_sub_agent_is_a_conversation_of_its_own_after_the_one_that_started_it() {
    let of = |mut line: Value, key: &str, value: Value| {
        line[key] = value;
        line
    };
    let side = |line: Value| of(line, "isSidechain", json!(true));
    let found = read(&[
        line("user", "1", "", json!("main")),
        of(
            side(line("user", "2", "", json!("Search the\nhouse."))),
            "agentId",
            json!("a"),
        ),
        // Older files do not name them.
        side(line("user", "3", "", json!("Count."))),
        of(
            side(line("assistant", "4", "2", json!("found"))),
            "agentId",
            json!("a"),
        ),
        side(line("assistant", "5", "3", json!("seven"))),
        line("assistant", "6", "1", json!("done")),
        of(
            line("assistant", "7", "", json!("below a call")),
            "parent_tool_use_id",
            json!("t"),
        ),
    ]);
    let told: Vec<_> = found
        .iter()
        .map(|one| (one.title.as_deref(), words(one)))
        .collect();
    let expected = [
        (None, vec!["main", "done"]),
        (
            Some("Search the house."),
            vec!["Search the\nhouse.", "found"],
        ),
        (Some("Count."), vec!["Count.", "seven"]),
        (None, vec!["below a call"]),
    ];
    assert_eq!(told, expected);
}

#[test]
fn the_file_of_a_sub_agent_is_one_conversation() {
    let side = |kind: &str, id: &str, parent: &str| {
        let mut line = line(kind, id, parent, json!(id));
        line["isSidechain"] = json!(true);
        line["agentId"] = json!("a");
        line
    };
    let found = read(&[side("user", "1", ""), side("assistant", "2", "1")]);
    assert_eq!(found.iter().map(words).collect::<Vec<_>>(), [["1", "2"]]);
}
