//! Which trips of a feed are drawn: those of a typical weekday by day, unless another service is chosen.
//!
//! A trip counts once for each day on which it runs, so the diversions of a single day weigh little.

mod calendar;

use std::{collections::HashMap, ops::Range, str::FromStr};

use calendar::Weekdays;

use super::feed::Feed;
use crate::{Error, Summary};

/// A part of the timetable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ServiceProfile {
    /// Monday to Friday, trips around the middle of which it is 07:00 to 20:00. Rush hours belong to it.
    #[default]
    Daytime,
    /// Monday to Friday.
    Weekday,
    /// Saturday and Sunday.
    Weekend,
    /// Every day, trips around the middle of which it is 00:00 to 05:00.
    Night,
    /// All trips, whenever they run.
    All,
}

const DAY: u32 = 24 * 3600;

impl ServiceProfile {
    /// All profiles, with the words that choose them.
    pub const ALL: [(Self, &str); 5] = [
        (Self::Daytime, "daytime"),
        (Self::Weekday, "weekday"),
        (Self::Weekend, "weekend"),
        (Self::Night, "night"),
        (Self::All, "all"),
    ];

    /// The word that chooses it.
    #[must_use]
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(profile, _)| *profile == self).map_or("", |(_, word)| word)
    }

    fn weekdays(self) -> Weekdays {
        match self {
            Self::Daytime | Self::Weekday => Weekdays([true, true, true, true, true, false, false]),
            Self::Weekend => Weekdays([false, false, false, false, false, true, true]),
            Self::Night | Self::All => Weekdays([true; 7]),
        }
    }

    /// The seconds of the day to which it is limited.
    fn hours(self) -> Option<Range<u32>> {
        match self {
            Self::Daytime => Some(7 * 3600..20 * 3600),
            Self::Night => Some(0..5 * 3600),
            Self::Weekday | Self::Weekend | Self::All => None,
        }
    }
}

impl FromStr for ServiceProfile {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(_, known)| *known == word).map(|(profile, _)| *profile);
        found.ok_or_else(|| format!("one of {}", Self::ALL.map(|(_, known)| known).join(", ")))
    }
}

/// For each trip that is repeated: from when to when, and the seconds between two departures.
type Repeated = HashMap<String, Vec<(Range<u32>, u32)>>;

/// The calendars and the frequencies of a feed.
pub(super) struct Timetable {
    profile: ServiceProfile,
    /// The number of days of each service; `None` if the feed has no calendar.
    days: Option<HashMap<String, usize>>,
    repeated: Repeated,
}

impl Timetable {
    pub(super) fn read(feed: &mut Feed, profile: ServiceProfile, summary: &mut Summary) -> Result<Self, Error> {
        if profile == ServiceProfile::All {
            return Ok(Self { profile, days: None, repeated: HashMap::new() });
        }
        let days = calendar::days(feed, profile.weekdays(), summary)?;
        Ok(Self { profile, days, repeated: repeated_trips(feed)? })
    }

    /// How much a trip counts, and whether it counts only if it runs at the right time of the day.
    pub(super) fn weight(&self, trip: &str, service: &str) -> (usize, bool) {
        // A service that no calendar mentions is a mistake in the feed, not a train that never runs.
        let days = self.days.as_ref().and_then(|days| days.get(service)).copied().unwrap_or(1);
        let Some(repeated) = self.repeated.get(trip) else { return (days, self.profile.hours().is_some()) };
        let departures = |(period, headway): &(Range<u32>, u32)| {
            let hours = self.profile.hours().unwrap_or(0..2 * DAY);
            let seconds = period.end.min(hours.end).saturating_sub(period.start.max(hours.start));
            usize::try_from(seconds.div_ceil((*headway).max(1))).unwrap_or(0)
        };
        (days * repeated.iter().map(departures).sum::<usize>(), false)
    }

    /// Whether a trip in the middle of which it is this time belongs to the service.
    pub(super) fn runs_at(&self, middle: u32) -> bool {
        self.profile.hours().is_none_or(|hours| hours.contains(&(middle % DAY)))
    }
}

fn repeated_trips(feed: &mut Feed) -> Result<Repeated, Error> {
    let mut found = Repeated::new();
    if let Some((mut table, _)) = feed.table("frequencies.txt")? {
        let [trip, start, end, headway] =
            ["trip_id", "start_time", "end_time", "headway_secs"].map(|name| table.column(name));
        while let Some(row) = table.next()? {
            let period = time(row.text(start)).zip(time(row.text(end)));
            if let Some(((from, to), headway)) = period.zip(row.text(headway).parse().ok()) {
                found.entry(row.text(trip).to_owned()).or_default().push((from..to, headway));
            }
        }
    }
    Ok(found)
}

/// The seconds of a time such as `7:05:00` or `25:10:00`; `None` if it is empty or no time.
pub(super) fn time(text: &str) -> Option<u32> {
    let mut parts = text.trim().splitn(3, ':').map(|part| part.trim().parse::<u32>().ok());
    let (hours, minutes) = (parts.next()??, parts.next()??);
    let seconds = parts.next().map_or(Some(0), |seconds| seconds)?;
    (hours < 1000 && minutes < 60 && seconds < 60).then_some(hours * 3600 + minutes * 60 + seconds)
}
