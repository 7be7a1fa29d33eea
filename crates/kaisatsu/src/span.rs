//! Spans of time as people write them: `90s`, `15m`, `24h`, `7d`.

use std::time::Duration;

/// Reads a whole number and a unit.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let rule = || "write a whole number and s, m, h or d, such as 30s or 24h".to_owned();
    let unit = text.chars().last().ok_or_else(rule)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return Err(rule()),
    };
    let digits = &text[..text.len() - 1];
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(rule());
    }
    let count: u64 = digits.parse().map_err(|_| rule())?;
    // A hundred years are longer than any of our settings means.
    count
        .checked_mul(seconds)
        .filter(|total| *total <= 36_525 * 86_400)
        .map(Duration::from_secs)
        .ok_or_else(|| "that is more than a hundred years".to_owned())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::parse;

    #[test]
    fn spans_are_a_number_and_a_unit() {
        for (text, seconds) in [("0s", 0), ("90s", 90), ("15m", 900), ("24h", 86_400), ("7d", 604_800)] {
            assert_eq!(parse(text), Ok(Duration::from_secs(seconds)));
        }
        for bad in ["", "s", "5", "-5s", "1.5h", "5秒", "99999999999999999999s", "1000000d", "+5s"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
