//! Provision: from a spec to a running sandbox whose hardening was compared and whose guest answered.
use std::path::PathBuf;

use roost_protocol::caps::Total;
use roost_protocol::ids::SandboxId;
use roost_protocol::sandbox::{ContainerState, Limits, SandboxFacts, SandboxSpec, WorkspaceState};

use crate::create::Made;
use crate::driver::{Driver, now_s};
use crate::error::DriverError;
use crate::total::Allowance;
use crate::{archive, names, policy};

/// Options of a provision beside the spec.
#[derive(Clone, Debug, Default)]
pub struct ProvisionOptions {
    /// What the owner of this machine allows; absent allows everything that the engine can do.
    pub allowance: Option<Allowance>,
    /// Archive to restore, named `<sha256>.tar`; see [`crate::archive::ArchiveStore::path`]. If the file does not
    /// exist, the workspace is empty and the result says so.
    pub restore: Option<PathBuf>,
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
        let restore = options
            .restore
            .as_deref()
            .map(archive::digest_of)
            .transpose()?;
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
        let workspace = match (restore, &options.restore) {
            (Some(digest), Some(path)) if path.exists() => {
                progress("restoring the workspace");
                archive::restore(&link, path, &digest).await?;
                WorkspaceState::Restored { digest }
            }
            (Some(digest), _) => WorkspaceState::ArchiveMissing { digest },
            (None, _) => WorkspaceState::Empty,
        };
        let facts = self
            .facts(spec.sandbox)
            .await?
            .ok_or(DriverError::SandboxGone(spec.sandbox))?;
        if facts.state != ContainerState::Running {
            return Err(DriverError::SandboxGone(spec.sandbox));
        }
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
            Err(DriverError::GuestSilent { .. } | DriverError::SandboxGone(_)) => return Ok(None),
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
