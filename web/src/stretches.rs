//! Two texts set against each other, and texts in parts: no long text crosses to the page whole.

use crate::protocol::fit::{Fate, Side, Stretch};

/// How much of a stretch crosses unasked, bytes.
const SHOWN: usize = 800;

/// How much of what is on both sides.
const KEPT: usize = 240;

/// Fewer bytes at an end that happen to be the same are nothing that was kept.
const COMMON: usize = 24;

/// Both sides of a change: the ends that were kept, and what stands between them.
pub fn between(old: &str, new: &str) -> Vec<Stretch> {
    let head = common(old.bytes().zip(new.bytes()));
    let head = old.floor_char_boundary(head);
    let (rest_old, rest_new) = (&old[head..], &new[head..]);
    let tail = common(rest_old.bytes().rev().zip(rest_new.bytes().rev()));
    let tail = rest_old.len() - rest_old.ceil_char_boundary(rest_old.len() - tail);
    let head = if head < COMMON { 0 } else { head };
    let tail = if tail < COMMON { 0 } else { tail };
    let side = |side: Side, text: &str, fate: Fate| {
        let end = text.len() - tail;
        [
            stretch(
                side,
                Fate::Kept,
                text,
                (0, head),
                (head.saturating_sub(KEPT), head),
            ),
            stretch(side, fate, text, (head, end), (head, end.min(head + SHOWN))),
            stretch(
                side,
                Fate::Kept,
                text,
                (end, text.len()),
                (end, text.len().min(end + KEPT)),
            ),
        ]
    };
    side(Side::Old, old, Fate::Out)
        .into_iter()
        .chain(side(Side::New, new, Fate::In))
        .filter(|stretch| stretch.from < stretch.to)
        .collect()
}

/// A text that is set against nothing.
pub fn alone(side: Side, text: &str) -> Stretch {
    let all = (0, text.len());
    stretch(side, Fate::Alone, text, all, (0, text.len().min(SHOWN)))
}

/// A part of a text, no character cut in two: where it begins, and the part.
pub fn cut(text: &str, from: u64, to: u64) -> (u64, String) {
    let place = |byte: u64| usize::try_from(byte).unwrap_or(usize::MAX).min(text.len());
    let (from, to) = (
        text.floor_char_boundary(place(from)),
        text.ceil_char_boundary(place(to)),
    );
    (
        from as u64,
        text.get(from..to).unwrap_or_default().to_owned(),
    )
}

fn common(pairs: impl Iterator<Item = (u8, u8)>) -> usize {
    pairs.take_while(|(a, b)| a == b).count()
}

fn stretch(
    side: Side,
    fate: Fate,
    text: &str,
    (from, to): (usize, usize),
    (at, end): (usize, usize),
) -> Stretch {
    let (at, text) = cut(text, at as u64, end as u64);
    Stretch {
        side,
        fate,
        from: from as u64,
        to: to as u64,
        at,
        text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn told(old: &str, new: &str) -> Vec<(Side, Fate, u64, u64)> {
        let all = between(old, new).into_iter();
        all.map(|one| (one.side, one.fate, one.from, one.to))
            .collect()
    }

    #[test]
    fn the_ends_that_were_kept_stand_apart() {
        let (head, tail) = ("é".repeat(20), "ü".repeat(30));
        let old = format!("{head}{}{tail}", "é".repeat(500));
        let new = format!("{head}[cap]{tail}");
        // The head goes on in what is out, but what is in does not.
        assert_eq!(
            told(&old, &new),
            [
                (Side::Old, Fate::Kept, 0, 40),
                (Side::Old, Fate::Out, 40, 1_040),
                (Side::Old, Fate::Kept, 1_040, 1_100),
                (Side::New, Fate::Kept, 0, 40),
                (Side::New, Fate::In, 40, 45),
                (Side::New, Fate::Kept, 45, 105),
            ]
        );
    }

    #[test]
    fn texts_that_share_next_to_nothing_share_nothing() {
        let old = "[a long result, of which nothing stays.]";
        let new = "[pruned.]";
        let all = [
            (Side::Old, Fate::Out, 0, old.len() as u64),
            (Side::New, Fate::In, 0, new.len() as u64),
        ];
        assert_eq!(told(old, new), all);
        assert_eq!(told("", ""), []);
    }

    #[test]
    fn what_crosses_is_short_and_the_rest_can_be_asked_for() {
        let old = "€".repeat(5_000);
        let all = between(&old, "gone");
        let [out, _] = all.as_slice() else {
            panic!("one out, one in");
        };
        let mut out = out.clone();
        assert!(out.text.len() < 1_000);
        while out.end() < out.to {
            // Asked for between two bytes of a character, too.
            let (at, more) = cut(&old, out.end(), out.end() + 1_000);
            out.take(at, &more);
        }
        assert_eq!(out.text, old);
    }
}
