//! Unpacks a tar stream into a folder and nowhere else.
//!
//! Refused: absolute names, `..`, devices, pipes, and writing through a link. A symbolic link's target is only text (a
//! Python environment points at `/usr/bin/python3`): it is restored unchanged and never followed during unpacking.
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, Timespec, Timestamps};
use tar::{Archive, Entry, EntryType};

/// Unpacks a stream into `root`.
///
/// # Errors
/// The first entry that is refused or cannot be written, with its name.
pub fn unpack(from: impl Read, root: &Path) -> io::Result<()> {
    let mut archive = Archive::new(from);
    let root = folder(root)?;
    let mut folders = Vec::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let parts = parts(&path).map_err(named)?;
        let Some((name, above)) = parts.split_last() else {
            continue;
        };
        let parent = descend(&root, above).map_err(named)?;
        one(&root, &parent, name, &mut entry).map_err(named)?;
        if entry.header().entry_type() == EntryType::Directory {
            let time = mtime(&mut entry);
            folders.push((parts.clone(), mode(&entry), time));
        }
    }
    // Last, and deepest first: a read-only folder could not be filled, and filling it changes its time.
    for (parts, mode, time) in folders.into_iter().rev() {
        let fd = descend(&root, &parts)?;
        rustix::fs::fchmod(&fd, mode)?;
        rustix::fs::futimens(&fd, &time)?;
    }
    Ok(())
}

fn one(
    root: &OwnedFd,
    parent: &OwnedFd,
    name: &OsStr,
    entry: &mut Entry<'_, impl Read>,
) -> io::Result<()> {
    match entry.header().entry_type() {
        EntryType::Directory => match rustix::fs::mkdirat(parent, name, Mode::RWXU) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => Ok(()),
            Err(error) => Err(error.into()),
        },
        EntryType::Regular | EntryType::Continuous => {
            clear(parent, name)?;
            let flags =
                OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let fd = rustix::fs::openat(parent, name, flags, Mode::RUSR | Mode::WUSR)?;
            let mut file = File::from(fd);
            let time = mtime(entry);
            io::copy(entry, &mut file)?;
            rustix::fs::fchmod(&file, mode(entry))?;
            rustix::fs::futimens(&file, &time)?;
            Ok(())
        }
        EntryType::Symlink => {
            clear(parent, name)?;
            let target = link_target(entry)?;
            rustix::fs::symlinkat(&target, parent, name)?;
            rustix::fs::utimensat(parent, name, &mtime(entry), AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(())
        }
        EntryType::Link => {
            clear(parent, name)?;
            let target = link_target(entry)?;
            let target = parts(&target)?;
            let Some((first, above)) = target.split_last() else {
                return Err(refused("a hard link with an empty target"));
            };
            let folder = descend(root, above)?;
            // Without SYMLINK_FOLLOW, a hard link to a symbolic link stays a link to the link.
            rustix::fs::linkat(&folder, first, parent, name, AtFlags::empty())?;
            Ok(())
        }
        other => Err(refused(&format!("an entry of type {other:?}"))),
    }
}

fn link_target(entry: &Entry<'_, impl Read>) -> io::Result<PathBuf> {
    Ok(entry
        .link_name()?
        .ok_or_else(|| refused("a link without a target"))?
        .into_owned())
}

fn mode<R: Read>(entry: &Entry<'_, R>) -> Mode {
    // Never set a setuid bit, although the mount would ignore it.
    Mode::from_raw_mode(entry.header().mode().unwrap_or(0o644) & 0o777)
}

/// The time of an entry: to the nanosecond when an extension says it, else to the second.
fn mtime<R: Read>(entry: &mut Entry<'_, R>) -> Timestamps {
    let time = exact_time(entry).unwrap_or_else(|| Timespec {
        tv_sec: i64::try_from(entry.header().mtime().unwrap_or(0)).unwrap_or(0),
        tv_nsec: 0,
    });
    Timestamps {
        last_access: time,
        last_modification: time,
    }
}

fn exact_time<R: Read>(entry: &mut Entry<'_, R>) -> Option<Timespec> {
    let extensions = entry.pax_extensions().ok()??;
    let time = extensions
        .flatten()
        .find(|extension| extension.key() == Ok("mtime"))?;
    let (seconds, fraction) = time.value().ok()?.split_once('.')?;
    let (tv_sec, nanoseconds) = (seconds.parse().ok()?, fraction.parse::<u32>().ok()?);
    (fraction.len() == 9).then_some(Timespec {
        tv_sec,
        tv_nsec: nanoseconds.into(),
    })
}

/// The parts of a name; all must be plain.
fn parts(path: &Path) -> io::Result<Vec<std::ffi::OsString>> {
    path.components()
        .filter(|part| *part != Component::CurDir)
        .map(|part| match part {
            Component::Normal(name) => Ok(name.to_owned()),
            _ => Err(refused("a name that leaves the workspace")),
        })
        .collect()
}

/// Opens a folder below `root` step by step and makes missing ones; never follows a link.
fn descend(root: &OwnedFd, parts: &[std::ffi::OsString]) -> io::Result<OwnedFd> {
    let mut at = root.try_clone()?;
    for name in parts {
        match rustix::fs::mkdirat(&at, name, Mode::RWXU) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        at = rustix::fs::openat(&at, name, flags, Mode::empty()).map_err(|error| {
            io::Error::new(
                io::Error::from(error).kind(),
                format!("{name:?} is not a folder of the archive: {error}"),
            )
        })?;
    }
    Ok(at)
}

fn folder(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

/// Removes an existing file or link of that name; a folder of that name is an error.
fn clear(parent: &OwnedFd, name: &OsStr) -> io::Result<()> {
    match rustix::fs::unlinkat(parent, name, AtFlags::empty()) {
        Ok(()) | Err(rustix::io::Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn refused(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{what} is refused"))
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
