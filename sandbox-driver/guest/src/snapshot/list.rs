//! Lists a workspace. Links are never followed.
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use roost_protocol::guest::listing::{Listed, ListedKind};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};

use super::left_out::{LeftOut, only_while_running};

/// A file with fewer blocks than its size needs, by more than this many bytes, is sparse.
const SPARSE: u64 = 1 << 20;

/// Writes one [`Listed`] for each entry that a snapshot contains. A sparse file that claims more than `budget` bytes,
/// the size of the workspace, is left out. Returns one line for each entry that is left out.
///
/// # Errors
/// When the output cannot be written, or the root cannot be read.
pub fn list(root: &Path, budget: u64, out: impl Write) -> io::Result<Vec<String>> {
    let mut lines = Vec::new();
    let rules = LeftOut::of(root, &mut lines);
    let mut walk = Walk {
        root,
        rules,
        spare: budget,
        out: io::BufWriter::with_capacity(256 * 1024, out),
        lines,
    };
    walk.folder(Path::new(""))?;
    walk.out.flush()?;
    Ok(walk.lines)
}

struct Walk<'a, W: Write> {
    root: &'a Path,
    rules: LeftOut,
    /// Bytes that sparse files may still claim.
    spare: u64,
    out: io::BufWriter<W>,
    lines: Vec<String>,
}

/// One name of a folder.
struct Found {
    name: OsString,
    stat: Stat,
}

/// The names of a folder, sorted. Each is looked up below the opened folder, so the kernel resolves one part of a path.
fn found(folder: &Path) -> io::Result<Vec<Found>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd = rustix::fs::open(folder, flags, Mode::empty())?;
    let mut all = Vec::new();
    for entry in Dir::read_from(&fd)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        // Without it, it vanished after the folder was read.
        if let Ok(stat) = rustix::fs::statat(&fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            let name = OsStr::from_bytes(name.to_bytes()).to_owned();
            all.push(Found { name, stat });
        }
    }
    all.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    Ok(all)
}

impl<W: Write> Walk<'_, W> {
    fn folder(&mut self, at: &Path) -> io::Result<()> {
        let names = match found(&self.root.join(at)) {
            Ok(names) => names,
            Err(error) if at.as_os_str().is_empty() => return Err(error),
            Err(error) => {
                self.left_out(at, &error.to_string());
                return Ok(());
            }
        };
        for Found { name, stat } in names {
            let path = at.join(&name);
            if only_while_running(&path) {
                continue;
            }
            let is_folder = FileType::from_raw_mode(stat.st_mode).is_dir();
            match self.rules.reason(self.root, &path, is_folder) {
                Some(reason) => self.left_out(&path, reason),
                None => self.entry(path, &stat)?,
            }
        }
        Ok(())
    }

    fn entry(&mut self, path: PathBuf, stat: &Stat) -> io::Result<()> {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => {
                self.write(&path, stat, ListedKind::Folder, Vec::new())?;
                return self.folder(&path);
            }
            FileType::Symlink => {
                return match fs::read_link(self.root.join(&path)) {
                    Ok(target) => {
                        let target = target.into_os_string().into_vec();
                        self.write(&path, stat, ListedKind::Link, target)
                    }
                    Err(error) => {
                        self.left_out(&path, &error.to_string());
                        Ok(())
                    }
                };
            }
            FileType::RegularFile => {
                let size = size(stat);
                if blocks(stat) * 512 + SPARSE < size {
                    if size > self.spare {
                        self.left_out(&path, &format!("a sparse file of {size} bytes"));
                        return Ok(());
                    }
                    self.spare -= size;
                }
                return self.write(&path, stat, ListedKind::File, Vec::new());
            }
            FileType::Fifo => self.left_out(&path, "a pipe"),
            // Sockets belong to their process, and devices cannot exist here.
            _ => {}
        }
        Ok(())
    }

    fn write(
        &mut self,
        path: &Path,
        stat: &Stat,
        kind: ListedKind,
        target: Vec<u8>,
    ) -> io::Result<()> {
        let is_file = kind == ListedKind::File;
        let listed = Listed {
            path: path.as_os_str().as_bytes().to_vec(),
            kind,
            mode: stat.st_mode & 0o777,
            mtime_ns: nanoseconds(stat.st_mtime, stat.st_mtime_nsec),
            ctime_ns: nanoseconds(stat.st_ctime, stat.st_ctime_nsec),
            size: if is_file { size(stat) } else { 0 },
            inode: stat.st_ino,
            linked: is_file && stat.st_nlink > 1,
            target,
        };
        rmp_serde::encode::write(&mut self.out, &listed).map_err(io::Error::other)
    }

    fn left_out(&mut self, path: &Path, why: &str) {
        self.lines.push(format!("{}: {why}", path.display()));
    }
}

fn size(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or(0)
}

fn blocks(stat: &Stat) -> u64 {
    u64::try_from(stat.st_blocks).unwrap_or(0)
}

/// The types of a time's parts differ between processors.
fn nanoseconds(seconds: impl Into<i64>, rest: impl TryInto<i64>) -> i64 {
    let seconds = seconds.into().saturating_mul(1_000_000_000);
    seconds.saturating_add(rest.try_into().unwrap_or(0))
}
