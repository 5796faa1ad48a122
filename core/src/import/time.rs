//! Times as session logs spell them → milliseconds since 1970.

use serde_json::Value;

/// Below it a number is seconds, from it on milliseconds: the year 5138 in the one, March 1973 in the other.
const SECONDS_BELOW: f64 = 1e11;

/// The time a value says: ISO 8601 with or without a zone (UTC then), `July 4, 2024 10:31pm`,
/// `2023-7-1 @12h 3m 4s 5ms`, a number of seconds or milliseconds as a number or a text, or one of these in a
/// `$date`. 0 when it says none.
pub(super) fn millis(value: Option<&Value>) -> i64 {
    match value {
        Some(Value::Number(number)) => number.as_f64().map_or(0, number_of),
        Some(Value::String(text)) => match text.trim().parse() {
            Ok(number) => number_of(number),
            Err(_) => {
                let text = text.trim();
                let time = iso(text).or_else(|| spoken(text)).or_else(|| marked(text));
                time.unwrap_or(0)
            }
        },
        Some(Value::Object(wrapped)) => {
            millis(wrapped.get("$date").or_else(|| wrapped.get("$numberLong")))
        }
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
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let digits: String = fraction.chars().chain("000".chars()).take(3).collect();
    let time = instant(three(date, '-')?, three(clock, ':')?, digits.parse().ok()?)?;
    Some(time - offset(zone)? * 60_000)
}

/// `July 4, 2024 10:31pm`
fn spoken(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let mut words = text.split_whitespace();
    let month = words.next()?.get(..3)?.to_ascii_lowercase();
    let month = MONTHS.iter().position(|name| *name == month)? as i64 + 1;
    let day = words.next()?.trim_end_matches(',').parse::<u8>().ok()?;
    let year = words.next()?.parse::<u16>().ok()?;
    let clock = words.next()?.to_ascii_lowercase();
    let clock = match words.next() {
        Some(half) => clock + &half.to_ascii_lowercase(),
        None => clock,
    };
    let (hour, rest) = clock.split_once(':')?;
    let (minute, half) = rest.split_at_checked(2)?;
    let hour = hour.parse::<u8>().ok()?;
    let hour = match half {
        "am" => hour % 12,
        "pm" => hour % 12 + 12,
        "" => hour,
        _ => return None,
    };
    let minute = minute.parse::<u8>().ok()?;
    let date = [i64::from(year), month, i64::from(day)];
    instant(date, [hour.into(), minute.into(), 0], 0)
}

/// `2023-7-1 @12h 3m 4s 5ms`
fn marked(text: &str) -> Option<i64> {
    let (date, clock) = text.split_once('@')?;
    let numbers = clock.split(|c: char| !c.is_ascii_digit());
    let numbers = numbers.filter(|digits| !digits.is_empty());
    let mut numbers = numbers.map(|digits| digits.parse::<u32>().ok().map(i64::from));
    let mut next = || numbers.next().unwrap_or(Some(0));
    let time = [next()?, next()?, next()?];
    instant(three(date.trim(), '-')?, time, next()?)
}

/// The instant of a date and a time of day in UTC.
fn instant(
    [year, month, day]: [i64; 3],
    [hour, minute, second]: [i64; 3],
    milli: i64,
) -> Option<i64> {
    let valid = (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60;
    if !valid || !(0..=9999).contains(&year) || second > 60 || milli > 999 {
        return None;
    }
    Some(((days(year, month, day) * 24 + hour) * 3600 + minute * 60 + second) * 1000 + milli)
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
            (json!("July 4, 2024 10:31pm"), 1_720_132_260_000),
            (json!("Jul 4, 2024 12:05 am"), 1_720_051_500_000),
            (json!("2023-7-1 @12h 3m 4s 5ms"), 1_688_212_984_005),
            (json!("2023-07-01@12h03m04s"), 1_688_212_984_000),
            (
                json!({"$date": {"$numberLong": "1759165670508"}}),
                1_759_165_670_508,
            ),
            (json!({"$date": "2024-02-29T00:00:00Z"}), 1_709_164_800_000),
            (json!("July 4, 2024 10:3é"), 0),
            (json!("2023-7-1 @99h"), 0),
            (json!("yesterday"), 0),
            (json!("2025-13-01T00:00:00Z"), 0),
            (json!("2025-01-01T00:00:00+é"), 0),
            (json!(null), 0),
        ] {
            assert_eq!(millis(Some(&value)), expected, "{value}");
        }
    }
}
