//! Packs a folder. Entries are sorted, so the same content gives the same bytes; links are never followed.
use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use tar::{Builder, EntryType, Header};

/// Names at the top level that are not packed.
const NOT_KEPT: [&str; 1] = [".tmp"];

/// Writes `root` as a tar stream. `budget` is the size of the workspace in bytes: a sparse file that claims more than
/// the remaining budget is skipped. Returns one line for each skipped entry.
///
/// # Errors
/// When the output cannot be written, or the root cannot be read.
pub fn pack(root: &Path, budget: u64, out: impl Write) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    let mut left_out = Vec::new();
    walk(root, Path::new(""), &mut found, &mut left_out)?;
    let real: u64 = found
        .iter()
        .filter(|(_, meta)| meta.is_file() && !is_sparse(meta))
        .map(|(_, meta)| meta.len())
        .sum();
    let mut spare = budget.saturating_sub(real);
    let mut tar = Builder::new(io::BufWriter::with_capacity(256 * 1024, out));
    let mut links: HashMap<(u64, u64), PathBuf> = HashMap::new();
    for (path, meta) in found {
        if meta.is_file() && is_sparse(&meta) {
            if meta.len() > spare {
                left_out.push(format!(
                    "{}: a sparse file of {} bytes",
                    path.display(),
                    meta.len()
                ));
                continue;
            }
            spare -= meta.len();
        }
        if let Err(error) = add(&mut tar, root, &path, &meta, &mut links)? {
            left_out.push(format!("{}: {error}", path.display()));
        }
    }
    tar.into_inner()?.flush()?;
    Ok(left_out)
}

fn is_sparse(meta: &Metadata) -> bool {
    meta.blocks() * 512 + (1 << 20) < meta.len()
}

fn walk(
    root: &Path,
    at: &Path,
    found: &mut Vec<(PathBuf, Metadata)>,
    left_out: &mut Vec<String>,
) -> io::Result<()> {
    let mut names: Vec<_> = match fs::read_dir(root.join(at)) {
        Ok(entries) => entries.flatten().map(|entry| entry.file_name()).collect(),
        Err(error) if at.as_os_str().is_empty() => return Err(error),
        Err(error) => {
            left_out.push(format!("{}: {error}", at.display()));
            return Ok(());
        }
    };
    names.sort();
    for name in names {
        if at.as_os_str().is_empty() && NOT_KEPT.iter().any(|not| name == *not) {
            continue;
        }
        let path = at.join(&name);
        // It vanished after the folder was read, so it is not packed.
        let Ok(meta) = fs::symlink_metadata(root.join(&path)) else {
            continue;
        };
        let typ = meta.file_type();
        if typ.is_dir() {
            found.push((path.clone(), meta));
            walk(root, &path, found, left_out)?;
        } else if typ.is_file() || typ.is_symlink() {
            found.push((path, meta));
        } else if typ.is_fifo() {
            left_out.push(format!("{}: a pipe", path.display()));
        }
        // Sockets belong to their process, and devices cannot exist here.
    }
    Ok(())
}

/// `Ok(Err)` when this one entry cannot be read; `Err` when the output cannot be written.
fn add<W: Write>(
    tar: &mut Builder<W>,
    root: &Path,
    path: &Path,
    meta: &Metadata,
    links: &mut HashMap<(u64, u64), PathBuf>,
) -> io::Result<Result<(), io::Error>> {
    let mut header = Header::new_gnu();
    header.set_mode(meta.mode() & 0o7777);
    header.set_mtime(u64::try_from(meta.mtime()).unwrap_or(0));
    header.set_size(0);
    if meta.is_dir() {
        header.set_entry_type(EntryType::Directory);
        let mut name = path.as_os_str().to_owned();
        name.push("/");
        tar.append_data(&mut header, Path::new(&name), io::empty())?;
        return Ok(Ok(()));
    }
    if meta.file_type().is_symlink() {
        let target = match fs::read_link(root.join(path)) {
            Ok(target) => target,
            Err(error) => return Ok(Err(error)),
        };
        header.set_entry_type(EntryType::Symlink);
        tar.append_link(&mut header, path, &target)?;
        return Ok(Ok(()));
    }
    if meta.nlink() > 1 {
        let first = links
            .entry((meta.dev(), meta.ino()))
            .or_insert_with(|| path.to_owned());
        if first != path {
            header.set_entry_type(EntryType::Link);
            tar.append_link(&mut header, path, &*first)?;
            return Ok(Ok(()));
        }
    }
    let file = match open(&root.join(path)) {
        Ok(file) => file,
        Err(error) => return Ok(Err(error)),
    };
    header.set_entry_type(EntryType::Regular);
    header.set_size(meta.len());
    let exact = Exact {
        inner: file,
        left: meta.len(),
    };
    tar.append_data(&mut header, path, exact)?;
    Ok(Ok(()))
}

fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    debug_assert!(!path.as_os_str().as_bytes().is_empty());
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

/// Reads exactly as many bytes as the header says, even when the file changes meanwhile.
struct Exact {
    inner: File,
    left: u64,
}

impl Read for Exact {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let want = buffer
            .len()
            .min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let mut got = self.inner.read(&mut buffer[..want])?;
        if got == 0 && want > 0 {
            buffer[..want].fill(0);
            got = want;
        }
        self.left -= got as u64;
        Ok(got)
    }
}
