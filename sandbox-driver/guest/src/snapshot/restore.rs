//! Writes a snapshot into a workspace and nowhere else, from the records that [`roost_protocol::guest::restoring`] describes.
//!
//! Refused: a path that leaves the workspace, a path through a link, and a file that exists.
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Component, Path};

use roost_protocol::guest::restoring::{EntryFacts, MOST_CHUNK, Restoring};
use rustix::fs::{AtFlags, Mode, OFlags, Timespec, Timestamps};

/// Bytes read at once: a few frames of the stream.
const READ: usize = 256 * 1024;

/// Reads records from `from` and writes the files below `root`.
///
/// # Errors
/// The first record that is refused or cannot be written, with its name; also a stream that was cut off.
pub fn restore(root: &Path, from: impl Read) -> io::Result<()> {
    // The modes of the snapshot are exact.
    let before = rustix::process::umask(Mode::empty());
    let restored = (|| {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut writer = Writer {
            root: rustix::fs::open(root, flags, Mode::empty())?,
            above: None,
            open: None,
            chunk: Vec::new(),
            unpack: zstd::bulk::Decompressor::new()?,
        };
        let mut from = io::BufReader::with_capacity(READ, from);
        loop {
            match rmp_serde::from_read(&mut from).map_err(malformed)? {
                Restoring::End => return Ok(()),
                record => writer.write(record)?,
            }
        }
    })();
    rustix::process::umask(before);
    restored
}

fn malformed(error: rmp_serde::decode::Error) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("the snapshot was cut off or is malformed: {error}"),
    )
}

struct Writer {
    root: OwnedFd,
    /// The folder of the last record: neighbours follow each other.
    above: Option<(Vec<u8>, OwnedFd)>,
    /// A file of more than one piece.
    open: Option<(Vec<u8>, File)>,
    chunk: Vec<u8>,
    unpack: zstd::bulk::Decompressor<'static>,
}

impl Writer {
    fn write(&mut self, record: Restoring) -> io::Result<()> {
        match record {
            Restoring::Chunk {
                length,
                packed,
                bytes,
            } => self.take(length, packed, bytes),
            Restoring::Folder { path } => named(&path, self.folder(&path)),
            Restoring::Piece {
                path,
                first,
                at,
                offset,
                length,
                facts,
            } => {
                let written = self.piece(&path, first, at, (offset, length), facts);
                named(&path, written)
            }
            Restoring::Link {
                path,
                target,
                mtime_ns,
            } => named(&path, self.link(&path, &target, mtime_ns)),
            Restoring::SameFile { path, first } => named(&path, self.same(&path, &first)),
            Restoring::Settle { path, facts } => named(&path, self.settle(&path, facts)),
            Restoring::End => Ok(()),
        }
    }

    fn take(&mut self, length: u32, packed: bool, bytes: Vec<u8>) -> io::Result<()> {
        let length = length as usize;
        if length > MOST_CHUNK {
            return Err(refused("a chunk that is too large"));
        }
        if packed {
            self.chunk.clear();
            self.chunk.reserve(length);
            self.unpack
                .decompress_to_buffer(&bytes, &mut self.chunk)
                .map_err(|_| refused("a chunk that cannot be decompressed"))?;
        } else {
            self.chunk = bytes;
        }
        if self.chunk.len() == length {
            Ok(())
        } else {
            Err(refused("a chunk with another length than it says"))
        }
    }

    fn folder(&mut self, path: &[u8]) -> io::Result<()> {
        let (parent, name) = self.place(path)?;
        match rustix::fs::mkdirat(parent, name, Mode::RWXU) {
            // What is there must be a folder: nothing can be put below a link.
            Ok(()) | Err(rustix::io::Errno::EXIST) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn piece(
        &mut self,
        path: &[u8],
        first: bool,
        at: u64,
        (offset, length): (u32, u32),
        facts: Option<EntryFacts>,
    ) -> io::Result<()> {
        let file = match self.open.take() {
            Some((of, file)) if !first && of == path => file,
            _ => self.file(path, first, facts)?,
        };
        let range = offset as usize..(offset as usize).saturating_add(length as usize);
        let part = self.chunk.get(range);
        let part = part.ok_or_else(|| refused("a piece beyond its chunk"))?;
        file.write_all_at(part, at)?;
        match facts {
            None => self.open = Some((path.to_owned(), file)),
            Some(facts) => {
                if !first {
                    rustix::fs::fchmod(&file, mode(facts))?;
                }
                rustix::fs::futimens(&file, &time(facts.mtime_ns))?;
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &[u8], first: bool, facts: Option<EntryFacts>) -> io::Result<File> {
        let (parent, name) = self.place(path)?;
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let (flags, mode) = match (first, facts) {
            (false, _) => (flags, Mode::empty()),
            // Its last piece needs to open it, whatever its mode will be.
            (true, None) => (
                flags | OFlags::CREATE | OFlags::EXCL,
                Mode::RUSR | Mode::WUSR,
            ),
            (true, Some(facts)) => (flags | OFlags::CREATE | OFlags::EXCL, mode(facts)),
        };
        Ok(rustix::fs::openat(parent, name, flags, mode)?.into())
    }

    fn link(&mut self, path: &[u8], target: &[u8], mtime_ns: i64) -> io::Result<()> {
        let (parent, name) = self.place(path)?;
        rustix::fs::symlinkat(OsStr::from_bytes(target), parent, name)?;
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        Ok(rustix::fs::utimensat(parent, name, &time(mtime_ns), flags)?)
    }

    fn same(&mut self, path: &[u8], first: &[u8]) -> io::Result<()> {
        let (above, of) = parts(first)?;
        let folder = descend(&self.root, above)?;
        let (parent, name) = self.place(path)?;
        // Without SYMLINK_FOLLOW, a hard link to a symbolic link stays a link to the link.
        Ok(rustix::fs::linkat(
            &folder,
            of,
            parent,
            name,
            AtFlags::empty(),
        )?)
    }

    fn settle(&mut self, path: &[u8], facts: EntryFacts) -> io::Result<()> {
        let folder = descend(&self.root, path)?;
        rustix::fs::fchmod(&folder, mode(facts))?;
        Ok(rustix::fs::futimens(&folder, &time(facts.mtime_ns))?)
    }

    /// The folder of a path, and the name in it.
    fn place<'a, 'p>(&'a mut self, path: &'p [u8]) -> io::Result<(&'a OwnedFd, &'p OsStr)> {
        let (above, name) = parts(path)?;
        let known = self.above.take().filter(|(known, _)| known == above);
        let (_, folder) = match known {
            Some(known) => self.above.insert(known),
            None => {
                let folder = descend(&self.root, above)?;
                self.above.insert((above.to_owned(), folder))
            }
        };
        Ok((folder, name))
    }
}

/// The folder and the name of a path.
fn parts(path: &[u8]) -> io::Result<(&[u8], &OsStr)> {
    let (above, name) = match path.iter().rposition(|byte| *byte == b'/') {
        Some(0) => return Err(refused("a name that leaves the workspace")),
        Some(slash) => (&path[..slash], &path[slash + 1..]),
        None => (&[][..], path),
    };
    if matches!(name, b"" | b"." | b"..") || name.contains(&0) {
        return Err(refused("a name that leaves the workspace"));
    }
    Ok((above, OsStr::from_bytes(name)))
}

/// Opens a folder below `root` step by step; a link on the way is an error.
fn descend(root: &OwnedFd, path: &[u8]) -> io::Result<OwnedFd> {
    let mut at = root.try_clone()?;
    for part in Path::new(OsStr::from_bytes(path)).components() {
        let Component::Normal(name) = part else {
            return Err(refused("a name that leaves the workspace"));
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        at = rustix::fs::openat(&at, name, flags, Mode::empty())?;
    }
    Ok(at)
}

fn mode(facts: EntryFacts) -> Mode {
    // Never set a setuid bit, although the mount would ignore it.
    Mode::from_raw_mode(facts.mode & 0o777)
}

fn time(ns: i64) -> Timestamps {
    let time = Timespec {
        tv_sec: ns.div_euclid(1_000_000_000),
        tv_nsec: ns.rem_euclid(1_000_000_000),
    };
    Timestamps {
        last_access: time,
        last_modification: time,
    }
}

fn named(path: &[u8], done: io::Result<()>) -> io::Result<()> {
    done.map_err(|error| {
        let path = String::from_utf8_lossy(path);
        io::Error::new(error.kind(), format!("{path}: {error}"))
    })
}

fn refused(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{what} is refused"))
}

#[cfg(test)]
#[path = "restore_tests.rs"]
mod tests;
