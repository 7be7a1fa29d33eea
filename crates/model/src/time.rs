//! Points in time, and the clock that is handed to whoever needs one.

use std::{
    sync::LazyLock,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use time::{Date, OffsetDateTime, format_description::well_known::Rfc3339, macros::format_description};

/// Microseconds since 1970-01-01 UTC: what both databases keep as a plain integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// This point in time moved forward.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(span.as_micros()).unwrap_or(i64::MAX)))
    }

    /// This point in time moved back.
    #[must_use]
    pub fn before(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(span.as_micros()).unwrap_or(i64::MAX)))
    }

    /// Reads a time such as `2026-11-15T09:30:00+09:00`, or a day, which begins at midnight UTC.
    #[must_use]
    pub fn from_calendar(text: &str) -> Option<Self> {
        let day = || Some(Date::parse(text, format_description!("[year]-[month]-[day]")).ok()?.midnight().assume_utc());
        let when = OffsetDateTime::parse(text, &Rfc3339).ok().or_else(day)?;
        i64::try_from(when.unix_timestamp_nanos() / 1_000).ok().map(Self)
    }

    /// As people and programs read it, in UTC and to the second: `2026-11-15T09:30:00Z`.
    #[must_use]
    pub fn to_utc(self) -> String {
        let form = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]Z");
        let when = OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * 1_000).ok();
        when.and_then(|when| when.format(form).ok()).unwrap_or_else(|| "?".to_owned())
    }
}

/// Where "now" comes from. Tests hand in one that they move by hand.
pub trait Clock: Send + Sync {
    /// The current time, as people and databases write it. It may be set back.
    fn now(&self) -> Timestamp;

    /// The time since some fixed moment, for measuring how long ago something was. It never goes back.
    fn ticks(&self) -> Duration;
}

/// The clock of the machine.
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
