//! The ledger's file: append, sync, recover a torn tail, compact.
//!
//! ```text
//!  | whole records ─────────────── end | zeros: room for what comes ── room_to |
//! ```
//! The room is written ahead, for two reasons: what was accepted can always be ended, because its end finds room (when
//! no room can be had, nothing more is accepted); and a sync of bytes that lie inside the file need not wait for the
//! file system's journal, as one of bytes that make it longer must (on ext4 a fraction of the time).
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::record::{self, Record, Scan};
use crate::executor::chaos::KillPoint;

/// Room kept ready after the end for the ends of what was accepted, bytes.
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
    /// Opens or makes the ledger and reads it. A torn tail is cut off; a damaged middle is kept aside for people.
    ///
    /// # Errors
    /// What the file system says.
    pub fn open(path: &Path) -> io::Result<(Self, Vec<Record>)> {
        // A compaction that was not finished: the old ledger still has the name and is whole.
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
            std::fs::write(&aside, &bytes)?;
            tracing::error!(bytes = damaged, kept = %aside.display(), "the ledger was damaged in the middle; whole records were kept");
        }
        let mut room_to = bytes.len() as u64;
        let torn = bytes[end..].iter().rposition(|byte| *byte != 0);
        if let Some(last) = torn {
            tracing::warn!(
                bytes = last + 1,
                "the ledger ended in half a record; it was never acted on and is cut off"
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

    /// Makes sure that the ends of what is accepted will find room.
    ///
    /// # Errors
    /// `StorageFull` when the room cannot be had.
    pub fn reserve(&mut self) -> io::Result<()> {
        if self.end + ROOM / 2 <= self.room_to {
            return Ok(());
        }
        let mut at = self.room_to;
        while at < self.end + ROOM {
            if let Err(error) = self.file.write_all_at(&ZEROS, at) {
                // What little was had is given back: others may need it more than half a room helps here.
                self.file.set_len(self.room_to)?;
                return Err(error);
            }
            at += ZEROS.len() as u64;
        }
        self.room_to = at;
        Ok(())
    }

    /// Appends whole records. When that fails, nothing of them is left behind.
    ///
    /// # Errors
    /// What the file system says, e.g. `StorageFull`.
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

    /// Makes what was appended survive a power cut.
    ///
    /// # Errors
    /// What the file system says; after that nothing written before can be trusted to be there.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// Replaces the content by these records, whole or not at all.
    ///
    /// # Errors
    /// What the file system says; the old ledger then goes on.
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
