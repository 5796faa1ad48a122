//! Numbers and states in the page's words.

use crate::protocol::{Counter, Plan};

/// A count with thousands apart: `7,193`.
pub fn n(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A part of a whole: `50.2 %`.
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return String::new();
    }
    format!("{:.1} %", part as f64 / whole as f64 * 100.0)
}

/// One noun or several: `1 turn`, `18 turns`.
pub fn some(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", n(count), if count == 1 { "" } else { "s" })
}

/// A share as its field shows it: two decimals, more only when it has them.
pub fn share(share: f64) -> String {
    let short = format!("{share:.2}");
    if short.parse() == Ok(share) {
        short
    } else {
        format!("{share:.4}").trim_end_matches('0').to_owned()
    }
}

/// How sure the big number is.
pub fn counted(plan: &Plan) -> String {
    counted_by(&plan.counter)
}

/// How sure a number is, by what counted it.
pub fn counted_by(counter: &Counter) -> String {
    match counter {
        Counter::Exact(encoding) => format!("tokens, exact by {encoding}"),
        Counter::Anchored(encoding, factor) => {
            format!("tokens, anchored: {encoding} × {factor:.2}")
        }
        Counter::Bytes => "tokens, estimate: bytes ÷ 4".to_owned(),
        Counter::Waiting(encoding) => format!("tokens, estimate until {encoding} is here"),
    }
}

/// The sign before a number that is no exact count.
pub fn about(plan: &Plan) -> &'static str {
    if plan.tokenizer_exact { "" } else { "≈ " }
}

/// The same, by what counted it.
pub fn sign(counter: &Counter) -> &'static str {
    match counter {
        Counter::Exact(_) => "",
        _ => "≈ ",
    }
}

/// Time the engine took.
pub fn took(milliseconds: f64) -> String {
    if milliseconds < 1.0 {
        "under 1 ms".to_owned()
    } else {
        format!("{milliseconds:.0} ms")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(n(0), "0");
        assert_eq!(n(999), "999");
        assert_eq!(n(1000), "1,000");
        assert_eq!(n(1_048_576), "1,048,576");
    }

    #[test]
    fn shares_are_short_when_they_can_be() {
        assert_eq!(share(0.5), "0.50");
        assert_eq!(share(0.6237), "0.6237");
        assert_eq!(share(0.625), "0.625");
        assert_eq!(share(1.0), "1.00");
    }

    #[test]
    fn parts_of_nothing_say_nothing() {
        assert_eq!(percent(7_193, 14_336), "50.2 %");
        assert_eq!(percent(1, 0), "");
    }
}
