//! Counts the days on which each service of a feed runs.

use std::collections::HashMap;

use crate::{Error, Summary, gtfs::feed::Feed};

const NAMES: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Which days of the week count, from Monday on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Weekdays(pub(super) [bool; 7]);

/// The number of days of each service; `None` if the feed has no calendar.
pub(super) fn days(
    feed: &mut Feed,
    wanted: Weekdays,
    summary: &mut Summary,
) -> Result<Option<HashMap<String, usize>>, Error> {
    let mut days: HashMap<String, i64> = HashMap::new();
    let mut has_calendar = false;
    let mut is_no_date = |text: &str, file: &str, line: u64| {
        summary.omit("dates of services that are no dates", format!("{text} at {file}:{line}"));
    };
    if let Some((mut table, _)) = feed.table("calendar.txt")? {
        has_calendar = true;
        let [service, start, end] = ["service_id", "start_date", "end_date"].map(|name| table.column(name));
        let columns = NAMES.map(|name| table.column(name));
        while let Some(row) = table.next()? {
            let runs = columns.map(|column| row.text(column) == "1");
            let [from, to] = [start, end].map(|column| {
                let found = day_number(row.text(column));
                if found.is_none() {
                    is_no_date(row.text(column), "calendar.txt", row.line);
                }
                found
            });
            let count = from.zip(to).map_or(1, |(from, to)| {
                let of = |weekday: usize| {
                    if runs[weekday] && wanted.0[weekday] { days_of_week(from, to, weekday) } else { 0 }
                };
                (0..7).map(of).sum()
            });
            *days.entry(row.text(service).to_owned()).or_default() += count;
        }
    }
    if let Some((mut table, _)) = feed.table("calendar_dates.txt")? {
        has_calendar = true;
        let [service, date, kind] = ["service_id", "date", "exception_type"].map(|name| table.column(name));
        while let Some(row) = table.next()? {
            let Some(day) = day_number(row.text(date)) else {
                is_no_date(row.text(date), "calendar_dates.txt", row.line);
                continue;
            };
            let known = days.entry(row.text(service).to_owned()).or_default();
            if wanted.0[weekday(day)] {
                *known += if row.text(kind) == "2" { -1 } else { 1 };
            }
        }
    }
    let counted = days.into_iter().map(|(service, days)| (service, usize::try_from(days).unwrap_or(0)));
    Ok(has_calendar.then(|| counted.collect()))
}

/// The number of a date such as 20261118, in days; `None` if it is no date.
fn day_number(text: &str) -> Option<i64> {
    let number: i64 = text.trim().parse().ok().filter(|_| text.trim().len() == 8)?;
    let (year, month, day) = (number / 10_000, number / 100 % 100, number % 100);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years begin in March, so that the leap day is the last one.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    Some(365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1)
}

/// The day of the week from Monday on. Day 0 is 0000-03-01, a Wednesday.
fn weekday(day: i64) -> usize {
    usize::try_from((day + 2).rem_euclid(7)).unwrap_or(0)
}

/// How many times a day of the week occurs from one day to another.
fn days_of_week(from: i64, to: i64, wanted: usize) -> i64 {
    let ahead = i64::try_from((wanted + 7 - weekday(from)) % 7).unwrap_or(0);
    if from + ahead > to { 0 } else { (to - from - ahead) / 7 + 1 }
}

#[cfg(test)]
mod tests {
    use super::{day_number, days_of_week, weekday};

    #[test]
    fn dates_have_the_right_day_of_the_week() {
        let weekday_of = |text: &str| weekday(day_number(text).unwrap());
        assert_eq!(weekday_of("20261118"), 2, "a Wednesday");
        assert_eq!(weekday_of("20240229"), 3, "a Thursday");
        assert_eq!(weekday_of("20000101"), 5, "a Saturday");
        assert_eq!(["2026", "20261301", "20261100", "today", ""].map(day_number), [None; 5]);
    }

    #[test]
    fn days_of_the_week_are_counted_with_both_ends() {
        let (monday, friday) = (day_number("20261116").unwrap(), day_number("20261120").unwrap());
        assert_eq!(days_of_week(monday, friday, 0), 1);
        assert_eq!(days_of_week(monday, friday, 4), 1);
        assert_eq!(days_of_week(monday, friday, 5), 0);
        assert_eq!(days_of_week(monday, monday + 14, 0), 3);
    }
}
