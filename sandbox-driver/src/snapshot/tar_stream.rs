//! A snapshot as a tar stream, in the form that guests of older versions unpack.
use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use roost_snapshot::{Entry, Node};
use tar::{Builder, EntryType, Header};

use super::contents::Contents;

/// Writes a snapshot as a tar stream.
///
/// # Errors
/// When a chunk cannot be read, or the output cannot be written.
pub fn write(contents: &Contents, out: impl Write) -> io::Result<()> {
    let mut tar = Builder::new(io::BufWriter::with_capacity(256 * 1024, out));
    let mut chunks = contents.reader();
    for entry in &contents.entries {
        let path = path(&entry.path);
        let mut header = header(entry);
        let time = mtime(entry.mtime_ns);
        tar.append_pax_extensions([("mtime", time.as_bytes())])?;
        match &entry.node {
            Node::Folder => {
                let mut name = path.as_os_str().to_owned();
                name.push("/");
                header.set_entry_type(EntryType::Directory);
                tar.append_data(&mut header, Path::new(&name), io::empty())?;
            }
            Node::File { size, content } => {
                header.set_entry_type(EntryType::Regular);
                header.set_size(*size);
                tar.append_data(&mut header, path, chunks.file(content))?;
            }
            Node::Link { target } => {
                header.set_entry_type(EntryType::Symlink);
                tar.append_link(&mut header, path, self::path(target))?;
            }
            Node::SameFile { first } => {
                header.set_entry_type(EntryType::Link);
                tar.append_link(&mut header, path, self::path(first))?;
            }
        }
    }
    tar.into_inner()?.flush()
}

fn path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

fn header(entry: &Entry) -> Header {
    let mut header = Header::new_gnu();
    header.set_mode(entry.mode);
    header.set_mtime(u64::try_from(entry.mtime_ns.div_euclid(1_000_000_000)).unwrap_or(0));
    header.set_size(0);
    header
}

/// Seconds and nanoseconds, as the extended header has them.
fn mtime(ns: i64) -> String {
    let (seconds, rest) = (ns.div_euclid(1_000_000_000), ns.rem_euclid(1_000_000_000));
    format!("{seconds}.{rest:09}")
}
