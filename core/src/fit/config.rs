//! What decides when nothing else is said in a request.

use serde::{Deserialize, Serialize};

/// The configuration; every member has its default, an unknown one is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The default reserve is at most this many tokens.
    pub reserved_tokens_cap: u64,
    /// The default reserve, percent of the context window.
    pub reserved_pct: u64,
    /// Turns that a compaction keeps word for word.
    pub tail_turns: usize,
    /// Tokens of the newest results that pruning keeps.
    pub protect_recent_tokens: u64,
    /// Pruning lets a result go after this many later user turns; 0 is never.
    pub decay_user_turns: usize,
    /// The newest user turns that pruning does not look at.
    pub protected_user_turns: usize,
    /// Pruning does nothing when it would free less, tokens.
    pub min_free_tokens: u64,
    /// A longer result may be pruned at once, and is cut for the summariser, bytes.
    pub max_output_chars: usize,
    /// A single result is at most this many tokens; 0 is no limit.
    pub max_result_tokens: u64,
    /// How long a lease holds, seconds.
    pub lease_ttl_secs: u64,
    /// Plan with a window of 8192 and 1024 out when the limits of a model are not known.
    pub allow_fallback_limits: bool,
    /// How long one call of the summariser may take, milliseconds.
    pub summarizer_timeout_ms: u64,
    /// The folder of lease files; leases are in memory without one.
    pub lease_dir: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            reserved_tokens_cap: 20_000,
            reserved_pct: 10,
            tail_turns: 2,
            protect_recent_tokens: 40_000,
            decay_user_turns: 0,
            protected_user_turns: 2,
            min_free_tokens: 20_000,
            max_output_chars: 2_000,
            max_result_tokens: 20_000,
            lease_ttl_secs: 300,
            allow_fallback_limits: true,
            summarizer_timeout_ms: 320_000,
            lease_dir: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::typed;
    use serde_json::json;

    #[test]
    fn every_member_has_its_default_and_can_be_set() {
        assert_eq!(typed::<Config>(&json!({})).unwrap(), Config::default());
        let members = serde_json::to_value(Config::default()).unwrap();
        for (name, value) in members.as_object().unwrap() {
            let set = match value {
                serde_json::Value::Bool(flag) => json!(!flag),
                serde_json::Value::Null => json!("~/leases"),
                _ => json!(7),
            };
            let config: Config = typed(&json!({ name: set })).unwrap();
            assert_eq!(serde_json::to_value(config).unwrap()[name], set);
        }
    }

    #[test]
    fn unknown_members_and_wrong_types_are_refused_at_their_place() {
        for (value, pointer) in [
            (json!({"tail_turn": 2}), "/tail_turn"),
            (json!({"tail_turns": -1}), "/tail_turns"),
            (json!({"reserved_pct": 1.5}), "/reserved_pct"),
            (
                json!({"allow_fallback_limits": "yes"}),
                "/allow_fallback_limits",
            ),
        ] {
            assert_eq!(typed::<Config>(&value).unwrap_err().pointer, pointer);
        }
    }
}
