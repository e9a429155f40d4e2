//! The output of one operation: append by offset, read by offset, gaps marked.
//!
//! Writes go to the page cache in the caller's thread: a chunk is at most 32 KiB and takes microseconds. They are not
//! synced: a power cut that loses them also ends the guest that produced them.
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use roost_protocol::limits::{MAX_CHUNK_BYTES, MAX_STREAMED_BYTES};
use roost_protocol::output::Piece;

use super::folder::Lease;
use super::record::{self, HEADER, Header, Kind};

/// Least distance between two entries of the index, in file bytes.
const STRIDE: u64 = 32 * 1024;
/// File bytes read at once: from an index entry over a whole stride to a whole record.
const BLOCK: usize = 3 * MAX_CHUNK_BYTES;

/// The spool of one operation.
#[derive(Debug)]
pub struct Spool {
    path: PathBuf,
    file: Option<File>,
    /// Bytes of the file in use.
    size: u64,
    /// Pairs of output offset and position in the file, rising.
    index: Vec<(u64, u64)>,
    /// Offset after the last byte of output, gaps included.
    end: u64,
    /// From here to `end` there was no room.
    unwritten_from: Option<u64>,
    /// Its share of the limit of all spools; absent in tests of one spool alone.
    lease: Option<Lease>,
}

impl Spool {
    /// An empty spool. The first byte makes the file.
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            file: None,
            size: 0,
            index: Vec::new(),
            end: 0,
            unwritten_from: None,
            lease: None,
        }
    }

    /// Counts everything that it writes from now on.
    pub(super) fn counted(mut self, lease: Lease) -> Self {
        self.lease = Some(lease);
        self
    }

    /// Opens a spool that an earlier process wrote; removes an incomplete record at its end.
    ///
    /// # Errors
    /// The file system's error. A missing file is an empty spool.
    pub fn open(path: PathBuf) -> io::Result<Self> {
        let mut spool = Self::new(path);
        let file = match OpenOptions::new().read(true).write(true).open(&spool.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(spool),
            Err(error) => return Err(error),
        };
        let length = file.metadata()?.len();
        let mut payload = Vec::new();
        while let Some(header) = read_header(&file, spool.size)? {
            let place = spool.size + HEADER as u64;
            if header.offset != spool.end && spool.size > 0
                || header.payload() > MAX_CHUNK_BYTES as u64
                || place + header.payload() > length
            {
                break;
            }
            payload.resize(usize::try_from(header.payload()).unwrap_or(0), 0);
            file.read_exact_at(&mut payload, place)?;
            if !header.holds(&payload) {
                break;
            }
            spool.add_to_index(header.offset);
            spool.size = place + header.payload();
            spool.end = header.end();
        }
        if spool.size < length {
            file.set_len(spool.size)?;
        }
        spool.file = Some(file);
        Ok(spool)
    }

    /// Offset after the last byte of output, gaps included.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The operation wrote up to `end`: missing bytes before it read as a gap.
    pub fn reaches(&mut self, end: u64) {
        let end = end.min(MAX_STREAMED_BYTES);
        if end > self.end {
            self.unwritten_from.get_or_insert(self.end);
            self.end = end;
        }
    }

    /// Bytes on disk.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Stores a piece. Bytes that are already here are ignored, missing bytes before it become a gap, and bytes beyond
    /// the streaming cap are dropped. A full disk or a reached limit also makes a gap: output never stops a command.
    pub fn append(&mut self, piece: &Piece) {
        if piece.end() <= self.end || self.end >= MAX_STREAMED_BYTES {
            return;
        }
        if piece.start() > self.end {
            self.put_gap(piece.start().min(MAX_STREAMED_BYTES));
        }
        match piece {
            Piece::Gap { to, .. } => self.put_gap((*to).min(MAX_STREAMED_BYTES)),
            Piece::Data {
                stream,
                offset,
                data,
            } => {
                let known = usize::try_from(self.end.saturating_sub(*offset)).unwrap_or(usize::MAX);
                let room = usize::try_from(MAX_STREAMED_BYTES.saturating_sub(self.end))
                    .unwrap_or(usize::MAX);
                let fresh = data.get(known..).unwrap_or_default();
                for chunk in fresh[..fresh.len().min(room)].chunks(MAX_CHUNK_BYTES) {
                    let offset = self.end;
                    self.end += chunk.len() as u64;
                    self.write(offset, &record::data(*stream, offset, chunk));
                }
            }
        }
    }

    fn put_gap(&mut self, to: u64) {
        if to > self.end {
            let from = self.end;
            self.end = to;
            self.write(from, &record::gap(from, to));
        }
    }

    /// Writes one record for `offset..end`, or remembers that there was no room for it.
    fn write(&mut self, offset: u64, bytes: &[u8]) {
        let outcome = match self.unwritten_from {
            Some(from) => self.put(from, &record::gap(from, offset)).and_then(|()| {
                self.unwritten_from = None;
                self.put(offset, bytes)
            }),
            None => self.put(offset, bytes),
        };
        if let Err(error) = outcome {
            if self.unwritten_from.is_none() {
                tracing::warn!(%error, path = %self.path.display(), "there is no room for more output; the output has a gap");
                self.unwritten_from = Some(offset);
            }
            if let Some(file) = &self.file {
                let _ = file.set_len(self.size);
            }
        }
    }

    fn put(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let Some(lease) = self.lease.clone() else {
            return self.put_counted(offset, bytes);
        };
        lease.take(bytes.len() as u64)?;
        let outcome = self.put_counted(offset, bytes);
        if outcome.is_err() {
            lease.give(bytes.len() as u64);
        }
        outcome
    }

    fn put_counted(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                let made = OpenOptions::new()
                    .read(true)
                    .write(true)
                    .create(true)
                    .truncate(true)
                    .mode(0o600)
                    .open(&self.path)?;
                none.insert(made)
            }
        };
        file.write_all_at(bytes, self.size)?;
        self.add_to_index(offset);
        self.size += bytes.len() as u64;
        Ok(())
    }

    fn add_to_index(&mut self, offset: u64) {
        if self
            .index
            .last()
            .is_none_or(|(_, place)| self.size - place >= STRIDE)
        {
            self.index.push((offset, self.size));
        }
    }

    /// The piece at `from`, at most `most` bytes of data; `None` at the end.
    ///
    /// # Errors
    /// The file system's error.
    pub fn read(&self, from: u64, most: usize) -> io::Result<Option<Piece>> {
        if from >= self.end || most == 0 {
            return Ok(None);
        }
        if self.is_gone() {
            return Ok(Some(Piece::Gap { from, to: self.end }));
        }
        let unwritten = self.unwritten_from.unwrap_or(self.end);
        if from >= unwritten {
            return Ok(Some(Piece::Gap { from, to: self.end }));
        }
        let Some(file) = &self.file else {
            return Ok(Some(Piece::Gap { from, to: self.end }));
        };
        let entry = self
            .index
            .partition_point(|(offset, _)| *offset <= from)
            .saturating_sub(1);
        let Some(&(_, place)) = self.index.get(entry) else {
            return Ok(None);
        };
        let want = BLOCK.min(usize::try_from(self.size - place).unwrap_or(BLOCK));
        let mut block = vec![0; want];
        match file.read_exact_at(&mut block, place) {
            // The file was removed to make room during the read.
            Err(_) if self.is_gone() => Ok(Some(Piece::Gap { from, to: self.end })),
            Err(error) => Err(error),
            Ok(()) => Ok(collect(&block, from, most.min(MAX_CHUNK_BYTES))),
        }
    }

    fn is_gone(&self) -> bool {
        self.lease.as_ref().is_some_and(Lease::is_gone)
    }

    /// Keeps only the last `keep` bytes of output; earlier output reads as a gap.
    ///
    /// # Errors
    /// The file system's error; the spool is unchanged then.
    pub fn trim(&mut self, keep: u64) -> io::Result<()> {
        let from = self.end.saturating_sub(keep);
        let small = self.size <= keep.saturating_add(STRIDE);
        if from == 0 || self.file.is_none() || small || self.is_gone() {
            return Ok(());
        }
        let path = self.path.with_extension("trim");
        let mut kept = Self::new(path.clone());
        kept.lease.clone_from(&self.lease);
        kept.append(&Piece::Gap { from: 0, to: from });
        let mut at = from;
        while let Some(piece) = self.read(at, MAX_CHUNK_BYTES)? {
            at = piece.end();
            kept.append(&piece);
        }
        let replaced = match &self.lease {
            _ if kept.unwritten_from.is_some() => Err(io::ErrorKind::StorageFull.into()),
            Some(lease) => lease.replace(&path, &self.path, self.size),
            None => std::fs::rename(&path, &self.path),
        };
        if let Err(error) = replaced {
            let _ = std::fs::remove_file(&path);
            self.lease.iter().for_each(|lease| lease.give(kept.size));
            return Err(error);
        }
        kept.path.clone_from(&self.path);
        *self = kept;
        Ok(())
    }
}

/// Removes a spool's file if it exists.
pub fn remove(path: &Path) {
    if let Err(error) = std::fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(%error, path = %path.display(), "cannot remove a spool");
    }
}

fn read_header(file: &File, place: u64) -> io::Result<Option<Header>> {
    let mut bytes = [0; HEADER];
    match file.read_exact_at(&mut bytes, place) {
        Ok(()) => Ok(record::header(&bytes)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

/// The piece at `from` in a block of whole records. Adjacent pieces of one stream are joined up to `most` bytes.
fn collect(block: &[u8], from: u64, most: usize) -> Option<Piece> {
    let mut found: Option<(roost_protocol::output::StreamName, Vec<u8>)> = None;
    let mut at = 0;
    while let Some(header) = record::header(block.get(at..)?) {
        let payload = usize::try_from(header.payload()).ok()?;
        let Some(bytes) = block.get(at + HEADER..at + HEADER + payload) else {
            break;
        };
        at += HEADER + payload;
        if header.end() <= from {
            continue;
        }
        match (header.kind, &mut found) {
            (Kind::Gap, None) => {
                return Some(Piece::Gap {
                    from,
                    to: header.end(),
                });
            }
            (Kind::Data(stream), None) => {
                let skip = usize::try_from(from - header.offset).ok()?;
                found = Some((stream, bytes[skip..].to_vec()));
            }
            (Kind::Data(stream), Some((same, data))) if stream == *same => {
                data.extend_from_slice(bytes);
            }

            _ => break,
        }
        if found.as_ref().is_some_and(|(_, data)| data.len() >= most) {
            break;
        }
    }
    found.map(|(stream, mut data)| {
        data.truncate(most);
        Piece::Data {
            stream,
            offset: from,
            data,
        }
    })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
