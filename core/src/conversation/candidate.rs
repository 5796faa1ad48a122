//! A turn as it counts: its active candidate, with what the turn lends it.

use super::Conversation;
use super::native::{Body, PrefaceEntry, Seed, Turn, TurnKind};
use crate::role::Role;

/// The active candidate of a turn.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'c> {
    /// The candidate's id, when the turn names candidates.
    pub id: Option<&'c str>,
    /// Its status.
    pub status: &'c str,
    /// The words that opened it.
    pub prompt: Option<&'c Seed>,
    /// What was sealed in front of those words.
    pub preface: &'c [PrefaceEntry],
    /// What it answered.
    pub body: &'c Body,
}

impl Turn {
    /// The candidate that counts.
    pub fn active(&self) -> Candidate<'_> {
        let turns = self.status.as_deref().unwrap_or("completed");
        let named = self.active_variant.as_deref();
        let variant = self
            .variants
            .iter()
            .find(|variant| Some(variant.id.as_str()) == named)
            .or(self.variants.last());
        match variant {
            None => Candidate {
                id: None,
                status: turns,
                prompt: self.prompt.as_ref(),
                preface: &self.preface,
                body: &self.body,
            },
            Some(variant) => Candidate {
                id: Some(&variant.id),
                status: variant.status.as_deref().unwrap_or(turns),
                prompt: variant.prompt.as_ref().or(self.prompt.as_ref()),
                preface: variant.preface.as_deref().unwrap_or(&self.preface),
                body: &variant.body,
            },
        }
    }

    /// Its role: user, but assistant for a reply.
    pub fn role(&self) -> Role {
        self.role.unwrap_or(match self.kind {
            TurnKind::DirectReply => Role::Assistant,
            TurnKind::Message | TurnKind::CompactionSummary => Role::User,
        })
    }

    /// The words of a message or a summary: the active candidate's content, else the turn's text.
    pub fn words(&self) -> &str {
        self.active()
            .body
            .content
            .as_deref()
            .or(self.text.as_deref())
            .unwrap_or_default()
    }

    /// Whether it is a summary that stands for what is before it: completed and not blank.
    pub fn is_standing_summary(&self) -> bool {
        self.kind == TurnKind::CompactionSummary
            && self.active().status == "completed"
            && !self.words().trim().is_empty()
    }

    /// Whether it bears content: words, a seed or an answer that is not blank, an upload, or a run. A summary
    /// that stands for nothing bears none.
    pub fn bears_content(&self) -> bool {
        if self.kind == TurnKind::CompactionSummary {
            return self.is_standing_summary();
        }
        let candidate = self.active();
        let says = |text: Option<&str>| text.is_some_and(|text| !text.trim().is_empty());
        says(self.text.as_deref())
            || says(candidate.body.content.as_deref())
            || candidate
                .prompt
                .is_some_and(|seed| says(Some(&seed.text)) || !seed.uploads.is_empty())
            || !self.uploads.is_empty()
            || candidate.body.run.is_some()
    }

    /// Its voice.
    pub fn speaker<'c>(&'c self, conversation: &'c Conversation) -> &'c str {
        match (&self.speaker, self.kind) {
            (Some(speaker), _) => speaker,
            (None, TurnKind::CompactionSummary) => super::voice::SYSTEM,
            (None, _) => &conversation.creating_user,
        }
    }

    /// Who answers it.
    pub fn answerer<'c>(&'c self, conversation: &'c Conversation) -> &'c str {
        self.answering_user
            .as_deref()
            .unwrap_or(&conversation.answering_user)
    }

    /// Whether the kernel itself put it there.
    pub fn is_of_kernel_origin(&self) -> bool {
        matches!(self.origin.as_deref(), Some("task_result" | "child"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn turn(value: serde_json::Value) -> Turn {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn content_counts_once_whatever_bears_it() {
        for (value, bears) in [
            (json!({"text": "x"}), true),
            (json!({"text": " \n"}), false),
            (json!({"uploads": ["up1"]}), true),
            (
                json!({"kind": "direct_reply", "prompt": "q", "status": "failed"}),
                true,
            ),
            (
                json!({"kind": "direct_reply", "prompt": {"uploads": ["up1"]}}),
                true,
            ),
            (json!({"kind": "direct_reply", "run": {"rounds": []}}), true),
            (json!({"kind": "direct_reply"}), false),
            (json!({"kind": "compaction_summary", "content": "s"}), true),
            (
                json!({"kind": "compaction_summary", "content": "s", "status": "failed"}),
                false,
            ),
            (json!({"kind": "compaction_summary", "content": " "}), false),
        ] {
            assert_eq!(turn(value.clone()).bears_content(), bears, "{value}");
        }
    }

    #[test]
    fn the_active_candidate_lends_from_its_turn() {
        let two = turn(
            json!({"kind": "direct_reply", "prompt": "q", "run": {"rounds": [{"output": "old"}]},
            "variants": [{"id": "v1", "content": "first"}, {"id": "v2", "content": "second", "status": "failed"}],
            "active_variant": "v1"}),
        );
        let active = two.active();
        assert_eq!(
            (active.status, active.body.content.as_deref()),
            ("completed", Some("first"))
        );
        assert_eq!(active.prompt.map(|seed| seed.text.as_str()), Some("q"));
        assert!(active.body.run.is_none());
    }
}
