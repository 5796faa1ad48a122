//! A summariser's answer that came in frames, as `router::chat` streams it, folded into its text.

use serde_json::Value;

use super::Failure;

/// Folds frames, a JSON text each, in their order: `done` has the whole text, `text_delta` pieces of it, `error` and
/// a `stop` for an error end it. Frames of other kinds, and what is no JSON, are skipped.
///
/// # Errors
/// The failure that a frame tells; `empty` when there is no text.
pub fn fold_frames<'a>(frames: impl IntoIterator<Item = &'a str>) -> Result<String, Failure> {
    let (mut deltas, mut whole) = (String::new(), String::new());
    for frame in frames {
        let Ok(frame) = serde_json::from_str::<Value>(frame) else {
            continue;
        };
        let word = |key: &str| frame.get(key).and_then(Value::as_str);
        match word("type").unwrap_or_default() {
            "text_delta" => deltas.push_str(word("delta").unwrap_or_default()),
            "done" => whole = frame.get("message").map(texts).unwrap_or_default(),
            "error" => return Err(failed(frame.get("error").map(words).unwrap_or_default())),
            "stop" if word("stop_reason") == Some("error") => {
                return Err(failed(word("error_message").unwrap_or_default().to_owned()));
            }
            _ => {}
        }
    }
    let text = if whole.is_empty() { deltas } else { whole };
    if text.is_empty() {
        return Err(Failure {
            kind: "empty".to_owned(),
            message: String::new(),
        });
    }
    Ok(text)
}

fn failed(message: String) -> Failure {
    Failure {
        kind: "failed".to_owned(),
        message,
    }
}

/// What an error says: itself, its message, or the texts it came with.
fn words(error: &Value) -> String {
    let said = ["error_message", "message"].map(|key| error.get(key).and_then(Value::as_str));
    let said = said.into_iter().flatten().next().or(error.as_str());
    said.map_or_else(|| texts(error), str::to_owned)
}

/// The texts of a message, a newline between them.
fn texts(message: &Value) -> String {
    let blocks = message.get("content").and_then(Value::as_array);
    let texts = blocks.into_iter().flatten().filter_map(|block| {
        let text = block.get("type").and_then(Value::as_str) == Some("text");
        block.get("text").and_then(Value::as_str).filter(|_| text)
    });
    texts.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(frames: &[&str], expected: Result<&str, (&str, &str)>) {
        let folded = fold_frames(frames.iter().copied());
        let expected = expected
            .map(str::to_owned)
            .map_err(|(kind, message)| Failure {
                kind: kind.to_owned(),
                message: message.to_owned(),
            });
        assert_eq!(folded, expected);
    }

    const A: &str = r#"{"type":"text_delta","delta":"a"}"#;
    const B: &str = r#"{"type":"text_delta","delta":"b"}"#;

    #[test]
    fn the_whole_text_wins_over_its_pieces() {
        let done = r#"{"type":"done","message":{"content":[{"type":"text","text":"x"},{"type":"thinking","text":"t"},{"type":"text","text":"y"}]}}"#;
        check(&[A, done, B], Ok("x\ny"));
        check(&[A, B], Ok("ab"));
        check(&[A, r#"{"type":"done","message":{"content":[]}}"#], Ok("a"));
    }

    #[test]
    fn what_failed_says_so_in_its_own_words() {
        check(
            &[A, r#"{"type":"error","error":"429"}"#, B],
            Err(("failed", "429")),
        );
        check(
            &[r#"{"type":"error","error":{"error_message":"too long"}}"#],
            Err(("failed", "too long")),
        );
        check(
            &[
                A,
                r#"{"type":"stop","stop_reason":"error","error_message":"broken"}"#,
            ],
            Err(("failed", "broken")),
        );
    }

    #[test]
    fn junk_is_skipped_and_nothing_is_empty() {
        check(
            &[
                "",
                "{",
                "[]",
                r#"{"type":"ping"}"#,
                A,
                r#"{"type":"stop","stop_reason":"end"}"#,
            ],
            Ok("a"),
        );
        check(&[], Err(("empty", "")));
        check(&["junk"], Err(("empty", "")));
    }
}
