//! Out and in again: any transcript, written for any provider, is a body that the provider takes; and read again
//! it is the same transcript, but for what the list of differences says.

mod transcripts;

use std::collections::{BTreeMap, BTreeSet};

use galley_core::conversation::{from_transcript, to_transcript};
use galley_core::import::{Ask, open};
use galley_core::refusal::Warning;
use galley_core::role::Role;
use galley_core::transcript::{AgentMessage, ContentBlock, Imported, StopReason, SystemPiece};
use galley_core::wire::adapt::{Body, Fitted};
use galley_core::wire::{Shape, anthropic, gemini};
use galley_tests::patched;
use proptest::prelude::*;
use serde_json::{Value, json};
use transcripts::{assistant, transcript, user};

/// What is told and changes no message of the transcript that is read again.
const BESIDE: [&str; 8] = [
    "facts_not_written",
    "ids_not_written",
    "max_tokens_added",
    "model_not_written",
    "options_not_written",
    "schema_added",
    "tools_not_written",
    "tool_added",
];

/// What a provider demands of a body.
fn taken(shape: Shape, body: &Value) {
    match shape {
        Shape::Chat => taken_by_chat(list(body, "messages")),
        Shape::Responses => taken_by_responses(body),
        Shape::Anthropic => taken_by_anthropic(body),
        Shape::Gemini => taken_by_gemini(body),
        Shape::AiSdk => taken_by_ai_sdk(body),
        Shape::LangChain => taken_by_chat(body.as_array().unwrap()),
    }
}

fn again(body: &Value, shape: Shape) -> Imported {
    let wire = shape.api_format();
    if matches!(shape, Shape::AiSdk | Shape::LangChain) {
        let read = Body::read(shape, body.clone()).unwrap().transcript();
        return Imported {
            model: None,
            ..read
        };
    }
    let opened = open(body.to_string().as_bytes(), &Ask::default())
        .unwrap_or_else(|refusal| panic!("{wire}: {refusal}: {body}"));
    let [one] = opened.conversations.as_slice() else {
        panic!("{wire}: one conversation is written: {body}");
    };
    Imported {
        api_format: Some(wire.to_owned()),
        ..one.clone()
    }
}

/// A transcript without what a request has no place for. Calls that have no ids on the wire are numbered.
fn plain(imported: &Imported, ids: bool) -> Imported {
    let mut plain = Imported {
        system: imported.system.clone(),
        messages: imported.messages.clone(),
        arguments: imported.arguments.clone(),
        ..Imported::default()
    };
    let mut numbered: BTreeMap<String, String> = BTreeMap::new();
    for message in &mut plain.messages {
        message.set_timestamp(0);
        match message {
            AgentMessage::Assistant {
                content,
                stop_reason,
                native_stop_reason,
                error_message,
                usage,
                model,
                provider,
                ..
            } => {
                *stop_reason = StopReason::End;
                (*native_stop_reason, *error_message, *usage) = (None, None, None);
                (*model, *provider) = (String::new(), String::new());
                for block in content.iter_mut().filter(|_| !ids) {
                    if let ContentBlock::FunctionCall { id, .. } = block {
                        let number = format!("call#{}", numbered.len() + 1);
                        numbered.insert(std::mem::replace(id, number.clone()), number);
                    }
                }
            }
            AgentMessage::FunctionResult {
                function_call_id, ..
            } if !ids => {
                if let Some(number) = numbered.get(function_call_id) {
                    function_call_id.clone_from(number);
                }
            }
            AgentMessage::Custom { display, .. } => *display = None,
            _ => {}
        }
    }
    plain
}

fn codes(warnings: &[Warning]) -> BTreeSet<&str> {
    let codes = warnings.iter().map(|warning| warning.code.as_str());
    codes.filter(|code| !BESIDE.contains(code)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_taken_and_reads_the_same(imported in transcript()) {
        for shape in Shape::ALL {
            let wire = shape.api_format();
            let (body, told) = shape.write(&imported);
            taken(shape, &body);
            let read = again(&body, shape);
            let ids = shape != Shape::Gemini;
            if codes(&told).is_empty() {
                prop_assert_eq!(plain(&read, ids), plain(&imported, ids), "{}: {}", wire, body);
            }
            // Whatever was otherwise, it is so once: the body of what was read is the body.
            let (second, told) = shape.write(&read);
            prop_assert_eq!(codes(&told), BTreeSet::new(), "{}: {}", wire, body);
            prop_assert_eq!(&second["messages"], &body["messages"], "{}", wire);
            for member in ["input", "instructions", "contents", "system", "systemInstruction", "tools"] {
                prop_assert_eq!(&second[member], &body[member], "{}", wire);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_body_that_is_cut_is_taken_all_the_same(imported in transcript()) {
        for shape in Shape::ALL {
            let (body, _) = shape.write(&imported);
            let read = || {
                let mut read = Body::read(shape, body.clone()).unwrap();
                read.mend();
                read
            };
            let mut untouched = read();
            untouched.fit(&Fitted::default());
            prop_assert_eq!(untouched.finish().patch, None, "{}", body);
            let messages = read().request().messages;
            let spoken = |index: &usize| matches!(messages[*index], AgentMessage::User { .. });
            for from in (1..messages.len()).filter(spoken) {
                let mut cut = read();
                cut.fit(&Fitted { kept: Some((from..messages.len()).collect()), ..Fitted::default() });
                let patch = cut.finish().patch.unwrap();
                taken(shape, &patched(&body, &patch));
            }
        }
    }
}

/// Words, calls and results, in order, without the messages they stand in.
fn flow(imported: &Imported) -> Vec<String> {
    let mut flow = Vec::new();
    for message in &imported.messages {
        let whose = match message {
            AgentMessage::User { .. } => "user".to_owned(),
            AgentMessage::Assistant { .. } => "model".to_owned(),
            AgentMessage::FunctionResult {
                function_call_id, ..
            } => function_call_id.clone(),
            AgentMessage::Custom { custom_type, .. } if custom_type == "system_injection" => {
                "injected".to_owned()
            }
            // What is not sent has a place of its own.
            AgentMessage::Custom { .. } => continue,
        };
        flow.extend(
            message
                .content()
                .iter()
                .map(|block| format!("{whose}: {block:?}")),
        );
    }
    flow
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_conversation_is_a_transcript_again(imported in transcript()) {
        let (file, _) = from_transcript(imported.clone());
        let (first, _) = to_transcript(&file);
        let (file, _) = from_transcript(first.clone());
        let (second, _) = to_transcript(&file);
        prop_assert_eq!(flow(&second), flow(&first));
        let said = |imported: &Imported| {
            let texts = imported.messages.iter().filter(|message| !matches!(message, AgentMessage::Custom { .. }));
            let texts = texts.flat_map(|message| message.content().to_vec());
            let mut texts: Vec<String> = texts.filter_map(|block| match block {
                ContentBlock::Text { text } if !text.is_empty() && !text.starts_with('[') => Some(text),
                ContentBlock::FunctionCall { id, function_id, arguments } => Some(format!("{id} {function_id} {arguments}")),
                _ => None,
            }).collect();
            texts.sort();
            texts
        };
        prop_assert_eq!(said(&first), said(&imported));
    }
}

#[test]
fn a_plain_transcript_of_every_wire_is_told_no_difference() {
    for shape in Shape::ALL {
        let wire = shape.api_format();
        let call = |id: &str| ContentBlock::FunctionCall {
            id: id.into(),
            function_id: "f".into(),
            arguments: json!({"n": id}),
        };
        let result = |id: &str| AgentMessage::FunctionResult {
            function_call_id: id.into(),
            function_id: "f".into(),
            content: vec![ContentBlock::text(format!("of {id}"))],
            details: Value::Null,
            is_error: false,
            timestamp: 0,
        };
        let thought = ContentBlock::Thinking {
            text: "hm".into(),
            // Whose it would be stands nowhere there.
            signature: (shape != Shape::AiSdk).then(|| "s".into()),
        };
        let picture = ContentBlock::Image {
            mime: "image/png".into(),
            data: "iVBORw0KGgo=".into(),
        };
        let imported = Imported {
            api_format: Some(wire.into()),
            model: Some("claude-x".into()),
            system: vec![SystemPiece {
                role: Role::System,
                text: "s".into(),
            }],
            messages: vec![
                user(vec![picture, ContentBlock::text("look")]),
                assistant(vec![
                    thought,
                    ContentBlock::text("two calls"),
                    call("a"),
                    call("b"),
                ]),
                result("a"),
                result("b"),
                assistant(vec![ContentBlock::text("done")]),
                user(vec![ContentBlock::text("thanks")]),
            ],
            ..Imported::default()
        };
        let (body, told) = shape.write(&imported);
        assert_eq!(codes(&told), BTreeSet::new(), "{wire}: {body}");
        let ids = shape != Shape::Gemini;
        assert_eq!(plain(&again(&body, shape), ids), plain(&imported, ids));

        let (file, _) = from_transcript(imported.clone());
        let (back, told) = to_transcript(&file);
        assert_eq!(told, []);
        let mut expected = plain(&imported, true);
        if let Some(AgentMessage::User { content, .. }) = expected.messages.first_mut() {
            // A conversation has no bytes.
            content[0] = ContentBlock::text("[image: image-1.png, image/png, 8 bytes]");
        }
        assert_eq!(plain(&back, true), expected);
        assert_eq!(back.api_format, imported.api_format);
    }
}

#[test]
fn a_marker_without_a_summary_stands_for_nothing() {
    let marker = |text: &str| AgentMessage::Custom {
        custom_type: "compaction".into(),
        content: vec![ContentBlock::text(text)],
        display: None,
        details: None,
        timestamp: 0,
    };
    let words = |text: &str| user(vec![ContentBlock::text(text)]);
    let imported = Imported {
        messages: vec![
            words("a"),
            marker("so far"),
            words("b"),
            marker(" "),
            words("c"),
        ],
        ..Imported::default()
    };
    for shape in Shape::ALL {
        let wire = shape.api_format();
        let (body, _) = shape.write(&imported);
        let texts: Vec<String> = again(&body, shape)
            .messages
            .iter()
            .flat_map(AgentMessage::content)
            .map(|block| format!("{block:?}"))
            .collect();
        let expected = ["so far", "b", "c"].map(|text| format!("{:?}", ContentBlock::text(text)));
        assert_eq!(texts, expected, "{wire}");
    }
}

#[test]
fn what_a_shape_has_no_place_for_is_told_at_its_message() {
    let orphan = AgentMessage::FunctionResult {
        function_call_id: "gone".into(),
        function_id: "f".into(),
        content: vec![ContentBlock::text("late")],
        details: Value::Null,
        is_error: true,
        timestamp: 0,
    };
    let call = ContentBlock::FunctionCall {
        id: "odd id".into(),
        function_id: "a::b".into(),
        arguments: json!(7),
    };
    let imported = Imported {
        api_format: Some("openai_responses".into()),
        messages: vec![
            assistant(vec![ContentBlock::text(" "), call]),
            orphan,
            user(vec![ContentBlock::text("next")]),
        ],
        ..Imported::default()
    };
    let (body, told) = anthropic::write(&imported);
    let told: Vec<(&str, &str)> = told
        .iter()
        .map(|warning| (warning.code.as_str(), warning.path.as_deref().unwrap_or("")))
        .collect();
    let expected = [
        ("blank_not_written", "/messages/0"),
        ("arguments_wrapped", "/messages/0"),
        ("result_added", "/messages/0"),
        ("result_without_call", "/messages/1"),
        ("messages_joined", "/messages/2"),
        ("words_added", ""),
        ("renamed", "/messages/0"),
        ("renamed", "/messages/0"),
        ("max_tokens_added", ""),
        ("tool_added", ""),
    ];
    assert_eq!(told, expected);
    let results = json!([
        {"type": "tool_result", "tool_use_id": "odd_id", "content": "The call has no result.", "is_error": true},
        {"type": "text", "text": "late"}, {"type": "text", "text": "next"}]);
    assert_eq!(body["messages"][2]["content"], results);
    let (body, _) = gemini::write(&imported);
    let call = json!({"functionCall": {"name": "a::b", "args": {"input": 7}}});
    assert_eq!(body["contents"][1]["parts"], json!([{"text": " "}, call]));
}

// What the providers demand of a body.

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn is_name(name: &str) -> bool {
    let sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    !name.is_empty() && name.chars().all(sign)
}

fn taken_by_chat(messages: &[Value]) {
    let body = json!(messages);
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        if word(message, "role") == "tool" {
            let id = word(message, "tool_call_id");
            assert!(open.contains(&id), "{id} answers nothing: {body}");
            open.retain(|call| *call != id);
            continue;
        }
        assert!(open.is_empty(), "calls without results: {body}");
        open = list(message, "tool_calls")
            .iter()
            .map(|call| word(call, "id"))
            .collect();
        assert_eq!(
            open.iter().collect::<BTreeSet<_>>().len(),
            open.len(),
            "{body}"
        );
        for call in list(message, "tool_calls") {
            let function = call.get("function").unwrap_or(call);
            assert!(is_name(word(function, "name")), "{body}");
        }
    }
    assert!(open.is_empty(), "calls without results: {body}");
}

fn taken_by_ai_sdk(body: &Value) {
    let mut open: BTreeSet<&str> = BTreeSet::new();
    for message in list(body, "messages") {
        let parts = list(message, "content");
        let ids = |kind: &str| {
            let own = parts.iter().filter(|part| word(part, "type") == kind);
            let ids: Vec<&str> = own.map(|part| word(part, "toolCallId")).collect();
            ids
        };
        for id in ids("tool-result") {
            assert!(open.remove(id), "{id} answers nothing: {body}");
        }
        assert!(open.is_empty(), "calls without results: {body}");
        assert_ne!(word(message, "role"), "system", "{body}");
        open.extend(ids("tool-call"));
    }
    assert!(open.is_empty(), "calls without results: {body}");
}

fn taken_by_responses(body: &Value) {
    let (mut made, mut open) = (BTreeSet::new(), BTreeSet::new());
    let mut thought = false;
    for item in list(body, "input") {
        let id = word(item, "call_id");
        match word(item, "type") {
            "function_call" => {
                assert!(made.insert(id) && open.insert(id), "{body}");
                assert!(is_name(word(item, "name")), "{body}");
            }
            "function_call_output" => assert!(open.remove(id), "{id} answers nothing: {body}"),
            "reasoning" => assert!(item["encrypted_content"].is_string(), "{body}"),
            "message" => {
                let words = !word(item, "content").is_empty();
                assert!(words || !list(item, "content").is_empty(), "{body}");
            }
            other => assert_eq!(other, "compaction"),
        }
        let role = word(item, "role");
        assert!(
            !thought || !matches!(role, "user" | "system" | "developer"),
            "{body}"
        );
        thought = word(item, "type") == "reasoning";
    }
    assert!(open.is_empty() && !thought, "{body}");
}

fn taken_by_anthropic(body: &Value) {
    let mut open: BTreeSet<&str> = BTreeSet::new();
    let declared: BTreeSet<&str> = list(body, "tools")
        .iter()
        .map(|tool| word(tool, "name"))
        .collect();
    for (index, message) in list(body, "messages").iter().enumerate() {
        let role = if index % 2 == 0 { "user" } else { "assistant" };
        assert_eq!(word(message, "role"), role, "{body}");
        let blocks = list(message, "content");
        assert!(!blocks.is_empty(), "{body}");
        let mut words = false;
        for block in blocks {
            match word(block, "type") {
                "tool_result" => {
                    assert!(!words, "results stand first: {body}");
                    assert!(open.remove(word(block, "tool_use_id")), "{body}");
                }
                kind => {
                    words = true;
                    assert!(
                        kind != "text" || !word(block, "text").trim().is_empty(),
                        "{body}"
                    );
                }
            }
        }
        assert!(open.is_empty(), "calls without results: {body}");
        assert_ne!(
            blocks.last().map(|block| word(block, "type")),
            Some("thinking"),
            "{body}"
        );
        for block in blocks
            .iter()
            .filter(|block| word(block, "type") == "tool_use")
        {
            assert!(
                is_name(word(block, "id")) && open.insert(word(block, "id")),
                "{body}"
            );
            assert!(
                block["input"].is_object() && declared.contains(word(block, "name")),
                "{body}"
            );
        }
    }
    assert!(open.is_empty(), "calls without results: {body}");
}

fn taken_by_gemini(body: &Value) {
    let mut open: Vec<&str> = Vec::new();
    let mut before = "";
    for content in list(body, "contents") {
        let parts = list(content, "parts");
        assert!(!parts.is_empty(), "{body}");
        let names = |key: &str| -> Vec<&str> {
            let named = parts.iter().filter(|part| part[key].is_object());
            named.map(|part| word(&part[key], "name")).collect()
        };
        assert_eq!(names("functionResponse"), open, "{body}");
        open = names("functionCall");
        let role = word(content, "role");
        assert!(role == "user" || !matches!(before, "" | "model"), "{body}");
        before = role;
    }
    assert!(open.is_empty(), "calls without results: {body}");
}
