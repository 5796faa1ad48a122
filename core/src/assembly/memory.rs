//! The memory block: documents newest first, a prefix of them inside a byte budget, the rest named.

use super::pen::Pen;
use super::resolve::Ends;
use super::segment::Segment;
use crate::conversation::Conversation;
use crate::conversation::native::{
    BindingAccess, ConversationKind, MemoryBinding, MemoryDocument, UserKind,
};
use crate::role::Role;
use crate::wording;

/// The block and its counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// One user segment, or none.
    pub segment: Option<Segment>,
    /// Documents in it.
    pub included: u64,
    /// Documents left out for room.
    pub omitted: u64,
}

/// A document under the path it renders at.
struct Shown<'c> {
    path: String,
    document: &'c MemoryDocument,
}

/// Renders the block within `budget` bytes of document content; headers and paths are free.
pub fn render(pen: &mut Pen<'_>, ends: Ends<'_>, budget: u64) -> Memory {
    let c = pen.conversation;
    let bindings = c.memory_bindings.as_deref().unwrap_or_default();
    let mut shown = if bindings.is_empty() {
        unbound(c, ends)
    } else {
        bound(c, ends, bindings)
    };
    shown.sort_by(|a, b| {
        let when = |shown: &Shown<'_>| shown.document.written_at.as_deref().and_then(instant);
        when(b).cmp(&when(a)).then_with(|| a.path.cmp(&b.path))
    });
    let mut left = budget;
    let fits = shown.iter().take_while(|shown| {
        match left.checked_sub(shown.document.content.len() as u64) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        }
    });
    let included = fits.count();
    let (rides, waits) = shown.split_at_checked(included).unwrap_or((&shown, &[]));
    let counts = Memory {
        segment: None,
        included: rides.len() as u64,
        omitted: waits.len() as u64,
    };
    if rides.is_empty() && bindings.is_empty() {
        return counts;
    }
    let mut paragraphs = vec![header(pen, bindings)];
    paragraphs.extend(
        rides
            .iter()
            .map(|shown| format!("## {}\n{}", shown.path, shown.document.content)),
    );
    if !waits.is_empty() {
        let paths: Vec<&str> = waits.iter().map(|shown| shown.path.as_str()).collect();
        paragraphs.push(format!(
            "{} {}",
            pen.wording.say(wording::MEMORY_OMITTED),
            paths.join(", ")
        ));
    }
    let words = pen.words(&paragraphs.join("\n\n"));
    Memory {
        segment: Some(Segment::words(Role::User, words)),
        ..counts
    }
}

fn header(pen: &Pen<'_>, bindings: &[MemoryBinding]) -> String {
    if !bindings.is_empty() {
        let roots: Vec<String> = bindings
            .iter()
            .map(|binding| {
                let access = match binding.access {
                    BindingAccess::Read => "read only",
                    BindingAccess::Write => "read and write",
                };
                format!("{}/ ({access})", binding.name)
            })
            .collect();
        return pen
            .wording
            .say_with(wording::BOUND_MEMORY_HEADER, "roots", &roots.join(", "));
    }
    let standalone = pen.conversation.kind == ConversationKind::Standalone;
    let header = if standalone {
        wording::STANDALONE_MEMORY_HEADER
    } else {
        wording::MEMORY_HEADER
    };
    pen.wording.say(header).to_owned()
}

/// Root and rest of a path; `None` for what never renders.
fn split(document: &MemoryDocument) -> Option<(&str, &str)> {
    let (root, rest) = document.path.split_once('/')?;
    (!rest.starts_with("skills/")).then_some((root, rest))
}

fn unbound<'c>(c: &'c Conversation, ends: Ends<'_>) -> Vec<Shown<'c>> {
    let standalone = c.kind == ConversationKind::Standalone;
    let speaker = ends.ingress.unwrap_or(ends.caller);
    c.memory
        .iter()
        .filter(|document| match split(document).map(|(root, _)| root) {
            Some("workspace") => true,
            Some("conversation") => !standalone,
            Some("speaker") => document.owner.as_deref() == Some(speaker),
            _ => false,
        })
        .map(|document| Shown {
            path: document.path.clone(),
            document,
        })
        .collect()
}

fn bound<'c>(c: &'c Conversation, ends: Ends<'_>, bindings: &[MemoryBinding]) -> Vec<Shown<'c>> {
    let mut shown = Vec::new();
    for binding in bindings {
        let subject = binding.subject.as_deref();
        let owner = match binding.root.as_str() {
            "workspace" | "conversation" => None,
            "user" => {
                let principal = subject.unwrap_or(ends.caller);
                match c.user(principal) {
                    Some(user) if user.kind == UserKind::Human => Some(principal),
                    _ => continue,
                }
            }
            "speaker" => Some(subject.or(ends.ingress).unwrap_or(ends.caller)),
            _ => continue,
        };
        for document in &c.memory {
            let Some((root, rest)) = split(document) else {
                continue;
            };
            if root == binding.root && (owner.is_none() || document.owner.as_deref() == owner) {
                shown.push(Shown {
                    path: format!("{}/{rest}", binding.name),
                    document,
                });
            }
        }
    }
    shown
}

/// An ISO 8601 date and time as seconds since 1970 and nanoseconds; a date alone is its midnight, a time
/// without a zone is UTC. `None` for what is none.
fn instant(text: &str) -> Option<(i64, u32)> {
    let number = |from: usize, to: usize| {
        let part = text.get(from..to)?;
        part.bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| part.parse::<i64>().ok())?
    };
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    if text.get(4..5)? != "-" || text.get(7..8)? != "-" {
        return None;
    }
    // Days from 1970-01-01, years counted from March so that the leap day ends them.
    let (y, m) = if month <= 2 {
        (year - 1, month + 9)
    } else {
        (year, month - 3)
    };
    let days =
        365 * y + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400) + (153 * m + 2) / 5 + day
            - 1
            - 719_468;
    let Some(time) = text.get(10..).filter(|rest| !rest.is_empty()) else {
        return Some((days * 86_400, 0));
    };
    if !time.starts_with(['T', 't', ' ']) {
        return None;
    }
    let seconds = number(11, 13)? * 3_600 + number(14, 16)? * 60 + number(17, 19).unwrap_or(0);
    let after = text.get(if number(17, 19).is_some() { 19 } else { 16 }..)?;
    let (nanos, zone) = match after.strip_prefix('.') {
        None => (0, after),
        Some(fraction) => {
            let digits: String = fraction.chars().take_while(char::is_ascii_digit).collect();
            let nanos = format!("{digits:0<9}").get(..9)?.parse().ok()?;
            (nanos, fraction.get(digits.len()..)?)
        }
    };
    let offset = match zone.as_bytes() {
        [] | [b'Z' | b'z'] => 0,
        [sign @ (b'+' | b'-'), ..] => {
            let digits: String = zone.chars().filter(char::is_ascii_digit).collect();
            let minutes = digits.get(..2)?.parse::<i64>().ok()? * 60
                + digits
                    .get(2..4)
                    .and_then(|m| m.parse::<i64>().ok())
                    .unwrap_or(0);
            if *sign == b'+' { minutes } else { -minutes }
        }
        _ => return None,
    };
    Some((days * 86_400 + seconds - offset * 60, nanos))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::{ModelRow, Texts};
    use crate::wording::Wording;
    use serde_json::json;

    fn rendered(file: serde_json::Value, caller: &str) -> (String, u64, u64) {
        let conversation: Conversation = serde_json::from_value(file).unwrap();
        let (mut texts, model, wording) = (Texts::new(), ModelRow::default(), Wording::default());
        let mut pen = Pen {
            conversation: &conversation,
            texts: &mut texts,
            model: &model,
            wording: &wording,
        };
        let ends = Ends {
            caller,
            ingress: None,
            addressee: "a",
            declares: true,
        };
        let memory = render(&mut pen, ends, 16_384);
        let text = memory
            .segment
            .map_or(String::new(), |segment| match segment.parts.first() {
                Some(super::super::segment::Part::Words(words)) => words.text.as_str().to_owned(),
                _ => String::new(),
            });
        (text, memory.included, memory.omitted)
    }

    #[test]
    fn the_newest_too_large_leaves_no_block() {
        let file = json!({"memory": [
            {"path": "workspace/huge.md", "content": "x".repeat(16_385), "written_at": "2026-01-02"},
            {"path": "workspace/small.md", "content": "tiny", "written_at": "2026-01-01"}]});
        assert_eq!(rendered(file, "u"), (String::new(), 0, 2));
    }

    #[test]
    fn only_the_roots_of_the_request_render() {
        let file = json!({"memory": [
            {"path": "workspace/w.md", "content": "w", "written_at": "2026-01-01T00:00:00+02:00"},
            {"path": "conversation/c.md", "content": "c", "written_at": "2025-12-31T23:00:00Z"},
            {"path": "user/u.md", "content": "u", "owner": "u"},
            {"path": "speaker/s.md", "content": "s", "owner": "u"},
            {"path": "speaker/o.md", "content": "o", "owner": "other"},
            {"path": "workspace/skills/k", "content": "k"}]});
        let (text, included, omitted) = rendered(file, "u");
        let order: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("## "))
            .collect();
        assert_eq!(
            order,
            [
                "## conversation/c.md",
                "## workspace/w.md",
                "## speaker/s.md"
            ]
        );
        assert_eq!((included, omitted), (3, 0));
    }

    #[test]
    fn a_user_root_needs_a_binding_and_a_human() {
        let file = |subject: &str| {
            json!({"users": {"u": {"kind": "human"}, "a": {"kind": "agent", "steward": "u"}},
                "memory": [{"path": "user/n.md", "content": "n", "owner": "u"}],
                "memory_bindings": [{"name": "notes", "root": "user", "subject": subject, "access": "write"}]})
        };
        let (text, included, _) = rendered(file("u"), "u");
        assert!(text.contains("notes/ (read and write)") && text.contains("## notes/n.md\nn"));
        assert_eq!(included, 1);
        assert_eq!(rendered(file("a"), "u").1, 0);
    }

    #[test]
    fn moments_compare_across_zones() {
        for (earlier, later) in [
            ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5Z"),
            ("2026-01-01T02:00:00+02:00", "2026-01-01T00:00:01Z"),
            ("1969-12-31T23:59:59Z", "1970-01-01"),
            ("2024-02-29T12:00:00Z", "2024-03-01"),
        ] {
            assert!(
                instant(earlier).unwrap() < instant(later).unwrap(),
                "{earlier} {later}"
            );
        }
        assert_eq!(instant("1970-01-02T00:00:00Z"), Some((86_400, 0)));
        for nothing in [
            "",
            "yesterday",
            "2026-1-1",
            "2026-01-01Tnoon",
            "２０２６-01-01",
        ] {
            assert_eq!(instant(nothing), None, "{nothing}");
        }
    }
}
