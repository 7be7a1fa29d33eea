//! One server's lease of one budget.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use kaisatsu_model::{AppId, KeyId};
use kaisatsu_store::{DayShare, RateShare, StoreError};

use super::{PATIENCE, SharedLimits};

/// How long requests of a rate may be used. A server that was paused must not come back with old ones.
const RATE_LEASE: Duration = Duration::from_secs(10);

/// A busy server leases a rate in this many parts a second, so that a key costs the database a few statements a second.
const BUSY_PARTS: u64 = 5;

/// A server with few requests leases smaller parts of it: what it does not use is lost to the others.
const QUIET_PARTS: u64 = 50;

/// A lease that is used up sooner is followed by a larger one.
const SOON: Duration = Duration::from_millis(200);

/// A lease that lasts longer is followed by a smaller one.
const LATE: Duration = Duration::from_secs(1);

/// A day is leased in at least this many parts, so that what a killed server held is lost in the noise.
const PARTS_OF_A_DAY: u64 = 200;

/// How long a used-up day is not asked for again: another server may return what it does not use.
const USED_UP: Duration = Duration::from_secs(1);

const MILLION: u64 = 1_000_000;
const DAY: i64 = 24 * 3_600_000_000;

/// What is leased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Budget {
    /// The requests a second of a key.
    Second(KeyId),
    /// The requests a day of an application.
    Day(AppId),
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It may pass; how many more may, as far as this server knows.
    Passed(u64),
    /// The budget is used up; there may be more after this time.
    Refused(Duration),
    /// The database cannot be asked.
    Away,
}

/// What a look at the lease says.
enum Look {
    Known(Taken),
    /// It may pass, and it is time to lease more.
    Short(u64),
    MustAsk,
}

#[derive(Debug, Default)]
struct State {
    /// Requests that are leased and not used.
    left: u64,
    /// How many the latest lease had.
    granted: u64,
    /// When it was asked for, in ticks.
    asked_at: Duration,
    /// How many to ask for, of a rate.
    size: u64,
    /// The day that they are of; 0 for a rate.
    day: i64,
    /// When they must not be used any more, in ticks.
    ends_at: Duration,
    /// Until when there are none to be had, in ticks.
    refused_until: Duration,
    /// What the database had left when it last answered.
    elsewhere: Option<u64>,
    /// Requests that passed while the database was away.
    debt: u64,
    /// Whether a request passed since leases were last returned.
    is_used: bool,
}

impl State {
    /// How many requests of a rate to ask for: as many as this server uses in a moment.
    fn next_size(&self, limit: u64, now: Duration) -> u64 {
        let lasted = now.saturating_sub(self.asked_at);
        let size = match self.granted {
            0 => self.size,
            _ if lasted <= SOON => self.size * 2,
            _ if lasted >= LATE => self.size / 2,
            _ => self.size,
        };
        size.clamp(limit.div_ceil(QUIET_PARTS), limit.div_ceil(BUSY_PARTS))
    }
}

/// One server's lease of one budget.
pub(crate) struct Lease {
    shared: Arc<SharedLimits>,
    budget: Budget,
    state: Mutex<State>,
    /// One asks the database at a time.
    asking: tokio::sync::Mutex<()>,
    /// How often the database answered or failed to.
    answers: AtomicU64,
    /// Requests that wait for an answer.
    waiting: AtomicU64,
}

impl Lease {
    pub(crate) fn new(shared: Arc<SharedLimits>, budget: Budget) -> Arc<Self> {
        Arc::new(Self {
            shared,
            budget,
            state: Mutex::default(),
            asking: tokio::sync::Mutex::default(),
            answers: AtomicU64::default(),
            waiting: AtomicU64::default(),
        })
    }

    /// Takes one request of a budget of `limit`. The database is asked when the lease is used up; before that, more is
    /// leased in the background.
    pub(crate) async fn take(self: &Arc<Self>, limit: u64) -> Taken {
        loop {
            let seen = self.answers.load(Ordering::Acquire);
            match self.look() {
                Look::Known(taken) => return taken,
                Look::Short(left) => {
                    if self.asking.try_lock().is_ok() {
                        let me = Arc::clone(self);
                        tokio::spawn(async move { me.ask(limit, seen).await });
                    }
                    return Taken::Passed(left);
                }
                Look::MustAsk => {
                    let _waiting = Waiting::new(&self.waiting);
                    if !self.ask_in_time(limit, seen).await {
                        return Taken::Away;
                    }
                }
            }
        }
    }

    /// Asks the database for more. Returns false if it does not answer in time.
    ///
    /// A task of its own asks to the end: what was leased must not be lost when the caller hangs up, and what was
    /// charged must not be charged again because the answer came late.
    async fn ask_in_time(self: &Arc<Self>, limit: u64, seen: u64) -> bool {
        let me = Arc::clone(self);
        let asking = tokio::spawn(async move { me.ask(limit, seen).await });
        let asked = tokio::time::timeout(PATIENCE, asking).await;
        if asked.is_err() {
            self.note_away();
        }
        matches!(asked, Ok(Ok(())))
    }

    /// Lets a request pass that the database could not be asked about, as long as there were some left when it last
    /// answered. It is charged later.
    pub(crate) fn take_on_credit(&self) -> Taken {
        let mut state = self.state();
        let left = state.elsewhere.unwrap_or(u64::MAX).saturating_sub(state.debt);
        if left == 0 {
            return Taken::Refused(USED_UP);
        }
        state.debt += 1;
        Taken::Passed(left - 1)
    }

    /// A request that was taken does not count.
    pub(crate) fn give_back(&self) {
        let mut state = self.state();
        if state.day == self.today() {
            state.left += 1;
        }
    }

    /// What is left of the budget, as far as this server knows.
    pub(crate) fn left(&self) -> Option<u64> {
        let state = self.state();
        let elsewhere = state.elsewhere?;
        (state.day == self.today()).then(|| elsewhere.saturating_add(state.left).saturating_sub(state.debt))
    }

    /// Returns what is left of a day's lease if no request used it since the last time, or in any case. Charges what
    /// passed on credit.
    pub(crate) async fn settle(self: &Arc<Self>, limit: u64, in_any_case: bool) -> Result<(), StoreError> {
        let Budget::Day(application) = &self.budget else { return Ok(()) };
        let (is_idle, in_debt) = {
            let mut state = self.state();
            (in_any_case || !std::mem::take(&mut state.is_used), state.debt > 0)
        };
        if in_debt {
            self.ask_in_time(limit, self.answers.load(Ordering::Acquire)).await;
        }
        let (day, unused) = {
            let mut state = self.state();
            (state.day, if is_idle { std::mem::take(&mut state.left) } else { 0 })
        };
        if unused > 0 {
            let returned = self.shared.store.return_day_lease(application, day, signed(unused)).await;
            let mut state = self.state();
            match returned {
                Ok(()) => state.elsewhere = state.elsewhere.map(|left| left + unused),
                Err(error) => {
                    if state.day == day {
                        state.left += unused;
                    }
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Whether it can be forgotten without effect.
    pub(crate) fn is_over(&self) -> bool {
        self.state().ends_at < self.shared.clock.ticks()
    }

    fn look(&self) -> Look {
        let (today, ticks) = (self.today(), self.shared.clock.ticks());
        let mut state = self.state();
        if state.day != today {
            *state = State { day: today, ..State::default() };
        }
        if matches!(self.budget, Budget::Second(_)) && ticks >= state.ends_at {
            state.left = 0;
        }
        if state.left > 0 {
            state.left -= 1;
            state.is_used = true;
            let left = state.left.saturating_add(state.elsewhere.unwrap_or_default());
            let is_short = state.left < state.granted / 2 && ticks >= state.refused_until;
            return if is_short && !self.shared.is_away() {
                Look::Short(left)
            } else {
                Look::Known(Taken::Passed(left))
            };
        }
        if ticks < state.refused_until {
            return Look::Known(Taken::Refused(state.refused_until.saturating_sub(ticks)));
        }
        if self.shared.is_away() { Look::Known(Taken::Away) } else { Look::MustAsk }
    }

    /// Asks the database for more, unless it has answered since `seen`.
    async fn ask(&self, limit: u64, seen: u64) {
        // A database that says nothing must not let tasks pile up.
        let Ok(_turn) = tokio::time::timeout(PATIENCE, self.asking.lock()).await else { return self.note_away() };
        if self.answers.load(Ordering::Acquire) != seen {
            return;
        }
        let asked = self.shared.clock.ticks();
        let today = self.today();
        let (debt, size) = {
            let mut state = self.state();
            state.size = state.next_size(limit, asked);
            (state.debt, state.size)
        };
        if let Ok(answer) = self.lease(limit, today, debt, size).await {
            self.take_over(&answer, asked, today, debt);
        } else {
            self.note_away();
        }
        self.answers.fetch_add(1, Ordering::Release);
    }

    /// Takes what was asked for then, and on that day.
    fn take_over(&self, answer: &Answer, asked: Duration, day: i64, debt: u64) {
        let mut state = self.state();
        if state.day > day {
            // It came after midnight.
            return;
        }
        if state.day != day {
            *state = State { day, ..State::default() };
        }
        if state.ends_at <= asked && matches!(self.budget, Budget::Second(_)) {
            state.left = 0;
        }
        state.left += answer.granted;
        state.granted = answer.granted;
        state.asked_at = asked;
        state.ends_at = asked + RATE_LEASE;
        state.elsewhere = Some(answer.elsewhere);
        state.debt = state.debt.saturating_sub(debt);
        state.refused_until = if answer.granted == 0 { asked + answer.wait } else { Duration::ZERO };
    }

    fn note_away(&self) {
        tracing::debug!("limits cannot be read; this server keeps them by itself");
        self.shared.note_away();
    }

    async fn lease(&self, limit: u64, today: i64, debt: u64, size: u64) -> Result<Answer, StoreError> {
        let store = &self.shared.store;
        match &self.budget {
            Budget::Second(key) => {
                let wanted = self.waiting.load(Ordering::Relaxed).clamp(size, limit.max(size));
                let least = signed(limit.div_ceil(QUIET_PARTS));
                let share = RateShare { per_second: signed(limit), wanted: signed(wanted), least };
                let lease = store.lease_rate(key, self.shared.clock.now(), share).await?;
                let remaining = lease.remaining.unsigned_abs();
                // A wait of nothing would ask again at once.
                let missing = (size * MILLION).saturating_sub(remaining).div_ceil(limit.max(1)).max(1_000);
                let wait = Duration::from_micros(missing);
                Ok(Answer { granted: lease.granted.unsigned_abs(), elsewhere: remaining / MILLION, wait })
            }
            Budget::Day(application) => {
                let most = signed((limit / PARTS_OF_A_DAY).max(1));
                let share = DayShare { day: today, per_day: signed(limit), most, debt: signed(debt) };
                let lease = store.lease_day(application, share).await?;
                let elsewhere = u64::try_from(lease.remaining).unwrap_or_default();
                Ok(Answer { granted: lease.granted.unsigned_abs(), elsewhere, wait: USED_UP })
            }
        }
    }

    /// The day of a quota; a rate has none.
    fn today(&self) -> i64 {
        match self.budget {
            Budget::Second(_) => 0,
            Budget::Day(_) => self.shared.clock.now().0.div_euclid(DAY),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts a request that waits for an answer, also when its caller hangs up.
struct Waiting<'a>(&'a AtomicU64);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicU64) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What the database answered.
struct Answer {
    granted: u64,
    elsewhere: u64,
    /// When there may be more, if there were none.
    wait: Duration,
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
