//! Destroy: stores the workspace when requested, then removes the container. Nothing is removed when storing failed.
use roost_protocol::ids::SandboxId;
use roost_protocol::report::ArchiveFacts;
use roost_protocol::sandbox::ContainerState;
use roost_protocol::snapshot::Stored;

use crate::archive::{self, ArchiveStore};
use crate::driver::Driver;
use crate::error::DriverError;
use crate::snapshot::{self, SnapshotStore};

impl Driver {
    /// Removes a sandbox; a missing one is not an error. With `store` a snapshot is taken first, and the sandbox is kept
    /// when that fails. A stopped sandbox has no workspace, so the result is `None`.
    ///
    /// # Errors
    /// [`DriverError`]; the sandbox is unchanged.
    pub async fn destroy(
        &self,
        sandbox: SandboxId,
        store: Option<&SnapshotStore>,
    ) -> Result<Option<Stored>, DriverError> {
        let Some(facts) = self.facts(sandbox).await? else {
            self.detach(sandbox);
            return Ok(None);
        };
        let stored = match store {
            Some(store) if facts.state == ContainerState::Running => {
                Some(self.snapshot(sandbox, store).await?.0)
            }
            _ => None,
        };
        self.remove(sandbox).await?;
        Ok(stored)
    }

    /// Takes a snapshot of the workspace of a running sandbox, which keeps running. The flag says whether the workspace
    /// has changed since the last one.
    ///
    /// # Errors
    /// [`DriverError`]; earlier snapshots are unchanged.
    pub async fn snapshot(
        &self,
        sandbox: SandboxId,
        store: &SnapshotStore,
    ) -> Result<(Stored, bool), DriverError> {
        let facts = self
            .facts(sandbox)
            .await?
            .ok_or(DriverError::NoSandbox(sandbox))?;
        let link = self.attach(sandbox).await?;
        snapshot::take(&link, store, &facts).await
    }

    /// Stores the workspace of a running sandbox as an archive. Only for a sandbox whose first process is of a version
    /// without snapshots.
    ///
    /// # Errors
    /// [`DriverError`]; the store is unchanged.
    pub async fn archive(
        &self,
        sandbox: SandboxId,
        store: &ArchiveStore,
    ) -> Result<ArchiveFacts, DriverError> {
        let facts = self
            .facts(sandbox)
            .await?
            .ok_or(DriverError::NoSandbox(sandbox))?;
        let link = self.attach(sandbox).await?;
        archive::store(&link, store, facts.agent, facts.limits.workspace_bytes).await
    }
}
