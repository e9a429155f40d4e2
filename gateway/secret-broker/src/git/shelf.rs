//! The folders of mirrors: one folder per credential, named by the digest of its name, and one per mirror inside it.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use roost_secret_broker::wire::{Fault, FaultCode, RecordName};
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};
use tokio_util::sync::CancellationToken;

use crate::store::digest_of;

/// The folders of all credentials.
pub(super) struct Shelves {
    folder: PathBuf,
    /// Credentials whose mirrors were used since the start.
    known: Mutex<HashMap<String, Arc<Shelf>>>,
}

/// The mirrors of one credential.
#[derive(Default)]
struct Shelf {
    /// Each fetch holds it for reading; deletion holds it for writing.
    gate: Arc<RwLock<()>>,
    /// Cancels the fetches that are under way.
    ending: Mutex<CancellationToken>,
    /// Mirrors that are being fetched or deleted.
    taken: Arc<Mutex<HashSet<String>>>,
    /// One lock for each mirror that was used since the start.
    mirrors: Mutex<HashMap<String, Arc<RwLock<()>>>>,
}

/// The right to one mirror: to change it, or to read it.
pub struct Place {
    path: PathBuf,
    ending: CancellationToken,
    _held: Held,
    _taken: Option<Taken>,
    _gate: OwnedRwLockReadGuard<()>,
}

/// A fetch in the list of fetches.
struct Taken {
    mirror: String,
    all: Arc<Mutex<HashSet<String>>>,
}

enum Held {
    Changing(#[expect(dead_code, reason = "held")] OwnedRwLockWriteGuard<()>),
    Reading(#[expect(dead_code, reason = "held")] OwnedRwLockReadGuard<()>),
}

impl Place {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Waits until the credential is being deleted.
    pub(super) async fn ended(&self) {
        self.ending.cancelled().await;
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        lock(&self.all).remove(&self.mirror);
    }
}

impl Shelves {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            known: Mutex::default(),
        }
    }

    /// The right to fetch or delete a mirror. Waits for readers; a second fetch does not wait for the first.
    pub(super) async fn reserve(&self, name: &RecordName, mirror: &str) -> Result<Place, Fault> {
        named(mirror)?;
        let (_, shelf) = self.shelf(name);
        // A credential that is being deleted keeps its mirrors busy.
        let gate = shelf.gate.clone().read_owned().await;
        if !lock(&shelf.taken).insert(mirror.to_owned()) {
            return Err(Fault::new(FaultCode::Busy, "the mirror is already in use"));
        }
        let taken = Taken {
            mirror: mirror.to_owned(),
            all: shelf.taken.clone(),
        };
        let ending = lock(&shelf.ending).clone();
        let held = Held::Changing(shelf.mirror(mirror).write_owned().await);
        Ok(self.place(name, mirror, (ending, held, Some(taken), gate)))
    }

    /// The right to change a mirror that exists. Waits for everybody who uses it.
    pub(super) async fn change(&self, name: &RecordName, mirror: &str) -> Result<Place, Fault> {
        named(mirror)?;
        let (_, shelf) = self.shelf(name);
        let gate = shelf.gate.clone().read_owned().await;
        let ending = lock(&shelf.ending).clone();
        let held = Held::Changing(shelf.mirror(mirror).write_owned().await);
        self.existing(name, mirror, (ending, held, None, gate))
            .await
    }

    /// The right to read a mirror that exists. Waits while it is changed.
    pub(super) async fn read(&self, name: &RecordName, mirror: &str) -> Result<Place, Fault> {
        named(mirror)?;
        let (_, shelf) = self.shelf(name);
        let gate = shelf.gate.clone().read_owned().await;
        let ending = lock(&shelf.ending).clone();
        let held = Held::Reading(shelf.mirror(mirror).read_owned().await);
        self.existing(name, mirror, (ending, held, None, gate))
            .await
    }

    async fn existing(
        &self,
        name: &RecordName,
        mirror: &str,
        held: Rights,
    ) -> Result<Place, Fault> {
        let place = self.place(name, mirror, held);
        match tokio::fs::try_exists(place.path.join("objects")).await {
            Ok(true) => Ok(place),
            _ => Err(Fault::new(
                FaultCode::UnknownCommit,
                "the repository has no mirror yet; mirror it first, and try again when the mirror is ready",
            )),
        }
    }

    fn place(&self, name: &RecordName, mirror: &str, (ending, held, taken, gate): Rights) -> Place {
        Place {
            path: self
                .folder
                .join(digest_of(name))
                .join(format!("{mirror}.git")),
            ending,
            _held: held,
            _taken: taken,
            _gate: gate,
        }
    }

    /// The folder for bundles that arrive. [`sweep`](Self::sweep) removes it when the broker starts.
    pub(super) fn incoming(&self) -> PathBuf {
        self.folder.join("incoming")
    }

    /// Ends running fetches and removes all mirrors. No new fetch begins while the guard is held.
    pub(super) async fn clear(&self, name: &RecordName) -> io::Result<OwnedRwLockWriteGuard<()>> {
        let (digest, shelf) = self.shelf(name);
        lock(&shelf.ending).cancel();
        let cleared = shelf.gate.clone().write_owned().await;
        *lock(&shelf.ending) = CancellationToken::new();
        remove(&self.folder.join(digest)).await?;
        Ok(cleared)
    }

    pub(super) async fn sweep(&self, names: &[RecordName]) -> io::Result<()> {
        let wanted: HashSet<String> = names.iter().map(digest_of).collect();
        let entries = match std::fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            if !wanted.contains(entry.file_name().to_string_lossy().as_ref()) {
                remove(&entry.path()).await?;
            }
        }
        Ok(())
    }

    fn shelf(&self, name: &RecordName) -> (String, Arc<Shelf>) {
        let digest = digest_of(name);
        let shelf = lock(&self.known).entry(digest.clone()).or_default().clone();
        (digest, shelf)
    }
}

type Rights = (
    CancellationToken,
    Held,
    Option<Taken>,
    OwnedRwLockReadGuard<()>,
);

impl Shelf {
    fn mirror(&self, mirror: &str) -> Arc<RwLock<()>> {
        lock(&self.mirrors)
            .entry(mirror.to_owned())
            .or_default()
            .clone()
    }
}

fn named(mirror: &str) -> Result<(), Fault> {
    let fine = (1..=64).contains(&mirror.len())
        && mirror
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    match fine {
        true => Ok(()),
        false => Err(Fault::new(
            FaultCode::BadRequest,
            "a mirror's name has 1 to 64 small letters, digits and `-`",
        )),
    }
}

/// Removes a folder; returns whether there was one.
pub(super) async fn remove(path: &Path) -> io::Result<bool> {
    let path = path.to_owned();
    blocking(move || match std::fs::remove_dir_all(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        done => done.map(|()| true),
    })
    .await
}

/// Removes locks and incomplete packs below a mirror.
pub(super) fn remove_leftovers(path: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if entry.file_type()?.is_dir() && name.starts_with("tmp_") {
            std::fs::remove_dir_all(entry.path())?;
        } else if entry.file_type()?.is_dir() {
            remove_leftovers(&entry.path())?;
        } else if name.ends_with(".lock") || name.starts_with("tmp_") {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Bytes of all files below a folder. Files that vanish meanwhile count as zero.
pub(super) async fn size(path: &Path) -> u64 {
    fn below(path: &Path) -> u64 {
        let Ok(entries) = std::fs::read_dir(path) else {
            return 0;
        };
        let sizes = entries.flatten().map(|entry| match entry.metadata() {
            Ok(found) if found.is_dir() => below(&entry.path()),
            Ok(found) => found.len(),
            Err(_) => 0,
        });
        sizes.sum()
    }
    let path = path.to_owned();
    blocking(move || Ok(below(&path))).await.unwrap_or(0)
}

/// Number of packs of a mirror.
pub(super) async fn packs(path: &Path) -> u64 {
    let path = path.join("objects/pack");
    let counted = blocking(move || {
        let packs = std::fs::read_dir(&path)?.flatten();
        Ok(packs
            .filter(|entry| entry.path().extension().is_some_and(|kind| kind == "pack"))
            .count() as u64)
    });
    counted.await.unwrap_or(0)
}

/// Runs disk work, which may be slow, on a blocking thread.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(io::Error::other("the disk task was cancelled")))
}

fn lock<T>(what: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}
