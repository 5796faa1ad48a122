//! Opening a file: the native one, or an export of another tool as a conversation.

use crate::conversation::{self, Conversation};
use crate::import::{self, Format};
use crate::refusal::{Refusal, Warning};

/// A file's one conversation, and what it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Opened {
    /// The format it was recognised as.
    pub format: Format,
    /// The conversation.
    pub conversation: Conversation,
    /// What could not be read or was mended, by position.
    pub warnings: Vec<Warning>,
}

/// Opens a native file, or Chat Completions messages of one conversation.
///
/// # Errors
/// `file_invalid` or `file_unsupported`, saying what the file is, where it fails and what to do;
/// `several_conversations` when it holds more than one.
pub fn open(bytes: &[u8]) -> Result<Opened, Refusal> {
    let import::Opened {
        format,
        conversations,
        mut warnings,
    } = import::open_own(bytes)?;
    if format == Format::Galley {
        let (conversation, warnings) = conversation::read(bytes)?;
        return Ok(Opened {
            format,
            conversation,
            warnings,
        });
    }
    match <[_; 1]>::try_from(conversations) {
        Ok([mut one]) => {
            warnings.append(&mut one.warnings);
            let (conversation, noticed) = conversation::from_transcript(one);
            warnings.extend(noticed);
            Ok(Opened {
                format,
                conversation,
                warnings,
            })
        }
        Err(several) if several.is_empty() => Err(Refusal::new(
            import::INVALID,
            "the file holds no conversation; choose the file that does",
        )),
        Err(several) => Err(Refusal::new(
            "several_conversations",
            format!(
                "the file holds {} conversations; keep one of them in a file of its own",
                several.len()
            ),
        )
        .detail(several.len().to_string())),
    }
}
