use serde_json::{Value, json};

use crate::import::{Ask, Format, Opened, open};
use crate::transcript::{AgentMessage, ContentBlock, Imported, Usage};

fn opened(value: &Value) -> Opened {
    open(value.to_string().as_bytes(), &Ask::default()).unwrap()
}

/// A span of a call with these attributes, as an SDK dumps it.
fn call(attributes: Value) -> Value {
    let mut all = json!({"gen_ai.operation.name": "chat"});
    let members = all.as_object_mut().unwrap();
    members.extend(attributes.as_object().unwrap().clone());
    json!([{"name": "chat", "context": {"trace_id": "1", "span_id": "2"}, "attributes": all}])
}

fn one(value: &Value) -> Imported {
    let mut opened = opened(value);
    assert_eq!(
        (opened.format, opened.conversations.len()),
        (Format::Otel, 1)
    );
    opened.conversations.remove(0)
}

fn texts(imported: &Imported) -> Vec<&str> {
    let blocks = imported.messages.iter().flat_map(AgentMessage::content);
    let texts = blocks.filter_map(|block| match block {
        ContentBlock::Text { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

#[test]
fn instructions_read_the_same_as_parts_as_messages_and_as_a_text() {
    let part = json!({"type": "text", "content": "Be brief."});
    for instructions in [
        json!([part]),
        json!([{"role": "system", "parts": [part]}]),
        json!([{"role": "system", "content": "Be brief."}]),
        json!("Be brief."),
    ] {
        for instructions in [json!(instructions.to_string()), instructions] {
            let imported = one(&call(json!({
                "gen_ai.system_instructions": instructions, "gen_ai.input.messages": [{"role": "user", "parts": []}],
                "gen_ai.output.messages": "hi",
            })));
            let system: Vec<&str> = imported.system.iter().map(|piece| &*piece.text).collect();
            let as_it_is = instructions == json!("\"Be brief.\"");
            assert_eq!(
                system,
                [if as_it_is {
                    "\"Be brief.\""
                } else {
                    "Be brief."
                }]
            );
        }
    }
}

#[test]
fn an_attribute_that_the_exporter_cut_is_kept_as_far_as_it_came_and_told() {
    let words = "word ".repeat(300);
    let whole =
        json!([{"role": "user", "parts": [{"type": "text", "content": words}]}]).to_string();
    let imported = one(&call(json!({"gen_ai.input.messages": &whole[..1028]})));
    let told: Vec<&str> = imported.warnings.iter().map(|w| w.code.as_str()).collect();
    assert_eq!(told, ["cut_by_exporter"]);
    let [text] = texts(&imported)[..] else {
        panic!("one text is kept");
    };
    assert!(words.starts_with(text) && text.len() > 900);
}

#[test]
fn parts_that_nobody_knows_are_shown() {
    let beam = json!({"type": "hologram", "beam": 3});
    let imported = one(&call(json!({
        "gen_ai.input.messages": [{"role": "user", "parts": [beam]}],
        "ai.response.text": "seen",
    })));
    assert_eq!(texts(&imported), [&beam.to_string(), "seen"]);
    assert_eq!(imported.warnings[0].code, "part_unknown");
}

#[test]
fn words_that_look_like_json_stay_as_they_are() {
    for words in [
        "{\"a\":  1}",
        "[1,  2]",
        "[",
        "{not json}",
        "[see below] why?",
    ] {
        let imported = one(&call(
            json!({"gen_ai.prompt": words, "gen_ai.completion": words}),
        ));
        assert_eq!(
            (texts(&imported), imported.warnings.len()),
            (vec![words, words], 0)
        );
    }
}

#[test]
fn a_cache_is_taken_out_of_the_input_it_is_counted_in() {
    for (input, cached, left) in [(100, 64, 36), (10, 64, 10)] {
        let imported = one(&call(json!({
            "gen_ai.prompt": "hi", "gen_ai.completion": "ho",
            "gen_ai.usage.input_tokens": input, "gen_ai.usage.cache_read.input_tokens": cached,
        })));
        let AgentMessage::Assistant { usage, .. } = imported.messages.last().unwrap() else {
            panic!("the answer is last");
        };
        let counted = Usage {
            input: Some(left),
            cache_read: Some(cached),
            ..Usage::default()
        };
        assert_eq!(*usage, Some(counted));
    }
}

#[test]
fn calls_without_words_are_told_and_the_others_are_shown() {
    let calls = json!([
        {"name": "chat", "span_id": "a", "attributes": {"gen_ai.operation.name": "chat"}},
        {"name": "chat", "span_id": "b", "attributes": {"gen_ai.operation.name": "chat", "gen_ai.prompt": "hi"}},
    ]);
    let opened = opened(&calls);
    let told: Vec<&str> = opened.warnings.iter().map(|w| w.code.as_str()).collect();
    assert_eq!(
        (opened.conversations.len(), told),
        (1, vec!["content_not_recorded"])
    );
}

#[test]
fn the_fullest_call_of_a_trace_comes_first_and_the_others_in_their_order() {
    let call = |id: usize, words: usize| {
        let messages: Vec<Value> = (0..words)
            .map(|_| json!({"role": "user", "content": "x"}))
            .collect();
        json!({"id": id.to_string(), "traceId": "t", "type": "GENERATION", "name": id.to_string(), "startTime": 1_700_000_000 + id, "input": messages, "output": "y"})
    };
    let opened = opened(&json!([call(3, 1), call(1, 2), call(2, 5), call(4, 1)]));
    let titles = opened
        .conversations
        .iter()
        .map(|one| one.title.clone().unwrap());
    assert_eq!(opened.format, Format::Langfuse);
    assert_eq!(titles.collect::<Vec<_>>(), ["2", "1", "3", "4"]);
}
