//! The ledger: which operations were accepted and how they ended. It is on disk before anything is done (promise P2).
//!
//! [`record`] is the format on disk and [`index`] the state that records describe (both pure). [`mod@file`] writes,
//! syncs, recovers from a torn tail and compacts. [`writer`] is the thread that owns the file and commits in groups.

pub mod file;
pub mod index;
pub mod record;
pub mod writer;

pub use index::{Entry, LedgerIndex};
pub use record::Record;
pub use writer::{Ledger, LedgerError};

#[cfg(test)]
mod tests;
