use serde_json::{Value, json};

use super::place;
use crate::conversation::from_transcript;
use crate::import::{Ask, Format, Opened, open};

fn opened(bytes: &[u8]) -> Opened {
    open(bytes, &Ask::default()).unwrap()
}

const HAR: &str = include_str!("../../../../tests/suite/import/har/streams.input.json");
const NOCK: &str = include_str!("../../../../tests/suite/import/cassette/nock.input.json");
const VCR: &str = include_str!("../../../../tests/suite/import/cassette/vcr.input.yaml");
const LHAR: &str = include_str!("../../../../tests/suite/import/lhar/plain.input.jsonl");

#[test]
fn no_secret_of_who_recorded_is_kept() {
    for file in [HAR, NOCK, VCR, LHAR] {
        assert!(file.contains("SECRET"), "{file}");
        let opened = opened(file.as_bytes());
        let natives = opened.conversations.iter().cloned().map(from_transcript);
        let natives: String = natives.map(|(file, _)| file.to_json()).collect();
        let told = serde_json::to_string(&opened).unwrap() + &natives;
        assert!(!told.contains("SECRET"), "{told}");
    }
}

#[test]
fn what_only_the_sender_may_know_is_told_where_it_is_left_out() {
    let told = opened(HAR.as_bytes());
    let warnings = told.conversations.iter().flat_map(|one| &one.warnings);
    let left_out = warnings.filter(|warning| warning.code == "secret_not_kept");
    let left_out: Vec<Option<&str>> = left_out.map(|w| w.path.as_deref()).collect();
    assert_eq!(left_out, [Some("/log/entries/1")]);
    let schema = json!({"type": "object", "properties": {"authorization": {"type": "string"}}});
    let request = json!({
        "model": "m", "messages": [{"role": "user", "content": "authorization: headers"}],
        "tools": [{"type": "function", "function": {"name": "f", "parameters": schema}}],
    });
    let har = json!({"log": {"entries": [{"request": {
        "method": "POST", "url": "https://x.test/v1/chat/completions", "postData": {"text": request.to_string()},
    }}]}});
    let opened = opened(har.to_string().as_bytes());
    assert_eq!(opened.conversations[0].request, Some(request));
}

#[test]
fn an_address_is_kept_without_its_query_and_who_asks() {
    for (url, kept) in [
        (
            "https://api.openai.com/v1/responses",
            "api.openai.com/v1/responses",
        ),
        ("https://me:pw@host.test:443/a/b?key=x#y", "host.test/a/b"),
        (
            "http://localhost:11434/api/chat",
            "localhost:11434/api/chat",
        ),
        ("https://host.test?key=x", "host.test"),
        ("**REDACTED**", ""),
        ("", ""),
    ] {
        assert_eq!(place(url), kept);
    }
}

#[test]
fn requests_are_known_by_their_address_or_their_body() {
    let exchange = |url: &str, request: Value, response: Value| {
        let har = json!({"log": {"entries": [{
            "request": {"method": "POST", "url": url, "postData": {"text": request.to_string()}},
            "response": {"status": 200, "content": {"text": response.to_string()}},
        }]}});
        let opened = opened(har.to_string().as_bytes());
        assert_eq!(opened.format, Format::Har);
        let wire = opened
            .conversations
            .first()
            .and_then(|one| one.api_format.clone());
        wire.unwrap_or_default()
    };
    let words = json!([{"role": "user", "content": "hi"}]);
    let chat = json!({"model": "m", "messages": words});
    let contents = json!({"contents": [{"role": "user", "parts": [{"text": "hi"}]}]});
    for (url, request, response, wire) in [
        (
            "https://x.test/v1/chat/completions",
            chat.clone(),
            json!({}),
            "openai_chat",
        ),
        (
            "https://x.test/proxy",
            chat.clone(),
            json!({}),
            "openai_chat",
        ),
        (
            "https://x.test/v1/messages",
            chat.clone(),
            json!({}),
            "anthropic_messages",
        ),
        (
            "https://x.test/proxy",
            chat.clone(),
            json!({"type": "message", "content": []}),
            "anthropic_messages",
        ),
        (
            "https://x.test/v1/responses",
            json!({"model": "m", "input": "hi"}),
            json!({}),
            "openai_responses",
        ),
        (
            "https://x.test/proxy",
            json!({"model": "m", "input": words}),
            json!({}),
            "openai_responses",
        ),
        (
            "https://x.test/m:generateContent",
            contents.clone(),
            json!({}),
            "gemini",
        ),
        (
            "https://x.test/proxy",
            json!({"model": "m", "request": contents}),
            json!({"candidates": []}),
            "gemini",
        ),
        (
            "https://x.test/api/chat",
            chat.clone(),
            json!({"done": true, "message": {"content": "ho"}}),
            "openai_chat",
        ),
        (
            "**REDACTED**",
            json!({"model": "m", "input": ["hi"]}),
            json!({"object": "list", "data": []}),
            "",
        ),
        (
            "https://x.test/v1/embeddings",
            json!({"model": "m", "input": "hi"}),
            json!({"data": []}),
            "",
        ),
        (
            "https://x.test/v1/messages",
            json!({"to": "me", "text": "hi"}),
            json!({"ok": true}),
            "",
        ),
        (
            "https://x.test/graphql",
            json!({"query": "{ me }"}),
            json!({"data": {}}),
            "",
        ),
        (
            "https://chatgpt.com/backend-api/conversation",
            chat,
            json!({}),
            "",
        ),
    ] {
        assert_eq!(
            exchange(url, request.clone(), response),
            wire,
            "{url} {request}"
        );
    }
}
