//! What concerns the tables of every wing: each entity against the migrations, and backups of the whole database.
#![expect(clippy::unwrap_used, reason = "a test ends at the first failure")]

mod backups;
mod schema;
