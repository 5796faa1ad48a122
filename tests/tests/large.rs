//! Files of a hundred megabytes that are none.

use galley_core::import::{Ask, open};

#[test]
fn a_hundred_megabytes_of_noise_are_refused() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut noise: Vec<u8> = Vec::with_capacity(100_000_008);
    while noise.len() < 100_000_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        noise.extend(state.to_le_bytes());
    }
    for start in [&b"\x01"[..], b"{\"messages\":[", b"\xff\xfe", b"PK\x03\x04"] {
        noise[..start.len()].copy_from_slice(start);
        let refusal = open(&noise, &Ask::default()).expect_err("noise is no conversation");
        assert!(refusal.code.starts_with("file_"), "{refusal}");
    }
    let mut unclosed = vec![b'a'; 100_000_000];
    unclosed[..2].copy_from_slice(b"[\"");
    let refusal =
        open(&unclosed, &Ask::default()).expect_err("an unclosed string is no conversation");
    assert!(refusal.message.contains("(byte 100000000)"), "{refusal}");
}
