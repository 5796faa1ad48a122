//! What the person was shown: what the agent sent its client, piece by piece, in the words of the Agent Client
//! Protocol and some of its own.
//!
//! A rewind takes out a prompt, by its number, and all since; that is a branch then.

use serde_json::{Map, Value, json};

use super::super::Ask;
use super::super::pen::{Answer, Outcome, Pen, Piece};
use super::super::record::{At, Record, facts, filled, text_of, word};
use super::super::time::millis;
use super::super::tree::{Node, walk};
use crate::transcript::Imported;

/// Whether a value is a line of such a log.
pub(super) fn is(value: &Value) -> bool {
    let method = word(value, "method").is_none_or(|method| method.ends_with("session/update"));
    method && word(update(value), "sessionUpdate").is_some()
}

fn update(value: &Value) -> &Value {
    let wrapped = value.pointer("/params/update");
    wrapped
        .or_else(|| value.get("update"))
        .unwrap_or(&Value::Null)
}

fn kind(record: &Record) -> &str {
    word(update(&record.value), "sessionUpdate").unwrap_or_default()
}

fn time(record: &Record) -> i64 {
    let places = ["/params/_meta/agentTimestampMs", "/timestamp"];
    let times = places
        .iter()
        .map(|place| millis(record.value.pointer(place)));
    times.into_iter().find(|time| *time != 0).unwrap_or(0)
}

fn meta<'v>(update: &'v Value, key: &str) -> Option<&'v Value> {
    update.get("_meta")?.get(key)
}

/// Whether a piece of the person's words is one of a command, which is no prompt.
fn is_command(update: &Value) -> bool {
    let host = meta(update, "hostTurn") == Some(&json!(true));
    host || update.pointer("/content/_meta/bashCommand").is_some()
}

/// The conversation of a log.
pub(super) fn read(records: Vec<Record>, ask: &Ask) -> Imported {
    let mut pen = Pen::new("");
    pen.transcript().api_format = None;
    if let Some(first) = records.first() {
        let session = first.value.get("params").unwrap_or(&first.value);
        pen.facts(facts(session, &["sessionId"]), time(first));
    }
    let replay = Replay::of(&records);
    let ids: Vec<String> = (0..records.len())
        .map(|index| format!("#{index}"))
        .collect();
    let id = |index: usize| ids.get(index).map(String::as_str);
    let mut nodes = Vec::new();
    for step in &replay.steps {
        let (Some(record), Some(own)) = (records.get(step.record), id(step.record)) else {
            continue;
        };
        let text = update(&record.value).pointer("/content/text");
        nodes.push(Node {
            id: own,
            parent: step.parent.and_then(id),
            words: match step.opens {
                true => text.and_then(Value::as_str).unwrap_or_default(),
                false => "",
            },
            turn: step.opens,
            time: time(record),
        });
    }
    let last = replay.last.and_then(id);
    let mut walked = walk(&nodes, last, ask.branch.as_deref());
    if last.is_none() {
        walked.taken_back(&mut pen, ask.branch.as_deref());
    }
    pen.transcript().branches = std::mem::take(&mut walked.branches);
    let mut log = Log {
        pen,
        said: Vec::new(),
        answer: Vec::new(),
        at: At::default(),
        time: 0,
        model: None,
    };
    for step in walked
        .path
        .iter()
        .filter_map(|index| replay.steps.get(*index))
    {
        if let Some(record) = records.get(step.record) {
            log.step(record, step.opens);
        }
    }
    log.flush(None);
    if let Some(first) = records.first() {
        let says = "what is sent around the words is not in this log";
        log.pen.tell("sent_beside_words", says, &first.at);
    }
    log.pen.name(None);
    log.pen.finish()
}

/// A line that stands, and what it follows.
struct Step {
    record: usize,
    parent: Option<usize>,
    /// It begins a prompt.
    opens: bool,
}

/// The log with its rewinds.
struct Replay {
    steps: Vec<Step>,
    last: Option<usize>,
}

impl Replay {
    fn of(records: &[Record]) -> Self {
        let (mut steps, mut last) = (Vec::new(), None);
        // By prompt, the line before it.
        let mut prompts: Vec<Option<usize>> = Vec::new();
        let (mut numbered, mut within) = (false, None);
        for (index, record) in records.iter().enumerate() {
            let update = update(&record.value);
            if kind(record) == "rewind_marker" {
                let target = update.get("target_prompt_index").and_then(Value::as_u64);
                let target = target.and_then(|target| usize::try_from(target).ok());
                if let Some((target, before)) =
                    target.and_then(|target| Some((target, *prompts.get(target)?)))
                {
                    prompts.truncate(target);
                    last = before;
                }
                within = None;
                continue;
            }
            let mut opens = false;
            if kind(record) == "user_message_chunk" && !is_command(update) {
                let number = meta(update, "promptIndex").and_then(Value::as_u64);
                numbered |= number.is_some();
                opens = within.is_none_or(|within| numbered && within != number);
                within = Some(number);
                // Where prompts have numbers, what has none came in the midst of a turn.
                if opens && (!numbered || number.is_some()) {
                    prompts.push(last);
                }
            } else {
                within = None;
            }
            steps.push(Step {
                record: index,
                parent: last,
                opens,
            });
            last = Some(index);
        }
        Self { steps, last }
    }
}

/// A piece of an answer that may still grow.
enum Bit {
    Thought(String),
    Said(String),
    Other(Value),
    Call {
        id: String,
        name: String,
        arguments: Value,
    },
}

struct Log {
    pen: Pen,
    /// The prompt that is being said.
    said: Vec<Value>,
    /// The answer that is being said.
    answer: Vec<Bit>,
    at: At,
    time: i64,
    model: Option<String>,
}

impl Log {
    fn step(&mut self, record: &Record, opens: bool) {
        let update = update(&record.value);
        let content = update.get("content").unwrap_or(&Value::Null);
        let text = word(content, "text").unwrap_or_default();
        match kind(record) {
            "user_message_chunk" if is_command(update) => {
                self.flush(None);
                self.pen.aside("command", text, None, time(record));
            }
            "user_message_chunk" if !content.is_object() => {
                self.pen.wordless("user", &record.at);
            }
            "user_message_chunk" => {
                if opens || !self.answer.is_empty() {
                    self.flush(None);
                }
                if let Some(model) = meta(update, "modelId").and_then(Value::as_str) {
                    self.model = Some(model.to_owned());
                }
                self.begin(record);
                match (self.said.last_mut(), word(content, "type")) {
                    (Some(part), Some("text")) if word(part, "type") == Some("text") => {
                        let before = word(part, "text").unwrap_or_default();
                        *part = json!({"type": "text", "text": format!("{before}{text}")});
                    }
                    _ => self.said.push(part(content)),
                }
            }
            "agent_thought_chunk" => {
                self.begin_answer(record);
                match self.answer.last_mut() {
                    Some(Bit::Thought(before)) => before.push_str(text),
                    _ => self.answer.push(Bit::Thought(text.to_owned())),
                }
            }
            "agent_message_chunk" => {
                self.begin_answer(record);
                match (self.answer.last_mut(), word(content, "type")) {
                    (Some(Bit::Said(before)), Some("text")) => before.push_str(text),
                    (_, Some("text")) => self.answer.push(Bit::Said(text.to_owned())),
                    _ => self.answer.push(Bit::Other(part(content))),
                }
            }
            "tool_call" => {
                self.begin_answer(record);
                let own = meta(update, "x.ai/tool").and_then(|tool| filled(tool, "name"));
                let name = own.or_else(|| filled(update, "title"));
                self.answer.push(Bit::Call {
                    id: word(update, "toolCallId").unwrap_or_default().to_owned(),
                    name: name.unwrap_or_default().to_owned(),
                    arguments: update.get("rawInput").cloned().unwrap_or_default(),
                });
                self.ended(record);
            }
            "tool_call_update" => {
                self.grown(update);
                self.ended(record);
            }
            "turn_completed" => self.flush(filled(update, "stop_reason")),
            "compaction_checkpoint" => {
                self.flush(None);
                let says = "compactions whose summary is not in the file: what stands before them is shown as if it were sent";
                self.pen.count("summary_not_in_file", "", says, &record.at);
                let told = facts(update, &["checkpoint_id", "prompt_index_at_compaction"]);
                self.pen.compaction("", told, time(record));
            }
            "plan" => {
                self.flush(None);
                let entries = update.get("entries").and_then(Value::as_array);
                let entries = entries.into_iter().flatten();
                let entries: Vec<&str> = entries.filter_map(|one| word(one, "content")).collect();
                let details = Some(update.clone());
                self.pen
                    .aside("plan", &entries.join("\n"), details, time(record));
            }
            "" => {
                let says = "lines of types that are not known here are not read";
                let kind = "without a type";
                self.pen.count("line_type_unknown", kind, says, &record.at);
            }
            kind => {
                let says = "lines that say nothing in the conversation are not kept";
                self.pen.count("lines_not_kept", kind, says, &record.at);
            }
        }
    }

    /// Where what is being said begins.
    fn begin(&mut self, record: &Record) {
        if self.said.is_empty() && self.answer.is_empty() {
            self.at = record.at.clone();
            self.time = time(record);
        }
    }

    fn begin_answer(&mut self, record: &Record) {
        if !self.said.is_empty() {
            self.flush(None);
        }
        self.begin(record);
    }

    /// What a later line tells of a call.
    fn grown(&mut self, update: &Value) {
        let own = word(update, "toolCallId").unwrap_or_default();
        let told = update.get("rawInput").filter(|told| !told.is_null());
        for bit in &mut self.answer {
            match (bit, told) {
                (Bit::Call { id, arguments, .. }, Some(told))
                    if id == own && arguments.is_null() =>
                {
                    *arguments = told.clone();
                }
                _ => {}
            }
        }
    }

    /// The result of a call that has ended.
    fn ended(&mut self, record: &Record) {
        let update = update(&record.value);
        let failed = match word(update, "status") {
            Some("completed") => false,
            Some("failed") => true,
            _ => return,
        };
        self.flush(None);
        let blocks = update.get("content").and_then(Value::as_array);
        let mut content = Vec::new();
        for block in blocks.into_iter().flatten() {
            match (word(block, "type"), block.get("content")) {
                (Some("content"), Some(inner)) => content.push(part(inner)),
                _ => content.push(json!({"type": "text", "text": block.to_string()})),
            }
        }
        if content.is_empty() {
            match update.get("rawOutput") {
                None | Some(Value::Null) => {}
                Some(Value::String(text)) => content.push(json!({"type": "text", "text": text})),
                Some(output) => content.push(json!({"type": "text", "text": output.to_string()})),
            }
        }
        let outcome = Outcome {
            call: word(update, "toolCallId").unwrap_or_default(),
            content: Value::Array(content),
            failed,
            details: Value::Object(facts(update, &["status", "title", "kind"])),
            ..Outcome::default()
        };
        self.pen.result(outcome, &record.at, time(record));
    }

    /// Writes what was said up to here.
    fn flush(&mut self, stop_reason: Option<&str>) {
        let said = std::mem::take(&mut self.said);
        let bits = std::mem::take(&mut self.answer);
        if !said.is_empty() {
            let said = Value::Array(said);
            match text_of(Some(&said))
                .trim_start()
                .starts_with("<system-reminder>")
            {
                true => {
                    let kind = "system_reminder";
                    self.pen.injected(&said, false, kind, &self.at, self.time);
                }
                false => self.pen.user(&said, &self.at, self.time),
            }
        }
        if bits.is_empty() {
            return;
        }
        let pieces = bits.into_iter().map(|bit| match bit {
            Bit::Thought(text) => Piece::Part(json!({"type": "thinking", "thinking": text})),
            Bit::Said(text) => Piece::Part(json!({"type": "text", "text": text})),
            Bit::Other(part) => Piece::Part(part),
            Bit::Call {
                id,
                name,
                arguments,
            } => {
                let nothing = Value::Object(Map::new());
                let arguments = Some(arguments).filter(|told| !told.is_null());
                Piece::Call(id, name, arguments.unwrap_or(nothing))
            }
        });
        let model = self.model.clone();
        let answer = Answer {
            stop_reason,
            model: model.as_deref(),
            timestamp: self.time,
            ..Answer::default()
        };
        self.pen.answer(pieces.collect(), answer, &self.at);
    }
}

/// A block, its bytes as the address that stands for them.
fn part(block: &Value) -> Value {
    let bytes = word(block, "data").zip(word(block, "mimeType"));
    match (word(block, "type"), bytes) {
        (Some("image"), Some((data, mime))) => {
            let url = format!("data:{mime};base64,{data}");
            json!({"type": "image_url", "image_url": {"url": url}})
        }
        _ => block.clone(),
    }
}
