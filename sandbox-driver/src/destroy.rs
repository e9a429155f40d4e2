//! Destroy: stores the workspace when asked, then removes the container. Nothing is removed when storing failed.
use roost_protocol::ids::SandboxId;
use roost_protocol::report::ArchiveFacts;
use roost_protocol::sandbox::ContainerState;

use crate::archive::{self, ArchiveStore};
use crate::driver::Driver;
use crate::error::DriverError;

impl Driver {
    /// Removes a sandbox; one that is not there is fine. With `archive` the workspace is stored first, and when that
    /// fails the sandbox stays. A stopped sandbox has no workspace any more: the answer is then `None`.
    ///
    /// # Errors
    /// [`DriverError`]; the sandbox is as it was.
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

    /// Stores the workspace of a running sandbox, which goes on.
    ///
    /// # Errors
    /// [`DriverError`]; the store is as it was.
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
        archive::store(&link, store, facts.limits.workspace_bytes).await
    }
}
