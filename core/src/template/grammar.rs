//! The grammar of an assembly template, and its refusals by JSON pointer.
//!
//! The first refusal wins: root object, size, stray root key, variables, the list of blocks, each block
//! in order (object, type, stray key, after input, once, the type's own rule), then the whole list.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::macros::{BUILT_INS, Sources};
use super::{Block, History, Slot, Template};
use crate::json::canonical;
use crate::refusal::{Refusal, pointer_key};
use crate::role::Role;

/// Most canonical bytes of a template.
pub const MAX_BYTES: u64 = 65_536;
/// Most blocks.
pub const MAX_BLOCKS: usize = 64;
/// Most variables.
pub const MAX_VARIABLES: usize = 32;
/// Largest `max_entries` of a history block; the smallest is 1.
pub const MAX_ENTRIES: u64 = 200;

/// Reads a template.
///
/// # Errors
/// `prompt_template_invalid` with the pointer of the first fault and a detail word.
pub fn parse(template: &Value) -> Result<Template, Refusal> {
    let Value::Object(root) = template else {
        return Err(fault(
            "/",
            "object",
            "a template is an object with `blocks`",
        ));
    };
    if canonical::value_bytes(template) > MAX_BYTES {
        return Err(fault(
            "/",
            "size",
            "a template holds at most 65,536 bytes of canonical JSON",
        ));
    }
    stray_key(root, "", &["blocks", "variables"])?;
    let variables = variables(root.get("variables"))?;
    let blocks = blocks(root.get("blocks"), &variables)?;
    Ok(Template { blocks, variables })
}

fn fault(path: &str, detail: &str, message: &str) -> Refusal {
    Refusal::new("prompt_template_invalid", message)
        .at(path)
        .detail(detail)
}

fn stray_key(object: &Map<String, Value>, path: &str, known: &[&str]) -> Result<(), Refusal> {
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => Err(fault(
            &format!("{path}/{}", pointer_key(key)),
            "key",
            &format!(
                "`{key}` does not belong here; known are {}",
                known.join(", ")
            ),
        )),
    }
}

/// `null` on an optional key reads as absent.
fn present<'v>(object: &'v Map<String, Value>, key: &str) -> Option<&'v Value> {
    object.get(key).filter(|value| !value.is_null())
}

fn variables(declared: Option<&Value>) -> Result<IndexMap<String, String>, Refusal> {
    let mut variables = IndexMap::new();
    let Some(declared) = declared.filter(|value| !value.is_null()) else {
        return Ok(variables);
    };
    let object = declared
        .as_object()
        .filter(|object| object.len() <= MAX_VARIABLES)
        .ok_or_else(|| {
            fault(
                "/variables",
                "object",
                "variables are an object of at most 32 names with a default each",
            )
        })?;
    for (name, default) in object {
        let path = format!("/variables/{}", pointer_key(name));
        if !is_name(name) {
            return Err(fault(
                &path,
                "name",
                "a variable's name is a lower-case letter, then lower-case letters, digits or `_`",
            ));
        }
        if BUILT_INS.contains(&name.as_str()) {
            return Err(fault(
                &path,
                "source",
                "this name is built in and has its own source; choose another",
            ));
        }
        let default = default.as_str().ok_or_else(|| {
            fault(
                &path,
                "string",
                "a variable's default is a string; it may be empty",
            )
        })?;
        variables.insert(name.clone(), default.to_owned());
    }
    Ok(variables)
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// What the blocks before one have settled.
struct Before {
    seen: Vec<String>,
    leading: bool,
}

fn blocks(
    list: Option<&Value>,
    variables: &IndexMap<String, String>,
) -> Result<Vec<Block>, Refusal> {
    let list = list
        .and_then(Value::as_array)
        .filter(|list| !list.is_empty() && list.len() <= MAX_BLOCKS)
        .ok_or_else(|| fault("/blocks", "list", "blocks are a list of 1 to 64 blocks"))?;
    let known = known_names(variables);
    let mut before = Before {
        seen: Vec::new(),
        leading: true,
    };
    let mut blocks = Vec::with_capacity(list.len());
    for (index, value) in list.iter().enumerate() {
        blocks.push(block(value, index, &mut before, &known)?);
    }
    if !matches!(blocks.last(), Some(Block::Input)) {
        return Err(fault(
            "/blocks",
            "input",
            "a template ends with its input block",
        ));
    }
    if !before.seen.iter().any(|key| key == "history") {
        return Err(fault(
            "/blocks",
            "history",
            "a template has one history block",
        ));
    }
    Ok(blocks)
}

fn known_names(variables: &IndexMap<String, String>) -> Sources {
    let mut known = Sources::default();
    for name in BUILT_INS
        .into_iter()
        .chain(variables.keys().map(String::as_str))
    {
        known.set(name, None);
    }
    known
}

fn block(
    value: &Value,
    index: usize,
    before: &mut Before,
    known: &Sources,
) -> Result<Block, Refusal> {
    let path = format!("/blocks/{index}");
    let object = value
        .as_object()
        .ok_or_else(|| fault(&path, "object", "a block is an object with a `type`"))?;
    let (word, keys): (&str, &[&str]) = match object.get("type").and_then(Value::as_str) {
        Some("slot") => ("slot", &["type", "slot"]),
        Some("inline") => ("inline", &["type", "role", "text"]),
        Some("memory") => ("memory", &["type"]),
        Some("skills") => ("skills", &["type"]),
        Some("lead") => ("lead", &["type"]),
        Some("tail") => ("tail", &["type"]),
        Some("history") => ("history", &["type", "max_entries", "budget"]),
        Some("input") => ("input", &["type"]),
        _ => {
            return Err(fault(
                &format!("{path}/type"),
                "type",
                "a block's type is slot, inline, memory, skills, lead, tail, history or input",
            ));
        }
    };
    stray_key(object, &path, keys)?;
    let seen = |key: &str, before: &Before| before.seen.iter().any(|other| other == key);
    if seen("input", before) {
        return Err(fault(
            &path,
            "after_input",
            "nothing follows the input block; move this one before it",
        ));
    }
    let key = match word {
        "slot" => format!(
            "slot:{}",
            object
                .get("slot")
                .and_then(Value::as_str)
                .unwrap_or_default()
        ),
        "inline" => format!("inline:{index}"),
        other => other.to_owned(),
    };
    if seen(&key, before) {
        return Err(fault(
            &path,
            "once",
            "this block stands in the template already; take one out",
        ));
    }
    let block = match word {
        "slot" => slot(object, &path, seen("history", before))?,
        "inline" => inline(object, &path, before.leading, known)?,
        "memory" => Block::Memory,
        "skills" => Block::Skills,
        "lead" => Block::Lead,
        "tail" => Block::Tail,
        "history" => Block::History(history(object, &path)?),
        _ => Block::Input,
    };
    before.leading &= matches!(
        block,
        Block::Slot(_)
            | Block::Inline {
                role: Role::System,
                ..
            }
    );
    before.seen.push(key);
    Ok(block)
}

fn slot(object: &Map<String, Value>, path: &str, after_history: bool) -> Result<Block, Refusal> {
    let slot = object
        .get("slot")
        .and_then(Value::as_str)
        .and_then(Slot::parse)
        .ok_or_else(|| {
            fault(
                &format!("{path}/slot"),
                "slot",
                "a slot is system_prompt, character or persona",
            )
        })?;
    if after_history {
        return Err(fault(
            path,
            "after_history",
            "a slot stands before history; move it up",
        ));
    }
    Ok(Block::Slot(slot))
}

fn inline(
    object: &Map<String, Value>,
    path: &str,
    leading: bool,
    known: &Sources,
) -> Result<Block, Refusal> {
    let role = object
        .get("role")
        .and_then(Value::as_str)
        .and_then(Role::parse)
        .ok_or_else(|| {
            fault(
                &format!("{path}/role"),
                "role",
                "an inline block's role is system, developer, user or assistant",
            )
        })?;
    if role == Role::System && !leading {
        return Err(fault(
            &format!("{path}/role"),
            "leading_run",
            "a system inline stands in the leading run of slots and system inlines; move it up or choose another role",
        ));
    }
    let path = format!("{path}/text");
    let text = object
        .get("text")
        .and_then(Value::as_str)
        .filter(|text| !text.trim().is_empty())
        .ok_or_else(|| {
            fault(
                &path,
                "text",
                "an inline block's text is a string that is not blank",
            )
        })?;
    if let Some(name) = known.first_unknown(text) {
        return Err(fault(
            &path,
            name,
            &format!(
                "`{name}` is not declared; declare it under variables or use agent, user, workspace, date or conversation_kind"
            ),
        ));
    }
    Ok(Block::Inline {
        role,
        text: text.to_owned(),
    })
}

fn history(object: &Map<String, Value>, path: &str) -> Result<History, Refusal> {
    let max_entries = match present(object, "max_entries") {
        None => None,
        Some(value) => Some(
            integer(value)
                .filter(|entries| (1..=MAX_ENTRIES).contains(entries))
                .ok_or_else(|| {
                    fault(
                        &format!("{path}/max_entries"),
                        "range",
                        "max_entries is an integer from 1 to 200",
                    )
                })?,
        ),
    };
    let mut history = History {
        max_entries,
        ..History::default()
    };
    let Some(budget) = present(object, "budget") else {
        return Ok(history);
    };
    let path = format!("{path}/budget");
    let budget = budget.as_object().ok_or_else(|| {
        fault(
            &path,
            "object",
            "a budget is an object with share, min_tokens or max_tokens",
        )
    })?;
    stray_key(budget, &path, &["share", "min_tokens", "max_tokens"])?;
    if let Some(value) = present(budget, "share") {
        let share = value
            .as_f64()
            .filter(|share| *share > 0.0 && *share <= 1.0)
            .ok_or_else(|| {
                fault(
                    &format!("{path}/share"),
                    "share",
                    "a share is a number above 0 and at most 1",
                )
            })?;
        history.share = Some(share);
    }
    let tokens = |key: &str| match present(budget, key) {
        None => Ok(None),
        Some(value) => integer(value).map(Some).ok_or_else(|| {
            fault(
                &format!("{path}/{key}"),
                "tokens",
                "tokens are an integer, 0 or more",
            )
        }),
    };
    history.min_tokens = tokens("min_tokens")?;
    history.max_tokens = tokens("max_tokens")?;
    if let (Some(min), Some(max)) = (history.min_tokens, history.max_tokens)
        && max < min
    {
        return Err(fault(
            &format!("{path}/max_tokens"),
            "below_min",
            "max_tokens is at least min_tokens",
        ));
    }
    Ok(history)
}

/// A non-negative integer; an integral float is one.
fn integer(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        value
            .as_f64()
            .filter(|float| float.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(float))
            .map(|float| float as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn detail(template: Value) -> Option<(String, String)> {
        parse(&template)
            .err()
            .map(|r| (r.path.unwrap_or_default(), r.detail.unwrap_or_default()))
    }

    fn at(path: &str, detail: &str) -> Option<(String, String)> {
        Some((path.to_owned(), detail.to_owned()))
    }

    #[test]
    fn every_fault_has_its_word() {
        let h = json!({"type": "history"});
        let i = json!({"type": "input"});
        let m = json!({"type": "memory"});
        let of = |blocks: Value| json!({ "blocks": blocks });
        for (template, expected) in [
            (json!(null), at("/", "object")),
            (
                json!({"blocks": [h, i], "allocation": {}}),
                at("/allocation", "key"),
            ),
            (
                json!({"blocks": [h, i], "a/b~c": {}}),
                at("/a~1b~0c", "key"),
            ),
            (json!({"blocks": 3}), at("/blocks", "list")),
            (of(json!(["history", i])), at("/blocks/0", "object")),
            (
                of(json!([{"type": "lorebook"}, i])),
                at("/blocks/0/type", "type"),
            ),
            (
                of(json!([{"type": "memory", "foo": 1}, h, i])),
                at("/blocks/0/foo", "key"),
            ),
            (
                of(json!([h, i, {"type": "tail"}])),
                at("/blocks/2", "after_input"),
            ),
            (of(json!([h])), at("/blocks", "input")),
            (of(json!([i])), at("/blocks", "history")),
            (of(json!([h, h, i])), at("/blocks/1", "once")),
            (
                of(json!([{"type": "slot", "slot": "summarizer"}, h, i])),
                at("/blocks/0/slot", "slot"),
            ),
            (
                of(json!([h, {"type": "slot", "slot": "persona"}, i])),
                at("/blocks/1", "after_history"),
            ),
            (
                of(json!([m, {"type": "inline", "role": "system", "text": "x"}, h, i])),
                at("/blocks/1/role", "leading_run"),
            ),
            (
                of(json!([{"type": "inline", "role": "user", "text": "{{mood}}"}, h, i])),
                at("/blocks/0/text", "mood"),
            ),
            (
                of(json!([{"type": "history", "max_entries": 201}, i])),
                at("/blocks/0/max_entries", "range"),
            ),
            (
                of(json!([{"type": "history", "budget": {"share": 1.5}}, i])),
                at("/blocks/0/budget/share", "share"),
            ),
            (
                of(json!([{"type": "history", "budget": {"min_tokens": -1}}, i])),
                at("/blocks/0/budget/min_tokens", "tokens"),
            ),
            (
                of(json!([{"type": "history", "budget": {"min_tokens": 10, "max_tokens": 5}}, i])),
                at("/blocks/0/budget/max_tokens", "below_min"),
            ),
            (
                json!({"blocks": [{"type": "nope"}], "variables": {"user": "x"}}),
                at("/variables/user", "source"),
            ),
            (
                json!({"blocks": [h, i], "variables": {"Scene": "x"}}),
                at("/variables/Scene", "name"),
            ),
            (
                json!({"blocks": [h, i], "variables": {"scene": null}}),
                at("/variables/scene", "string"),
            ),
            (
                of(json!([{"type": "inline", "role": "user", "text": "x".repeat(65_536)}, h, i])),
                at("/", "size"),
            ),
            (
                of(json!([{"type": "history", "max_entries": 5.0, "budget": null}, i])),
                None,
            ),
        ] {
            assert_eq!(detail(template.clone()), expected, "{template}");
        }
    }
}
