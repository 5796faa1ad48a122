//! What the counter refuses, and what the engine makes of a counter it has or lacks.

use std::rc::Rc;

use galley_core::tokens::counter::{Counter as Fill, Encoding};
use galley_core::tokens::model::CounterRow;
use galley_counter::{Counter, Fault};
use indexmap::IndexMap;

#[test]
fn an_unknown_name_is_refused_with_the_known_ones() {
    // `gpt2` and `p50k_edit` are names of the engine's that no model row may declare.
    for name in ["", "gpt2", "p50k_edit", "O200K_BASE", "llama3"] {
        let fault = Counter::new(name).err();
        assert_eq!(fault, Some(Fault::UnknownEncoding(name.to_owned())));
    }
    assert_eq!(
        Fault::UnknownEncoding("gpt2".to_owned()).to_string(),
        "no encoding is named \"gpt2\"; use one of o200k_base, o200k_harmony, cl100k_base, p50k_base, r50k_base"
    );
}

#[test]
fn an_encoding_of_another_module_is_refused_with_that_modules_name() {
    let fault = Fault::NotCarried {
        name: "o200k_harmony",
        vocabulary: "o200k_base",
    };
    assert_eq!(
        fault.to_string(),
        "this module does not carry \"o200k_harmony\"; load \"o200k_base.js\""
    );
}

#[test]
fn the_engine_counts_exactly_with_a_loaded_encoding_and_refuses_one_it_lacks() {
    let counter: Rc<dyn Encoding> = Rc::new(Counter::new("r50k_base").unwrap());
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
