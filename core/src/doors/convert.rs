//! A conversation as a file of another shape: the native one, or the body of a request to a provider.

use crate::conversation::{Conversation, to_transcript};
use crate::refusal::{Refusal, Warning};
use crate::wire::Shape;

/// A conversation, written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Converted {
    /// The file, JSON.
    pub text: String,
    /// What of the conversation is otherwise in it: at a turn, or at a message of the transcript it is.
    pub warnings: Vec<Warning>,
}

/// Writes a conversation as `native`, or, all of it that is visible and sent from its newest summary on, as the
/// body of a request: `chat`, `responses`, `anthropic` or `gemini`, or as what a library takes: `ai_sdk`, `langchain`.
///
/// # Errors
/// `parameter_invalid` for any other word.
pub fn convert(file: &Conversation, to: &str) -> Result<Converted, Refusal> {
    if to == "native" {
        return Ok(Converted {
            text: file.to_json(),
            warnings: Vec::new(),
        });
    }
    let Some(shape) = Shape::parse(to) else {
        let words = Shape::ALL.map(Shape::as_str).join(", ");
        let message = format!("`{to}` is nothing to write a conversation as: native, {words} are");
        return Err(Refusal::parameter("/to", message));
    };
    let (transcript, mut warnings) = to_transcript(file);
    let (body, told) = shape.write(&transcript);
    warnings.extend(told);
    Ok(Converted {
        text: body.to_string(),
        warnings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn an_opened_file_is_written_as_any_of_the_bodies() {
        let mut chat = json!({"model": "m", "max_tokens": 99, "temperature": 0, "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "What is here?"},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{ }"}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "a.txt"},
            {"role": "assistant", "content": "a.txt"},
            {"role": "user", "content": "And?"}]});
        let opened = crate::doors::open(chat.to_string().as_bytes()).unwrap();
        let file = opened.conversation;
        let written = |target| {
            let Converted { text, warnings } = convert(&file, target).unwrap();
            let codes: Vec<String> = warnings.into_iter().map(|warning| warning.code).collect();
            (serde_json::from_str::<Value>(&text).unwrap(), codes)
        };
        // The options go with no body; a bound is used where one is due.
        let options =
            ["temperature", "max_tokens"].map(|key| chat.as_object_mut().unwrap().remove(key));
        assert_eq!(options, [Some(json!(0)), Some(json!(99))]);
        assert_eq!(
            written("chat"),
            (chat, vec!["options_not_written".to_owned()])
        );
        let (native, _) = written("native");
        assert_eq!(native["galley"], "conversation/1");
        let (anthropic, told) = written("anthropic");
        assert_eq!(
            told,
            ["options_not_written", "arguments_respelled", "tool_added"]
        );
        assert_eq!(anthropic["max_tokens"], 99);
        assert_eq!(
            anthropic["messages"][2],
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "a.txt"}]})
        );
        let (gemini, told) = written("gemini");
        assert_eq!(
            told,
            [
                "options_not_written",
                "arguments_respelled",
                "ids_not_written",
                "model_not_written"
            ]
        );
        assert_eq!(
            gemini["contents"][2]["parts"][0]["functionResponse"],
            json!({"name": "ls", "response": {"output": "a.txt"}})
        );
        let (responses, told) = written("responses");
        assert_eq!(told, ["options_not_written"]);
        let kinds: Vec<&str> = responses["input"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["type"].as_str().unwrap())
            .collect();
        assert_eq!(
            kinds,
            [
                "message",
                "function_call",
                "function_call_output",
                "message",
                "message"
            ]
        );
        assert_eq!(responses["instructions"], "Be brief.");
        let refusal = convert(&file, "telegram").unwrap_err();
        assert_eq!(
            (refusal.code.as_str(), refusal.path.as_deref()),
            ("parameter_invalid", Some("/to"))
        );
    }

    #[test]
    fn a_summary_stands_for_what_is_before_it_and_what_is_hidden_is_not_written() {
        let file: Conversation = serde_json::from_value(json!({"turns": [
            {"text": "old"},
            {"kind": "compaction_summary", "content": "so far"},
            {"text": "hidden", "visibility": "hidden"},
            {"kind": "direct_reply", "prompt": "new", "content": "answer"}]}))
        .unwrap();
        let Converted { text, warnings } = convert(&file, "chat").unwrap();
        let body: Value = serde_json::from_str(&text).unwrap();
        let said: Vec<&str> = body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|message| message["content"].as_str().unwrap())
            .collect();
        assert_eq!(said, ["so far", "new", "answer"]);
        let told: Vec<(&str, &str)> = warnings
            .iter()
            .map(|w| (w.code.as_str(), w.path.as_deref().unwrap()))
            .collect();
        let expected = [
            ("turn_not_sent", "/turns/2"),
            ("before_summary_not_written", "/messages/0"),
            ("summary_as_words", "/messages/1"),
        ];
        assert_eq!(told, expected);
    }
}
