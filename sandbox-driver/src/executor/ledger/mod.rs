//! The ledger: which operations were accepted and how they ended, on disk before anything is done (promise P2).
//!
//! [`record`] is the form on disk, [`book`] what the records mean (both pure); [`mod@file`] writes, syncs, recovers a torn
//! tail and compacts; [`desk`] is the thread that owns the file and commits in groups.

pub mod book;
pub mod desk;
pub mod file;
pub mod record;

pub use book::{Book, Entry};
pub use desk::{Ledger, LedgerError};
pub use record::Record;

#[cfg(test)]
mod tests;
