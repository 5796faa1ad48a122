//! Faults that tools of this kind are known for, each named for what must hold: what is counted, and what decides.

use galley_core::fit::Asked;
use galley_tests::asked::{
    answered, assemble, calls, case, count, result, said, trim_to, user, window,
};
use galley_tests::fit::EXACT;
use serde_json::{Value, json};

#[test]
fn a_system_prompt_that_is_no_text_is_refused_at_its_place() {
    for call in ["assemble", "count_tokens"] {
        let request = json!({"messages": [], "model": {"id": "m"}, "system_prompt": [{"type": "text", "text": "Be brief."}]});
        let refusal = Asked::read(call, &request).unwrap_err();
        assert_eq!(refusal.path.as_deref(), Some("/system_prompt"));
    }
}

#[test]
fn the_system_prompt_is_paid_for_once() {
    let prompt = "s".repeat(800);
    let size = |text: &str| trim_to(&[user(text)], 0, json!({})).token_count;
    let history = [user(&"x".repeat(1_000)), user(&"x".repeat(2_000))];
    let sizes: u64 = [1_000, 2_000]
        .map(|bytes| size(&"x".repeat(bytes)))
        .iter()
        .sum();
    for (max_tokens, kept) in [(sizes + 200, 2), (sizes + 199, 1)] {
        let trimmed = trim_to(&history, max_tokens, json!({"system_prompt": prompt}));
        assert_eq!((trimmed.messages.len(), trimmed.fits), (kept, true));
    }
    let request = json!({"model": window(9_000), "system_prompt": prompt});
    assert_eq!(
        assemble(&history, request).0.unwrap()["token_count"],
        sizes + 200
    );
}

#[test]
fn an_empty_history_keeps_its_system_prompt_or_has_none() {
    for (prompt, tokens) in [(json!("Be brief."), 2), (json!(null), 0)] {
        let trimmed = trim_to(&[], 100, json!({"system_prompt": prompt}));
        assert_eq!((trimmed.token_count, trimmed.fits), (tokens, true));
        let request = json!({"model": window(9_000), "system_prompt": prompt});
        let answer = assemble(&[], request).0.unwrap();
        assert_eq!(answer["system_prompt"], prompt.as_str().unwrap_or_default());
        assert_eq!(answer["token_count"], tokens);
    }
}

#[test]
fn a_system_prompt_that_alone_is_too_long_is_told_with_both_numbers() {
    let prompt = "s".repeat(8_000);
    let request = json!({"model": window(1_000), "system_prompt": prompt});
    let refusal = assemble(&[], request).0.unwrap_err();
    assert_eq!(refusal.code, "context/overflow");
    assert_eq!(
        refusal.message,
        "assembled context requires 2000 tokens but usable budget is 900"
    );
    let trimmed = trim_to(&[], 1_000, json!({"system_prompt": prompt}));
    assert_eq!((trimmed.token_count, trimmed.fits), (2_000, false));
}

#[test]
fn words_of_a_tokenizer_and_long_runs_count_alike_on_every_call() {
    let mut texts = vec!["<|endoftext|> and <|im_start|>".to_owned()];
    texts.extend(
        [
            ("_", 50_000),
            ("a", 100_000),
            ("^", 1_000_000),
            ("iVBORw0KGgo", 200_000),
        ]
        .map(|(run, times)| run.repeat(times)),
    );
    for (text, id) in texts.iter().flat_map(|text| [(text, "any"), (text, EXACT)]) {
        let model =
            json!({"id": id, "limits": {"context_window": 10_000_000, "max_output_tokens": 0}});
        let history = [user(text)];
        let counted = answered("count_tokens", &history, json!({"model": model}))["tokens"].clone();
        let assembled = assemble(&history, json!({"model": model})).0.unwrap();
        assert_eq!(assembled["token_count"], counted);
        assert_eq!(
            trim_to(&history, 0, json!({"model": model})).token_count,
            counted
        );
        if id == "any" {
            assert_eq!(counted, (json!(history[0]).to_string().len() / 4));
        }
    }
}

#[test]
fn one_more_character_is_no_cliff() {
    let tokens = |units: usize| count(&[user(&"汉".repeat(units))]);
    assert!(tokens(100_001) - tokens(100_000) <= 1);
}

#[test]
fn an_image_costs_its_allowance_wherever_it_stands() {
    let image = json!({"type": "image", "mime": "image/png", "data": "A".repeat(2_600_000)});
    let empty = json!({"type": "image", "mime": "image/png", "data": ""});
    let inline = |image: &Value| json!({"type": "function_result", "function_call_id": "c1", "content": [image]});
    let places: [&dyn Fn(&Value) -> Value; 3] = [
        &|image| json!({"role": "user", "content": [image], "timestamp": 1}),
        &|image| json!({"role": "user", "content": [inline(image)], "timestamp": 1}),
        &|image| json!({"role": "function_result", "function_call_id": "c1", "function_id": "f", "content": [image], "timestamp": 1}),
    ];
    for place in places {
        let mut frame = place(&empty);
        let framed = json!(frame).to_string().len() as u64 / 4;
        assert!((4_096..4_096 + framed + 20).contains(&count(&[place(&image)])));
        frame["content"] = json!([]);
        let exact = json!({"model": {"id": EXACT}});
        assert_eq!(
            answered("count_tokens", &[place(&image)], exact)["tokens"],
            50
        );
    }
}

#[test]
fn an_image_in_a_results_text_is_held_to_the_limit_of_a_result() {
    let data = format!("data:image/png;base64,{}", "A".repeat(2_600_000));
    let history = [
        user("look"),
        calls(&[("c1", "f", "")]),
        result("c1", "f", &data),
    ];
    let answer = assemble(&history, json!({"model": window(200_000)}))
        .0
        .unwrap();
    assert_eq!(answer["applied"]["capped_parts"], 1);
    assert!(answer["token_count"].as_u64().unwrap() < 20_000);
}

#[test]
fn functions_are_counted_once_and_their_sizes_sum_up() {
    let tools: Vec<Value> = (0..60)
        .map(|n| json!({"name": format!("tool_{n}"), "description": "d".repeat(900), "parameters": {"type": "object"}}))
        .collect();
    let request = json!({"model": window(200_000), "tools": tools});
    let counted = answered("count_tokens", &[], request.clone());
    assert_eq!(counted["tokens"], counted["tools_tokens"]);
    let (answer, detail) = assemble(&[], request);
    let answer = answer.unwrap();
    assert_eq!(answer["token_count"], counted["tokens"]);
    assert!((14_000..16_000).contains(&answer["token_count"].as_u64().unwrap()));
    let rows: u64 = detail.sizes.tools.iter().map(|tool| tool.tokens).sum();
    assert_eq!(answer["breakdown"]["tools_tokens"], rows);
}

#[test]
fn the_arguments_of_calls_are_counted() {
    let arguments = "word ".repeat(1_000);
    let history = [calls(&[
        ("a", "f", &arguments),
        ("b", "f", &arguments),
        ("c", "f", &arguments),
    ])];
    assert!(count(&history) > 3 * 1_000);
    let exact = answered("count_tokens", &history, json!({"model": {"id": EXACT}}));
    assert!(exact["tokens"].as_u64().unwrap() > 3 * 1_000);
}

#[test]
fn framing_is_a_number_of_its_own() {
    let request =
        json!({"messages": [user("hello")], "model": {"id": EXACT}, "system_prompt": "hello"});
    let (outcome, _) = case("count_tokens", request).play_new();
    let sizes = outcome.detail.sizes;
    assert_eq!((sizes.system_prompt, sizes.messages[0].tokens), (1, 1 + 3));
}

#[test]
fn functions_and_prompt_decide_whether_it_fits() {
    let tools = json!([{"name": "f", "description": "d".repeat(100_000)}]);
    let request = json!({"model": window(9_000), "tools": tools, "system_prompt": "Be brief."});
    let refusal = assemble(&[user("hi")], request).0.unwrap_err();
    assert_eq!(refusal.code, "context/overflow");
    assert!(
        refusal.message.contains("requires 250"),
        "{}",
        refusal.message
    );
}

#[test]
fn what_is_pasted_last_is_counted_before_it_is_sent() {
    let paste = "p".repeat(4 * 5_400);
    let history = [user(&paste), said("noted"), user(&paste)];
    let answer = assemble(&history, json!({"model": window(10_000)}))
        .0
        .unwrap();
    assert_eq!(answer["applied"]["compacted"], true);
    assert_eq!(answer["messages"], json!([user(&paste)]));
}

#[test]
fn limits_that_nobody_knows_are_told_as_such_and_those_of_the_request_win() {
    for (model, resolved) in [
        (json!({"id": "of nobody"}), "fallback"),
        (json!({"id": "gpt-5"}), "router"),
        (
            json!({"id": "gpt-5", "limits": {"context_window": 5_000, "max_output_tokens": 500}}),
            "inline",
        ),
    ] {
        let answer = assemble(&[user("hi")], json!({ "model": model }))
            .0
            .unwrap();
        assert_eq!(answer["model_resolved"], resolved);
    }
}
