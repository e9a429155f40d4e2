//! A new root key, and every record sealed anew under it, while the broker works.
//!
//! ```text
//! one key ──renew──▶ new and old on disk ──each record is replaced──▶ none needs the old ──retire──▶ one key
//! ```
//!
//! Killed anywhere, both keys are on the disk and each record is whole under one of them; the next start goes on.

use roost_secret_broker::wire::{RecordName, Saved};

use super::{Store, StoreError};

impl Store {
    /// Begins, or continues, and ends.
    ///
    /// # Errors
    /// When a record does not open: then the older key stays, and nothing was lost.
    pub async fn rekey(&self) -> Result<Saved, StoreError> {
        let Ok(_only) = self.shared.rekeying.try_lock() else {
            return Err(StoreError::Rekeying);
        };
        self.shared.root.renew().await?;
        self.seal_all_anew().await
    }

    /// Goes on with a rekey that was cut off, if one was.
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
                    // The disk or Vault is at fault, not the record: all the others would fail as well.
                    Err(error @ StoreError::Write(_)) => return Err(error),
                    Err(error) => {
                        tracing::error!(record = %name, error = %crate::egress::chain(&error), "a record does not open");
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
            // A write that was sealed before the new key was there may have ended since: nobody writes now, look again.
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

    /// The same record under the same generation with a fresh data key; `false` when it is gone or done meanwhile.
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
