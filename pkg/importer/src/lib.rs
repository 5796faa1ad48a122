//! Files of other tools, opened and written: the module that the npm package and the panel load with the first
//! of them.
//!
//! Who holds the bytes drives it: [`Opening::step`] says which stretch is needed, [`Opening::give`] takes it, and
//! [`Opening::finish`] answers the [`File`], whose conversations [`File::pick`] opens the same way. Answers are
//! JSON texts; what is thrown is the JSON text of a refusal.

use std::io::{self, Write};

use galley_core::conversation::{self, Conversation, from_transcript};
use galley_core::doors;
use galley_core::import::{self, Ask, Step};
use galley_core::refusal::Refusal;
use js_sys::Function;
use serde_json::json;
use wasm_bindgen::prelude::*;

/// A stretch of the file.
#[wasm_bindgen]
#[derive(Clone, Copy)]
pub struct Stretch {
    /// Where it begins.
    pub from: f64,
    /// How many bytes it has.
    pub len: f64,
}

/// The opening of a file.
#[wasm_bindgen]
pub struct Opening(import::Opening);

#[wasm_bindgen]
impl Opening {
    /// The opening of a file of so many bytes, as what its shape says or as this format.
    #[wasm_bindgen(constructor)]
    pub fn new(size: f64, format: Option<String>) -> Result<Self, JsValue> {
        let format = format.map(|word| word.parse()).transpose();
        let ask = Ask {
            format: format.map_err(thrown)?,
            ..Ask::default()
        };
        Ok(Self(import::Opening::new(size as u64, ask)))
    }

    /// What is needed next; nothing, when the file is known.
    pub fn step(&self) -> Option<Stretch> {
        stretch(self.0.step())
    }

    /// Takes what was needed.
    pub fn give(&mut self, bytes: &[u8]) -> Result<(), JsValue> {
        self.0.give(bytes).map_err(thrown)
    }

    /// What is in the file.
    pub fn finish(self) -> Result<File, JsValue> {
        self.0.finish().map(File).map_err(thrown)
    }
}

/// A file whose contents are known.
#[wasm_bindgen]
pub struct File(import::File);

#[wasm_bindgen]
impl File {
    /// `{ format, conversations, warnings }`.
    pub fn index(&self) -> String {
        let import::File {
            format,
            conversations,
            warnings,
            ..
        } = &self.0;
        json!({"format": format, "conversations": conversations, "warnings": warnings}).to_string()
    }

    /// The opening of one conversation, on this branch or on its current one.
    pub fn pick(&mut self, index: usize, branch: Option<String>) -> Result<Picking, JsValue> {
        let picking = self.0.pick(index, branch.as_deref()).map_err(thrown)?;
        Ok(Picking(picking))
    }
}

/// The opening of a conversation.
#[wasm_bindgen]
pub struct Picking(import::Picking);

/// What was written: a JSON text, and what is not in it as it was.
#[wasm_bindgen]
pub struct Written {
    text: Text,
    warnings: String,
}

enum Text {
    File(Box<Conversation>),
    Body(String),
}

#[wasm_bindgen]
impl Written {
    /// Hands the text over in pieces: that of a long conversation is never held whole. Throws what `take` throws.
    #[wasm_bindgen(js_name = giveText)]
    pub fn give_text(&self, take: &Function) -> Result<(), JsValue> {
        let mut pieces = Pieces {
            take,
            piece: Vec::new(),
            given: Ok(()),
        };
        // Every key is a string and every number finite, so there is nothing else that could fail.
        let written = match &self.text {
            Text::File(file) => serde_json::to_writer(&mut pieces, file).map_err(io::Error::from),
            Text::Body(text) => pieces.write_all(text.as_bytes()),
        };
        let _ = written.and_then(|()| pieces.flush());
        pieces.given
    }

    /// What is not in it as it was, by position.
    #[wasm_bindgen(getter)]
    pub fn warnings(&self) -> String {
        self.warnings.clone()
    }
}

/// Bytes of a piece, about.
const PIECE: usize = 1024 * 1024;

/// Gives a text away, piece by piece.
struct Pieces<'t> {
    take: &'t Function,
    piece: Vec<u8>,
    given: Result<(), JsValue>,
}

impl Write for Pieces<'_> {
    /// Takes all of it, so that no character is cut: what writes JSON hands whole ones over.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let piece = String::from_utf8_lossy(&self.piece);
        let given = self.take.call1(&JsValue::NULL, &JsValue::from_str(&piece));
        self.given = given.map(|_| ());
        self.piece.clear();
        match self.given {
            Ok(()) => Ok(()),
            Err(_) => Err(io::ErrorKind::Other.into()),
        }
    }
}

/// Writes a native file as `native`, or as a body: `chat`, `responses`, `anthropic`, `gemini`, `ai_sdk`,
/// `langchain`.
#[wasm_bindgen]
pub fn convert(file: &str, to: &str) -> Result<Written, JsValue> {
    let (file, mended) = conversation::read(file.as_bytes()).map_err(thrown)?;
    let converted = doors::convert(&file, to).map_err(thrown)?;
    let warnings: Vec<_> = mended.into_iter().chain(converted.warnings).collect();
    Ok(Written {
        text: Text::Body(converted.text),
        warnings: json!(warnings).to_string(),
    })
}

#[wasm_bindgen]
impl Picking {
    /// What is needed next; nothing, when the conversation is whole.
    pub fn step(&self) -> Option<Stretch> {
        stretch(self.0.step())
    }

    /// Takes what was needed.
    pub fn give(&mut self, bytes: &[u8]) -> Result<(), JsValue> {
        self.0.give(bytes).map_err(thrown)
    }

    /// The conversation as a native file.
    pub fn finish(self) -> Result<Written, JsValue> {
        let mut imported = self.0.finish().map_err(thrown)?;
        let mut warnings = std::mem::take(&mut imported.warnings);
        let (file, noticed) = from_transcript(imported);
        warnings.extend(noticed);
        Ok(Written {
            text: Text::File(Box::new(file)),
            warnings: json!(warnings).to_string(),
        })
    }
}

fn stretch(step: Step) -> Option<Stretch> {
    match step {
        Step::Read { from, len } => Some(Stretch {
            from: from as f64,
            len: len as f64,
        }),
        Step::Done => None,
    }
}

fn thrown(refusal: Refusal) -> JsValue {
    json!(refusal).to_string().into()
}
