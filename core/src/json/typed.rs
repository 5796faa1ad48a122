//! From a JSON value to a type, with the place of what does not fit as a JSON pointer (RFC 6901).
//!
//! ```
//! #[derive(Debug, serde::Deserialize)]
//! #[serde(deny_unknown_fields)]
//! struct Bounds { #[allow(dead_code)] max_entries: u32 }
//! let misfit = galley_core::json::typed::<Bounds>(&serde_json::json!({"max": 1})).unwrap_err();
//! assert_eq!(misfit.pointer, "/max");
//! ```

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use crate::refusal::{Refusal, pointer_key};

/// What does not fit its type, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// JSON pointer of the member; `""` is the whole value. An unknown field's pointer ends in its name,
    /// a missing field's is the object that lacks it.
    pub pointer: String,
    /// What was found and what was expected.
    pub message: String,
}

impl Misfit {
    /// The same place and words as a refusal.
    pub fn refusal(self, code: &str) -> Refusal {
        Refusal::new(code, self.message).at(self.pointer)
    }
}

/// Reads a value as `T`. Inside flattened structs and tagged or untagged enums the pointer stops at the
/// outermost member that is buffered, as far as serde can see.
pub fn typed<T: DeserializeOwned>(value: &Value) -> Result<T, Misfit> {
    serde_path_to_error::deserialize(value).map_err(|error| Misfit {
        pointer: pointer(error.path()),
        message: error.inner().to_string(),
    })
}

fn pointer(path: &Path) -> String {
    let mut pointer = String::new();
    for segment in path.iter() {
        match segment {
            Segment::Seq { index } => pointer.push_str(&format!("/{index}")),
            Segment::Map { key } => pointer.push_str(&format!("/{}", pointer_key(key))),
            Segment::Enum { variant } => pointer.push_str(&format!("/{}", pointer_key(variant))),
            Segment::Unknown => break,
        }
    }
    pointer
}

/// The value at a JSON pointer, taken out of its object or list; `None` when there is none, or when the
/// pointer is the whole value.
pub fn take(value: &mut Value, pointer: &str) -> Option<Value> {
    let (parent, last) = pointer.rsplit_once('/')?;
    match value.pointer_mut(parent)? {
        Value::Object(members) => members.shift_remove(&last.replace("~1", "/").replace("~0", "~")),
        Value::Array(items) => {
            let index: usize = last.parse().ok()?;
            (index < items.len()).then(|| items.remove(index))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Outer {
        #[serde(default)]
        list: Vec<Inner>,
        #[serde(default)]
        map: std::collections::BTreeMap<String, Option<Inner>>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Inner {
        count: u32,
    }

    #[test]
    fn the_pointer_names_the_member_that_does_not_fit() {
        for (value, pointer, word) in [
            (json!(3), "", "integer `3`"),
            (json!({"extra": 1}), "/extra", "unknown field `extra`"),
            (json!({"a/b~c": 1}), "/a~1b~0c", "unknown field"),
            (json!({"list": {}}), "/list", "expected a sequence"),
            (
                json!({"list": [{"count": 1}, {"count": "x"}]}),
                "/list/1/count",
                "expected u32",
            ),
            (
                json!({"list": [{"count": 1, "nope": 0}]}),
                "/list/0/nope",
                "unknown field",
            ),
            (json!({"list": [{}]}), "/list/0", "missing field `count`"),
            (
                json!({"map": {"k/ey": {"count": -1}}}),
                "/map/k~1ey/count",
                "integer `-1`",
            ),
        ] {
            let misfit = typed::<Outer>(&value).unwrap_err();
            assert_eq!(misfit.pointer, pointer, "{value}");
            assert!(misfit.message.contains(word), "{value}: {}", misfit.message);
        }
    }

    #[test]
    fn a_member_is_taken_out_at_its_pointer() {
        let mut value = json!({"a": [1, {"b/c": 2}, 3], "z": null});
        assert_eq!(take(&mut value, "/a/1/b~1c"), Some(json!(2)));
        assert_eq!(take(&mut value, "/a/0"), Some(json!(1)));
        assert_eq!(take(&mut value, "/a/9"), None);
        assert_eq!(take(&mut value, "/nowhere/9"), None);
        assert_eq!(take(&mut value, ""), None);
        assert_eq!(value, json!({"a": [{}, 3], "z": null}));
    }
}
