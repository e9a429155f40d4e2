//! Provision: from a spec to a running sandbox whose hardening was compared and whose guest answered.
use std::path::PathBuf;

use roost_protocol::ids::SandboxId;
use roost_protocol::sandbox::{ContainerState, SandboxFacts, SandboxSpec, WorkspaceState};

use crate::create::Made;
use crate::driver::{Driver, now_s};
use crate::error::DriverError;
use crate::policy::{self, OwnerCaps};
use crate::{archive, names};

/// What beside the spec decides a provision.
#[derive(Clone, Debug, Default)]
pub struct ProvisionOptions {
    pub caps: OwnerCaps,
    /// Archive to restore, named `<sha256>.tar`; see [`crate::archive::ArchiveStore::path`]. A path where no file is
    /// gives an empty workspace and says so.
    pub restore: Option<PathBuf>,
}

impl Driver {
    /// Makes and starts a sandbox. The same id with the same spec again gives the sandbox that exists; a half-made one
    /// (its maker died) is made anew. `progress` hears what is being done, for people.
    ///
    /// # Errors
    /// [`DriverError`]; whatever was made until then is removed again.
    pub async fn provision(
        &self,
        spec: &SandboxSpec,
        options: ProvisionOptions,
        progress: &mut (dyn FnMut(&str) + Send),
    ) -> Result<(SandboxFacts, WorkspaceState), DriverError> {
        let limits = policy::admit(spec, &options.caps)?;
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
            self.count_against(&options.caps, spec.sandbox).await?;
            self.create(spec.sandbox, body.clone(), &image).await?
        };
        match made {
            Made::New => {}
            Made::Exists => {
                if let Some(found) = self.existing(spec, restore.as_deref()).await? {
                    return Ok(found);
                }
                progress("removing what a dead maker left half-made");
                self.remove(spec.sandbox).await?;
                self.create(spec.sandbox, body, &image).await?;
            }
        }
        let made = self.start(spec, &options, restore, progress).await;
        if made.is_err() {
            // Half a sandbox is none. The first error is the one to tell; the sweep finds what stays.
            if let Err(error) = self.remove(spec.sandbox).await {
                tracing::warn!(sandbox = %spec.sandbox, %error, "a failed sandbox could not be removed");
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
        Ok((facts, workspace))
    }

    /// The sandbox that is there under this id: `None` when it is not whole and must be made anew.
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

    async fn count_against(&self, caps: &OwnerCaps, sandbox: SandboxId) -> Result<(), DriverError> {
        let Some(most) = caps.most_sandboxes else {
            return Ok(());
        };
        let others = self
            .list()
            .await?
            .iter()
            .filter(|facts| facts.sandbox != sandbox)
            .count();
        if others >= most as usize {
            return Err(DriverError::OwnerCaps(format!(
                "{others} sandboxes run here and the owner's policy allows {most}"
            )));
        }
        Ok(())
    }
}
