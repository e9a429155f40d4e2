//! A rekey: makes a new root key and seals every record again under it, while the broker works.
//!
//! ```text
//! one key ──renew──▶ new and old on disk ──each record is replaced──▶ none needs the old ──retire──▶ one key
//! ```
//!
//! After a crash at any point, both keys are on the disk and each record is whole under one of them; the next start
//! continues.

use roost_secret_broker::wire::{RecordName, Saved};

use super::{Store, StoreError};

impl Store {
    /// Starts or continues a rekey, and finishes it.
    ///
    /// # Errors
    /// When a record cannot be opened. The older key is kept then, and nothing is lost.
    pub async fn rekey(&self) -> Result<Saved, StoreError> {
        let Ok(_only) = self.shared.rekeying.try_lock() else {
            return Err(StoreError::Rekeying);
        };
        self.shared.root.renew().await?;
        self.seal_all_anew().await
    }

    /// Continues an interrupted rekey, if there is one.
    ///
    /// # Errors
    /// As for [`rekey`](Self::rekey).
    pub async fn continue_rekey(&self) -> Result<(), StoreError> {
        let Ok(_only) = self.shared.rekeying.try_lock() else {
            return Ok(());
        };
        if self.shared.root.has_older() || self.counts().2 > 0 {
            self.seal_all_anew().await?;
        }
        Ok(())
    }

    async fn seal_all_anew(&self) -> Result<Saved, StoreError> {
        let mut done = 0;
        loop {
            let mut stuck = Vec::new();
            for name in self.sealed_under_older() {
                match self.seal_anew(&name).await {
                    Ok(changed) => done += u64::from(changed),
                    // The fault is the disk's or Vault's, not the record's: all the others would fail as well.
                    Err(error @ StoreError::Write(_)) => return Err(error),
                    Err(error) => {
                        tracing::error!(record = %name, error = %crate::egress::chain(&error), "a record cannot be opened");
                        stuck.push(name);
                    }
                }
            }
            if let Some(first) = stuck.first() {
                return Err(StoreError::Stuck {
                    count: stuck.len(),
                    first: first.clone(),
                });
            }
            // A write under the old key may have finished since. No writer runs now, so check again.
            let _nobody = self.shared.writing.write().await;
            if self.sealed_under_older().is_empty() {
                let note = self.shared.root.retire()?;
                return Ok(Saved {
                    records: done,
                    root_key: self.shared.root.active(),
                    note,
                });
            }
        }
    }

    fn sealed_under_older(&self) -> Vec<RecordName> {
        let active = self.shared.root.active();
        let records = self.records();
        let older = records.iter().filter(|(_, kept)| kept.root_key != active);
        older.map(|(name, _)| name.clone()).collect()
    }

    /// Seals the record again under the same generation with a new data key; `false` when it is gone or already done.
    async fn seal_anew(&self, name: &RecordName) -> Result<bool, StoreError> {
        let _held = self.hold(name).await;
        let _writing = self.shared.writing.read().await;
        let active = self.shared.root.active();
        let Some(kept) = self.kept(name).filter(|kept| kept.root_key != active) else {
            return Ok(false);
        };
        let opened = self.open_kept(name, &kept).await?;
        self.write(name, kept.generation, &opened.record).await?;
        Ok(true)
    }
}
