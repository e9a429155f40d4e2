//! One daemon per state folder: the kernel releases this lock when its holder dies.
use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;

use rustix::fs::{FlockOperation, flock};

use super::folder::{StateError, StateFolder};

/// Held as long as the daemon runs.
#[derive(Debug)]
pub struct Lock(#[allow(dead_code, reason = "the open file is the lock")] File);

/// Takes the lock; `None` when another daemon holds it.
///
/// # Errors
/// The file system's error.
pub fn take(state: &StateFolder) -> Result<Option<Lock>, StateError> {
    let path = state.file("lock");
    let failed = |source| StateError {
        path: path.clone(),
        source,
    };
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .map_err(failed)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(Lock(file))),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(failed(error.into())),
    }
}
