//! Credentials that the broker shall forget.
//!
//! Invariants: a row is written in the transaction that ends what the credential belonged to, so neither is lost without
//! the other; the broker is asked until it says that the credential is gone. Names are never used again, so a late
//! deletion hits nothing else. Tables: `credential_deletions`. In the tree: `foundation/credential-sweeper`.

pub mod entity;
mod store;
mod sweeper;

pub use store::{forget, forget_unless_kept, keep};
pub use sweeper::{CredentialSweeper, PERIOD};
