//! Registered slots with their overrides, and the skills list.

use super::pen::Pen;
use super::request::InlineEntry;
use super::segment::Segment;
use crate::conversation::native::{Document, Skill, Tool};
use crate::role::Role;
use crate::template::Slot;
use crate::template::macros::Sources;
use crate::wording;

/// Most bytes of the skills block, whatever the limit says.
const SKILLS_BOUND: u64 = 16_384;

/// What fills a slot, and the version of the registered document that does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filled {
    /// One segment, or none.
    pub segment: Option<Segment>,
    /// The registered document's version; an override has none.
    pub version: Option<u64>,
}

/// The document registered for a slot by its owner. When several are, the last one counts.
pub fn registered<'c>(
    documents: &'c [Document],
    slot: Slot,
    owner: Option<&str>,
) -> Option<&'c Document> {
    let owner = owner?;
    documents
        .iter()
        .rev()
        .find(|document| document.slot == slot.as_str() && document.owner.as_deref() == Some(owner))
}

/// Fills a slot: the override's text, else the declaration's, else the document's.
pub fn slot(
    pen: &mut Pen<'_>,
    document: Option<&Document>,
    declared: Option<&str>,
    over: Option<&InlineEntry>,
    macros: &Sources,
) -> Filled {
    let role = over
        .and_then(|entry| entry.role)
        .or(document.and_then(|document| document.role))
        .unwrap_or(Role::System);
    let (text, version) = match (over, declared, document) {
        (Some(entry), _, _) => (macros.render(&entry.text), None),
        (None, Some(text), _) => (macros.render(text), None),
        (None, None, Some(document)) if document.literal => {
            (document.content.clone(), Some(document.version))
        }
        (None, None, Some(document)) => (macros.render(&document.content), Some(document.version)),
        (None, None, None) => return Filled::default(),
    };
    let words = pen.words(&text);
    Filled {
        segment: Some(Segment::words(role, words)),
        version,
    }
}

/// The skills list: only when a visible tool is the callable of a skill. A prefix of whole lines within
/// `limit` bytes; the header and the line that says how many are left out always stand.
pub fn skills(pen: &mut Pen<'_>, skills: &[Skill], tools: &[Tool], limit: u64) -> Option<Segment> {
    let gate = skills.iter().any(|skill| {
        tools
            .iter()
            .any(|tool| !tool.deferred && tool.name == skill.callable)
    });
    if !gate {
        return None;
    }
    let limit = limit.min(SKILLS_BOUND);
    let header = pen.wording.say(wording::SKILLS_HEADER).to_owned();
    let mut lines: Vec<String> = skills.iter().map(line).collect();
    let mut omitted = 0_usize;
    let text = loop {
        let mut all = vec![header.clone()];
        all.extend(lines.iter().cloned());
        if omitted > 0 {
            all.push(
                pen.wording
                    .say_with(wording::SKILLS_OMITTED, "n", &omitted.to_string()),
            );
        }
        let text = all.join("\n");
        if text.len() as u64 <= limit || lines.pop().is_none() {
            break text;
        }
        omitted += 1;
    };
    let words = pen.words(&text);
    Some(Segment::words(Role::User, words))
}

fn line(skill: &Skill) -> String {
    let runner = skill
        .executor
        .as_deref()
        .map(|id| format!(" [{id}]"))
        .unwrap_or_default();
    let description: Vec<&str> = skill.description.split_whitespace().collect();
    format!(
        "- {} / {}{runner}: {}",
        skill.callable,
        skill.name,
        description.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::super::segment::Part;
    use super::*;
    use crate::conversation::Conversation;
    use crate::tokens::{ModelRow, Texts};
    use crate::wording::Wording;
    use serde_json::json;

    fn list(count: usize, limit: u64, tools: serde_json::Value) -> Option<String> {
        let conversation = Conversation::default();
        let (mut texts, model) = (Texts::new(), ModelRow::default());
        let wording = Wording::with(
            [
                ("SKILLS_HEADER", "HEADER"),
                ("SKILLS_OMITTED", "{n} LEFT OUT"),
            ]
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .into_iter()
            .collect(),
        )
        .unwrap();
        let mut pen = Pen {
            conversation: &conversation,
            texts: &mut texts,
            model: &model,
            wording: &wording,
        };
        let catalogue: Vec<Skill> = (0..count)
            .map(|n| serde_json::from_value(json!({"callable": "skill", "name": format!("s{n}"), "description": " what\n it  does "})).unwrap())
            .collect();
        let tools: Vec<Tool> = serde_json::from_value(tools).unwrap();
        skills(&mut pen, &catalogue, &tools, limit).map(|segment| match segment.parts.first() {
            Some(Part::Words(words)) => words.text.as_str().to_owned(),
            _ => String::new(),
        })
    }

    #[test]
    fn a_visible_tool_opens_the_list() {
        assert_eq!(
            list(1, 100, json!([{"name": "skill"}])).unwrap(),
            "HEADER\n- skill / s0: what it does"
        );
        assert_eq!(
            list(1, 100, json!([{"name": "skill", "deferred": true}])),
            None
        );
        assert_eq!(list(1, 100, json!([{"name": "other"}])), None);
        assert_eq!(list(0, 100, json!([{"name": "skill"}])), None);
    }

    #[test]
    fn whole_lines_fit_or_are_counted() {
        let tools = json!([{"name": "skill"}]);
        let line = "\n- skill / s0: what it does".len() as u64;
        let header = "HEADER".len() as u64;
        assert_eq!(
            list(2, header + 2 * line, tools.clone())
                .unwrap()
                .lines()
                .count(),
            3
        );
        let cut = list(3, header + 2 * line, tools.clone()).unwrap();
        assert_eq!(cut, "HEADER\n- skill / s0: what it does\n2 LEFT OUT");
        assert_eq!(list(2, 1, tools).unwrap(), "HEADER\n2 LEFT OUT");
    }
}
