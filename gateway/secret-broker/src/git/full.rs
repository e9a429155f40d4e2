//! Whether git failed because the broker's disk is full. Then neither the host nor the commits are at fault, and a
//! person must read what to do.

use std::io::{Error, ErrorKind};
use std::path::Path;

use roost_secret_broker::wire::{Fault, FaultCode};

use super::command::GitError;

/// Free bytes without which git does not begin. It writes its settings without a word about the cause of a failure.
const LEAST_FREE: u64 = 256 << 10;

/// The ends of git's lines about a full disk. Its language is set to `C`.
const ENDS: [&str; 3] = [
    ": No space left on device",
    ": Disk quota exceeded",
    " Out of diskspace",
];

/// Whether git could not write because the broker's disk is full. Lines of the host do not count: its own disk may be
/// full too. A name in a repository cannot end such a line, because git quotes it.
pub(super) fn is_full(error: &GitError) -> bool {
    match error {
        GitError::Failed { said, .. } => said.iter().any(|line| is_full_line(line)),
        GitError::Io(error) => is_full_disk(error),
        GitError::Missing(_) | GitError::TooMuch => false,
    }
}

fn is_full_line(line: &str) -> bool {
    let line = line.trim_end();
    !line.starts_with("remote:") && ENDS.iter().any(|end| line.ends_with(end))
}

/// As [`is_full`], for the broker's own writing.
pub(super) fn is_full_disk(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded
    )
}

/// Whether git may begin to write into this folder. Blocks.
///
/// # Errors
/// [`ErrorKind::StorageFull`], and those of the file system.
pub(super) fn check_room(folder: &Path) -> std::io::Result<()> {
    let disk = rustix::fs::statvfs(folder)?;
    match disk.f_bavail.saturating_mul(disk.f_frsize) < LEAST_FREE {
        true => Err(ErrorKind::StorageFull.into()),
        false => Ok(()),
    }
}

/// The fault in words that say what to do.
pub(super) fn no_room() -> Fault {
    Fault::new(
        FaultCode::StoreFailed,
        "the disk of the secret broker is full; its operator makes room there, then try again: nothing is lost",
    )
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("fatal: write error: No space left on device", true)]
    #[case("error: file write error: No space left on device\r", true)]
    #[case(
        "fatal: Unable to create '/m/refs/heads/main.lock': No space left on device",
        true
    )]
    #[case("fatal: sha1 file '/m/pack/tmp' write error. Out of diskspace", true)]
    #[case("fatal: write error: Disk quota exceeded", true)]
    #[case("remote: fatal: write error: No space left on device", false)]
    #[case("error: object 1: badTree: ': No space left on device'", false)]
    #[case("fatal: pack has bad object at offset 12", false)]
    fn full_disk_of_the_broker_is_told_from_other_faults(#[case] line: &str, #[case] full: bool) {
        assert_eq!(is_full_line(line), full);
    }
}
