//! The states of the job that builds a dataset: waiting for its time, or leased to a replica.

use crate::{IllegalStep, Timestamp};

/// A job. It is deleted when its dataset is ready or has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Job {
    /// No replica has it.
    Waiting {
        /// From when on it may be taken.
        run_at: Timestamp,
        /// How often it was taken without progress.
        attempts: i64,
    },
    /// A replica has it for as long as it renews the lease.
    Leased {
        /// From when on it could be taken.
        run_at: Timestamp,
        /// When the lease ends unless it is renewed.
        until: Timestamp,
        /// How often it was taken without progress, this time included.
        attempts: i64,
    },
}

impl Job {
    /// A replica takes the job.
    ///
    /// # Errors
    /// Before its time, and while another's lease is running.
    pub fn claim(self, now: Timestamp, until: Timestamp) -> Result<Self, IllegalStep> {
        match self {
            Self::Waiting { run_at, attempts } if run_at <= now => {
                Ok(Self::Leased { run_at, until, attempts: attempts + 1 })
            }
            Self::Leased { run_at, until: over, attempts } if over <= now => {
                Ok(Self::Leased { run_at, until, attempts: attempts + 1 })
            }
            _ => Err(self.illegal("claimed")),
        }
    }

    /// The holder goes on working.
    ///
    /// # Errors
    /// Without a lease.
    pub fn renew(self, until: Timestamp) -> Result<Self, IllegalStep> {
        match self {
            Self::Leased { run_at, attempts, .. } => Ok(Self::Leased { run_at, until, attempts }),
            Self::Waiting { .. } => Err(self.illegal("renewed")),
        }
    }

    /// The holder writes results: that is progress.
    ///
    /// # Errors
    /// Without a lease.
    pub fn advance(self, until: Timestamp) -> Result<Self, IllegalStep> {
        match self {
            Self::Leased { run_at, .. } => Ok(Self::Leased { run_at, until, attempts: 0 }),
            Self::Waiting { .. } => Err(self.illegal("advanced")),
        }
    }

    /// The holder gives the job back because something has to wait. No attempt is counted.
    ///
    /// # Errors
    /// Without a lease.
    pub fn give_back(self, run_at: Timestamp) -> Result<Self, IllegalStep> {
        match self {
            Self::Leased { .. } => Ok(Self::Waiting { run_at, attempts: 0 }),
            Self::Waiting { .. } => Err(self.illegal("given back")),
        }
    }

    /// The holder gives the job back because the server failed. The attempt counts.
    ///
    /// # Errors
    /// Without a lease.
    pub fn put_off(self, run_at: Timestamp) -> Result<Self, IllegalStep> {
        match self {
            Self::Leased { attempts, .. } => Ok(Self::Waiting { run_at, attempts }),
            Self::Waiting { .. } => Err(self.illegal("put off")),
        }
    }

    fn illegal(self, step: &'static str) -> IllegalStep {
        let state = match self {
            Self::Waiting { .. } => "waiting",
            Self::Leased { .. } => "leased",
        };
        IllegalStep { state, step }
    }
}

#[cfg(test)]
mod tests {
    use super::Job;
    use crate::{IllegalStep, Timestamp};

    const NOW: Timestamp = Timestamp(100);
    const LATER: Timestamp = Timestamp(200);

    fn waiting(run_at: i64, attempts: i64) -> Job {
        Job::Waiting { run_at: Timestamp(run_at), attempts }
    }

    fn leased(until: i64, attempts: i64) -> Job {
        Job::Leased { run_at: Timestamp(50), until: Timestamp(until), attempts }
    }

    #[test]
    fn a_job_is_claimed_at_its_time_and_not_before() {
        assert_eq!(waiting(100, 3).claim(NOW, LATER), Ok(Job::Leased { run_at: NOW, until: LATER, attempts: 4 }));
        assert_eq!(waiting(101, 3).claim(NOW, LATER), Err(IllegalStep { state: "waiting", step: "claimed" }));
    }

    #[test]
    fn a_running_lease_is_not_taken_over_and_one_that_is_over_is() {
        assert_eq!(leased(101, 1).claim(NOW, LATER), Err(IllegalStep { state: "leased", step: "claimed" }));
        assert_eq!(leased(100, 1).claim(NOW, LATER), Ok(leased(200, 2)));
    }

    #[test]
    fn without_a_lease_nothing_is_renewed_advanced_or_given_back() {
        let job = waiting(0, 1);
        for (step, refused) in [
            ("renewed", job.renew(LATER)),
            ("advanced", job.advance(LATER)),
            ("given back", job.give_back(LATER)),
            ("put off", job.put_off(LATER)),
        ] {
            assert_eq!(refused, Err(IllegalStep { state: "waiting", step }));
        }
    }

    #[test]
    fn only_a_failure_keeps_its_attempts() {
        let job = leased(150, 7);
        assert_eq!(job.renew(LATER), Ok(leased(200, 7)));
        assert_eq!(job.advance(LATER), Ok(leased(200, 0)));
        assert_eq!(job.give_back(LATER), Ok(waiting(200, 0)));
        assert_eq!(job.put_off(LATER), Ok(waiting(200, 7)));
    }
}
