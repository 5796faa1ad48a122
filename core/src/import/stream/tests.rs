use super::*;
use crate::json::{Notes, Text};
use serde_json::json;

fn text(source: &str) -> Text<'_> {
    Text {
        bytes: source.as_bytes().into(),
        place: Place::default(),
    }
}

/// The answers of server-sent events, and what was noticed.
fn joined(source: &str) -> (Vec<Joined>, Vec<String>) {
    let mut notes = Notes::default();
    let events = events(&text(source), &mut notes);
    let (answers, strange) = join(events);
    let mut said: Vec<String> = notes
        .finish()
        .into_iter()
        .map(|w| format!("{} {}", w.code, w.line.unwrap()))
        .collect();
    if strange > 0 {
        said.push(format!("{strange} strange"));
    }
    (answers, said)
}

fn one(events: &[Value]) -> (Value, bool) {
    let lines: String = events.iter().map(|e| format!("data: {e}\n\n")).collect();
    let (mut answers, said) = joined(&lines);
    assert_eq!((answers.len(), said), (1, vec![]));
    let answer = answers.remove(0);
    (answer.body, answer.whole)
}

#[test]
fn events_end_where_a_blank_line_or_a_copy_of_one_ends_them() {
    let chunk = |word: &str| json!({"choices": [{"index": 0, "delta": {"content": word}}]});
    let pretty = serde_json::to_string_pretty(&chunk("b"))
        .unwrap()
        .replace('\n', "\ndata: ");
    for (source, words, said) in [
        (
            format!(
                "data: {}\n\ndata:{}\r\n\r\ndata: [DONE]\n\n",
                chunk("a"),
                chunk("b")
            ),
            "ab",
            "",
        ),
        (
            format!("data: {}\ndata: {}\ndata: [DONE]", chunk("a"), chunk("b")),
            "ab",
            "",
        ),
        (
            format!(
                ": kept alive\nid: 1\ndata: {}\nevent: x\ndata: {pretty}",
                chunk("a")
            ),
            "ab",
            "",
        ),
        (
            format!(
                "data: {}\n\ndata: {{\"cho\n\ndata: {}",
                chunk("a"),
                chunk("b")
            ),
            "ab",
            "event_unreadable 3",
        ),
        (
            format!("data: {}\n\ndata: {{\"choices\": [", chunk("ab")),
            "ab",
            "event_unreadable 3",
        ),
        (
            format!(
                "data: {}\n\ndata: {{\"obfuscation\": \"x\"}}\n\n",
                chunk("ab")
            ),
            "ab",
            "1 strange",
        ),
    ] {
        let (answers, notes) = joined(&source);
        assert_eq!(
            answers[0].body.pointer("/choices/0/message/content"),
            Some(&json!(words)),
            "{source}"
        );
        assert_eq!(notes.join(", "), said, "{source}");
    }
}

#[test]
fn chat_deltas_are_one_completion() {
    let chunk = |choices: Value| json!({"id": "c1", "object": "chat.completion.chunk", "created": 7, "model": "m", "choices": choices, "usage": null});
    let delta = |delta: Value| chunk(json!([{"index": 0, "delta": delta, "finish_reason": null}]));
    let call = |piece: Value| delta(json!({"tool_calls": [piece]}));
    let (body, whole) = one(&[
        delta(json!({"role": "assistant", "content": ""})),
        delta(json!({"reasoning_content": "hm"})),
        delta(json!({"content": "a", "reasoning_content": null})),
        chunk(json!([{"index": 1, "delta": {"content": "other"}}])),
        delta(json!({"content": "b"})),
        call(
            json!({"index": 0, "id": "x", "type": "function", "function": {"name": "f", "arguments": ""}}),
        ),
        call(
            json!({"index": 1, "id": "y", "type": "function", "function": {"name": "g", "arguments": "{}"}}),
        ),
        call(json!({"index": 0, "function": {"arguments": "{\"a\""}})),
        call(json!({"index": 0, "id": "", "function": {"name": "", "arguments": ":1}"}})),
        chunk(json!([{"index": 0, "delta": {}, "finish_reason": "tool_calls"}])),
        json!({"id": "c1", "choices": [], "usage": {"prompt_tokens": 5}}),
    ]);
    assert!(whole);
    assert_eq!(
        body,
        json!({
            "id": "c1", "object": "chat.completion", "created": 7, "model": "m", "usage": {"prompt_tokens": 5},
            "choices": [
                {"index": 0, "message": {
                    "role": "assistant", "content": "ab", "reasoning_content": "hm",
                    "tool_calls": [
                        {"index": 0, "id": "x", "type": "function", "function": {"name": "f", "arguments": "{\"a\":1}"}},
                        {"index": 1, "id": "y", "type": "function", "function": {"name": "g", "arguments": "{}"}},
                    ],
                }, "finish_reason": "tool_calls"},
                {"index": 1, "message": {"content": "other"}},
            ],
        })
    );
}

#[test]
fn calls_that_all_say_they_are_the_first_are_told_apart_by_their_ids() {
    let call = |id: &str| json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": id, "function": {"name": "f", "arguments": id}}]}}]});
    let (body, whole) = one(&[call("1"), call("2")]);
    assert!(!whole);
    let calls = body.pointer("/choices/0/message/tool_calls").unwrap();
    assert_eq!(calls.as_array().map(Vec::len), Some(2));
    assert_eq!(calls.pointer("/1/function/arguments"), Some(&json!("2")));
}

#[test]
fn details_of_reasoning_and_a_content_of_parts_go_on() {
    let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let (body, _) = one(&[
        delta(json!({"reasoning_details": [{"type": "reasoning.text", "text": "a", "index": 0}]})),
        delta(json!({"reasoning_details": [{"type": "reasoning.text", "text": "b", "index": 0}]})),
        delta(
            json!({"reasoning_details": [{"type": "reasoning.text", "signature": "s", "index": 0}]}),
        ),
        delta(
            json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "c"}]}]}),
        ),
        delta(
            json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "d"}]}]}),
        ),
        delta(json!({"content": "e"})),
        delta(json!({"content": "f"})),
    ]);
    assert_eq!(
        body.pointer("/choices/0/message"),
        Some(&json!({
            "reasoning_details": [{"type": "reasoning.text", "text": "ab", "index": 0, "signature": "s"}],
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "cd"}]},
                {"type": "text", "text": "ef"},
            ],
        }))
    );
}

#[test]
fn anthropic_blocks_are_joined_by_their_index() {
    let block = |index: u64, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let delta = |index: u64, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let (body, whole) = one(&[
        json!({"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": null, "usage": {"input_tokens": 9, "cache_read_input_tokens": 4, "output_tokens": 1}}}),
        block(
            0,
            json!({"type": "thinking", "thinking": "", "signature": ""}),
        ),
        json!({"type": "ping"}),
        delta(0, json!({"type": "thinking_delta", "thinking": "h"})),
        delta(0, json!({"type": "thinking_delta", "thinking": "m"})),
        delta(0, json!({"type": "signature_delta", "signature": "sig"})),
        json!({"type": "content_block_stop", "index": 0}),
        block(1, json!({"type": "text", "text": ""})),
        delta(1, json!({"type": "text_delta", "text": "hel"})),
        delta(1, json!({"type": "text_delta", "text": "lo"})),
        delta(
            1,
            json!({"type": "citations_delta", "citation": {"cited_text": "c"}}),
        ),
        block(
            2,
            json!({"type": "tool_use", "id": "t1", "name": "f", "input": {}}),
        ),
        delta(2, json!({"type": "input_json_delta", "partial_json": ""})),
        delta(
            2,
            json!({"type": "input_json_delta", "partial_json": "{\"a\": "}),
        ),
        delta(2, json!({"type": "input_json_delta", "partial_json": "1}"})),
        block(
            3,
            json!({"type": "tool_use", "id": "t2", "name": "g", "input": {}}),
        ),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": null}, "usage": {"output_tokens": 30}}),
        json!({"type": "message_stop"}),
    ]);
    assert!(whole);
    assert_eq!(
        body,
        json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "tool_use",
            "usage": {"input_tokens": 9, "cache_read_input_tokens": 4, "output_tokens": 30},
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "sig"},
                {"type": "text", "text": "hello", "citations": [{"cited_text": "c"}]},
                {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}},
                {"type": "tool_use", "id": "t2", "name": "g", "input": {}},
            ],
        })
    );
}

#[test]
fn an_anthropic_stream_without_its_ends_keeps_what_came() {
    let delta = |index: u64, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let (body, whole) = one(&[
        delta(0, json!({"type": "text_delta", "text": "lo"})),
        delta(
            1,
            json!({"type": "input_json_delta", "partial_json": "{\"a\": "}),
        ),
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}),
    ]);
    assert!(!whole);
    assert_eq!(
        (body.get("content"), body.pointer("/error/message")),
        (
            Some(
                &json!([{"type": "text", "text": "lo"}, {"type": "tool_use", "input": "{\"a\": "}])
            ),
            Some(&json!("busy"))
        )
    );
}

#[test]
fn the_last_event_of_a_response_is_the_response() {
    let response = json!({"id": "resp_1", "object": "response", "output": [{"type": "message", "role": "assistant", "content": []}], "usage": {"input_tokens": 3}});
    let (body, whole) = one(&[
        json!({"type": "response.created", "response": {"id": "resp_1", "status": "in_progress", "output": []}}),
        json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "a"}),
        json!({"type": "response.completed", "response": response}),
    ]);
    assert!(whole);
    assert_eq!(body.get("output"), response.get("output"));
    assert_eq!(body.pointer("/usage/input_tokens"), Some(&json!(3)));
}

#[test]
fn a_response_that_leaves_its_items_out_or_was_cut_off_has_them_from_its_events() {
    let of = |index: u64, kind: &str, more: Value| {
        let mut event = json!({"type": format!("response.{kind}"), "output_index": index});
        event
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        event
    };
    let mut events = vec![
        json!({"type": "response.created", "response": {"id": "resp_1", "output": []}}),
        of(
            0,
            "output_item.added",
            json!({"item": {"type": "reasoning", "summary": []}}),
        ),
        of(
            0,
            "reasoning_summary_part.added",
            json!({"summary_index": 0, "part": {"type": "summary_text", "text": ""}}),
        ),
        of(
            0,
            "reasoning_summary_text.delta",
            json!({"summary_index": 0, "delta": "hm"}),
        ),
        of(
            1,
            "output_item.added",
            json!({"item": {"type": "message", "role": "assistant", "content": []}}),
        ),
        of(
            1,
            "content_part.added",
            json!({"content_index": 0, "part": {"type": "output_text", "text": ""}}),
        ),
        of(
            1,
            "output_text.delta",
            json!({"content_index": 0, "delta": "a"}),
        ),
        of(
            1,
            "output_text.delta",
            json!({"content_index": 0, "delta": "b"}),
        ),
        of(
            2,
            "output_item.added",
            json!({"item": {"type": "function_call", "call_id": "c", "name": "f", "arguments": ""}}),
        ),
        of(
            2,
            "function_call_arguments.delta",
            json!({"delta": "{\"x\""}),
        ),
    ];
    let cut = json!([
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "ab"}]},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{\"x\""},
    ]);
    let (body, whole) = one(&events);
    assert_eq!((body.get("output"), whole), (Some(&cut), false));
    let done =
        json!({"type": "function_call", "call_id": "c", "name": "f", "arguments": "{\"x\":1}"});
    events.push(of(2, "output_item.done", json!({ "item": done })));
    events.push(json!({"type": "response.completed", "response": {"id": "resp_1", "status": "completed", "output": []}}));
    let (body, whole) = one(&events);
    assert_eq!((body.pointer("/output/2"), whole), (Some(&done), true));
}

#[test]
fn gemini_chunks_are_one_answer_whose_words_are_not_cut_up() {
    let chunk = |parts: Value| json!({"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}], "usageMetadata": {"promptTokenCount": 2}, "responseId": "r"});
    let (body, whole) = one(&[
        chunk(json!([{"text": "hm", "thought": true}])),
        chunk(json!([{"text": "a"}])),
        chunk(
            json!([{"text": "b"}, {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "s"}]),
        ),
        json!({"response": {"candidates": [{"content": {"parts": [{"text": "c"}]}, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 2, "candidatesTokenCount": 5}}}),
    ]);
    assert!(whole);
    assert_eq!(
        body,
        json!({
            "responseId": "r",
            "usageMetadata": {"promptTokenCount": 2, "candidatesTokenCount": 5},
            "candidates": [{
                "content": {"role": "model", "parts": [
                    {"text": "hm", "thought": true},
                    {"text": "ab"},
                    {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "s"},
                    {"text": "c"},
                ]},
                "index": 0, "finishReason": "STOP",
            }],
        })
    );
}

#[test]
fn lines_of_a_local_server_are_one_answer() {
    let line = |word: &str| json!({"model": "m", "message": {"role": "assistant", "content": word}, "done": false});
    let call = json!({"model": "m", "message": {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}, "done": false});
    let last = json!({"model": "m", "message": {"role": "assistant", "content": ""}, "done": true, "prompt_eval_count": 4});
    let source: String = [line("a"), line("b"), call.clone(), call, last]
        .iter()
        .map(|line| format!("{line}\n"))
        .collect();
    let (mut answers, strange) = join(values(&text(&source), &mut Notes::default()));
    let answer = answers.remove(0);
    assert_eq!((answers.len(), strange, answer.whole), (0, 0, true));
    assert_eq!(answer.body.pointer("/message/content"), Some(&json!("ab")));
    let calls = answer.body.pointer("/message/tool_calls").unwrap();
    assert_eq!(calls.as_array().map(Vec::len), Some(2));
    assert_eq!(answer.body.get("prompt_eval_count"), Some(&json!(4)));
}

#[test]
fn a_capture_of_several_answers_is_several() {
    let chat = |id: &str| {
        format!(
            "data: {}\n\n",
            json!({"id": id, "choices": [{"index": 0, "delta": {"content": id}}]})
        )
    };
    let anthropic = "data: {\"type\":\"message_start\",\"message\":{\"content\":[]}}\n\n";
    let created = "data: {\"type\":\"response.created\",\"response\":{\"output\":[]}}\n\n";
    let source = [
        &chat("a"),
        &chat("a"),
        &chat("b"),
        anthropic,
        anthropic,
        created,
        created,
    ]
    .map(String::from);
    let (answers, said) = joined(&source.concat());
    assert_eq!((answers.len(), said), (6, vec![]));
    let lines: Vec<u64> = answers.iter().map(|answer| answer.place.line).collect();
    assert_eq!(lines, [1, 5, 7, 9, 11, 13]);
}
