//! A text, packed as exports come: what opens opens the same out of its packing.
#![no_main]

use std::io::{Cursor, Write};

use flate2::{Compression, write::GzEncoder};
use galley_fuzz::{check, conversations};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use zip::{ZipWriter, write::SimpleFileOptions};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let packed = match bytes.len() % 4 {
        0 => gzip(bytes),
        1 => compress_to_vec(bytes, CompressionLevel::Fastest),
        2 => zip(&[("conversations.json", bytes)]),
        _ => {
            let (first, second) = bytes.split_at(bytes.len() / 2);
            let files = [
                ("a/conversations-000.json", first),
                ("a/conversations-001.json", second),
            ];
            return check(&zip(&files));
        }
    };
    check(&packed);
    if let (Some(plain), Some(unpacked)) = (conversations(bytes), conversations(&packed)) {
        assert_eq!(plain, unpacked, "packed (right)");
    }
});

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let options = SimpleFileOptions::default();
        writer.start_file(*name, options).expect("memory takes it");
        writer.write_all(bytes).expect("memory takes it");
    }
    writer.finish().expect("memory takes it").into_inner()
}
