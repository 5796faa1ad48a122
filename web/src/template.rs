//! Edits of a template, and its text as the page writes it: one block a line.

use serde_json::{Map, Value, json};

/// Block types that may stand once, in the order the list offers them.
pub const TYPES: [&str; 8] = [
    "slot", "inline", "memory", "skills", "history", "lead", "tail", "input",
];

/// Slots a template can place.
pub const SLOTS: [&str; 3] = ["system_prompt", "character", "persona"];

/// Names every template may use.
pub const BUILT_INS: [&str; 5] = ["agent", "user", "workspace", "date", "conversation_kind"];

/// The blocks of a template that has a list of them.
pub fn blocks(template: &Value) -> &[Value] {
    template
        .get("blocks")
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// A block's type, or nothing.
pub fn kind(block: &Value) -> &str {
    block
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Moves a block; beyond an end it stays.
pub fn shift(template: &mut Value, index: usize, to: usize) {
    if let Some(Value::Array(blocks)) = template.get_mut("blocks")
        && index < blocks.len()
        && to < blocks.len()
    {
        let block = blocks.remove(index);
        blocks.insert(to, block);
    }
}

/// Takes a block out.
pub fn remove(template: &mut Value, index: usize) {
    if let Some(Value::Array(blocks)) = template.get_mut("blocks")
        && index < blocks.len()
    {
        blocks.remove(index);
    }
}

/// Adds a block where the grammar wants it: a slot or a system text in the leading run, the rest
/// just ahead of the input.
pub fn add(template: &mut Value, block: Value) {
    let leading = matches!(kind(&block), "slot");
    if let Some(Value::Array(blocks)) = template.get_mut("blocks") {
        let at = if leading {
            blocks
                .iter()
                .rposition(|one| kind(one) == "slot")
                .map_or(0, |last| last + 1)
        } else {
            blocks
                .iter()
                .position(|one| kind(one) == "input")
                .unwrap_or(blocks.len())
        };
        blocks.insert(at, block);
    }
}

/// What can still be added: a label and the block.
pub fn addable(template: &Value) -> Vec<(String, Value)> {
    let present = blocks(template);
    let mut out = Vec::new();
    for slot in SLOTS {
        if !present
            .iter()
            .any(|one| kind(one) == "slot" && one.get("slot").and_then(Value::as_str) == Some(slot))
        {
            out.push((
                format!("slot {slot}"),
                json!({ "type": "slot", "slot": slot }),
            ));
        }
    }
    out.push((
        "inline".to_owned(),
        json!({ "type": "inline", "role": "developer", "text": "…" }),
    ));
    for single in ["memory", "skills", "history", "lead", "tail", "input"] {
        if !present.iter().any(|one| kind(one) == single) {
            out.push((single.to_owned(), json!({ "type": single })));
        }
    }
    out
}

/// Sets or clears a member of a block.
pub fn set(template: &mut Value, index: usize, key: &str, value: Value) {
    if let Some(Value::Object(block)) = template
        .get_mut("blocks")
        .and_then(|blocks| blocks.get_mut(index))
    {
        if value.is_null() {
            block.shift_remove(key);
        } else {
            block.insert(key.to_owned(), value);
        }
    }
}

/// Sets or clears a member of a history block's budget.
pub fn set_budget(template: &mut Value, index: usize, key: &str, value: Value) {
    let mut budget = blocks(template)
        .get(index)
        .and_then(|block| block.get("budget"))
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    if value.is_null() {
        budget.shift_remove(key);
    } else {
        budget.insert(key.to_owned(), value);
    }
    let budget = if budget.is_empty() {
        Value::Null
    } else {
        Value::Object(budget)
    };
    set(template, index, "budget", budget);
}

/// Declares a variable.
pub fn declare(template: &mut Value, name: &str, default: &str) {
    if let Value::Object(root) = template {
        if !root.get("variables").is_some_and(Value::is_object) {
            let mut with = Map::new();
            with.insert("variables".to_owned(), json!({}));
            with.extend(
                std::mem::take(root)
                    .into_iter()
                    .filter(|(key, _)| key != "variables"),
            );
            *root = with;
        }
        if let Some(Value::Object(variables)) = root.get_mut("variables") {
            variables.insert(name.to_owned(), json!(default));
        }
    }
}

/// Takes out what a pointer names; an index of the root or of nothing changes nothing.
pub fn take_out(template: &mut Value, pointer: &str) {
    let Some((parent, last)) = pointer.rsplit_once('/') else {
        return;
    };
    let last = last.replace("~1", "/").replace("~0", "~");
    match template.pointer_mut(parent) {
        Some(Value::Array(list)) => {
            if let Ok(index) = last.parse::<usize>()
                && index < list.len()
            {
                list.remove(index);
            }
        }
        Some(Value::Object(map)) => {
            map.shift_remove(&last);
        }
        _ => {}
    }
}

/// Characters beyond which a block takes a line for each member.
const LINE: usize = 52;

/// The text: variables on one line, one block a line; a long block a member a line.
pub fn text(template: &Value) -> String {
    let Value::Object(root) = template else {
        return spaced(template);
    };
    let mut parts = Vec::new();
    for (key, value) in root {
        let name = Value::String(key.clone());
        match value {
            Value::Array(list) if key == "blocks" && !list.is_empty() => {
                let lines: Vec<String> = list
                    .iter()
                    .map(|block| format!("    {}", block_text(block)))
                    .collect();
                parts.push(format!("  {name}: [\n{}\n  ]", lines.join(",\n")));
            }
            _ => parts.push(format!("  {name}: {}", spaced(value))),
        }
    }
    if parts.is_empty() {
        "{}".to_owned()
    } else {
        format!("{{\n{}\n}}", parts.join(",\n"))
    }
}

/// One block, on a line where it is short.
fn block_text(block: &Value) -> String {
    let line = spaced(block);
    match block {
        Value::Object(map) if line.chars().count() > LINE => {
            let members: Vec<String> = map
                .iter()
                .map(|(key, value)| format!("{}: {}", Value::String(key.clone()), spaced(value)))
                .collect();
            format!("{{ {} }}", members.join(",\n      "))
        }
        _ => line,
    }
}

/// JSON on one line with a space where the eye wants one.
fn spaced(value: &Value) -> String {
    match value {
        Value::Array(list) if !list.is_empty() => {
            format!(
                "[{}]",
                list.iter().map(spaced).collect::<Vec<_>>().join(", ")
            )
        }
        Value::Object(map) if !map.is_empty() => {
            let members: Vec<String> = map
                .iter()
                .map(|(key, value)| format!("{}: {}", Value::String(key.clone()), spaced(value)))
                .collect();
            format!("{{ {} }}", members.join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn sample() -> Value {
        json!({ "blocks": [{ "type": "slot", "slot": "persona" }, { "type": "history" }, { "type": "input" }] })
    }

    #[test]
    fn the_text_reads_back_as_what_was_written() {
        let mut template = sample();
        declare(&mut template, "scene", "a \"quiet\" day");
        let written = text(&template);
        assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), template);
        assert!(
            written.starts_with("{\n  \"variables\": { \"scene\": "),
            "{written}"
        );
        assert_eq!(written.lines().count(), 8);
        assert_eq!(text(&json!({})), "{}");
        assert_eq!(text(&json!([])), "[]");
    }

    #[test]
    fn blocks_are_added_where_the_grammar_wants_them() {
        let mut template = sample();
        add(
            &mut template,
            json!({ "type": "slot", "slot": "character" }),
        );
        add(&mut template, json!({ "type": "tail" }));
        let order: Vec<&str> = blocks(&template).iter().map(kind).collect();
        assert_eq!(order, ["slot", "slot", "history", "tail", "input"]);
        assert!(
            !addable(&template)
                .iter()
                .any(|(label, _)| label == "tail" || label == "slot character")
        );
    }

    #[test]
    fn a_pointer_takes_out_what_it_names() {
        let mut template = json!({ "variables": { "a/b": "" }, "blocks": [{ "type": "memory", "foo": 1 }, { "type": "input" }] });
        take_out(&mut template, "/blocks/0/foo");
        take_out(&mut template, "/variables/a~1b");
        take_out(&mut template, "/blocks/7");
        take_out(&mut template, "/");
        assert_eq!(
            template,
            json!({ "variables": {}, "blocks": [{ "type": "memory" }, { "type": "input" }] })
        );
    }

    #[test]
    fn an_empty_budget_is_no_budget() {
        let mut template = sample();
        set_budget(&mut template, 1, "min_tokens", json!(1024));
        assert_eq!(
            template["blocks"][1],
            json!({ "type": "history", "budget": { "min_tokens": 1024 } })
        );
        set_budget(&mut template, 1, "min_tokens", Value::Null);
        assert_eq!(template["blocks"][1], json!({ "type": "history" }));
    }

    #[test]
    fn moving_past_an_end_changes_nothing() {
        let mut template = sample();
        shift(&mut template, 0, 3);
        assert_eq!(template, sample());
        shift(&mut template, 0, 1);
        assert_eq!(kind(&blocks(&template)[0]), "history");
    }
}
