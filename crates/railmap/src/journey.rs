//! Journeys: the ways between stations over the lines of a map, by the fewest minutes or the fewest changes.
//!
//! There are no timetables. [`ride`] estimates how long a typical ride on a weekday takes; decision 30 has the rule and
//! how it compares with real rides. A [`Network`] is what is searched, made of a map once.

mod alternatives;
mod choice;
mod network;
pub mod ride;
mod search;

pub use network::Network;

/// What a way should have the least of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Minutes, and among equals changes.
    #[default]
    Time,
    /// Changes, and among equals minutes.
    Transfers,
}

/// A part of a way without a change: on one line, or on foot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leg {
    /// Index into [`RouteMap::lines`](crate::RouteMap::lines); `None` on foot.
    pub line: Option<usize>,
    /// Indices of the stations, from the one where it begins to the one where it ends; at least two.
    pub stations: Vec<usize>,
    /// How long it takes.
    pub seconds: u32,
    /// How long it is.
    pub metres: u32,
}

impl Leg {
    /// Whole minutes, at least one.
    #[must_use]
    pub fn minutes(&self) -> u32 {
        ((self.seconds + 30) / 60).max(1)
    }
}

/// A way from one station to another: legs, each of which begins where the one before ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Course {
    /// At least one.
    pub legs: Vec<Leg>,
}

impl Course {
    /// Seconds from the departure of the first train, or the first step, to the arrival.
    #[must_use]
    pub fn seconds(&self) -> u32 {
        self.legs.iter().map(|leg| leg.seconds).sum::<u32>() + self.transfers() * ride::CHANGE
    }

    /// How often one changes from one train to another.
    #[must_use]
    pub fn transfers(&self) -> u32 {
        self.boardings().saturating_sub(1)
    }

    /// Whole minutes in trains, on foot between stations, and changing: the sums of the legs' minutes.
    #[must_use]
    pub fn minutes(&self) -> (u32, u32, u32) {
        let sum = |on_foot: bool| self.legs.iter().filter(|leg| leg.line.is_none() == on_foot).map(Leg::minutes).sum();
        (sum(false), sum(true), self.transfers() * ride::CHANGE / 60)
    }

    fn boardings(&self) -> u32 {
        self.legs.iter().map(|leg| u32::from(leg.line.is_some())).sum()
    }

    /// Its place among other ways, the best first, in the whole minutes that a caller sees.
    #[must_use]
    pub fn rank(&self, order: Order) -> (u32, u32, u32) {
        let (on_board, on_foot, other) = self.minutes();
        let minutes = on_board + on_foot + other;
        match order {
            Order::Time => (minutes, self.transfers(), self.seconds()),
            Order::Transfers => (self.transfers(), minutes, self.seconds()),
        }
    }
}
