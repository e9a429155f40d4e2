//! All spools of a machine and what they may take together.
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use roost_protocol::ids::OperationId;

use super::file::{self, Spool};

/// Most that the output of ended operations may take together, bytes; the oldest goes first.
pub const MOST_KEPT_BYTES: u64 = 1024 * 1024 * 1024;

/// The folder with one file an operation.
#[derive(Clone, Debug)]
pub struct SpoolFolder(PathBuf);

impl SpoolFolder {
    /// Uses this folder and makes it when it is missing.
    ///
    /// # Errors
    /// What the file system says.
    pub fn open(path: PathBuf) -> io::Result<Self> {
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    fn path(&self, operation: OperationId) -> PathBuf {
        self.0.join(format!("{operation}.out"))
    }

    /// The spool of a new operation.
    pub fn create(&self, operation: OperationId) -> Spool {
        Spool::new(self.path(operation))
    }

    /// The spool of an operation that wrote before.
    ///
    /// # Errors
    /// What the file system says.
    pub fn open_spool(&self, operation: OperationId) -> io::Result<Spool> {
        Spool::open(self.path(operation))
    }

    /// Removes files that belong to no operation, then the oldest of those that may go until `most` bytes are left.
    ///
    /// # Errors
    /// What the file system says.
    pub fn sweep(
        &self,
        known: impl Fn(OperationId) -> bool,
        ended: impl Fn(OperationId) -> bool,
        most: u64,
    ) -> io::Result<()> {
        let mut kept: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for entry in std::fs::read_dir(&self.0)? {
            let entry = entry?;
            let path = entry.path();
            match operation_of(&path) {
                Some(operation) if known(operation) => {
                    if ended(operation) {
                        let facts = entry.metadata()?;
                        kept.push((facts.modified()?, facts.len(), path));
                    }
                }
                _ => file::remove(&path),
            }
        }
        kept.sort();
        let mut total: u64 = kept.iter().map(|(_, size, _)| size).sum();
        for (_, size, path) in kept {
            if total <= most {
                break;
            }
            file::remove(&path);
            total -= size;
        }
        Ok(())
    }
}

fn operation_of(path: &Path) -> Option<OperationId> {
    (path.extension()? == "out").then_some(())?;
    path.file_stem()?.to_str()?.parse().ok()
}
