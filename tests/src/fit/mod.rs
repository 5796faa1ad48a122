//! The context manager with an outside that answers as scripted: one call at a time, and what holds of every answer.

mod assembled;
mod draw;
mod holds;
mod pairs;
mod trimmed;

pub use holds::check;

use std::collections::BTreeMap;
use std::rc::Rc;

use galley_core::fit::{
    Asked, Extras, Failure, Given, Item, Lease, Manager, ModelInput, Need, Outcome, Scale, Step,
};
use galley_core::tokens::{Encoding, ModelRow};
use galley_core::transcript::AgentMessage;
use galley_core::wording::Wording;
use serde_json::{Value, json};

/// The time of every call, milliseconds.
pub const NOW_MS: u64 = 1_000_000;

/// What tells our leases from others'.
pub const NONCE: &str = "ours";

/// The model whose tokens are words.
pub const EXACT: &str = "exact";

/// A call with all that it depends on.
#[derive(Clone, Default)]
pub struct Case {
    /// The word of the call: one of the manager's, or `trim`.
    pub call: String,
    /// Its request.
    pub request: Value,
    /// What it is asked besides.
    pub extras: Extras,
    /// Members of the configuration that are set.
    pub config: Value,
    /// Whether the host is asked for models.
    pub asks_host: bool,
    /// What the host brings.
    pub outside: Outside,
}

/// What a host brings.
#[derive(Clone, Debug)]
pub struct Outside {
    /// For a model.
    pub model: Given,
    /// For a summary.
    pub summary: Given,
    /// The leases it keeps.
    pub leases: BTreeMap<String, Lease>,
    /// The store of leases answers nothing.
    pub store_fails: bool,
}

impl Default for Outside {
    fn default() -> Self {
        Self {
            model: Ok(Value::Null),
            summary: Ok(json!("## Goal\n- go on")),
            leases: BTreeMap::new(),
            store_fails: false,
        }
    }
}

impl Outside {
    fn bring(&mut self, need: Need) -> Given {
        match need {
            Need::ResolveModel { .. } => self.model.clone(),
            Need::Summarize { .. } => self.summary.clone(),
            Need::GetLease { .. } | Need::SwapLease { .. } if self.store_fails => {
                Err(Failure::default())
            }
            Need::GetLease { key } => Ok(json!(self.leases.get(&key))),
            Need::SwapLease { key, record } => Ok(json!(match record {
                Some(record) => self.leases.insert(key, record),
                None => self.leases.remove(&key),
            })),
        }
    }
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            call,
            request,
            extras,
            config,
            asks_host,
            outside,
        } = self;
        write!(
            f,
            "{call} {request}\n{extras:?}\nconfig {config}, asks the host {asks_host}, {outside:?}"
        )
    }
}

impl Case {
    /// A case of bytes: the same bytes, the same case; fewer bytes, a simpler one.
    pub fn drawn(bytes: &[u8]) -> Self {
        draw::case(bytes)
    }

    /// A case of the suite.
    pub fn read(case: &Value) -> Self {
        let env = &case["env"];
        let id = case["request"]["model"]["id"].as_str().unwrap_or_default();
        let leases = env["leases"].as_object().into_iter().flatten();
        let held = |(key, lease): (&String, &Value)| {
            let lease: Lease = serde_json::from_value(lease.clone()).ok()?;
            (lease.nonce != NONCE).then(|| (key.clone(), lease))
        };
        Self {
            call: case["function"].as_str().unwrap_or_default().to_owned(),
            request: case["request"].clone(),
            config: env["config"].clone(),
            asks_host: true,
            outside: Outside {
                model: Ok(json!({"model": env["router"]["models"].get(id)})),
                summary: match &env["summarizer"][0] {
                    Value::Null => Err(Failure::default()),
                    text => Ok(text.clone()),
                },
                leases: leases.filter_map(held).collect(),
                store_fails: env["lease_store_fails"] == json!(true),
            },
            ..Self::default()
        }
    }

    /// A manager that nothing was asked of before.
    pub fn manager(&self) -> Rc<Manager> {
        let row = json!({"model": EXACT, "counter": "o200k_base", "combined_tokens": 900,
            "max_output_tokens": 100, "framing": {"per_text": 3}, "token_cost": {"image/png": 50},
            "thinking_budgets": {"high": 200}, "input_modalities": ["text", "image"]});
        let rows: Vec<ModelRow> = vec![serde_json::from_value(row).expect("it is a row")];
        let mut manager = Manager::new(rows, Wording::default());
        if self.asks_host {
            manager = manager.asking_host();
        }
        // One that is refused leaves the defaults.
        manager.configure(&self.config).ok();
        manager.load_encoding(Rc::new(Words));
        Rc::new(manager)
    }

    /// Plays the call on a manager of its own; answers what came of it, and the outside as it is afterwards.
    pub fn play_new(&self) -> (Outcome, Outside) {
        let asked = Asked::read(&self.call, &self.request);
        self.play(&self.manager(), asked.expect("the request can be read"))
    }

    /// Plays a call in this case's outside.
    pub fn play(&self, manager: &Rc<Manager>, asked: Asked) -> (Outcome, Outside) {
        let mut outside = self.outside.clone();
        let mut run = manager.call(asked, self.extras.clone(), NOW_MS, NONCE.to_owned());
        let mut step = run.step();
        loop {
            match step {
                Step::Needs(need) => step = run.resume(outside.bring(need), NOW_MS),
                Step::Done(outcome) => return (outcome, outside),
                Step::Over => panic!("a call ends once"),
            }
        }
    }
}

/// A tokenizer whose tokens are words.
struct Words;

impl Encoding for Words {
    fn name(&self) -> &str {
        "o200k_base"
    }

    fn count(&self, text: &str) -> u64 {
        text.split_whitespace().count() as u64
    }
}

/// Tokens of messages, counted anew, none of them by what is remembered.
fn recount(messages: &[&AgentMessage], scale: &Scale) -> u64 {
    let tokens = messages.iter().map(|message| scale.message(message, None));
    tokens.fold(0, u64::saturating_add)
}

fn messages(items: &[Item]) -> Vec<&AgentMessage> {
    items.iter().map(Item::message).collect()
}

fn model(request: &Value) -> Option<ModelInput> {
    serde_json::from_value(request["model"].clone()).ok()
}
