//! Durable file changes: after a crash or power loss there is the old file or the new one, never a mix.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};

/// Replaces a file with these bytes. Only this user can read it.
///
/// # Errors
/// The file system's error; the old file is unchanged then.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let fresh = path.with_extension("new");
    forget(&fresh)?;
    let written = write_new(&fresh, bytes);
    if let Err(error) = written {
        // Free the space, since the disk may be full. The first error is the one to return.
        let _ = fs::remove_file(&fresh);
        return Err(error);
    }
    step();
    fs::rename(&fresh, path)?;
    step();
    sync_folder_of(path)
}

/// Removes a file; a missing file is not an error.
///
/// # Errors
/// The file system's error.
pub fn remove(path: &Path) -> io::Result<()> {
    forget(path)?;
    step();
    sync_folder_of(path)
}

/// Writes a new file and syncs it to the disk.
///
/// # Errors
/// The file system's error.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    step();
    file.write_all(bytes)?;
    file.sync_all()
}

/// Makes a folder that only this user can use.
///
/// # Errors
/// The file system's error.
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
}

/// Removes all rights of the group and of others from this user's files in a folder. An older version or another umask
/// may have left them readable. If a group may connect, the folder and the socket's folder keep their modes. Returns
/// how many were changed.
///
/// # Errors
/// The file system's error.
pub fn mend(folder: &Path, group_may_connect: bool) -> io::Result<u32> {
    if !group_may_connect {
        return mend_all(folder);
    }
    let mut changed = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.file_name() != Some("run".as_ref()) {
            changed += mend_all(&path)?;
        }
    }
    Ok(changed)
}

fn mend_all(path: &Path) -> io::Result<u32> {
    let mut changed = close(path)?;
    if fs::symlink_metadata(path)?.is_dir() {
        for entry in fs::read_dir(path)? {
            changed += mend_all(&entry?.path())?;
        }
    }
    Ok(changed)
}

/// Removes other users' rights from one file or folder of this user. Links and sockets are not changed.
fn close(path: &Path) -> io::Result<u32> {
    let facts = fs::symlink_metadata(path)?;
    let kind = facts.file_type();
    let ours = facts.uid() == rustix::process::geteuid().as_raw();
    if !(kind.is_file() || kind.is_dir()) || !ours || facts.mode() & 0o077 == 0 {
        return Ok(0);
    }
    fs::set_permissions(path, fs::Permissions::from_mode(facts.mode() & 0o7700))?;
    Ok(1)
}

/// Syncs a folder's entries to the disk.
///
/// # Errors
/// The file system's error.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

fn sync_folder_of(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => sync_folder(folder),
        _ => sync_folder(Path::new(".")),
    }
}

fn forget(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Steps left until this process aborts; negative when no abort was requested.
static STEPS_LEFT: AtomicI64 = AtomicI64::new(-1);

/// Aborts this process at the `steps`-th gap between two effects on the disk. Only the crash test requests it, with
/// `ROOST_BROKER_DIE_AFTER`. It is always compiled in, so that the tested program is the shipped program.
pub fn die_after(steps: i64) {
    STEPS_LEFT.store(steps, Ordering::SeqCst);
}

/// A gap between two effects.
pub fn step() {
    if STEPS_LEFT.load(Ordering::Relaxed) > 0 && STEPS_LEFT.fetch_sub(1, Ordering::SeqCst) == 1 {
        std::process::abort();
    }
}
