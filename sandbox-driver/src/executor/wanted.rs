//! The agent image that the gateway wants here. It is stored across restarts, so that `hello` and the owner's commands
//! use the right image before the gateway names it again.
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crate::driver::lock;
use crate::private;

/// The default image when no gateway has named one.
pub const AGENT_IMAGE: &str = "roost-agent:rust";
/// The file in the executor's state folder.
const FILE: &str = "wanted-image";

/// The wanted image; clones share it.
#[derive(Clone, Debug)]
pub struct WantedImage {
    file: PathBuf,
    reference: Arc<Mutex<String>>,
}

impl WantedImage {
    /// The configured image, else the one that the gateway wanted last, else the one that the product builds.
    pub fn open(state_dir: &std::path::Path, configured: Option<String>) -> Self {
        let reference = configured
            .or_else(|| remembered(state_dir))
            .unwrap_or_else(|| AGENT_IMAGE.to_owned());
        Self {
            file: state_dir.join(FILE),
            reference: Arc::new(Mutex::new(reference)),
        }
    }

    pub fn get(&self) -> String {
        lock(&self.reference).clone()
    }

    /// Stores the gateway's choice; returns true when it differs from the present one.
    pub fn set(&self, reference: &str) -> bool {
        if roost_protocol::text::image_reference(reference).is_err() {
            tracing::warn!("the gateway named an invalid agent image reference; it is ignored");
            return false;
        }
        if std::mem::replace(&mut *lock(&self.reference), reference.to_owned()) == reference {
            return false;
        }
        tracing::info!(image = reference, "the gateway wants this agent image");
        if let Err(error) = private::write(&self.file, reference.as_bytes()) {
            tracing::warn!(%error, "cannot store the wanted image; the gateway will name it again");
        }
        true
    }
}

/// The image that the gateway of an executor wanted last.
pub fn remembered(state_dir: &std::path::Path) -> Option<String> {
    let text = std::fs::read_to_string(state_dir.join(FILE)).ok()?;
    let reference = text.trim();
    roost_protocol::text::image_reference(reference).ok()?;
    Some(reference.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wanted_image_is_stored_and_invalid_reference_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let wanted = WantedImage::open(folder.path(), None);
        assert_eq!(wanted.get(), AGENT_IMAGE);
        assert!(wanted.set("registry.example/agent:7"));
        assert!(!wanted.set("registry.example/agent:7"), "it is the same");
        assert!(!wanted.set("--privileged"));
        assert_eq!(wanted.get(), "registry.example/agent:7");
        let again = WantedImage::open(folder.path(), None);
        assert_eq!(again.get(), "registry.example/agent:7");
        let configured = WantedImage::open(folder.path(), Some("mine:1".to_owned()));
        assert_eq!(configured.get(), "mine:1");
    }
}
