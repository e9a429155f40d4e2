//! Snapshots of agents' workspaces: which ones exist, on which machine, and in the gateway's store of chunks.
//!
//! Invariants: a machine reports snapshots of its own sandboxes only ([`record`]); a new sandbox begins with the newest
//! snapshot that its machine can have, and its row says when a newer one exists elsewhere ([`model`], [`restore`]); a
//! snapshot counts as uploaded only after the gateway found each of its chunks ([`exchange`]); chunks are addressed and
//! kept inside their workspace ([`chunks`]), and the sweep removes what no row names ([`sweep`]). Table:
//! `workspace_snapshots`. Folder: `chunks`, below the data folder, or a bucket ([`bucket`]).

mod bucket;
mod chunks;
mod dto;
pub(crate) mod entity;
mod error;
mod exchange;
mod files;
mod local;
mod model;
mod named;
pub(super) mod pace;
pub(super) mod record;
pub(super) mod restore;
mod routes;
pub(super) mod store;
pub(super) mod sweep;
mod tarball;
#[cfg(test)]
mod tests;

pub use bucket::{Bucket, BucketKey, ChunkPlace};
pub use chunks::{ChunkStore, ChunkStoreError};
pub(super) use dto::RestoredFrom;
pub use dto::Snapshot;
pub use exchange::{Exchange, ExchangeError};
pub use local::LocalChunks;
pub(super) use model::{Origin, minute};
pub(super) use routes::{owners_router, router};
