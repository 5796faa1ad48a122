//! Faults that tools of this kind are known for, each named for what must hold: calls, reasoning, pruning, summaries.

use galley_core::fit::PassName;
use galley_tests::asked::{
    answer, assemble, block, call, calls, case, compact, prune, result, said, thought, trim_to,
    user, whole, window,
};
use serde_json::{Value, json};

#[test]
fn a_cut_takes_a_call_with_its_result() {
    let history = [
        user("do it"),
        calls(&[("c1", "f", &"a".repeat(4_000))]),
        result("c1", "f", "done"),
        said("it is done"),
    ];
    let trimmed = trim_to(&history, 60, json!({}));
    assert_eq!((trimmed.sources, trimmed.fits), (vec![3], true));
    let options = json!({"tail_turns": 1, "preserve_recent_tokens": 100});
    assert_eq!(compact(&history, options)["tail_start_index"], 3);
}

#[test]
fn a_last_result_keeps_its_call_or_says_that_it_does_not_fit() {
    let history = [
        user("do both"),
        calls(&[("tc1", "f", "")]),
        result("tc1", "f", "one"),
        calls(&[("tc2", "f", "")]),
        result("tc2", "f", "two"),
    ];
    let trimmed = trim_to(&history, 1, json!({"system_prompt": "be brief"}));
    assert_eq!((trimmed.sources, trimmed.fits), (vec![3, 4], false));
}

#[test]
fn parallel_calls_and_their_results_stay_or_go_as_one() {
    for calls in [
        vec![calls(&[("a", "f", ""), ("b", "f", "")])],
        vec![calls(&[("a", "f", "")]), calls(&[("b", "f", "")])],
    ] {
        let start = 1 + calls.len();
        let mut history = vec![user("both")];
        history.extend(calls);
        history.extend([
            result("a", "f", &"x".repeat(4_000)),
            result("b", "f", "out B"),
            said("done"),
        ]);
        for max_tokens in 0..1_300 {
            let kept = trim_to(&history, max_tokens, json!({})).sources;
            assert!(
                kept.len() == history.len()
                    || kept == [start + 2]
                    || kept.len() == history.len() - 1,
                "{max_tokens}: {kept:?}"
            );
        }
        let cut = compact(
            &history,
            json!({"tail_turns": 1, "preserve_recent_tokens": 300}),
        );
        assert_eq!(cut["tail_start_index"], json!(start + 2));
    }
}

#[test]
fn twelve_parallel_calls_are_not_cut_at_their_ninth_result() {
    let ids: Vec<String> = (0..12).map(|n| format!("c{n}")).collect();
    let made: Vec<(&str, &str, &str)> = ids.iter().map(|id| (id.as_str(), "f", "")).collect();
    let mut history = vec![user(&"x".repeat(40_000)), user("look"), calls(&made)];
    history.extend(ids.iter().map(|id| result(id, "f", &"r".repeat(400))));
    let whole: Vec<usize> = (2..15).collect();
    let trimmed = trim_to(&history, 600, json!({}));
    assert_eq!((trimmed.sources, trimmed.fits), (whole, false));
    let options = json!({"preserve_recent_tokens": 600, "tail_turns": 1});
    assert_eq!(compact(&history, options)["tail_start_index"], 1);
    let answer = assemble(&history, json!({"model": window(3_000)}))
        .0
        .unwrap();
    assert_eq!(answer["applied"]["tail_start_index"], 1);
}

#[test]
fn a_call_is_not_left_without_its_result() {
    let history = [
        user("read it"),
        said("I shall"),
        calls(&[("c1", "f", "")]),
        result("c1", "f", &"r".repeat(8_000)),
    ];
    let trimmed = trim_to(&history, 100, json!({}));
    assert_eq!((trimmed.sources, trimmed.fits), (vec![2, 3], false));
    let dropped = trim_to(&history, 10_000, json!({"drop_functions": ["f"]}));
    assert_eq!(dropped.sources, [0, 1]);
}

#[test]
fn reasoning_goes_with_the_call_it_led_to_and_none_is_left_alone() {
    let alone = [
        user("go"),
        answer(json!([thought("first this"), call("c1", "f", "")])),
        result("c1", "f", "out"),
        said("done"),
    ];
    let dropped = json!({"drop_functions": ["f"]});
    let trimmed = trim_to(&alone, 10_000, dropped.clone());
    assert_eq!(
        (trimmed.sources, trimmed.reasoning_dropped),
        (vec![0, 3], vec![])
    );

    let beside = [
        user("go"),
        answer(json!([
            thought("first this"),
            call("c1", "f", ""),
            block("meanwhile")
        ])),
        result("c1", "f", "out"),
        said("done"),
    ];
    let trimmed = trim_to(&beside, 10_000, dropped);
    assert_eq!(
        json!(trimmed.messages[1])["content"],
        json!([block("meanwhile")])
    );
    // A wire that pairs reasoning with what follows it is told.
    assert_eq!(trimmed.reasoning_dropped, [1]);
}

#[test]
fn signed_reasoning_of_the_newest_answer_stays_in_its_place() {
    let newest = answer(json!([
        {"type": "thinking", "text": "signed", "signature": "s1"},
        call("c2", "f", ""),
        {"type": "thinking", "text": "", "signature": "redacted"},
    ]));
    let history = [
        user("one"),
        answer(json!([thought("old"), call("c1", "f", "")])),
        result("c1", "f", &"r".repeat(30_000)),
        user("two"),
        newest.clone(),
        result("c2", "f", &"r".repeat(30_000)),
    ];
    let request = json!({"model": window(2_000), "options": {"allow_compaction": false}});
    let answer = assemble(&history, request).0.unwrap();
    assert_eq!(answer["applied"]["pruned"], true);
    assert_eq!(answer["messages"][4], newest);
    let trimmed = trim_to(&history, 100_000, json!({"drop_reasoning": true}));
    assert_eq!(json!(trimmed.messages[4]), newest);
    assert_eq!(
        json!(trimmed.messages[1])["content"],
        json!([call("c1", "f", "")])
    );
    assert_eq!(trimmed.reasoning_dropped, [1]);
}

#[test]
fn what_is_pruned_already_does_not_end_the_look_for_more() {
    let long = "r".repeat(4_000);
    let pruned = "[output of f pruned: was ~1000 tokens; re-call it if still needed]";
    let history = [
        user("go"),
        result("a", "f", &long),
        result("b", "f", pruned),
        result("c", "f", &long),
        user("on"),
    ];
    let answer = prune(&history, json!({}));
    assert_eq!(
        (&answer["pruned_parts"], &answer["scanned_parts"]),
        (&json!(2), &json!(3))
    );
    assert_eq!(answer["messages"][2], whole(&history[2]));
}

#[test]
fn a_second_pruning_finds_nothing() {
    let history = [
        user("go"),
        calls(&[("a", "f", "")]),
        result("a", "f", &"r".repeat(4_000)),
        user("on"),
    ];
    for rule in [json!({}), json!({"decay_user_turns": 1})] {
        let once = prune(&history, rule.clone());
        assert_eq!(once["pruned_parts"], 1);
        assert_eq!(prune(&history, rule.clone()).to_string(), once.to_string());
        let left: Vec<Value> = serde_json::from_value(once["messages"].clone()).unwrap();
        let twice = prune(&left, rule);
        assert_eq!(
            (&twice["pruned_parts"], &twice["pruned_tokens"]),
            (&json!(0), &json!(0))
        );
        assert_eq!(twice["messages"], once["messages"]);
    }
}

#[test]
fn reasoning_of_every_kind_is_dropped() {
    let sealed = json!({"type": "thinking", "text": "", "signature": "a sealed file"});
    let history = [
        user("go"),
        answer(json!([thought("in words"), sealed, block("one")])),
        user("on"),
        said("two"),
    ];
    let trimmed = trim_to(&history, 10_000, json!({"drop_reasoning": true}));
    assert_eq!(json!(trimmed.messages[1])["content"], json!([block("one")]));
}

#[test]
fn where_the_cached_prefix_breaks_is_told() {
    let mut history: Vec<Value> = (0..200).map(|n| user(&format!("turn {n}"))).collect();
    history[5] = result("a", "f", &"r".repeat(4_000));
    let request =
        json!({"messages": history, "options": {"protect_recent_tokens": 0, "min_free_tokens": 1}});
    let (outcome, _) = case("prune", request).play_new();
    let prefix = outcome.detail.passes[0].prefix.unwrap();
    let rest: u64 = outcome.detail.sizes.messages[5..]
        .iter()
        .map(|size| size.tokens)
        .sum();
    assert_eq!((prefix.message, prefix.tokens), (Some(5), rest));
}

#[test]
fn a_blank_or_failed_summary_leaves_history_and_the_earlier_summary() {
    let history = [
        user(&"x".repeat(8_000)),
        said("noted"),
        user("read"),
        calls(&[("c", "f", "")]),
        result("c", "f", &"r".repeat(8_000)),
    ];
    for (summary, status) in [
        (Ok(json!("")), "empty"),
        (Ok(json!(" \n")), "empty"),
        (Err(Default::default()), "overflow"),
        (Ok(json!("x".repeat(9_000))), "overflow"),
    ] {
        let request = json!({"messages": history, "model": window(3_000), "options": {"previous_summary": "what was before"}});
        let mut case = case("assemble", request.clone());
        case.outside.summary = summary;
        let (outcome, _) = case.play_new();
        let answer = json!(outcome.response.unwrap());
        assert_eq!(answer["applied"]["compacted"], false);
        assert_eq!(
            answer["system_prompt"],
            "# Conversation summary\n\nwhat was before"
        );
        assert_eq!(answer["messages"].as_array().unwrap().len(), history.len());
        case.call = "compact".to_owned();
        case.request["options"]["preserve_recent_tokens"] = json!(500);
        let (outcome, _) = case.play_new();
        assert_eq!(
            json!(outcome.response.unwrap()),
            json!({ "status": status })
        );
    }
}

#[test]
fn a_summary_is_kept_as_it_was_returned_and_notes_in_front_of_it_are_told() {
    let summary = "<analysis>\nfirst I look at\n</analysis>\n\n## Goal\n- ship it \n";
    let history = [user(&"x".repeat(8_000)), user("on"), user("and on")];
    let mut case = case(
        "compact",
        json!({"messages": history, "model": window(9_000)}),
    );
    case.outside.summary = Ok(json!(summary));
    let outcome = case.play_new().0;
    assert_eq!(json!(outcome.response.unwrap())["summary"], summary);
    assert!(outcome.detail.compaction.unwrap().scratchpad);
}

#[test]
fn a_newest_batch_that_alone_is_too_large_is_made_to_fit() {
    let ids: Vec<String> = (0..10).map(|n| format!("c{n}")).collect();
    let made: Vec<(&str, &str, &str)> = ids.iter().map(|id| (id.as_str(), "f", "")).collect();
    let mut history = vec![user("look"), calls(&made)];
    history.extend(ids.iter().map(|id| result(id, "f", &"r".repeat(40_000))));
    let (answer, detail) = assemble(&history, json!({"model": window(20_000)}));
    assert!(answer.unwrap()["token_count"].as_u64().unwrap() <= 18_000);
    let reduced = detail
        .passes
        .iter()
        .find(|pass| pass.pass == PassName::Emergency);
    assert!(!reduced.unwrap().parts.is_empty());
    let trimmed = trim_to(&history, 18_000, json!({}));
    assert_eq!((trimmed.messages.len(), trimmed.fits), (11, false));
}

#[test]
fn results_of_one_message_count_the_same_in_whatever_order_they_are_reduced() {
    let inline = |id: &str, bytes: usize| json!({"type": "function_result", "function_call_id": id, "content": [block(&"x".repeat(bytes))]});
    for content in [
        json!([inline("small", 2_000), inline("large", 8_000)]),
        json!([inline("large", 8_000), inline("small", 2_000)]),
    ] {
        let history = [json!({"role": "user", "content": content, "timestamp": 1})];
        let request = json!({"model": window(500), "options": {"allow_compaction": false}});
        let (answer, detail) = assemble(&history, request);
        assert_eq!(
            answer.unwrap()["token_count"],
            detail.sizes.messages[0].tokens
        );
    }
}
