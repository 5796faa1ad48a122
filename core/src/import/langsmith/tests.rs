use super::*;
use serde_json::json;

fn opened(value: Value) -> (Vec<Imported>, Vec<String>) {
    let mut notes = Notes::default();
    let found = read(vec![Record::whole(value)], &Ask::default(), &mut notes);
    let codes = notes.finish().into_iter().map(|warning| warning.code);
    (found, codes.collect())
}

fn run(trace: &str, order: &str, words: &str) -> Value {
    json!({"run_type": "llm", "name": order, "trace_id": trace, "dotted_order": order, "outputs": null,
        "inputs": {"messages": [[{"type": "human", "content": words}]]}})
}

#[test]
fn the_last_call_of_a_trace_comes_first_and_the_others_follow() {
    let runs = json!([
        run("t", "1.1", "a"),
        run("u", "9", "z"),
        run("t", "1.3", "c"),
        run("t", "1.2", "b")
    ]);
    for runs in [
        runs.clone(),
        json!({ "runs": runs }),
        json!({ "data": runs }),
    ] {
        let (found, codes) = opened(runs);
        let titles: Vec<&str> = found
            .iter()
            .map(|one| one.title.as_deref().unwrap())
            .collect();
        assert_eq!(titles, ["1.3", "1.2", "1.1", "9"]);
        assert_eq!(codes, Vec::<String>::new());
    }
}

#[test]
fn what_was_moved_to_another_store_is_told() {
    let mut moved = run("t", "1", "");
    moved["inputs"] = Value::Null;
    moved["inputs_s3_urls"] = json!({"ROOT": "s3://bucket/key"});
    let (found, codes) = opened(json!([moved, run("u", "2", "a")]));
    assert_eq!(found.len(), 1);
    assert_eq!(codes, ["content_not_in_file", "run_empty"]);
}
