//! How the server is: whether its database and its disks can be used, and which other servers use the same database.
//!
//! A [`Monitor`] tries the database and the disks every few seconds, so that whoever asks gets an answer at once and
//! nobody's question makes the server write.

mod disk;
mod monitor;

pub use disk::{DiskRole, DiskStatus, WatchedDisk};
pub use kaisatsu_model::{Part, PartState};
pub use kaisatsu_store::DiskSpace;
pub use monitor::{DatabaseStatus, Identity, Monitor, Replica};
