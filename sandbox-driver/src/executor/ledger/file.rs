//! The ledger's file: append, sync, recover a torn tail, compact. Space for ends is reserved ahead, so that what was
//! accepted can always be ended; when the reserve cannot be had, nothing more is accepted.
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FallocateFlags, fallocate};

use super::record::{self, Record, Scan};
use crate::executor::chaos::KillPoint;

/// Space kept ready after the end for the ends of what was accepted, bytes.
const RESERVE: u64 = 1024 * 1024;

/// An open ledger file.
#[derive(Debug)]
pub struct LedgerFile {
    path: PathBuf,
    file: File,
    end: u64,
    reserved_to: u64,
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
        if end < bytes.len() {
            tracing::warn!(
                bytes = bytes.len() - end,
                "the ledger ended in half a record; it was never acted on and is cut off"
            );
            file.set_len(end as u64)?;
            file.sync_all()?;
        }
        file.seek(SeekFrom::Start(end as u64))?;
        sync_folder(path)?;
        let file = Self {
            path: path.to_owned(),
            file,
            end: end as u64,
            reserved_to: 0,
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
    /// `StorageFull` when the reserve cannot be had.
    pub fn reserve(&mut self) -> io::Result<()> {
        if self.end + RESERVE / 2 <= self.reserved_to {
            return Ok(());
        }
        match fallocate(&self.file, FallocateFlags::KEEP_SIZE, self.end, RESERVE) {
            // A file system that cannot reserve: writes will say when it is full.
            Ok(()) | Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => {
                self.reserved_to = self.end + RESERVE;
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Appends whole records. When that fails, nothing of them is left behind.
    ///
    /// # Errors
    /// What the file system says, e.g. `StorageFull`.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self.file.write_all(bytes) {
            Ok(()) => {
                self.end += bytes.len() as u64;
                Ok(())
            }
            Err(error) => {
                self.file.set_len(self.end)?;
                self.file.seek(SeekFrom::Start(self.end))?;
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
        self.reserved_to = 0;
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
