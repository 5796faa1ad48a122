use super::super::{Ask, Format, open};
use super::*;
use crate::transcript::{AgentMessage, ContentBlock};
use serde_json::json;

fn opened(text: &str, branch: Option<&str>) -> Vec<Imported> {
    let ask = Ask {
        branch: branch.map(str::to_owned),
        ..Ask::default()
    };
    let opened = open(text.as_bytes(), &ask).unwrap();
    assert_eq!(opened.format, Format::DataSet, "{text}");
    opened.conversations
}

fn roles(imported: &Imported) -> String {
    let role = |message: &AgentMessage| match message {
        AgentMessage::User { .. } => "u",
        AgentMessage::Assistant { .. } => "a",
        AgentMessage::FunctionResult { .. } => "r",
        AgentMessage::Custom { custom_type, .. } if custom_type == "system_injection" => "s",
        AgentMessage::Custom { .. } => "c",
    };
    imported.messages.iter().map(role).collect()
}

#[test]
fn a_row_may_begin_with_a_system_line_and_use_any_tag_of_the_sets() {
    let line = |tag: &str| json!({"from": tag, "value": "{\"name\": \"f\"}"});
    let row = |tags: &[&str]| {
        json!([{"conversations": tags.iter().map(|tag| line(tag)).collect::<Vec<_>>()}]).to_string()
    };
    for (tags, expected) in [
        (&["system", "human", "gpt"][..], "ua"),
        (&["human", "system", "gpt"], "usa"),
        (&["gpt", "human"], "au"),
        (&["user", "function_call", "observation", "chatgpt"], "uara"),
        (&["prompter", "Assistant", "tool"], "uar"),
        (&["human", "narrator", "bard"], "uca"),
    ] {
        assert_eq!(roles(&opened(&row(tags), None)[0]), expected, "{tags:?}");
    }
}

#[test]
fn the_rejected_answer_is_a_branch_whatever_shape_a_preference_has() {
    let user = json!({"role": "user", "content": "q"});
    let said = |text: &str| json!({"role": "assistant", "content": text});
    for row in [
        json!({"prompt": "q", "chosen": "yes", "rejected": "no"}),
        json!({"prompt": [user], "chosen": [said("yes")], "rejected": [said("no")]}),
        json!({"prompt": "q", "chosen": [user, said("yes")], "rejected": [user, said("no")]}),
        json!({"chosen": [user, said("yes")], "rejected": [user, said("no")]}),
        json!({"messages": [user], "chosen_messages": [said("yes")], "rejected_messages": [said("no")]}),
        json!({"chosen": "\n\nHuman: q\n\nAssistant: yes", "rejected": "\n\nHuman: q\n\nAssistant: no"}),
    ] {
        for (branch, words) in [
            (None, "yes"),
            (Some("rejected"), "no"),
            (Some("chosen"), "yes"),
        ] {
            let one = &opened(&json!([row]).to_string(), branch)[0];
            assert_eq!(roles(one), "ua", "{row}");
            assert_eq!(
                one.messages[1].content(),
                [ContentBlock::text(words)],
                "{row}"
            );
            let ids: Vec<_> = one
                .branches
                .iter()
                .map(|b| (b.id.as_str(), b.current))
                .collect();
            assert_eq!(ids, [("chosen", true), ("rejected", false)]);
        }
    }
}

#[test]
fn numbers_that_are_none_do_not_lose_a_row() {
    let text = "{\"instruction\": \"q\", \"output\": \"a\", \"score\": NaN}\n{\"instruction\": \"q\", \"output\": \"b\", \"s\": -Infinity}\n";
    assert_eq!(opened(text, None).len(), 2);
}

#[test]
fn a_thousand_rows_are_a_thousand_conversations() {
    let row = json!({"instruction": "q", "input": "", "output": "a"});
    let list = json!(vec![&row; 1000]).to_string();
    assert_eq!(opened(&list, None).len(), 1000);
    assert_eq!(opened(&format!("{row}\n").repeat(1000), None).len(), 1000);
}

#[test]
fn one_row_alone_opens() {
    let row = json!({"instruction": "q", "input": "i", "output": "a"}).to_string();
    assert_eq!(roles(&opened(&row, None)[0]), "ua");
}
