//! Bytes of any kind: texts, and archives as they are or damaged.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| galley_fuzz::check(bytes));
