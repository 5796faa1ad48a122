use super::*;
use crate::conversation::read;
use crate::transcript::{AgentFunction, Attachment, SystemPiece};
use proptest::prelude::*;
use serde_json::json;

fn imported(messages: Value) -> Imported {
    let messages = messages.as_array().unwrap().iter().map(|message| {
        let mut message = message.clone();
        message["timestamp"] = json!(message.get("timestamp").cloned().unwrap_or(json!(0)));
        if let Value::String(text) = &message["content"] {
            message["content"] = json!([{"type": "text", "text": text}]);
        }
        if message["role"] == "assistant" {
            for (key, value) in [("model", "m"), ("provider", "p"), ("stop_reason", "end")] {
                if message.get(key).is_none() {
                    message[key] = json!(value);
                }
            }
        }
        serde_json::from_value(message).unwrap()
    });
    Imported {
        messages: messages.collect(),
        api_format: Some("openai_chat".into()),
        ..Imported::default()
    }
}

/// The turns without what every turn has.
fn turns(file: &Conversation) -> Value {
    let mut turns = serde_json::to_value(&file.turns).unwrap();
    for turn in turns.as_array_mut().unwrap() {
        for key in ["id", "position", "visibility", "model"] {
            if key != "visibility" || turn[key] == "visible" {
                turn.as_object_mut().unwrap().shift_remove(key);
            }
        }
    }
    turns
}

fn check(messages: Value, expected: Value) -> Conversation {
    let (file, _) = from_transcript(imported(messages));
    assert_eq!(turns(&file), expected);
    file
}

fn call(id: &str) -> Value {
    json!({"type": "function_call", "id": id, "function_id": "f", "arguments": {"n": id}})
}

fn result(id: &str, text: &str) -> Value {
    json!({"role": "function_result", "function_call_id": id, "function_id": "f", "content": text})
}

#[test]
fn words_open_a_reply_and_the_last_unanswered_ones_are_pending() {
    let file = check(
        json!([{"role": "user", "content": "q1"}, {"role": "assistant", "content": "a1"},
            {"role": "user", "content": "q2"}, {"role": "user", "content": "q3"}, {"role": "assistant", "content": "a3"},
            {"role": "user", "content": "q4"}, {"role": "user", "content": "q5"}]),
        json!([
            {"kind": "direct_reply", "role": "assistant", "prompt": {"text": "q1", "uploads": []}, "content": "a1"},
            {"kind": "message", "role": "user", "text": "q2"},
            {"kind": "direct_reply", "role": "assistant", "prompt": {"text": "q3", "uploads": []}, "content": "a3"},
            {"kind": "message", "role": "user", "text": "q4"}]),
    );
    assert_eq!(
        file.pending,
        Some(Seed {
            text: "q5".into(),
            uploads: vec![]
        })
    );
}

#[test]
fn rounds_keep_calls_with_their_results_however_late() {
    check(
        json!([{"role": "user", "content": "q"},
            {"role": "assistant", "content": [{"type": "text", "text": "x"}, call("a"), call("b")]},
            result("b", "rb"),
            {"role": "assistant", "content": [call("c")]},
            result("c", "rc"), result("a", "ra"), result("z", "rz"),
            {"role": "assistant", "content": "done", "usage": {"input": 5, "cache_read": 7, "output": 2}}]),
        json!([{"kind": "direct_reply", "role": "assistant", "prompt": {"text": "q", "uploads": []}, "run": {"rounds": [
            {"key": "r1", "output": "x", "calls": [{"id": "a", "name": "f", "arguments": "{\"n\":\"a\"}"}, {"id": "b", "name": "f", "arguments": "{\"n\":\"b\"}"}],
                "results": {"b": {"status": "completed", "output": "rb"}, "a": {"status": "completed", "output": "ra"}}},
            {"key": "r2", "calls": [{"id": "c", "name": "f", "arguments": "{\"n\":\"c\"}"}],
                "results": {"c": {"status": "completed", "output": "rc"}, "z": {"status": "completed", "output": "rz"}}},
            {"key": "r3", "output": "done"}]},
            "usage": {"status": "succeeded", "model": "m", "input_tokens": 12, "output_tokens": 2, "cache_read_tokens": 7}}]),
    );
}

#[test]
fn words_in_parts_are_turns_in_a_row_and_pictures_follow_them() {
    let picture = json!({"type": "image", "mime": "image/png", "data": "AAAA"});
    let text = |text: &str| json!({"type": "text", "text": text});
    let mut imported = imported(json!([
        {"role": "user", "content": [text("a"), picture, text("b"), text("[image: https://x]")]},
        {"role": "assistant", "content": [text("c"), text("d")]}]));
    imported.attachments = vec![Attachment {
        message: 0,
        block: 3,
        content_type: "image/*".into(),
        reference: Some("https://x".into()),
        ..Attachment::default()
    }];
    let (file, warnings) = from_transcript(imported);
    let expected = json!([
        {"kind": "message", "role": "user", "text": "a", "uploads": ["up1"]},
        {"kind": "direct_reply", "role": "assistant", "prompt": {"text": "b", "uploads": ["up2"]},
            "run": {"rounds": [{"key": "r1", "output": "c"}, {"key": "r2", "output": "d"}]}}]);
    assert_eq!(turns(&file), expected);
    assert_eq!(
        serde_json::to_value(&file.uploads).unwrap(),
        json!({"up1": {"filename": "image-1.png", "content_type": "image/png", "byte_size": 3},
            "up2": {"filename": "image-2", "content_type": "image/*", "byte_size": 0, "reference": "https://x"}})
    );
    assert_eq!(warnings[0].code, "picture_bytes_not_kept");
}

#[test]
fn system_texts_summaries_and_asides_keep_their_places() {
    let custom = |kind: &str, text: &str, details: Value| json!({"role": "custom", "custom_type": kind, "content": text, "details": details});
    check(
        json!([custom("note", "n0", json!(null)),
            {"role": "user", "content": "q1"}, custom("note", "n1", json!({"x": 1})), {"role": "assistant", "content": "a1"},
            custom("system_injection", "s", json!({"role": "developer"})),
            {"role": "assistant", "content": "a2"},
            custom("compaction", "", json!({"summary": "so far"})),
            {"role": "custom", "custom_type": "note", "content": "n2", "display": "hidden"},
            {"role": "user", "content": "q3"}]),
        json!([
            {"kind": "message", "role": "system", "visibility": "excluded_from_context", "speaker": "system", "text": "n0", "custom_type": "note"},
            {"kind": "direct_reply", "role": "assistant", "prompt": {"text": "q1", "uploads": []}, "content": "a1"},
            {"kind": "message", "role": "system", "visibility": "excluded_from_context", "speaker": "system", "text": "n1", "custom_type": "note", "details": {"x": 1}},
            {"kind": "message", "role": "developer", "speaker": "system", "text": "s"},
            {"kind": "direct_reply", "role": "assistant", "content": "a2"},
            {"kind": "compaction_summary", "role": "user", "status": "completed", "speaker": "system", "content": "so far"},
            {"kind": "message", "role": "system", "visibility": "hidden", "speaker": "system", "text": "n2", "custom_type": "note"}]),
    );
}

#[test]
fn what_stands_around_the_messages_is_kept() {
    let mut answered = imported(json!([{"role": "user", "content": "q"},
        {"role": "assistant", "content": [{"type": "thinking", "text": "hm", "signature": "sig"}, {"type": "text", "text": "a"}]}]));
    let piece = |role, text: &str| SystemPiece {
        role,
        text: text.into(),
    };
    answered.title = Some("t".into());
    answered.model = Some("vendor/model".into());
    answered.system = vec![
        piece(Role::Developer, "be {{terse}}"),
        piece(Role::System, "two"),
    ];
    answered.request = Some(json!({"model": "vendor/model", "messages": []}));
    answered.tools = vec![AgentFunction {
        name: "f".into(),
        description: String::new(),
        parameters: json!({"type": "object"}),
        label: None,
        execution_mode: None,
    }];
    let (file, warnings) = from_transcript(answered.clone());
    assert_eq!(warnings, []);
    let written = serde_json::to_value(&file).unwrap();
    for (pointer, expected) in [
        ("/title", json!("t")),
        ("/current_model", json!("vendor/model")),
        ("/users/agent/default_model", json!("vendor/model")),
        (
            "/users/agent/tools",
            json!([{"name": "f", "parameters": {"type": "object"}}]),
        ),
        (
            "/documents",
            json!([{"slot": "system_prompt", "owner": "agent", "role": "developer", "content": "be {{terse}}\n\ntwo", "version": 1, "literal": true}]),
        ),
        ("/turns/0/model", json!("m")),
        (
            "/turns/0/request",
            json!({"model": "vendor/model", "messages": []}),
        ),
        (
            "/turns/0/trace",
            json!({"format": "chat_reasoning", "provider_id": "p", "model_id": "m", "api_format": "openai_chat",
            "items": [{"ordinal": 0, "kind": "reasoning", "text": "hm", "signature": "sig"}]}),
        ),
    ] {
        assert_eq!(written.pointer(pointer), Some(&expected), "{pointer}");
    }
    let mut asked = answered.clone();
    asked.messages.pop();
    let (file, _) = from_transcript(asked);
    assert_eq!(file.turns, []);
    assert_eq!(file.pending.unwrap().text, "q");
    assert_eq!(file.extra["request"], answered.request.unwrap());
}

#[test]
fn the_models_own_argument_string_is_kept() {
    let mut imported = imported(json!([{"role": "assistant", "content": [call("a"), call("a")]}]));
    imported.arguments.insert("a".into(), "{ \"n\": 1 }".into());
    let (file, _) = from_transcript(imported);
    let calls = &file.turns[0].body.run.as_ref().unwrap().rounds[0].calls;
    assert_eq!(calls[0].arguments, "{ \"n\": 1 }");
    assert_eq!((calls[0].id.as_str(), calls[1].id.as_str()), ("a", "a#2"));
}

/// What a transcript says, by kind: words in order, asides, calls in order, results in no order.
#[derive(Debug, Default, PartialEq)]
struct Said {
    words: Vec<String>,
    aside: Vec<String>,
    calls: Vec<(String, String)>,
    results: Vec<(String, bool)>,
}

impl Said {
    fn sorted(mut self) -> Self {
        self.words.retain(|words| !words.is_empty());
        self.results.sort();
        self
    }

    fn of_transcript(imported: &Imported) -> Self {
        let mut said = Self::default();
        for message in &imported.messages {
            let joined: String = message.content().iter().map(text_of).collect();
            match message {
                AgentMessage::FunctionResult { is_error, .. } => {
                    said.results.push((joined, *is_error));
                    continue;
                }
                AgentMessage::Custom { custom_type, .. }
                    if custom_type == "compaction" && !joined.trim().is_empty() =>
                {
                    said.words.push(joined);
                    continue;
                }
                AgentMessage::Custom { custom_type, .. } if custom_type != "system_injection" => {
                    said.aside.push(joined);
                    continue;
                }
                _ => {}
            }
            for block in message.content() {
                match block {
                    ContentBlock::Text { text } => said.words.push(text.clone()),
                    ContentBlock::FunctionCall {
                        function_id,
                        arguments,
                        ..
                    } => {
                        said.calls
                            .push((function_id.clone(), arguments.to_string()));
                    }
                    ContentBlock::FunctionResult {
                        content, is_error, ..
                    } => {
                        let joined = content.iter().map(text_of).collect();
                        said.results.push((joined, is_error.unwrap_or(false)));
                    }
                    ContentBlock::Thinking { .. } | ContentBlock::Image { .. } => {}
                }
            }
        }
        said.sorted()
    }

    fn of_conversation(file: &Conversation) -> Self {
        let mut said = Self::default();
        for turn in &file.turns {
            if turn.body.extra.contains_key("custom_type") {
                said.aside.extend(turn.text.clone());
                continue;
            }
            said.words.extend(turn.text.clone());
            said.words
                .extend(turn.prompt.clone().map(|prompt| prompt.text));
            said.words.extend(turn.body.content.clone());
            for round in turn.body.run.iter().flat_map(|run| &run.rounds) {
                said.words.push(round.output.clone());
                let call =
                    |call: &super::super::native::Call| (call.name.clone(), call.arguments.clone());
                said.calls.extend(round.calls.iter().map(call));
                let results = round.results.values();
                said.results
                    .extend(results.map(|r| (r.output.clone().unwrap(), r.is_error)));
            }
        }
        said.words
            .extend(file.pending.clone().map(|pending| pending.text));
        said.sorted()
    }
}

fn any_message() -> impl Strategy<Value = AgentMessage> {
    let id = || prop::sample::select(vec!["", "a", "b", "a#2"]).prop_map(str::to_owned);
    let text = || {
        prop_oneof![
            Just(String::new()),
            Just(" ".to_owned()),
            "[a-c]{1,3}",
            any::<String>()
        ]
    };
    let words = text().prop_map(ContentBlock::text);
    let block = prop_oneof![
        4 => words.clone(),
        1 => text().prop_map(|text| ContentBlock::Thinking { text, signature: None }),
        3 => (id(), any::<u8>()).prop_map(|(id, n)| ContentBlock::FunctionCall { id, function_id: "f".into(), arguments: json!(n) }),
        1 => (id(), words.clone()).prop_map(|(function_call_id, block)| ContentBlock::FunctionResult {
            function_call_id, content: vec![block], is_error: Some(true) }),
        1 => Just(ContentBlock::Image { mime: "image/png".into(), data: "AAAA".into() }),
    ];
    let blocks = move || prop::collection::vec(block.clone(), 0..5);
    let texts = prop::collection::vec(words, 0..3);
    prop_oneof![
        3 => blocks().prop_map(|content| AgentMessage::User { content, timestamp: 0 }),
        4 => blocks().prop_map(|content| AgentMessage::Assistant {
            content, stop_reason: StopReason::End, native_stop_reason: None, error_message: None, error_kind: None,
            warnings: None, usage: None, model: "m".into(), provider: "p".into(), timestamp: 0 }),
        3 => (id(), texts.clone(), any::<bool>()).prop_map(|(function_call_id, content, is_error)| AgentMessage::FunctionResult {
            function_call_id, function_id: "f".into(), content, details: Value::Null, is_error, timestamp: 0 }),
        1 => (prop::sample::select(vec!["note", "compaction", "system_injection"]), texts).prop_map(|(kind, content)| AgentMessage::Custom {
            custom_type: kind.into(), content, display: None, details: Some(json!({"role": "developer"})), timestamp: 0 }),
    ]
}

proptest! {
    #[test]
    fn nothing_is_lost_and_nothing_changed(messages in prop::collection::vec(any_message(), 0..12)) {
        let imported = Imported { messages, ..Imported::default() };
        let (file, _) = from_transcript(imported.clone());
        prop_assert_eq!(Said::of_conversation(&file), Said::of_transcript(&imported));
        let (again, warnings) = read(file.to_json().as_bytes()).unwrap();
        prop_assert_eq!(again, file);
        prop_assert_eq!(warnings, vec![]);
    }
}
