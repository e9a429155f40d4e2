//! Images that this machine lacks come from the gateway: one at a time, over requests of their own. A transfer that was
//! cut off goes on where it ended, also after a restart of the daemon.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::StreamExt;
use roost_protocol::hello::{HeldImage, ImageFetch, ImageState, WantedImage};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::sync::Notify;

use super::policy::OwnerPolicy;
use super::shared::Shared;
use crate::error::is_full;
use crate::image_archive::{named, sha256};
use crate::origin::{ImageBytes, ImageOffer, ImageOrigin, OriginError};
use crate::private;

/// The first and the longest wait until the next look whether the gateway has what is missing.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// What must stay free on the disk.
const RESERVE: u64 = 1 << 30;
/// The ending of an unfinished transfer.
const PART: &str = "part";

/// The folder of transfers, and how far they are.
#[derive(Debug)]
pub struct Images {
    folder: PathBuf,
    origin: Option<Arc<dyn ImageOrigin>>,
    fetches: Mutex<BTreeMap<String, ImageFetch>>,
    wake: Notify,
}

impl Images {
    /// In the executor's state folder. Without an origin nothing is fetched.
    pub fn new(state: &Path, origin: Option<Arc<dyn ImageOrigin>>) -> Self {
        Self {
            folder: state.join("images"),
            origin,
            fetches: Mutex::default(),
            wake: Notify::new(),
        }
    }

    /// Looks at once for what is missing: the catalogue may have changed.
    pub fn look(&self) {
        self.wake.notify_one();
    }

    /// Adds how far the transfers are to what the engine has.
    pub fn said(&self, held: &mut [HeldImage]) {
        let fetches = self.fetches();
        for image in held {
            image.fetch = fetches.get(&image.reference).cloned();
        }
    }

    fn fetches(&self) -> MutexGuard<'_, BTreeMap<String, ImageFetch>> {
        self.fetches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn says(&self, reference: &str, fetch: ImageFetch) {
        self.fetches().insert(reference.to_owned(), fetch);
    }

    /// A transfer ended with a problem, which people read.
    fn failed(&self, reference: &str, problem: String) {
        tracing::warn!(image = reference, problem, "an image was not fetched");
        let fetch = ImageFetch {
            problem: Some(problem),
            ..ImageFetch::default()
        };
        self.says(reference, fetch);
    }
}

/// The offers that this machine lacks and takes, in the catalogue's order.
fn lacking(
    wanted: &[WantedImage],
    held: &[HeldImage],
    policy: &OwnerPolicy,
    offers: &[ImageOffer],
) -> Vec<ImageOffer> {
    let is_lacking = |wanted: &&WantedImage| {
        let held = held.iter().find(|held| held.reference == wanted.reference);
        // Without a demanded digest, an unusable image is the owner's own, and stays.
        held.is_some_and(|held| match held.state {
            ImageState::Missing => true,
            ImageState::WrongDigest => wanted.digest.is_some(),
            ImageState::Ready | ImageState::Unknown => false,
        })
    };
    let takes = |wanted: &&WantedImage| {
        policy.allows(&wanted.reference) && named(&wanted.reference).is_some()
    };
    let offer = |wanted: &WantedImage| {
        let mut fitting = offers.iter().filter(|offer| {
            let is_demanded = wanted.digest.as_ref().is_none_or(|id| *id == offer.id);
            offer.reference == wanted.reference && is_demanded
        });
        fitting.next().cloned()
    };
    let lacking = wanted.iter().filter(is_lacking).filter(takes);
    lacking.filter_map(offer).collect()
}

/// Fetches what is missing, until the executor stops.
pub async fn work(shared: &Arc<Shared>) {
    let images = &shared.images;
    let Some(origin) = images.origin.clone() else {
        return;
    };
    if shared.policy.fetch_images == Some(false) {
        return;
    }
    let mut pause = FIRST_WAIT;
    // Refused images are tried again when the gateway has another one.
    let mut refused: BTreeMap<String, String> = BTreeMap::new();
    let mut before = BTreeMap::new();
    loop {
        if let Err(error) = round(shared, origin.as_ref(), &mut refused).await {
            tracing::debug!(%error, "an image waits for the gateway");
        }
        // A gateway that has just begun, that packs an image or whose line broke is asked again soon.
        let now = images.fetches().clone();
        if now != before {
            (before, pause) = (now, FIRST_WAIT);
        }
        // Both outcomes lead to the next look: a changed catalogue, or the end of the wait.
        let woken = tokio::time::timeout(pause, images.wake.notified()).await;
        pause = match woken {
            Ok(()) => FIRST_WAIT,
            Err(_) => (pause * 2).min(LONGEST_WAIT),
        };
    }
}

/// Fetches what is missing now.
///
/// # Errors
/// When the gateway does not give an image yet.
async fn round(
    shared: &Shared,
    origin: &dyn ImageOrigin,
    refused: &mut BTreeMap<String, String>,
) -> Result<(), OriginError> {
    let wanted = shared.engine.catalogue();
    let held = shared.engine.facts().await.images;
    let is_complete = |held: &HeldImage| held.state == ImageState::Ready;
    if held.is_empty() || held.iter().all(is_complete) {
        shared.images.fetches().clear();
        return Ok(());
    }
    let offers = match origin.offers().await {
        // A gateway of an older version gives no images.
        Err(OriginError::Refused(_)) => return Ok(()),
        offers => offers?,
    };
    let lacking = lacking(&wanted, &held, &shared.policy, &offers);
    shared.images.fetches().retain(|reference, _| {
        let mut names = lacking.iter().map(|offer| &offer.reference);
        names.any(|name| name == reference)
    });
    for offer in lacking {
        if refused.get(&offer.reference) == Some(&offer.id) {
            continue;
        }
        match fetch(shared, origin, &offer).await {
            Ok(()) => {
                shared.images.fetches().remove(&offer.reference);
                shared.engine.forget_facts();
                let fetched = json!({ "image": offer.reference, "id": offer.id });
                let now_s = shared.clock.now_s();
                shared.log.happened("image-fetched", fetched, now_s);
            }
            Err(Failed::Later(error)) => return Err(error),
            Err(Failed::Here(problem)) => {
                refused.insert(offer.reference.clone(), offer.id.clone());
                shared.images.failed(&offer.reference, problem);
            }
            Err(Failed::NoRoom(problem)) => shared.images.failed(&offer.reference, problem),
        }
    }
    Ok(())
}

/// Why an image is not here.
enum Failed {
    /// The next look goes on with it.
    Later(OriginError),
    /// The disk is full. The next look tries again, and a person reads this sentence.
    NoRoom(String),
    /// A sentence for people that says what to do.
    Here(String),
}

impl Failed {
    /// A file of the transfer cannot be written.
    fn on_disk(path: &Path, error: &std::io::Error) -> Self {
        let at = path.display();
        if is_full(error) {
            return Self::NoRoom(format!(
                "The machine's disk is full at {at}: make room there, and roostd goes on by itself"
            ));
        }
        Self::Here(format!(
            "{at} cannot be written: {error}; roostd tries again after its next start"
        ))
    }
}

impl From<OriginError> for Failed {
    fn from(error: OriginError) -> Self {
        match error {
            OriginError::Refused(_) => Self::Here(error.to_string()),
            OriginError::Away(_) => Self::Later(error),
        }
    }
}

async fn fetch(
    shared: &Shared,
    origin: &dyn ImageOrigin,
    offer: &ImageOffer,
) -> Result<(), Failed> {
    let images = &shared.images;
    let on_disk = |error: std::io::Error| Failed::on_disk(&images.folder, &error);
    private::make_folder(&images.folder).map_err(on_disk)?;
    images.says(&offer.reference, ImageFetch::default());
    let part = Part::of(&images.folder, &offer.id).map_err(on_disk)?;
    let have = part.as_ref().map(|part| (part.bytes, part.sha256.as_str()));
    let rest = origin.read(&offer.id, have).await?;
    let needed = (rest.total - rest.from.min(rest.total)).saturating_add(offer.bytes);
    room(&images.folder, needed)?;
    let path = Part::path(&images.folder, &offer.id, &rest.sha256);
    if let Some(part) = part.filter(|part| part.path != path) {
        // The gateway has packed the image anew.
        std::fs::remove_file(part.path).map_err(on_disk)?;
    }
    let said = rest.sha256.clone();
    receive(images, offer, rest, &path).await?;
    let hashed = path.clone();
    let hash = tokio::task::spawn_blocking(move || sha256(&hashed)).await;
    let hash = hash.map_err(std::io::Error::other).flatten();
    if hash.map_err(on_disk)? != said {
        std::fs::remove_file(&path).map_err(on_disk)?;
        let cut = "what came is not what the gateway packed".to_owned();
        return Err(OriginError::Away(cut).into());
    }
    let loaded = shared.engine.unpack_image(&path, offer).await;
    // A whole archive that the engine does not take is of no use the next time either.
    std::fs::remove_file(&path).map_err(on_disk)?;
    loaded.map_err(|error| Failed::Here(error.detail))
}

async fn receive(
    images: &Images,
    offer: &ImageOffer,
    mut rest: ImageBytes,
    path: &Path,
) -> Result<(), Failed> {
    let on_disk = |error: std::io::Error| Failed::on_disk(path, &error);
    let mut file = tokio::fs::OpenOptions::new();
    let file = file.create(true).append(true).mode(0o600).open(path).await;
    let mut file = file.map_err(on_disk)?;
    file.set_len(rest.from).await.map_err(on_disk)?;
    let mut done = rest.from;
    while let Some(block) = rest.bytes.next().await {
        let block = match block {
            Ok(block) => block,
            Err(error) => {
                // What came is kept for the next look.
                file.flush().await.map_err(on_disk)?;
                return Err(error.into());
            }
        };
        done += block.len() as u64;
        if done > rest.total {
            return Err(OriginError::Refused("it sent more than it said".to_owned()).into());
        }
        file.write_all(&block).await.map_err(on_disk)?;
        let total = rest.total;
        let fetch = ImageFetch {
            done,
            total,
            problem: None,
        };
        images.says(&offer.reference, fetch);
    }
    file.flush().await.map_err(on_disk)?;
    if done < rest.total {
        return Err(OriginError::Away("the transfer was cut off".to_owned()).into());
    }
    file.sync_all().await.map_err(on_disk)
}

/// Whether the disk has room for the packed image and for what the engine makes of it.
fn room(folder: &Path, needed: u64) -> Result<(), Failed> {
    let disk = rustix::fs::statvfs(folder);
    let Ok(disk) = disk else {
        return Ok(());
    };
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    let needed = needed.saturating_add(RESERVE);
    if free >= needed {
        return Ok(());
    }
    // Without the free bytes: they change all the time, and an unchanged problem is looked at less often.
    Err(Failed::NoRoom(format!(
        "The machine's disk is full at {}: the image needs {} MiB of free space; make room there, and roostd goes on by itself",
        folder.display(),
        needed >> 20
    )))
}

/// An unfinished transfer on disk.
struct Part {
    path: PathBuf,
    sha256: String,
    bytes: u64,
}

impl Part {
    /// `<image>.<packed image>.part`
    fn path(folder: &Path, id: &str, sha256: &str) -> PathBuf {
        let id = id.trim_start_matches("sha256:");
        folder.join(format!("{id}.{sha256}.{PART}"))
    }

    /// The transfer of this image. Those of other images are removed: their images are not wanted any more, or begin anew.
    fn of(folder: &Path, id: &str) -> std::io::Result<Option<Self>> {
        let id = id.trim_start_matches("sha256:");
        let mut found = None;
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            match name.split('.').collect::<Vec<_>>()[..] {
                [of, sha256, PART] if of == id && found.is_none() => {
                    found = Some(Self {
                        path: entry.path(),
                        sha256: sha256.to_owned(),
                        bytes: entry.metadata()?.len(),
                    });
                }
                _ => std::fs::remove_file(entry.path())?,
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(reference: &str, digest: Option<&str>) -> WantedImage {
        WantedImage {
            reference: reference.to_owned(),
            digest: digest.map(str::to_owned),
        }
    }

    fn held(reference: &str, state: ImageState) -> HeldImage {
        HeldImage {
            reference: reference.to_owned(),
            state,
            id: None,
            bytes: None,
            unfit: None,
            fetch: None,
        }
    }

    fn offer(reference: &str, id: &str) -> ImageOffer {
        ImageOffer {
            reference: reference.to_owned(),
            id: id.to_owned(),
            bytes: 1,
        }
    }

    #[test]
    fn only_missing_images_that_the_owner_allows_are_fetched() {
        use ImageState::{Missing, Ready, Unknown, WrongDigest};
        let names = ["a:1", "b:1", "c:1", "d:1", "e:1", "f@sha256:1"];
        let mut catalogue: Vec<_> = names.map(|name| wanted(name, None)).into();
        catalogue[3].digest = Some("sha256:d".to_owned());
        let states = [Missing, Ready, WrongDigest, WrongDigest, Unknown, Missing];
        let here: Vec<_> = names.iter().zip(states).map(|(n, s)| held(n, s)).collect();
        let offers: Vec<_> = names
            .iter()
            .map(|name| offer(name, &format!("sha256:{}", &name[..1])))
            .collect();
        let taken = |policy: &OwnerPolicy| -> Vec<String> {
            let lacking = lacking(&catalogue, &here, policy, &offers);
            lacking.into_iter().map(|offer| offer.reference).collect()
        };
        assert_eq!(taken(&OwnerPolicy::default()), ["a:1", "d:1"]);
        let only_d = OwnerPolicy {
            images: vec!["d:*".to_owned()],
            ..OwnerPolicy::default()
        };
        assert_eq!(taken(&only_d), ["d:1"]);
    }

    #[test]
    fn image_with_another_digest_than_demanded_is_not_taken() {
        let catalogue = [wanted("a:1", Some("sha256:demanded"))];
        let here = [held("a:1", ImageState::Missing)];
        let offers = [offer("a:1", "sha256:other")];
        let policy = OwnerPolicy::default();
        assert_eq!(lacking(&catalogue, &here, &policy, &offers), []);
    }

    #[test]
    fn unfinished_transfer_is_found_and_those_of_others_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = Part::path(folder.path(), "sha256:aa", "01");
        std::fs::write(&path, "abc").expect("written");
        let other = Part::path(folder.path(), "sha256:bb", "02");
        std::fs::write(&other, "x").expect("written");
        let part = Part::of(folder.path(), "sha256:aa").expect("readable");
        let part = part.expect("it is there");
        assert_eq!((part.bytes, part.sha256.as_str()), (3, "01"));
        assert!(path.exists() && !other.exists());
    }
}
