//! Transcripts for the properties.

use galley_core::role::Role;
use galley_core::transcript::{
    AgentFunction, AgentMessage, ContentBlock, Imported, StopReason, SystemPiece,
};
use galley_core::wire::Shape;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Words of the person.
pub fn user(content: Vec<ContentBlock>) -> AgentMessage {
    AgentMessage::User {
        content,
        timestamp: 0,
    }
}

/// What the model said.
pub fn assistant(content: Vec<ContentBlock>) -> AgentMessage {
    AgentMessage::Assistant {
        content,
        stop_reason: StopReason::End,
        native_stop_reason: None,
        error_message: None,
        error_kind: None,
        warnings: None,
        usage: None,
        model: String::new(),
        provider: String::new(),
        timestamp: 0,
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[a-z]{1,6}( [a-z]{1,6}){0,3}",
        1 => Just(String::new()),
        1 => "[ \n\t]{1,2}",
        1 => "\\PC{1,6}",
        1 => Just(r#"{"sky":"grey","wind":[7,1.5]}"#.to_owned()),
    ]
}

fn picture() -> impl Strategy<Value = ContentBlock> {
    prop_oneof![
        4 => Just(("image/png", "iVBORw0KGgo=")),
        1 => Just(("image/bmp", "Qk0AAAAA")),
        1 => Just(("image/png", "[omitted]")),
    ]
    .prop_map(|(mime, data)| ContentBlock::Image {
        mime: mime.to_owned(),
        data: data.to_owned(),
    })
}

fn arguments() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => "[a-z]{1,3}".prop_map(|key| json!({key: [1, "x"]})),
        1 => Just(json!({})),
        1 => Just(json!({"_raw": "{\"a\":"})),
        1 => prop_oneof![Just(json!(null)), Just(json!([1])), Just(json!("words"))],
    ]
}

/// What the model says: kind, words, arguments; calls get their ids later.
fn said() -> impl Strategy<Value = ContentBlock> {
    let name = prop_oneof![6 => "[fg]", 1 => Just("a::b".to_owned())];
    prop_oneof![
        4 => text().prop_map(ContentBlock::text),
        2 => (text(), prop::option::of("[A-Z]{3}"))
            .prop_map(|(text, signature)| ContentBlock::Thinking { text, signature }),
        4 => (name, arguments()).prop_map(|(name, arguments)| ContentBlock::FunctionCall {
            id: String::new(),
            function_id: name,
            arguments,
        }),
        1 => picture(),
    ]
}

fn words() -> impl Strategy<Value = Vec<ContentBlock>> {
    let word = prop_oneof![5 => text().prop_map(ContentBlock::text), 1 => picture()];
    prop::collection::vec(word, 0..4)
}

/// How an answer's calls come back: which of them, whether in turn, whether at once, and what.
#[derive(Clone, Debug)]
struct Back {
    lost: prop::sample::Index,
    loses: bool,
    reversed: bool,
    late: bool,
    content: Vec<ContentBlock>,
    failed: bool,
}

fn back() -> impl Strategy<Value = Back> {
    let odd = || prop::bool::weighted(0.15);
    (
        any::<prop::sample::Index>(),
        odd(),
        odd(),
        odd(),
        words(),
        odd(),
    )
        .prop_map(|(lost, loses, reversed, late, content, failed)| Back {
            lost,
            loses,
            reversed,
            late,
            content,
            failed,
        })
}

#[derive(Clone, Debug)]
enum Item {
    Words(Vec<ContentBlock>),
    Answer(Vec<ContentBlock>, Back),
    Orphan(Vec<ContentBlock>),
    Custom(&'static str, &'static str, String),
}

fn item() -> impl Strategy<Value = Item> {
    let kinds = prop::sample::select(vec![
        ("system_injection", "system"),
        ("system_injection", "developer"),
        ("system_injection", "user"),
        ("compaction", ""),
        ("note", ""),
    ]);
    prop_oneof![
        8 => words().prop_map(Item::Words),
        8 => (prop::collection::vec(said(), 0..5), back()).prop_map(|(said, back)| Item::Answer(said, back)),
        1 => words().prop_map(Item::Orphan),
        2 => (kinds, text()).prop_map(|((kind, role), text)| Item::Custom(kind, role, text)),
    ]
}

/// A transcript of any wire: parallel calls, results late or lost or of no call, pictures that are none, reasoning
/// signed or not, texts with nothing in them, asides and summaries.
pub fn transcript() -> impl Strategy<Value = Imported> {
    let wires = Shape::ALL.map(Shape::api_format).to_vec();
    let role = prop_oneof![4 => Just(Role::System), 1 => Just(Role::Developer)];
    let piece = (role, text()).prop_map(|(role, text)| SystemPiece { role, text });
    let tool = ("[fgh]", any::<bool>()).prop_map(|(name, schema)| AgentFunction {
        name,
        description: String::new(),
        parameters: if schema {
            json!({"type": "object", "properties": {}})
        } else {
            Value::Null
        },
        label: None,
        execution_mode: None,
    });
    (
        prop::sample::select(wires),
        prop::collection::vec(piece, 0..3),
        prop::collection::vec(item(), 0..9),
        prop::collection::vec(tool, 0..2),
    )
        .prop_map(|(wire, system, items, tools)| Imported {
            api_format: Some(wire.to_owned()),
            model: Some("claude-x".to_owned()),
            system,
            messages: laid(items),
            tools,
            ..Imported::default()
        })
}

/// Items as messages, each call with an id and most of them with a result.
fn laid(items: Vec<Item>) -> Vec<AgentMessage> {
    let mut messages = Vec::new();
    let mut late: Vec<AgentMessage> = Vec::new();
    let mut calls = 0;
    for item in items {
        match item {
            Item::Words(content) => messages.push(user(content)),
            Item::Orphan(content) => messages.push(result("gone", "f", content, false)),
            Item::Custom(custom_type, role, text) => {
                let details = match role {
                    "" => None,
                    role => Some(json!({ "role": role })),
                };
                messages.push(AgentMessage::Custom {
                    custom_type: custom_type.to_owned(),
                    content: vec![ContentBlock::text(text)],
                    display: None,
                    details,
                    timestamp: 0,
                });
            }
            Item::Answer(mut said, back) => {
                let mut results = Vec::new();
                for block in &mut said {
                    if let ContentBlock::FunctionCall {
                        id, function_id, ..
                    } = block
                    {
                        calls += 1;
                        *id = format!("c{calls}");
                        let content = back.content.clone();
                        results.push(result(id, function_id, content, back.failed));
                    }
                }
                messages.push(assistant(said));
                if back.reversed {
                    results.reverse();
                }
                if back.loses && !results.is_empty() {
                    results.remove(back.lost.index(results.len()));
                }
                match back.late {
                    true => late.append(&mut results),
                    false => messages.append(&mut results),
                }
                continue;
            }
        }
        messages.append(&mut late);
    }
    messages.append(&mut late);
    messages
}

fn result(id: &str, name: &str, content: Vec<ContentBlock>, failed: bool) -> AgentMessage {
    AgentMessage::FunctionResult {
        function_call_id: id.to_owned(),
        function_id: name.to_owned(),
        content,
        details: Value::Null,
        is_error: failed,
        timestamp: 0,
    }
}
