//! The database: SQLite (default, one file) or PostgreSQL, chosen by URL. Reads go to [`Db::read`]. Writes go through
//! [`Db::write`], whose transaction takes the write lock at once (IMMEDIATE on SQLite) and wakes event subscribers
//! after its commit. The database is the only source of truth. Only the gateway creates a database and changes its
//! schema; a command beside it refuses a missing one.

mod beside;
mod connect;
mod dialect;
mod error;
mod lock;
mod migrate;
mod older;
mod probe;
mod rows;
mod table;
mod tenant;
mod transaction;

pub mod backup;
pub mod lease;

pub use beside::file_of_sqlite;
pub use connect::{Access, Backend, Db};
pub use error::{DbError, Fault, Missing, fault_of, is_disk_full, unique_violation};
pub use older::Older;
pub use probe::{Probe, probe, read_only};
pub use rows::{Rows, RowsTable};
pub use table::{Table, differences};
pub use tenant::TenantEntity;
pub use transaction::WriteTx;
