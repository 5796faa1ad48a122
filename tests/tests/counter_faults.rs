//! What the counter refuses, and what the engine makes of a counter it has or lacks.

use std::rc::Rc;

use galley_core::tokens::counter::{Counter as Fill, Encoding};
use galley_core::tokens::model::CounterRow;
use galley_counter::{Counter, Fault, reference};
use indexmap::IndexMap;

fn fault(name: &str, bytes: &[u8]) -> Fault {
    match Counter::new(name, bytes) {
        Ok(_) => panic!("{name} loads"),
        Err(fault) => fault,
    }
}

#[test]
fn a_wrong_vocabulary_is_refused_by_name() {
    let file = reference::vocabulary_file("r50k_base").unwrap();
    assert_eq!(
        fault("p50k_base", &file).to_string(),
        "this is the vocabulary \"r50k_base\"; load \"p50k_base\""
    );
    assert!(
        fault("gpt2", &file)
            .to_string()
            .starts_with("no encoding is named \"gpt2\"; use o200k_base")
    );
}

#[test]
fn damaged_bytes_are_refused_wherever_the_damage_is() {
    let file = reference::vocabulary_file("r50k_base").unwrap();
    for cut in [
        0,
        1,
        7,
        8,
        23,
        24,
        27,
        28,
        35,
        36,
        291,
        292,
        file.len() / 2,
        file.len() - 1,
    ] {
        let fault = fault("r50k_base", &file[..cut]);
        assert!(
            matches!(fault, Fault::NotAVocabulary | Fault::Damaged(_)),
            "cut at {cut}: {fault}"
        );
    }
    for at in (0..file.len()).step_by(9973) {
        let mut changed = file.clone();
        changed[at] ^= 0x10;
        fault("r50k_base", &changed);
    }
    let mut longer = file.clone();
    longer.push(0);
    assert_eq!(fault("r50k_base", &longer), Fault::Damaged("its length"));
    // A file that was never decompressed.
    assert_eq!(
        fault("r50k_base", &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3]),
        Fault::NotAVocabulary
    );
}

#[test]
fn the_engine_counts_exactly_with_a_loaded_encoding_and_refuses_one_it_lacks() {
    let file = reference::vocabulary_file("r50k_base").unwrap();
    let counter: Rc<dyn Encoding> = Rc::new(Counter::new("r50k_base", &file).unwrap());
    let loaded: IndexMap<String, Rc<dyn Encoding>> =
        IndexMap::from([("r50k_base".to_owned(), counter)]);

    let fill = Fill::resolve(Some(&CounterRow::Encoding("r50k_base".into())), &loaded).unwrap();
    assert!(fill.exact());
    assert_eq!(fill.fill("hello world"), 2);
    assert_eq!(fill.fill(" \n\t"), 0);

    let lacking =
        Fill::resolve(Some(&CounterRow::Encoding("o200k_base".into())), &loaded).unwrap_err();
    assert_eq!(lacking.encoding, "o200k_base");
}
