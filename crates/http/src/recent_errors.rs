//! The latest errors of this process that are the server's fault, for the operator's page.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use kaisatsu_model::{Clock, SystemClock, Timestamp};

/// How many are kept.
const KEPT: usize = 50;

/// The longest cause that is kept, in bytes.
const MAX_CAUSE: usize = 1_000;

/// A request that the server failed to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentError {
    /// When.
    pub at: Timestamp,
    /// Its id, as in `X-Request-Id`.
    pub request_id: String,
    /// The path, as it is logged.
    pub path: String,
    /// The status.
    pub status: u16,
    /// What the caller was told.
    pub message: Option<String>,
    /// What really happened.
    pub cause: Option<String>,
}

/// The latest errors, the newest last.
#[derive(Debug, Default)]
pub(crate) struct RecentErrors(Mutex<VecDeque<RecentError>>);

impl RecentErrors {
    /// Adds an error that happened just now; `at` is filled in.
    pub(crate) fn add(&self, mut error: RecentError) {
        error.at = SystemClock.now();
        if let Some(cause) = &mut error.cause {
            let end = (0..=MAX_CAUSE.min(cause.len())).rev().find(|at| cause.is_char_boundary(*at));
            cause.truncate(end.unwrap_or_default());
        }
        let mut errors = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if errors.len() == KEPT {
            errors.pop_front();
        }
        errors.push_back(error);
    }

    /// The errors, the newest first.
    pub(crate) fn list(&self) -> Vec<RecentError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().rev().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::Timestamp;

    use super::{KEPT, MAX_CAUSE, RecentError, RecentErrors};

    #[test]
    fn the_latest_are_kept_and_long_causes_are_cut() {
        let errors = RecentErrors::default();
        for number in 0..KEPT + 3 {
            errors.add(RecentError {
                at: Timestamp(0),
                request_id: number.to_string(),
                path: "/x".to_owned(),
                status: 500,
                message: None,
                cause: Some("あ".repeat(MAX_CAUSE)),
            });
        }
        let list = errors.list();
        assert_eq!((list.len(), list[0].request_id.as_str()), (KEPT, "52"));
        assert!(list[0].cause.as_ref().is_some_and(|cause| cause.len() <= MAX_CAUSE && !cause.is_empty()));
    }
}
