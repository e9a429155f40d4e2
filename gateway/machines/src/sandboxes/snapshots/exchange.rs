//! What a machine may do with the chunks of a workspace. The routes of machines and the engine on the gateway's own host
//! use it, so both have the same rights.
//!
//! - A machine may write when the registry has a sandbox of the workspace on it.
//! - It may read a chunk when a live sandbox on it is asked to restore a snapshot, and the snapshot names the chunk.
//! - A workspace whose files stay on their machines takes nothing ([`FilePolicy::Stay`]).
//! - Every other request gets the same answer as for a chunk that does not exist.

use bytes::Bytes;
use roost_snapshot::Address;
use roost_snapshot::chunk::ChunkError;

use super::chunks::{ChunkStore, ChunkStoreError};
use super::named::{Named, NamedError};
use super::store;
use crate::sandboxes::store as registry;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::events::{self, Event, ResourceKind};
use roost_platform::ids::WorkspaceId;
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::workspaces::{self, FilePolicy};

/// Why a machine's request is refused.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// It does not exist, or the machine has no right to it.
    #[error("there is no such chunk or snapshot for this machine")]
    NotFound,
    /// The setting of the workspace keeps its files on their machines.
    #[error("the files of this workspace stay on their machines")]
    Stays,
    /// The bytes are not the chunk.
    #[error(transparent)]
    Wrong(#[from] ChunkError),
    /// The root or the tree of the snapshot is not valid.
    #[error("{0}")]
    Malformed(String),
    /// Chunks of the snapshot are not in the store.
    #[error("{} chunks of the snapshot are not in the store", .0.len())]
    Incomplete(Vec<Address>),
    #[error(transparent)]
    Store(#[from] ChunkStoreError),
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

impl From<NamedError> for ExchangeError {
    fn from(error: NamedError) -> Self {
        match error {
            NamedError::Missing(missing) => Self::Incomplete(missing),
            NamedError::Malformed(why) => Self::Malformed(why),
            NamedError::Store(error) => Self::Store(error),
        }
    }
}

/// The exchange of chunks with machines. Cheap to clone.
#[derive(Clone)]
pub struct Exchange {
    db: Db,
    clock: SharedClock,
    chunks: ChunkStore,
    named: Named,
}

impl Exchange {
    pub fn new(db: Db, clock: SharedClock, chunks: ChunkStore) -> Self {
        let named = Named::new(chunks.clone());
        Self {
            db,
            clock,
            chunks,
            named,
        }
    }

    /// The store itself.
    pub(in crate::sandboxes) fn chunks(&self) -> &ChunkStore {
        &self.chunks
    }

    /// The trees of snapshots in the store.
    pub(in crate::sandboxes) fn named(&self) -> &Named {
        &self.named
    }

    /// Which of these chunks a machine has to upload.
    ///
    /// # Errors
    /// [`ExchangeError`].
    pub async fn missing(
        &self,
        machine: &str,
        workspace: WorkspaceId,
        chunks: Vec<Address>,
    ) -> Result<Vec<Address>, ExchangeError> {
        let scope = self.writer(machine, workspace).await?;
        Ok(self.chunks.missing(scope.workspace(), chunks).await?)
    }

    /// Keeps a chunk.
    ///
    /// # Errors
    /// [`ExchangeError::Wrong`] when the bytes are not this chunk.
    pub async fn put(
        &self,
        machine: &str,
        workspace: WorkspaceId,
        address: Address,
        stored: Bytes,
    ) -> Result<(), ExchangeError> {
        let scope = self.writer(machine, workspace).await?;
        Ok(self
            .chunks
            .put(scope.workspace(), address, stored)
            .await??)
    }

    /// The stored form of a chunk, for a machine that restores a snapshot.
    ///
    /// # Errors
    /// [`ExchangeError::NotFound`] when the machine does not restore this snapshot, or the snapshot does not name the chunk.
    pub async fn get(
        &self,
        machine: &str,
        workspace: WorkspaceId,
        digest: Address,
        address: Address,
    ) -> Result<Bytes, ExchangeError> {
        let scope = self.reader(machine, workspace, digest).await?;
        let named = address == digest
            || match self.named.of(scope.workspace(), digest).await {
                Ok(named) => named.contains(&address),
                Err(error) => return Err(self.lost(scope, digest, error.into()).await?),
            };
        if !named {
            return Err(ExchangeError::NotFound);
        }
        match self.chunks.read(scope.workspace(), address).await? {
            Some((stored, _)) => Ok(stored),
            None => {
                let missing = ExchangeError::Incomplete(vec![address]);
                Err(self.lost(scope, digest, missing).await?)
            }
        }
    }

    /// A machine has uploaded all chunks of a snapshot. After this any machine of the workspace can restore it.
    ///
    /// # Errors
    /// [`ExchangeError::Incomplete`] with the chunks that are not here.
    pub async fn uploaded(
        &self,
        machine: &str,
        workspace: WorkspaceId,
        digest: Address,
    ) -> Result<(), ExchangeError> {
        let scope = self.writer(machine, workspace).await?;
        let text = digest.to_string();
        let rows = store::of_digest(self.db.read(), scope, &text).await?;
        if rows.is_empty() {
            return Err(ExchangeError::NotFound);
        }
        if rows.iter().all(|row| row.uploaded_at.is_some()) {
            return Ok(());
        }
        let named = self.named.of(scope.workspace(), digest).await?;
        let all = || {
            self.chunks
                .missing(scope.workspace(), named.iter().copied())
        };
        let missing = all().await?;
        if !missing.is_empty() {
            return Err(ExchangeError::Incomplete(missing));
        }
        self.set_uploaded(scope, &text, true).await?;
        // A sweep that began before the row said so may have removed a chunk after the first check.
        let missing = all().await?;
        if !missing.is_empty() {
            self.set_uploaded(scope, &text, false).await?;
            return Err(ExchangeError::Incomplete(missing));
        }
        Ok(())
    }

    async fn set_uploaded(
        &self,
        scope: WorkspaceScope,
        digest: &str,
        uploaded: bool,
    ) -> Result<(), sea_orm::DbErr> {
        let now = self.clock.now();
        let mut tx = self.db.write().await?;
        store::set_uploaded(&*tx, scope, digest, uploaded.then_some(now)).await?;
        for snapshot in store::of_digest(&*tx, scope, digest).await? {
            let sandbox = registry::get(&*tx, scope, snapshot.sandbox_id).await?;
            let news =
                sandbox.map(|row| Event::reported(ResourceKind::Sandbox, row.id, row.version));
            events::append(&mut tx, scope.workspace(), now, news).await?;
        }
        tx.commit().await
    }

    /// The store does not have all of a snapshot any more, so it does not count as uploaded.
    async fn lost(
        &self,
        scope: WorkspaceScope,
        digest: Address,
        why: ExchangeError,
    ) -> Result<ExchangeError, sea_orm::DbErr> {
        if !matches!(
            why,
            ExchangeError::Incomplete(_) | ExchangeError::Malformed(_)
        ) {
            return Ok(why);
        }
        tracing::error!(%digest, %why, "the gateway's store does not have all of a snapshot");
        self.set_uploaded(scope, &digest.to_string(), false).await?;
        Ok(ExchangeError::NotFound)
    }

    /// The scope of a workspace to which a machine may upload.
    async fn writer(
        &self,
        machine: &str,
        workspace: WorkspaceId,
    ) -> Result<WorkspaceScope, ExchangeError> {
        let row = registry::any_of_workspace(self.db.read(), machine, workspace).await?;
        let row = row.ok_or(ExchangeError::NotFound)?;
        let scope = WorkspaceScope::of_row(row);
        match workspaces::file_policy(self.db.read(), scope).await? {
            FilePolicy::Upload => Ok(scope),
            FilePolicy::Stay => Err(ExchangeError::Stays),
        }
    }

    /// The scope of a workspace from which a machine restores this snapshot now.
    async fn reader(
        &self,
        machine: &str,
        workspace: WorkspaceId,
        digest: Address,
    ) -> Result<WorkspaceScope, ExchangeError> {
        let digest = digest.to_string();
        let wanted = registry::wanted_on(self.db.read(), machine, workspace).await?;
        let restores = wanted
            .iter()
            .find(|(_, archive)| registry::digest_of(Some(archive)).as_ref() == Some(&digest));
        let (row, _) = restores.ok_or(ExchangeError::NotFound)?;
        Ok(WorkspaceScope::of_row(*row))
    }
}
