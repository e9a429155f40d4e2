//! A write transaction that remembers whom to tell once it is committed.

use std::ops::Deref;

use sea_orm::{ConnectionTrait, DatabaseTransaction, DbErr};

use super::Backend;
use crate::events::{EventId, Hub, StoredEvent};

/// A write transaction: rolled back when dropped, and on [`WriteTx::commit`] the events that were appended in it are
/// handed to the live subscribers. Statements run on it by `&*tx`.
#[must_use = "a transaction that is dropped is rolled back"]
pub struct WriteTx {
    tx: DatabaseTransaction,
    backend: Backend,
    hub: Hub,
    appended: Vec<StoredEvent>,
}

impl WriteTx {
    pub(super) fn new(tx: DatabaseTransaction, backend: Backend, hub: Hub) -> Self {
        Self {
            tx,
            backend,
            hub,
            appended: Vec::new(),
        }
    }

    /// Which back end the statements run on.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Waits for other gateways that are in a transaction with the same lock, and keeps it until this one ends: for what is
    /// made once when a gateway starts. On SQLite there is one gateway and one writer.
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

    /// Notes an event that was appended in this transaction; subscribers hear of it after the commit.
    pub(crate) fn announce(&mut self, event: StoredEvent) {
        self.appended.push(event);
    }

    /// The last event that was appended in this transaction.
    pub(crate) fn last_announced(&self) -> Option<EventId> {
        self.appended.last().map(|event| event.id)
    }

    /// Makes it durable, then tells the subscribers.
    ///
    /// # Errors
    /// When the database refuses; then nothing happened.
    pub async fn commit(self) -> Result<(), DbErr> {
        self.tx.commit().await?;
        self.hub.publish(self.appended);
        Ok(())
    }
}

impl Deref for WriteTx {
    type Target = DatabaseTransaction;

    fn deref(&self) -> &DatabaseTransaction {
        &self.tx
    }
}
