//! Timestamps, and the clock that is passed to whatever needs the time.

use std::{
    sync::LazyLock,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use time::{Date, OffsetDateTime, format_description::well_known::Rfc3339, macros::format_description};

/// Microseconds since 1970-01-01 UTC. Both databases store it as an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// A later timestamp.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(span.as_micros()).unwrap_or(i64::MAX)))
    }

    /// An earlier timestamp.
    #[must_use]
    pub fn before(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(span.as_micros()).unwrap_or(i64::MAX)))
    }

    /// Parses a time such as `2026-11-15T09:30:00+09:00`, or a day, which begins at midnight UTC.
    #[must_use]
    pub fn from_calendar(text: &str) -> Option<Self> {
        let day = || Some(Date::parse(text, format_description!("[year]-[month]-[day]")).ok()?.midnight().assume_utc());
        let when = OffsetDateTime::parse(text, &Rfc3339).ok().or_else(day)?;
        i64::try_from(when.unix_timestamp_nanos() / 1_000).ok().map(Self)
    }

    /// The time in UTC, to the second: `2026-11-15T09:30:00Z`.
    #[must_use]
    pub fn to_utc(self) -> String {
        let form = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]Z");
        let when = OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * 1_000).ok();
        when.and_then(|when| when.format(form).ok()).unwrap_or_else(|| "?".to_owned())
    }
}

/// The source of the current time. Tests use one that they set.
pub trait Clock: Send + Sync {
    /// The current wall-clock time. It can be set back.
    fn now(&self) -> Timestamp;

    /// The time since a fixed moment, for measuring durations. It never goes back.
    fn ticks(&self) -> Duration;
}

/// The system clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(0).after(since)
    }

    fn ticks(&self) -> Duration {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Clock, SystemClock, Timestamp};

    #[test]
    fn a_timestamp_is_moved_by_microseconds() {
        let start = Timestamp(1_000_000);
        assert_eq!(start.after(Duration::from_millis(2)), Timestamp(1_002_000));
        assert_eq!(start.before(Duration::from_millis(2)), Timestamp(998_000));
    }

    #[test]
    fn a_timestamp_does_not_overflow() {
        assert_eq!(Timestamp(i64::MAX - 1).after(Duration::MAX), Timestamp(i64::MAX));
        assert_eq!(Timestamp(-10).before(Duration::MAX), Timestamp(i64::MIN));
    }

    #[test]
    fn times_and_days_are_parsed() {
        let cases = [
            ("1970-01-01", 0),
            ("1970-01-02", 86_400_000_000),
            ("1970-01-01T00:00:01.5Z", 1_500_000),
            ("1970-01-01T09:00:00+09:00", 0),
            ("1969-12-31T23:59:59Z", -1_000_000),
        ];
        for (text, microseconds) in cases {
            assert_eq!(Timestamp::from_calendar(text), Some(Timestamp(microseconds)), "{text}");
        }
        for bad in ["", "yesterday", "2026-13-01", "2026-11-15T09:30:00", "2026-11-15 "] {
            assert_eq!(Timestamp::from_calendar(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_timestamp_is_written_in_utc_to_the_second() {
        let written = Timestamp::from_calendar("2026-11-15T18:30:00.9+09:00").map(Timestamp::to_utc);
        assert_eq!(written.as_deref(), Some("2026-11-15T09:30:00Z"));
        assert_eq!(Timestamp(i64::MAX).to_utc(), "?", "beyond the calendar");
    }

    #[test]
    fn the_system_clock_runs_forwards_in_this_century() {
        let clock = SystemClock;
        assert!(clock.now() > Timestamp::from_calendar("2026-01-01").unwrap());
        assert!(clock.now() < Timestamp::from_calendar("2100-01-01").unwrap());
        let first = clock.ticks();
        std::thread::sleep(Duration::from_millis(2));
        let passed = clock.ticks().saturating_sub(first);
        assert!(passed >= Duration::from_millis(2), "{passed:?}");
    }
}
