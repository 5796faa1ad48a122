//! Times as session logs spell them → milliseconds since 1970.

use serde_json::Value;

/// Below it a number is seconds, from it on milliseconds: the year 5138 in the one, March 1973 in the other.
const SECONDS_BELOW: f64 = 1e11;

/// The time a value says: ISO 8601 with or without a zone (UTC then), or a number of seconds or milliseconds,
/// as a number or a text. 0 when it says none.
pub(super) fn millis(value: Option<&Value>) -> i64 {
    match value {
        Some(Value::Number(number)) => number.as_f64().map_or(0, number_of),
        Some(Value::String(text)) => match text.trim().parse() {
            Ok(number) => number_of(number),
            Err(_) => iso(text.trim()).unwrap_or(0),
        },
        _ => 0,
    }
}

fn number_of(number: f64) -> i64 {
    // A cast saturates, and makes 0 of what is no number.
    match number.abs() < SECONDS_BELOW {
        true => (number * 1000.0) as i64,
        false => number as i64,
    }
}

fn iso(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(['T', ' '])?;
    let zone = time.find(['Z', '+', '-']).unwrap_or(time.len());
    let (clock, zone) = (time.get(..zone)?, time.get(zone..)?);
    let [year, month, day] = three(date, '-')?;
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let [hour, minute, second] = three(clock, ':')?;
    let valid = (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60;
    if !valid || !(0..=9999).contains(&year) || second > 60 {
        return None;
    }
    let digits: String = fraction.chars().chain("000".chars()).take(3).collect();
    let milli: i64 = digits.parse().ok()?;
    let minutes = (days(year, month, day) * 24 + hour) * 60 + minute - offset(zone)?;
    Some((minutes * 60 + second) * 1000 + milli)
}

fn three(text: &str, between: char) -> Option<[i64; 3]> {
    let mut numbers = text.splitn(3, between).map(|part| part.parse::<u32>().ok());
    let mut next = || numbers.next().flatten().map(i64::from);
    Some([next()?, next()?, next()?])
}

/// Minutes east of UTC.
fn offset(zone: &str) -> Option<i64> {
    let sign = match zone.chars().next() {
        None | Some('Z') => return Some(0),
        Some('-') => -1,
        Some(_) => 1,
    };
    let digits: String = zone.chars().filter(char::is_ascii_digit).collect();
    let number: i64 = digits.get(..4)?.parse().ok()?;
    Some(sign * (number / 100 * 60 + number % 100))
}

/// Days since 1970-01-01 in the Gregorian calendar, the year counted from March so that a leap day ends it.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month > 2 { year } else { year - 1 };
    let since_march = (month + 9) % 12;
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leaps + (since_march * 153 + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn times_come_in_every_spelling() {
        for (value, expected) in [
            (json!("1970-01-01T00:00:00Z"), 0),
            (json!("2025-09-29T17:07:50.508Z"), 1_759_165_670_508),
            (json!("2025-09-29T19:07:50.508123+02:00"), 1_759_165_670_508),
            (json!("2025-09-29 13:37:50.5-0330"), 1_759_165_670_500),
            (json!("2024-02-29T00:00:00"), 1_709_164_800_000),
            (json!(1_759_165_670.508), 1_759_165_670_508),
            (json!(1_759_165_670_508_i64), 1_759_165_670_508),
            (json!("1759165670508"), 1_759_165_670_508),
            (json!("0"), 0),
            (json!("yesterday"), 0),
            (json!("2025-13-01T00:00:00Z"), 0),
            (json!("2025-01-01T00:00:00+é"), 0),
            (json!(null), 0),
        ] {
            assert_eq!(millis(Some(&value)), expected, "{value}");
        }
    }
}
