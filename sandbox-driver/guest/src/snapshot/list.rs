//! Lists a workspace. Links are never followed.
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use roost_protocol::guest::listing::{Listed, ListedKind};

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

impl<W: Write> Walk<'_, W> {
    fn folder(&mut self, at: &Path) -> io::Result<()> {
        let names = fs::read_dir(self.root.join(at))
            .map(|entries| entries.flatten().map(|entry| entry.file_name()));
        let mut names: Vec<OsString> = match names {
            Ok(names) => names.collect(),
            Err(error) if at.as_os_str().is_empty() => return Err(error),
            Err(error) => {
                self.left_out(at, &error.to_string());
                return Ok(());
            }
        };
        names.sort();
        for name in names {
            let path = at.join(&name);
            // It vanished after the folder was read.
            let Ok(meta) = fs::symlink_metadata(self.root.join(&path)) else {
                continue;
            };
            if only_while_running(&path) {
                continue;
            }
            match self.rules.reason(self.root, &path, meta.is_dir()) {
                Some(reason) => self.left_out(&path, reason),
                None => self.entry(path, &meta)?,
            }
        }
        Ok(())
    }

    fn entry(&mut self, path: PathBuf, meta: &Metadata) -> io::Result<()> {
        let typ = meta.file_type();
        if typ.is_dir() {
            self.write(&path, meta, ListedKind::Folder, Vec::new())?;
            return self.folder(&path);
        }
        if typ.is_symlink() {
            return match fs::read_link(self.root.join(&path)) {
                Ok(target) => {
                    let target = target.into_os_string().into_vec();
                    self.write(&path, meta, ListedKind::Link, target)
                }
                Err(error) => {
                    self.left_out(&path, &error.to_string());
                    Ok(())
                }
            };
        }
        if typ.is_file() {
            if meta.blocks() * 512 + SPARSE < meta.len() {
                if meta.len() > self.spare {
                    let why = format!("a sparse file of {} bytes", meta.len());
                    self.left_out(&path, &why);
                    return Ok(());
                }
                self.spare -= meta.len();
            }
            return self.write(&path, meta, ListedKind::File, Vec::new());
        }
        if typ.is_fifo() {
            self.left_out(&path, "a pipe");
        }
        // Sockets belong to their process, and devices cannot exist here.
        Ok(())
    }

    fn write(
        &mut self,
        path: &Path,
        meta: &Metadata,
        kind: ListedKind,
        target: Vec<u8>,
    ) -> io::Result<()> {
        let nanoseconds = |s: i64, ns: i64| s.saturating_mul(1_000_000_000).saturating_add(ns);
        let listed = Listed {
            path: path.as_os_str().as_bytes().to_vec(),
            kind,
            mode: meta.mode() & 0o777,
            mtime_ns: nanoseconds(meta.mtime(), meta.mtime_nsec()),
            ctime_ns: nanoseconds(meta.ctime(), meta.ctime_nsec()),
            size: if kind == ListedKind::File {
                meta.len()
            } else {
                0
            },
            inode: meta.ino(),
            linked: kind == ListedKind::File && meta.nlink() > 1,
            target,
        };
        rmp_serde::encode::write(&mut self.out, &listed).map_err(io::Error::other)
    }

    fn left_out(&mut self, path: &Path, why: &str) {
        self.lines.push(format!("{}: {why}", path.display()));
    }
}
