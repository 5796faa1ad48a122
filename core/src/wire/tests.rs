use super::*;
use crate::refusal::Warning;
use crate::role::Role;
use crate::transcript::{AgentMessage, ContentBlock, Imported, SystemPiece};
use serde_json::json;

pub(super) fn read(messages: Value) -> Imported {
    let mut reader = Reader::new(chat::API_FORMAT, Some("m"));
    reader.messages(&messages, "/messages");
    reader.finish()
}

pub(super) fn codes(imported: &Imported) -> Vec<String> {
    let place = |w: &Warning| format!("{} {}", w.code, w.path.as_deref().unwrap_or("-"));
    imported.warnings.iter().map(place).collect()
}

/// Roles, and of results the call and function they name.
pub(super) fn outline(imported: &Imported) -> Vec<String> {
    let line = |message: &AgentMessage| match message {
        AgentMessage::User { .. } => "user".to_owned(),
        AgentMessage::Assistant { .. } => "assistant".to_owned(),
        AgentMessage::FunctionResult {
            function_call_id,
            function_id,
            ..
        } => {
            format!("result {function_call_id} {function_id}")
        }
        AgentMessage::Custom { custom_type, .. } => format!("custom {custom_type}"),
    };
    imported.messages.iter().map(line).collect()
}

pub(super) fn calls(imported: &Imported) -> Vec<(&str, &str, &Value)> {
    let blocks = imported.messages.iter().flat_map(AgentMessage::content);
    blocks
        .filter_map(|block| match block {
            ContentBlock::FunctionCall {
                id,
                function_id,
                arguments,
            } => Some((id.as_str(), function_id.as_str(), arguments)),
            _ => None,
        })
        .collect()
}

#[test]
fn roles_have_aliases_and_an_unknown_one_is_kept_aside() {
    let imported = read(json!([
        {"role": "system", "content": "s"}, {"role": "developer", "content": [{"type": "text", "text": "d"}]},
        {"role": "human", "content": "1"}, {"role": "bot", "content": "2"}, {"role": "User", "content": "3"},
        {"role": "model", "content": "4"}, {"role": "moderator", "content": "5"}, "loose",
        {"role": "developer", "content": "late"},
    ]));
    let roles = [
        "user",
        "assistant",
        "user",
        "assistant",
        "custom moderator",
        "custom unreadable",
        "custom system_injection",
    ];
    assert_eq!(outline(&imported), roles);
    let piece = |role, text: &str| SystemPiece {
        role,
        text: text.into(),
    };
    assert_eq!(
        imported.system,
        [piece(Role::System, "s"), piece(Role::Developer, "d")]
    );
    assert_eq!(
        codes(&imported),
        ["role_unknown /messages/6", "not_a_message /messages/7"]
    );
}

#[test]
fn results_pair_by_id_and_take_the_calls_name() {
    let call = |id: &str, name: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}});
    let imported = read(json!([
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "", "tool_calls": [call("a", "read"), call("b", "list"), call("c", "read")]},
        {"role": "tool", "tool_call_id": "c", "content": "3"},
        {"role": "tool", "tool_call_id": "z", "content": "?"},
        {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "1"}]},
        {"role": "tool", "tool_call_id": "a", "content": "again"},
    ]));
    let lines = [
        "user",
        "assistant",
        "result c read",
        "result z unknown",
        "result a read",
        "result a read",
    ];
    assert_eq!(outline(&imported), lines);
    assert_eq!(
        codes(&imported),
        [
            "result_without_call /messages/3",
            "result_without_call /messages/5",
            "call_unanswered /messages/1/tool_calls/1"
        ]
    );
}

#[test]
fn repeated_and_missing_ids_are_made_unique() {
    let call = |id: &str| json!({"id": id, "function": {"name": "f", "arguments": "{}"}});
    let imported = read(json!([
        {"role": "assistant", "tool_calls": [call("x"), call("x"), call(""), {"function": {"name": "g", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "x", "content": "1"},
        {"role": "tool", "tool_call_id": "x", "content": "2"},
        {"role": "tool", "content": "3"},
        {"role": "tool", "name": "g", "content": "4"},
        {"role": "assistant", "content": null, "function_call": {"name": "old", "arguments": "{}"}},
        {"role": "function", "name": "old", "content": "5"},
    ]));
    let ids: Vec<_> = calls(&imported).into_iter().map(|(id, _, _)| id).collect();
    assert_eq!(ids, ["x", "x#2", "call#1", "call#2", "call#3"]);
    let lines = [
        "assistant",
        "result x f",
        "result x#2 f",
        "result call#1 f",
        "result call#2 g",
        "assistant",
        "result call#3 old",
    ];
    assert_eq!(outline(&imported), lines);
    assert_eq!(
        codes(&imported),
        ["call_id_repeated /messages/0/tool_calls/1"]
    );
}

#[test]
fn arguments_keep_the_models_own_string() {
    let call = |n: usize, arguments: Value| json!({"id": n.to_string(), "function": {"name": "f", "arguments": arguments}});
    let texts = [
        r#"{"b":1,"a":2}"#,
        r#"{ "b": 1 }"#,
        "",
        "{\"a\":",
        "\"\\ud83d\"",
    ];
    let list: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(n, text)| call(n, json!(text)))
        .collect();
    let mut list = Value::from(list);
    list.as_array_mut()
        .unwrap()
        .push(call(5, json!({"already": [1]})));
    let custom = json!({"id": "6", "type": "custom", "custom": {"name": "sh", "input": "ls -l"}});
    list.as_array_mut().unwrap().push(custom);
    let imported = read(json!([{"role": "assistant", "tool_calls": list}]));
    let values: Vec<Value> = calls(&imported)
        .into_iter()
        .map(|(_, _, value)| value.clone())
        .collect();
    let expected = json!([{"b": 1, "a": 2}, {"b": 1}, {"_raw": ""}, {"_raw": "{\"a\":"}, "\u{fffd}", {"already": [1]}, "ls -l"]);
    assert_eq!(Value::from(values), expected);
    let own =
        json!({"1": "{ \"b\": 1 }", "2": "", "3": "{\"a\":", "4": "\"\\ud83d\"", "6": "ls -l"});
    assert_eq!(serde_json::to_value(&imported.arguments).unwrap(), own);
    assert_eq!(
        codes(&imported)[0],
        "arguments_not_json /messages/0/tool_calls/3"
    );
}

#[test]
fn reasoning_stands_before_the_words_and_a_refusal_is_words() {
    let think = |text: &str, signature: Option<&str>| ContentBlock::Thinking {
        text: text.into(),
        signature: signature.map(str::to_owned),
    };
    for (message, blocks) in [
        (
            json!({"reasoning_content": "r", "content": "a"}),
            vec![think("r", None), ContentBlock::text("a")],
        ),
        (
            json!({"reasoning": "r", "content": "a"}),
            vec![think("r", None), ContentBlock::text("a")],
        ),
        (
            json!({"thinking": "r", "content": ""}),
            vec![think("r", None)],
        ),
        (
            json!({"reasoning": "r", "reasoning_details": [{"type": "reasoning.text", "text": "r", "signature": "s"},
                {"type": "reasoning.encrypted", "data": "e"}], "content": "a"}),
            vec![
                think("r", Some("s")),
                think("", Some("e")),
                ContentBlock::text("a"),
            ],
        ),
        (
            json!({"reasoning": "r", "reasoning_details": [{"type": "reasoning.encrypted", "data": "e"}]}),
            vec![think("r", None), think("", Some("e"))],
        ),
        (
            json!({"content": null, "refusal": "no"}),
            vec![ContentBlock::text("no")],
        ),
        (
            json!({"content": [{"type": "refusal", "refusal": "no"}]}),
            vec![ContentBlock::text("no")],
        ),
        (
            json!({"content": null, "audio": {"id": "x", "transcript": "said"}}),
            vec![ContentBlock::text("said")],
        ),
        (
            json!({"content": null, "audio": {"id": "x"}}),
            vec![ContentBlock::text("[audio: x]")],
        ),
        (
            json!({"content": "", "content_parts": [{"type": "text", "text": "p"}]}),
            vec![ContentBlock::text("p")],
        ),
    ] {
        let mut reader = Reader::new(chat::API_FORMAT, None);
        reader.reply(&message, "", Reply::default());
        let imported = reader.finish();
        assert_eq!(imported.messages[0].content(), blocks, "{message}");
        let AgentMessage::Assistant { stop_reason, .. } = &imported.messages[0] else {
            panic!("an assistant's message is expected");
        };
        let refused = message.to_string().contains("refusal");
        assert_eq!(*stop_reason == StopReason::Error, refused, "{message}");
    }
}

#[test]
fn tools_come_in_every_shape() {
    let mut reader = Reader::new(chat::API_FORMAT, None);
    let parameters = json!({"type": "object"});
    let list = json!([
        {"type": "function", "function": {"name": "a", "description": "d", "parameters": parameters}},
        {"type": "function", "name": "b", "parameters": parameters},
        {"name": "c"},
        {"type": "custom", "custom": {"name": "d"}},
        {"type": "web_search"},
        7,
    ]);
    reader.tools(Some(&list), "/tools");
    let imported = reader.finish();
    let names: Vec<_> = imported
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    assert_eq!(names, ["a", "b", "c", "d", "web_search"]);
    assert_eq!(imported.tools[0].parameters, parameters);
    assert_eq!(codes(&imported), ["tool_unreadable /tools/5"]);
}

#[test]
fn usage_takes_the_cache_out_of_the_input() {
    let counted = json!({"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107,
        "prompt_tokens_details": {"cached_tokens": 60}, "completion_tokens_details": {"reasoning_tokens": 5}});
    let expected = Usage {
        input: Some(40),
        output: Some(7),
        cache_read: Some(60),
        reasoning: Some(5),
        ..Usage::default()
    };
    assert_eq!(usage(Some(&counted)), Some(expected));
    assert_eq!(usage(Some(&json!({}))), None);
    assert_eq!(usage(Some(&json!(null))), None);
}

#[test]
fn each_providers_count_comes_out_without_the_cache() {
    let usage = |value: Value| usage(Some(&value)).unwrap();
    let read = |input, output, cache_read, cache_write, reasoning| Usage {
        input: Some(input),
        output: Some(output),
        cache_read,
        cache_write,
        reasoning,
        cost_usd: None,
    };
    assert_eq!(
        usage(
            json!({"input_tokens": 100, "input_tokens_details": {"cached_tokens": 60},
            "output_tokens": 9, "output_tokens_details": {"reasoning_tokens": 4}})
        ),
        read(40, 9, Some(60), None, Some(4))
    );
    assert_eq!(
        usage(
            json!({"input_tokens": 100, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 5,
            "output_tokens": 9, "cache_creation": {"ephemeral_5m_input_tokens": 5}})
        ),
        read(100, 9, Some(60), Some(5), None)
    );
    assert_eq!(
        usage(
            json!({"promptTokenCount": 100, "cachedContentTokenCount": 60, "candidatesTokenCount": 9,
            "thoughtsTokenCount": 4, "totalTokenCount": 113})
        ),
        read(40, 13, Some(60), None, Some(4))
    );
    assert_eq!(
        usage(
            json!({"prompt_token_count": 8, "candidates_token_count": 1, "thoughts_token_count": null})
        ),
        read(8, 1, None, None, None)
    );
}

#[test]
fn every_providers_word_for_stopping_is_known() {
    for (reason, word) in [
        ("stop", StopReason::End),
        ("end_turn", StopReason::End),
        ("STOP", StopReason::End),
        ("completed", StopReason::End),
        ("MAX_TOKENS", StopReason::Length),
        ("max_output_tokens", StopReason::Length),
        ("model_context_window_exceeded", StopReason::Length),
        ("tool_use", StopReason::FunctionCall),
        ("toolUse", StopReason::FunctionCall),
        ("cancelled", StopReason::Aborted),
        ("interrupted", StopReason::Aborted),
        ("SAFETY", StopReason::Error),
        ("MALFORMED_FUNCTION_CALL", StopReason::Error),
        ("refusal", StopReason::Error),
    ] {
        assert_eq!(stop_reason(reason), word, "{reason}");
    }
}

pub(super) fn think(text: &str, signature: Option<&str>) -> ContentBlock {
    ContentBlock::Thinking {
        text: text.into(),
        signature: signature.map(str::to_owned),
    }
}

pub(super) fn call(id: &str, name: &str, arguments: Value) -> ContentBlock {
    ContentBlock::FunctionCall {
        id: id.into(),
        function_id: name.into(),
        arguments,
    }
}

pub(super) fn texts(message: &AgentMessage) -> Vec<&str> {
    let blocks = message.content().iter();
    let texts = blocks.filter_map(|block| match block {
        ContentBlock::Text { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

#[test]
fn a_list_may_mix_the_shapes() {
    let imported = read(json!([
        {"role": "user", "content": "chat"},
        {"role": "assistant", "parts": [{"type": "text", "text": "parts"}]},
        {"role": "user", "parts": [{"text": "contents"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
        {"type": "function_call_output", "call_id": "t", "output": "items"},
        {"role": "assistant", "tool_calls": [{"id": "u", "function": {"name": "g", "arguments": "{}"}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "u", "content": "blocks"}]},
    ]));
    let lines = [
        "user",
        "assistant",
        "user",
        "assistant",
        "result t f",
        "assistant",
        "result u g",
    ];
    assert_eq!(outline(&imported), lines);
    let words: Vec<&str> = imported.messages.iter().flat_map(texts).collect();
    assert_eq!(words, ["chat", "parts", "contents", "items", "blocks"]);
    assert_eq!(codes(&imported), Vec::<String>::new());
}

#[test]
fn a_picture_is_one_in_every_spelling_and_in_an_outputs_string() {
    let data = "iVBORw0KGgo=";
    let url = format!("data:image/png;base64,{data}");
    let image = vec![ContentBlock::Image {
        mime: "image/png".into(),
        data: data.into(),
    }];
    for message in [
        json!({"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}),
        json!({"role": "user", "content": [{"type": "input_image", "image_url": url}]}),
        json!({"role": "user", "content": [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}]}),
        json!({"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": data}}]}),
        json!({"role": "user", "content": [{"type": "image", "data": data, "mimeType": "image/png"}]}),
        json!({"role": "tool", "content": url}),
        json!({"type": "function_call_output", "call_id": "c", "output": url.replace("data:", "DATA:")}),
        json!({"type": "function_call_output", "call_id": "c",
            "output": json!([{"type": "image", "data": data, "mimeType": "image/png"}]).to_string()}),
        json!({"type": "function_call_output", "call_id": "c",
            "output": json!({"content": [{"type": "image", "data": data, "mimeType": "image/png"}]}).to_string()}),
        json!({"type": "computer_call_output", "call_id": "c", "output": {"type": "computer_screenshot", "image_url": url}}),
    ] {
        let imported = read(json!([message]));
        assert_eq!(imported.messages[0].content(), image, "{message}");
    }
    for output in [
        "data:image/png;base64,[image omitted]",
        "[\"image\"]",
        "see data:image/png;base64,iVBORw0KGgo=",
    ] {
        let imported = read(json!([{"role": "tool", "content": output}]));
        assert!(
            matches!(imported.messages[0].content(), [ContentBlock::Text { .. }]),
            "{output}"
        );
    }
}
