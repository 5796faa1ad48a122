//! What must not be computed twice: an edit counts what it changed, a bound counts nothing.

use std::cell::Cell;
use std::rc::Rc;

use galley_core::session::Session;
use galley_core::tokens::Encoding;
use galley_tests::{lay_over, suite};
use serde_json::{Value, json};

/// A tokenizer that counts how often it is asked.
struct Asked(Rc<Cell<u64>>);

impl Encoding for Asked {
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
    session.load_encoding(Rc::new(Asked(asked.clone())));
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
