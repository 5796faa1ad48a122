//! Codex rollouts in their three generations: JSONL of `{timestamp, type, payload}`; JSONL of bare items after
//! a line of session facts; `{"session": …, "items": […]}`.
//!
//! The response items are what the model saw, so the events that mirror them give no words unless there are no
//! items. A rollback takes the person's last turns out of the conversation; a compaction resets it to the
//! summary and the history that was put in its place. Items of one response are one answer.

mod write;

use serde_json::{Map, Value, json};

use super::Ask;
use super::pen::Pen;
use super::record::{At, Record, facts, rest, text_of, word};
use super::time::millis;
use crate::json::Notes;
use crate::role::Role;
use crate::transcript::{AgentFunction, Imported, SystemPiece, Usage};
use write::Writer;

/// The word of a model row for the wire that the items are of.
const API_FORMAT: &str = "openai_responses";

const NOT_KEPT: &str = "lines that say nothing in the conversation are not kept";

/// How texts begin that the tool puts in front of the person's words.
const PUT_IN: [&str; 8] = [
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "# AGENTS.md instructions",
    "<turn_aborted>",
    "<skill>",
    "<user_shell_command>",
    "<subagent_notification>",
];

/// The conversation of a rollout.
pub(super) fn read(records: Vec<Record>, _: &Ask, _: &mut Notes) -> Vec<Imported> {
    let mut log = Log {
        pen: Pen::new(API_FORMAT),
        steps: Vec::new(),
        shown: Vec::new(),
        facts: Map::new(),
        provider: None,
    };
    for record in records {
        let session = record.value.get("session");
        match session.filter(|_| record.value.get("items").is_some_and(Value::is_array)) {
            Some(session) => {
                log.meta(session, &record.at);
                for item in record.members("items") {
                    log.record(item.value, item.at);
                }
            }
            None => log.record(record.value, record.at),
        }
    }
    vec![log.write()]
}

/// What happens in a session, in order.
struct Step {
    at: At,
    time: i64,
    what: What,
}

enum What {
    Item(Value),
    Model(String),
    Counted(Usage),
    Compacted(Value),
    Aside(String, String, Option<Value>),
}

struct Log {
    pen: Pen,
    steps: Vec<Step>,
    /// The same words as events say them, for a file that has no items.
    shown: Vec<Step>,
    facts: Map<String, Value>,
    provider: Option<String>,
}

impl Log {
    fn record(&mut self, mut value: Value, at: At) {
        let time = millis(value.get("timestamp"));
        let kind = word(&value, "type").unwrap_or_default().to_owned();
        let Some(payload) = value.get_mut("payload").map(Value::take) else {
            if value.get("record_type").is_some() {
                self.pen.count("lines_not_kept", "state", NOT_KEPT, &at);
            } else if kind.is_empty() && value.get("role").is_none() {
                self.meta(&value, &at);
            } else {
                self.item(value, at, time);
            }
            return;
        };
        match kind.as_str() {
            "session_meta" => self.meta(&payload, &at),
            "turn_context" => {
                if let Some(model) = word(&payload, "model") {
                    let what = What::Model(model.to_owned());
                    self.steps.push(Step { at, time, what });
                }
            }
            "response_item" => self.item(payload, at, time),
            "event_msg" => self.event(payload, at, time),
            "compacted" => self.steps.push(Step {
                at,
                time,
                what: What::Compacted(payload),
            }),
            _ => {
                if !matches!(
                    kind.as_str(),
                    "world_state" | "inter_agent_communication" | "security_risk_score"
                ) {
                    let says = "lines of types that are not known here are kept aside";
                    self.pen.count("line_type_unknown", &kind, says, &at);
                }
                let what = What::Aside(kind, String::new(), Some(payload));
                self.steps.push(Step { at, time, what });
            }
        }
    }

    /// Session facts; those of a session that this one was forked from come after its own.
    fn meta(&mut self, meta: &Value, at: &At) {
        if !self.facts.is_empty() {
            let kind = "facts of another session";
            return self.pen.count("lines_not_kept", kind, NOT_KEPT, at);
        }
        let keys = [
            "id",
            "timestamp",
            "cwd",
            "originator",
            "cli_version",
            "source",
            "model_provider",
            "git",
            "forked_from_id",
        ];
        self.facts = facts(meta, &keys);
        self.provider = word(meta, "model_provider").map(str::to_owned);
        let base = meta.get("base_instructions");
        let prompt = base
            .and_then(|base| base.as_str().or_else(|| word(base, "text")))
            .or_else(|| word(meta, "instructions"));
        let transcript = self.pen.transcript();
        if let Some(text) = prompt.filter(|text| !text.is_empty()) {
            transcript.system.push(SystemPiece {
                role: Role::System,
                text: text.to_owned(),
            });
        }
        let tools = meta.get("dynamic_tools").and_then(Value::as_array);
        let function = |tool: &Value| {
            let schema = ["inputSchema", "input_schema", "parameters"]
                .iter()
                .find_map(|key| tool.get(*key));
            Some(AgentFunction {
                name: word(tool, "name")?.to_owned(),
                description: word(tool, "description").unwrap_or_default().to_owned(),
                parameters: schema.cloned().unwrap_or_default(),
                label: None,
                execution_mode: None,
            })
        };
        transcript
            .tools
            .extend(tools.into_iter().flatten().filter_map(function));
    }

    fn item(&mut self, item: Value, at: At, time: i64) {
        if word(&item, "type") == Some("ghost_snapshot") {
            return self
                .pen
                .count("lines_not_kept", "ghost_snapshot", NOT_KEPT, &at);
        }
        self.steps.push(Step {
            at,
            time,
            what: What::Item(item),
        });
    }

    fn event(&mut self, event: Value, at: At, time: i64) {
        let kind = word(&event, "type").unwrap_or_default().to_owned();
        let said =
            |role: &str, text: &str| json!({"type": "message", "role": role, "content": text});
        let message = word(&event, "message").unwrap_or_default();
        match kind.as_str() {
            "user_message" | "agent_message" => {
                let role = if kind == "user_message" {
                    "user"
                } else {
                    "assistant"
                };
                let what = What::Item(said(role, message));
                self.shown.push(Step { at, time, what });
            }
            "agent_reasoning" => {
                let summary = [json!({"text": word(&event, "text")})];
                let what = What::Item(json!({"type": "reasoning", "summary": summary}));
                self.shown.push(Step { at, time, what });
            }
            "token_count" => {
                let info = event.get("info").unwrap_or(&Value::Null);
                if let Some(window) = info.get("model_context_window").filter(|w| !w.is_null()) {
                    self.facts
                        .insert("model_context_window".to_owned(), window.clone());
                }
                if let Some(usage) = usage(info.get("last_token_usage")) {
                    let what = What::Counted(usage.clone());
                    self.shown.push(Step {
                        at: at.clone(),
                        time,
                        what,
                    });
                    let what = What::Counted(usage);
                    self.steps.push(Step { at, time, what });
                }
            }
            "thread_rolled_back" => {
                let turns = event.get("num_turns").and_then(Value::as_u64).unwrap_or(0);
                self.roll_back(turns, &at);
            }
            "thread_name_updated" => {
                let name = word(&event, "thread_name").or_else(|| word(&event, "name"));
                self.pen.transcript().title = name.map(str::to_owned);
            }
            "turn_aborted" | "error" => {
                let message = message.to_owned();
                let what = What::Aside(kind, message, rest(&event, &["type", "message"]));
                self.steps.push(Step { at, time, what });
            }
            _ => self.pen.count("lines_not_kept", "events", NOT_KEPT, &at),
        }
    }

    /// Takes the person's last turns out.
    fn roll_back(&mut self, turns: u64, at: &At) {
        for steps in [&mut self.steps, &mut self.shown] {
            for _ in 0..turns.min(steps.len() as u64) {
                let barrier = steps
                    .iter()
                    .rposition(|step| matches!(step.what, What::Compacted(_)));
                let from = steps
                    .iter()
                    .rposition(|step| matches!(&step.what, What::Item(item) if is_prompt(item)));
                let from = from.filter(|from| barrier.is_none_or(|barrier| barrier < *from));
                let Some(from) = from else { break };
                steps.truncate(from);
            }
        }
        let says = "branches that were left for the current one are not shown";
        self.pen.count("branches_not_shown", "rollbacks", says, at);
        for _ in 0..turns.min(1000) {
            self.pen
                .count("branches_not_shown", "turns in them", says, at);
        }
    }

    fn write(mut self) -> Imported {
        let items = self
            .steps
            .iter()
            .any(|step| matches!(step.what, What::Item(_) | What::Compacted(_)));
        let steps = if items { self.steps } else { self.shown };
        self.pen.facts(self.facts, 0);
        let mut writer = Writer::new(self.pen, self.provider);
        for step in steps {
            writer.step(step);
        }
        writer.finish()
    }
}

/// The person's own words, not what the tool puts in front of them.
fn is_prompt(item: &Value) -> bool {
    let message = matches!(word(item, "type"), Some("message") | None);
    let text = text_of(item.get("content"));
    let text = text.trim_start();
    message
        && word(item, "role") == Some("user")
        && !PUT_IN.iter().any(|start| text.starts_with(start))
}

/// What the provider counted, cached tokens taken out of the input.
fn usage(value: Option<&Value>) -> Option<Usage> {
    let number = |key: &str| value?.get(key).and_then(Value::as_u64);
    let cached = number("cached_input_tokens");
    let usage = Usage {
        input: number("input_tokens").map(|all| all.saturating_sub(cached.unwrap_or(0))),
        output: number("output_tokens"),
        cache_read: cached,
        reasoning: number("reasoning_output_tokens"),
        ..Usage::default()
    };
    (usage != Usage::default()).then_some(usage)
}
