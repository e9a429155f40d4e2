//! The ledger's file: append, sync, recover a torn tail, compact.
//!
//! ```text
//!  | whole records ─────────────── end | zeros: room for what comes ── room_to |
//! ```
//! The file is extended ahead of use for two reasons. An accepted operation can always be ended, because there is room
//! for its end; without room, nothing more is accepted. And a sync inside the file need not wait for the file system's
//! journal, as a sync that makes it longer must (on ext4 it takes a fraction of the time).
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::record::{self, Record, Scan};
use crate::executor::chaos::KillPoint;

/// Bytes kept ready after the end, for the ends of accepted operations.
const ROOM: u64 = 1024 * 1024;
static ZEROS: [u8; 64 * 1024] = [0; 64 * 1024];

/// An open ledger file.
#[derive(Debug)]
pub struct LedgerFile {
    path: PathBuf,
    file: File,
    end: u64,
    room_to: u64,
}

impl LedgerFile {
    /// Opens or makes the ledger and reads it. Removes a torn tail; keeps a copy of a file that is damaged in the
    /// middle, for people.
    ///
    /// # Errors
    /// The file system's error.
    pub fn open(path: &Path) -> io::Result<(Self, Vec<Record>)> {
        // An unfinished compaction: the old ledger still has the name and is whole.
        let _ = std::fs::remove_file(path.with_extension("new"));
        let mut file = options().open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let Scan {
            records,
            end,
            damaged,
        } = record::scan(&bytes);
        if damaged > 0 {
            let aside = path.with_extension("damaged");
            crate::private::write(&aside, &bytes)?;
            tracing::error!(bytes = damaged, kept = %aside.display(), "the ledger was damaged in the middle; whole records were kept");
        }
        let mut room_to = bytes.len() as u64;
        let torn = bytes[end..].iter().rposition(|byte| *byte != 0);
        if let Some(last) = torn {
            tracing::warn!(
                bytes = last + 1,
                "the last record of the ledger was incomplete; it was never acted on and is removed"
            );
            room_to = end as u64;
            file.set_len(room_to)?;
            file.sync_all()?;
        }
        sync_folder(path)?;
        let file = Self {
            path: path.to_owned(),
            file,
            end: end as u64,
            room_to,
        };
        Ok((file, records))
    }

    /// Bytes in use.
    pub fn size(&self) -> u64 {
        self.end
    }

    /// Makes sure that there is room for the ends of accepted operations.
    ///
    /// # Errors
    /// `StorageFull` when there is no room.
    pub fn reserve(&mut self) -> io::Result<()> {
        if self.end + ROOM / 2 <= self.room_to {
            return Ok(());
        }
        let mut at = self.room_to;
        while at < self.end + ROOM {
            if let Err(error) = self.file.write_all_at(&ZEROS, at) {
                // Give back the part that was reserved: it does not help here, and others may need it.
                self.file.set_len(self.room_to)?;
                return Err(error);
            }
            at += ZEROS.len() as u64;
        }
        self.room_to = at;
        Ok(())
    }

    /// Appends whole records. After a failure none of them is left in the file.
    ///
    /// # Errors
    /// The file system's error, for example `StorageFull`.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self.file.write_all_at(bytes, self.end) {
            Ok(()) => {
                self.end += bytes.len() as u64;
                self.room_to = self.room_to.max(self.end);
                Ok(())
            }
            Err(error) => {
                self.file.set_len(self.end)?;
                self.room_to = self.end;
                Err(error)
            }
        }
    }

    /// Syncs appended records, so that they survive a power cut.
    ///
    /// # Errors
    /// The file system's error. After it, no earlier write can be trusted.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// Replaces the content with these records, atomically.
    ///
    /// # Errors
    /// The file system's error. The old ledger is still in use then.
    pub fn replace(&mut self, records: &[Record]) -> io::Result<()> {
        let new_path = self.path.with_extension("new");
        let mut new = options().truncate(true).open(&new_path)?;
        let mut end = 0;
        for record in records {
            let bytes = record::encode(record)?;
            new.write_all(&bytes)?;
            end += bytes.len() as u64;
        }
        new.sync_all()?;
        KillPoint::CompactWritten.pass();
        std::fs::rename(&new_path, &self.path)?;
        self.file = new;
        self.end = end;
        self.room_to = end;
        KillPoint::CompactRenamed.pass();
        sync_folder(&self.path)
    }
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).mode(0o600);
    options
}

fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}
