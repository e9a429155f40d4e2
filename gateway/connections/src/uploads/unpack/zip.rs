//! zip: the list of entries at its end is counted before it is read, and each entry is unpacked while it is given on.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use bytes::Bytes;
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use super::{Sink, Stopped, damaged};
use crate::uploads::model::{LONGEST_PATH, Refusal, shown};

/// The record at the end: its signature, its length, and the longest comment after it.
const END: &[u8] = b"PK\x05\x06";
const END_LENGTH: usize = 22;
const LONGEST_COMMENT: u64 = 65_535;
/// Bits of a Unix mode.
const KIND: u32 = 0o170_000;
const LINK: u32 = 0o120_000;
const FILE: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;

pub(super) fn read<F: FnMut(Bytes) -> bool>(
    mut from: File,
    sink: &mut Sink<F>,
) -> Result<(), Stopped> {
    counted(&mut from, sink)?;
    let mut archive = ZipArchive::new(from).map_err(|error| unread(&error))?;
    for at in 0..archive.len() {
        let plain = archive.by_index_raw(at).map_err(|error| unread(&error))?;
        let raw = plain.name_raw().to_vec();
        let is_known = matches!(
            plain.compression(),
            CompressionMethod::Stored | CompressionMethod::Deflated
        );
        let is_readable = is_known && !plain.encrypted();
        drop(plain);
        let Some(path) = sink.path(&raw)? else {
            continue;
        };
        if !is_readable {
            return Err(Refusal::Method(shown(&raw)).into());
        }
        let mut entry = archive.by_index(at).map_err(|error| unread(&error))?;
        let mode = entry.unix_mode().unwrap_or(0);
        let size = entry.size();
        match mode & KIND {
            _ if raw.ends_with(b"/") => sink.folder(&path)?,
            FOLDER => sink.folder(&path)?,
            LINK => {
                let mut target = Vec::new();
                (&mut entry)
                    .take(LONGEST_PATH as u64 + 1)
                    .read_to_end(&mut target)
                    .map_err(|error| damaged(&error))?;
                sink.link(&path, &target)?;
            }
            0 | FILE => {
                sink.file(&path, mode & 0o100 != 0, size, &mut entry)?;
                // The check sum comes with the end.
                match entry.read(&mut [0]).map_err(|error| damaged(&error))? {
                    0 => {}
                    _ => {
                        let longer = format!("{} is longer than it says", shown(&raw));
                        return Err(Refusal::Damaged(longer).into());
                    }
                }
            }
            _ => return Err(Refusal::Special(shown(&raw)).into()),
        }
    }
    Ok(())
}

/// The library allocates for each entry that the end record names, so their number is checked first.
fn counted<F>(from: &mut File, sink: &Sink<F>) -> Result<(), Stopped> {
    let length = from
        .seek(SeekFrom::End(0))
        .map_err(|error| damaged(&error))?;
    let start = length.saturating_sub(LONGEST_COMMENT + END_LENGTH as u64);
    let mut end = Vec::new();
    from.seek(SeekFrom::Start(start))
        .and_then(|_| from.read_to_end(&mut end))
        .and_then(|_| from.rewind())
        .map_err(|error| damaged(&error))?;
    let most = sink.tally.most();
    let records = (0..=end.len().saturating_sub(END_LENGTH))
        .filter(|at| end[*at..].starts_with(END))
        .filter_map(|at| end.get(at + 10..at + 12));
    for count in records {
        let count = u64::from(u16::from_le_bytes([count[0], count[1]]));
        // The largest number says that the true one is elsewhere: that is for more entries than any limit allows.
        if count > most || count == u64::from(u16::MAX) {
            return Err(Refusal::TooMany(most.min(u64::from(u16::MAX) - 1)).into());
        }
    }
    Ok(())
}

fn unread(error: &ZipError) -> Refusal {
    Refusal::Damaged(error.to_string())
}
