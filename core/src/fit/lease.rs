//! One compaction of a history at a time: who holds its lease does it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::desk::{Desk, Given, Need};
use super::emergency::hex;
use super::item::Item;
use super::manager::Call;

/// Who holds a lease, and since when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(tsify::Tsify, schemars::JsonSchema))]
pub struct Lease {
    /// Whose it is.
    pub nonce: String,
    /// Since when, milliseconds since 1970.
    pub ts: u64,
}

impl Lease {
    fn active(&self, now_ms: u64, ttl_ms: u64) -> bool {
        now_ms.saturating_sub(self.ts) < ttl_ms
    }
}

/// The key of a history that names none: a hash of its messages.
fn default_key(items: &[Item]) -> String {
    let mut hash = Sha256::new();
    for item in items {
        hash.update(serde_json::to_vec(item.message()).unwrap_or_default());
        hash.update([0]);
    }
    hex(hash.finalize())
}

/// A lease to be had.
pub struct Claim<'a> {
    /// Where its store is asked for.
    desk: &'a Desk,
    /// The history's key.
    key: String,
    /// What tells our lease from another's.
    nonce: &'a str,
    /// How long a lease holds, milliseconds.
    ttl_ms: u64,
}

impl<'a> Claim<'a> {
    /// The lease of a history, by the key that is named or the one its messages have; none in a dry run, which
    /// keeps nobody from it.
    pub fn of(call: &'a Call, key: Option<String>, items: &[Item]) -> Option<Self> {
        (!call.extras.dry_run).then(|| Self {
            desk: &call.desk,
            key: key.unwrap_or_else(|| default_key(items)),
            nonce: &call.nonce,
            ttl_ms: call.config.lease_ttl_secs.saturating_mul(1000),
        })
    }

    /// Takes the lease; `false` when somebody holds it or the store fails.
    pub async fn acquire(&self) -> bool {
        match self.get().await {
            Ok(held) if !self.active(held.as_ref()) => {}
            _ => return false,
        }
        let ours = Lease {
            nonce: self.nonce.to_owned(),
            ts: self.desk.now_ms(),
        };
        match self.swap(Some(ours)).await {
            Ok(before) if self.active(before.as_ref()) => {
                // Somebody was faster: theirs it is.
                self.swap(before).await.ok();
                false
            }
            taken => taken.is_ok(),
        }
    }

    /// Gives the lease back, if it is still ours.
    pub async fn release(&self) {
        let held = self.get().await.ok().flatten();
        if held.is_some_and(|lease| lease.nonce == self.nonce) {
            self.swap(None).await.ok();
        }
    }

    fn active(&self, lease: Option<&Lease>) -> bool {
        lease.is_some_and(|lease| lease.active(self.desk.now_ms(), self.ttl_ms))
    }

    async fn get(&self) -> Result<Option<Lease>, ()> {
        let key = self.key.clone();
        lease(self.desk.ask(Need::GetLease { key }).await)
    }

    async fn swap(&self, record: Option<Lease>) -> Result<Option<Lease>, ()> {
        let key = self.key.clone();
        lease(self.desk.ask(Need::SwapLease { key, record }).await)
    }
}

/// What is no lease is none.
fn lease(given: Given) -> Result<Option<Lease>, ()> {
    let value: Value = given.map_err(drop)?;
    Ok(serde_json::from_value(value).ok())
}

#[cfg(test)]
mod tests {
    use super::super::desk::{Run, Step};
    use super::*;
    use serde_json::json;

    use crate::transcript::{AgentMessage, ContentBlock};

    fn user(texts: &[&str]) -> Item {
        Item::new(AgentMessage::User {
            content: texts.iter().map(|text| ContentBlock::text(*text)).collect(),
            timestamp: 1,
        })
    }

    #[test]
    fn a_key_tells_histories_apart() {
        let key = default_key(&[user(&["ab"])]);
        assert_eq!(key.len(), 64);
        assert_eq!(key, default_key(&[user(&["ab"])]));
        assert_ne!(key, default_key(&[user(&["a", "b"])]));
        assert_ne!(key, default_key(&[user(&["a"]), user(&["b"])]));
    }

    #[test]
    fn a_lease_is_over_at_its_age() {
        let lease = Lease {
            nonce: String::new(),
            ts: 1_000,
        };
        assert!(lease.active(1_500, 1_000));
        assert!(!lease.active(2_500, 1_000));
        assert!(!lease.active(2_000, 1_000));
    }

    /// Takes and gives back a lease whose store answers as scripted; answers whether it was had, and what was put.
    fn taken(answers: Vec<Given>) -> (bool, Vec<Option<String>>) {
        let mut run = Run::new(1_000, |desk| async move {
            let claim = Claim {
                desk: &desk,
                key: "k".to_owned(),
                nonce: "ours",
                ttl_ms: 500,
            };
            let taken = claim.acquire().await;
            if taken {
                claim.release().await;
            }
            taken
        });
        let (mut put, mut answers) = (Vec::new(), answers.into_iter());
        let mut step = run.step();
        loop {
            match step {
                Step::Needs(need) => {
                    if let Need::SwapLease { record, .. } = need {
                        put.push(record.map(|lease| lease.nonce));
                    }
                    step = run.resume(answers.next().unwrap(), 1_000);
                }
                Step::Done(taken) => return (taken, put),
                Step::Over => panic!("it ends once"),
            }
        }
    }

    #[test]
    fn a_lease_is_taken_once_and_given_back_only_while_it_is_ours() {
        let held = |nonce: &str, ts: u64| Ok(json!({"nonce": nonce, "ts": ts}));
        let free = || Ok(Value::Null);
        let failed = || Err(Default::default());
        let (ours, theirs) = (Some("ours".to_owned()), Some("theirs".to_owned()));
        for (answers, expected) in [
            (
                vec![free(), free(), held("ours", 1_000), free()],
                (true, vec![ours.clone(), None]),
            ),
            // Over since 500 ms; and what is no lease.
            (
                vec![
                    held("theirs", 500),
                    held("theirs", 500),
                    held("ours", 1_000),
                    free(),
                ],
                (true, vec![ours.clone(), None]),
            ),
            (
                vec![
                    Ok(json!("just a string")),
                    free(),
                    held("ours", 1_000),
                    free(),
                ],
                (true, vec![ours.clone(), None]),
            ),
            // Somebody took it over meanwhile.
            (
                vec![free(), free(), held("theirs", 1_000)],
                (true, vec![ours.clone()]),
            ),
            (vec![held("theirs", 501)], (false, vec![])),
            // Somebody was faster, and has it back.
            (
                vec![free(), held("theirs", 900), held("ours", 1_000)],
                (false, vec![ours.clone(), theirs]),
            ),
            (vec![failed()], (false, vec![])),
            (vec![free(), failed()], (false, vec![ours])),
        ] {
            assert_eq!(taken(answers), expected);
        }
    }
}
