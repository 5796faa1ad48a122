//! What the summariser reads, and how its summary stands in the system prompt.

use super::item::Item;
use crate::transcript::{AgentMessage, ContentBlock};
use crate::wording::{
    NEW_SUMMARY_INSTRUCTION, SUMMARIZE_REQUEST, SUMMARY_TEMPLATE, UPDATE_SUMMARY_INSTRUCTION,
    Wording,
};

/// What the summariser is told.
pub fn system_prompt(previous: Option<&str>, wording: &Wording) -> String {
    let template = wording.say(SUMMARY_TEMPLATE);
    match previous {
        None => format!("{}\n\n{template}", wording.say(NEW_SUMMARY_INSTRUCTION)),
        Some(previous) => format!(
            "{}\n<previous-summary>\n{previous}\n</previous-summary>\n\n{template}",
            wording.say(UPDATE_SUMMARY_INSTRUCTION)
        ),
    }
}

/// What it is asked: the messages as text, a result message's texts cut to `max_output_chars` bytes. Reasoning and
/// results inside of other messages are left out.
pub fn prompt(head: &[Item], max_output_chars: usize, wording: &Wording) -> String {
    let mut prompt = format!("{}\n\n<conversation>\n", wording.say(SUMMARIZE_REQUEST));
    for item in head {
        let message = item.message();
        prompt.push_str(&format!("\n[{}]\n", message.role()));
        let is_result = matches!(message, AgentMessage::FunctionResult { .. });
        for block in message.content() {
            match block {
                ContentBlock::Text { text } if is_result && text.len() > max_output_chars => {
                    let end = text.floor_char_boundary(max_output_chars);
                    prompt.push_str(text.get(..end).unwrap_or_default());
                    prompt.push_str("... [truncated]\n");
                }
                ContentBlock::Text { text } => {
                    prompt.push_str(text);
                    prompt.push('\n');
                }
                ContentBlock::Image { .. } => prompt.push_str("[image stripped]\n"),
                ContentBlock::FunctionCall {
                    function_id,
                    arguments,
                    ..
                } => prompt.push_str(&format!("[tool_call] {function_id} {arguments}\n")),
                ContentBlock::Thinking { .. } | ContentBlock::FunctionResult { .. } => {}
            }
        }
    }
    prompt.push_str("</conversation>\n");
    prompt
}

/// A system prompt with a summary under its heading; white space at the prompt's own end goes in any case.
pub fn rendered(base: Option<&str>, summary: Option<&str>) -> String {
    let base = base.unwrap_or_default().trim_end();
    match (base, summary) {
        (_, None) => base.to_owned(),
        ("", Some(summary)) => format!("# Conversation summary\n\n{summary}"),
        (base, Some(summary)) => format!("{base}\n\n# Conversation summary\n\n{summary}"),
    }
}

/// Whether a text begins with a section in marks of its own that more follows.
pub fn begins_with_notes(text: &str) -> bool {
    let section = text.trim_start().strip_prefix('<').and_then(|rest| {
        let (name, rest) = rest.split_once('>')?;
        let named = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let (_, after) = rest.split_once(&format!("</{name}>"))?;
        named.then_some(after)
    });
    section.is_some_and(|after| !after.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_stands_under_its_heading_behind_the_prompt() {
        let heading = "# Conversation summary\n\nS";
        for (base, summary, expected) in [
            (None, None, ""),
            (Some(" Base. \n\n"), None, " Base."),
            (
                Some("Base."),
                Some("S"),
                "Base.\n\n# Conversation summary\n\nS",
            ),
            (Some(" \n"), Some("S"), heading),
            (None, Some("S"), heading),
            (None, Some(""), "# Conversation summary\n\n"),
        ] {
            assert_eq!(rendered(base, summary), expected);
        }
    }
    #[test]
    fn notes_in_front_of_a_summary_are_seen() {
        for (text, notes) in [
            (
                "<analysis>First…</analysis>\n<summary>## Goal</summary>",
                true,
            ),
            (" <scratch_pad></scratch_pad> ## Goal", true),
            ("<summary>## Goal</summary>\n", false),
            ("## Goal\n<analysis>a</analysis> b", false),
            ("<analysis>never closed", false),
            ("<a b>c</a b>d", false),
            ("", false),
        ] {
            assert_eq!(begins_with_notes(text), notes, "{text}");
        }
    }
}
