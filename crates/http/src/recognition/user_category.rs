//! The operations below `userCategory/`: users' tokens, and what belongs to users.

pub(crate) mod get_token;
