//! What the first bytes of a file say, and what is said of the kinds that are not read.

use crate::refusal::Refusal;

use super::UNSUPPORTED;

/// A kind of file that is recognised and not read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Foreign {
    /// The refusal's detail.
    pub id: &'static str,
    /// What the file is, with its article.
    pub name: &'static str,
    /// What to do with it.
    pub advice: &'static str,
}

impl Foreign {
    /// Says what the file is and what to do.
    pub fn refusal(&self) -> Refusal {
        let message = format!("this is {}, which is not read: {}", self.name, self.advice);
        Refusal::new(UNSUPPORTED, message).detail(self.id)
    }
}

/// A kind that is not read.
pub(super) const fn kind(id: &'static str, name: &'static str, advice: &'static str) -> Foreign {
    Foreign { id, name, advice }
}

/// How many first bytes say what can be said by them.
pub(super) const LOOKED_AT: usize = 16;

/// Kinds by the bytes they begin with, [`LOOKED_AT`] at most.
const MAGIC: &[(&[u8], Foreign)] = &[
    (
        b"SQLite format 3\0",
        kind(
            "sqlite",
            "an SQLite database",
            "use the export command of the tool that made it and open that file",
        ),
    ),
    (
        b"PAR1",
        kind(
            "parquet",
            "a Parquet table",
            "export the rows as JSON or JSONL and open that file",
        ),
    ),
    (
        b"bvx",
        kind(
            "lzfse",
            "an LZFSE archive",
            "unpack it and open what is inside",
        ),
    ),
    (
        b"%PDF-",
        kind("pdf", "a PDF", "open the conversation's own JSON export"),
    ),
];

/// Whether the first bytes are those of a ZIP archive, an empty one too.
pub(super) fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// What is said of bytes that were packed and are no text.
pub(super) fn unpacked(bytes: &[u8]) -> Option<Refusal> {
    let nested = kind(
        "zip",
        "an archive inside another",
        "unpack the outer one and open the inner one",
    );
    match is_zip(bytes) {
        true => Some(nested.refusal()),
        false => magic(bytes).map(Foreign::refusal),
    }
}

/// What is said of packed bytes where nothing unpacks them.
pub(super) fn packed(bytes: &[u8]) -> Option<Refusal> {
    let packed = is_zip(bytes) || matches!(bytes, [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..]);
    let message = "the file is packed: openFile opens it";
    packed.then(|| Refusal::new(UNSUPPORTED, message).detail("packed"))
}

/// The kind that the first bytes name.
pub(super) fn magic(bytes: &[u8]) -> Option<&'static Foreign> {
    let found = MAGIC.iter().find(|(start, _)| bytes.starts_with(start));
    found.map(|(_, kind)| kind)
}

/// Where the text begins, past blanks and the NULs of a sparse file; `None` when there is nothing.
pub(super) fn start(bytes: &[u8]) -> Option<usize> {
    bytes
        .iter()
        .position(|byte| !byte.is_ascii_whitespace() && *byte != 0)
}
