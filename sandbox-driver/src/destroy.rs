//! Destroy: stores the workspace when requested, then removes the container. Nothing is removed when storing failed.
use roost_protocol::ids::SandboxId;
use roost_protocol::report::ArchiveFacts;
use roost_protocol::sandbox::ContainerState;

use crate::archive::{self, ArchiveStore};
use crate::driver::Driver;
use crate::error::DriverError;

impl Driver {
    /// Removes a sandbox; a missing one is not an error. With `archive` the workspace is stored first, and the sandbox
    /// is kept when that fails. A stopped sandbox has no workspace, so the result is `None`.
    ///
    /// # Errors
    /// [`DriverError`]; the sandbox is unchanged.
    pub async fn destroy(
        &self,
        sandbox: SandboxId,
        archive: Option<&ArchiveStore>,
    ) -> Result<Option<ArchiveFacts>, DriverError> {
        let Some(facts) = self.facts(sandbox).await? else {
            self.detach(sandbox);
            return Ok(None);
        };
        let stored = match archive {
            Some(store) if facts.state == ContainerState::Running => {
                Some(self.archive(sandbox, store).await?)
            }
            _ => None,
        };
        self.remove(sandbox).await?;
        Ok(stored)
    }

    /// Stores the workspace of a running sandbox, which keeps running.
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
