//! The folder: `lock`, and `records/` with one file a record. The file's name is a digest, so that no record's name
//! becomes a path.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use roost_secret_broker::wire::RecordName;
use rustix::fs::{FlockOperation, flock};
use sha2::{Digest, Sha256};

use super::{Kept, StoreError};
use crate::{disk, seal};

const ENDING: &str = "sealed";
/// Largest file that can be a record.
const MOST: u64 = 256 * 1024;

/// Records by name.
pub(super) type Found = HashMap<RecordName, Arc<Kept>>;

/// The exclusive right to a folder, held until this process ends.
pub struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Locks the folder and makes it if it is missing.
    ///
    /// # Errors
    /// [`StoreError::InUse`] when another broker has locked it.
    pub fn take(folder: &Path) -> Result<Self, StoreError> {
        disk::make_private_folder(folder).map_err(StoreError::unreadable(folder))?;
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(folder.join("lock"))
            .map_err(StoreError::unreadable(folder))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self { _file: file }),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(StoreError::InUse(folder.to_owned())),
            Err(error) => Err(StoreError::unreadable(folder)(error.into())),
        }
    }
}

pub(super) fn records(folder: &Path) -> PathBuf {
    folder.join("records")
}

/// Path of a record, below a folder that has `records/`.
pub(super) fn path_of(folder: &Path, name: &RecordName) -> PathBuf {
    records(folder).join(file_of(name))
}

pub(super) fn file_of(name: &RecordName) -> String {
    format!("{}.{ENDING}", digest_of(name))
}

/// A record's file name: a digest, so that no name becomes a path.
pub fn digest_of(name: &RecordName) -> String {
    let mut hash = Sha256::new();
    hash.update(name.tenant().as_bytes());
    hash.update([0]);
    hash.update(name.connection().as_bytes());
    hex::encode(hash.finalize())
}

pub(super) fn is_empty(folder: &Path) -> io::Result<bool> {
    match fs::read_dir(records(folder)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        entries => {
            for entry in entries? {
                if is_record(&entry?.path()) {
                    return Ok(false);
                }
            }
            Ok(true)
        }
    }
}

/// Prepares the folder for the holder of its lock: removes what a killed process left incomplete.
pub(super) fn prepare(folder: &Path) -> io::Result<()> {
    let unfinished = super::restore::unfinished(folder);
    if unfinished.exists() {
        fs::remove_dir_all(unfinished)?;
    }
    let place = records(folder);
    disk::make_private_folder(&place)?;
    for entry in fs::read_dir(&place)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "new") {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// All records by name, and a message for each invalid file. Changes nothing: a broker may be using the folder.
pub(super) fn read_all(folder: &Path) -> io::Result<(Found, Vec<String>)> {
    let place = records(folder);
    let (mut found, mut damaged) = (Found::new(), Vec::new());
    for entry in fs::read_dir(&place)? {
        let path = entry?.path();
        if !is_record(&path) {
            continue;
        }
        let mut bytes = Vec::new();
        File::open(&path)?.take(MOST).read_to_end(&mut bytes)?;
        match seal::parse(&bytes) {
            Ok(header)
                if path
                    .file_name()
                    .is_some_and(|file| file == file_of(&header.name).as_str()) =>
            {
                let (name, generation, root_key) =
                    (header.name, header.generation, header.root_key);
                let kept = Kept {
                    generation,
                    root_key,
                    bytes,
                };
                found.insert(name, Arc::new(kept));
            }
            Ok(header) => damaged.push(format!(
                "{} holds {}, which belongs in another file: it was moved there",
                path.display(),
                header.name
            )),
            Err(error) => damaged.push(format!("{}: {error}", path.display())),
        }
    }
    Ok((found, damaged))
}

fn is_record(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == ENDING)
}
