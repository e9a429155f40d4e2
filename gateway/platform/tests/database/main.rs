//! The database layer on SQLite, and on PostgreSQL if `ROOST_TEST_POSTGRES_URL` names a server. Each test runs on both,
//! on a database of its own.

mod beside;
mod committer;
mod credentials;
mod earlier_versions;
mod leases;
mod transactions;
