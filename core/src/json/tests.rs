use super::*;
use proptest::prelude::*;
use serde_json::json;

fn ok(bytes: &[u8]) -> Read {
    read(bytes, "file_invalid").unwrap()
}

/// What each warning is about: code, line, offset.
fn places(warnings: &[Warning]) -> Vec<(&str, Option<u64>, Option<u64>)> {
    warnings
        .iter()
        .map(|w| (w.code.as_str(), w.line, w.offset))
        .collect()
}

#[test]
fn clean_json_reads_without_a_word() {
    let clean = ok("\u{feff}{\"a\":[1,\"é\\ud83d\\ude00\",null]}\n".as_bytes());
    assert_eq!(clean.value, json!({"a": [1, "é😀", null]}));
    assert_eq!(clean.warnings, []);
    assert_eq!(ok(br#"{"a":1,"a":2}"#).value, json!({"a": 2}));
}

#[test]
fn what_other_tools_write_is_mended_at_its_place() {
    for (text, value, code, line, offset) in [
        (r#"["\ud83d"]"#, json!(["\u{fffd}"]), "lone_surrogate", 1, 2),
        (
            r#"["\ude00x"]"#,
            json!(["\u{fffd}x"]),
            "lone_surrogate",
            1,
            2,
        ),
        (
            r#"["\ud83d\n"]"#,
            json!(["\u{fffd}\n"]),
            "lone_surrogate",
            1,
            2,
        ),
        ("[1,\n NaN]", json!([1, null]), "not_a_number", 2, 5),
        ("[Infinity]", json!([null]), "not_a_number", 1, 1),
        ("[-Infinity,2]", json!([null, 2]), "not_a_number", 1, 1),
        ("[1e999]", json!([null]), "not_a_number", 1, 1),
    ] {
        let read = ok(text.as_bytes());
        assert_eq!(read.value, value, "{text}");
        assert_eq!(
            places(&read.warnings),
            [(code, Some(line), Some(offset))],
            "{text}"
        );
    }
    let high_twice = ok(br#"["\ud83d\ud83d\ude00"]"#);
    assert_eq!(high_twice.value, json!(["\u{fffd}😀"]));
    let latin = ok(b"\xef\xbb\xbf[\"caf\xe9\", \"\xff\xfe\"]");
    assert_eq!(latin.value, json!(["caf\u{fffd}", "\u{fffd}\u{fffd}"]));
    let three = [8, 13, 14].map(|at| ("invalid_utf8", Some(1), Some(at)));
    assert_eq!(places(&latin.warnings), three);
}

#[test]
fn utf16_is_decoded_with_a_warning() {
    let text = "{\"a\":\"é😀\"}";
    for order in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
        let mut bytes: Vec<u8> = Vec::from(order(0xfeff));
        bytes.extend(text.encode_utf16().flat_map(order));
        let read = ok(&bytes);
        assert_eq!(read.value, json!({"a": "é😀"}));
        assert_eq!(places(&read.warnings), [("utf16", None, None)]);
    }
    let mut lone: Vec<u8> = vec![0xff, 0xfe];
    lone.extend(
        [0x5b, 0x0a, 0x22, 0xd83d, 0x22, 0x5d]
            .into_iter()
            .flat_map(u16::to_le_bytes),
    );
    let read = ok(&lone);
    assert_eq!(read.value, json!(["\u{fffd}"]));
    let expected = [("utf16", None, None), ("lone_surrogate", Some(2), Some(3))];
    assert_eq!(places(&read.warnings), expected);
}

#[test]
fn what_is_no_json_is_refused_with_its_place() {
    for (text, message) in [
        ("", "there is nothing in it"),
        (" \n\t ", "there is nothing in it"),
        (
            "hello",
            "line 1, column 1 (byte 0): a value is expected here",
        ),
        (
            "{\n  \"é\": x}",
            "line 2, column 8 (byte 10): a value is expected here",
        ),
        ("[1,]", "column 4 (byte 3): a value is expected here"),
        ("[1 2]", "column 4 (byte 3): `,` or `]` is expected here"),
        ("{\"a\" 1}", "column 6 (byte 5): `:` is expected here"),
        (
            "{a:1}",
            "column 2 (byte 1): a member's name in double quotes",
        ),
        (
            "{\"a\":1,}",
            "column 8 (byte 7): a member's name in double quotes",
        ),
        ("[1] [2]", "column 5 (byte 4): the value ends before this"),
        ("[\"a\tb\"]", "column 4 (byte 3): a control character"),
        ("[\"\\x\"]", "column 3 (byte 2): JSON has no such escape"),
        ("[\"\\u12g4\"]", "column 3 (byte 2): `\\u` needs four"),
        ("[01]", "`,` or `]` is expected"),
        ("[-]", "a digit is expected"),
        ("[1.]", "a digit is expected"),
        (
            "{\"a\":[1,{\"b\":\"c",
            "byte 15): the text ends inside the string that opens at byte 13; it looks cut off",
        ),
        (
            "{\"a\":[1,",
            "byte 8): the text ends inside a list; it looks cut off",
        ),
        ("{\"a\"", "the text ends inside an object; it looks cut off"),
        ("[tru", "the text ends in a word; it looks cut off"),
        ("[Na", "byte 3): the text ends in a word; it looks cut off"),
        (
            "[-Inf",
            "byte 5): the text ends in a word; it looks cut off",
        ),
        ("[-", "the text ends in a number; it looks cut off"),
        (
            "[\"\\u12",
            "the text ends inside the string that opens at byte 1",
        ),
    ] {
        let refusal = read(text.as_bytes(), "file_invalid").unwrap_err();
        assert_eq!(refusal.code, "file_invalid");
        assert!(
            refusal.message.contains(message),
            "{text:?}: {}",
            refusal.message
        );
    }
}

#[test]
fn nesting_is_read_to_the_bound_and_refused_past_it() {
    let nested = |depth: usize| [vec![b'['; depth], vec![b']'; depth]].concat();
    ok(&nested(MAX_DEPTH));
    for bomb in [
        nested(MAX_DEPTH + 1),
        vec![b'['; 5_000_000],
        b"{\"a\":".repeat(1_000_000),
    ] {
        let refusal = read(&bomb, "parameter_invalid").unwrap_err();
        assert!(
            refusal.message.contains("deeper than 127"),
            "{}",
            refusal.message
        );
    }
}

#[test]
fn many_of_a_kind_are_counted() {
    let read = ok(format!("[{}0]", r#""\ud800","#.repeat(1_000)).as_bytes());
    assert_eq!(read.warnings.len(), LISTED + 1);
    assert!(read.warnings[LISTED].message.starts_with("980 more"));
}

#[test]
fn noise_that_begins_like_utf16_is_not_decoded() {
    let mut noise = vec![0xff, 0xfe];
    noise.extend((0..1_000u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()));
    noise[2..4].copy_from_slice(&[0x99, 0x12]);
    let message = read(&noise, "file_invalid").unwrap_err().message;
    assert!(message.contains("byte 0"), "{message}");
}

/// Values whose texts and numbers a strict reader takes.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..4)
                .prop_map(|pairs| pairs.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn the_scan_takes_what_a_strict_reader_takes(value in any_value()) {
        let text = serde_json::to_vec(&value).unwrap();
        let mut notes = Notes::default();
        let (read, end) = first(&text, Place::default(), &mut notes).unwrap();
        prop_assert_eq!(end, text.len());
        prop_assert_eq!(notes.finish(), vec![]);
        prop_assert_eq!(read, serde_json::from_slice::<Value>(&text).unwrap());
    }

    #[test]
    fn the_scan_refuses_what_a_strict_reader_refuses(text in r#"[\[\]{}:,"\\a0-9.eE+\-tfnul \n]{0,24}"#) {
        let strict = serde_json::from_str::<Value>(&text).is_ok();
        let mut notes = Notes::default();
        let whole = first(text.as_bytes(), Place::default(), &mut notes)
            .is_ok_and(|(_, end)| rest(text.as_bytes(), end).is_none());
        // A number too large for a double is the one thing that is mended in this alphabet.
        prop_assert_eq!(whole && notes.finish().is_empty(), strict);
    }

    #[test]
    fn any_bytes_read_or_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), quoted in any::<bool>()) {
        let bytes = if quoted { [b"[\"", bytes.as_slice(), b"\"]"].concat() } else { bytes };
        if let Err(refusal) = read(&bytes, "file_invalid") {
            prop_assert!(!refusal.message.is_empty());
        }
    }

    #[test]
    fn every_prefix_is_refused_at_its_end(value in any_value(), part in 0.0..1.0f64) {
        let text = serde_json::to_vec(&json!([value])).unwrap();
        let cut = ((text.len() as f64 * part) as usize).max(1);
        let mut notes = Notes::default();
        let fault = super::value(&text[..cut], Place::default(), &mut notes).unwrap_err();
        prop_assert!(fault.cut_off, "{fault:?}");
        prop_assert_eq!(fault.offset, cut as u64);
    }
}
