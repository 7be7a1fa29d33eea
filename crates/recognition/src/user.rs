//! A user of an application.

use kaisatsu_model::{AppId, UserId};

/// A user of an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The application.
    pub application: AppId,
    /// The application's own name for the user.
    pub id: UserId,
}
