//! The audit log: who did what, on whose authority. Append-only (triggers refuse anything else), written in the
//! transaction of the change, and it outlives its workspace. Tables: `audit_entries`, `audit_chain`.

pub mod entity;
mod record;
pub mod routes;
mod store;

pub use record::record;
