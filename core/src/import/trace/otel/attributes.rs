//! Attributes of a span, whatever container they came in: one flat map of names to plain values.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::import::record::word;

/// How many segments of a name are looked at; the rest is one.
const DEEP: usize = 16;

/// Attributes out of a list of `{key, value}`, where a value says its type, or of a plain map.
pub(super) fn attributes(value: Option<&Value>) -> Map<String, Value> {
    match value {
        Some(Value::Object(members)) => members.clone(),
        Some(Value::Array(items)) => {
            let named = items.iter().filter_map(|item| {
                let value = item.get("value").map(plain).unwrap_or_default();
                Some((word(item, "key")?.to_owned(), value))
            });
            named.collect()
        }
        _ => Map::new(),
    }
}

/// A value that says its type, without it.
pub(super) fn plain(value: &Value) -> Value {
    let Value::Object(members) = value else {
        return value.clone();
    };
    let spelled = |camel: &str, snake: &str| members.get(camel).or_else(|| members.get(snake));
    if let Some(list) = spelled("arrayValue", "array_value") {
        let items = list.get("values").and_then(Value::as_array);
        return items.into_iter().flatten().map(plain).collect();
    }
    if let Some(list) = spelled("kvlistValue", "kvlist_value") {
        return Value::Object(attributes(list.get("values")));
    }
    if let Some(number) = spelled("intValue", "int_value") {
        let read = number.as_str().and_then(|text| text.parse::<i64>().ok());
        return read.map_or_else(|| number.clone(), Value::from);
    }
    let others = [
        spelled("stringValue", "string_value"),
        spelled("doubleValue", "double_value"),
        spelled("boolValue", "bool_value"),
        spelled("bytesValue", "bytes_value"),
    ];
    others
        .into_iter()
        .flatten()
        .next()
        .cloned()
        .unwrap_or_default()
}

/// The names under a prefix as one value: numbered segments are lists, whatever their order and gaps.
pub(super) fn nested(attributes: &Map<String, Value>, prefix: &str) -> Option<Value> {
    let under = attributes.iter().filter_map(|(name, value)| {
        let rest = name.strip_prefix(prefix)?.strip_prefix('.')?;
        Some((rest, value))
    });
    let under: Vec<(&str, &Value)> = under.collect();
    (!under.is_empty()).then(|| tree(&under, DEEP))
}

fn tree(under: &[(&str, &Value)], deep: usize) -> Value {
    let mut groups: BTreeMap<(u64, &str), Vec<(&str, &Value)>> = BTreeMap::new();
    let mut numbered = true;
    for (name, value) in under {
        let (head, rest) = match deep {
            0 => (*name, ""),
            _ => name.split_once('.').unwrap_or((name, "")),
        };
        let number = head.parse::<u64>();
        numbered &= number.is_ok();
        groups
            .entry((number.unwrap_or(0), head))
            .or_default()
            .push((rest, value));
    }
    let values = groups.into_iter().map(|((_, head), group)| {
        let own = group.iter().find(|(rest, _)| rest.is_empty());
        let value = match own {
            Some((_, value)) => (*value).clone(),
            None => tree(&group, deep.saturating_sub(1)),
        };
        (head.to_owned(), value)
    });
    match numbered {
        true => values.map(|(_, value)| value).collect(),
        false => Value::Object(values.collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_that_say_their_type_are_plain() {
        let list = json!([
            {"key": "a", "value": {"stringValue": "x"}},
            {"key": "b", "value": {"intValue": "12"}},
            {"key": "c", "value": {"arrayValue": {"values": [{"boolValue": true}, {"doubleValue": 1.5}]}}},
            {"key": "d", "value": {"kvlist_value": {"values": [{"key": "e", "value": {"int_value": 3}}]}}},
            {"key": "f", "value": {}},
            {"key": "tag", "type": "int64", "value": 7},
        ]);
        assert_eq!(
            Value::Object(attributes(Some(&list))),
            json!({"a": "x", "b": 12, "c": [true, 1.5], "d": {"e": 3}, "f": null, "tag": 7})
        );
    }

    #[test]
    fn numbered_names_are_lists_in_the_order_of_their_numbers() {
        let flat = json!({
            "p.10.role": "third", "p.2.calls.1.name": "g", "p.2.calls.0.name": "f", "p.0.role": "first",
            "p.2.role": "second", "pq.0": "other", "p": "own",
        });
        assert_eq!(
            nested(flat.as_object().unwrap(), "p"),
            Some(json!([
                {"role": "first"},
                {"calls": [{"name": "f"}, {"name": "g"}], "role": "second"},
                {"role": "third"},
            ]))
        );
        assert_eq!(nested(flat.as_object().unwrap(), "q"), None);
        let deep = format!("p{}", ".0".repeat(100_000));
        let flat = Map::from_iter([(deep, json!(1))]);
        assert!(nested(&flat, "p").is_some());
    }
}
