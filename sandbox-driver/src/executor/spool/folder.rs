//! All spools of a machine and their common limit.
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::SystemTime;

use roost_protocol::ids::{OperationId, WorkspaceId};

use super::file::{self, Spool};
use super::room::Room;
use crate::driver::lock;

/// The folder with one file per operation. Clones share the counters.
#[derive(Clone, Debug)]
pub struct SpoolFolder {
    path: PathBuf,
    counted: Arc<Mutex<Counted>>,
}

#[derive(Debug)]
struct Counted {
    room: Room,
    /// Open spools. They are notified when their file is removed.
    open: HashMap<OperationId, Vec<Weak<AtomicBool>>>,
}

/// A spool's share of the limit.
#[derive(Clone, Debug)]
pub(super) struct Lease {
    folder: SpoolFolder,
    operation: OperationId,
    /// Its file was removed to make room.
    gone: Arc<AtomicBool>,
}

impl SpoolFolder {
    /// Uses this folder and makes it if it is missing. All spools together take at most `most` bytes. Existing files
    /// are counted, oldest first; files of unknown operations are removed.
    ///
    /// # Errors
    /// The file system's error.
    pub fn open(
        path: PathBuf,
        most: u64,
        known: impl Fn(OperationId) -> Option<Known>,
    ) -> io::Result<Self> {
        crate::private::make_folder(&path)?;
        let mut found: Vec<(SystemTime, OperationId, u64, Known)> = Vec::new();
        for entry in std::fs::read_dir(&path)? {
            let entry = entry?;
            let operation = operation_of(&entry.path());
            match operation.and_then(|operation| Some((operation, known(operation)?))) {
                Some((operation, known)) => {
                    let facts = entry.metadata()?;
                    found.push((facts.modified()?, operation, facts.len(), known));
                }
                None => file::remove(&entry.path()),
            }
        }
        found.sort_by_key(|(at, operation, ..)| (*at, *operation));
        let mut room = Room::new(most);
        for (_, operation, bytes, known) in &found {
            room.add(*operation, known.workspace, *bytes);
            if known.ended {
                room.ended(*operation);
            }
        }
        let folder = Self {
            path,
            counted: Arc::new(Mutex::new(Counted {
                room,
                open: HashMap::new(),
            })),
        };
        folder.shrink();
        Ok(folder)
    }

    /// Removes spools after a start with a smaller limit than before.
    fn shrink(&self) {
        let counted = &mut *lock(&self.counted);
        // Nobody writes yet, so reserving nothing removes the excess.
        let nobody = OperationId(uuid::Uuid::nil());
        counted.room.add(nobody, None, 0);
        if let Ok(gone) = counted.room.take(nobody, 0) {
            self.clear(counted, &gone);
        }
        counted.room.remove(nobody);
    }

    fn path(&self, operation: OperationId) -> PathBuf {
        self.path.join(format!("{operation}.out"))
    }

    /// Bytes of all spools on disk.
    pub fn total(&self) -> u64 {
        lock(&self.counted).room.total()
    }

    /// The spool of a new operation.
    pub fn create(&self, operation: OperationId, workspace: Option<WorkspaceId>) -> Spool {
        {
            // Its file is new: an existing one is discarded.
            let room = &mut lock(&self.counted).room;
            room.remove(operation);
            room.add(operation, workspace, 0);
        }
        Spool::new(self.path(operation)).counted(self.lease(operation))
    }

    /// The spool of an operation that wrote before and continues.
    ///
    /// # Errors
    /// The file system's error.
    pub fn open_running(
        &self,
        operation: OperationId,
        workspace: Option<WorkspaceId>,
    ) -> io::Result<Spool> {
        let spool = Spool::open(self.path(operation))?;
        let counted = &mut *lock(&self.counted);
        counted.room.add(operation, workspace, spool.size());
        Ok(spool.counted(self.lease_in(counted, operation)))
    }

    /// The spool of an ended operation, for reading or trimming. It is empty if its output was removed to make room.
    ///
    /// # Errors
    /// The file system's error.
    pub fn open_ended(&self, operation: OperationId) -> io::Result<Spool> {
        // Take the lease first: then a removal of the file during the open is noticed.
        let lease = self.lease(operation);
        Ok(Spool::open(self.path(operation))?.counted(lease))
    }

    fn lease(&self, operation: OperationId) -> Lease {
        self.lease_in(&mut lock(&self.counted), operation)
    }

    fn lease_in(&self, counted: &mut Counted, operation: OperationId) -> Lease {
        let gone = Arc::new(AtomicBool::new(false));
        let open = counted.open.entry(operation).or_default();
        open.retain(|open| open.strong_count() > 0);
        open.push(Arc::downgrade(&gone));
        Lease {
            folder: self.clone(),
            operation,
            gone,
        }
    }

    /// Marks an operation as ended: its output may be removed when others need room.
    pub fn ended(&self, operation: OperationId) {
        lock(&self.counted).room.ended(operation);
    }

    /// Removes the spool: the result is no longer kept.
    pub fn remove(&self, operation: OperationId) {
        let counted = &mut *lock(&self.counted);
        counted.room.remove(operation);
        self.clear(counted, &[operation]);
    }

    /// Removes spools of unknown operations.
    pub fn sweep(&self, known: impl Fn(OperationId) -> bool) {
        let counted = &mut *lock(&self.counted);
        for operation in counted.room.operations() {
            if !known(operation) {
                counted.room.remove(operation);
                self.clear(counted, &[operation]);
            }
        }
    }

    /// Removes files. An open reader of a removed file reads a gap, and the disk space is free at once.
    fn clear(&self, counted: &mut Counted, gone: &[OperationId]) {
        for operation in gone {
            for open in counted.open.remove(operation).into_iter().flatten() {
                if let Some(open) = open.upgrade() {
                    open.store(true, Ordering::Release);
                }
            }
            let path = self.path(*operation);
            if let Ok(file) = std::fs::OpenOptions::new().write(true).open(&path) {
                let _ = file.set_len(0);
            }
            file::remove(&path);
        }
    }
}

/// The ledger's facts about an operation whose output was found.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    pub workspace: Option<WorkspaceId>,
    pub ended: bool,
}

impl Lease {
    /// Reserves room for bytes that are about to be written.
    ///
    /// # Errors
    /// [`io::ErrorKind::StorageFull`] without room.
    pub(super) fn take(&self, bytes: u64) -> io::Result<()> {
        let counted = &mut *lock(&self.folder.counted);
        match counted.room.take(self.operation, bytes) {
            Ok(gone) => {
                self.folder.clear(counted, &gone);
                Ok(())
            }
            Err(_) => Err(io::ErrorKind::StorageFull.into()),
        }
    }

    /// Releases bytes that are not on disk.
    pub(super) fn give(&self, bytes: u64) {
        lock(&self.folder.counted).room.give(self.operation, bytes);
    }

    /// Replaces the spool's file with a smaller one, unless it was removed meanwhile.
    ///
    /// # Errors
    /// The file system's error.
    pub(super) fn replace(&self, smaller: &Path, path: &Path, freed: u64) -> io::Result<()> {
        let counted = &mut *lock(&self.folder.counted);
        if self.is_gone() {
            return Err(io::ErrorKind::NotFound.into());
        }
        std::fs::rename(smaller, path)?;
        counted.room.give(self.operation, freed);
        Ok(())
    }

    /// Whether its file was removed to make room for others.
    pub(super) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Acquire)
    }
}

fn operation_of(path: &Path) -> Option<OperationId> {
    (path.extension()? == "out").then_some(())?;
    path.file_stem()?.to_str()?.parse().ok()
}
