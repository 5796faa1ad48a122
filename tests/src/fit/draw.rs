//! A case drawn from bytes: small histories of every shape under small budgets.

use galley_core::fit::{Extras, Failure, Lease};
use serde_json::{Map, Value, json};

use super::{Case, EXACT, NOW_MS, Outside};

const FUNCTIONS: [&str; 5] = ["f::g", "shell::run", "keep::me", "Ж::\\\"", ""];
const IDS: [&str; 6] = ["c1", "c2", "c3", "c4", "c5", ""];

pub fn case(bytes: &[u8]) -> Case {
    let mut draw = Draw { bytes, at: 0 };
    let call = draw.of(&[
        "assemble",
        "compact",
        "trim",
        "prune",
        "assemble",
        "count_tokens",
    ]);
    let request = match call {
        "trim" => draw.trim(),
        call => draw.request(call),
    };
    Case {
        call: call.to_owned(),
        request,
        extras: Extras {
            dry_run: draw.one_in(8),
            protected_messages: match draw.one_in(4) {
                true => draw.some(3, |draw| draw.below(16)),
                false => Vec::new(),
            },
        },
        config: draw.config(),
        asks_host: draw.one_in(3),
        outside: draw.outside(),
    }
}

struct Draw<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Draw<'_> {
    /// 0 once the bytes are used up.
    fn byte(&mut self) -> usize {
        let byte = self.bytes.get(self.at).copied().unwrap_or_default();
        self.at += 1;
        byte.into()
    }

    fn below(&mut self, bound: usize) -> usize {
        self.byte() % bound
    }

    fn of<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    fn some<T>(&mut self, most: usize, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(most + 1)).map(|_| one(self)).collect()
    }

    fn text(&mut self) -> String {
        let times = self.below(64);
        match self.below(12) {
            0 => "some words".to_owned(),
            1 => String::new(),
            2 => " \n".to_owned(),
            3 => "汉é😀 ".repeat(times),
            4 => "x".repeat(times * 16),
            5 => "word ".repeat(times),
            6 => "\"\\\n\u{1}".repeat(times),
            7 => "x".repeat(times * 100),
            8 => "some words and ".repeat(times * 4),
            9 => "<|endoftext|>".to_owned(),
            10 => "[output of f::g pruned: was ~9 tokens; re-call it if still needed]".to_owned(),
            _ => "a".to_owned(),
        }
    }

    fn said(&mut self) -> Value {
        json!({"type": "text", "text": self.text()})
    }

    fn image(&mut self) -> Value {
        json!({"type": "image", "mime": self.of(&["image/png", "image/jpeg"]), "data": "A".repeat(self.byte() * 9)})
    }

    fn call(&mut self) -> Value {
        let arguments = match self.below(3) {
            0 => Value::Null,
            1 => json!({"q": self.text()}),
            _ => json!(["é", 1.5, {"deep": [null]}]),
        };
        json!({"type": "function_call", "id": self.of(&IDS), "function_id": self.of(&FUNCTIONS), "arguments": arguments})
    }

    fn inline(&mut self, depth: usize) -> Value {
        let content = self.some(3, |draw| match draw.below(6) {
            0..=3 => draw.said(),
            4 => draw.image(),
            _ if depth < 3 => draw.inline(depth + 1),
            _ => draw.call(),
        });
        json!({"type": "function_result", "function_call_id": self.of(&IDS), "content": content,
            "is_error": self.of(&[None, Some(true), Some(false)])})
    }

    fn details(&mut self) -> Value {
        match self.below(6) {
            0 => Value::Null,
            1 => json!({}),
            2 => json!({"status": "denied", "reason": self.text()}),
            3 => json!({"raw": "r".repeat(3000)}),
            4 => json!({"status": ["denied"], "n": [1, 2.5]}),
            _ => json!(self.text()),
        }
    }

    fn message(&mut self) -> Value {
        let at = self.byte() as i64 - 9;
        match self.below(12) {
            0 | 1 => json!({"role": "user", "timestamp": at, "content": [self.said()]}),
            2 => {
                json!({"role": "user", "timestamp": at, "content": self.some(3, |draw| match draw.below(3) {
                    0 => draw.image(),
                    _ => draw.said(),
                })})
            }
            3 | 4 => {
                let content = self.some(4, |draw| match draw.below(5) {
                    0 | 1 => draw.inline(0),
                    2 => draw.image(),
                    _ => draw.said(),
                });
                json!({"role": "user", "timestamp": at, "content": content})
            }
            5..=7 => {
                let content = self.some(5, |draw| match draw.below(8) {
                    0..=2 => draw.call(),
                    3 => json!({"type": "thinking", "text": draw.text(), "signature": draw.of(&[None, Some("s")])}),
                    4 => draw.inline(0),
                    5 => draw.image(),
                    _ => draw.said(),
                });
                let (stop, kind) = (
                    self.of(&["end", "length", "function_call", "aborted", "error"]),
                    self.of(&[None, Some("context_overflow")]),
                );
                json!({"role": "assistant", "timestamp": at, "content": content, "stop_reason": stop, "error_kind": kind,
                    "usage": {"input": 9}, "model": "m", "provider": "p"})
            }
            8..=10 => {
                let content = self.some(3, |draw| match draw.below(8) {
                    0 => draw.image(),
                    1 => draw.inline(0),
                    2 => draw.call(),
                    _ => draw.said(),
                });
                json!({"role": "function_result", "timestamp": at, "content": content, "function_call_id": self.of(&IDS),
                    "function_id": self.of(&FUNCTIONS), "details": self.details(), "is_error": self.one_in(3)})
            }
            _ => {
                json!({"role": "custom", "timestamp": at, "content": [self.said()], "custom_type": "note",
                "details": self.details()})
            }
        }
    }

    fn model(&mut self) -> Value {
        let id = self.of(&[EXACT, "any", "gpt-5"]);
        let limits = match self.below(4) {
            0 => Value::Null,
            _ => {
                json!({"context_window": self.of(&[400, 1_000, 3_000, 3_000, 9_000, 9_000, 0, u64::MAX]),
                "max_output_tokens": self.of(&[0, 0, 100, 100, 500, u64::MAX]),
                "input_limit": self.of(&[None, None, None, Some(300), Some(2_000)])})
            }
        };
        json!({"id": id, "limits": limits})
    }

    fn functions(&mut self) -> Value {
        json!(self.some(2, |draw| draw.of(&FUNCTIONS)))
    }

    fn tools(&mut self) -> Value {
        json!(self.some(
            2,
            |draw| json!({"name": draw.of(&FUNCTIONS), "description": draw.text(),
            "parameters": {"type": "object"}})
        ))
    }

    /// Members, each of them there or not.
    fn members(&mut self, all: &[&str]) -> Map<String, Value> {
        let mut members = Map::new();
        for name in all {
            if self.one_in(2) {
                let value = self.member(name);
                members.insert((*name).to_owned(), value);
            }
        }
        members
    }

    fn member(&mut self, name: &str) -> Value {
        match name {
            "reserved_tokens" => json!(self.of(&[0, 0, 10, 10, 300, u64::MAX])),
            "tail_turns" | "decay_user_turns" | "protected_user_turns" => {
                json!(self.of(&[0, 1, 2, 4]))
            }
            "allow_compaction" | "allow_prune" | "allow_fallback_limits" => json!(!self.one_in(3)),
            "protected_functions" => self.functions(),
            "max_result_tokens" => json!(self.of(&[0, 1, 20, 200, 20_000])),
            "request_overhead_tokens" => json!(self.of(&[0, 7, 7, 7, 400, u64::MAX])),
            "thinking_level" => json!(self.of(&["minimal", "high"])),
            "lease_key" => json!("a key"),
            "previous_summary" | "system_prompt" => json!(self.text()),
            "protect_recent_tokens" => json!(self.of(&[0, 0, 0, 10, 200, 40_000])),
            "min_free_tokens" => json!(self.of(&[0, 1, 1, 1, 100, 20_000])),
            "max_output_chars" => json!(self.of(&[0, 10, 200, 2_000])),
            "preserve_recent_tokens" => json!(self.of(&[0, 50, 1_000])),
            "reserved_pct" => json!(self.of(&[0, 10, 100, u64::MAX])),
            "lease_ttl_secs" => json!(self.of(&[0, 300, u64::MAX])),
            "tools" => self.tools(),
            _ => json!({"é": self.text(), "b": self.text()}),
        }
    }

    fn request(&mut self, call: &str) -> Value {
        let options: &[&str] = match call {
            "assemble" => &[
                "reserved_tokens",
                "tail_turns",
                "allow_compaction",
                "allow_prune",
                "protected_functions",
                "max_result_tokens",
                "request_overhead_tokens",
                "thinking_level",
                "lease_key",
                "previous_summary",
            ],
            "compact" => &[
                "tail_turns",
                "previous_summary",
                "preserve_recent_tokens",
                "lease_key",
            ],
            "prune" => &[
                "protect_recent_tokens",
                "decay_user_turns",
                "protected_user_turns",
                "min_free_tokens",
                "max_output_chars",
                "protected_functions",
            ],
            _ => &[],
        };
        let messages = self.some(24, Self::message);
        let mut request = self.members(&["system_prompt", "tools", "parts"]);
        request.insert("messages".to_owned(), json!(messages));
        request.insert("model".to_owned(), self.model());
        request.insert("options".to_owned(), Value::Object(self.members(options)));
        Value::Object(request)
    }

    fn trim(&mut self) -> Value {
        let messages = self.some(24, Self::message);
        let mut request = self.members(&["system_prompt", "tools"]);
        request.insert("messages".to_owned(), json!(messages));
        request.insert("model".to_owned(), self.model());
        request.insert(
            "max_tokens".to_owned(),
            json!(self.of(&[0, 50, 300, 1_000, 4_000, u64::MAX])),
        );
        request.insert("drop_reasoning".to_owned(), json!(self.one_in(2)));
        if self.one_in(3) {
            request.insert("drop_functions".to_owned(), self.functions());
        }
        Value::Object(request)
    }

    fn config(&mut self) -> Value {
        let mut config = self.members(&[
            "tail_turns",
            "protect_recent_tokens",
            "decay_user_turns",
            "protected_user_turns",
            "min_free_tokens",
            "max_output_chars",
            "max_result_tokens",
            "reserved_pct",
            "lease_ttl_secs",
            "allow_fallback_limits",
        ]);
        // All four must be low for anything to be pruned.
        if self.one_in(2) {
            for (name, low) in [
                ("protect_recent_tokens", 0),
                ("protected_user_turns", 0),
                ("min_free_tokens", 1),
                ("max_output_chars", 20),
            ] {
                config.insert(name.to_owned(), json!(low));
            }
        }
        Value::Object(config)
    }

    fn outside(&mut self) -> Outside {
        let failed = |kind: &str| {
            Err(Failure {
                kind: kind.to_owned(),
                message: "as scripted".to_owned(),
            })
        };
        let record = json!({"id": "any", "context_window": 2_000, "max_output_tokens": 400,
            "thinking_budgets": {"high": 300}, "supports_vision": self.of(&[None, Some(true), Some(false)])});
        let model = match self.below(5) {
            0 => Ok(Value::Null),
            1 => failed(""),
            2 => Ok(json!({"model": 3})),
            _ => Ok(
                json!({"model": record, "effective_max_output_tokens": self.of(&[None, Some(50)])}),
            ),
        };
        let summary = match self.below(10) {
            0..=4 => Ok(json!("## Goal\n- go on")),
            5 => Ok(json!(" \n")),
            6 => Ok(json!("longer than what it stands for ".repeat(900))),
            7 => Ok(json!({"no": "text"})),
            _ => failed(self.of(&["unavailable", "empty", ""])),
        };
        let nonce = "another's".to_owned();
        let ts = self.of(&[NOW_MS, NOW_MS - 300_001]);
        let leases = match self.one_in(4) {
            true => [("a key".to_owned(), Lease { nonce, ts })].into(),
            false => Default::default(),
        };
        Outside {
            model,
            summary,
            leases,
            store_fails: self.one_in(16),
        }
    }
}
