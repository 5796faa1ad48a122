use super::{open as open_with, *};
use crate::transcript::AgentMessage;

use proptest::prelude::*;
use serde_json::json;

fn open(bytes: &[u8]) -> Result<Opened, Refusal> {
    open_with(bytes, &Ask::default())
}

fn refused(bytes: &[u8]) -> Refusal {
    open(bytes).unwrap_err()
}

fn opened(value: &Value) -> Opened {
    open(value.to_string().as_bytes()).unwrap()
}

#[test]
fn every_format_is_named_once() {
    let words: Vec<String> = Format::all().map(|format| format.to_string()).collect();
    let once: BTreeSet<&String> = words.iter().collect();
    assert_eq!(once.len(), words.len(), "{words:?}");
}

#[test]
fn what_is_no_file_of_a_conversation_is_refused_with_its_place() {
    for (bytes, code, words) in [
        (&b""[..], INVALID, "the file is empty"),
        (b"\xef\xbb\xbf \n\0\0", INVALID, "the file is empty"),
        (b"hello there", INVALID, "line 1, column 1 (byte 0)"),
        (
            b"{\"messages\":[{\"role\":\"user\"",
            INVALID,
            "byte 27): the text ends inside an object; it looks cut off",
        ),
        (b"{}", INVALID, "it is an empty object"),
        (b"[]", INVALID, "it is an empty list"),
        (b"[1,2]", INVALID, "a list of something else"),
        (b"{\"foo\":1,\"bar\":2}", INVALID, "an object with foo, bar"),
        (b"7", INVALID, "a single value"),
        (b"{\"a\":1}\n{\"a\":2}\n", INVALID, "an object with a"),
        (
            b"{\"galley\":\"conversation/1\"}\n{}",
            INVALID,
            "one JSON object and nothing after it",
        ),
        (b"<!DOCTYPE html><p>", UNSUPPORTED, "choose the JSON file"),
        (b"# aider chat started at\n", UNSUPPORTED, "Markdown"),
        (b"PK\x03\x04\x14\0", INVALID, "the ZIP archive is damaged"),
        (b"\x1f\x8b\x08\0", INVALID, "the gzip file is damaged"),
        (b"\x28\xb5\x2f\xfd\0", INVALID, "the zstd file is damaged"),
        (
            b"SQLite format 3\0\x10",
            UNSUPPORTED,
            "the export command of the tool",
        ),
        (b"PAR1\x15", UNSUPPORTED, "as JSON or JSONL"),
    ] {
        let refusal = refused(bytes);
        assert_eq!(refusal.code, code, "{}", refusal.message);
        assert!(refusal.message.contains(words), "{}", refusal.message);
    }
}

#[test]
fn every_wrapping_of_chat_completions_opens() {
    let user = json!({"role": "user", "content": "q"});
    let answer = json!({"role": "assistant", "content": "a"});
    let one = |value: Value, roles: usize, request: bool| {
        let opened = opened(&value);
        assert_eq!(opened.format, Format::ChatCompletions, "{value}");
        assert_eq!(opened.conversations.len(), 1, "{value}");
        assert_eq!(opened.conversations[0].messages.len(), roles, "{value}");
        assert_eq!(
            opened.conversations[0].request.is_some(),
            request,
            "{value}"
        );
        assert_eq!(opened.warnings, [], "{value}");
    };
    let body = json!({"model": "m", "messages": [user, answer], "tools": [], "temperature": 1});
    let response = json!({"object": "chat.completion", "model": "m", "choices": [{"message": answer, "finish_reason": "stop"}]});
    one(json!([user, answer]), 2, false);
    one(json!({"messages": [user, answer]}), 2, false);
    one(json!({"messages": []}), 0, false);
    one(body.clone(), 2, true);
    one(
        json!({"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": body}),
        2,
        true,
    );
    one(
        json!({"custom_id": "1", "response": {"status_code": 200, "body": response}}),
        1,
        false,
    );
    one(response.clone(), 1, false);
    one(json!({"prompt": "q", "completion": "a"}), 2, false);
    let log = json!({"object": "traffic.completion", "id": "x", "model": "m", "created": 2, "messages": [user],
        "choices": [{"message": answer}], "usage": {"prompt_tokens": 3}, "temperature": 1.0});
    let Opened { conversations, .. } = opened(&log);
    let request = json!({"model": "m", "messages": [user], "temperature": 1.0});
    assert_eq!(conversations[0].request, Some(request));
    assert_eq!(conversations[0].messages[1].timestamp(), 2000);
    let preference = opened(
        &json!({"input": {"messages": [user], "tools": []}, "preferred_output": [answer], "non_preferred_output": [answer]}),
    );
    let titles: Vec<_> = preference
        .conversations
        .iter()
        .map(|c| c.title.as_deref().unwrap())
        .collect();
    assert_eq!(titles, ["preferred_output", "non_preferred_output"]);
    let several = opened(&json!([{"messages": [user]}, {"messages": [user, answer]}, 4]));
    assert_eq!(several.conversations.len(), 2);
    assert_eq!(several.warnings[0].path.as_deref(), Some("/2"));
}

#[test]
fn every_providers_api_opens_in_its_wrappings() {
    let user = json!({"role": "user", "content": "q"});
    let one = |value: Value, format: Format, outline: &[&str], request: bool| {
        let opened = opened(&value);
        assert_eq!(opened.format, format, "{value}");
        let [conversation] = opened.conversations.as_slice() else {
            panic!("one conversation is expected: {value}");
        };
        let roles = conversation.messages.iter().map(|message| match message {
            AgentMessage::User { .. } => "user",
            AgentMessage::Assistant { .. } => "assistant",
            AgentMessage::FunctionResult { .. } => "result",
            AgentMessage::Custom { .. } => "custom",
        });
        assert_eq!(roles.collect::<Vec<_>>(), outline, "{value}");
        assert_eq!(conversation.request.is_some(), request, "{value}");
        assert_eq!(opened.warnings, [], "{value}");
    };

    let item = json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]});
    let request = json!({"model": "m", "input": "q", "instructions": "s"});
    let response = json!({"object": "response", "model": "m", "status": "completed", "output": [item], "usage": {"input_tokens": 1}});
    let r = Format::Responses;
    one(request.clone(), r, &["user"], true);
    one(
        json!({"model": "m", "input": [user, item]}),
        r,
        &["user", "assistant"],
        true,
    );
    one(json!([user, item]), r, &["user", "assistant"], false);
    one(response.clone(), r, &["assistant"], false);
    one(
        json!({"custom_id": "1", "method": "POST", "url": "/v1/responses", "body": request}),
        r,
        &["user"],
        true,
    );
    one(
        json!({"custom_id": "1", "response": {"status_code": 200, "body": response}}),
        r,
        &["assistant"],
        false,
    );
    one(
        json!({"request": request, "response": response}),
        r,
        &["user", "assistant"],
        true,
    );
    one(
        json!({"object": "list", "data": [item, user], "has_more": false}),
        r,
        &["user", "assistant"],
        false,
    );
    one(
        json!({"object": "conversation", "data": [{"id": "1", "item": item, "response_info": {"model": "m"}}]}),
        r,
        &["assistant"],
        false,
    );
    one(
        json!({"object": "response.compaction", "output": [user, {"type": "compaction", "encrypted_content": "e"}]}),
        r,
        &["user", "custom", "user"],
        false,
    );

    let used = json!({"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]});
    let request = json!({"model": "claude-x", "max_tokens": 9, "system": "s", "messages": [user]});
    let response = json!({"type": "message", "role": "assistant", "model": "claude-x", "content": [{"type": "text", "text": "a"}],
        "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1}});
    let a = Format::Anthropic;
    one(json!([user, used]), a, &["user", "assistant"], false);
    one(request.clone(), a, &["user"], true);
    one(response.clone(), a, &["assistant"], false);
    one(
        json!({"custom_id": "1", "params": request}),
        a,
        &["user"],
        true,
    );
    one(
        json!({"custom_id": "1", "result": {"type": "succeeded", "message": response}}),
        a,
        &["assistant"],
        false,
    );
    one(
        json!({"request": request, "response": response}),
        a,
        &["user", "assistant"],
        true,
    );

    let content = json!({"role": "user", "parts": [{"text": "q"}]});
    let request = json!({"contents": [content], "systemInstruction": {"parts": [{"text": "s"}]}});
    let piece = |text: &str| json!({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP"}], "modelVersion": "m"});
    let g = Format::Gemini;
    one(
        json!([content, {"role": "model", "parts": [{"text": "a"}]}]),
        g,
        &["user", "assistant"],
        false,
    );
    one(request.clone(), g, &["user"], true);
    one(
        json!({"model": "models/m", "contents": content, "config": {"system_instruction": "s"}}),
        g,
        &["user"],
        true,
    );
    one(piece("a"), g, &["assistant"], false);
    one(json!([piece("a"), piece("b")]), g, &["assistant"], false);
    one(
        json!({"key": "1", "request": request, "response": piece("a")}),
        g,
        &["user", "assistant"],
        true,
    );
}

#[test]
fn a_batch_line_without_an_answer_is_told() {
    let failed = json!({"custom_id": "1", "result": {"type": "errored", "error": {"type": "invalid_request"}}});
    let good = json!({"custom_id": "2", "result": {"type": "succeeded", "message": {"type": "message", "role": "assistant",
        "content": [{"type": "text", "text": "a"}], "stop_reason": "end_turn"}}});
    let opened = open(format!("{good}\n{failed}\n").as_bytes()).unwrap();
    assert_eq!(opened.conversations.len(), 1);
    assert_eq!(opened.conversations[0].title.as_deref(), Some("2"));
    let warning = &opened.warnings[0];
    assert_eq!(
        (warning.code.as_str(), warning.line),
        ("no_answer", Some(2))
    );
}

#[test]
fn lines_are_read_one_by_one_and_a_bad_one_ends_nothing() {
    let good = r#"{"messages":[{"role":"user","content":"a\#b"}]}"#.replace("\\#", "\u{2028}");
    let text = format!(
        "{{\"messages\": bad\r\n{good}\r\n\n{}\n{good}{good}\n{{\"x\":1}}\n{{\"messages\":[\n",
        "\0".repeat(9)
    );
    let opened = open(text.as_bytes()).unwrap();
    assert_eq!(opened.conversations.len(), 3);
    let told: Vec<_> = opened
        .warnings
        .iter()
        .map(|w| (w.code.as_str(), w.line))
        .collect();
    let expected = [
        ("line_unreadable", Some(1)),
        ("not_a_conversation", Some(6)),
        ("line_cut_off", Some(7)),
    ];
    assert_eq!(told, expected);
    assert_eq!(
        opened.conversations[0].messages[0].content()[0],
        crate::transcript::ContentBlock::text("a\u{2028}b")
    );
}

#[test]
fn messages_by_line_are_one_conversation() {
    let text = "{\"role\":\"user\",\"content\":\"q\"}\n{\"role\":\"assistant\",\"content\":7}\n";
    let opened = open(text.as_bytes()).unwrap();
    assert_eq!(opened.conversations.len(), 1);
    let warning = &opened.conversations[0].warnings[0];
    assert_eq!(
        (warning.line, warning.offset, warning.path.as_deref()),
        (Some(2), Some(30), Some("/content"))
    );
}

#[test]
fn noise_is_refused_whatever_it_begins_with() {
    for start in [
        &b""[..],
        b"{",
        b"[",
        b"\"",
        b"\xff\xfe",
        b"{\"a\":\"",
        b"\n{",
    ] {
        let noise = (0..200_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8);
        let bytes: Vec<u8> = start.iter().copied().chain(noise).collect();
        assert_eq!(refused(&bytes).code, INVALID, "{start:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes_open_or_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = open(&bytes);
    }

    #[test]
    fn any_text_of_json_pieces_opens_or_is_refused(pieces in prop::collection::vec(prop_oneof![
        Just("{"), Just("}"), Just("["), Just("]"), Just(","), Just(":"), Just("\n"), Just("\""), Just("\\ud800"),
        Just("\"role\":"), Just("\"user\""), Just("\"content\":"), Just("\"messages\":["), Just("\"tool_calls\":[{"),
        Just("\"assistant\""), Just("\"tool\""), Just("null"), Just("NaN"), Just("7"), Just("\"id\":\"a\""),
    ], 0..40)) {
        let _ = open(pieces.concat().as_bytes());
    }
}
