use super::super::tests::{call, codes, outline, read, texts, think};
use crate::transcript::ContentBlock;
use serde_json::json;

#[test]
fn untyped_parts_read_in_both_spellings_and_pair_by_name_and_order() {
    let rest = json!([
        {"role": "user", "parts": [{"text": "go"}, {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}]},
        {"role": "model", "parts": [
            {"text": "hm", "thought": true},
            {"text": "Looking"},
            {"functionCall": {"name": "ls", "args": {"p": "a"}}, "thoughtSignature": "sig"},
            {"functionCall": {"name": "ls", "args": {"p": "b"}}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": "ls", "response": {"output": "1"}}},
            {"functionResponse": {"name": "ls", "response": {"files": ["2"]}}}]},
        {"parts": [{"text": "no role"}]},
    ]);
    let python = json!([
        {"role": "user", "parts": [{"text": "go"}, {"inline_data": {"mime_type": "image/png", "data": "iVBORw0KGgo="}}]},
        {"role": "model", "parts": [
            {"text": "hm", "thought": true, "inline_data": null},
            {"text": "Looking", "thought": null},
            {"function_call": {"id": null, "name": "ls", "args": {"p": "a"}}, "thought_signature": "sig"},
            {"function_call": {"name": "ls", "args": {"p": "b"}}}]},
        {"role": "function", "parts": [
            {"function_response": {"name": "ls", "response": {"result": "1"}}},
            {"function_response": {"name": "ls", "response": {"files": ["2"]}}}]},
        {"role": null, "parts": [{"text": "no role"}]},
    ]);
    for contents in [rest, python] {
        let imported = read(contents);
        let lines = [
            "user",
            "assistant",
            "result call#1 ls",
            "result call#2 ls",
            "user",
        ];
        assert_eq!(outline(&imported), lines);
        let said = vec![
            think("hm", None),
            ContentBlock::text("Looking"),
            think("", Some("sig")),
            call("call#1", "ls", json!({"p": "a"})),
            call("call#2", "ls", json!({"p": "b"})),
        ];
        assert_eq!(imported.messages[1].content(), said);
        assert_eq!(texts(&imported.messages[2]), ["1"]);
        assert_eq!(texts(&imported.messages[3]), [r#"{"files":["2"]}"#]);
        assert_eq!(codes(&imported), Vec::<String>::new());
    }
}

#[test]
fn unequal_numbers_of_calls_and_responses_are_told() {
    let imported = read(json!([
        {"role": "model", "parts": [{"functionCall": {"name": "a", "args": {}}}, {"functionCall": {"name": "b", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "b", "response": {"output": "1"}}}, {"functionResponse": {"name": "c", "response": {"error": "2"}}}]},
    ]));
    assert_eq!(
        outline(&imported),
        ["assistant", "result call#2 b", "result  c"]
    );
    assert_eq!(
        codes(&imported),
        [
            "result_without_call /messages/1/parts/1",
            "call_unanswered /messages/0/parts/0"
        ]
    );
}

#[test]
fn code_that_the_provider_ran_is_a_call_and_its_result() {
    let imported = read(json!([{"role": "model", "parts": [
        {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1\n"}},
        {"text": "one"}]}]));
    let lines = ["assistant", "result call#1 code_execution", "assistant"];
    assert_eq!(outline(&imported), lines);
}
