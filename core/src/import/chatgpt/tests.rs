use super::super::{Ask, Format, Opened, open};
use crate::transcript::{AgentMessage, ContentBlock, Imported};
use serde_json::{Value, json};

fn opened(value: &Value, branch: Option<&str>) -> Opened {
    let branch = branch.map(str::to_owned);
    open(
        value.to_string().as_bytes(),
        &Ask {
            branch,
            ..Ask::default()
        },
    )
    .unwrap()
}

fn read(value: &Value) -> Imported {
    let opened = opened(value, None);
    assert_eq!(opened.format, Format::Chatgpt);
    opened.conversations.into_iter().next().unwrap()
}

fn said(role: &str, text: &str) -> Value {
    json!({"author": {"role": role}, "content": {"content_type": "text", "parts": [text]}})
}

/// A conversation of nodes `(id, parent, message)`.
fn conversation(nodes: &[(&str, &str, Value)], current: &str) -> Value {
    let node = |(id, parent, message): &(&str, &str, Value)| {
        let parent = Some(*parent).filter(|parent| !parent.is_empty());
        let node = json!({"id": id, "parent": parent, "children": [], "message": message});
        ((*id).to_owned(), node)
    };
    let mapping: serde_json::Map<String, Value> = nodes.iter().map(node).collect();
    json!({"title": "T", "create_time": 1.5, "current_node": current, "mapping": mapping})
}

fn words(imported: &Imported) -> Vec<&str> {
    let spoken = imported
        .messages
        .iter()
        .filter(|message| !matches!(message, AgentMessage::Custom { .. }));
    let blocks = spoken.flat_map(AgentMessage::content);
    blocks
        .filter_map(|block| match block {
            ContentBlock::Text { text } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

fn codes(imported: &Imported) -> Vec<&str> {
    let codes = imported
        .warnings
        .iter()
        .map(|warning| warning.code.as_str());
    codes
        .filter(|code| *code != "context_not_in_file")
        .collect()
}

/// Two answers to one question, then one more turn on the first.
fn retried(current: &str) -> Value {
    let timed = |mut message: Value, time: f64| {
        message["create_time"] = json!(time);
        message
    };
    let nodes = [
        ("second", "q", timed(said("assistant", "2"), 9.0)),
        ("more", "first", timed(said("user", "go on"), 8.0)),
        ("first", "q", timed(said("assistant", "1"), 3.0)),
        ("q", "root", timed(said("user", "?"), 20.0)),
        ("root", "", Value::Null),
    ];
    conversation(&nodes, current)
}

#[test]
fn a_list_an_object_and_a_wrapped_list_open_alike() {
    let one = retried("first");
    let expected = read(&one);
    for value in [json!([one]), json!({"conversations": [one]})] {
        let read = read(&value);
        assert_eq!(read.messages, expected.messages);
        assert_eq!(read.branches, expected.branches);
    }
}

#[test]
fn a_shard_with_items_that_are_no_conversations_opens_with_the_others() {
    let opened = opened(&json!([null, retried("first"), {"title": "x"}, 4]), None);
    assert_eq!(opened.conversations.len(), 1);
    let places = opened
        .warnings
        .iter()
        .map(|w| (&*w.code, w.path.as_deref()));
    let skipped = ["/0", "/2", "/3"].map(|path| ("not_a_conversation", Some(path)));
    assert_eq!(places.collect::<Vec<_>>(), skipped);
}

#[test]
fn the_way_is_walked_from_the_current_node_whatever_the_order_and_the_times() {
    assert_eq!(words(&read(&retried("first"))), ["?", "1"]);
    assert_eq!(words(&read(&retried("second"))), ["?", "2"]);
    let other = opened(&retried("second"), Some("more"));
    assert_eq!(words(&other.conversations[0]), ["?", "1", "go on"]);
    let branches = &other.conversations[0].branches;
    let ends: Vec<_> = branches.iter().map(|b| (&*b.id, b.current)).collect();
    assert_eq!(ends, [("second", true), ("more", false)]);
}

#[test]
fn a_current_node_that_is_not_there_falls_back_to_the_newest_end_with_a_warning() {
    let read = read(&retried("gone"));
    assert_eq!(words(&read), ["?", "2"]);
    assert_eq!(codes(&read), ["current_not_in_file"]);
}

#[test]
fn parents_in_a_circle_end() {
    let nodes = [
        ("a", "b", said("user", "1")),
        ("b", "a", said("assistant", "2")),
    ];
    let read = read(&conversation(&nodes, "b"));
    assert_eq!(words(&read).len(), 2);
    assert_eq!(codes(&read), ["parent_in_a_circle"]);
}

#[test]
fn a_conversation_without_a_title_is_named_by_its_first_words() {
    for title in [json!(null), json!(""), json!(7)] {
        let mut value = retried("first");
        value["title"] = title;
        assert_eq!(read(&value).title.as_deref(), Some("?"));
    }
}

#[test]
fn times_are_read_in_every_spelling() {
    for time in [json!(1.5), json!("1.5"), json!("1970-01-01T00:00:01.5Z")] {
        let mut message = said("user", "?");
        message["create_time"] = time.clone();
        let read = read(&conversation(&[("q", "", message)], "q"));
        assert_eq!(read.messages.last().unwrap().timestamp(), 1500, "{time}");
    }
}

#[test]
fn of_a_voice_conversation_the_words_are_kept() {
    let content = json!({"content_type": "multimodal_text", "parts": [
        {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://file_1", "format": "wav"},
        {"content_type": "audio_transcription", "text": "hello", "direction": "in"}]});
    let message = json!({"author": {"role": "user"}, "content": content});
    let read = read(&conversation(&[("q", "", message)], "q"));
    assert_eq!(
        words(&read),
        ["[audio: sediment://file_1, audio/wav]", "hello"]
    );
    assert_eq!(
        read.attachments[0].reference.as_deref(),
        Some("sediment://file_1")
    );
}

#[test]
fn what_is_said_to_a_tool_is_a_call_and_what_it_answers_goes_to_that_call() {
    let call = |id: &str, recipient: &str, text: &str| {
        let mut message = said("assistant", text);
        message["id"] = json!(id);
        message["recipient"] = json!(recipient);
        message
    };
    let answer = |name: &str, text: &str| {
        let mut message = said("tool", text);
        message["author"]["name"] = json!(name);
        message
    };
    let nodes = [
        ("q", "", said("user", "?")),
        ("c1", "q", call("c1", "bio", "Likes rye.")),
        ("u", "c1", said("user", "never mind")),
        ("c2", "u", call("c2", "web.run", "{\"q\": 1}")),
        ("t1", "c2", answer("web", "one")),
        ("t2", "t1", answer("web", "two")),
        ("t3", "t2", answer("bio", "late")),
    ];
    let read = read(&conversation(&nodes, "t3"));
    let calls = read.messages.iter().flat_map(AgentMessage::content);
    let calls: Vec<_> = calls
        .filter_map(|block| match block {
            ContentBlock::FunctionCall {
                id,
                function_id,
                arguments,
            } => Some((&**id, &**function_id, arguments.clone())),
            _ => None,
        })
        .collect();
    let expected = [
        ("c1", "bio", json!({"input": "Likes rye."})),
        ("c2", "web.run", json!({"q": 1})),
    ];
    assert_eq!(calls, expected);
    let results: Vec<_> = read
        .messages
        .iter()
        .filter_map(|message| match message {
            AgentMessage::FunctionResult {
                function_call_id,
                function_id,
                content,
                ..
            } => Some((&**function_call_id, &**function_id, content.len())),
            _ => None,
        })
        .collect();
    assert_eq!(results, [("c2", "web.run", 2), ("t3", "bio", 1)]);
    assert_eq!(codes(&read), ["result_without_call", "call_unanswered"]);
}
