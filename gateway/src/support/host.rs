//! Facts about the machine, for the checks.

use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The nearest folder above (or at) `path` that exists.
pub(super) fn nearest(path: &Path) -> PathBuf {
    let mut at = path;
    while !at.exists() {
        match at.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => at = parent,
            _ => return PathBuf::from("."),
        }
    }
    at.to_owned()
}

/// Free and total bytes of the disk under `path`.
pub(super) fn disk(path: &Path) -> Option<(u64, u64)> {
    let facts = rustix::fs::statvfs(nearest(path)).ok()?;
    Some((
        facts.f_bavail.saturating_mul(facts.f_frsize),
        facts.f_blocks.saturating_mul(facts.f_frsize),
    ))
}

/// Whether other users than the owner have any access to a file.
pub(super) fn open_to_others(path: &Path) -> std::io::Result<bool> {
    Ok(std::fs::metadata(path)?.mode() & 0o077 != 0)
}

/// Whether this process may write to a path.
pub(super) fn may_write(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

/// Whether the clock is synchronised, as far as files show it.
pub(super) fn clock_is_kept() -> bool {
    [
        "/run/systemd/timesync/synchronized",
        "/run/chrony",
        "/run/ntpd.pid",
    ]
    .iter()
    .any(|file| Path::new(file).exists())
}

/// The result of binding an address.
pub(super) fn bind(address: SocketAddr) -> std::io::Result<()> {
    TcpListener::bind(address).map(drop)
}
