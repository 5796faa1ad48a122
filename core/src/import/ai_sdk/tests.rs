use super::*;
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

/// What kind each message is, in order.
fn kinds(imported: &Imported) -> Vec<String> {
    let kind = |message: &Value| {
        let custom = word(message, "custom_type");
        custom.or_else(|| word(message, "role")).unwrap().to_owned()
    };
    let messages = serde_json::to_value(&imported.messages).unwrap();
    messages.as_array().unwrap().iter().map(kind).collect()
}

#[test]
fn ui_and_model_messages_in_one_list_are_told_apart_one_by_one() {
    let list = opened(json!([
        {"role": "user", "content": "hi"},
        {"role": "assistant", "parts": [{"type": "text", "text": "a"}]},
        {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {}}]},
        {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c", "toolName": "f", "output": {"type": "text", "value": "b"}}]},
        {"role": "user", "parts": [{"type": "text", "text": "c"}]},
    ]));
    assert_eq!(
        kinds(&list),
        ["user", "assistant", "assistant", "function_result", "user"]
    );
    assert_eq!(list.warnings, []);
}

#[test]
fn parts_of_version_7_have_words_and_unknown_ones_are_seen() {
    let list = opened(json!([
        {"role": "user", "parts": [{"type": "text", "content": "q"}]},
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "c", "name": "f", "arguments": {"a": 1}}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c", "response": {"b": 2}}]},
        {"role": "assistant", "parts": [{"type": "text", "content": "a"}, {"type": "mood", "of": "day"}]},
    ]));
    assert_eq!(
        kinds(&list),
        ["user", "assistant", "function_result", "assistant", "mood"]
    );
    let words: Vec<Value> = list.messages.iter().map(|m| json!(m.content())).collect();
    assert_eq!(words[0], json!([{"type": "text", "text": "q"}]));
    assert_eq!(words[2], json!([{"type": "text", "text": "{\"b\":2}"}]));
    assert_eq!(
        words[4],
        json!([{"type": "text", "text": "{\"type\":\"mood\",\"of\":\"day\"}"}])
    );
    assert_eq!(list.warnings[0].code, "part_unknown");
}

#[test]
fn an_approval_stands_next_to_its_call_and_knows_its_id() {
    let of_ui = opened(json!([{"role": "assistant", "parts": [
        {"type": "tool-f", "toolCallId": "c1", "state": "approval-responded", "input": {}, "approval": {"id": "p1", "approved": true}},
        {"type": "tool-g", "toolCallId": "c2", "state": "output-available", "input": {}, "output": 1},
    ]}]));
    let of_model = opened(json!([
        {"role": "assistant", "content": [
            {"type": "tool-call", "toolCallId": "c1", "toolName": "f", "input": {}},
            {"type": "tool-call", "toolCallId": "c2", "toolName": "g", "input": {}},
            {"type": "tool-approval-request", "approvalId": "p1", "toolCallId": "c1"},
        ]},
        {"role": "tool", "content": [
            {"type": "tool-approval-response", "approvalId": "p1", "approved": true},
            {"type": "tool-result", "toolCallId": "c2", "toolName": "g", "output": {"type": "json", "value": 1}},
        ]},
    ]));
    let expected = [
        "assistant",
        "tool-approval-request",
        "tool-approval-response",
        "function_result",
    ];
    for list in [of_ui, of_model] {
        assert_eq!(kinds(&list), expected);
        for message in &list.messages[1..3] {
            let message = json!(message);
            assert_eq!(message["details"]["approvalId"], "p1");
            assert_eq!(message["details"]["toolCallId"], "c1");
        }
    }
}

#[test]
fn every_state_of_a_call_is_read_for_what_it_knows() {
    for (part, failed, words) in [
        (
            json!({"state": "input-streaming", "rawInput": "{\"a\""}),
            None,
            "",
        ),
        (json!({"state": "input-available", "input": {}}), None, ""),
        (
            json!({"state": "approval-requested", "input": {}, "approval": {"id": "p"}}),
            None,
            "",
        ),
        (
            json!({"state": "approval-responded", "input": {}, "approval": {"id": "p", "approved": true}}),
            None,
            "",
        ),
        (
            json!({"state": "approval-responded", "input": {}, "approval": {"id": "p", "approved": false, "reason": "no"}}),
            Some(true),
            "no",
        ),
        (
            json!({"state": "output-available", "input": {}, "output": "b"}),
            Some(false),
            "b",
        ),
        (
            json!({"state": "output-available", "input": {}, "output": ["b"]}),
            Some(false),
            "[\"b\"]",
        ),
        (
            json!({"state": "output-available", "input": {}}),
            Some(false),
            "",
        ),
        (
            json!({"state": "output-error", "input": {}, "errorText": "e"}),
            Some(true),
            "e",
        ),
        (
            json!({"state": "output-denied", "input": {}, "approval": {"id": "p", "approved": false}}),
            Some(true),
            "",
        ),
    ] {
        let mut whole = json!({"type": "tool-f", "toolCallId": "c"});
        whole
            .as_object_mut()
            .unwrap()
            .extend(part.as_object().unwrap().clone());
        let list = opened(json!([{"role": "assistant", "parts": [whole]}]));
        let result = json!(list.messages.last());
        let found = result["is_error"].as_bool();
        let said = result["content"][0]["text"].as_str().unwrap_or_default();
        assert_eq!(
            (found, if found.is_some() { said } else { "" }),
            (failed, words),
            "{part}"
        );
        let unanswered = list
            .warnings
            .iter()
            .any(|warning| warning.code == "call_unanswered");
        assert_eq!(unanswered, failed.is_none(), "{part}");
    }
}

#[test]
fn usage_of_every_version_is_told_without_what_the_cache_read() {
    for (value, input, cache_read) in [
        (json!({"promptTokens": 9, "completionTokens": 1}), 9, None),
        (
            json!({"inputTokens": 9, "outputTokens": 1, "cachedInputTokens": 4}),
            5,
            Some(4),
        ),
        (
            json!({"inputTokens": 9, "inputTokenDetails": {"cacheReadTokens": 4, "cacheWriteTokens": 2}, "outputTokens": 1}),
            3,
            Some(4),
        ),
        (
            json!({"inputTokens": {"total": 9, "noCache": 5, "cacheRead": 4}, "outputTokens": {"total": 1}}),
            5,
            Some(4),
        ),
    ] {
        let found = usage(Some(&value)).unwrap();
        assert_eq!(
            (found.input, found.output, found.cache_read),
            (Some(input), Some(1), cache_read),
            "{value}"
        );
    }
    assert_eq!(usage(Some(&json!({"inputTokens": null}))), None);
}

#[test]
fn instructions_of_every_shape_are_the_system_text() {
    for instructions in [
        json!("a"),
        json!(["a"]),
        json!({"role": "system", "content": "a"}),
        json!([{"role": "system", "content": [{"type": "text", "text": "a"}]}]),
        json!({"type": "text", "content": "a"}),
        json!([{"type": "text", "text": "a"}]),
    ] {
        for key in ["system", "instructions"] {
            let user = json!({"role": "user", "parts": [{"type": "text", "text": "q"}]});
            let chat = opened(json!({"messages": [user], key: instructions}));
            let texts: Vec<&str> = chat
                .system
                .iter()
                .map(|piece| piece.text.as_str())
                .collect();
            assert_eq!(texts, ["a"], "{key} {instructions}");
        }
    }
}
