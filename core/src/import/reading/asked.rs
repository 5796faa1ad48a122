//! A file that is read as what it was said to be, not as what it looks like.

use super::Found;
use crate::import::{Format, INVALID};
use crate::refusal::Refusal;
use crate::transcript::AgentMessage;

/// Whether the file is what it was said to be: it is not while nobody speaks in what is found.
#[derive(Debug)]
pub(super) struct Doubt {
    /// What is said when it stays.
    pub refusal: Refusal,
    /// What was found so far.
    held: Vec<Found>,
}

impl Doubt {
    /// The file was said to be of this format and looks like something else.
    pub fn new(asked: Format, looks: Result<Format, Refusal>) -> Self {
        let (looks, path, detail) = match looks {
            Ok(format) => (
                format!("it looks like {format}"),
                None,
                Some(format.to_string()),
            ),
            Err(refusal) => (refusal.message, refusal.path, refusal.detail),
        };
        let message = format!("nothing in the file reads as {asked}: {looks}");
        Self {
            refusal: Refusal {
                path,
                detail,
                ..Refusal::new(INVALID, message)
            },
            held: Vec::new(),
        }
    }
}

/// What of this is given out: nothing while the doubt stays, all of it once somebody speaks.
pub(super) fn settle(doubt: &mut Option<Doubt>, mut found: Vec<Found>) -> Vec<Found> {
    let speaks = found.iter().any(speaks);
    match doubt {
        Some(doubt) if !speaks => {
            doubt.held.append(&mut found);
            found
        }
        _ => {
            let held = doubt.take().map(|doubt| doubt.held);
            held.into_iter().flatten().chain(found).collect()
        }
    }
}

fn speaks(found: &Found) -> bool {
    let imported = &found.imported;
    let aside = |message: &AgentMessage| matches!(message, AgentMessage::Custom { .. });
    !imported.system.is_empty() || !imported.messages.iter().all(aside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::reading::Reading;
    use crate::import::{Ask, Opened, open, readers};

    const CHAT: &str = r#"[{"role": "user", "content": "hi"}]"#;

    fn asked(text: &str, format: Format) -> Result<Opened, Refusal> {
        open(text.as_bytes(), &ask(format))
    }

    fn ask(format: Format) -> Ask {
        Ask {
            format: Some(format),
            ..Ask::default()
        }
    }

    #[test]
    fn a_format_that_is_asked_for_reads_the_file_or_says_what_it_looks_like() {
        for format in [Format::ChatCompletions, Format::AgentMessages] {
            let opened = asked(CHAT, format).unwrap();
            assert_eq!(opened.format, format);
            assert_eq!(opened.conversations[0].messages.len(), 1);
        }
        let lines = format!(
            "{}\n{}\n",
            &CHAT[1..CHAT.len() - 1],
            &CHAT[1..CHAT.len() - 1]
        );
        let history = "# aider chat started at 2025-01-01 00:00:00\n\n#### hi\n\nhello\n";
        for (text, format, looks) in [
            (CHAT, Format::Cybros, "chat_completions"),
            (CHAT, Format::Galley, "chat_completions"),
            (CHAT, Format::Aider, "chat_completions"),
            (&lines, Format::Chatgpt, "chat_completions"),
            (&lines, Format::EventStream, "chat_completions"),
            (history, Format::Pi, "aider"),
            (history, Format::EventStream, "aider"),
            (r#"{"galley": "conversation/1"}"#, Format::Codex, "galley"),
            ("<html>", Format::Codex, "html"),
            (r#"[{"who": "a", "msg": "b"}]"#, Format::Codex, "guess"),
        ] {
            let refusal = asked(text, format).unwrap_err();
            assert_eq!(
                (refusal.code.as_str(), refusal.detail.as_deref()),
                (INVALID, Some(looks)),
                "{format}: {refusal}"
            );
        }
        for text in ["hello there", "{\"a\": 1"] {
            let refusal = asked(text, Format::Pi).unwrap_err();
            assert_eq!(refusal.code, INVALID);
            assert!(refusal.message.contains("(byte "), "{refusal}");
        }
        let native = asked(r#"{"galley": "conversation/1"}"#, Format::Galley).unwrap();
        assert_eq!(native.format, Format::Galley);
    }

    #[test]
    fn what_is_found_before_somebody_speaks_is_given_out_with_it() {
        let said = r#"{"chat_messages": [{"uuid": "a", "sender": "human", "text": "hi"}]}"#;
        let mut lines = vec![r#"{"messages": []}"#; 99];
        lines.extend([r#"{"chat_messages": []}"#, said]);
        let mut reading = Reading::new(ask(Format::ClaudeAi), readers::ALL);
        let mut given = Vec::new();
        for line in lines {
            given.push(reading.push(format!("{line}\n").as_bytes()).unwrap().len());
        }
        assert_eq!((given.iter().sum::<usize>(), given.last()), (2, Some(&2)));
        let end = reading.finish().unwrap();
        assert_eq!((end.format, end.found.len()), (Format::ClaudeAi, 0));
    }

    #[test]
    fn a_format_has_a_word_and_is_found_by_it() {
        for format in Format::all() {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        let refusal = "Pi".parse::<Format>().unwrap_err();
        assert_eq!(refusal.code, "parameter_invalid");
        assert!(refusal.message.contains(" pi, har, "), "{refusal}");
    }
}
