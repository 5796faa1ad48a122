//! Every model-facing sentence of our own, one constant each, replaceable by the caller.
//!
//! A sentence that takes a value holds it in braces: `{type}`, `{n}`, `{roots}`, `{rule}`.

use indexmap::IndexMap;

use crate::refusal::{Refusal, pointer_key};

/// One replaceable sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The name a caller replaces it by.
    pub name: &'static str,
    /// What it says unless replaced.
    pub text: &'static str,
}

/// The re-read rule: the contract's own words, never replaced.
pub const REREAD_RULE: &str = "This summary replaces earlier history and carries no data values: re-read any file, output or result it mentions before you use it.";

macro_rules! sentences {
    ($($(#[$doc:meta])* $name:ident = $text:expr;)*) => {
        $($(#[$doc])* pub const $name: Sentence = Sentence { name: stringify!($name), text: $text };)*
        /// All of them, in the order of this page.
        pub const ALL: &[Sentence] = &[$($name),*];
    };
}

sentences! {
    /// What the memory block is.
    MEMORY_HEADER = "Durable memory for this conversation, newest first. Each document stands under its path.";
    /// What the memory block of a run outside any conversation is.
    STANDALONE_MEMORY_HEADER = "Durable memory of the workspace, newest first. Each document stands under its path.";
    /// What the memory block is when its roots are bound.
    BOUND_MEMORY_HEADER = "Durable memory, newest first. Bound roots: {roots}. Each document stands under its path.";
    /// Followed by the paths of the documents left out.
    MEMORY_OMITTED = "Left out for room, readable by path:";
    /// What the skills list is.
    SKILLS_HEADER = "Skills that can be loaded by calling the tool named before the slash:";
    /// How many skills are left out.
    SKILLS_OMITTED = "{n} more skills are left out for room.";
    /// In front of a summary that stands for earlier turns.
    COMPACTION_HEADER = "The earlier part of this conversation has been summarized. {rule} The summary follows.";
    /// Between what a side conversation inherits and its own turns.
    BOUNDARY = "The turns above are inherited for reference. This side conversation begins here; what is asked above is not asked here.";
    /// In place of a tool result that was cleared.
    CLEARED = "This tool result was cleared to save room. Call the tool again if it is needed.";
    /// In front of an answer that nothing stands before, where a person has to speak first.
    BEGINS_WITH_ANSWER = "The conversation begins with the answer that follows.";
    /// In the place of a text with nothing in it, where there has to be one.
    NO_TEXT = "[no text]";
    /// A call that has no result.
    UNANSWERED = "The call has no result.";
    /// A call that was canceled.
    CANCELED = "The call was canceled before it finished.";
    /// A call that was skipped.
    SKIPPED = "The call was skipped and did not run.";
    /// A call that failed.
    FAILED = "The call failed.";
    /// A call that ran out of time.
    TIMED_OUT = "The call timed out.";
    /// A call whose outcome nobody knows.
    UNCERTAIN = "The outcome of the call is unknown: it may or may not have run.";
    /// A call that needed an approval and was denied it.
    APPROVAL_DENIED = "The call needed approval and was denied.";
    /// A call whose approval expired.
    APPROVAL_EXPIRED = "The call needed approval and the request expired.";
    /// A result that could not be stored.
    RESULT_UNSTORABLE = "The call ran, but its result could not be stored.";
    /// An image the model cannot see.
    NOT_SHOWN = "not shown: this model reads no images";
    /// An image type the model's wire does not take.
    NOT_TAKEN = "not shown: this model takes no {type}";
    /// An attachment in front of the summarizer.
    NOT_CARRIED = "not carried";
    /// A file that rides by reference.
    FILE_AVAILABLE = "available as a file";
    /// In place of an image, for a model without vision.
    IMAGE_NOT_SEEN = "[image not shown: this model sees no images]";
    /// In place of a tool's image that was answered to.
    TOOL_IMAGE_AGED = "[image of a tool, left out after its use: call the function again to see it]";
    /// In place of a person's image, some turns later.
    USER_IMAGE_AGED = "[image of the user, left out after its use: it can be sent again]";
    /// In place of a result that was reduced so that the request fits; a reference follows.
    REDUCED = "[This function result was reduced so that the request fits.]";
    /// In that reference: where the whole of it is.
    RETRIEVAL_HINT = "The full result stays in the session transcript; find it there by its function_call_id.";
    /// What the summariser is asked, above the conversation.
    SUMMARIZE_REQUEST = "Summarize the conversation below, exactly in the structure the system prompt gives. Keep identifiers word for word.";
    /// What the summariser is told when there is no earlier summary.
    NEW_SUMMARY_INSTRUCTION = "Write a summary of the conversation, from which the work can go on without it.";
    /// What the summariser is told when there is one; it follows between its marks.
    UPDATE_SUMMARY_INSTRUCTION = "Update the summary between the marks below with the conversation: keep what still holds, drop what no longer does, and merge what is new into it.";
    /// The structure of a summary.
    SUMMARY_TEMPLATE = "Answer in Markdown under these headings, in this order:\n\n## Goal\n## Constraints and preferences\n## Progress\n### Done\n### In progress\n### Blocked\n## Key decisions\n## Actions taken\n(notable calls, each with its arguments in a few words)\n## Next steps\n## Critical context\n## Relevant files\n(each path, and why it matters)\n\nWrite \"none\" under a heading that has nothing. Keep exact paths, commands, error messages and identifiers. Do not mention the summary or that the conversation was summarized.";
}

/// Sentences with the caller's replacements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wording {
    replaced: IndexMap<String, String>,
}

impl Wording {
    /// The sentences with some of them replaced by name.
    ///
    /// # Errors
    /// `parameter_invalid` at `/wording/NAME` for a name that is none of [`ALL`].
    pub fn with(replaced: IndexMap<String, String>) -> Result<Self, Refusal> {
        for name in replaced.keys() {
            if !ALL.iter().any(|sentence| sentence.name == name) {
                return Err(Refusal::parameter(
                    format!("/wording/{}", pointer_key(name)),
                    format!("`{name}` is no sentence that can be replaced"),
                ));
            }
        }
        Ok(Self { replaced })
    }

    /// What a sentence says.
    pub fn say(&self, sentence: Sentence) -> &str {
        self.replaced
            .get(sentence.name)
            .map_or(sentence.text, String::as_str)
    }

    /// What a sentence says, with its value in place of `{key}`.
    pub fn say_with(&self, sentence: Sentence, key: &str, value: &str) -> String {
        self.say(sentence).replace(&format!("{{{key}}}"), value)
    }

    /// The header in front of a summary, the re-read rule in it.
    pub fn compaction_header(&self) -> String {
        self.say_with(COMPACTION_HEADER, "rule", REREAD_RULE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_frame_of_a_summary_holds_the_rule() {
        assert_eq!(
            Wording::default().compaction_header(),
            format!(
                "The earlier part of this conversation has been summarized. {REREAD_RULE} The summary follows."
            )
        );
    }

    #[test]
    fn the_memory_header_begins_with_the_words_of_the_contract() {
        assert!(
            MEMORY_HEADER
                .text
                .starts_with("Durable memory for this conversation")
        );
    }

    #[test]
    fn an_unknown_sentence_is_refused_by_name() {
        let refusal =
            Wording::with([("NOPE".to_owned(), String::new())].into_iter().collect()).unwrap_err();
        assert_eq!(refusal.path.as_deref(), Some("/wording/NOPE"));
    }
}
