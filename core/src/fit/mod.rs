//! A history made to fit its model: counted, pruned, compacted, assembled.
//!
//! [`Manager`] has the four calls. A call is a [`Run`]: it says what it needs from outside and goes on with the
//! answer; its [`Outcome`] is the contract's answer and, beside it, a [`Detail`] of what was done.
//!
//! ```
//! use std::rc::Rc;
//! use galley_core::fit::{Asked, Extras, Manager, Step};
//! use serde_json::json;
//!
//! let manager = Rc::new(Manager::default());
//! let asked = Asked::read("assemble", &json!({
//!     "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}], "timestamp": 1}],
//!     "model": {"id": "any", "limits": {"context_window": 200000, "max_output_tokens": 8000}}
//! }))?;
//! let mut run = manager.call(asked, Extras::default(), 0, "nonce".to_owned());
//! let Step::Done(outcome) = run.step() else { panic!("limits are in the request") };
//! assert_eq!(serde_json::to_value(outcome.response?).unwrap()["usable"], 172_000);
//! # Ok::<(), galley_core::refusal::Refusal>(())
//! ```

mod assemble;
mod calls;
mod cap;
mod change;
mod compact;
mod config;
mod desk;
mod detail;
mod emergency;
mod estimate;
mod frames;
mod images;
mod item;
mod lease;
mod manager;
mod measure;
mod model;
mod prune;
mod select;
mod summary;
mod trim;
mod wire;

pub use cap::cap;
pub use change::Change;
pub use config::Config;
pub use desk::{Desk, Failure, Given, Need, Run, Step};
pub use detail::{
    Compaction, CompactionOutcome, Detail, MessageSize, PartChange, Pass, PassName, PrefixBreak,
    Sizes, ToolSize, Undo,
};
pub use emergency::reduce;
pub use estimate::{Estimator, EstimatorName, Exact, Heuristic};
pub use frames::fold_frames;
pub use images::normalize;
pub use item::{Item, Scale};
pub use lease::Lease;
pub use manager::{Asked, Extras, Manager, Outcome, Response};
pub use model::{Budget, ModelRecord, ModelReply, ResolvedModel};
pub use prune::{PruneRule, Pruned, prune};
pub use select::{Selection, select};
pub use trim::{TrimRequest, TrimResponse, trim};
pub use wire::{
    Acknowledged, Applied, AssembleBreakdown, AssembleOptions, AssembleRequest, AssembleResponse,
    ByRoleTokens, CompactOptions, CompactRequest, CompactResponse, CountTokensRequest,
    CountTokensResponse, ModelInput, ModelLimits, ModelResolved, OnConfigChangeEvent,
    OnModelsChangedEvent, PruneOptions, PruneRequest, PruneResponse, ThinkingLevel,
};

use std::collections::BTreeSet;

/// What passes leave alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protected {
    functions: BTreeSet<String>,
    messages: BTreeSet<usize>,
}

impl Protected {
    /// Functions whose results pruning leaves, and messages, by their index, that nothing changes or cuts off.
    pub fn new(
        functions: impl IntoIterator<Item = String>,
        messages: impl IntoIterator<Item = usize>,
    ) -> Self {
        Self {
            functions: functions.into_iter().collect(),
            messages: messages.into_iter().collect(),
        }
    }

    fn function(&self, function_id: &str) -> bool {
        self.functions.contains(function_id)
    }

    fn message(&self, index: usize) -> bool {
        self.messages.contains(&index)
    }

    /// Index of the first protected message.
    fn first(&self) -> Option<usize> {
        self.messages.first().copied()
    }
}
