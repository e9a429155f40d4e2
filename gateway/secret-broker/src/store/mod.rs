//! The sealed records: a file each, and the same bytes in memory. What is opened lives for one use.
//!
//! *Invariant: memory says what the disk says.* A write is on the disk before it is seen.
//! *Invariant: of one name there is one writer at a time* ([`Held`]), and no writer while all are replaced.

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

/// Sealed bytes and what can be known of them without a key.
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
    /// Those that are known to need a person.
    needs_reauth: Mutex<std::collections::HashSet<RecordName>>,
    holds: Mutex<HashMap<RecordName, Weak<tokio::sync::Mutex<()>>>>,
    /// Read by who writes one record, written by who replaces or counts all.
    writing: tokio::sync::RwLock<()>,
    rekeying: tokio::sync::Mutex<()>,
    /// Files that are no records of ours, for people.
    damaged: Vec<String>,
    /// Nobody else has this folder.
    _lock: FolderLock,
}

/// The right to change one record.
pub struct Held {
    name: RecordName,
    _guard: OwnedMutexGuard<()>,
}

/// A record in use.
#[derive(Debug)]
pub struct Opened {
    pub record: Record,
    pub generation: u64,
}

impl Store {
    /// Whether a folder holds any record, before there is a root key.
    ///
    /// # Errors
    /// What the file system says.
    pub fn is_empty(folder: &Path) -> std::io::Result<bool> {
        files::is_empty(folder)
    }

    /// How many records a folder has, and which of its files are damaged, for whoever only looks.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn look(folder: &Path, root: &Root) -> Result<(usize, Vec<String>), StoreError> {
        let (records, damaged) = sealed(folder, root)?;
        Ok((records.len(), damaged))
    }

    /// Reads all records of a folder.
    ///
    /// # Errors
    /// When the folder cannot be read, or the root key opens none of the records.
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

    /// The right to change a record: waits for whoever has it.
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
    /// [`StoreError::Unknown`], or that it does not open.
    pub async fn read(&self, name: &RecordName) -> Result<Opened, StoreError> {
        let kept = self
            .kept(name)
            .ok_or_else(|| StoreError::Unknown(name.clone()))?;
        self.open_kept(name, &kept).await
    }

    /// As [`read`](Self::read), for whoever means a credential: sign-ins under way are not there for them.
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

    /// Writes a record; one that was there is replaced.
    ///
    /// # Errors
    /// That it cannot be sealed or written; then nothing was changed.
    pub async fn put(&self, held: &Held, record: &Record) -> Result<Description, StoreError> {
        let _writing = self.shared.writing.read().await;
        let generation = self.kept(&held.name).map_or(0, |kept| kept.generation) + 1;
        self.write(&held.name, generation, record).await?;
        Ok(record.describe(&held.name, generation))
    }

    /// Deletes a record; whether there was one.
    ///
    /// # Errors
    /// What the file system says; then it is still there.
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

    /// Deletes sign-ins that nobody came back from.
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

    /// The time that records are measured by.
    pub fn clock(&self) -> &Clock {
        &self.shared.clock
    }

    /// The root key.
    pub fn root(&self) -> &Root {
        &self.shared.root
    }

    /// How many records, how many of them need a person, how many are sealed under an older root key.
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

    /// Files that do not open, for people.
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

    /// Seals, writes, and only then lets it be seen. The caller holds the name and `writing`.
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

    /// Learns which records need a person. Not where each would be a question to Vault.
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

    /// All of them.
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

/// Work that waits for the disk.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// What a folder holds, if the root key opens any of it.
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
