//! The assembly template: ordered blocks and declared variables.
//!
//! ```
//! let template = serde_json::json!({"blocks": [{"type": "history"}, {"type": "lead"}]});
//! let refusal = galley_core::template::check(&template).unwrap();
//! assert_eq!((refusal.path.as_deref(), refusal.detail.as_deref()), (Some("/blocks"), Some("input")));
//! ```

mod grammar;
pub mod macros;

pub use grammar::{MAX_BLOCKS, MAX_BYTES, MAX_ENTRIES, MAX_VARIABLES, parse};

use indexmap::IndexMap;
use serde_json::{Value, json};

use crate::refusal::Refusal;
use crate::role::Role;

/// A template that passed the grammar.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    /// Blocks in order; the last one is the input.
    pub blocks: Vec<Block>,
    /// Declared variables with their defaults.
    pub variables: IndexMap<String, String>,
}

/// One block.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A registered document's place.
    Slot(Slot),
    /// A text of the template.
    Inline {
        /// Its role.
        role: Role,
        /// Its text, macros not yet rendered.
        text: String,
    },
    /// The memory block.
    Memory,
    /// The skills list.
    Skills,
    /// The caller's text before the words.
    Lead,
    /// The caller's text after it.
    Tail,
    /// The conversation so far.
    History(History),
    /// The words.
    Input,
}

/// A place for a registered document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The answering agent's.
    SystemPrompt,
    /// The workspace's.
    Character,
    /// The person's.
    Persona,
}

impl Slot {
    /// Every slot, in the default order.
    pub const ALL: [Self; 3] = [Self::SystemPrompt, Self::Character, Self::Persona];

    /// The contract's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SystemPrompt => "system_prompt",
            Self::Character => "character",
            Self::Persona => "persona",
        }
    }

    /// The slot a word names.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|slot| slot.as_str() == word)
    }
}

/// The template's bounds on history.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct History {
    /// Most segments, 1 to 200.
    pub max_entries: Option<u64>,
    /// Share of the planning window, above 0 and at most 1.
    pub share: Option<f64>,
    /// Tokens without which history is left out.
    pub min_tokens: Option<u64>,
    /// Tokens it never exceeds.
    pub max_tokens: Option<u64>,
}

impl Block {
    /// The type's word.
    pub fn type_word(&self) -> &'static str {
        match self {
            Self::Slot(_) => "slot",
            Self::Inline { .. } => "inline",
            Self::Memory => "memory",
            Self::Skills => "skills",
            Self::Lead => "lead",
            Self::Tail => "tail",
            Self::History(_) => "history",
            Self::Input => "input",
        }
    }

    /// The block's key; an inline is keyed by its index in the whole list.
    pub fn key(&self, index: usize) -> String {
        match self {
            Self::Slot(slot) => format!("slot:{}", slot.as_str()),
            Self::Inline { .. } => format!("inline:{index}"),
            other => other.type_word().to_owned(),
        }
    }
}

impl Template {
    /// The order without a template of one's own.
    pub fn default_order() -> Self {
        let mut blocks: Vec<Block> = Slot::ALL.into_iter().map(Block::Slot).collect();
        blocks.extend([
            Block::Memory,
            Block::Skills,
            Block::History(History::default()),
            Block::Lead,
            Block::Tail,
            Block::Input,
        ]);
        Self {
            blocks,
            variables: IndexMap::new(),
        }
    }

    /// Where history stands.
    pub fn history(&self) -> Option<(usize, History)> {
        self.blocks
            .iter()
            .enumerate()
            .find_map(|(index, block)| match block {
                Block::History(history) => Some((index, *history)),
                _ => None,
            })
    }

    /// The same order with all of history.
    pub fn without_bounds(mut self) -> Self {
        for block in &mut self.blocks {
            if let Block::History(history) = block {
                *history = History::default();
            }
        }
        self
    }
}

/// The default order as a template someone could write.
pub fn default_order_json() -> Value {
    json!({"blocks": [
        {"type": "slot", "slot": "system_prompt"},
        {"type": "slot", "slot": "character"},
        {"type": "slot", "slot": "persona"},
        {"type": "memory"},
        {"type": "skills"},
        {"type": "history"},
        {"type": "lead"},
        {"type": "tail"},
        {"type": "input"},
    ]})
}

/// The first fault of a template, or none.
pub fn check(template: &Value) -> Option<Refusal> {
    parse(template).err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_order_passes_the_grammar() {
        assert_eq!(
            parse(&default_order_json()).unwrap(),
            Template::default_order()
        );
    }

    #[test]
    fn an_inline_is_keyed_by_its_place_in_the_whole_list() {
        let template = parse(&json!({"blocks": [
            {"type": "slot", "slot": "system_prompt"},
            {"type": "inline", "role": "system", "text": "x"},
            {"type": "history"},
            {"type": "input"},
        ]}))
        .unwrap();
        let keys: Vec<_> = template
            .blocks
            .iter()
            .enumerate()
            .map(|(i, b)| b.key(i))
            .collect();
        assert_eq!(keys, ["slot:system_prompt", "inline:1", "history", "input"]);
    }
}
