//! Create: sends the policy's request and compares the engine's result before anything runs in it.
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
    /// A container with that name exists already.
    Exists,
}

impl Driver {
    /// Creates a container. Destroys it again when any field differs from the request.
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
            // Podman answers 500 for a name that is in use.
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

    /// Removes our container and closes the link to it; a missing container is not an error.
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
            // Another caller is removing it at this moment; the result is the same.
            Err(error) if status(&error) == Some(409) => Ok(()),
            Err(error) => Err(DriverError::engine("removing the sandbox", error)),
        }
    }
}
