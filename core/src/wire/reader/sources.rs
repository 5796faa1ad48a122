//! Where in what was read each piece of the transcript stands.

use crate::transcript::Imported;

use super::Reader;

/// Where the pieces of a transcript stand, by JSON pointer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// The first system texts, one place for each.
    pub system: Vec<String>,
    /// The blocks of the messages, in the order they were read. A message that repeats another has none.
    pub blocks: Vec<Source>,
}

/// A place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Index of the message.
    pub message: usize,
    /// Index of the block; `None` for a result as a whole and for a message of which no block is read.
    pub block: Option<usize>,
    /// The place; that of the whole result for a block of one that has none of its own.
    pub pointer: String,
}

impl Reader {
    /// The same reader, which remembers where everything stands.
    pub fn traced(mut self) -> Self {
        self.sources = Some(Sources::default());
        self
    }

    /// The conversation, its unanswered calls told, and where everything stands if it was remembered.
    pub fn finish_traced(mut self) -> (Imported, Sources) {
        let sources = self.sources.take().unwrap_or_default();
        (self.finish(), sources)
    }

    /// The message that comes next stands here.
    pub(super) fn stands(&mut self, pointer: &str) {
        let message = self.imported.messages.len();
        self.stand(message, None, pointer);
    }

    pub(super) fn stand(&mut self, message: usize, block: Option<usize>, pointer: &str) {
        if let Some(sources) = &mut self.sources {
            sources.blocks.push(Source {
                message,
                block,
                pointer: pointer.to_owned(),
            });
        }
    }

    pub(super) fn system_stands(&mut self, pointers: Vec<String>) {
        if let Some(sources) = &mut self.sources {
            sources.system.extend(pointers);
        }
    }
}
