//! Durable changes of files: after each there is the old one or the new one, never a half, also when the power fails.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};

/// Replaces a file by these bytes, readable by this user alone.
///
/// # Errors
/// What the file system says; then the old file is as it was.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let fresh = path.with_extension("new");
    forget(&fresh)?;
    let written = write_new(&fresh, bytes);
    if let Err(error) = written {
        // The room it took is needed by somebody when the disk is full; the first error is what counts.
        let _ = fs::remove_file(&fresh);
        return Err(error);
    }
    step();
    fs::rename(&fresh, path)?;
    step();
    sync_folder_of(path)
}

/// Removes a file; one that is not there is fine.
///
/// # Errors
/// What the file system says.
pub fn remove(path: &Path) -> io::Result<()> {
    forget(path)?;
    step();
    sync_folder_of(path)
}

/// Writes a file that is not there yet, to the disk itself.
///
/// # Errors
/// What the file system says.
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

/// Makes a folder for this user alone.
///
/// # Errors
/// What the file system says.
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
}

/// Brings a folder's entries to the disk.
///
/// # Errors
/// What the file system says.
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

/// Steps that are left until this process dies; negative where nobody asked for that.
static STEPS_LEFT: AtomicI64 = AtomicI64::new(-1);

/// Lets this process die at the `steps`-th gap between two effects on the disk. Only the test of being killed anywhere
/// asks for it, by `ROOST_BROKER_DIE_AFTER`; it is compiled in always, so that what is tested is what runs.
pub fn die_after(steps: i64) {
    STEPS_LEFT.store(steps, Ordering::SeqCst);
}

/// A gap between two effects.
pub fn step() {
    if STEPS_LEFT.load(Ordering::Relaxed) > 0 && STEPS_LEFT.fetch_sub(1, Ordering::SeqCst) == 1 {
        std::process::abort();
    }
}
