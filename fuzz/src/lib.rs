//! What holds of every file, whatever its bytes are.

use galley_core::conversation::{Conversation, from_transcript, read, to_transcript};
use galley_core::import::{self, Ask, File, Format, Opened, Opening, Step};
use galley_core::refusal::Refusal;
use galley_core::transcript::Imported;

/// How many branches of a conversation are opened.
const BRANCHES: usize = 4;

/// Opens a file whole and in slices that its bytes cut, and holds both to be the same; then each conversation is
/// made a native file, written and read again.
pub fn check(bytes: &[u8]) {
    let whole = import::open(bytes, &Ask::default());
    let file = in_slices(bytes);
    match (&whole, file) {
        (Ok(opened), Ok(mut file)) => {
            same(opened, &mut file, bytes);
            natives(opened, bytes);
        }
        (Err(refusal), Err(sliced)) => assert_eq!(refusal, &sliced, "sliced (right)"),
        (whole, sliced) => panic!("whole: {whole:?}\nsliced: {sliced:?}"),
    }
    // A file that is shorter than it was said to be has an end too.
    let _ = give(Opening::new(bytes.len() as u64 + 9, Ask::default()), bytes);
}

/// The conversations of a file that opens.
pub fn conversations(bytes: &[u8]) -> Option<(Format, Vec<Imported>)> {
    let opened = import::open(bytes, &Ask::default()).ok()?;
    Some((opened.format, opened.conversations))
}

fn same(opened: &Opened, file: &mut File, bytes: &[u8]) {
    assert_eq!(opened.format, file.format);
    assert_eq!(opened.warnings, file.warnings, "sliced (right)");
    assert_eq!(opened.conversations.len(), file.conversations.len());
    for (index, whole) in opened.conversations.iter().enumerate() {
        let one = pick(file, index, None, bytes).expect("what is listed opens");
        assert_eq!(*whole, one, "sliced (right)");
        for branch in whole.branches.iter().take(BRANCHES) {
            let asked = pick(file, index, Some(&branch.id), bytes).expect("a listed branch opens");
            assert_eq!(asked.branches, whole.branches, "branch {}", branch.id);
            from_transcript(asked);
        }
    }
}

fn natives(opened: &Opened, bytes: &[u8]) {
    if opened.format == Format::Galley
        && let Ok((file, _)) = read(bytes)
    {
        written(&file);
    }
    for one in &opened.conversations {
        written(&from_transcript(one.clone()).0);
    }
}

fn written(file: &Conversation) {
    let text = file.to_json();
    let (again, _) = read(text.as_bytes()).expect("what was written reads");
    assert_eq!(*file, again, "read again (right)");
    to_transcript(file);
}

fn in_slices(bytes: &[u8]) -> Result<File, Refusal> {
    give(Opening::new(bytes.len() as u64, Ask::default()), bytes)
}

fn give(mut opening: Opening, bytes: &[u8]) -> Result<File, Refusal> {
    while let Some(slice) = slice(bytes, opening.step()) {
        opening.give(slice)?;
    }
    opening.finish()
}

fn pick(
    file: &mut File,
    index: usize,
    branch: Option<&str>,
    bytes: &[u8],
) -> Result<Imported, Refusal> {
    let mut picking = file.pick(index, branch)?;
    while let Some(slice) = slice(bytes, picking.step()) {
        picking.give(slice)?;
    }
    picking.finish()
}

/// The beginning of what is asked for: its first byte says how much.
fn slice(bytes: &[u8], step: Step) -> Option<&[u8]> {
    let Step::Read { from, len } = step else {
        return None;
    };
    let rest = bytes.get(from as usize..).unwrap_or_default();
    let wanted = rest
        .first()
        .map_or(0, |byte| 1 + (*byte as usize + bytes.len()) % 256);
    Some(&rest[..wanted.min(len as usize).min(rest.len())])
}
