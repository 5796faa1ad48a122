//! Files of other tools, opened: bytes → the conversations in them, and what could not be read by position.
//!
//! [`open`] looks at the bytes, then at the shape of the JSON, never at a file's name. What it recognises
//! and cannot read yet is refused by its name with what to do instead; within a format nothing is refused
//! as a whole. A native file is only recognised here: `conversation::read` reads it. [`Ask::format`] says what a
//! file is where its shape does not.
//!
//! A further format is one file beside `chat.rs` that turns its records into [`Imported`], its row of
//! `shapes.rs`, or of `plain.rs` when it is no JSON, and a word of [`Format`].
//!
//! ```
//! use galley_core::import::{Ask, Format, open};
//! let opened = open(br#"[{"role": "user", "content": "hi"}]"#, &Ask::default()).unwrap();
//! assert_eq!(opened.format, Format::ChatCompletions);
//! assert_eq!(opened.conversations[0].messages.len(), 1);
//! ```

mod agent_messages;
mod ai_sdk;
mod ai_studio;
mod aider;
mod amp;
mod anthropic;
mod archive;
mod atif;
mod chat;
mod chatgpt;
mod cherry_studio;
mod claude_ai;
mod claude_code;
mod cline;
mod codex;
mod container;
mod copilot_chat;
mod copilot_cli;
mod crush;
mod cybros;
mod data_set;
mod deepseek;
mod exchange;
mod gemini;
mod gemini_cli;
mod gemini_takeout;
mod goose;
mod gptme;
mod grok;
mod grok_cli;
mod guess;
mod hermes;
mod iii_session;
mod inspect;
mod jan;
mod kiro;
mod langchain;
mod langsmith;
mod librechat;
mod lines;
mod llama_cpp;
mod lm_studio;
mod mapping;
mod open_webui;
mod opencode;
mod openhands;
mod opening;
mod pen;
mod pi;
mod picking;
mod plain;
mod readers;
mod reading;
mod record;
mod responses;
mod rounds;
mod shapes;
mod sillytavern;
mod sniff;
mod source;
mod stream;
mod time;
mod trace;
mod traffic;
mod tree;
mod ways;

pub use opening::{File, Listed, Opening, Step};
pub use picking::Picking;

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json::Fault;
use crate::refusal::{Refusal, Warning};
use crate::transcript::Imported;

/// The code of a file that cannot be read: it is empty, damaged, or no conversation at all.
pub const INVALID: &str = "file_invalid";

/// The code of a file of a known kind that is not read; the detail is the kind's word.
pub const UNSUPPORTED: &str = "file_unsupported";

pub use guess::UNCERTAIN;

/// A format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// The native file.
    Galley,
    /// Chat Completions messages in any of their wrappings.
    ChatCompletions,
    /// A ChatGPT data export, one of its shards or a conversation of it.
    Chatgpt,
    /// A Claude.ai data export or a conversation of it.
    ClaudeAi,
    /// A Claude Code session log, or a capture of its stream-json output.
    ClaudeCode,
    /// A Codex rollout of any of its three generations.
    Codex,
    /// A DeepSeek data export or a conversation of it.
    Deepseek,
    /// A session log of pi or OpenClaw.
    Pi,
    /// Recorded traffic of a browser or a proxy (HAR 1.2).
    Har,
    /// Recorded exchanges of a test: VCR and its kin, Nock, Gemini CLI's responses.
    Cassette,
    /// A raw capture of a streamed answer.
    EventStream,
    /// A Context Lens trace.
    Lhar,
    /// A Langfuse trace, session, or list of observations.
    Langfuse,
    /// OpenTelemetry spans of calls of models.
    Otel,
    /// A session of Gemini CLI, by lines or as one object.
    GeminiCli,
    /// An export of opencode.
    Opencode,
    /// A session of Goose, exported or by lines.
    Goose,
    /// A session or a task of Cline, Roo Code or Kilo Code.
    Cline,
    /// An event log of Copilot CLI.
    CopilotCli,
    /// A thread of Amp.
    Amp,
    /// A session log of Kiro CLI, or a conversation that it or Amazon Q saved.
    Kiro,
    /// A log of gptme.
    Gptme,
    /// A conversation of OpenHands, of either generation.
    Openhands,
    /// A session of Grok CLI, in either of its files.
    GrokCli,
    /// A session of Hermes Agent, exported, saved or logged.
    Hermes,
    /// A session of Crush, as it prints them.
    Crush,
    /// The chat history of Aider, which is Markdown.
    Aider,
    /// Messages of the transcript's own shape, bare or in a request or reply of the context functions.
    AgentMessages,
    /// A session of the iii session manager.
    IiiSession,
    /// OpenAI Responses items in any of their wrappings.
    Responses,
    /// Anthropic Messages in any of their wrappings.
    Anthropic,
    /// Gemini contents in any of their wrappings.
    Gemini,
    /// A prompt of AI Studio.
    AiStudio,
    /// Activities of the Gemini apps out of Google Takeout.
    GeminiTakeout,
    /// UI messages or model messages of the AI SDK, of every version.
    AiSdk,
    /// The file of the AI SDK's DevTools.
    AiSdkDevtools,
    /// A Cybros conversation: its turns, what was sealed of it, or its older export bundle.
    Cybros,
    /// Messages of LangChain, and the states and histories of LangGraph.
    Langchain,
    /// Chats of Open WebUI, as exported or without their envelopes.
    OpenWebui,
    /// A conversation of LibreChat, or a history of ChatbotUI.
    Librechat,
    /// A chat of SillyTavern, or one of the tools around it: text generation web UI, Agnai, CAI Tools, Kobold
    /// Lite, RisuAI.
    Sillytavern,
    /// A conversation of LM Studio.
    LmStudio,
    /// A thread of Jan, or a list of Assistants messages.
    Jan,
    /// A backup of Cherry Studio, or its topics.
    CherryStudio,
    /// Conversations of llama.cpp's web UI.
    LlamaCpp,
    /// A data export of Grok.
    Grok,
    /// A chat of Copilot in VS Code, or its journal.
    CopilotChat,
    /// Runs of LangSmith.
    Langsmith,
    /// Rows of a data set: ShareGPT, Alpaca, preferences and their kin.
    DataSet,
    /// The log of an Inspect evaluation, or one sample of it.
    Inspect,
    /// An ATIF trajectory.
    Atif,
    /// JSON of none of these, read by a guess at who speaks in it; only when it is asked for.
    Guess,
}

impl Format {
    /// Every format that is read, each once.
    pub fn all() -> impl Iterator<Item = Self> {
        let read: BTreeSet<Self> = shapes::read().chain(plain::read()).collect();
        read.into_iter()
    }
}

/// Its word.
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The format of a word; refuses `parameter_invalid` one that no format has, naming those there are.
impl FromStr for Format {
    type Err = Refusal;

    fn from_str(word: &str) -> Result<Self, Refusal> {
        if let Some(format) = Self::all().find(|format| format.to_string() == word) {
            return Ok(format);
        }
        let words: Vec<String> = Self::all().map(|format| format.to_string()).collect();
        let message = format!(
            "there is no format {word:?}; there are {}",
            words.join(", ")
        );
        Err(Refusal::parameter("/format", message))
    }
}

/// How a file is to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    /// What the file is, where its shape does not say so or says it wrongly; what it looks like when unset.
    pub format: Option<Format>,
    /// The branch that is wanted, by its id; the current one when unset.
    pub branch: Option<String>,
}

/// A file, opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct Opened {
    /// What it is.
    pub format: Format,
    /// Its conversations in file order; none of a native file, which is read by `conversation::read`.
    pub conversations: Vec<Imported>,
    /// What could not be read outside of the conversations, and what was mended, by position.
    pub warnings: Vec<Warning>,
}

/// Opens a file, each conversation on the branch that is asked for. Refuses `file_uncertain` what may be a
/// conversation of no known format, saying where and why, `file_invalid` what is empty,
/// damaged from the start or no conversation, naming the place, and `file_unsupported` what it recognises but
/// cannot read, saying what to do. Where a format is asked for, that one is read whatever the file looks like, and
/// a file in which nobody speaks by it is refused `file_invalid`, saying what it looks like.
pub fn open(bytes: &[u8], ask: &Ask) -> Result<Opened, Refusal> {
    let stretch = |from: u64, len: u64| {
        let (from, len) = (from as usize, len as usize);
        let rest = bytes.get(from..).unwrap_or_default();
        rest.get(..len).unwrap_or(rest)
    };
    let mut opening = Opening::new(bytes.len() as u64, ask.clone()).keeping(usize::MAX);
    while let Step::Read { from, len } = opening.step() {
        opening.give(stretch(from, len))?;
    }
    let mut file = opening.finish()?;
    let mut conversations = Vec::with_capacity(file.conversations.len());
    for index in 0..file.conversations.len() {
        let mut picking = file.pick(index, None)?;
        while let Step::Read { from, len } = picking.step() {
            picking.give(stretch(from, len))?;
        }
        conversations.push(picking.finish()?);
    }
    Ok(Opened {
        format: file.format,
        conversations,
        warnings: file.warnings,
    })
}

/// Opens a native file or Chat Completions messages that are held whole and not packed. What is another tool's is
/// refused `file_unsupported`: [`Opening`] opens it, and a build that does not name that carries none of the
/// other readers.
pub fn open_own(bytes: &[u8]) -> Result<Opened, Refusal> {
    let kind = sniff::magic(bytes).map(|kind| kind.refusal());
    if let Some(refusal) = kind.or_else(|| sniff::packed(bytes)) {
        return Err(refusal);
    }
    let mut reading = reading::Reading::new(Ask::default(), readers::OWN);
    let mut found = reading.push(bytes)?;
    let end = reading.finish()?;
    found.extend(end.found);
    Ok(Opened {
        format: end.format,
        conversations: found.into_iter().map(|found| found.imported).collect(),
        warnings: end.warnings,
    })
}

fn unreadable(fault: &Fault) -> Refusal {
    let mut refusal = fault.refusal(INVALID);
    if fault.offset == 0 || (fault.line, fault.column) == (1, 1) {
        refusal.message.push_str(
            "; a conversation is expected: a native file, or Chat Completions messages as JSON or JSONL",
        );
    }
    refusal
}

fn unknown(value: &Value) -> Refusal {
    if let Some(guess) = guess::of(value) {
        return guess.refusal();
    }
    let seen = match value {
        Value::Object(members) if members.is_empty() => "an empty object".to_owned(),
        Value::Object(members) => {
            let keys: Vec<&str> = members.keys().take(6).map(String::as_str).collect();
            format!("an object with {}", keys.join(", "))
        }
        Value::Array(items) if items.is_empty() => "an empty list".to_owned(),
        Value::Array(_) => "a list of something else than messages".to_owned(),
        _ => "a single value".to_owned(),
    };
    let message = format!(
        "the file is JSON but no conversation that is known here: it is {seen}; a list of messages with role and content, or an object with messages, is read"
    );
    Refusal::new(INVALID, message).at("")
}

#[cfg(test)]
mod tests;
