//! The counter against the reference tokenizer, token for token, for all five encodings.

use std::sync::LazyLock;

use galley_counter::Counter;
use galley_tests::{ENCODINGS, reference};
use proptest::prelude::*;

static COUNTERS: LazyLock<Vec<Counter>> = LazyLock::new(|| {
    ENCODINGS
        .iter()
        .map(|name| Counter::new(name).unwrap())
        .collect()
});

#[track_caller]
fn check(text: &str) {
    for counter in COUNTERS.iter() {
        check_in(counter, text);
    }
}

#[track_caller]
fn check_in(counter: &Counter, text: &str) {
    let expected = reference(counter.name()).encode_ordinary(text);
    let head: String = text.chars().take(200).collect();
    assert!(
        counter.ranks(text) == expected,
        "{}: other tokens for {head:?}",
        counter.name()
    );
    assert_eq!(
        counter.count(text),
        expected.len() as u64,
        "{}: {head:?}",
        counter.name()
    );
}

fn counter(name: &str) -> &'static Counter {
    COUNTERS
        .iter()
        .find(|counter| counter.name() == name)
        .unwrap()
}

#[test]
fn prose_code_json_and_the_worlds_scripts() {
    for text in [
        include_str!("../corpus/prose.txt"),
        include_str!("../corpus/code.rs"),
        include_str!("../corpus/code.js"),
        include_str!("../corpus/data.json"),
        include_str!("../corpus/world.txt"),
    ] {
        check(text);
        check(&text.replace('\n', "\r\n"));
        check(&text.replace(' ', "\u{a0}"));
        check(&text.replace(' ', ""));
        check(&text.to_uppercase());
        for line in text.lines() {
            check(line);
        }
    }
}

#[test]
fn every_character_alone_and_between_letters() {
    for counter in [
        counter("o200k_base"),
        counter("cl100k_base"),
        counter("r50k_base"),
    ] {
        // The planes between hold nothing.
        for block in (0..0x3_4000_u32).chain(0xe_0000..0xe_0400).step_by(64) {
            let characters: Vec<char> = (block..block + 64).filter_map(char::from_u32).collect();
            let alone: String = characters.iter().flat_map(|c| [*c, '\n']).collect();
            let between: String = characters
                .iter()
                .flat_map(|c| ['a', *c, *c, 'B', ' ', *c])
                .collect();
            check_in(counter, &alone);
            check_in(counter, &between);
        }
    }
}

#[test]
fn white_space_of_every_kind() {
    let kinds = [
        " ", "  ", "\t", "\n", "\r", "\r\n", "\n\n", "\u{b}", "\u{c}", "\u{85}", "\u{a0}",
        "\u{1680}", "\u{2003}", "\u{2028}", "\u{3000}", "\u{200b}", "\u{feff}",
    ];
    for first in kinds {
        for second in kinds {
            for text in ["a", "'s", "1", ".", ""] {
                check(&format!("x{first}{second}{text}"));
                check(&format!("{first}{second}{first}{text}{second}"));
            }
        }
    }
}

#[test]
fn nothing_is_no_token() {
    for counter in COUNTERS.iter() {
        assert_eq!(counter.count(""), 0);
        assert!(counter.ends("").is_empty());
    }
}

#[test]
fn special_token_text_counts_as_plain_text() {
    for special in [
        "<|endoftext|>",
        "<|im_start|>",
        "<|im_end|>",
        "<|fim_prefix|>",
        "<|endofprompt|>",
        "<|start|>",
        "<|message|>",
        "<|channel|>",
        "<|reserved_200014|>",
    ] {
        check(special);
        check(&format!("a{special}b {special}{special}\n{special}"));
        for counter in COUNTERS.iter() {
            assert!(counter.count(special) > 1, "{}: {special}", counter.name());
        }
    }
}

#[test]
fn a_hundred_thousand_equal_characters() {
    for character in ['_', 'a', '^', ' ', '\n', '汉', '\u{301}', '0', '👩'] {
        check(&String::from(character).repeat(100_000));
    }
}

#[test]
fn a_million_equal_characters() {
    for character in ["_", "a", "^", "汉"] {
        check_in(counter("o200k_base"), &character.repeat(1_000_000));
    }
    // The reference's pattern engine gives up on a million spaces. Its longest run of spaces that is
    // one token has 128 in o200k.
    assert_eq!(
        counter("o200k_base").count(&" ".repeat(1_000_000)),
        1_000_000_u64.div_ceil(128)
    );
}

#[test]
fn one_word_of_a_hundred_thousand_different_characters() {
    let mut state = 1_u32;
    let mut next = |below: u32| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state % below
    };
    let han: String = (0..100_000)
        .filter_map(|_| char::from_u32(0x4e00 + next(3000)))
        .collect();
    check(&han);
    let latin: String = (0..100_000)
        .filter_map(|_| char::from_u32(0x61 + next(26)))
        .collect();
    check(&latin);
}

#[test]
fn two_megabytes_of_base64_on_one_line() {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = 1_u32;
    let line: String = (0..2_000_000)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            char::from(alphabet[(state % 64) as usize])
        })
        .collect();
    check(&line);
}

#[test]
fn tokens_end_where_the_references_do() {
    for text in [
        include_str!("../corpus/prose.txt"),
        include_str!("../corpus/world.txt"),
        "<|endoftext|> \r\n\u{feff}👩‍👩‍👧‍👦",
    ] {
        for counter in COUNTERS.iter() {
            let reference = reference(counter.name());
            let mut end = 0;
            let expected: Vec<usize> = reference
                .encode_ordinary(text)
                .into_iter()
                .map(|rank| {
                    end += reference.decode_bytes(&[rank]).unwrap().len();
                    end
                })
                .collect();
            assert_eq!(counter.ends(text), expected, "{}", counter.name());
            assert_eq!(expected.last(), Some(&text.len()));
        }
    }
}

/// Strings of what the patterns tell apart: letters by case, marks, digits, white space, marks of
/// contraction, joiners, special-token text; and runs of each.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ \n\r\t\u{b}\u{c}\u{85}\u{a0}\u{2028}\u{3000}\u{feff}\u{200b}]{1,4}",
        "'(s|S|t|re|RE|ve|m|ll|LL|d|ſ|x)",
        "[a-zA-ZſKǅʰªé漢かカ한]{1,6}",
        "[\u{301}\u{308}\u{94d}\u{20dd}\u{fe0f}\u{200d}]{1,3}",
        "[0-9١४²½Ⅷ]{1,5}",
        "[!-/:-@\\[-`{-~]{1,4}",
        "(<\\|endoftext\\|>|<\\|im_start\\|>|👩\u{200d}👧|🇫🇷)",
        any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec((piece, 1..4_usize), 0..24).prop_map(|pieces| {
        pieces
            .iter()
            .map(|(piece, times)| piece.repeat(*times))
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn hostile_text(text in hostile()) {
        check(&text);
    }

    /// Pieces on both sides of the length from which they are merged another way.
    #[test]
    fn long_words(word in "[a-eA-C\u{4e00}-\u{4e20}\u{e9}\u{431}]{20,300}|[=/_#-]{40,300}|[ \n]{40,300}") {
        check(&word);
    }

    #[test]
    fn ends_rise_to_the_length(text in hostile()) {
        let counter = counter("o200k_base");
        let ends = counter.ends(&text);
        prop_assert_eq!(ends.len() as u64, counter.count(&text));
        prop_assert!(ends.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert_eq!(ends.last().copied().unwrap_or(0), text.len());
    }
}
