//! The body while it is changed. What goes leaves a hole, so that every place stays where it was read.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::super::{Shape, word};

/// A body as it was and as it is now.
#[derive(Debug)]
pub(super) struct Work {
    was: Value,
    now: Value,
    list: &'static str,
    holes: BTreeSet<String>,
    put: Vec<(usize, Value)>,
}

impl Work {
    pub fn new(body: Value, list: &'static str) -> Self {
        Self {
            now: body.clone(),
            was: body,
            list,
            holes: BTreeSet::new(),
            put: Vec::new(),
        }
    }

    /// What stands at a place now.
    pub fn get(&self, pointer: &str) -> &Value {
        self.now.pointer(pointer).unwrap_or(&Value::Null)
    }

    /// Where else in an item a call of this id stands.
    pub fn copies(&self, item: usize, id: &str) -> Vec<String> {
        let lists = [
            "content",
            "tool_calls",
            "invalid_tool_calls",
            "additional_kwargs/tool_calls",
        ];
        let mut found = Vec::new();
        for list in lists {
            let place = format!("{}/{list}", self.item(item));
            let held = self.was.pointer(&place).and_then(Value::as_array);
            for (index, one) in held.into_iter().flatten().enumerate() {
                let known = ["id", "call_id"]
                    .iter()
                    .any(|key| word(one, key) == Some(id));
                if known {
                    found.push(format!("{place}/{index}"));
                }
            }
        }
        found
    }

    /// Whether the body is the list itself.
    pub fn is_list(&self) -> bool {
        self.list.is_empty()
    }

    /// How many items the list had.
    pub fn items(&self) -> usize {
        let list = self.was.pointer(self.list).and_then(Value::as_array);
        list.map_or(0, Vec::len)
    }

    /// The place of an item.
    pub fn item(&self, index: usize) -> String {
        format!("{}/{index}", self.list)
    }

    /// Takes out what stands at a place.
    pub fn drop(&mut self, pointer: &str) {
        if let Some(value) = self.now.pointer_mut(pointer) {
            *value = Value::Null;
            self.holes.insert(pointer.to_owned());
        }
    }

    /// Whether a place, or one that it is in, is empty now.
    pub fn gone(&self, pointer: &str) -> bool {
        let ends = pointer.match_indices('/').map(|(end, _)| end);
        let within = ends.filter_map(|end| pointer.get(..end));
        within
            .chain([pointer])
            .any(|place| self.holes.contains(place))
    }

    /// Puts a value in a place.
    pub fn set(&mut self, pointer: &str, value: Value) {
        if let Some(place) = self.now.pointer_mut(pointer) {
            *place = value;
        }
    }

    /// Sets a member of the object at a place.
    pub fn member(&mut self, pointer: &str, key: &str, value: Value) {
        let place = self.now.pointer_mut(pointer);
        if let Some(members) = place.and_then(Value::as_object_mut) {
            members.insert(key.to_owned(), value);
        }
    }

    /// Adds to the list at a place; not to that of the messages.
    pub fn push(&mut self, pointer: &str, value: Value) {
        let place = self.now.pointer_mut(pointer);
        if let Some(items) = place.and_then(Value::as_array_mut) {
            items.push(value);
        }
    }

    /// Says another text where one stands, be it a part or a string alone.
    pub fn say(&mut self, pointer: &str, text: &str) {
        match self.now.pointer_mut(pointer) {
            Some(Value::Object(members)) => {
                let key = ["text", "content"]
                    .into_iter()
                    .find(|key| members.contains_key(*key));
                members.insert(key.unwrap_or("text").to_owned(), json!(text));
            }
            Some(value) => *value = json!(text),
            None => {}
        }
    }

    /// Puts an item before the one at this index, and before what was put there.
    pub fn insert(&mut self, index: usize, value: Value) {
        self.put.insert(0, (index, value));
    }

    /// What makes of the body that was the one that is; `None` for nothing.
    pub fn patch(mut self, shape: Shape) -> Option<Value> {
        for index in 0..self.items() {
            let pointer = self.item(index);
            let was = self.was.pointer(&pointer);
            if let (Some(was), Some(now)) = (was, self.now.pointer_mut(&pointer)) {
                close(was, now, shape);
            }
        }
        self.differs(&self.was, &self.now, "")
    }

    /// What is put before an item of the list at this place, when that is the messages'.
    fn put_before(&self, index: usize, at: &str) -> impl Iterator<Item = Value> {
        let put = self.put.iter().filter(move |(place, _)| *place == index);
        let here = at == self.list;
        put.filter(move |_| here)
            .map(|(_, value)| json!({ "put": value }))
    }

    fn differs(&self, was: &Value, now: &Value, at: &str) -> Option<Value> {
        match (was, now) {
            // What lacks a member is another object, not a changed one.
            (Value::Object(was), Value::Object(now))
                if was.keys().all(|key| now.contains_key(key)) =>
            {
                let mut members = Map::new();
                for (key, now) in now {
                    let inner = format!("{at}/{}", crate::refusal::pointer_key(key));
                    match was.get(key) {
                        None if now.is_null() => {}
                        None => {
                            members.insert(key.clone(), json!({ "set": now }));
                        }
                        Some(was) if now.is_null() && !was.is_null() => {
                            members.insert(key.clone(), Value::Null);
                        }
                        Some(was) => {
                            let patch = self.differs(was, now, &inner);
                            members.extend(patch.map(|patch| (key.clone(), patch)));
                        }
                    }
                }
                (!members.is_empty()).then(|| json!({ "members": members }))
            }
            (Value::Array(was), Value::Array(now)) => {
                let mut changed = now.len() != was.len();
                let mut items = Vec::new();
                for (index, now) in now.iter().enumerate() {
                    items.extend(self.put_before(index, at));
                    let Some(was) = was.get(index) else {
                        items.push(json!({ "put": now }));
                        continue;
                    };
                    if now.is_null() && !was.is_null() {
                        changed = true;
                        continue;
                    }
                    items.push(match self.differs(was, now, &format!("{at}/{index}")) {
                        Some(patch) => {
                            changed = true;
                            json!([index, patch])
                        }
                        None => json!(index),
                    });
                }
                items.extend(self.put_before(now.len(), at));
                changed |= at == self.list && !self.put.is_empty();
                changed.then(|| json!({ "items": items }))
            }
            _ => (was != now).then(|| json!({ "set": now })),
        }
    }
}

/// A list of which nothing is left goes whole; where a message needs its content, it is empty.
fn close(was: &Value, now: &mut Value, shape: Shape) {
    match (was, now) {
        (Value::Object(was), Value::Object(now)) => {
            for (key, now) in now.iter_mut() {
                let Some(was) = was.get(key) else { continue };
                close(was, now, shape);
                let left = now
                    .as_array()
                    .is_some_and(|items| items.iter().any(|item| !item.is_null()));
                let had = was
                    .as_array()
                    .is_some_and(|items| items.iter().any(|item| !item.is_null()));
                if had && now.is_array() && !left {
                    *now = match (shape, key.as_str()) {
                        (Shape::LangChain, "content") => json!(""),
                        _ => Value::Null,
                    };
                }
            }
        }
        (Value::Array(was), Value::Array(now)) => {
            for (was, now) in was.iter().zip(now) {
                close(was, now, shape);
            }
        }
        _ => {}
    }
}
