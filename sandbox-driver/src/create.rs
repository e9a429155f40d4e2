//! Create: sends the policy's request and compares what the engine made of it before anything runs in it.
use bollard::models::ContainerCreateBody;
use bollard::query_parameters::{
    CreateContainerOptionsBuilder, InspectContainerOptions, RemoveContainerOptionsBuilder,
};
use roost_protocol::ids::SandboxId;

use crate::driver::Driver;
use crate::error::{DriverError, is_missing, status};
use crate::image::FitImage;
use crate::{inspect, names};

/// Whether the id was free.
pub(crate) enum Made {
    New,
    /// A container of that name is there already.
    Exists,
}

impl Driver {
    /// Creates a container and destroys it again when any field differs from what was intended.
    pub(crate) async fn create(
        &self,
        sandbox: SandboxId,
        body: ContainerCreateBody,
        image: &FitImage,
    ) -> Result<Made, DriverError> {
        let name = names::container(sandbox);
        let options = CreateContainerOptionsBuilder::new().name(&name).build();
        let created = self
            .inner
            .docker
            .create_container(Some(options), body.clone())
            .await;
        match created {
            Ok(_) => {}
            Err(error) if status(&error) == Some(409) => return Ok(Made::Exists),
            // Podman answers 500 to a name that is taken.
            Err(error) if error.to_string().contains("is already in use") => {
                return Ok(Made::Exists);
            }
            Err(error) if is_missing(&error) => {
                return Err(DriverError::ImageMissing {
                    reference: image.reference.clone(),
                });
            }
            Err(error) => return Err(DriverError::engine("creating the sandbox", error)),
        }
        let found = self
            .inner
            .docker
            .inspect_container(&name, None::<InspectContainerOptions>)
            .await;
        let differences = match found {
            Ok(found) => inspect::differences(&body, &found, image, self.inner.engine.kind),
            Err(error) => vec![format!("it cannot be inspected: {error}")],
        };
        if differences.is_empty() {
            return Ok(Made::New);
        }
        self.remove(sandbox).await?;
        Err(DriverError::PolicyMismatch { differences })
    }

    /// Removes a container of ours and closes the line to it; one that is not there is fine.
    pub(crate) async fn remove(&self, sandbox: SandboxId) -> Result<(), DriverError> {
        self.detach(sandbox);
        self.remove_container(&names::container(sandbox)).await
    }

    pub(crate) async fn remove_container(&self, container: &str) -> Result<(), DriverError> {
        let options = RemoveContainerOptionsBuilder::new()
            .force(true)
            .v(true)
            .build();
        match self
            .inner
            .docker
            .remove_container(container, Some(options))
            .await
        {
            Ok(()) => Ok(()),
            Err(error) if is_missing(&error) => Ok(()),
            // Somebody else removes it at this moment: it goes all the same.
            Err(error) if status(&error) == Some(409) => Ok(()),
            Err(error) => Err(DriverError::engine("removing the sandbox", error)),
        }
    }
}
