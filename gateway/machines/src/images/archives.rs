//! Packed images of the gateway's own engine, for machines that lack them. An image is packed when a machine first asks for
//! it, and its file stays while the engine has the image.
//!
//! Position: child of `sandboxes`, named `image-packer`; periodic. Restart: an unfinished file is removed, and the next
//! request of a machine packs the image again.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use roost_sandbox_driver::{Driver, EngineConfig, private};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::fleet::local::LocalImages;
use roost_platform::supervision::{ActorKind, AnyChild, ChildSpec, Nudge};

/// The folder of packed images in the data directory.
pub const FOLDER: &str = "images";
/// How often packed images are compared with what the engine has.
const EVERY: Duration = Duration::from_secs(60);
/// Transfers at once. More machines wait for their turn, so that the line is not shared by too many.
const TRANSFERS: usize = 4;
/// What must stay free on the disk.
const RESERVE: u64 = 1 << 30;
/// The endings of a packed image, and of one that is being packed.
const PACKED: &str = "tar.zst";
const UNFINISHED: &str = "new";

/// An image that the gateway can give to a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    pub reference: String,
    /// `sha256:…`
    pub id: String,
    pub bytes: u64,
}

/// A packed image, and the turn to send it.
#[derive(Debug)]
pub struct Packed {
    pub file: tokio::fs::File,
    pub bytes: u64,
    /// Hex digits.
    pub sha256: String,
    pub turn: OwnedSemaphorePermit,
}

/// Why a packed image cannot be sent now.
#[derive(Debug, thiserror::Error)]
pub enum NotPacked {
    /// No image of the gateway's own engine has this digest.
    #[error("the gateway's own engine has no image {0} of the catalogue")]
    Unknown(String),
    /// It will be packed soon.
    #[error("the image is being packed; ask again in some seconds")]
    Soon,
    #[error("{0} machines fetch images now; ask again in some seconds")]
    Turns(usize),
    #[error("the gateway could not pack the image: {0}")]
    Failed(String),
    #[error("the packed image cannot be read")]
    Unreadable(#[source] io::Error),
}

/// The packed images; cheap to clone.
#[derive(Debug, Clone)]
pub struct Archives {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    folder: PathBuf,
    engine: Option<String>,
    held: LocalImages,
    /// Images that a machine asked for, with the error of the last try.
    asked: Mutex<BTreeMap<String, Option<String>>>,
    nudge: Nudge,
    turns: Arc<Semaphore>,
}

impl Archives {
    /// In the data directory. `engine` is the address of the gateway's own engine.
    pub fn new(data_dir: &Path, engine: Option<String>, held: LocalImages) -> Self {
        Self {
            inner: Arc::new(Inner {
                folder: data_dir.join(FOLDER),
                engine,
                held,
                asked: Mutex::default(),
                nudge: Nudge::default(),
                turns: Arc::new(Semaphore::new(TRANSFERS)),
            }),
        }
    }

    /// The images of the gateway's own engine that can be sandboxes.
    pub fn offers(&self) -> Vec<Offer> {
        let held = self.inner.held.get().into_iter();
        let ready = held.filter(|image| image.state == "ready");
        let offers = ready.filter_map(|image| {
            Some(Offer {
                reference: image.reference,
                id: image.id?,
                bytes: image.bytes.unwrap_or_default(),
            })
        });
        offers.collect()
    }

    /// The packed image with this id.
    ///
    /// # Errors
    /// [`NotPacked`]; the first request for an image always ends with [`NotPacked::Soon`].
    pub async fn open(&self, id: &str) -> Result<Packed, NotPacked> {
        let inner = &self.inner;
        if !self.offers().iter().any(|offer| offer.id == id) {
            return Err(NotPacked::Unknown(id.to_owned()));
        }
        let Some((path, sha256)) = packed(&inner.folder, id).map_err(NotPacked::Unreadable)? else {
            let failed = inner.asked().entry(id.to_owned()).or_default().clone();
            inner.nudge.nudge();
            return Err(failed.map_or(NotPacked::Soon, NotPacked::Failed));
        };
        let turn = Arc::clone(&inner.turns).try_acquire_owned();
        let turn = turn.map_err(|_| NotPacked::Turns(TRANSFERS))?;
        let file = tokio::fs::File::open(path).await;
        let file = file.map_err(NotPacked::Unreadable)?;
        let bytes = file.metadata().await.map_err(NotPacked::Unreadable)?.len();
        Ok(Packed {
            file,
            bytes,
            sha256,
            turn,
        })
    }

    /// The child that packs what machines ask for.
    pub fn packer(&self) -> AnyChild {
        let archives = self.clone();
        ChildSpec::periodic(
            "image-packer",
            ActorKind::Worker,
            EVERY,
            &self.inner.nudge,
            move |_| {
                let archives = archives.clone();
                async move {
                    archives.pack().await?;
                    Ok(())
                }
            },
        )
        .serves("images that machines fetch")
        .into()
    }

    async fn pack(&self) -> io::Result<()> {
        let inner = &self.inner;
        let offers = self.offers();
        tidy(&inner.folder, &offers)?;
        inner
            .asked()
            .retain(|id, _| offers.iter().any(|offer| offer.id == *id));
        let asked: Vec<String> = inner.asked().keys().cloned().collect();
        for offer in offers.iter().filter(|offer| asked.contains(&offer.id)) {
            if packed(&inner.folder, &offer.id)?.is_some() {
                inner.asked().remove(&offer.id);
                continue;
            }
            let failed = self.pack_one(offer).await.err();
            if let Some(error) = &failed {
                tracing::warn!(image = offer.reference, error, "an image was not packed");
            }
            // A failed one is tried again each minute while machines ask for it.
            match failed {
                Some(error) => inner.asked().insert(offer.id.clone(), Some(error)),
                None => inner.asked().remove(&offer.id),
            };
        }
        Ok(())
    }

    /// # Errors
    /// In words for people.
    async fn pack_one(&self, offer: &Offer) -> Result<(), String> {
        let folder = &self.inner.folder;
        let on_disk = |error: io::Error| format!("{} cannot be written: {error}", folder.display());
        private::make_folder(folder).map_err(on_disk)?;
        room(folder, offer.bytes)?;
        let config = EngineConfig {
            host: self.inner.engine.clone(),
            ..EngineConfig::default()
        };
        let driver = Driver::connect(config).await.map_err(|e| e.to_string())?;
        let new = folder.join(format!("{}.{UNFINISHED}", hex_of(&offer.id)));
        let done = driver.pack_image(&offer.id, &new).await;
        let done = done.map_err(|error| error.to_string())?;
        let name = format!("{}.{}.{PACKED}", hex_of(&offer.id), done.sha256);
        std::fs::rename(&new, folder.join(name)).map_err(on_disk)?;
        tracing::info!(
            image = offer.reference,
            id = offer.id,
            bytes = done.bytes,
            "an image is packed for machines"
        );
        Ok(())
    }
}

impl Inner {
    fn asked(&self) -> MutexGuard<'_, BTreeMap<String, Option<String>>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hex_of(id: &str) -> &str {
    id.trim_start_matches("sha256:")
}

/// Id (hex digits) and SHA-256 of a packed image: `<id>.<sha256>.tar.zst`.
fn parts(name: &str) -> Option<(&str, &str)> {
    let (id, rest) = name.split_once('.')?;
    let (sha256, ending) = rest.split_once('.')?;
    (ending == PACKED).then_some((id, sha256))
}

fn names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let name = |entry: io::Result<std::fs::DirEntry>| {
        entry.map(|entry| entry.file_name().to_string_lossy().into_owned())
    };
    entries.map(name).collect()
}

fn packed(folder: &Path, id: &str) -> io::Result<Option<(PathBuf, String)>> {
    let names = names(folder)?;
    let mut found = names.iter().filter_map(|name| {
        let (of, sha256) = parts(name)?;
        (of == hex_of(id)).then(|| (folder.join(name), sha256.to_owned()))
    });
    Ok(found.next())
}

/// Removes what a stopped packer left, and images that the engine does not have any more. An engine that has not answered
/// yet has said nothing about them.
fn tidy(folder: &Path, offers: &[Offer]) -> io::Result<()> {
    for name in names(folder)? {
        let is_wanted = match parts(&name) {
            Some((id, _)) => {
                offers.is_empty() || offers.iter().any(|offer| hex_of(&offer.id) == id)
            }
            None => false,
        };
        if !is_wanted {
            std::fs::remove_file(folder.join(name))?;
        }
    }
    Ok(())
}

fn room(folder: &Path, bytes: u64) -> Result<(), String> {
    let disk = rustix::fs::statvfs(folder)
        .map_err(|error| format!("the disk of {} does not answer: {error}", folder.display()))?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    let needed = bytes.saturating_add(RESERVE);
    if free >= needed {
        return Ok(());
    }
    Err(format!(
        "its disk has {} MiB free and the image needs {}; the operator frees some space",
        free >> 20,
        needed >> 20
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(id: &str) -> Offer {
        Offer {
            reference: "a:1".to_owned(),
            id: format!("sha256:{id}"),
            bytes: 1,
        }
    }

    #[test]
    fn only_packed_images_of_the_engine_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path();
        for name in ["aa.01.tar.zst", "bb.02.tar.zst", "aa.new", "x"] {
            std::fs::write(at.join(name), "x").expect("written");
        }
        tidy(at, &[]).expect("readable");
        assert!(packed(at, "sha256:bb").expect("readable").is_some());
        tidy(at, &[offer("aa")]).expect("readable");
        assert_eq!(names(at).expect("readable"), ["aa.01.tar.zst"]);
        let (path, sha256) = packed(at, "sha256:aa").expect("readable").expect("it");
        assert_eq!((path, sha256.as_str()), (at.join("aa.01.tar.zst"), "01"));
    }

    #[test]
    fn full_disk_is_said_with_what_to_do() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = room(folder.path(), u64::MAX).expect_err("no disk is that large");
        assert!(error.contains("frees some space"), "{error}");
    }
}
