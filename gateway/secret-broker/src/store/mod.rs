//! The sealed records: one file each, and the same bytes in memory. An opened record lives for one use.
//!
//! *Invariant: memory equals the disk.* A write is on the disk before it is visible. *Invariant: a name has one writer
//! at a time* ([`Held`]), and no writer while all records are replaced.

mod error;
mod files;
mod rekey;
mod restore;
mod snapshot;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

use roost_secret_broker::wire::{Description, RecordKind, RecordName, RecordState};
use tokio::sync::OwnedMutexGuard;

use crate::clock::Clock;
use crate::record::Record;
use crate::root::{Root, RootError};
use crate::seal;

pub use error::StoreError;
pub use files::{FolderLock, digest_of};

/// Sealed bytes, and what can be read from them without a key.
#[derive(Debug)]
struct Kept {
    generation: u64,
    root_key: String,
    bytes: Vec<u8>,
}

/// The store. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

struct Shared {
    folder: PathBuf,
    root: Root,
    clock: Clock,
    records: RwLock<HashMap<RecordName, Arc<Kept>>>,
    /// Records that are known to need a person.
    needs_reauth: Mutex<std::collections::HashSet<RecordName>>,
    holds: Mutex<HashMap<RecordName, Weak<tokio::sync::Mutex<()>>>>,
    /// Writers of one record hold it for reading; replacing or counting all records holds it for writing.
    writing: tokio::sync::RwLock<()>,
    rekeying: tokio::sync::Mutex<()>,
    /// Files that are not valid records, as messages for people.
    damaged: Vec<String>,
    /// Keeps other brokers out of this folder.
    _lock: FolderLock,
}

/// The exclusive right to change one record.
pub struct Held {
    name: RecordName,
    _guard: OwnedMutexGuard<()>,
}

/// An opened record.
#[derive(Debug)]
pub struct Opened {
    pub record: Record,
    pub generation: u64,
}

impl Store {
    /// Whether a folder holds no record. It needs no root key.
    ///
    /// # Errors
    /// The file system's error.
    pub fn is_empty(folder: &Path) -> std::io::Result<bool> {
        files::is_empty(folder)
    }

    /// How many records a folder has, and which of its files are damaged. It changes nothing.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn inspect(folder: &Path, root: &Root) -> Result<(usize, Vec<String>), StoreError> {
        let (records, damaged) = sealed(folder, root)?;
        Ok((records.len(), damaged))
    }

    /// Reads all records of a folder.
    ///
    /// # Errors
    /// When the folder cannot be read, or when the root key opens none of the records.
    pub async fn open(
        folder: PathBuf,
        lock: FolderLock,
        root: Root,
        clock: Clock,
    ) -> Result<Self, StoreError> {
        files::prepare(&folder).map_err(StoreError::unreadable(&folder))?;
        let (records, damaged) = sealed(&folder, &root)?;
        let store = Self {
            shared: Arc::new(Shared {
                folder,
                root,
                clock,
                records: RwLock::new(records),
                needs_reauth: Mutex::default(),
                holds: Mutex::default(),
                writing: tokio::sync::RwLock::default(),
                rekeying: tokio::sync::Mutex::default(),
                damaged,
                _lock: lock,
            }),
        };
        store.survey().await;
        Ok(store)
    }

    /// Waits for the exclusive right to change a record.
    pub async fn hold(&self, name: &RecordName) -> Held {
        let lock = {
            let mut holds = self
                .shared
                .holds
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            if holds.len() > 4096 {
                holds.retain(|_, lock| lock.strong_count() > 0);
            }
            let known = holds.get(name).and_then(Weak::upgrade);
            known.unwrap_or_else(|| {
                let lock = Arc::new(tokio::sync::Mutex::new(()));
                holds.insert(name.clone(), Arc::downgrade(&lock));
                lock
            })
        };
        Held {
            name: name.clone(),
            _guard: lock.lock_owned().await,
        }
    }

    /// Opens a record for one use.
    ///
    /// # Errors
    /// [`StoreError::Unknown`], or an error when it cannot be opened.
    pub async fn read(&self, name: &RecordName) -> Result<Opened, StoreError> {
        let kept = self
            .kept(name)
            .ok_or_else(|| StoreError::Unknown(name.clone()))?;
        self.open_kept(name, &kept).await
    }

    /// As [`read`](Self::read), for credentials only: a sign-in under way counts as unknown.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub async fn credential(&self, name: &RecordName) -> Result<Opened, StoreError> {
        let opened = self.read(name).await?;
        match opened.record.kind {
            RecordKind::SignIn => Err(StoreError::Unknown(name.clone())),
            _ => Ok(opened),
        }
    }

    /// Writes a record and replaces an existing one.
    ///
    /// # Errors
    /// When it cannot be sealed or written; nothing is changed then.
    pub async fn put(&self, held: &Held, record: &Record) -> Result<Description, StoreError> {
        let _writing = self.shared.writing.read().await;
        let generation = self.kept(&held.name).map_or(0, |kept| kept.generation) + 1;
        self.write(&held.name, generation, record).await?;
        Ok(record.describe(&held.name, generation))
    }

    /// Deletes a record; returns whether there was one.
    ///
    /// # Errors
    /// The file system's error; the record still exists then.
    pub async fn delete(&self, held: &Held) -> Result<bool, StoreError> {
        let _writing = self.shared.writing.read().await;
        if self.kept(&held.name).is_none() {
            return Ok(false);
        }
        let path = files::path_of(&self.shared.folder, &held.name);
        blocking(move || crate::disk::remove(&path))
            .await
            .map_err(StoreError::Write)?;
        self.records_mut().remove(&held.name);
        self.note_state(&held.name, RecordState::Ready);
        Ok(true)
    }

    /// Deletes abandoned sign-ins.
    ///
    /// # Errors
    /// As for [`delete`](Self::delete).
    pub async fn sweep_sign_ins(&self) -> Result<(), StoreError> {
        for name in self.names() {
            if !name.is_sign_in() {
                continue;
            }
            let held = self.hold(&name).await;
            let Ok(opened) = self.read(&name).await else {
                continue;
            };
            let over = opened
                .record
                .sign_in
                .is_none_or(|sign_in| sign_in.until_ms <= self.shared.clock.now_ms());
            if over {
                self.delete(&held).await?;
            }
        }
        Ok(())
    }

    /// The clock for expiry.
    pub fn clock(&self) -> &Clock {
        &self.shared.clock
    }

    /// The root key.
    pub fn root(&self) -> &Root {
        &self.shared.root
    }

    /// Number of records, of records that need a person, and of records sealed under an older root key.
    pub fn counts(&self) -> (u64, u64, u64) {
        let active = self.shared.root.active();
        let records = self.records();
        let older = records
            .values()
            .filter(|kept| kept.root_key != active)
            .count();
        let waiting = self
            .shared
            .needs_reauth
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .len();
        (records.len() as u64, waiting as u64, older as u64)
    }

    /// Files that cannot be opened, as messages for people.
    pub fn damaged(&self) -> &[String] {
        &self.shared.damaged
    }

    async fn open_kept(&self, name: &RecordName, kept: &Kept) -> Result<Opened, StoreError> {
        let plain = seal::open(&self.shared.root, name, &kept.bytes)
            .await
            .map_err(StoreError::seal(name))?;
        let record = Record::decode(&plain).map_err(|source| StoreError::Shape {
            name: name.clone(),
            source,
        })?;
        Ok(Opened {
            record,
            generation: kept.generation,
        })
    }

    /// Seals, writes, and only then makes it visible. The caller holds the name and `writing`.
    async fn write(
        &self,
        name: &RecordName,
        generation: u64,
        record: &Record,
    ) -> Result<(), StoreError> {
        let plain = record.encode().map_err(StoreError::Encode)?;
        let bytes = seal::seal(&self.shared.root, name, generation, &plain)
            .await
            .map_err(StoreError::seal(name))?;
        let root_key = seal::parse(&bytes)
            .map_err(StoreError::seal(name))?
            .root_key;
        let path = files::path_of(&self.shared.folder, name);
        let (bytes, written) = blocking(move || {
            let written = crate::disk::replace(&path, &bytes);
            (bytes, written)
        })
        .await;
        written.map_err(StoreError::Write)?;
        let kept = Kept {
            generation,
            root_key,
            bytes,
        };
        self.records_mut().insert(name.clone(), Arc::new(kept));
        self.note_state(name, record.state);
        Ok(())
    }

    /// Finds the records that need a person. Skipped where each would need a request to Vault.
    async fn survey(&self) {
        if matches!(self.shared.root, Root::Transit(_)) {
            return;
        }
        for name in self.names() {
            if let Ok(opened) = self.read(&name).await {
                if opened.record.kind == RecordKind::SignIn {
                    continue;
                }
                self.note_state(&name, opened.record.state);
            }
        }
    }

    fn note_state(&self, name: &RecordName, state: RecordState) {
        let mut waiting = self
            .shared
            .needs_reauth
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match state {
            RecordState::Ready => waiting.remove(name),
            RecordState::NeedsReauth => waiting.insert(name.clone()),
        };
    }

    /// All names.
    pub fn names(&self) -> Vec<RecordName> {
        self.records().keys().cloned().collect()
    }

    fn kept(&self, name: &RecordName) -> Option<Arc<Kept>> {
        self.records().get(name).cloned()
    }

    fn records(&self) -> std::sync::RwLockReadGuard<'_, HashMap<RecordName, Arc<Kept>>> {
        self.shared
            .records
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn records_mut(&self) -> std::sync::RwLockWriteGuard<'_, HashMap<RecordName, Arc<Kept>>> {
        self.shared
            .records
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs disk work on a blocking thread.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// The records of a folder, if the root key opens any of them.
fn sealed(folder: &Path, root: &Root) -> Result<(files::Found, Vec<String>), StoreError> {
    let (records, damaged) = files::read_all(folder).map_err(StoreError::unreadable(folder))?;
    let strange = records.values().find(|kept| !root.knows(&kept.root_key));
    if let Some(strange) = strange
        && !records.values().any(|kept| root.knows(&kept.root_key))
    {
        return Err(StoreError::Seal {
            name: None,
            source: RootError::Unknown {
                wanted: strange.root_key.clone(),
                present: root.active(),
            }
            .into(),
        });
    }
    Ok((records, damaged))
}

#[cfg(test)]
mod tests;
