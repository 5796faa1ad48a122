use super::*;
use proptest::prelude::*;
use serde_json::json;

type Outcome = Result<(Format, Vec<Found>, Vec<Warning>), Refusal>;

fn read(slices: &[&[u8]]) -> Outcome {
    read_as(None, slices)
}

fn read_as(format: Option<Format>, slices: &[&[u8]]) -> Outcome {
    let ask = Ask {
        format,
        ..Ask::default()
    };
    let mut reading = Reading::new(ask, readers::ALL);
    let mut found = Vec::new();
    for slice in slices {
        found.extend(reading.push(slice)?);
    }
    let end = reading.finish()?;
    found.extend(end.found);
    Ok((end.format, found, end.warnings))
}

fn chat(text: &str) -> Value {
    json!({"messages": [{"role": "user", "content": text}]})
}

#[test]
fn conversations_of_a_list_are_given_out_as_they_become_whole() {
    let list = json!([chat("a"), chat("b ]}\" ["), chat("c")]).to_string();
    let mut reading = Reading::new(Ask::default(), readers::ALL);
    let mut given = Vec::new();
    for byte in list.as_bytes().chunks(1) {
        given.push(reading.push(byte).unwrap().len());
        assert!(reading.bytes.len() < 64, "what is read is let go of");
    }
    assert_eq!(given.iter().sum::<usize>(), 3);
    assert!(given.iter().all(|count| *count < 2));
    assert!(reading.finish().unwrap().found.is_empty());
}

#[test]
fn a_broken_item_is_told_and_the_others_are_read() {
    let text = format!("[{},\n{{\"messages\": bad}},\n{}", chat("a"), chat("b"));
    let (_, found, warnings) = read(&[text.as_bytes()]).unwrap();
    assert_eq!(found.len(), 2);
    let told: Vec<_> = warnings
        .iter()
        .map(|w| (w.code.as_str(), w.line, w.path.as_deref()))
        .collect();
    let expected = [
        ("item_unreadable", Some(2), Some("/1")),
        ("file_cut_off", Some(3), None),
    ];
    assert_eq!(told, expected);
}

#[test]
fn a_part_is_read_again_by_itself() {
    let list = json!([chat("a"), chat("b")]).to_string();
    let lines = format!("\u{feff}{}\n\n{}{}\n", chat("a"), chat("b"), chat("c"));
    let log = "{\"role\":\"user\",\"content\":\"q\"}\n{\"role\":\"user\",\"content\":7}\n";
    for text in [list.as_str(), &lines, log] {
        let (_, found, _) = read(&[text.as_bytes()]).unwrap();
        for Found { imported, unit } in found {
            let bytes = match unit.part.span() {
                Some(span) => &text.as_bytes()[span.place.offset as usize..][..span.len],
                None => text.as_bytes(),
            };
            let again = unit.part.again(bytes, &Ask::default()).unwrap();
            assert_eq!(again.get(unit.nth), Some(&imported));
        }
    }
}

#[test]
fn what_follows_a_list_is_told() {
    let text = format!("{} x", json!([chat("a")]));
    for size in 1..=text.len() {
        let slices: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
        let (_, found, warnings) = read(&slices).unwrap();
        let told: Vec<_> = warnings
            .iter()
            .map(|w| (w.code.as_str(), w.offset))
            .collect();
        let behind = text.len() as u64 - 1;
        assert_eq!((found.len(), told), (1, vec![("not_read", Some(behind))]));
    }
}

#[test]
fn what_lines_are_shows_the_same_however_many_blank_ones_stand_between_them() {
    let text = format!("{{\"a\":{{}}}}\n{}{}\n", "\n".repeat(70), chat("a"));
    let bytes = text.as_bytes();
    let (format, found, _) = read(&[bytes]).unwrap();
    assert_eq!((format, found.len()), (Format::ChatCompletions, 1));
    let slices: Vec<&[u8]> = bytes.chunks(5).collect();
    assert_eq!(read(&slices).unwrap().0, format);
}

proptest! {
    #[test]
    fn any_slicing_reads_the_same(
        pieces in prop::collection::vec(prop_oneof![
            Just("["), Just("]"), Just(","), Just("\n"), Just("{\"messages\":[]}"), Just("{\"messages\": bad}"),
            Just("{\"role\":\"user\",\"content\":\"a\"}"), Just("\u{feff}"), Just("{\"a\":"), Just("{}"), Just("\0"),
            Just("{\"messages\":[{\"role\":\"user\",\"content\":\"\\ud800\"}]}"), Just("\r\n"), Just("7"),
        ], 0..12),
        cuts in prop::collection::vec(0usize..200, 0..6),
        format in prop::option::of(prop::sample::select(Format::all().collect::<Vec<_>>())),
    ) {
        let text = pieces.concat();
        let bytes = text.as_bytes();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let slices: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        let plain = |read: Outcome| {
            read.map(|(format, found, warnings)| {
                let found: Vec<Imported> = found.into_iter().map(|found| found.imported).collect();
                (format, found, warnings)
            })
        };
        prop_assert_eq!(plain(read_as(format, &slices)), plain(read_as(format, &[bytes])));
    }
}
