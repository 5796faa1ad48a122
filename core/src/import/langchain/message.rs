//! One message of LangChain, as the list it stands in is written down.

use serde_json::{Value, json};

use super::super::pen::{Outcome, Pen};
use super::super::record::{At, text_of, word};
use crate::wire::langchain::{Kind, answer, content, spelled};

/// The id with which a removal means every message before it.
pub(super) const ALL: &str = "__remove_all__";

/// Whether a message is spelled as only LangChain spells one.
pub(in crate::import) fn is_own(value: &Value) -> bool {
    let others = ["user", "assistant"];
    if value.get("role").is_some() || word(value, "type").is_some_and(|kind| others.contains(&kind))
    {
        return false;
    }
    spelled(value).is_some_and(|(kind, members)| {
        let content = members
            .get("content")
            .is_some_and(|content| !content.is_object());
        let speaks = matches!(kind, Kind::Human | Kind::Ai) || value.get("lc").is_some();
        content && speaks
    })
}

/// The id of a message.
pub(super) fn id(value: &Value) -> Option<&str> {
    let holders = ["/kwargs/id", "/data/id", "/id"];
    holders
        .into_iter()
        .find_map(|holder| value.pointer(holder)?.as_str())
}

/// Whether a message takes another one back.
pub(super) fn removes(value: &Value) -> bool {
    matches!(spelled(value), Some((Kind::Remove, _)))
}

/// The words of a message that is the person's.
pub(super) fn person(value: &Value) -> Option<String> {
    match spelled(value)? {
        (Kind::Human, members) => Some(text_of(members.get("content"))),
        _ => None,
    }
}

/// Writes one message.
pub(in crate::import) fn message(pen: &mut Pen, value: &Value, at: &At) {
    let Some((kind, members)) = spelled(value) else {
        // A message in a provider's own shape is one as well.
        return pen.message(value.clone(), at, 0);
    };
    let members = members.as_ref();
    let content = content(members.get("content"));
    if let Some(name) = word(members, "name").filter(|_| matches!(kind, Kind::Human | Kind::Ai)) {
        let says = "the names of speakers are not kept";
        pen.count("name_not_kept", name, says, at);
    }
    match kind {
        Kind::Human => pen.user(&content, at, 0),
        Kind::System(role) => {
            let said = members.pointer("/additional_kwargs/__openai_role__");
            let role = said.and_then(Value::as_str).unwrap_or(role);
            pen.system(role, &content, at, 0);
        }
        Kind::Ai => {
            let (message, _, reply) = answer(members);
            pen.reply(&message, reply, at);
        }
        Kind::Tool => {
            let artifact = members
                .get("artifact")
                .filter(|artifact| !artifact.is_null());
            let outcome = Outcome {
                call: word(members, "tool_call_id").unwrap_or_default(),
                function: word(members, "name").unwrap_or_default(),
                content,
                failed: word(members, "status") == Some("error"),
                // Kept by the program and not sent.
                details: artifact
                    .map(|artifact| json!({ "artifact": artifact }))
                    .unwrap_or_default(),
            };
            pen.result(outcome, at, 0);
        }
        Kind::Chat => {
            let role = members.get("role");
            pen.message(json!({"role": role, "content": content}), at, 0);
        }
        Kind::Remove => {}
        Kind::Placeholder => {
            let says = "placeholders of a template hold no messages here and are kept aside";
            pen.count("placeholder", "", says, at);
            pen.aside("placeholder", &text_of(Some(&content)), None, 0);
        }
    }
}
