//! Provision: from a spec to a running sandbox whose hardening was compared and whose guest answered.
use std::path::PathBuf;

use roost_protocol::caps::Total;
use roost_protocol::ids::SandboxId;
use roost_protocol::sandbox::{ContainerState, Limits, SandboxFacts, SandboxSpec, WorkspaceState};

use crate::create::Made;
use crate::driver::{Driver, now_s};
use crate::error::DriverError;
use crate::link::GuestLink;
use crate::snapshot::SnapshotStore;
use crate::total::Allowance;
use crate::{archive, names, policy};

/// Options of a provision beside the spec.
#[derive(Clone, Debug, Default)]
pub struct ProvisionOptions {
    /// What the owner of this machine allows; absent allows everything that the engine can do.
    pub allowance: Option<Allowance>,
    /// The stored workspace to restore. If it does not exist, the workspace is empty and the result says so.
    pub restore: Option<Restore>,
}

/// A stored workspace.
#[derive(Clone, Debug)]
pub enum Restore {
    /// A snapshot, by its digest.
    Snapshot {
        store: SnapshotStore,
        digest: String,
    },
    /// An archive of an older version, named `<sha256>.tar`; see [`crate::archive::ArchiveStore::path`].
    Archive(PathBuf),
}

impl Restore {
    fn digest(&self) -> Result<String, DriverError> {
        match self {
            Self::Snapshot { digest, .. } => {
                crate::snapshot::address(digest).map(|address| address.to_string())
            }
            Self::Archive(path) => archive::digest_of(path),
        }
    }
}

impl Driver {
    /// Makes and starts a sandbox. The same id with the same spec returns the existing sandbox; an incomplete one,
    /// whose maker died, is made again. `progress` gets messages for people.
    ///
    /// # Errors
    /// [`DriverError`]; everything made so far is removed again.
    pub async fn provision(
        &self,
        spec: &SandboxSpec,
        options: ProvisionOptions,
        progress: &mut (dyn FnMut(&str) + Send),
    ) -> Result<(SandboxFacts, WorkspaceState), DriverError> {
        let limits = policy::admit(spec)?;
        if let Some(allowance) = &options.allowance {
            allowance
                .caps
                .check(&limits)
                .map_err(DriverError::OverCap)?;
        }
        let restore = options.restore.as_ref().map(Restore::digest).transpose()?;
        let image = self
            .fit_image(&spec.image, spec.image_digest.as_deref())
            .await?;
        let labels = names::labels(
            &self.inner.engine.owner,
            spec,
            limits,
            restore.as_deref(),
            now_s(),
        );
        let body = policy::container(spec, limits, &self.inner.engine, labels)?;

        progress("creating the container");
        let made = {
            let _counted = self.inner.admission.lock().await;
            if let Some(allowance) = &options.allowance {
                self.room(allowance, spec.sandbox, &limits).await?;
                // Set it even when it was set before: a restarted machine has lost it.
                let _ = self.enforce_total(allowance).await;
            }
            self.create(spec.sandbox, body.clone(), &image).await?
        };
        match made {
            Made::New => {}
            Made::Exists => {
                if let Some(found) = self.existing(spec, restore.as_deref()).await? {
                    return Ok(found);
                }
                progress("removing an incomplete sandbox");
                self.remove(spec.sandbox).await?;
                self.create(spec.sandbox, body, &image).await?;
            }
        }
        let made = self.start(spec, &options, restore, progress).await;
        if made.is_err() {
            // Remove an incomplete sandbox. The first error is the one to return; the sweep removes what remains.
            if let Err(error) = self.remove(spec.sandbox).await {
                tracing::warn!(sandbox = %spec.sandbox, %error, "cannot remove a failed sandbox");
            }
        }
        made
    }

    async fn start(
        &self,
        spec: &SandboxSpec,
        options: &ProvisionOptions,
        restore: Option<String>,
        progress: &mut (dyn FnMut(&str) + Send),
    ) -> Result<(SandboxFacts, WorkspaceState), DriverError> {
        progress("starting the sandbox");
        self.inner
            .docker
            .start_container(
                &names::container(spec.sandbox),
                None::<bollard::query_parameters::StartContainerOptions>,
            )
            .await
            .map_err(|error| DriverError::engine("starting the sandbox", error))?;
        let link = self.attach(spec.sandbox).await?;
        let facts = self
            .facts(spec.sandbox)
            .await?
            .ok_or(DriverError::SandboxGone(spec.sandbox))?;
        if facts.state != ContainerState::Running {
            return Err(DriverError::SandboxGone(spec.sandbox));
        }
        let workspace = match (restore, &options.restore) {
            (Some(digest), Some(stored)) => {
                progress("restoring the workspace");
                match restored(&link, stored, &digest, &facts).await? {
                    true => WorkspaceState::Restored { digest },
                    false => WorkspaceState::ArchiveMissing { digest },
                }
            }
            _ => WorkspaceState::Empty,
        };
        self.seen_below_parent(&facts.container).await;
        Ok((facts, workspace))
    }

    /// The existing sandbox with this id; `None` when it is incomplete and must be made again.
    async fn existing(
        &self,
        spec: &SandboxSpec,
        restore: Option<&str>,
    ) -> Result<Option<(SandboxFacts, WorkspaceState)>, DriverError> {
        let Some((labels, facts)) = self.labelled(spec.sandbox).await? else {
            return Ok(None);
        };
        if labels.get(names::SPEC) != Some(&names::spec_digest(spec, restore)) {
            return Err(DriverError::SpecDiffers(spec.sandbox));
        }
        if facts.state != ContainerState::Running {
            return Ok(None);
        }
        let link = match self.attach(spec.sandbox).await {
            Ok(link) => link,
            Err(
                DriverError::GuestSilent { .. }
                | DriverError::SandboxGone(_)
                | DriverError::NoSandbox(_),
            ) => return Ok(None),
            Err(error) => return Err(error),
        };
        let Some(digest) = restore else {
            return Ok(Some((facts, WorkspaceState::Empty)));
        };
        let digest = digest.to_owned();
        Ok(
            if archive::restored(&link).await?.as_deref() == Some(&digest) {
                Some((facts, WorkspaceState::Restored { digest }))
            } else {
                None
            },
        )
    }

    /// Whether there is room for one more, by the engine's present state and not by remembered state.
    async fn room(
        &self,
        allowance: &Allowance,
        sandbox: SandboxId,
        limits: &Limits,
    ) -> Result<(), DriverError> {
        let held = self.holding().await?;
        let others = held.iter().filter(|facts| facts.sandbox != sandbox);
        let taken = Total::of(others.map(|facts| &facts.limits));
        allowance
            .caps
            .room(&taken, limits)
            .map_err(DriverError::NoRoom)
    }
}

/// Restores a stored workspace; `false` when it does not exist.
async fn restored(
    link: &GuestLink,
    stored: &Restore,
    digest: &str,
    facts: &SandboxFacts,
) -> Result<bool, DriverError> {
    match stored {
        Restore::Snapshot { store, digest } => {
            crate::snapshot::restore(link, store, digest, facts).await
        }
        Restore::Archive(path) if path.exists() => {
            archive::restore(link, path, digest).await.map(|()| true)
        }
        Restore::Archive(_) => Ok(false),
    }
}
