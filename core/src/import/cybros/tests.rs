use super::super::{Ask, Format, open};
use super::*;
use crate::conversation::from_transcript;
use serde_json::json;

fn opened(value: &Value, branch: Option<&str>) -> Imported {
    let ask = Ask {
        branch: branch.map(str::to_owned),
        ..Ask::default()
    };
    let mut opened = open(value.to_string().as_bytes(), &ask).unwrap();
    assert_eq!(
        (opened.format, opened.conversations.len()),
        (Format::Cybros, 1)
    );
    opened.conversations.remove(0)
}

fn turn(position: i64, kind: &str, variant: Value) -> Value {
    json!({"public_id": format!("t{position}"), "position": position, "kind": kind, "role": "assistant",
        "status": "completed", "visibility": "visible", "active_variant": variant})
}

fn variant(id: &str, prompt: &str, content: &str, input_tokens: u64) -> Value {
    json!({"public_id": id, "status": "completed", "prompt_text": prompt, "content": content, "active": true,
        "rounds": [{"usage": {"input_tokens": input_tokens, "output_tokens": 1, "total_tokens": input_tokens + 1}}]})
}

fn said(imported: &Imported) -> Vec<(&'static str, String)> {
    let words = |message: &AgentMessage| match message.content() {
        [ContentBlock::Text { text }] => text.clone(),
        _ => String::new(),
    };
    let kind = |message: &AgentMessage| match message {
        AgentMessage::User { .. } => "user",
        AgentMessage::Assistant { .. } => "assistant",
        _ => "aside",
    };
    let said = imported
        .messages
        .iter()
        .map(|message| (kind(message), words(message)));
    said.filter(|(kind, _)| *kind != "aside").collect()
}

#[test]
fn a_direct_reply_is_the_words_that_opened_it_and_the_answer() {
    let page =
        json!({"turns": [turn(1, "direct_reply", variant("v", "q", "a", 3))], "pagination": {}});
    assert_eq!(
        said(&opened(&page, None)),
        [("user", "q".to_owned()), ("assistant", "a".to_owned())]
    );
}

#[test]
fn what_was_counted_for_a_summary_is_not_what_the_context_holds() {
    let page = json!({"turns": [
        turn(1, "direct_reply", variant("v1", "q", "a", 300)),
        turn(2, "compaction_summary", variant("v2", "", "all so far", 90_000)),
        turn(3, "message", json!({"public_id": "v3", "content": "and?"})),
    ], "pagination": {}});
    let (file, _) = from_transcript(opened(&page, None));
    let counted: Vec<_> = file
        .turns
        .iter()
        .filter_map(|turn| turn.body.usage.as_ref())
        .map(|u| u.input_tokens)
        .collect();
    assert_eq!(counted, [300]);
}

#[test]
fn pages_are_put_together_by_position_and_what_is_missing_is_told() {
    let page = |positions: &[i64], before: Value, after: Value| {
        let turns = positions.iter().map(|at| {
            turn(
                *at,
                "direct_reply",
                variant(&format!("v{at}"), &at.to_string(), "a", 1),
            )
        });
        json!({"turns": turns.collect::<Vec<_>>(), "pagination": {"before_position": before, "after_position": after}})
    };
    let whole = json!([
        page(&[3, 4], json!(3), json!(null)),
        page(&[1, 2, 3], json!(null), json!(3))
    ]);
    let imported = opened(&whole, None);
    let asked: Vec<String> = said(&imported)
        .into_iter()
        .filter(|(kind, _)| *kind == "user")
        .map(|(_, text)| text)
        .collect();
    assert_eq!(asked, ["1", "2", "3", "4"]);
    let gaps = |value: Value| {
        opened(&value, None)
            .warnings
            .into_iter()
            .any(|warning| warning.code == "pages_missing")
    };
    assert!(!gaps(whole));
    assert!(gaps(page(&[3], json!(3), json!(null))));
    assert!(gaps(page(&[3], json!(null), json!(3))));
    assert!(gaps(json!([
        page(&[1], json!(null), json!(1)),
        page(&[7], json!(7), json!(null))
    ])));
}

#[test]
fn a_candidate_is_asked_for_by_its_id() {
    let deck = json!([
        variant("v1", "q", "first", 1),
        variant("v2", "q", "second", 1)
    ]);
    let value = json!([
        {"turns": [turn(1, "direct_reply", variant("v2", "q", "second", 1)), turn(2, "direct_reply", variant("v3", "r", "b", 1))],
            "pagination": {}},
        {"variants": deck},
    ]);
    let current = opened(&value, None);
    let ids: Vec<_> = current
        .branches
        .iter()
        .map(|b| (b.id.as_str(), b.current))
        .collect();
    assert_eq!(ids, [("v1", false), ("v3", true)]);
    assert_eq!(said(&current).len(), 4);
    assert_eq!(
        said(&opened(&value, Some("v1"))),
        [("user", "q".to_owned()), ("assistant", "first".to_owned())]
    );
}

#[test]
fn files_beside_the_older_bundle_are_named_by_their_path_in_it() {
    let file = json!({"filename": "a.png", "mime_type": "image/png", "byte_size": 7, "relative_path": "files/1-a.png"});
    let message = json!({"message_public_id": "m", "turn_public_id": "t", "role": "user", "slot": "input", "variant_index": 0,
        "content": "look", "attachments": [file]});
    let value =
        json!({"bundle_kind": "conversation_export", "conversation": {}, "messages": [message]});
    let named = &opened(&value, None).attachments[0];
    assert_eq!(
        (named.reference.as_deref(), named.byte_size, named.block),
        (Some("files/1-a.png"), 7, 1)
    );
}
