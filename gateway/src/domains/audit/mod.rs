//! The audit log: who did what, on whose authority. Append-only (triggers refuse anything else), written in the
//! transaction of the change, and it outlives its workspace.
//!
//! A hash chain makes tampering visible: each link's hash covers its place, the hash before it and its entry, so an entry
//! that was changed, removed or moved no longer fits (`roost audit verify`). Commands do not wait for it: one leased
//! writer appends the links. Tables: `audit_entries`, `audit_chain`, `audit_waiting` (entries without a link yet),
//! `audit_head`. In the tree: `foundation/audit-chain`.

mod dto;
pub mod entity;
pub mod model;
mod record;
pub mod routes;
mod store;
#[cfg(test)]
mod tests;
mod verify;
mod writer;

pub use record::record;
pub use store::about;
pub use verify::verify;
pub use writer::{ChainWriter, PERIOD};
