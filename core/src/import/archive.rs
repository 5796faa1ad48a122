//! Which files of an archive hold conversations, and which lie beside them.

use super::container::Entry;
use super::source::Source;
use crate::refusal::Warning;
use crate::transcript::Attachment;

/// Files of exports that hold something else.
const OTHERS: [&str; 17] = [
    "user.json",
    "users.json",
    "user_settings.json",
    "message_feedback.json",
    "model_comparisons.json",
    "shared_conversations.json",
    "export_manifest.json",
    "group_chats.json",
    "shopping.json",
    "sora.json",
    "basispoints.json",
    "projects.json",
    "memories.json",
    "manifest.json",
    "package.json",
    "settings.json",
    "prod-mc-auth-mgmt-api.json",
];

/// Files of exports that hold what a service puts before a model beside what is said.
const SENT_BESIDE: [(&str, &str); 2] = [
    (
        "projects.json",
        "projects with their instructions and documents",
    ),
    (
        "memories.json",
        "what the service keeps in mind of the person",
    ),
];

/// What is told of files beside the conversations: those that the model was shown something of.
pub(super) fn told(beside: &[Entry]) -> impl Iterator<Item = Warning> {
    beside.iter().filter_map(|entry| {
        let (_, holds) = SENT_BESIDE
            .iter()
            .find(|(name, _)| *name == base(&entry.name))?;
        let message = format!("{} holds {holds}; it is not read", entry.name);
        Some(Warning::new("entry_not_read", message))
    })
}

/// Divides the files of an archive into those of conversations, in the order to read them, and the rest. The
/// conversations of an export stand in files of known names; without those, any JSON counts.
pub(super) fn conversations(entries: Vec<Entry>) -> (Vec<Entry>, Vec<Entry>) {
    let named = entries.iter().any(|entry| number(&entry.name).is_some());
    let holds = |entry: &Entry| match named {
        true => number(&entry.name).is_some(),
        false => is_json(&entry.name) && !OTHERS.contains(&base(&entry.name)),
    };
    let (mut found, beside): (Vec<Entry>, Vec<Entry>) = entries.into_iter().partition(holds);
    found.sort_by(|a, b| (number(&a.name), &a.name).cmp(&(number(&b.name), &b.name)));
    (found, beside)
}

/// The number of a file of conversations, 0 for an only one.
fn number(name: &str) -> Option<u64> {
    let name = base(name);
    if matches!(
        name,
        "conversation.json" | "prod-grok-backend.json" | "MyActivity.json"
    ) {
        return Some(0);
    }
    let number = name.strip_prefix("conversations")?.strip_suffix(".json")?;
    match number.strip_prefix('-') {
        Some(number) => number.parse().ok(),
        None => number.is_empty().then_some(0),
    }
}

fn is_json(name: &str) -> bool {
    let name = base(name).to_ascii_lowercase();
    let endings = [
        ".json",
        ".jsonl",
        ".json.gz",
        ".jsonl.gz",
        ".jsonl.zst",
        ".har",
        ".zip",
    ];
    endings.iter().any(|ending| name.ends_with(ending)) && !name.starts_with("._")
}

fn base(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

/// The name of a source without what it ends in, for a conversation that has none.
pub(super) fn stem(source: &Source) -> String {
    let Source::Entry(entry) = source else {
        return String::new();
    };
    let base = base(&entry.name);
    base.split_once('.')
        .map_or(base, |(stem, _)| stem)
        .to_owned()
}

/// Says in which file of the archive something is.
pub(super) fn name(source: &Source, warning: &mut Warning) {
    if let Source::Entry(entry) = source {
        warning.message = format!("in {}: {}", entry.name, warning.message);
    }
}

/// The file beside the conversations that an attachment names: by its path, or by an id that its name begins with.
pub(super) fn beside<'e>(attachment: &Attachment, entries: &'e [Entry]) -> Option<&'e Entry> {
    let reference = attachment.reference.as_deref()?;
    let id = reference.split_once("://").map_or(reference, |(_, id)| id);
    let id = id.split(['?', '#']).next().filter(|id| !id.is_empty())?;
    let of_path = |entry: &&Entry| entry.name == id || entry.name.ends_with(&format!("/{id}"));
    let of_id = |entry: &&Entry| {
        let rest = base(&entry.name).strip_prefix(id);
        rest.is_some_and(|rest| rest.starts_with(['-', '.', '_']))
    };
    entries
        .iter()
        .find(of_path)
        .or_else(|| entries.iter().find(of_id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str) -> Entry {
        Entry {
            name: name.to_owned(),
            from: 0,
            packed: 0,
            bytes: 0,
            crc32: 0,
            deflated: true,
        }
    }

    fn split(names: &[&str]) -> (Vec<String>, Vec<String>) {
        let (found, beside) = conversations(names.iter().map(|name| entry(name)).collect());
        let names = |entries: Vec<Entry>| entries.into_iter().map(|entry| entry.name).collect();
        (names(found), names(beside))
    }

    #[test]
    fn shards_are_read_by_number_and_any_json_without_them() {
        let (found, beside) = split(&[
            "x/conversations-010.json",
            "user.json",
            "x/conversations-002.json",
            "a.json",
            "file-1-cat.png",
        ]);
        assert_eq!(
            found,
            ["x/conversations-002.json", "x/conversations-010.json"]
        );
        assert_eq!(beside, ["user.json", "a.json", "file-1-cat.png"]);
        let (found, _) = split(&[
            "b/rollout.jsonl.zst",
            "users.json",
            "__MACOSX/._a.json",
            "a.json",
            "chat.html",
        ]);
        assert_eq!(found, ["a.json", "b/rollout.jsonl.zst"]);
    }

    #[test]
    fn attachments_are_found_by_path_or_id() {
        let entries = [
            entry("files/a.png"),
            entry("file-AB-cat.png"),
            entry("dalle/file_ABC.webp"),
        ];
        let of = |reference: &str| {
            let attachment = Attachment {
                reference: Some(reference.to_owned()),
                ..Attachment::default()
            };
            beside(&attachment, &entries).map(|entry| entry.name.as_str())
        };
        assert_eq!(of("files/a.png"), Some("files/a.png"));
        assert_eq!(of("file-service://file-AB"), Some("file-AB-cat.png"));
        assert_eq!(of("sediment://file_ABC"), Some("dalle/file_ABC.webp"));
        assert_eq!(of("file-service://file-A"), None);
        assert_eq!(of("https://x.example/cat.png"), None);
    }
}
