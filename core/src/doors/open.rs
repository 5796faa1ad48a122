//! Opening a file.

use crate::conversation::Conversation;
use crate::json;
use crate::refusal::{Refusal, Warning};

/// Opens a native file.
pub fn open(bytes: &[u8]) -> Result<(Conversation, Vec<Warning>), Refusal> {
    let read = json::read(bytes, "file_invalid")?;
    let mut c: Conversation = json::typed(&read.value).map_err(|m| m.refusal("file_invalid"))?;
    let (a, m) = (c.answering_user.clone(), c.creating_user.clone());
    for d in &mut c.documents {
        if d.owner.is_none() {
            d.owner = Some(match d.slot.as_str() {
                "character" => "workspace".to_owned(),
                "persona" => m.clone(),
                _ => a.clone(),
            });
        }
    }
    Ok((c, read.warnings))
}
