//! Pictures and files in a content: their bytes where they are there, a placeholder with their facts where not.

use serde_json::{Value, json};

use crate::json::Notes;
use crate::refusal::Warning;
use crate::transcript::{Attachment, ContentBlock};

use super::parts::{Part, Said};

/// What an address points at: the bytes of a `data:` URL, else something that is not here.
pub(super) fn linked(
    what: &str,
    address: &str,
    name: Option<&str>,
    pointer: &str,
    notes: &mut Notes,
) -> Part {
    let inline = inline(address);
    let Some((head, data)) = inline else {
        let path = address.split(['?', '#']).next().unwrap_or_default();
        let last = path.rsplit('/').next().unwrap_or_default();
        let file = name.unwrap_or(last);
        let facts = Attachment {
            filename: file.to_owned(),
            content_type: mime_of(file, what),
            reference: Some(address.to_owned()).filter(|address| !address.is_empty()),
            ..Attachment::default()
        };
        return placeholder(what, facts, pointer, notes);
    };
    let mime = head.split(';').next().filter(|mime| !mime.is_empty());
    let mime = mime.unwrap_or("text/plain");
    if head.to_ascii_lowercase().ends_with(";base64") {
        return bytes(what, mime, data, name, pointer, notes);
    }
    let facts = Attachment {
        filename: name.unwrap_or_default().to_owned(),
        content_type: mime.to_owned(),
        byte_size: data.len() as u64,
        ..Attachment::default()
    };
    placeholder(what, facts, pointer, notes)
}

/// A file in a message, in a spelling of the reader's: a picture when its type says so.
pub fn file(mime: &str, name: Option<&str>, address: &str) -> Value {
    if mime.starts_with("image/") {
        return json!({"type": "image_url", "image_url": {"url": address}});
    }
    // Nothing in a provider's id says what it is of.
    let id = name.is_none() && !mime.is_empty() && !address.is_empty() && !address.contains('/');
    match id {
        true => json!({"fileData": {"mimeType": mime, "fileUri": address}}),
        false => json!({"type": "file", "file": {"filename": name, "file_data": address}}),
    }
}

/// The head and the data of a `data:` URL.
fn inline(address: &str) -> Option<(&str, &str)> {
    let scheme = address.get(..5)?;
    let rest = address.get(5..)?;
    rest.split_once(',')
        .filter(|_| scheme.eq_ignore_ascii_case("data:"))
}

/// Whether a text is the `data:` URL of a picture and nothing else.
pub(super) fn is_picture_url(text: &str) -> bool {
    let head = inline(text.trim()).map(|(head, _)| head.to_ascii_lowercase());
    head.is_some_and(|head| head.starts_with("image/") && head.ends_with(";base64"))
}

/// Bytes in base64: a picture where they are one, else a placeholder.
pub(super) fn bytes(
    what: &str,
    mime: &str,
    data: &str,
    name: Option<&str>,
    pointer: &str,
    notes: &mut Notes,
) -> Part {
    let size = base64_bytes(data);
    let picture = mime.starts_with("image/") && name.is_none();
    if picture && size.is_some() && is_picture(data) {
        return ContentBlock::Image {
            mime: mime.to_owned(),
            data: data.to_owned(),
        }
        .into();
    }
    let facts = Attachment {
        filename: name.unwrap_or_default().to_owned(),
        content_type: mime.to_owned(),
        byte_size: size.unwrap_or(0),
        ..Attachment::default()
    };
    placeholder(what, facts, pointer, notes)
}

/// A text that stands for what is not here, and its facts.
pub(super) fn placeholder(what: &str, facts: Attachment, pointer: &str, notes: &mut Notes) -> Part {
    let size = format!("{} bytes", facts.byte_size);
    let says = [
        facts.reference.as_deref().unwrap_or(&facts.filename),
        &facts.content_type,
        if facts.byte_size > 0 { &size } else { "" },
    ];
    let says: Vec<&str> = says.into_iter().filter(|word| !word.is_empty()).collect();
    let text = format!("[{what}: {}]", says.join(", "));
    let message = format!("{text} stands for what has no readable bytes here; it is not counted");
    notes.push(Warning::new("attachment_not_read", message).at(pointer));
    Part::Said(Said {
        block: ContentBlock::text(text),
        stands_for: Some(facts),
        refusal: false,
        pointer: String::new(),
    })
}

/// What a file is by its name's ending.
fn mime_of(file: &str, what: &str) -> String {
    let ending = file
        .rsplit_once('.')
        .map_or("", |(_, ending)| ending)
        .to_ascii_lowercase();
    match (ending.as_str(), what) {
        ("png" | "gif" | "webp", _) => format!("image/{ending}"),
        ("jpg" | "jpeg", _) => "image/jpeg".to_owned(),
        ("pdf", _) => "application/pdf".to_owned(),
        ("txt", _) => "text/plain".to_owned(),
        (_, "image") => "image/*".to_owned(),
        (_, "video") => "video/*".to_owned(),
        _ => "application/octet-stream".to_owned(),
    }
}

/// How many bytes a base64 text holds, line breaks in it or not; `None` when it is none.
pub(super) fn base64_bytes(text: &str) -> Option<u64> {
    let text = text.trim_end();
    let text = text.trim_end_matches('=').as_bytes();
    let (mut digits, mut broken) = (0_u64, false);
    for byte in text {
        match byte {
            b'\r' | b'\n' => {}
            _ if digit(*byte).is_some() => digits += 1,
            _ => broken = true,
        }
    }
    (!broken && digits > 0 && digits % 4 != 1).then_some(digits * 3 / 4)
}

fn digit(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

/// Whether base64 bytes begin as those of a picture do. A marker text in their place (`[image omitted]`) does not,
/// and sent on as a picture it is refused.
pub(super) fn is_picture(data: &str) -> bool {
    let digits: Vec<u32> = data.bytes().filter_map(digit).take(16).collect();
    let head: Vec<u8> = digits
        .chunks(4)
        .flat_map(|four| {
            let bits = (0..4).fold(0, |bits, n| bits << 6 | four.get(n).copied().unwrap_or(0));
            let [_, bytes @ ..] = u32::to_be_bytes(bits);
            bytes.into_iter().take(four.len() * 3 / 4)
        })
        .collect();
    const STARTS: [&[u8]; 11] = [
        b"\x89PNG",
        b"\xff\xd8\xff",
        b"GIF8",
        b"RIFF",
        b"BM",
        b"II*\0",
        b"MM\0*",
        b"\0\0\x01\0",
        b"<svg",
        b"<?xml",
        b"\xff\x0a",
    ];
    STARTS.iter().any(|start| head.starts_with(start))
        || head
            .get(4..8)
            .is_some_and(|kind| kind == b"ftyp" || kind == b"JXL ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bytes_of_a_picture_are_one() {
        for data in [
            "iVBORw0KGgo=",
            "/9j/4AAQ",
            "R0lGODlh",
            "UklGRg==",
            "AAAAIGZ0eXBhdmlm",
            "PHN2ZyB4",
        ] {
            assert!(is_picture(data), "{data}");
        }
        for data in [
            "",
            "AAAA",
            "[image/png content omitted]",
            "aGVsbG8gd29ybGQ=",
        ] {
            assert!(!is_picture(data), "{data}");
        }
    }

    #[test]
    fn base64_is_measured_whatever_its_alphabet_and_its_lines() {
        for (text, bytes) in [
            ("AAAA", Some(3)),
            ("AA==", Some(1)),
            ("AA-_\nAAAA\r\n", Some(6)),
            ("", None),
            ("A", None),
            ("AA A", None),
            ("see below", None),
        ] {
            assert_eq!(base64_bytes(text), bytes, "{text:?}");
        }
    }
}
