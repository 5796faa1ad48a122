//! What a JSON value is, by its keys: the most specific shape first, the general one last.
//!
//! One row of [`KINDS`] is one kind of file: how it is recognised, and what to do with it when nobody reads it.
//! Who reads a format is said in `readers.rs`.

use serde_json::Value;

use super::mapping::is_mapped;
use super::trace::{langfuse, otel};
use super::traffic::{cassette, har, lhar};
use super::{
    Format, agent_messages, ai_sdk, ai_studio, amp, anthropic, atif, cherry_studio, cline, codex,
    copilot_chat, copilot_cli, crush, cybros, data_set, deepseek, gemini, gemini_cli,
    gemini_takeout, goose, gptme, grok, grok_cli, hermes, iii_session, inspect, jan, kiro,
    langchain, langsmith, librechat, llama_cpp, lm_studio, open_webui, openhands, pi, responses,
    sillytavern,
};

/// A kind of file.
#[derive(Debug)]
pub(super) enum Kind {
    /// The native file, which `conversation::read` reads.
    Native,
    /// A format that is read.
    Reads(Reads),
}

impl Kind {
    /// What a file of this kind is.
    pub fn format(&self) -> Format {
        match self {
            Self::Native => Format::Galley,
            Self::Reads(reads) => reads.format,
        }
    }
}

/// A format that is read.
#[derive(Debug)]
pub(super) struct Reads {
    /// Its word.
    pub format: Format,
    /// Its lines are one log: one of them says what the file is, whatever the others look like.
    pub log: bool,
    /// Whether an item of a list, or a line, is a conversation of its own. The others of a file are one together.
    pub each: fn(&Value) -> bool,
}

/// How many items of a list are looked at.
const LOOKED_AT: usize = 50;

/// Recognises a whole file, or one line of one.
pub(super) fn of(value: &Value) -> Option<&'static Kind> {
    let found = KINDS.iter().find(|(is, _)| is(value));
    found.map(|(_, kind)| kind)
}

/// Recognises a line of a log.
pub(super) fn log(value: &Value) -> Option<&'static Kind> {
    let logs = KINDS
        .iter()
        .filter(|(_, kind)| matches!(kind, Kind::Reads(reads) if reads.log));
    let found = logs.into_iter().find(|(is, _)| is(value));
    found.map(|(_, kind)| kind)
}

/// The formats that are read, the native file first.
pub(super) fn read() -> impl Iterator<Item = Format> {
    KINDS.iter().map(|(_, kind)| kind.format())
}

/// How the records of a format are divided; `None` for the native file and for what is no JSON.
pub(super) fn reads(format: Format) -> Option<&'static Reads> {
    KINDS.iter().find_map(|(_, kind)| match kind {
        Kind::Reads(reads) if reads.format == format => Some(reads),
        _ => None,
    })
}

fn claude_code_log(v: &Value) -> bool {
    let of_a_session = ["sessionId", "session_id", "uuid", "parentUuid"]
        .into_iter()
        .any(|key| has(v, key));
    let others = [
        "system",
        "attachment",
        "progress",
        "queue-operation",
        "result",
        "mode",
        "permission-mode",
        "last-prompt",
        "ai-title",
        "custom-title",
    ];
    let of_a_session = of_a_session && !gemini_cli::is_qwen(v);
    of_a_session && is_type(v, &["user", "assistant"]) && v.pointer("/message/role").is_some()
        || of_a_session && is_type(v, &others)
        || is_type(v, &["summary"]) && has(v, "leafUuid")
        || is_type(v, &["file-history-snapshot"]) && has(v, "messageId")
        || list(v, "loglines")
}

/// One Chat Completions message.
pub(super) fn is_message(value: &Value) -> bool {
    text(value, "role").is_some() && !has(value, "messages") && !has(value, "choices")
}

/// The oldest fine-tuning example.
pub(super) fn is_completion_pair(value: &Value) -> bool {
    has(value, "prompt") && text(value, "completion").is_some()
}

fn is_chat(value: &Value) -> bool {
    let list_of_messages = |list: &Value| {
        let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
        list.is_array() && (items.is_empty() || items.iter().take(LOOKED_AT).any(is_message))
    };
    let one = |value: &Value| {
        value.get("messages").is_some_and(list_of_messages)
            || value.get("choices").is_some_and(Value::is_array)
            || value
                .pointer("/body/messages")
                .is_some_and(list_of_messages)
            || value.pointer("/response/body").is_some() && has(value, "custom_id")
            || value
                .pointer("/input/messages")
                .is_some_and(list_of_messages)
            || is_completion_pair(value)
            || is_message(value)
    };
    match value.as_array() {
        Some(items) => items.iter().take(LOOKED_AT).any(|item| {
            one(item) || item.is_array() && list_of_messages(item) && item.get(0).is_some()
        }),
        None => one(value),
    }
}

type Test = fn(&Value) -> bool;

/// The kinds in the order they are tried.
const KINDS: &[(Test, Kind)] = &[
    (|v| v.is_object() && v.get("galley").is_some(), Kind::Native),
    (
        codex::is,
        Kind::Reads(Reads {
            format: Format::Codex,
            log: true,
            each: |_| false,
        }),
    ),
    (
        claude_code_log,
        Kind::Reads(Reads {
            format: Format::ClaudeCode,
            log: true,
            each: |_| false,
        }),
    ),
    (
        |v| some(v, |o| llama_cpp::is_line(o) || llama_cpp::is_whole(o)),
        Kind::Reads(Reads {
            format: Format::LlamaCpp,
            log: true,
            each: llama_cpp::is_whole,
        }),
    ),
    (
        pi::is,
        Kind::Reads(Reads {
            format: Format::Pi,
            log: true,
            each: |_| false,
        }),
    ),
    (
        |v| some(v, inspect::is),
        Kind::Reads(Reads {
            format: Format::Inspect,
            log: false,
            each: inspect::is,
        }),
    ),
    (
        |v| some(v, atif::is),
        Kind::Reads(Reads {
            format: Format::Atif,
            log: false,
            each: atif::is,
        }),
    ),
    (
        |v| some(v, deepseek::is_conversation),
        Kind::Reads(Reads {
            format: Format::Deepseek,
            log: false,
            each: |_| true,
        }),
    ),
    (
        |v| some(v, is_mapped) || within(v, "conversations", is_mapped),
        Kind::Reads(Reads {
            format: Format::Chatgpt,
            log: false,
            each: |_| true,
        }),
    ),
    (
        |v| {
            let is = |o: &Value| list(o, "chat_messages");
            some(v, is) || within(v, "conversations", is)
        },
        Kind::Reads(Reads {
            format: Format::ClaudeAi,
            log: false,
            each: |_| true,
        }),
    ),
    (
        copilot_cli::is_event,
        Kind::Reads(Reads {
            format: Format::CopilotCli,
            log: true,
            each: |_| false,
        }),
    ),
    (
        |v| some(v, amp::is),
        Kind::Reads(Reads {
            format: Format::Amp,
            log: false,
            each: amp::is,
        }),
    ),
    (
        |v| some(v, |o| kiro::is_saved(o) || kiro::is_line(o)),
        Kind::Reads(Reads {
            format: Format::Kiro,
            log: true,
            each: kiro::is_saved,
        }),
    ),
    (
        gptme::is_line,
        Kind::Reads(Reads {
            format: Format::Gptme,
            log: true,
            each: |_| false,
        }),
    ),
    (
        |v| some(v, |o| openhands::is_whole(o) || openhands::is_event(o)),
        Kind::Reads(Reads {
            format: Format::Openhands,
            log: true,
            each: openhands::is_whole,
        }),
    ),
    (
        |v| some(v, grok_cli::is),
        Kind::Reads(Reads {
            format: Format::GrokCli,
            log: true,
            each: |_| false,
        }),
    ),
    (
        |v| some(v, |o| hermes::is_whole(o) || hermes::begins(o)),
        Kind::Reads(Reads {
            format: Format::Hermes,
            log: true,
            each: hermes::is_whole,
        }),
    ),
    (
        |v| some(v, crush::is),
        Kind::Reads(Reads {
            format: Format::Crush,
            log: false,
            each: crush::is,
        }),
    ),
    (
        lhar::is,
        Kind::Reads(Reads {
            format: Format::Lhar,
            log: true,
            each: lhar::each,
        }),
    ),
    (
        har::is,
        Kind::Reads(Reads {
            format: Format::Har,
            log: false,
            each: |_| false,
        }),
    ),
    (
        cassette::is,
        Kind::Reads(Reads {
            format: Format::Cassette,
            log: false,
            each: cassette::each,
        }),
    ),
    (
        gemini_cli::is,
        Kind::Reads(Reads {
            format: Format::GeminiCli,
            log: true,
            each: |_| false,
        }),
    ),
    (
        |v| {
            let id = v.pointer("/info/id").and_then(Value::as_str);
            id.is_some_and(|id| id.starts_with("ses_"))
        },
        Kind::Reads(Reads {
            format: Format::Opencode,
            log: false,
            each: |_| true,
        }),
    ),
    (
        goose::is,
        Kind::Reads(Reads {
            format: Format::Goose,
            log: true,
            each: |session| has(session, "conversation"),
        }),
    ),
    (
        cline::is,
        Kind::Reads(Reads {
            format: Format::Cline,
            log: false,
            each: |_| false,
        }),
    ),
    (
        sillytavern::is_chat,
        Kind::Reads(Reads {
            format: Format::Sillytavern,
            log: true,
            each: sillytavern::is_cousin,
        }),
    ),
    (
        |v| some(v, open_webui::is_chat),
        Kind::Reads(Reads {
            format: Format::OpenWebui,
            log: false,
            each: open_webui::is_chat,
        }),
    ),
    (
        |v| some(v, librechat::is_chat) || librechat::is_history(v),
        Kind::Reads(Reads {
            format: Format::Librechat,
            log: false,
            each: librechat::is_chat,
        }),
    ),
    (
        |v| some(v, lm_studio::is_chat),
        Kind::Reads(Reads {
            format: Format::LmStudio,
            log: false,
            each: lm_studio::is_chat,
        }),
    ),
    (
        jan::is_thread,
        Kind::Reads(Reads {
            format: Format::Jan,
            log: true,
            each: |_| false,
        }),
    ),
    (
        |v| some(v, cherry_studio::is_backup),
        Kind::Reads(Reads {
            format: Format::CherryStudio,
            log: false,
            each: cherry_studio::is_backup,
        }),
    ),
    (
        |v| some(v, grok::is_export),
        Kind::Reads(Reads {
            format: Format::Grok,
            log: false,
            each: grok::is_export,
        }),
    ),
    (
        |v| some(v, copilot_chat::is_chat) || copilot_chat::is_line(v),
        Kind::Reads(Reads {
            format: Format::CopilotChat,
            log: true,
            each: copilot_chat::is_chat,
        }),
    ),
    (
        ai_studio::is,
        Kind::Reads(Reads {
            format: Format::AiStudio,
            log: false,
            each: |_| true,
        }),
    ),
    (
        gemini_takeout::is,
        Kind::Reads(Reads {
            format: Format::GeminiTakeout,
            log: false,
            each: |_| true,
        }),
    ),
    (
        |v| {
            some(v, |o| {
                ai_sdk::is_own(o) || within(o, "messages", ai_sdk::is_own)
            })
        },
        Kind::Reads(Reads {
            format: Format::AiSdk,
            log: false,
            each: ai_sdk::is_chat,
        }),
    ),
    (
        gemini::is,
        Kind::Reads(Reads {
            format: Format::Gemini,
            log: false,
            each: gemini::each,
        }),
    ),
    (
        |v| list(v, "runs") && list(v, "steps"),
        Kind::Reads(Reads {
            format: Format::AiSdkDevtools,
            log: false,
            each: |_| false,
        }),
    ),
    (
        otel::is,
        Kind::Reads(Reads {
            format: Format::Otel,
            log: false,
            each: |_| false,
        }),
    ),
    (
        langfuse::is,
        Kind::Reads(Reads {
            format: Format::Langfuse,
            log: false,
            each: langfuse::each,
        }),
    ),
    (
        langsmith::is,
        Kind::Reads(Reads {
            format: Format::Langsmith,
            log: false,
            each: |_| false,
        }),
    ),
    (
        langchain::is,
        Kind::Reads(Reads {
            format: Format::Langchain,
            log: false,
            each: langchain::each,
        }),
    ),
    (
        |v| some(v, data_set::is),
        Kind::Reads(Reads {
            format: Format::DataSet,
            log: false,
            each: data_set::each,
        }),
    ),
    (
        |v| some(v, cybros::is),
        Kind::Reads(Reads {
            format: Format::Cybros,
            log: false,
            each: cybros::each,
        }),
    ),
    (
        |v| some(v, iii_session::is),
        Kind::Reads(Reads {
            format: Format::IiiSession,
            log: true,
            each: |_| false,
        }),
    ),
    (
        |v| some(v, agent_messages::is),
        Kind::Reads(Reads {
            format: Format::AgentMessages,
            log: false,
            each: agent_messages::is_exchange,
        }),
    ),
    (
        responses::is,
        Kind::Reads(Reads {
            format: Format::Responses,
            log: false,
            each: responses::each,
        }),
    ),
    (
        anthropic::is,
        Kind::Reads(Reads {
            format: Format::Anthropic,
            log: false,
            each: anthropic::each,
        }),
    ),
    (
        is_chat,
        Kind::Reads(Reads {
            format: Format::ChatCompletions,
            log: false,
            each: |item| !is_message(item),
        }),
    ),
    (
        // No shape of its own says so: it is asked for.
        |_| false,
        Kind::Reads(Reads {
            format: Format::Guess,
            log: false,
            each: |_| false,
        }),
    ),
];

pub(super) fn has(value: &Value, key: &str) -> bool {
    value.get(key).is_some_and(|member| !member.is_null())
}

pub(super) fn object(value: &Value, key: &str) -> bool {
    value.get(key).is_some_and(Value::is_object)
}

pub(super) fn list(value: &Value, key: &str) -> bool {
    value.get(key).is_some_and(Value::is_array)
}

pub(super) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

pub(super) fn is_type(value: &Value, words: &[&str]) -> bool {
    text(value, "type").is_some_and(|word| words.contains(&word))
}

pub(super) fn is_type_of(value: &Value, key: &str, word: &str) -> bool {
    text(value, key) == Some(word)
}

/// The value itself, or one of the first items of a list.
fn some(value: &Value, test: impl Fn(&Value) -> bool) -> bool {
    match value.as_array() {
        Some(items) => items.iter().take(LOOKED_AT).any(test),
        None => test(value),
    }
}

/// One of the first items of a member that is a list.
pub(super) fn within(value: &Value, key: &str, test: impl Fn(&Value) -> bool) -> bool {
    let items = value.get(key).and_then(Value::as_array);
    items.is_some_and(|items| items.iter().take(LOOKED_AT).any(test))
}
