//! Codex rollouts in their three generations: JSONL of `{timestamp, type, payload}`; JSONL of bare items after
//! a line of session facts; `{"session": …, "items": […]}`.
//!
//! The response items are what the model saw, so the events that mirror them give no words unless there are no
//! items. A rollback takes the person's last turns out of the conversation, which is a branch then; a
//! compaction resets it to the summary and the history that was put in its place. Items of one response are one answer.

mod write;

use serde_json::{Map, Value, json};

use super::Ask;
use super::pen::Pen;
use super::record::{At, Record, facts, rest, text_of, word};
use super::shapes::{has, is_type, list, object};
use super::time::millis;
use super::tree::title;
use crate::json::Notes;
use crate::role::Role;
use crate::transcript::{AgentFunction, Branch, Imported, SystemPiece, Usage};
use crate::wire::responses::API_FORMAT;
use crate::wire::usage;
use write::Writer;

const NOT_KEPT: &str = "lines that say nothing in the conversation are not kept";

/// How texts begin that the tool puts in front of the person's words.
const PUT_IN: [&str; 10] = [
    "<agent_message_board_notification>",
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<recommended_plugins>",
    "# AGENTS.md instructions",
    "<turn_aborted>",
    "<skill>",
    "<user_shell_command>",
    "<subagent_notification>",
];

/// What lines are.
const TYPES: [&str; 7] = [
    "session_meta",
    "response_item",
    "event_msg",
    "turn_context",
    "compacted",
    "world_state",
    "inter_agent_communication",
];

/// Whether a value is a line of a rollout, or a whole one.
pub(super) fn is(v: &Value) -> bool {
    is_type(v, &TYPES) && has(v, "payload")
        || has(v, "record_type")
        || has(v, "id") && has(v, "timestamp") && v.get("instructions").is_some() && !has(v, "type")
        || object(v, "session") && list(v, "items")
}

/// The conversation of a rollout.
pub(super) fn read(records: Vec<Record>, ask: &Ask, _: &mut Notes) -> Vec<Imported> {
    let mut log = Log {
        pen: Pen::new(API_FORMAT),
        steps: Vec::new(),
        shown: Vec::new(),
        branches: Vec::new(),
        kept: 0,
        asked: ask.branch.clone(),
        chosen: None,
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
#[derive(Clone)]
struct Step {
    at: At,
    time: i64,
    what: What,
}

#[derive(Clone)]
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
    /// What rollbacks took out.
    branches: Vec<Branch>,
    /// How many of the person's words the last of them left.
    kept: usize,
    /// The branch that is wanted.
    asked: Option<String>,
    /// The steps of that branch and the words that events show of it, as they stood when it was left.
    chosen: Option<(Vec<Step>, Vec<Step>)>,
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
            "token_usage_record" => {
                if let Some(usage) = usage(payload.get("usage")) {
                    let what = What::Counted(usage);
                    self.steps.push(Step { at, time, what });
                }
            }
            "compacted" => self.steps.push(Step {
                at,
                time,
                what: What::Compacted(payload),
            }),
            _ => {
                if !matches!(
                    kind.as_str(),
                    "world_state"
                        | "inter_agent_communication"
                        | "inter_agent_communication_metadata"
                        | "retained_context"
                        | "security_risk_score"
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
            "parent_thread_id",
            "agent_role",
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
                self.roll_back(turns);
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

    /// Takes the person's last turns out; with what stands before them they are a branch.
    fn roll_back(&mut self, turns: u64) {
        let id = format!("rollback {}", self.branches.len() + 1);
        let wanted = self.asked.as_ref() == Some(&id);
        let chosen = wanted.then(|| (self.steps.clone(), self.shown.clone()));
        let told = [&self.steps, &self.shown].map(|steps| prompts(steps).count());
        let mut first = None;
        for steps in [&mut self.steps, &mut self.shown] {
            for _ in 0..turns.min(steps.len() as u64) {
                let barrier = steps
                    .iter()
                    .rposition(|step| matches!(step.what, What::Compacted(_)));
                let from = steps.iter().rposition(|step| prompt(step).is_some());
                let from = from.filter(|from| barrier.is_none_or(|barrier| barrier < *from));
                let Some(from) = from else { break };
                let words = steps.get(from).and_then(prompt);
                first = words.map(|item| text_of(item.get("content")));
                steps.truncate(from);
            }
        }
        let Some(first) = first else { return };
        self.chosen = chosen.or(self.chosen.take());
        let left = [&self.steps, &self.shown].map(|steps| prompts(steps).count());
        self.kept = left.into_iter().max().unwrap_or(0);
        self.branches.push(Branch {
            id,
            title: title(&first),
            turns: told.into_iter().max().unwrap_or(0),
            current: false,
        });
    }

    fn write(mut self) -> Imported {
        let items = |steps: &[Step]| {
            let is = |step: &Step| matches!(step.what, What::Item(_) | What::Compacted(_));
            steps.iter().any(is)
        };
        let current = if items(&self.steps) {
            &self.steps
        } else {
            &self.shown
        };
        if !self.branches.is_empty() {
            let own = prompts(current).nth(self.kept);
            let words = own.map(|item| text_of(item.get("content")));
            self.branches.push(Branch {
                id: "end".to_owned(),
                title: title(&words.unwrap_or_default()),
                turns: prompts(current).count(),
                current: true,
            });
        }
        self.pen.transcript().branches = self.branches;
        let (steps, shown) = self.chosen.unwrap_or((self.steps, self.shown));
        let steps = if items(&steps) { steps } else { shown };
        self.pen.facts(self.facts, 0);
        let mut writer = Writer::new(self.pen, self.provider);
        for step in steps {
            writer.step(step);
        }
        writer.finish()
    }
}

/// The person's own words in steps.
fn prompts(steps: &[Step]) -> impl Iterator<Item = &Value> {
    steps.iter().filter_map(prompt)
}

fn prompt(step: &Step) -> Option<&Value> {
    match &step.what {
        What::Item(item) if is_prompt(item) => Some(item),
        _ => None,
    }
}

/// The person's own words, not what the tool puts in front of them.
fn is_prompt(item: &Value) -> bool {
    let message = matches!(word(item, "type"), Some("message") | None);
    message && word(item, "role") == Some("user") && !is_put_in(item)
}

/// Whether the tool put a message in. Newer files say of each part what it is; else its beginning tells.
fn is_put_in(item: &Value) -> bool {
    let kinds = item.pointer("/internal_chat_message_metadata_passthrough/content_item_kinds");
    let kinds = kinds
        .and_then(Value::as_array)
        .filter(|kinds| !kinds.is_empty());
    if let Some(kinds) = kinds {
        let mut kinds = kinds.iter().filter_map(Value::as_str);
        return !kinds.any(|kind| kind.starts_with("user."));
    }
    let text = text_of(item.get("content"));
    let text = text.trim_start();
    PUT_IN.iter().any(|start| text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::super::open;
    use super::*;
    use crate::transcript::{AgentMessage, ContentBlock};

    fn line(time: Value, payload: Value) -> String {
        let line = json!({"timestamp": time, "type": "response_item", "payload": payload});
        format!("{line}\n")
    }

    fn said(role: &str, text: &str) -> Value {
        json!({"type": "message", "role": role, "content": text})
    }

    fn read(text: &str, branch: Option<&str>) -> Imported {
        let branch = branch.map(str::to_owned);
        let opened = open(
            text.as_bytes(),
            &Ask {
                branch,
                ..Ask::default()
            },
        )
        .unwrap();
        opened.conversations.into_iter().next().unwrap()
    }

    fn words(imported: &Imported) -> Vec<&str> {
        let blocks = imported.messages.iter().flat_map(AgentMessage::content);
        blocks
            .filter_map(|block| match block {
                ContentBlock::Text { text } => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn half_a_record_before_the_whole_one_is_told_and_the_whole_one_read() {
        let whole = line(json!("2025-10-01T10:00:00Z"), said("user", "hi"));
        let half = whole.get(..60).unwrap();
        let text = format!("{half}{whole}{}", line(json!(0), said("assistant", "you")));
        let opened = open(text.as_bytes(), &Ask::default()).unwrap();
        assert_eq!(opened.warnings[0].code, "record_written_twice");
        assert_eq!(words(&opened.conversations[0]), ["hi", "you"]);
    }

    #[test]
    fn a_line_of_twenty_megabytes_of_pictures_does_not_end_the_reading() {
        let data = format!("iVBORw0KGgo{}", "A".repeat(2_500_001));
        let url = format!("data:image/png;base64,{data}");
        let picture = json!({"type": "input_image", "image_url": url});
        let pictures = json!({"type": "message", "role": "user", "content": vec![picture; 8]});
        let long = line(json!(0), pictures);
        assert!(long.len() > 20_000_000);
        let read = read(
            &format!("{long}{}", line(json!(0), said("assistant", "seen"))),
            None,
        );
        assert_eq!(read.messages[0].content().len(), 8);
        let is_picture = |block: &ContentBlock| matches!(block, ContentBlock::Image { .. });
        assert!(read.messages[0].content().iter().all(is_picture));
        assert_eq!(words(&read), ["seen"]);
    }

    #[test]
    fn a_compaction_without_a_summary_opens_and_keeps_the_persons_words() {
        for payload in [
            json!({"type": "compaction"}),
            json!({"type": "compaction", "summary": "s"}),
        ] {
            let inside =
                json!({"type": "compacted", "payload": {"replacement_history": [payload]}});
            let prompt = line(json!(0), said("user", "hi"));
            for marker in [line(json!(0), payload), format!("{inside}\n")] {
                let read = read(&format!("{prompt}{marker}"), None);
                assert_eq!(words(&read)[0], "hi");
                let told = read.warnings.iter().map(|warning| warning.code.as_str());
                assert!(told.into_iter().any(|code| code == "summary_not_in_file"));
            }
        }
    }

    #[test]
    fn times_are_read_in_every_spelling() {
        for time in [
            json!("2025-09-29T17:07:50.508Z"),
            json!(1_759_165_670.508),
            json!("1759165670508"),
        ] {
            let read = read(&line(time.clone(), said("user", "hi")), None);
            assert_eq!(read.messages[0].timestamp(), 1_759_165_670_508, "{time}");
        }
    }

    #[test]
    fn what_a_rollback_took_out_is_a_branch_that_can_be_asked_for() {
        let event = |turns: u64| {
            let payload = json!({"type": "thread_rolled_back", "num_turns": turns});
            format!("{}\n", json!({"type": "event_msg", "payload": payload}))
        };
        let said = |role: &str, text: &str| line(json!(0), said(role, text));
        let text = [
            said("user", "one"),
            said("assistant", "1"),
            said("user", "wrong"),
            said("assistant", "2"),
            event(1),
            event(0),
            said("user", "right"),
            said("assistant", "3"),
        ];
        let text = text.concat();
        let current = read(&text, None);
        assert_eq!(words(&current), ["one", "1", "right", "3"]);
        let told: Vec<_> = current
            .branches
            .iter()
            .map(|branch| (&*branch.id, &*branch.title, branch.turns, branch.current))
            .collect();
        assert_eq!(
            told,
            [("rollback 1", "wrong", 2, false), ("end", "right", 2, true)]
        );
        let other = read(&text, Some("rollback 1"));
        assert_eq!(words(&other), ["one", "1", "wrong", "2"]);
        assert_eq!(other.branches, current.branches);
    }
}
