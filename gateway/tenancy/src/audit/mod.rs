//! The audit log: each change, its user, and the authority for it. It is append-only (triggers refuse all else), it is
//! written in the transaction of the change, and it outlives its workspace.
//!
//! A hash chain makes tampering visible. Each link's hash covers its place, the previous hash and its entry, so an
//! entry that was changed, removed or moved does not match any more (`roost audit verify`). Commands do not wait for
//! the chain: one leased writer appends the links. Tables: `audit_entries`, `audit_chain`, `audit_waiting` (entries
//! without a link yet), `audit_head`. In the tree: `foundation/audit-chain`.

mod dto;
pub(crate) mod entity;
mod model;
mod record;
mod routes;
mod store;
#[cfg(test)]
mod tests;
mod verify;
mod writer;

pub use entity::entry::Model as AuditRow;
pub use model::{Noted, Report};
pub(crate) use record::insert;
pub use record::record;
pub use routes::router;
pub use store::{about, has_link};
pub use verify::verify;
pub use writer::{ChainWriter, PERIOD};
