//! Reads an archive and gives its entries on, one after another, in the form of the broker. Nothing is written to the disk.

mod tar;
mod zip;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use bytes::Bytes;
use roost_secret_broker::wire::{EntryHead, EntryKind};

use super::UploadLimits;
use super::model::{self, Refusal, Tally, shown};

/// Bytes of one piece.
const PIECE: usize = 64 << 10;

/// Why an archive was not given on.
#[derive(Debug)]
pub enum Stopped {
    Refused(Refusal),
    /// The reader of the entries is gone; it says why.
    Unread,
}

impl From<Refusal> for Stopped {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// Gives the entries of the archive to `into`, which returns `false` when it takes no more. Returns the number of files,
/// and their bytes.
///
/// # Errors
/// See [`Stopped`].
pub fn unpack(
    mut archive: File,
    limits: UploadLimits,
    into: impl FnMut(Bytes) -> bool,
) -> Result<(u64, u64), Stopped> {
    let packed = archive
        .seek(SeekFrom::End(0))
        .map_err(|error| damaged(&error))?;
    archive.rewind().map_err(|error| damaged(&error))?;
    let mut start = Vec::new();
    (&mut archive)
        .take(512)
        .read_to_end(&mut start)
        .and_then(|_| archive.rewind())
        .map_err(|error| damaged(&error))?;
    let mut sink = Sink {
        into,
        tally: Tally::new(limits, packed),
    };
    match start.as_slice() {
        [0x1f, 0x8b, ..] => {
            let unpacked = flate2::read::MultiGzDecoder::new(io::BufReader::new(archive));
            tar::read(unpacked, &mut sink)?;
        }
        [b'P', b'K', 3 | 5, 4 | 6, ..] => zip::read(archive, &mut sink)?,
        start if tar::is_one(start) => tar::read(io::BufReader::new(archive), &mut sink)?,
        _ => return Err(Refusal::Unknown.into()),
    }
    match sink.tally.total() {
        (0, _) => Err(Refusal::Empty.into()),
        total => Ok(total),
    }
}

fn damaged(error: &io::Error) -> Refusal {
    Refusal::Damaged(error.to_string())
}

/// Checks entries and gives them on.
struct Sink<F> {
    into: F,
    tally: Tally,
}

impl<F: FnMut(Bytes) -> bool> Sink<F> {
    /// Counts an entry, and gives its path; `None` for the folder itself.
    fn path(&mut self, raw: &[u8]) -> Result<Option<String>, Refusal> {
        self.tally.entry()?;
        model::path(raw)
    }

    fn folder(&mut self, path: &str) -> Result<(), Stopped> {
        Ok(self.tally.folder(path)?)
    }

    /// Gives a file of `size` bytes on.
    fn file(
        &mut self,
        path: &str,
        is_executable: bool,
        size: u64,
        content: &mut impl Read,
    ) -> Result<(), Stopped> {
        self.tally.file(path)?;
        let kind = match is_executable {
            true => EntryKind::Executable,
            false => EntryKind::File,
        };
        // Before the head: a size over the limit is refused before git waits for its bytes.
        self.tally.bytes(size)?;
        self.head(kind, path, size)?;
        let mut left = size;
        let mut buffer = vec![0; PIECE];
        while left > 0 {
            let most = usize::try_from(left).map_or(PIECE, |left| left.min(PIECE));
            match content.read(&mut buffer[..most]) {
                Ok(0) => {
                    let early = format!("{} ends too early", shown(path.as_bytes()));
                    return Err(Refusal::Damaged(early).into());
                }
                Ok(count) => {
                    left -= count as u64;
                    self.give(Bytes::copy_from_slice(&buffer[..count]))?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(damaged(&error).into()),
            }
        }
        Ok(())
    }

    fn link(&mut self, path: &str, target: &[u8]) -> Result<(), Stopped> {
        model::link(path, target)?;
        self.tally.file(path)?;
        self.tally.bytes(target.len() as u64)?;
        self.head(EntryKind::Link, path, target.len() as u64)?;
        self.give(Bytes::copy_from_slice(target))
    }

    /// A hard link: the same file as an earlier one.
    fn same(&mut self, path: &str, source: &[u8]) -> Result<(), Stopped> {
        let source = model::path(source)?.unwrap_or_default();
        if !self.tally.has(&source) {
            return Err(Refusal::HardLink(shown(path.as_bytes())).into());
        }
        self.tally.file(path)?;
        self.head(EntryKind::SameAs, path, source.len() as u64)?;
        self.give(Bytes::from(source.into_bytes()))
    }

    fn head(&mut self, kind: EntryKind, path: &str, size: u64) -> Result<(), Stopped> {
        let head = EntryHead {
            kind,
            path: path.as_bytes().to_vec(),
            size,
        };
        let head = head
            .encode()
            .ok_or_else(|| Refusal::TooLong(shown(path.as_bytes())))?;
        self.give(head)
    }

    fn give(&mut self, piece: Bytes) -> Result<(), Stopped> {
        match (self.into)(piece) {
            true => Ok(()),
            false => Err(Stopped::Unread),
        }
    }
}

#[cfg(test)]
mod tests;
