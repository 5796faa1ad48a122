use super::super::tests::{call, codes, outline, read, texts, think};
use crate::transcript::{AgentMessage, ContentBlock};
use serde_json::json;

#[test]
fn blocks_of_calls_and_results_stand_in_their_messages() {
    let imported = read(json!([
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "redacted_thinking", "data": "r"},
            {"type": "text", "text": "Looking"},
            {"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {"p": "."}},
            {"type": "tool_use", "id": "toolu_2", "name": "cat", "input": {}}]},
        {"role": "user", "content": [
            {"type": "text", "text": "and hurry"},
            {"type": "tool_result", "tool_use_id": "toolu_2", "is_error": true},
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "a"}, {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}]}]},
        {"role": "assistant", "content": [
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}},
            {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"type": "web_search_result", "url": "u", "title": "t", "encrypted_content": "zzzz"}]},
            {"type": "text", "text": "found"}]},
        {"role": "user", "content": [{"type": "document", "title": "a.pdf", "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"}},
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "plain"}}]},
    ]));
    let lines = [
        "user",
        "assistant",
        "result toolu_2 cat",
        "result toolu_1 ls",
        "user",
        "assistant",
        "result srvtoolu_1 web_search",
        "assistant",
        "user",
    ];
    assert_eq!(outline(&imported), lines);
    let said = vec![
        think("hm", Some("s")),
        think("", Some("r")),
        ContentBlock::text("Looking"),
        call("toolu_1", "ls", json!({"p": "."})),
        call("toolu_2", "cat", json!({})),
    ];
    assert_eq!(imported.messages[1].content(), said);
    assert!(matches!(
        &imported.messages[2],
        AgentMessage::FunctionResult { is_error: true, .. }
    ));
    assert_eq!(imported.messages[3].content().len(), 2);
    let found = r#"[{"type":"web_search_result","url":"u","title":"t"}]"#;
    assert_eq!(texts(&imported.messages[6]), [found]);
    assert!(
        matches!(&imported.messages[6], AgentMessage::FunctionResult { details, .. } if details.to_string().contains("zzzz"))
    );
    assert_eq!(
        texts(&imported.messages[8]),
        ["[file: a.pdf, application/pdf, 3 bytes]", "plain"]
    );
    assert_eq!(
        (
            imported.attachments[0].message,
            imported.attachments[0].block
        ),
        (8, 0)
    );
    assert_eq!(
        codes(&imported),
        ["attachment_not_read /messages/4/content/0"]
    );
}

#[test]
fn a_summary_among_blocks_is_a_marker() {
    let imported = read(json!([
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": [{"type": "compaction", "content": "so far"}, {"type": "text", "text": "on"}]},
        {"role": "assistant", "content": [{"type": "compaction", "content": null}, {"type": "text", "text": "still"}]},
    ]));
    let lines = [
        "user",
        "custom compaction",
        "assistant",
        "custom compaction",
        "assistant",
    ];
    assert_eq!(outline(&imported), lines);
    assert_eq!(texts(&imported.messages[1]), ["so far"]);
    assert_eq!(texts(&imported.messages[3]), [""; 0]);
}
