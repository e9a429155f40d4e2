//! One gateway per SQLite file: an advisory lock (flock) on a file beside it. The kernel releases it whenever the
//! process ends, also after a crash, so no stale lock remains.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use super::DbError;

/// The lock; released when dropped.
#[derive(Debug)]
pub(super) struct FileLock {
    _file: File,
}

impl FileLock {
    /// Takes the lock of the database file `database`. The error names the holder.
    pub(super) fn take(database: &Path) -> Result<Self, DbError> {
        let path = lock_path(database);
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .mode(0o600)
            .open(&path)
            .map_err(DbError::io("cannot open the lock file", &path))?;
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            let mut holder = String::new();
            file.read_to_string(&mut holder)
                .map_err(DbError::io("cannot read the lock file", &path))?;
            let holder = match holder.trim() {
                "" => "unknown".to_owned(),
                pid => pid.to_owned(),
            };
            return Err(DbError::Locked {
                path: database.to_owned(),
                holder,
            });
        }
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| write!(file, "{}", std::process::id()))
            .map_err(DbError::io("cannot write the lock file", &path))?;
        Ok(Self { _file: file })
    }
}

fn lock_path(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}
