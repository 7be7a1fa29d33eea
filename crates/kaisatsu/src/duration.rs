//! Parses durations (`90s`, `15m`, `1h30m`, `7d`, `2w`) and points in time.

use std::time::Duration;

use kaisatsu_model::{Clock, SystemClock, Timestamp};

/// No setting means more than a hundred years, in seconds.
const MOST: u64 = 36_525 * 86_400;

/// Parses whole numbers with their units, the largest unit first: `30s`, `1h30m`.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let rule = || "write a whole number and s, m, h, d or w, such as 30s, 24h or 1h30m".to_owned();
    let (mut rest, mut total, mut last) = (text, 0_u64, u64::MAX);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(rule)?;
        let count: u64 = rest[..end].parse().map_err(|_| rule())?;
        let unit = rest[end..].chars().next().ok_or_else(rule)?;
        let seconds = match unit {
            's' => 1,
            'm' => 60,
            'h' => 3_600,
            'd' => 86_400,
            'w' => 7 * 86_400,
            _ => return Err(rule()),
        };
        if seconds >= last {
            return Err(rule());
        }
        last = seconds;
        let part = count.checked_mul(seconds).and_then(|part| total.checked_add(part));
        total = part.filter(|total| *total <= MOST).ok_or_else(|| "that is more than a hundred years".to_owned())?;
        rest = &rest[end + 1..];
    }
    if text.is_empty() { Err(rule()) } else { Ok(Duration::from_secs(total)) }
}

/// Parses a duration that is longer than nothing.
pub(crate) fn parse_positive(text: &str) -> Result<Duration, String> {
    let span = parse(text)?;
    if span.is_zero() { Err("a span of time is longer than nothing".to_owned()) } else { Ok(span) }
}

/// Parses a calendar time, or a duration before now.
pub(crate) fn parse_time(text: &str) -> Result<Timestamp, String> {
    parse_time_before(SystemClock.now(), text)
}

fn parse_time_before(now: Timestamp, text: &str) -> Result<Timestamp, String> {
    if let Some(when) = Timestamp::from_calendar(text) {
        return Ok(when);
    }
    let rule = "write a time such as 2026-11-15T09:30:00Z, a day such as 2026-11-15, or how long ago, such as 2h";
    parse(text).map(|span| now.before(span)).map_err(|_| rule.to_owned())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use kaisatsu_model::Timestamp;

    use super::{parse, parse_time_before};

    #[test]
    fn a_time_is_a_timestamp_a_date_or_a_duration_ago() {
        let now = Timestamp(10_000_000_000);
        for (text, expected) in [
            ("1970-01-01T00:00:01Z", 1_000_000),
            ("1970-01-01T09:00:01+09:00", 1_000_000),
            ("1970-01-01T00:00:00.5Z", 500_000),
            ("1970-01-02", 86_400_000_000),
            ("2h", 2_800_000_000),
            ("0s", 10_000_000_000),
        ] {
            assert_eq!(parse_time_before(now, text), Ok(Timestamp(expected)), "{text}");
        }
        for bad in ["", "yesterday", "1970-13-01", "1970-01-01 00:00", "2", "12:00"] {
            assert!(parse_time_before(now, bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_duration_is_a_number_and_a_unit() {
        for (text, seconds) in [
            ("0s", 0),
            ("90s", 90),
            ("15m", 900),
            ("24h", 86_400),
            ("7d", 604_800),
            ("2w", 1_209_600),
            ("1h30m", 5_400),
            ("1d2h3m4s", 93_784),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_secs(seconds)));
        }
        for bad in
            ["", "s", "5", "-5s", "1.5h", "5秒", "99999999999999999999s", "1000000d", "+5s", "30m1h", "1h1h", "1h30"]
        {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
