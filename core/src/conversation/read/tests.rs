use super::*;
use proptest::prelude::*;
use serde_json::json;

fn file(value: Value) -> (Conversation, Vec<Warning>) {
    read(value.to_string().as_bytes()).unwrap()
}

/// What each warning is about: code and place.
fn told(warnings: &[Warning]) -> Vec<(&str, &str)> {
    let line = |w| {
        let Warning { code, path, .. }: &Warning = w;
        (code.as_str(), path.as_deref().unwrap_or("-"))
    };
    warnings.iter().map(line).collect()
}

/// A native file with these members.
fn with(members: Value) -> Value {
    let mut file = json!({"galley": "conversation/1"});
    file.as_object_mut()
        .unwrap()
        .extend(members.as_object().unwrap().clone());
    file
}

#[test]
fn what_is_no_native_file_is_refused() {
    for (text, path, words) in [
        ("", None, "there is nothing in it"),
        ("{\"galley\":", None, "byte 10"),
        ("[]", Some(""), "a JSON object"),
        ("{}", Some(""), "has no `galley`"),
        (
            "{\"galley\":\"conversation/2\"}",
            Some("/galley"),
            "reads \"conversation/1\"",
        ),
        ("{\"galley\":1}", Some("/galley"), "`galley` is 1"),
    ] {
        let refusal = read(text.as_bytes()).unwrap_err();
        assert_eq!(refusal.code, "file_invalid");
        assert_eq!(refusal.path.as_deref(), path, "{text}");
        assert!(refusal.message.contains(words), "{}", refusal.message);
    }
}

#[test]
fn the_smallest_file_is_whole() {
    let (file, warnings) = file(with(json!({"turns": [{"text": "hi"}]})));
    assert_eq!(warnings, []);
    let expected = json!({"galley": "conversation/1", "id": "c1", "kind": "conversation",
        "creating_user": "human", "answering_user": "agent", "workspace": {"name": ""},
        "users": {"human": {"kind": "human", "handle": "human", "display_name": "You", "access": "full"},
            "agent": {"kind": "agent", "handle": "agent", "display_name": "Assistant", "steward": "human", "access": "full"}},
        "turns": [{"id": "t0", "position": 0, "kind": "message", "role": "user", "visibility": "visible", "text": "hi"}]});
    assert_eq!(serde_json::to_value(&file).unwrap(), expected);
}

#[test]
fn defaults_follow_the_people_and_the_order() {
    let (file, warnings) = file(with(json!({
        "users": {"bot": {"kind": "agent", "handle": "b"}, "ann": {"kind": "human"}, "bob": {"kind": "human"}},
        "documents": {"system_prompt": {"content": "s"}, "character": {"content": "c"}, "persona": {"content": "p"}},
        "turns": [{"text": "a", "position": 4}, {"kind": "direct_reply", "content": "b"}, {"id": "t9", "position": 9}, {}],
    })));
    assert_eq!(warnings, []);
    assert_eq!(
        (file.creating_user.as_str(), file.answering_user.as_str()),
        ("ann", "bot")
    );
    assert_eq!(
        (
            file.users["bot"].display_name.as_str(),
            file.users["ann"].handle.as_str()
        ),
        ("b", "ann")
    );
    let owners: Vec<_> = file
        .documents
        .iter()
        .map(|d| d.owner.as_deref().unwrap())
        .collect();
    assert_eq!(owners, ["bot", "workspace", "ann"]);
    let turns: Vec<_> = file
        .turns
        .iter()
        .map(|t| (t.id.as_str(), t.position.unwrap(), t.role().as_str()))
        .collect();
    assert_eq!(
        turns,
        [
            ("t4", 4, "user"),
            ("t5", 5, "assistant"),
            ("t9", 9, "user"),
            ("t10", 10, "user")
        ]
    );
}

#[test]
fn a_member_of_the_wrong_shape_is_left_out_at_its_place() {
    let (file, warnings) = file(with(json!({
        "side": "yes",
        "users": {"a": {"kind": "robot"}, "b": 3},
        "models": [{"model": "m", "window": 1}, {"model": "n", "input_tokens": -1}],
        "turns": [
            {"text": 7, "mood": "kept"},
            "no turn",
            {"kind": "direct_reply", "prompt": "q", "run": {"rounds": [
                {"output": "x", "calls": [1, {"id": "c", "name": 2}, 3, {"id": "d"}]}, 5, {"output": "y"}]}},
            {"kind": "direct_reply", "variants": [{"id": "v", "content": ["a"]}, {"id": "w", "content": "b"}]},
            {"text": "last", "position": "one"},
        ],
    })));
    let places = [
        "/side",
        "/users/a/kind",
        "/users/b",
        "/models/0/window",
        "/models/1/input_tokens",
        "/turns/0/text",
        "/turns/1",
        "/turns/2/run/rounds/0/calls/0",
        "/turns/2/run/rounds/0/calls/1/name",
        "/turns/2/run/rounds/0/calls/2",
        "/turns/2/run/rounds/1",
        "/turns/3/variants/0/content",
        "/turns/4/position",
    ];
    assert_eq!(told(&warnings), places.map(|place| ("wrong_shape", place)));
    assert_eq!(file.turns.len(), 4);
    assert_eq!(file.turns[0].body.extra["mood"], "kept");
    let rounds = &file.turns[1].body.run.as_ref().unwrap().rounds;
    assert_eq!((rounds[0].calls.len(), rounds[1].output.as_str()), (2, "y"));
    assert_eq!(file.turns[3].text.as_deref(), Some("last"));
}

#[test]
fn places_are_those_of_the_file_as_written() {
    let (_, warnings) = file(with(json!({
        "users": {"1": 7, "2": {"kind": "robot"}, "3": {"kind": "human", "steward": "ghost"}},
        "models": [8, {"input_tokens": 5}],
        "turns": [9, {"text": "x"}, 10, {"speaker": "ghost", "uploads": [11, "up1"]}],
    })));
    let places = [
        ("wrong_shape", "/users/1"),
        ("wrong_shape", "/users/2/kind"),
        ("wrong_shape", "/models/0"),
        ("wrong_shape", "/turns/0"),
        ("wrong_shape", "/turns/2"),
        ("wrong_shape", "/turns/3/uploads/0"),
        ("user_unknown", "/users/3/steward"),
        ("model_nameless", "/models/1"),
        ("user_unknown", "/turns/3/speaker"),
        ("upload_unknown", "/turns/3/uploads/1"),
    ];
    assert_eq!(told(&warnings), places);
}

#[test]
fn names_are_replaced_wherever_they_stand() {
    let (file, warnings) = file(with(json!({
        "users": {"ann lee": {"kind": "human", "handle": "ann@home"}, "u1": {"kind": "agent", "steward": "ann lee"}},
        "creating_user": "ann lee",
        "documents": [{"slot": "persona", "owner": "ann lee", "content": "p"}],
        "turns": [{"id": "a b", "speaker": "ann lee", "text": "x"}, {"id": "ok", "text": "y"}, {"id": "ok", "text": "z"}],
    })));
    let places = [
        ("name_replaced", "/users/ann lee"),
        ("name_replaced", "/users/u2/handle"),
        ("turn_id_replaced", "/turns/0/id"),
        ("turn_id_replaced", "/turns/2/id"),
    ];
    assert_eq!(told(&warnings), places);
    assert_eq!(file.users.keys().collect::<Vec<_>>(), ["u2", "u1"]);
    assert_eq!(
        (
            file.creating_user.as_str(),
            file.users["u2"].handle.as_str()
        ),
        ("u2", "u3")
    );
    assert_eq!(file.users["u1"].steward.as_deref(), Some("u2"));
    assert_eq!(file.documents[0].owner.as_deref(), Some("u2"));
    assert_eq!(file.turns[0].speaker.as_deref(), Some("u2"));
    assert_eq!(
        file.turns.iter().map(|t| t.id.as_str()).collect::<Vec<_>>(),
        ["t0", "ok", "ok.2"]
    );
}

#[test]
fn what_is_named_and_not_there_is_told_and_reads_as_the_creator() {
    let (file, warnings) = file(with(json!({
        "answering_user": "ghost",
        "documents": [{"slot": "system_prompt", "owner": "ghost", "content": "s"}, {"slot": "mood", "content": "m"}],
        "memory": [{"path": "attic/x.md", "content": "y"}],
        "models": [{"input_tokens": 5}],
        "turns": [{"speaker": "nobody", "text": "x", "uploads": ["up7"]}, {"speaker": "system", "text": "y"},
            {"kind": "direct_reply", "variants": [{"content": "a"}], "active_variant": "v9"}],
    })));
    let places = [
        ("user_unknown", "/answering_user"),
        ("user_unknown", "/documents/0/owner"),
        ("slot_unknown", "/documents/1/slot"),
        ("memory_root_unknown", "/memory/0/path"),
        ("model_nameless", "/models/0"),
        ("user_unknown", "/turns/0/speaker"),
        ("variant_unknown", "/turns/2/active_variant"),
        ("upload_unknown", "/turns/0/uploads/0"),
    ];
    assert_eq!(told(&warnings), places);
    assert_eq!(file.answering_user, "agent");
    assert_eq!(file.turns[0].speaker.as_deref(), Some("human"));
    assert_eq!(file.turns[1].speaker.as_deref(), Some("system"));
}

#[test]
fn unknown_fields_survive() {
    let value = with(json!({"mood": {"a": [1, 2.5, null]},
        "users": {"x": {"kind": "human", "mood": 1}, "y": {"kind": "agent", "mood": 2}},
        "turns": [{"mood": 3, "kind": "direct_reply", "prompt": "q",
            "run": {"mood": 4, "rounds": [{"mood": 5, "output": "o", "calls": [{"id": "c", "mood": 6}]}]}}]}));
    let (file, _) = file(value);
    let written: Value = serde_json::from_str(&file.to_json()).unwrap();
    for pointer in [
        "/mood/a/1",
        "/users/x/mood",
        "/users/y/mood",
        "/turns/0/mood",
        "/turns/0/run/mood",
        "/turns/0/run/rounds/0/mood",
        "/turns/0/run/rounds/0/calls/0/mood",
    ] {
        assert!(written.pointer(pointer).is_some(), "{pointer}: {written}");
    }
}

/// Files of the right words in any order and often of the wrong shape.
fn any_file() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z @]{0,4}".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        Just(json!("human")),
        Just(json!("direct_reply")),
        Just(json!("system")),
        Just(json!("hidden")),
    ];
    let key = prop::sample::select(vec![
        "id",
        "kind",
        "users",
        "speakers",
        "turns",
        "variants",
        "run",
        "rounds",
        "calls",
        "results",
        "text",
        "content",
        "prompt",
        "uploads",
        "position",
        "role",
        "speaker",
        "documents",
        "memory",
        "models",
        "pending",
        "usage",
        "preface",
        "parts",
        "owner",
        "slot",
        "creating_user",
        "handle",
        "steward",
        "workspace",
        "other",
        "a/b",
    ]);
    let inner = leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..5)
                .prop_map(|pairs| pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    });
    (
        inner.clone(),
        inner.clone(),
        inner.clone(),
        prop::collection::vec(inner, 0..4),
    )
        .prop_map(|(mut file, users, run, turns)| {
            if !file.is_object() {
                file = json!({ "other": file });
            }
            file["galley"] = json!("conversation/1");
            file["users"] = json!({"x": users, "y z": {"kind": "agent"}});
            let mut turns = turns;
            turns.push(json!({"kind": "direct_reply", "run": run}));
            file["turns"] = Value::from(turns);
            file
        })
}

proptest! {
    #[test]
    fn what_was_read_and_written_reads_the_same_and_without_a_word_of_shapes(value in any_file()) {
        let (first, _) = file(value);
        let (second, warnings) = read(first.to_json().as_bytes()).unwrap();
        prop_assert_eq!(&second, &first);
        let changed = warnings.iter().find(|w| {
            matches!(w.code.as_str(), "wrong_shape" | "name_replaced" | "turn_id_replaced" | "user_unknown")
        });
        prop_assert_eq!(changed, None);
    }

    #[test]
    fn any_bytes_read_or_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        let _ = read(&bytes);
    }
}
