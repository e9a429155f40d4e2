//! Archives on disk, named by the SHA-256 of their content. A name is only ever given to a whole, synced file.
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use roost_protocol::report::ArchiveFacts;
use sha2::{Digest, Sha256};
use tokio::io::AsyncWriteExt;

use crate::error::DriverError;

/// A folder of archives. Cheap to clone.
#[derive(Clone, Debug)]
pub struct ArchiveStore {
    folder: PathBuf,
}

impl ArchiveStore {
    /// Opens a folder, making it (for its owner only) when it is not there, and removes what a dead writer left half
    /// written. One program at a time may open a folder.
    ///
    /// # Errors
    /// [`DriverError::File`].
    pub async fn open(folder: impl Into<PathBuf>) -> Result<Self, DriverError> {
        let folder = folder.into();
        let fail =
            |source| DriverError::file("cannot open the folder of archives", &folder, source);
        let mut builder = tokio::fs::DirBuilder::new();
        builder.recursive(true).mode(0o700);
        builder.create(&folder).await.map_err(fail)?;
        let mut entries = tokio::fs::read_dir(&folder).await.map_err(fail)?;
        while let Some(entry) = entries.next_entry().await.map_err(fail)? {
            if entry.file_name().to_string_lossy().starts_with(".partial-") {
                tokio::fs::remove_file(entry.path()).await.map_err(fail)?;
            }
        }
        Ok(Self { folder })
    }

    /// Where an archive is or would be. The caller sees by itself whether the file exists.
    ///
    /// # Errors
    /// [`DriverError::Archive`] when the digest is not 64 hex digits, so that no name can leave the folder.
    pub fn path(&self, digest: &str) -> Result<PathBuf, DriverError> {
        if is_digest(digest) {
            Ok(self.folder.join(format!("{digest}.tar")))
        } else {
            Err(DriverError::Archive(
                "a digest is 64 hex digits in lower case".to_owned(),
            ))
        }
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
            folder: self.folder.clone(),
            file: tokio::io::BufWriter::with_capacity(256 * 1024, file),
            path,
            hash: Sha256::new(),
            bytes: 0,
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

/// An archive on its way to disk; gone when it is dropped before [`Partial::finish`].
pub(crate) struct Partial {
    folder: PathBuf,
    path: PathBuf,
    file: tokio::io::BufWriter<tokio::fs::File>,
    hash: Sha256,
    bytes: u64,
    kept: bool,
}

impl Partial {
    /// Adds bytes; never more than `most` in all, whatever a sandbox sends.
    pub(crate) async fn write(&mut self, data: &[u8], most: u64) -> Result<(), DriverError> {
        self.bytes += data.len() as u64;
        if self.bytes > most {
            return Err(DriverError::Archive(format!(
                "it is over {most} bytes, more than the workspace can hold"
            )));
        }
        self.hash.update(data);
        self.file
            .write_all(data)
            .await
            .map_err(|source| DriverError::file("cannot write", &self.path, source))
    }

    /// Syncs, names and syncs the folder: after this the archive survives a pulled plug.
    pub(crate) async fn finish(mut self) -> Result<ArchiveFacts, DriverError> {
        let digest = hex::encode(std::mem::take(&mut self.hash).finalize());
        let path = self.folder.join(format!("{digest}.tar"));
        let written: std::io::Result<()> = async {
            self.file.flush().await?;
            self.file.get_ref().sync_all().await?;
            tokio::fs::rename(&self.path, &path).await?;
            sync_folder(&self.folder).await
        }
        .await;
        written.map_err(|source| DriverError::file("cannot keep", &path, source))?;
        self.kept = true;
        Ok(ArchiveFacts {
            digest,
            bytes: self.bytes,
        })
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.kept {
            // What stays is removed at the next open.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

async fn sync_folder(folder: &Path) -> std::io::Result<()> {
    tokio::fs::File::open(folder).await?.sync_all().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_archive_is_named_by_its_content_and_half_written_ones_are_gone() {
        let folder = tempfile::tempdir().unwrap();
        let store = ArchiveStore::open(folder.path()).await.unwrap();
        let mut partial = store.begin().await.unwrap();
        partial.write(b"abc", 100).await.unwrap();
        let facts = partial.finish().await.unwrap();
        assert_eq!(facts.digest, hex::encode(Sha256::digest(b"abc")));
        assert_eq!(
            std::fs::read(store.path(&facts.digest).unwrap()).unwrap(),
            b"abc"
        );

        let mut dropped = store.begin().await.unwrap();
        dropped.write(b"x", 100).await.unwrap();
        drop(dropped);
        std::fs::write(folder.path().join(".partial-1-1"), b"left by a dead one").unwrap();
        ArchiveStore::open(folder.path()).await.unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[tokio::test]
    async fn an_endless_archive_and_a_name_that_leaves_the_folder_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let store = ArchiveStore::open(folder.path()).await.unwrap();
        let mut partial = store.begin().await.unwrap();
        assert!(matches!(
            partial.write(&[0; 11], 10).await,
            Err(DriverError::Archive(_))
        ));
        assert!(store.path("../../etc/passwd").is_err());
        assert!(store.path(&"A".repeat(64)).is_err());
    }
}
