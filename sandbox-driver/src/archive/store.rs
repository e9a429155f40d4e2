//! Archives on disk, named by the SHA-256 of their content. Only a complete, synced file gets a name.
//!
//! Beside `<sha256>.tar` is `<sha256>.agents`, the list of its agents, so that a purged agent leaves nothing behind.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use roost_protocol::control::Kept;
use roost_protocol::ids::AgentId;
use roost_protocol::report::ArchiveFacts;
use sha2::{Digest, Sha256};
use tokio::io::AsyncWriteExt;

use super::shelf::{Archive, Shelf};
use crate::driver::lock;
use crate::error::DriverError;
use crate::private;

/// A folder of archives and their limit in bytes. Cheap to clone.
#[derive(Clone, Debug)]
pub struct ArchiveStore {
    folder: PathBuf,
    shelf: Arc<Mutex<Shelf>>,
}

impl ArchiveStore {
    /// Opens a folder, makes it for this user only if it is missing, and removes what a dead writer left incomplete.
    /// Only one program may open a folder at a time. All archives together take at most `most` bytes.
    ///
    /// # Errors
    /// [`DriverError::File`].
    pub async fn open(folder: impl Into<PathBuf>, most: u64) -> Result<Self, DriverError> {
        let folder = folder.into();
        let opened = {
            let folder = folder.clone();
            tokio::task::spawn_blocking(move || read(&folder, most)).await
        };
        let shelf = opened
            .map_err(std::io::Error::other)
            .flatten()
            .map_err(|source| {
                DriverError::file("cannot open the folder of archives", &folder, source)
            })?;
        Ok(Self {
            folder,
            shelf: Arc::new(Mutex::new(shelf)),
        })
    }

    /// Bytes of all archives.
    pub(crate) fn bytes(&self) -> u64 {
        lock(&self.shelf).taken()
    }

    /// Path of an archive. The file may or may not exist.
    ///
    /// # Errors
    /// [`DriverError::Archive`] when the digest is not 64 hex digits. So no name can leave the folder.
    pub fn path(&self, digest: &str) -> Result<PathBuf, DriverError> {
        if is_digest(digest) {
            Ok(self.folder.join(format!("{digest}.tar")))
        } else {
            Err(DriverError::Archive(
                "a digest has 64 hex digits in lower case".to_owned(),
            ))
        }
    }

    /// Removes the archives of a purged agent that no other agent owns. `known` names archives that the agent had;
    /// archives of an older version do not list their agents.
    ///
    /// # Errors
    /// The file system's error; a repetition continues.
    pub fn forget(&self, agent: AgentId, known: &[String]) -> std::io::Result<()> {
        let shelf = &mut *lock(&self.shelf);
        let (gone, left) = shelf.of_purged(agent, known);
        for (digest, agents) in left {
            self.note(&digest, &agents)?;
            shelf.leave(&digest, agent);
        }
        for digest in gone {
            self.delete(&digest)?;
            shelf.remove(&digest);
            tracing::info!(digest, "an archive was removed: its agent was purged");
        }
        Ok(())
    }

    /// Applies the gateway's list of archives to keep.
    pub fn keep(&self, kept: &Kept, monotonic: Duration) {
        let gone = lock(&self.shelf).keep(kept, monotonic);
        self.remove(&gone, "its agent has not been known for a day");
    }

    fn remove(&self, digests: &[String], why: &str) {
        for digest in digests {
            if let Err(error) = self.delete(digest) {
                tracing::warn!(%error, digest, "cannot remove an archive");
            }
            tracing::info!(digest, why, "an archive was removed");
        }
    }

    /// Deletes the files of an archive. The list of its agents goes last: without it, nobody owns what is left.
    fn delete(&self, digest: &str) -> std::io::Result<()> {
        for ending in ["tar", "agents"] {
            let path = self.folder.join(format!("{digest}.{ending}"));
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    fn note(&self, digest: &str, agents: &BTreeSet<AgentId>) -> std::io::Result<()> {
        let lines: String = agents.iter().map(|agent| format!("{agent}\n")).collect();
        private::write(
            &self.folder.join(format!("{digest}.agents")),
            lines.as_bytes(),
        )
    }

    pub(crate) async fn begin(&self) -> Result<Partial, DriverError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = format!(
            ".partial-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let path = self.folder.join(name);
        let mut options = tokio::fs::OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let file = options
            .open(&path)
            .await
            .map_err(|source| DriverError::file("cannot write", &path, source))?;
        Ok(Partial {
            store: self.clone(),
            file: tokio::io::BufWriter::with_capacity(256 * 1024, file),
            path,
            hash: Sha256::new(),
            bytes: 0,
            taken: 0,
            kept: false,
        })
    }
}

pub(super) fn is_digest(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

/// An archive that is being written. It is removed when dropped before [`Partial::finish`].
pub(crate) struct Partial {
    store: ArchiveStore,
    path: PathBuf,
    file: tokio::io::BufWriter<tokio::fs::File>,
    hash: Sha256,
    bytes: u64,
    /// Reserved bytes.
    taken: u64,
    kept: bool,
}

impl Partial {
    /// Adds bytes; refuses more than `most` in all.
    pub(crate) async fn write(&mut self, data: &[u8], most: u64) -> Result<(), DriverError> {
        self.bytes += data.len() as u64;
        if self.bytes > most {
            return Err(DriverError::Archive(format!(
                "it is over {most} bytes, more than the workspace can hold"
            )));
        }
        self.take(data.len() as u64)?;
        self.hash.update(data);
        self.file
            .write_all(data)
            .await
            .map_err(|source| DriverError::file("cannot write", &self.path, source))
    }

    /// Reserves more bytes. Older archives that nobody needs are removed for it.
    fn take(&mut self, bytes: u64) -> Result<(), DriverError> {
        let taken = lock(&self.store.shelf).take(bytes, since_1970());
        let (gone, full) = match taken {
            Ok(gone) => (gone, None),
            Err((gone, full)) => (gone, Some(full)),
        };
        self.store.remove(&gone, "room was needed");
        match full {
            None => {
                self.taken += bytes;
                Ok(())
            }
            Some(full) => Err(DriverError::ArchivesFull {
                taken: full.taken,
                most: full.most,
            }),
        }
    }

    /// Syncs, renames and syncs the folder. After this the archive survives a power cut.
    pub(crate) async fn finish(mut self, agent: AgentId) -> Result<ArchiveFacts, DriverError> {
        let digest = hex::encode(std::mem::take(&mut self.hash).finalize());
        let folder = self.store.folder.clone();
        let path = folder.join(format!("{digest}.tar"));
        let written: std::io::Result<()> = async {
            self.file.flush().await?;
            self.file.get_ref().sync_all().await?;
            // The list of agents is written first: an archive without agents would stay for ever.
            let agents = lock(&self.store.shelf).stored(&digest, self.taken, agent, since_1970());
            self.taken = 0;
            self.store.note(&digest, &agents)?;
            tokio::fs::rename(&self.path, &path).await?;
            sync_folder(&folder).await
        }
        .await;
        written.map_err(|source| DriverError::file("cannot store", &path, source))?;
        self.kept = true;
        Ok(ArchiveFacts {
            digest,
            bytes: self.bytes,
        })
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        lock(&self.store.shelf).give_back(self.taken);
        if !self.kept {
            // A file that remains is removed at the next open.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Reads a folder of archives; makes it if it is missing.
fn read(folder: &Path, most: u64) -> std::io::Result<Shelf> {
    private::make_folder(folder)?;
    let mut shelf = Shelf::new(most);
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let digest = name.split('.').next().unwrap_or_default();
        if name.starts_with(".partial-") || name.ends_with(".new") {
            std::fs::remove_file(&path)?;
        } else if is_digest(digest) && name.ends_with(".tar") {
            let facts = std::fs::metadata(&path)?;
            let stored = facts.modified()?.duration_since(UNIX_EPOCH);
            let agents = agents_of(&path.with_extension("agents"));
            let archive = Archive::found(facts.len(), stored.unwrap_or_default(), agents);
            shelf.add(digest.to_owned(), archive);
        } else if is_digest(digest) && !path.with_extension("tar").exists() {
            // Its writer died before it renamed the archive.
            std::fs::remove_file(&path)?;
        }
    }
    Ok(shelf)
}

fn agents_of(path: &Path) -> BTreeSet<AgentId> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

fn since_1970() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

async fn sync_folder(folder: &Path) -> std::io::Result<()> {
    tokio::fs::File::open(folder).await?.sync_all().await
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: u64 = 1 << 20;

    fn agent(n: u128) -> AgentId {
        AgentId(uuid::Uuid::from_u128(n))
    }

    async fn keep(store: &ArchiveStore, content: &[u8], agent: AgentId) -> String {
        let mut partial = store.begin().await.unwrap();
        partial.write(content, MOST).await.unwrap();
        partial.finish(agent).await.unwrap().digest
    }

    fn files(store: &ArchiveStore) -> usize {
        std::fs::read_dir(&store.folder).unwrap().count()
    }

    #[tokio::test]
    async fn archive_is_named_by_its_content_and_partial_ones_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let store = ArchiveStore::open(folder.path(), MOST).await.unwrap();
        let digest = keep(&store, b"abc", agent(1)).await;
        assert_eq!(digest, hex::encode(Sha256::digest(b"abc")));
        assert_eq!(std::fs::read(store.path(&digest).unwrap()).unwrap(), b"abc");

        let mut dropped = store.begin().await.unwrap();
        dropped.write(b"x", 100).await.unwrap();
        drop(dropped);
        std::fs::write(folder.path().join(".partial-1-1"), b"left by a dead one").unwrap();
        let lonely = format!("{}.agents", hex::encode(Sha256::digest(b"never named")));
        std::fs::write(folder.path().join(lonely), b"").unwrap();
        let store = ArchiveStore::open(folder.path(), MOST).await.unwrap();
        assert_eq!(files(&store), 2);
    }

    #[tokio::test]
    async fn oversized_archive_and_escaping_name_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let store = ArchiveStore::open(folder.path(), MOST).await.unwrap();
        let mut partial = store.begin().await.unwrap();
        assert!(matches!(
            partial.write(&[0; 11], 10).await,
            Err(DriverError::Archive(_))
        ));
        assert!(store.path("../../etc/passwd").is_err());
        assert!(store.path(&"A".repeat(64)).is_err());
    }

    #[tokio::test]
    async fn purge_removes_an_agents_archives_and_keeps_shared_ones_across_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let store = ArchiveStore::open(folder.path(), MOST).await.unwrap();
        keep(&store, b"mine alone", agent(1)).await;
        let both = keep(&store, b"the same", agent(1)).await;
        assert_eq!(keep(&store, b"the same", agent(2)).await, both);
        let store = ArchiveStore::open(folder.path(), MOST).await.unwrap();
        store.forget(agent(1), &[]).unwrap();
        assert_eq!(files(&store), 2);
        assert!(store.path(&both).unwrap().exists());
        let store = ArchiveStore::open(folder.path(), MOST).await.unwrap();
        store.forget(agent(2), &[]).unwrap();
        assert_eq!(files(&store), 0);
    }

    #[tokio::test]
    async fn archives_stay_within_their_limit_while_written() {
        let folder = tempfile::tempdir().unwrap();
        let store = ArchiveStore::open(folder.path(), 100).await.unwrap();
        let first = keep(&store, &[1; 60], agent(1)).await;
        let mut second = store.begin().await.unwrap();
        second.write(&[2; 40], MOST).await.unwrap();
        let full = second.write(&[2; 1], MOST).await;
        assert!(
            matches!(
                full,
                Err(DriverError::ArchivesFull {
                    taken: 100,
                    most: 100
                })
            ),
            "{full:?}"
        );
        drop(second);
        keep(&store, &[3; 40], agent(2)).await;
        assert!(store.path(&first).unwrap().exists());
    }
}
