//! Which reader a format has.
//!
//! Apart from how a format is recognised, so that a build which reads its own formats alone recognises all of
//! them and carries the readers of none.

use serde_json::Value;

use super::librechat::nested;
use super::record::Record;
use super::trace::{langfuse, otel};
use super::traffic::{cassette, event_stream, har, lhar};
use super::{
    Ask, Format, UNSUPPORTED, agent_messages, ai_sdk, ai_studio, aider, amp, anthropic, atif, chat,
    chatgpt, cherry_studio, claude_ai, claude_code, cline, codex, copilot_chat, copilot_cli, crush,
    cybros, data_set, deepseek, gemini, gemini_cli, gemini_takeout, goose, gptme, grok, grok_cli,
    guess, hermes, iii_session, inspect, jan, kiro, langchain, langsmith, librechat, llama_cpp,
    lm_studio, open_webui, opencode, openhands, pi, responses, sillytavern,
};
use crate::json::{self, Fault, Notes, Place, Text};
use crate::refusal::Refusal;
use crate::transcript::Imported;

/// Reads records that belong together: all lines of a log, one item or line that is a conversation by itself, or
/// a file's one value.
pub(super) type Read = fn(Vec<Record>, &Ask, &mut Notes) -> Vec<Imported>;

/// Reads a whole text that is no JSON. Each of its conversations is found again by reading it again.
pub(super) type ReadText = fn(&Text<'_>, &Ask, &mut Notes) -> Vec<Imported>;

/// Reads one value that is the whole of a slice which begins at a place of its source.
pub(super) type ReadValue = fn(&[u8], Place, &mut Notes) -> Result<Value, Fault>;

/// The readers that a build carries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Readers {
    /// How a value is read: not every build follows trees deeper than JSON is read.
    pub value: ReadValue,
    records: fn(Format) -> Option<Read>,
    texts: fn(Format) -> Option<ReadText>,
}

/// Those of every format.
pub(super) const ALL: Readers = Readers {
    value: nested::value,
    records: every,
    texts: every_text,
};

/// The one of Chat Completions.
pub(super) const OWN: Readers = Readers {
    value: json::value,
    records: own,
    texts: |_| None,
};

impl Readers {
    /// The reader of a format; refuses `file_unsupported` one that this build does not carry.
    pub fn records(self, format: Format) -> Result<Read, Refusal> {
        (self.records)(format).ok_or_else(|| elsewhere(format))
    }

    /// The reader of a text.
    pub fn texts(self, format: Format) -> Result<ReadText, Refusal> {
        (self.texts)(format).ok_or_else(|| elsewhere(format))
    }
}

fn elsewhere(format: Format) -> Refusal {
    let message = format!("this is a file of another tool ({format}): openFile opens it");
    Refusal::new(UNSUPPORTED, message).detail(format.to_string())
}

fn own(format: Format) -> Option<Read> {
    (format == Format::ChatCompletions).then_some(chat::read)
}

fn every(format: Format) -> Option<Read> {
    Some(match format {
        Format::GeminiCli => gemini_cli::read,
        Format::Opencode => opencode::read,
        Format::Goose => goose::read,
        Format::Cline => cline::read,
        Format::CopilotCli => copilot_cli::read,
        Format::Amp => amp::read,
        Format::Atif => atif::read,
        Format::Inspect => inspect::read,
        Format::AgentMessages => agent_messages::read,
        Format::AiSdk => ai_sdk::read,
        Format::AiSdkDevtools => ai_sdk::devtools::read,
        Format::AiStudio => ai_studio::read,
        Format::Anthropic => anthropic::read,
        Format::Cassette => cassette::read,
        Format::ChatCompletions => chat::read,
        Format::Chatgpt => chatgpt::read,
        Format::CherryStudio => cherry_studio::read,
        Format::ClaudeAi => claude_ai::read,
        Format::ClaudeCode => claude_code::read,
        Format::Codex => codex::read,
        Format::CopilotChat => copilot_chat::read,
        Format::Cybros => cybros::read,
        Format::DataSet => data_set::read,
        Format::Deepseek => deepseek::read,
        Format::Gemini => gemini::read,
        Format::GeminiTakeout => gemini_takeout::read,
        Format::Gptme => gptme::read,
        Format::Grok => grok::read,
        Format::GrokCli => grok_cli::read,
        Format::Hermes => hermes::read,
        Format::Crush => crush::read,
        Format::Guess => guess::read,
        Format::Har => har::read,
        Format::IiiSession => iii_session::read,
        Format::Jan => jan::read,
        Format::Kiro => kiro::read,
        Format::Langchain => langchain::read,
        Format::Langfuse => langfuse::read,
        Format::Langsmith => langsmith::read,
        Format::Lhar => lhar::read,
        Format::Librechat => librechat::read,
        Format::LlamaCpp => llama_cpp::read,
        Format::LmStudio => lm_studio::read,
        Format::OpenWebui => open_webui::read,
        Format::Openhands => openhands::read,
        Format::Otel => otel::read,
        Format::Pi => pi::read,
        Format::Responses => responses::read,
        Format::Sillytavern => sillytavern::read,
        _ => return None,
    })
}

fn every_text(format: Format) -> Option<ReadText> {
    Some(match format {
        Format::Aider => aider::read,
        Format::Cassette => cassette::read_yaml,
        Format::EventStream => event_stream::read,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{plain, shapes};

    #[test]
    fn every_format_that_is_recognised_has_its_reader() {
        for format in shapes::read().filter(|format| *format != Format::Galley) {
            assert!(ALL.records(format).is_ok(), "{format:?}");
        }
        for format in plain::read() {
            assert!(ALL.texts(format).is_ok(), "{format:?}");
        }
        assert_eq!(
            OWN.records(Format::Pi).unwrap_err().detail.as_deref(),
            Some("pi")
        );
        assert!(OWN.records(Format::ChatCompletions).is_ok());
    }
}
