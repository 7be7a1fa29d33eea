//! A kernel regression over past feedback: how the verdicts on rated pictures change the scores of a new one.
//!
//! A rated picture is an exemplar: the vector that the engine computed for it, and a verdict of right or wrong for some
//! of its candidates. For a new picture every exemplar within the kernel's reach votes for or against its candidates,
//! weighted by its similarity. The estimate for a candidate is the weighted mean of these votes and of a prior at zero,
//! so no number of verdicts moves a score by more than [`STRENGTH`] or [`DEVIATIONS`].
//!
//! The result depends only on the set of verdicts in force, not on the order in which they arrived: sums are of
//! integers, and ties are broken by key. All replicas therefore give identical answers, and withdrawing a verdict
//! restores the earlier answers bit for bit.
//!
//! This crate has no access to a database, to HTTP, to a clock or to randomness.

mod exemplars;
mod guard;
mod kernel;
mod model;
mod quantised;
mod quorum;
mod rescale;
mod scope;
mod simd;
mod size;
mod standardise;
mod vote;

pub use guard::{Example, Judgement, Unjudged};
pub use model::{Evidence, FeedbackModel, SampledExemplar};
pub use quantised::QuantisedVector;
pub use rescale::{lift, rescale_odds, rescale_shares, soft_clamp};
pub use scope::{Candidate, Change, ScopeKey};
pub use standardise::{SAMPLE_SIZE, ScoreRow, Standardiser};
pub use vote::{Contribution, Estimate};

/// How far feedback can move the log-odds of a score.
pub const STRENGTH: f32 = 4.0;

/// How far feedback can move a standardised score, in standard deviations.
pub const DEVIATIONS: f32 = 3.0;
