//! tar: its headers are read one by one, and long names are bounded. The library would read a name of any length into memory.

use std::io::Read;

use bytes::Bytes;
use tar::{Archive, EntryType, Header};

use super::{Sink, Stopped, damaged};
use crate::uploads::model::{LONGEST_PATH, Refusal, shown};

/// Most bytes of a header's extension: two long names and some more.
const MOST_EXTENSION: u64 = 16 << 10;

/// Whether a file begins as a tar archive does.
pub(super) fn is_one(start: &[u8]) -> bool {
    let Some(block) = start.first_chunk::<512>() else {
        return false;
    };
    let mut header = Header::new_old();
    header.as_mut_bytes().copy_from_slice(block);
    // The field of the sum counts as spaces.
    let sum: u32 = (0..512)
        .map(|at| {
            if (148..156).contains(&at) {
                32
            } else {
                u32::from(block[at])
            }
        })
        .sum();
    block.iter().all(|byte| *byte == 0) || header.cksum().is_ok_and(|cksum| cksum == sum)
}

/// What extensions said about the next entry.
#[derive(Default)]
struct Next {
    path: Option<Vec<u8>>,
    target: Option<Vec<u8>>,
    is_sparse: bool,
}

pub(super) fn read<F: FnMut(Bytes) -> bool>(
    from: impl Read,
    sink: &mut Sink<F>,
) -> Result<(), Stopped> {
    let mut archive = Archive::new(from);
    let entries = archive
        .entries()
        .map_err(|error| damaged(&error))?
        .raw(true);
    let mut next = Next::default();
    for entry in entries {
        let mut entry = entry.map_err(|error| damaged(&error))?;
        let kind = entry.header().entry_type();
        if kind.is_gnu_longname() || kind.is_gnu_longlink() {
            let mut name = extension(&mut entry, sink)?;
            name.truncate(
                name.iter()
                    .position(|byte| *byte == 0)
                    .unwrap_or(name.len()),
            );
            match kind.is_gnu_longname() {
                true => next.path = Some(name),
                false => next.target = Some(name),
            }
            continue;
        }
        if kind.is_pax_local_extensions() {
            pax(&extension(&mut entry, sink)?, &mut next)?;
            continue;
        }
        if kind.is_pax_global_extensions() {
            // Comments, such as the commit of `git archive`.
            extension(&mut entry, sink)?;
            continue;
        }
        let said = std::mem::take(&mut next);
        let raw = said.path.unwrap_or_else(|| entry.path_bytes().into_owned());
        if said.is_sparse || kind == EntryType::GNUSparse {
            return Err(Refusal::Sparse(shown(&raw)).into());
        }
        let Some(path) = sink.path(&raw)? else {
            continue;
        };
        let target = || {
            let own = entry.link_name_bytes().map(std::borrow::Cow::into_owned);
            said.target.or(own).unwrap_or_default()
        };
        match kind {
            EntryType::Directory => sink.folder(&path)?,
            // Old archives write folders as files whose name ends with a slash.
            EntryType::Regular if raw.ends_with(b"/") => sink.folder(&path)?,
            EntryType::Regular | EntryType::Continuous => {
                let mode = entry.header().mode().unwrap_or(0o644);
                let size = entry.size();
                sink.file(&path, mode & 0o100 != 0, size, &mut entry)?;
            }
            EntryType::Symlink => sink.link(&path, &target())?,
            EntryType::Link => sink.same(&path, &target())?,
            _ => return Err(Refusal::Special(shown(&raw)).into()),
        }
    }
    Ok(())
}

/// The content of an extension.
fn extension<R: Read, F: FnMut(Bytes) -> bool>(
    entry: &mut tar::Entry<'_, R>,
    sink: &mut Sink<F>,
) -> Result<Vec<u8>, Stopped> {
    sink.tally.bytes(entry.size())?;
    if entry.size() > MOST_EXTENSION {
        let long = format!("a name of more than {LONGEST_PATH} bytes");
        return Err(Refusal::TooLong(long).into());
    }
    let mut content = Vec::new();
    entry
        .read_to_end(&mut content)
        .map_err(|error| damaged(&error))?;
    Ok(content)
}

/// Records of `<length> <key>=<value>\n`. Only names count; a size has to be in the header itself.
fn pax(content: &[u8], next: &mut Next) -> Result<(), Refusal> {
    for record in tar::PaxExtensions::new(content) {
        let record = record.map_err(|error| damaged(&error))?;
        match record.key_bytes() {
            b"path" => next.path = Some(record.value_bytes().to_vec()),
            b"linkpath" => next.target = Some(record.value_bytes().to_vec()),
            b"size" => {
                let large = "an entry has its size outside its header; use GNU tar or bsdtar";
                return Err(Refusal::Damaged(large.to_owned()));
            }
            key if key.starts_with(b"GNU.sparse") => next.is_sparse = true,
            _ => {}
        }
    }
    Ok(())
}
