//! Pictures and files of a transcript as uploads: facts, never bytes.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde_json::Value;

use super::super::native::Upload;
use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::{Attachment, ContentBlock, Imported};

pub(super) struct Uploads<'i> {
    placeholders: BTreeMap<(usize, usize), &'i Attachment>,
    uploads: IndexMap<String, Upload>,
    pictures: usize,
}

impl<'i> Uploads<'i> {
    pub fn new(imported: &'i Imported) -> Self {
        let placed = imported
            .attachments
            .iter()
            .map(|facts| ((facts.message, facts.block), facts));
        Self {
            placeholders: placed.collect(),
            uploads: IndexMap::new(),
            pictures: 0,
        }
    }

    /// The id of the upload that a block is or stands for; `None` for one that is neither.
    pub fn of(&mut self, message: usize, number: usize, block: &ContentBlock) -> Option<String> {
        let upload = match (self.placeholders.get(&(message, number)), block) {
            (_, ContentBlock::Image { mime, data }) => {
                self.pictures += 1;
                Upload {
                    filename: format!("image-{}.{}", self.pictures, ending(mime)),
                    content_type: mime.clone(),
                    byte_size: data.trim_end_matches('=').len() as u64 * 3 / 4,
                    ..Upload::default()
                }
            }
            (Some(facts), ContentBlock::Text { .. }) => {
                let mut upload = Upload {
                    filename: facts.filename.clone(),
                    content_type: facts.content_type.clone(),
                    byte_size: facts.byte_size,
                    ..Upload::default()
                };
                if upload.filename.is_empty() {
                    let kind = facts.content_type.split('/').next().unwrap_or_default();
                    upload.filename = format!("{kind}-{}", self.uploads.len() + 1);
                }
                if let Some(reference) = &facts.reference {
                    let reference = Value::from(reference.as_str());
                    upload.extra.insert("reference".to_owned(), reference);
                }
                upload
            }
            _ => return None,
        };
        let id = format!("up{}", self.uploads.len() + 1);
        self.uploads.insert(id.clone(), upload);
        Some(id)
    }

    /// The uploads by id.
    pub fn finish(self, notes: &mut Notes) -> IndexMap<String, Upload> {
        if self.pictures > 0 {
            let message = format!(
                "only name, type and size of pictures are kept, not their bytes; there are {}",
                self.pictures
            );
            notes.push(Warning::new("picture_bytes_not_kept", message));
        }
        self.uploads
    }
}

fn ending(mime: &str) -> &str {
    match mime {
        "image/jpeg" => "jpg",
        "image/svg+xml" => "svg",
        _ => mime
            .rsplit('/')
            .next()
            .filter(|ending| *ending != "*")
            .unwrap_or("bin"),
    }
}
