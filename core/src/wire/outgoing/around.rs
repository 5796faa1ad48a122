//! What stands around the messages of a request: system texts, functions, bounds.

use serde_json::{Value, json};

use crate::json::Notes;
use crate::refusal::Warning;
use crate::role::Role;
use crate::transcript::{AgentFunction, Imported, SystemPiece};

use super::Rules;
use super::pairs::plain;

/// The first system texts of a shape that has one place for them and no roles.
pub(in crate::wire) fn instructions(
    system: Vec<SystemPiece>,
    rules: &Rules,
    notes: &mut Notes,
) -> Vec<String> {
    let mut texts = Vec::new();
    for (index, piece) in system.into_iter().enumerate() {
        let at = format!("/system/{index}");
        if piece.role != Role::System {
            let message = "the operator and the developer are one there";
            notes.push(Warning::new("role_not_written", message).at(&*at));
        }
        match (rules.blank)(&piece.text) {
            true => {
                let message = "a text with nothing in it is not written";
                notes.push(Warning::new("blank_not_written", message).at(at));
            }
            false => texts.push(piece.text),
        }
    }
    texts
}

/// The functions, in names that the shape takes.
pub(in crate::wire) fn tools(
    imported: &Imported,
    rules: &Rules,
    notes: &mut Notes,
) -> Vec<AgentFunction> {
    let mut tools = Vec::new();
    for (index, tool) in imported.tools.iter().enumerate() {
        let name = plain(&tool.name, rules.names, "unknown");
        let at = format!("/tools/{index}");
        if name != tool.name {
            let message = format!("{:?} is not taken there; it is {name:?}", tool.name);
            notes.push(Warning::new("renamed", message).at(&*at));
        }
        if tool.label.is_some() || tool.execution_mode.is_some() {
            let message = "a function's label and mode have no place there";
            notes.push(Warning::new("details_not_written", message).at(at));
        }
        let tool = tool.clone();
        tools.push(AgentFunction { name, ..tool });
    }
    tools
}

/// The schema of a function where one is due.
pub(in crate::wire) fn schema(index: usize, parameters: &Value, notes: &mut Notes) -> Value {
    if parameters.is_object() {
        return parameters.clone();
    }
    let message = "a function has a schema there; one that takes nothing is put in its place";
    notes.push(Warning::new("schema_added", message).at(format!("/tools/{index}")));
    json!({"type": "object", "properties": {}})
}

/// The bound of the answer where one is due: that of the request the file was, else a plain one.
pub(in crate::wire) fn max_tokens(imported: &Imported, notes: &mut Notes) -> u64 {
    let own = imported
        .request
        .as_ref()
        .and_then(|request| request.get("max_tokens")?.as_u64());
    own.unwrap_or_else(|| {
        let message = "an answer has a bound there; 4096 tokens are put, set what the model allows";
        notes.push(Warning::new("max_tokens_added", message));
        4096
    })
}

/// Tells what the request that the file was held beside its messages.
pub(super) fn options(imported: &Imported, rules: &Rules, notes: &mut Notes) {
    const READ: [&str; 10] = [
        "model",
        "messages",
        "input",
        "contents",
        "system",
        "instructions",
        "systemInstruction",
        "system_instruction",
        "tools",
        "functions",
    ];
    let members = imported.request.as_ref().and_then(Value::as_object);
    let names = members.into_iter().flatten().map(|(key, _)| key.as_str());
    let read = |key: &&str| READ.contains(key) || rules.options.contains(key);
    let others: Vec<&str> = names.filter(|key| !read(key)).collect();
    if !others.is_empty() {
        let message = format!(
            "the options of the request are not written: {}",
            others.join(", ")
        );
        notes.push(Warning::new("options_not_written", message));
    }
}
