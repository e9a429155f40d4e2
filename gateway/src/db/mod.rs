//! The database: SQLite (default, one file) or PostgreSQL, chosen by URL. Reads go to [`Db::read`], every write through
//! [`Db::write`], whose transaction takes the write lock at once (IMMEDIATE on SQLite) and wakes event subscribers
//! after its commit. The database is the truth; nothing else is.

mod connect;
mod dialect;
mod error;
mod lock;
mod migrate;
mod probe;
mod transaction;

pub mod backup;
pub mod lease;

#[cfg(test)]
pub(crate) mod tests;

pub use connect::{Access, Backend, Db};
pub use error::{DbError, is_disk_full, unique_violation};
pub use probe::{Probe, probe};
pub use transaction::WriteTx;
