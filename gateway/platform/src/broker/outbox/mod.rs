//! Credentials that the broker must delete.
//!
//! Invariants: the row is written in the transaction that removes the credential's owner, so both happen or neither.
//! The sweeper repeats the request until the broker confirms the deletion. Names are never reused, so a late deletion
//! affects nothing else. Tables: `credential_deletions`. In the tree: `foundation/credential-sweeper`.

pub(crate) mod entity;
mod store;
mod sweeper;

pub use store::{forget, forget_unless_kept, keep};
pub use sweeper::{CredentialSweeper, PERIOD};
