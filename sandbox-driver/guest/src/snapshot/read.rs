//! Reads the content of chosen files of a workspace. No part of a path may be a link.
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path};

use roost_protocol::guest::listing::ReadStatus;
use rustix::fs::{Mode, OFlags};

/// Bytes of one block of the output.
const BLOCK: usize = 64 * 1024;
/// Longest path, bytes.
const MOST_PATH: usize = 4096;

/// Reads paths from `from` and writes their contents to `out`, in the form that
/// [`roost_protocol::guest::listing`] describes.
///
/// # Errors
/// When the request is malformed or the output cannot be written. A file that cannot be read is not an error.
pub fn read(root: &Path, mut from: impl Read, out: impl Write) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let root: OwnedFd = rustix::fs::open(root, flags, Mode::empty())?;
    let mut out = io::BufWriter::with_capacity(256 * 1024, out);
    let mut block = vec![0; BLOCK];
    while let Some(path) = next_path(&mut from)? {
        let status = match open(&root, &path) {
            Ok(file) => copy(file, &mut block, &mut out)?,
            Err(_) => ReadStatus::Unreadable,
        };
        out.write_all(&0_u32.to_le_bytes())?;
        out.write_all(&[status.byte()])?;
    }
    out.flush()
}

fn next_path(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    let mut got = 0;
    while got < length.len() {
        match from.read(&mut length[got..])? {
            0 if got == 0 => return Ok(None),
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            more => got += more,
        }
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > MOST_PATH {
        return Err(io::Error::other("a path is too long"));
    }
    let mut path = vec![0; length];
    from.read_exact(&mut path)?;
    Ok(Some(path))
}

/// Opens a file below `root` step by step; a link on the way is an error.
fn open(root: &OwnedFd, path: &[u8]) -> io::Result<File> {
    let refused = || io::Error::other("a path that leaves the workspace");
    let parts: Option<Vec<&OsStr>> = Path::new(OsStr::from_bytes(path))
        .components()
        .map(|part| match part {
            Component::Normal(name) => Some(name),
            _ => None,
        })
        .collect();
    let parts = parts.ok_or_else(refused)?;
    let (name, above) = parts.split_last().ok_or_else(refused)?;
    let mut at = root.try_clone()?;
    for part in above {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        at = rustix::fs::openat(&at, *part, flags, Mode::empty())?;
    }
    // NONBLOCK: a pipe that took the file's name must not hold this process.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(&at, *name, flags, Mode::empty())?.into())
}

fn copy(mut file: File, block: &mut [u8], out: &mut impl Write) -> io::Result<ReadStatus> {
    let Ok(before) = file.metadata() else {
        return Ok(ReadStatus::Unreadable);
    };
    if !before.is_file() {
        return Ok(ReadStatus::Unreadable);
    }
    let mut left = before.len();
    while left > 0 {
        let most = usize::try_from(left).map_or(block.len(), |left| left.min(block.len()));
        let got = match file.read(&mut block[..most]) {
            Ok(got) => got,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return Ok(ReadStatus::Unreadable),
        };
        if got == 0 {
            return Ok(ReadStatus::Changed);
        }
        left -= got as u64;
        let length = u32::try_from(got).map_err(io::Error::other)?;
        out.write_all(&length.to_le_bytes())?;
        out.write_all(&block[..got])?;
    }
    let unchanged = file.metadata().is_ok_and(|after| {
        after.len() == before.len()
            && (after.ctime(), after.ctime_nsec()) == (before.ctime(), before.ctime_nsec())
    });
    Ok(if unchanged {
        ReadStatus::Whole
    } else {
        ReadStatus::Changed
    })
}
