//! What feedback teaches: a memory over the frozen vectors of the engine, which takes effect at once and can be taken
//! back to the bit.
//!
//! A picture that was rated is an exemplar: its vector, and what was said of its candidates. A new picture asks which
//! exemplars are near, and each of these speaks for or against its candidates, the louder the nearer it is (`hearing`).
//! What is said is averaged with a prior of silence, so no number of verdicts moves a score further than [`STRENGTH`].
//!
//! Everything is a function of the set of verdicts in force, whatever their order: sums are of whole numbers, and ties
//! are broken by name. So every replica gives the same answer, and a verdict that is taken back leaves no trace.
//!
//! Nothing here knows of a database, of HTTP or of time.

mod agreement;
mod align;
mod book;
mod code;
mod guard;
mod hearing;
mod kernel;
mod memory;
mod shift;
mod space;

pub use align::{Row, SAMPLED, Standard};
pub use code::Code;
pub use guard::{Example, Judgement};
pub use hearing::{Leaning, Said};
pub use memory::{Memory, Recollection, Sampled};
pub use shift::{shifted_odds, shifted_shares, within_range};
pub use space::{Change, Item, SpaceKey};

/// How far verdicts can move a score: the odds by this power of e, or a standardised score by so many deviations.
pub const STRENGTH: f32 = 4.0;
