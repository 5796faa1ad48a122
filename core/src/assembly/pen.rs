//! What every renderer writes with: the file, the texts, the model that reads, and the wording.

use super::segment::{Id, Part, Words};
use crate::conversation::Conversation;
use crate::conversation::native::Upload;
use crate::seal;
use crate::tokens::{ModelRow, Texts};
use crate::wording::{self, Wording};

/// Turns words and uploads into parts.
pub struct Pen<'a> {
    /// The conversation.
    pub conversation: &'a Conversation,
    /// Where texts are kept.
    pub texts: &'a mut Texts,
    /// The model that reads: what rides natively follows it.
    pub model: &'a ModelRow,
    /// The sentences of our own.
    pub wording: &'a Wording,
}

impl Pen<'_> {
    /// Words.
    pub fn words(&mut self, text: &str) -> Words {
        Words::new(self.texts, text)
    }

    /// Words, then their uploads in order.
    pub fn parts(&mut self, text: &str, uploads: &[String]) -> Vec<Part> {
        let mut parts = Vec::with_capacity(1 + uploads.len());
        if !text.is_empty() {
            parts.push(Part::Words(self.words(text)));
        }
        for id in uploads {
            parts.push(self.upload(id));
        }
        parts
    }

    /// Parts that were sealed once, for this model.
    pub fn sealed(&mut self, parts: &[seal::Part]) -> Vec<Part> {
        parts
            .iter()
            .map(|part| match part {
                seal::Part::Text { text } => Part::Words(self.words(text)),
                seal::Part::Upload { upload_public_id } => self.upload(upload_public_id),
            })
            .collect()
    }

    /// An upload as the model gets it: native, or its line.
    pub fn upload(&mut self, id: &str) -> Part {
        let unknown = Upload {
            filename: id.to_owned(),
            content_type: "application/octet-stream".to_owned(),
            ..Upload::default()
        };
        let upload = self.conversation.uploads.get(id).unwrap_or(&unknown);
        let kind = upload.content_type.as_str();
        let image = kind.starts_with("image/");
        // Only images and PDFs ever ride natively, whatever a row declares.
        let rides = if image {
            self.model.reads("image")
        } else {
            kind == "application/pdf"
        };
        if rides && self.model.wire_takes(kind) {
            return Part::Upload(
                Id::new(id),
                self.model.token_cost.get(kind).copied().unwrap_or(0),
            );
        }
        let reason = if !image {
            self.wording.say(wording::FILE_AVAILABLE).to_owned()
        } else if self.model.reads("image") {
            self.wording.say_with(wording::NOT_TAKEN, "type", kind)
        } else {
            self.wording.say(wording::NOT_SHOWN).to_owned()
        };
        let reference = if image {
            String::new()
        } else {
            format!(" upload:{id}")
        };
        let line = format!(
            "[Attachment: {} ({kind}, {} bytes){reference} — {reason}]",
            upload.filename,
            thousands(upload.byte_size)
        );
        Part::Words(self.words(&line))
    }
}

/// A number with commas between its thousands.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn line(model: serde_json::Value, id: &str) -> String {
        let conversation: Conversation = serde_json::from_value(json!({"uploads": {
            "pic": {"filename": "diagram.png", "content_type": "image/png", "byte_size": 70},
            "doc": {"filename": "report.pdf", "content_type": "application/pdf", "byte_size": 1234567},
            "log": {"filename": "run.log", "content_type": "text/plain", "byte_size": 1000}}}))
        .unwrap();
        let model: ModelRow = serde_json::from_value(model).unwrap();
        let mut texts = Texts::new();
        let wording = Wording::default();
        let mut pen = Pen {
            conversation: &conversation,
            texts: &mut texts,
            model: &model,
            wording: &wording,
        };
        match pen.upload(id) {
            Part::Words(words) => words.text.as_str().to_owned(),
            Part::Upload(id, cost) => format!("{}:{cost}", id.id),
        }
    }

    #[test]
    fn what_rides_natively_follows_the_model() {
        assert_eq!(
            line(json!({"token_cost": {"image/png": 2500}}), "pic"),
            "pic:2500"
        );
        assert_eq!(
            line(json!({"input_modalities": ["text"]}), "pic"),
            "[Attachment: diagram.png (image/png, 70 bytes) — not shown: this model reads no images]"
        );
        assert_eq!(
            line(json!({"image_types": ["image/jpeg"]}), "pic"),
            "[Attachment: diagram.png (image/png, 70 bytes) — not shown: this model takes no image/png]"
        );
        assert_eq!(
            line(json!({"file_types": ["application/pdf"]}), "doc"),
            "doc:0"
        );
        assert_eq!(
            line(json!({}), "doc"),
            "[Attachment: report.pdf (application/pdf, 1,234,567 bytes) upload:doc — available as a file]"
        );
        assert!(
            line(
                json!({"file_types": ["application/pdf", "text/plain"]}),
                "log"
            )
            .contains("(text/plain, 1,000 bytes) upload:log")
        );
    }
}
