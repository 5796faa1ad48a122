//! Definitions of functions.

use serde_json::Value;

use crate::transcript::AgentFunction;

use super::super::{any, word};
use super::Reader;

impl Reader {
    /// Reads tool definitions in any wire's spelling.
    pub fn tools(&mut self, list: Option<&Value>, pointer: &str) {
        let list = match list {
            None | Some(Value::Null) => return,
            Some(list) => list.as_array().map(Vec::as_slice).unwrap_or_default(),
        };
        for (index, item) in list.iter().enumerate() {
            let pointer = format!("{pointer}/{index}");
            let several = any(
                item,
                &["functionDeclarations", "function_declarations", "tools"],
            );
            match several.filter(|several| several.is_array()) {
                Some(several) => self.tools(Some(several), &pointer),
                None => self.tool(item, &pointer),
            }
        }
    }

    fn tool(&mut self, item: &Value, pointer: &str) {
        let kind = word(item, "type").unwrap_or_default();
        let inner = item.get(kind).filter(|inner| inner.is_object());
        let inner = inner.unwrap_or(item);
        let function = inner
            .get("function")
            .filter(|function| function.is_object());
        let inner = function.unwrap_or(inner);
        let built_in = word(inner, "type").filter(|word| !matches!(*word, "function" | "custom"));
        // A tool of the provider's own is one key in some shapes: `{"googleSearch": {}}`.
        let lone = item.as_object().filter(|members| members.len() == 1);
        let lone = lone.and_then(|members| members.iter().find(|(_, value)| value.is_object()));
        let name = word(inner, "name")
            .or(built_in)
            .or(lone.map(|(key, _)| key.as_str()));
        let Some(name) = name else {
            return self.note("tool_unreadable", pointer, "a tool needs a name");
        };
        let parameters = any(
            inner,
            &[
                "parameters",
                "input_schema",
                "inputSchema",
                "parametersJsonSchema",
                "parameters_json_schema",
            ],
        );
        self.imported.tools.push(AgentFunction {
            name: name.to_owned(),
            description: word(inner, "description").unwrap_or_default().to_owned(),
            parameters: parameters.cloned().unwrap_or_default(),
            label: None,
            execution_mode: None,
        });
    }
}
