use super::super::tests::{call, calls, codes, outline, read, texts, think};
use crate::transcript::ContentBlock;
use serde_json::{Value, json};

#[test]
fn items_of_one_answer_are_one_message() {
    let imported = read(json!([
        {"role": "user", "content": [{"type": "input_text", "text": "go"}]},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "a"}, {"type": "summary_text", "text": "b"}], "encrypted_content": "e"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Looking", "annotations": []}]},
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "ls", "arguments": "{}"},
        {"type": "function_call", "id": "fc_2", "call_id": "c2", "name": "cat", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c2", "output": "2"},
        {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "1"}]},
        {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "f"},
        {"role": "assistant", "content": "done"},
    ]));
    let lines = [
        "user",
        "assistant",
        "result c2 cat",
        "result c1 ls",
        "assistant",
    ];
    assert_eq!(outline(&imported), lines);
    let first = vec![
        think("a\n\nb", Some("e")),
        ContentBlock::text("Looking"),
        call("c1", "ls", json!({})),
        call("c2", "cat", json!({})),
    ];
    assert_eq!(imported.messages[1].content(), first);
    let last = vec![think("", Some("f")), ContentBlock::text("done")];
    assert_eq!(imported.messages[4].content(), last);
    assert_eq!(codes(&imported), Vec::<String>::new());
}

#[test]
fn an_item_that_the_server_ran_is_a_call_and_its_result() {
    let imported = read(json!([
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "q"}},
        {"type": "mcp_call", "id": "mcp_1", "server_label": "s", "name": "roll", "arguments": "{\"n\":1}", "output": "4"},
        {"type": "image_generation_call", "id": "ig_1", "result": "iVBORw0KGgo=", "revised_prompt": "a dot"},
        {"type": "mcp_list_tools", "id": "l", "server_label": "s", "tools": [{"name": "roll", "input_schema": {"type": "object"}}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]},
        {"type": "hologram", "id": "h"},
    ]));
    let lines = [
        "assistant",
        "result ws_1 web_search",
        "assistant",
        "result mcp_1 roll",
        "assistant",
        "result ig_1 image_generation",
        "assistant",
        "custom hologram",
    ];
    assert_eq!(outline(&imported), lines);
    let arguments: Vec<Value> = calls(&imported)
        .into_iter()
        .map(|(.., a)| a.clone())
        .collect();
    let expected = json!([{"type": "search", "query": "q"}, {"n": 1}, {"input": "a dot"}]);
    assert_eq!(Value::from(arguments), expected);
    assert!(matches!(
        imported.messages[5].content(),
        [ContentBlock::Image { .. }]
    ));
    assert_eq!(imported.tools[0].name, "roll");
    assert_eq!(codes(&imported), ["item_type_unknown /messages/5"]);
}

#[test]
fn a_sealed_summary_leaves_the_persons_own_words() {
    let imported = read(json!([
        {"role": "user", "content": "one"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "two"}]},
        {"type": "compaction", "encrypted_content": "xxxx"},
        {"role": "user", "content": "three"},
    ]));
    let lines = ["user", "assistant", "custom compaction", "user", "user"];
    assert_eq!(outline(&imported), lines);
    let words: Vec<&str> = imported.messages.iter().flat_map(texts).collect();
    assert_eq!(
        words,
        ["one", "two", "[summary: sealed, 4 bytes]", "one", "three"]
    );
}

#[test]
fn reasoning_that_a_server_shows_and_does_not_seal_is_read_and_never_sent_back() {
    let mut imported = read(json!([
        {"role": "user", "content": "go"},
        {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "shown"}]},
        {"type": "reasoning", "summary": [], "encrypted_content": "sealed"},
        {"role": "assistant", "content": "done"},
    ]));
    imported.api_format = Some(super::API_FORMAT.to_owned());
    assert_eq!(imported.messages[1].content()[0], think("shown", None));
    let (body, told) = super::write(&imported);
    let kinds: Vec<&Value> = body["input"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| &item["type"])
        .collect();
    assert_eq!(kinds, ["message", "reasoning", "message"]);
    assert_eq!(
        body["input"][1],
        json!({"type": "reasoning", "summary": [], "encrypted_content": "sealed"})
    );
    let told: Vec<_> = told
        .iter()
        .map(|w| (w.code.as_str(), w.path.as_deref()))
        .collect();
    assert_eq!(told, [("thinking_not_written", Some("/messages/1"))]);
}
