//! What must not be computed twice: an edit counts what it changed, a bound counts nothing; a message is counted once
//! under each way of counting.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use galley_core::fit::{Asked, Extras, Item, Manager, Outcome, Step};
use galley_core::session::Session;
use galley_core::tokens::Encoding;
use galley_core::wording::Wording;
use galley_tests::{lay_over, suite};
use serde_json::{Value, json};

/// A tokenizer that counts how often it is asked.
struct Times(Rc<Cell<u64>>);

impl Encoding for Times {
    fn name(&self) -> &str {
        "o200k_base"
    }

    fn count(&self, text: &str) -> u64 {
        self.0.set(self.0.get() + 1);
        text.split_whitespace().count() as u64
    }
}

fn opened() -> (Session, Rc<Cell<u64>>) {
    let turns: Vec<Value> = (0..40)
        .map(|n| {
            json!({"kind": "direct_reply", "prompt": format!("question {n}"), "run": {"rounds": [
                {"key": "r1", "output": format!("looking {n}"), "calls": [{"id": "c", "name": "read", "arguments": format!("{{\"n\":{n}}}")}],
                 "results": {"c": {"status": "completed", "output": format!("contents {n}")}}},
                {"key": "r2", "output": format!("answer {n}")}]}})
        })
        .collect();
    let file = lay_over(
        suite("kernel-base.json"),
        json!({"turns": turns, "documents": {"system_prompt": {"content": "be brief"}}}),
    );
    let mut session = Session::open(file.to_string().as_bytes()).expect("the file opens");
    let asked = Rc::new(Cell::new(0));
    session.load_encoding(Rc::new(Times(asked.clone())));
    (session, asked)
}

fn request(prompt: &str, share: f64, window: u64) -> Value {
    json!({"prompt": prompt, "history": {"token_budget_share": share}, "model": {"input_tokens": window, "counter": "o200k_base"},
        "inline": [{"role": "user", "text": "a tail of its own", "position": "tail"}]})
}

#[test]
fn an_edit_counts_only_what_it_changed() {
    let (mut session, asked) = opened();
    let mut plan = |request: Value| {
        let before = asked.get();
        session.plan(&request).expect("it can be planned");
        asked.get() - before
    };
    let cold = plan(request("a first prompt", 1.0, 8_192));
    // 40 seeds, looks, arguments, contents and answers, one tool name, the slot, the prompt, the tail, the
    // tail joined with the prompt.
    assert_eq!(cold, 40 * 5 + 5, "every text once");
    assert_eq!(
        plan(request("a first prompt", 1.0, 8_192)),
        0,
        "nothing changed"
    );
    assert_eq!(
        plan(request("a first prompt and more", 1.0, 8_192)),
        2,
        "the prompt, and the entry it is in"
    );
    assert_eq!(
        plan(request("a first prompt and more", 0.5, 8_192)),
        0,
        "a share"
    );
    assert_eq!(
        plan(request("a first prompt and more", 0.01, 8_192)),
        0,
        "a tighter share"
    );
    assert_eq!(
        plan(request("a first prompt and more", 1.0, 100_000)),
        0,
        "another window"
    );
}

#[test]
fn a_turn_that_is_added_counts_itself() {
    let (mut session, asked) = opened();
    let ask = request("next", 1.0, 8_192);
    session.plan(&ask).expect("it can be planned");
    let sealed = session
        .seal(&ask, Default::default())
        .expect("it can be sent");
    session
        .settle(&sealed.turn.id, &json!({"content": "a new answer"}))
        .expect("it is running");
    let before = asked.get();
    session.plan(&ask).expect("it can be planned");
    assert_eq!(
        asked.get() - before,
        1,
        "the answer; its seed was counted as a prompt"
    );
}

#[test]
fn equal_texts_are_one_text() {
    let turns: Vec<Value> = (0..100)
        .map(|_| json!({"role": "assistant", "kind": "message", "text": "again"}))
        .collect();
    let file = lay_over(suite("kernel-base.json"), json!({"turns": turns}));
    let mut session = Session::open(file.to_string().as_bytes()).expect("the file opens");
    session
        .plan(&json!({"prompt": "again", "model": {"input_tokens": 8_192}}))
        .expect("it can be planned");
    // The text, and the hundred of them joined.
    assert_eq!(session.counted(), 2);
}

/// A tokenizer that writes down what it is asked.
struct Noted(&'static str, Rc<RefCell<Vec<String>>>);

impl Encoding for Noted {
    fn name(&self) -> &str {
        self.0
    }

    fn count(&self, text: &str) -> u64 {
        self.1.borrow_mut().push(text.to_owned());
        text.len() as u64
    }
}

/// A manager with two models, each of a tokenizer of its own, and what those were asked.
fn noted() -> (Rc<Manager>, Rc<RefCell<Vec<String>>>) {
    let noted = Rc::new(RefCell::new(Vec::new()));
    let row = |encoding: &str| json!({"model": encoding, "counter": encoding, "combined_tokens": 1_000_000, "max_output_tokens": 0});
    let rows = json!([row("o200k_base"), row("cl100k_base")]);
    let rows = serde_json::from_value(rows).expect("they are rows");
    let manager = Manager::new(rows, Wording::default());
    for name in ["o200k_base", "cl100k_base"] {
        manager.load_encoding(Rc::new(Noted(name, noted.clone())));
    }
    (Rc::new(manager), noted)
}

fn said(n: usize) -> Item {
    let result = json!({"role": "function_result", "function_call_id": "c", "function_id": "f", "timestamp": 1,
        "content": [{"type": "text", "text": format!("result {n} {}", "x".repeat(n * 10))}]});
    serde_json::from_value(result).expect("it is a message")
}

/// What a call of these very messages asked of the tokenizers.
fn asks(
    manager: &Rc<Manager>,
    noted: &RefCell<Vec<String>>,
    call: &str,
    model: &str,
    items: &[Item],
) -> Vec<String> {
    noted.borrow_mut().clear();
    let request = json!({"messages": [], "model": {"id": model}});
    let asked = Asked::read(call, &request).expect("it can be read");
    let asked = asked.with_messages(items.to_vec());
    let mut run = manager.call(asked, Extras::default(), 0, String::new());
    let Step::Done(Outcome { response, .. }) = run.step() else {
        panic!("nothing is needed");
    };
    response.expect("it is answered");
    noted.borrow().clone()
}

#[test]
fn a_message_is_counted_once_under_each_way_of_counting() {
    let (manager, noted) = noted();
    let mut items: Vec<Item> = (0..40).map(said).collect();
    let count =
        |model: &str, items: &[Item]| asks(&manager, &noted, "count_tokens", model, items).len();
    assert_eq!(count("o200k_base", &items), 40);
    assert_eq!(count("o200k_base", &items), 0);
    assert_eq!(count("cl100k_base", &items), 40);
    assert_eq!(count("o200k_base", &items), 0);
    items.push(said(40));
    assert_eq!(count("o200k_base", &items), 1, "what was appended");
    assert_eq!(count("any", &items), 0);
}

#[test]
fn a_setting_counts_only_what_it_changes() {
    let (manager, noted) = noted();
    let items: Vec<Item> = (0..40).map(said).collect();
    let assemble = |items: &[Item]| asks(&manager, &noted, "assemble", "o200k_base", items);
    // Each text, and the empty prompt.
    assert_eq!(assemble(&items).len(), 40 + 1);
    for config in [
        json!({"reserved_pct": 20, "tail_turns": 7}),
        json!({"protect_recent_tokens": 3, "max_output_chars": 5_000, "decay_user_turns": 3}),
        json!({"max_result_tokens": 10_000}),
    ] {
        manager.configure(&config).expect("these are members");
        assert_eq!(assemble(&items), [""]);
    }
    manager
        .configure(&json!({"max_result_tokens": 390}))
        .expect("this is one");
    let changed = |text: &String| text.contains("[cap]") || text.contains("result capped");
    let asked = assemble(&items);
    assert!(
        asked.iter().all(|text| text.is_empty() || changed(text)),
        "{asked:?}"
    );
    assert!(asked.len() > 1);
}
