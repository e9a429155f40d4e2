//! Restore: every record of the backup is opened first; then one exchange of folders replaces all records.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use roost_secret_broker::wire::Saved;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::{Kept, Store, StoreError, blocking, files, snapshot};
use crate::{disk, seal};

/// Where records wait for the exchange. A start discards what is left there.
pub(super) fn unfinished(folder: &Path) -> PathBuf {
    folder.join("records.new")
}

impl Store {
    /// Replaces all records with the records of a backup.
    ///
    /// # Errors
    /// When one of them cannot be opened here, or when a write fails; nothing is changed then.
    pub async fn restore(&self, backup: &[u8]) -> Result<Saved, StoreError> {
        let Ok(_only) = self.shared.rekeying.try_lock() else {
            return Err(StoreError::Rekeying);
        };
        let mut records = HashMap::new();
        for bytes in snapshot::read(backup)? {
            let header =
                seal::parse(bytes).map_err(|source| StoreError::Seal { name: None, source })?;
            let kept = Kept {
                generation: header.generation,
                root_key: header.root_key,
                bytes: bytes.to_vec(),
            };
            self.open_kept(&header.name, &kept).await?;
            records.insert(header.name, Arc::new(kept));
        }
        let _nobody = self.shared.writing.write().await;
        let folder = self.shared.folder.clone();
        let files: Vec<(String, Arc<Kept>)> = records
            .iter()
            .map(|(name, kept)| (files::file_of(name), kept.clone()))
            .collect();
        blocking(move || exchange(&folder, &files))
            .await
            .map_err(StoreError::Write)?;
        let count = records.len() as u64;
        *self.records_mut() = records;
        self.shared
            .needs_reauth
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .clear();
        self.survey().await;
        Ok(Saved {
            records: count,
            root_key: self.shared.root.active(),
            note: None,
        })
    }
}

fn exchange(folder: &Path, files: &[(String, Arc<Kept>)]) -> std::io::Result<()> {
    let (fresh, place) = (unfinished(folder), files::records(folder));
    if fresh.exists() {
        std::fs::remove_dir_all(&fresh)?;
    }
    disk::make_private_folder(&fresh)?;
    for (file, kept) in files {
        disk::write_new(&fresh.join(file), &kept.bytes)?;
    }
    disk::sync_folder(&fresh)?;
    disk::step();
    renameat_with(CWD, &fresh, CWD, &place, RenameFlags::EXCHANGE)?;
    disk::step();
    disk::sync_folder(folder)?;
    // After the exchange these are the former records. A start would remove them as well.
    std::fs::remove_dir_all(&fresh)
}
