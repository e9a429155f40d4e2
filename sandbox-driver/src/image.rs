//! Agent images: whether the wanted one is here and can be a sandbox, and how to get it.
use std::path::Path;

use bollard::models::ImageInspect;
use bollard::query_parameters::{CreateImageOptionsBuilder, ImportImageOptionsBuilder};
use futures::{StreamExt, TryStreamExt};
use tokio_util::codec::{BytesCodec, FramedRead};

use crate::driver::Driver;
use crate::error::{DriverError, is_missing};
use crate::policy::GUEST;

/// The image's state for the node's page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageState {
    Ready {
        /// `sha256:…`
        id: String,
        bytes: u64,
    },
    Missing,
    /// The reference names another image than the wanted digest.
    WrongDigest {
        id: String,
    },
    /// The image is here but cannot be a sandbox; the sentence says why.
    Unfit {
        reason: String,
    },
}

/// An image that can be a sandbox.
#[derive(Clone, Debug)]
pub(crate) struct FitImage {
    pub(crate) reference: String,
    pub(crate) id: String,
    /// `NAME=value`, as the image sets them.
    pub(crate) env: Vec<String>,
}

impl Driver {
    /// Whether an image is ready. `digest` is an image id or a registry digest (`sha256:…`).
    ///
    /// # Errors
    /// [`DriverError`] when the reference is malformed or the engine does not answer.
    pub async fn image_state(
        &self,
        reference: &str,
        digest: Option<&str>,
    ) -> Result<ImageState, DriverError> {
        roost_protocol::text::image_reference(reference)?;
        Ok(match self.image(reference).await? {
            None => ImageState::Missing,
            Some(image) => state(&image, digest),
        })
    }

    /// The image for a sandbox, or why it cannot be one.
    pub(crate) async fn fit_image(
        &self,
        reference: &str,
        digest: Option<&str>,
    ) -> Result<FitImage, DriverError> {
        let reference = reference.to_owned();
        let Some(image) = self.image(&reference).await? else {
            return Err(DriverError::ImageMissing { reference });
        };
        match state(&image, digest) {
            ImageState::Ready { id, .. } => Ok(FitImage {
                reference,
                id,
                env: image
                    .config
                    .and_then(|config| config.env)
                    .unwrap_or_default(),
            }),
            ImageState::Missing => Err(DriverError::ImageMissing { reference }),
            ImageState::WrongDigest { id } => Err(DriverError::ImageDiffers {
                reference,
                wanted: digest.unwrap_or_default().to_owned(),
                got: id,
            }),
            ImageState::Unfit { reason } => Err(DriverError::ImageUnfit { reference, reason }),
        }
    }

    async fn image(&self, reference: &str) -> Result<Option<ImageInspect>, DriverError> {
        match self.inner.docker.inspect_image(reference).await {
            Ok(image) => Ok(Some(image)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(DriverError::engine("inspecting the image", error)),
        }
    }

    /// Loads a tar file that `docker save` wrote; returns the engine's output by line.
    ///
    /// # Errors
    /// [`DriverError::File`] when the tar file cannot be read, or the engine's error.
    pub async fn import_image(&self, tar: &Path) -> Result<Vec<String>, DriverError> {
        let file = tokio::fs::File::open(tar)
            .await
            .map_err(|source| DriverError::file("cannot open", tar, source))?;
        let bytes = FramedRead::with_capacity(file, BytesCodec::new(), 256 * 1024)
            .map_ok(bytes::BytesMut::freeze);
        let options = ImportImageOptionsBuilder::new().quiet(true).build();
        let mut answers = self.inner.docker.import_image_stream(options, bytes, None);
        let mut lines = Vec::new();
        while let Some(answer) = answers.next().await {
            let answer =
                answer.map_err(|error| DriverError::engine("importing the image", error))?;
            if let Some(line) = answer.stream {
                lines.push(line.trim().to_owned());
            }
        }
        Ok(lines)
    }

    /// Lets the engine pull an image from its registry; `progress` gets the engine's messages.
    ///
    /// # Errors
    /// [`DriverError`] with the engine's reason.
    pub async fn pull_image(
        &self,
        reference: &str,
        progress: &mut (dyn FnMut(&str) + Send),
    ) -> Result<(), DriverError> {
        roost_protocol::text::image_reference(reference)?;
        let options = CreateImageOptionsBuilder::new()
            .from_image(reference)
            .build();
        let mut answers = self.inner.docker.create_image(Some(options), None, None);
        while let Some(answer) = answers.next().await {
            let answer = answer.map_err(|error| DriverError::engine("pulling the image", error))?;
            if let Some(status) = answer.status {
                progress(&roost_protocol::text::clean(&status, 200));
            }
        }
        Ok(())
    }
}

fn state(image: &ImageInspect, digest: Option<&str>) -> ImageState {
    let id = image.id.clone().unwrap_or_default();
    let id = if id.starts_with("sha256:") {
        id
    } else {
        format!("sha256:{id}")
    };
    if let Some(wanted) = digest
        && wanted != id
        && !image
            .repo_digests
            .iter()
            .flatten()
            .any(|held| held.rsplit('@').next() == Some(wanted))
    {
        return ImageState::WrongDigest { id };
    }
    let config = image.config.clone().unwrap_or_default();
    // Either spelling is fine here: the policy decides what is started, and this only recognises an agent image.
    let mut entry = config.entrypoint.unwrap_or_default();
    if entry.is_empty() {
        entry = config.cmd.unwrap_or_default();
    }
    if entry != [GUEST] {
        return ImageState::Unfit {
            reason: format!(
                "its entry point is {entry:?} but must be {GUEST}: build it with deploy/agent-image"
            ),
        };
    }
    if config.volumes.is_some_and(|volumes| !volumes.is_empty()) {
        return ImageState::Unfit {
            reason: "it declares volumes, which would be folders on the host without a size limit"
                .to_owned(),
        };
    }
    ImageState::Ready {
        id,
        bytes: u64::try_from(image.size.unwrap_or(0)).unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bollard::models::ImageConfig;

    fn image(entry: &str, volumes: Option<Vec<String>>) -> ImageInspect {
        ImageInspect {
            id: Some("sha256:aa".to_owned()),
            repo_digests: Some(vec!["registry.example/a@sha256:bb".to_owned()]),
            config: Some(ImageConfig {
                entrypoint: Some(vec![entry.to_owned()]),
                volumes,
                ..ImageConfig::default()
            }),
            ..ImageInspect::default()
        }
    }

    #[test]
    fn image_id_and_registry_digest_both_match() {
        let image = image(GUEST, None);
        for digest in [None, Some("sha256:aa"), Some("sha256:bb")] {
            assert!(
                matches!(state(&image, digest), ImageState::Ready { .. }),
                "{digest:?}"
            );
        }
        assert!(matches!(
            state(&image, Some("sha256:cc")),
            ImageState::WrongDigest { .. }
        ));
    }

    #[test]
    fn an_image_without_the_guest_or_with_volumes_is_unfit() {
        assert!(matches!(
            state(&image("/bin/sh", None), None),
            ImageState::Unfit { .. }
        ));
        let volumes = Some(vec!["/data".to_owned()]);
        assert!(matches!(
            state(&image(GUEST, volumes), None),
            ImageState::Unfit { .. }
        ));
    }
}
