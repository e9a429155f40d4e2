//! A write transaction that delivers its events and wakes workers after the commit.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use sea_orm::{ConnectionTrait, DatabaseTransaction, DbErr};

use super::Backend;
use crate::hub::{EventId, Hub, StoredEvent};
use crate::supervision::Nudge;

/// A write transaction. It is rolled back when dropped. [`WriteTx::commit`] hands the appended events to the live
/// subscribers and wakes the named workers. Statements run on it by `&*tx`.
#[must_use = "a transaction that is dropped is rolled back"]
pub struct WriteTx {
    tx: DatabaseTransaction,
    backend: Backend,
    hub: Hub,
    appended: Vec<StoredEvent>,
    wakes: Vec<Nudge>,
    authority: Arc<AtomicU64>,
    changes_authority: AtomicBool,
}

/// Counts a change of authority when it is dropped: also when the future of the commit is dropped before it returns.
struct AuthorityChanged(Arc<AtomicU64>);

impl Drop for AuthorityChanged {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl WriteTx {
    pub(super) fn new(
        tx: DatabaseTransaction,
        backend: Backend,
        hub: Hub,
        authority: Arc<AtomicU64>,
    ) -> Self {
        Self {
            tx,
            backend,
            hub,
            appended: Vec::new(),
            wakes: Vec::new(),
            authority,
            changes_authority: AtomicBool::new(false),
        }
    }

    /// Marks this transaction as one that changes who may do what: sessions, people, members, grants. After its commit,
    /// this gateway reads the authority of each caller again ([`Db::authority_revision`](super::Db::authority_revision)).
    /// The statements that make such changes call it, so that no command has to think of it.
    pub fn changes_authority(&self) {
        self.changes_authority.store(true, Ordering::Relaxed);
    }

    /// Which back end the statements run on.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Waits for other gateways' transactions with the same lock, and holds the lock until this transaction ends. It is
    /// for things that are created once when a gateway starts. SQLite has one gateway and one writer, so it needs no
    /// lock.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn alone(&self, lock: i64) -> Result<(), DbErr> {
        if self.backend == Backend::Postgres {
            self.tx
                .execute_unprepared(&format!("SELECT pg_advisory_xact_lock({lock})"))
                .await?;
        }
        Ok(())
    }

    /// Records an event that was appended in this transaction. Subscribers receive it after the commit.
    pub(crate) fn announce(&mut self, event: StoredEvent) {
        self.appended.push(event);
    }

    /// The last event that was appended in this transaction.
    pub fn last_announced(&self) -> Option<EventId> {
        self.appended.last().map(|event| event.id)
    }

    /// Wakes a worker after the commit, and never when the transaction is rolled back.
    pub fn wake(&mut self, worker: &Nudge) {
        self.wakes.push(worker.clone());
    }

    /// Makes the transaction durable, then delivers its events to the subscribers and wakes the workers.
    ///
    /// # Errors
    /// When the database refuses; then nothing has changed.
    pub async fn commit(self) -> Result<(), DbErr> {
        // A commit that fails may have happened: its answer can be lost. So it counts, whatever its outcome.
        let changed = self
            .changes_authority
            .load(Ordering::Relaxed)
            .then(|| AuthorityChanged(Arc::clone(&self.authority)));
        let committed = self.tx.commit().await;
        drop(changed);
        committed?;
        self.hub.publish(self.appended);
        self.wakes.iter().for_each(Nudge::nudge);
        Ok(())
    }
}

impl Deref for WriteTx {
    type Target = DatabaseTransaction;

    fn deref(&self) -> &DatabaseTransaction {
        &self.tx
    }
}
