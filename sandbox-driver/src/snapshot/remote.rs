//! The gateway's store of chunks, as a machine reaches it.
use std::fmt::Debug;

use futures::future::BoxFuture;
use roost_protocol::ids::WorkspaceId;
use roost_snapshot::Address;

/// A snapshot at the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemoteSnapshot {
    pub workspace: WorkspaceId,
    pub digest: Address,
}

/// Why the gateway's store did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// The same request may succeed later.
    #[error("the gateway's store of snapshots does not answer: {0}")]
    Away(String),
    /// A setting of the workspace keeps its snapshots on their machines. It may change.
    #[error("the snapshots of this workspace stay on their machines")]
    Stays,
    /// The same request will be refused again.
    #[error("the gateway's store of snapshots refused: {0}")]
    Refused(String),
}

/// The store. Chunks are in their stored form; see [`roost_snapshot::chunk`].
pub trait Remote: Debug + Send + Sync {
    /// Which of these chunks it lacks.
    fn missing<'a>(
        &'a self,
        of: RemoteSnapshot,
        chunks: &'a [Address],
    ) -> BoxFuture<'a, Result<Vec<Address>, RemoteError>>;

    fn put(
        &self,
        of: RemoteSnapshot,
        chunk: Address,
        stored: Vec<u8>,
    ) -> BoxFuture<'_, Result<(), RemoteError>>;

    /// Every chunk of the snapshot was put: the store checks that and keeps the snapshot. `false` when one is missing.
    fn complete(&self, of: RemoteSnapshot) -> BoxFuture<'_, Result<bool, RemoteError>>;

    /// A chunk of a snapshot; `None` when the store does not have it, or when this machine may not read it.
    fn get(
        &self,
        of: RemoteSnapshot,
        chunk: Address,
    ) -> BoxFuture<'_, Result<Option<Vec<u8>>, RemoteError>>;
}
