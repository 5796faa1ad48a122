use std::io::{Cursor, Write};

use super::super::UNSUPPORTED;
use super::*;
use proptest::prelude::*;
use serde_json::json;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

fn archive(files: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let options = SimpleFileOptions::default().compression_method(method);
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn stretch(bytes: &[u8], step: Step) -> Option<&[u8]> {
    let Step::Read { from, len } = step else {
        return None;
    };
    let rest = bytes.get(from as usize..).unwrap_or_default();
    Some(rest.get(..len as usize).unwrap_or(rest))
}

fn open(bytes: &[u8]) -> Result<File, Refusal> {
    let mut opening = Opening::new(bytes.len() as u64, Ask::default());
    while let Some(bytes) = stretch(bytes, opening.step()) {
        opening.give(bytes)?;
    }
    opening.finish()
}

fn pick(file: &mut File, bytes: &[u8], index: usize) -> Result<Imported, Refusal> {
    let mut picking = file.pick(index, None)?;
    while let Some(bytes) = stretch(bytes, picking.step()) {
        picking.give(bytes)?;
    }
    picking.finish()
}

fn chat(words: &str) -> serde_json::Value {
    json!({"messages": [{"role": "user", "content": words}]})
}

fn words(imported: &Imported) -> &str {
    match imported.messages[0].content() {
        [ContentBlock::Text { text }, ..] => text,
        _ => "",
    }
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n0000";

#[test]
fn conversations_of_an_archive_are_listed_and_each_opened_by_itself() {
    let first = json!([chat("a"), chat("b")]).to_string();
    let second = format!("{}\n{}\n", chat(&"c ".repeat(90_000)), chat("d"));
    let files = [
        ("export/conversations-001.json", second.as_bytes()),
        ("export/conversations-000.json", first.as_bytes()),
        ("export/user.json", b"{}".as_slice()),
    ];
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        let bytes = archive(&files, method);
        let mut file = open(&bytes).unwrap();
        assert_eq!(
            (file.format, file.warnings.as_slice()),
            (Format::ChatCompletions, &[][..])
        );
        let listed: Vec<(String, usize)> = file
            .conversations
            .iter()
            .map(|one| (one.title[..1].to_owned(), one.turns))
            .collect();
        assert_eq!(
            listed,
            ["a", "b", "c", "d"].map(|title| (title.to_owned(), 1))
        );
        for (index, (title, _)) in listed.iter().enumerate() {
            let one = pick(&mut file, &bytes, index).unwrap();
            assert_eq!(&words(&one)[..1], title);
        }
    }
}

#[test]
fn a_picture_beside_the_conversation_is_put_into_its_place() {
    let message = json!({"role": "user", "content": [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": "file-service://file-1"}},
        {"type": "image_url", "image_url": {"url": "file-service://file-2"}},
        {"type": "image_url", "image_url": {"url": "file-service://file-3"}}]});
    let text = json!([{"messages": [message]}]).to_string();
    let files = [
        ("conversations.json", text.as_bytes()),
        ("file-1-cat.png", PNG),
        ("file-2-notes.txt", b"no picture".as_slice()),
    ];
    let bytes = archive(&files, CompressionMethod::Deflated);
    let one = pick(&mut open(&bytes).unwrap(), &bytes, 0).unwrap();
    let content = one.messages[0].content();
    let picture = matches!(&content[1], ContentBlock::Image { mime, .. } if mime == "image/png");
    assert!(picture, "{content:?}");
    let left: Vec<_> = one
        .attachments
        .iter()
        .map(|a| (a.block, a.byte_size))
        .collect();
    assert_eq!(left, [(2, 10), (3, 0)]);
    assert_eq!(one.warnings.len(), 2, "{:?}", one.warnings);
}

#[test]
fn what_cannot_be_read_in_an_archive_is_told_and_the_rest_is_read() {
    let good = json!([chat("a")]).to_string();
    let files = [
        ("a.json", b"{\"x\":".as_slice()),
        ("b.json", good.as_bytes()),
        ("c.json", b"{}".as_slice()),
    ];
    let bytes = archive(&files, CompressionMethod::Deflated);
    let file = open(&bytes).unwrap();
    assert_eq!(file.conversations.len(), 1);
    let told: Vec<&str> = file.warnings.iter().map(|w| &w.message[..9]).collect();
    assert_eq!(told, ["in a.json", "in c.json"]);
    for files in [&files[..1], &[("a.txt", b"x".as_slice())], &[]] {
        let bytes = archive(files, CompressionMethod::Stored);
        assert_eq!(open(&bytes).unwrap_err().code, INVALID);
    }
}

#[test]
fn an_archive_inside_an_archive_is_told_by_its_name_and_what_to_do() {
    let good = json!([chat("a")]).to_string();
    let inner = archive(&[("a.json", good.as_bytes())], CompressionMethod::Deflated);
    let says = "in inner.zip: this is an archive inside another, which is not read: unpack the outer one and open the inner one";
    let files = [("b.json", good.as_bytes()), ("inner.zip", inner.as_slice())];
    let file = open(&archive(&files, CompressionMethod::Deflated)).unwrap();
    let told: Vec<&str> = file.warnings.iter().map(|w| w.message.as_str()).collect();
    assert_eq!(told, [says]);
    let refusal = open(&archive(&files[1..], CompressionMethod::Stored)).unwrap_err();
    assert_eq!(
        (refusal.code.as_str(), refusal.message.as_str()),
        (UNSUPPORTED, says)
    );
}

#[test]
fn a_file_of_what_the_model_was_shown_beside_the_conversations_is_told_by_its_name() {
    let good = json!([chat("a")]).to_string();
    let files = [
        ("x/conversations.json", good.as_bytes()),
        ("x/projects.json", b"[]".as_slice()),
        ("x/users.json", b"[]".as_slice()),
    ];
    let file = open(&archive(&files, CompressionMethod::Stored)).unwrap();
    let told: Vec<&str> = file.warnings.iter().map(|w| w.message.as_str()).collect();
    let says =
        "x/projects.json holds projects with their instructions and documents; it is not read";
    assert_eq!(told, [says]);
}

#[test]
fn an_archive_that_is_cut_off_or_overwritten_is_refused_or_told() {
    let text = json!((0..50).map(|n| chat(&n.to_string())).collect::<Vec<_>>()).to_string();
    let bytes = archive(
        &[("conversations.json", text.as_bytes())],
        CompressionMethod::Deflated,
    );
    for end in 0..bytes.len() {
        assert!(open(&bytes[..end]).is_err(), "cut at {end}");
    }
    for at in 0..bytes.len() {
        let mut wrong = bytes.clone();
        wrong[at] ^= 0x15;
        if let Ok(mut file) = open(&wrong) {
            for index in 0..file.conversations.len() {
                let _ = pick(&mut file, &wrong, index);
            }
        }
    }
}

#[test]
fn of_a_packed_file_that_is_cut_off_what_came_out_counts() {
    use flate2::{Compression, write::GzEncoder};
    let text = json!((0..9_000).map(|n| chat(&n.to_string())).collect::<Vec<_>>()).to_string();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    let bytes = encoder.finish().unwrap();
    let mut whole = open(&bytes).unwrap();
    assert_eq!(
        (whole.conversations.len(), whole.warnings.len()),
        (9_000, 0)
    );
    let one = pick(&mut whole, &bytes, 7_000).unwrap();
    assert_eq!(words(&one), "7000");
    let cut = open(&bytes[..bytes.len() / 2]).unwrap();
    assert!(!cut.conversations.is_empty() && cut.conversations.len() < 9_000);
    let told: Vec<&str> = cut.warnings.iter().map(|w| w.code.as_str()).collect();
    assert_eq!(told, ["file_cut_off"]);
}

#[test]
fn stretches_may_come_in_parts_and_a_file_may_be_shorter_than_it_was_said_to_be() {
    let text = json!([chat("a"), chat("b")]).to_string();
    let files = [("conversations.json", text.as_bytes())];
    let zip = archive(&files, CompressionMethod::Deflated);
    for bytes in [text.as_bytes(), &zip, b"SQLite format 3\0 and more"] {
        let in_parts = |said: usize| {
            let mut opening = Opening::new(said as u64, Ask::default());
            while let Some(stretch) = stretch(bytes, opening.step()) {
                opening.give(stretch.get(..3).unwrap_or(stretch))?;
            }
            opening.finish()
        };
        let known = |opened: Result<File, Refusal>| opened.map(|file| file.conversations);
        assert_eq!(known(in_parts(bytes.len())), known(open(bytes)));
        assert_eq!(
            in_parts(bytes.len() + 300_000).is_ok(),
            bytes == text.as_bytes()
        );
    }
}

#[test]
fn one_branch_or_conversation_too_many_is_not_found() {
    let text = json!([chat("a"), chat("b")]).to_string();
    let mut file = open(text.as_bytes()).unwrap();
    assert_eq!(file.pick(2, None).err().unwrap().code, "not_found");
    assert_eq!(file.pick(0, Some("x")).err().unwrap().code, "not_found");
}

#[test]
fn a_file_that_changed_meanwhile_is_refused() {
    let text = json!([chat("a"), chat("b")]).to_string();
    let mut file = open(text.as_bytes()).unwrap();
    assert!(pick(&mut file, &text.as_bytes()[..text.len() - 9], 1).is_err());
    assert!(pick(&mut file, b"", 0).is_err());
}

#[test]
fn a_large_list_is_opened_without_being_held() {
    let one = chat(&"x".repeat(10_000)).to_string();
    let text = format!("[{}]", vec![one.as_str(); 1000].join(",\n"));
    let mut file = open(text.as_bytes()).unwrap();
    assert_eq!((file.conversations.len(), file.kept.len()), (1000, 0));
    let mut picking = file.pick(999, None).unwrap();
    let Step::Read { from, len } = picking.step() else {
        panic!("the conversation's own bytes are asked for");
    };
    assert_eq!(
        (from, len),
        ((text.len() - 1 - one.len()) as u64, one.len() as u64)
    );
    picking.give(one.as_bytes()).unwrap();
    assert_eq!(picking.step(), Step::Done);
    assert_eq!(words(&picking.finish().unwrap()).len(), 10_000);
}

proptest! {
    #[test]
    fn any_bytes_behind_any_head(
        head in prop::sample::select(vec![&b"PK\x03\x04"[..], b"PK\x05\x06", b"\x1f\x8b\x08", b"[{\"messages\":[]},", b""]),
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        tail in prop::sample::select(vec![&b"PK\x05\x06\0\0\0\0\x01\0\x01\0\x2e\0\0\0\0\0\0\0\0\0"[..], b""]),
    ) {
        let bytes = [head, &bytes, tail].concat();
        if let Ok(mut file) = open(&bytes) {
            for index in 0..file.conversations.len() {
                let _ = pick(&mut file, &bytes, index);
            }
        }
    }
}
