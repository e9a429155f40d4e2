//! Snapshots of agents' workspaces: which ones exist, on which machine, and in the gateway's store of chunks.
//!
//! Invariants: a machine reports snapshots of its own sandboxes only ([`record`]); a new sandbox begins with the newest
//! snapshot that its machine can have, and its row says when a newer one exists elsewhere ([`model`], [`restore`]); a
//! snapshot counts as uploaded only after the gateway found each of its chunks. Table: `workspace_snapshots`.

mod dto;
pub(crate) mod entity;
mod model;
pub(super) mod record;
pub(super) mod restore;
mod routes;
pub(super) mod store;

pub(super) use dto::{RestoredFrom, Snapshot};
pub(super) use model::Origin;
pub(super) use routes::router;
