//! A credential of a row: it is placed at the broker, kept with the row, and forgotten with the row.
//!
//! The broker and the database cannot commit together, so each credential passes the outbox. Invariants: the deletion
//! is queued before the broker gets the credential, and the transaction that writes the row cancels it; the deletion is
//! queued again in the transaction that removes the row. If the gateway dies at any line, no credential stays behind
//! without a row.

use chrono::{DateTime, TimeDelta, Utc};
use roost_secret_broker::wire::{RecordName, Store};
use sea_orm::DbErr;

use super::outbox;
use super::{BrokerError, BrokerHandle};
use crate::platform::clock::SharedClock;
use crate::platform::db::{Db, WriteTx};
use crate::platform::ids::WorkspaceId;
use crate::platform::supervision::Nudge;

/// The time between storing a credential and writing its row. After this time the broker deletes it.
const BETWEEN: TimeDelta = TimeDelta::minutes(5);

/// Why a credential was not placed or kept.
#[derive(Debug, thiserror::Error)]
pub enum CredentialError {
    /// The broker did not store it.
    #[error("the secret broker did not accept the credential")]
    Broker(#[from] BrokerError),
    /// The deletion has begun, so the credential may be gone.
    #[error("the gateway did not keep the credential in time")]
    TooSlow,
    #[error("database")]
    Db(#[from] DbErr),
}

/// The name of a row's credential: its tenant is the workspace, its connection is what the row refers to.
///
/// # Errors
/// When the broker does not accept the reference. The gateway's own references never cause this.
pub fn name_of(workspace: WorkspaceId, reference: &str) -> Result<RecordName, DbErr> {
    RecordName::new(workspace.to_string(), reference)
        .map_err(|error| DbErr::Custom(format!("credential {reference}: {error}")))
}

/// The credentials of rows. Cheap to clone.
#[derive(Clone)]
pub struct Credentials {
    pub db: Db,
    pub clock: SharedClock,
    pub broker: BrokerHandle,
    /// Wakes the worker that has the broker delete credentials.
    pub sweeper: Nudge,
}

impl Credentials {
    /// Stores a credential at the broker. The broker deletes it soon unless it is kept.
    ///
    /// # Errors
    /// [`CredentialError::Broker`], or when the database fails.
    pub async fn place(&self, store: Store) -> Result<Credential, CredentialError> {
        let name = store.name.clone();
        let tx = self.db.write().await?;
        let placed = Credential::expected(&tx, name, self.clock.now() + BETWEEN).await?;
        tx.commit().await?;
        self.broker.store(store).await?;
        Ok(placed)
    }

    /// Replaces the secret of a credential that is kept.
    ///
    /// # Errors
    /// [`CredentialError::Broker`].
    pub async fn replace(&self, store: Store) -> Result<(), CredentialError> {
        self.broker.store(store).await?;
        Ok(())
    }

    /// Queues the deletion of a row's credential in the transaction that removes the row, and wakes the sweeper after
    /// its commit.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forget(&self, tx: &mut WriteTx, name: &RecordName) -> Result<(), DbErr> {
        outbox::forget(tx, name, self.clock.now()).await?;
        tx.wake(&self.sweeper);
        Ok(())
    }
}

/// A credential that the broker has, or will have, and deletes unless it is kept.
#[must_use = "the broker deletes a credential that is not kept"]
pub struct Credential(RecordName);

impl Credential {
    /// Announces a credential that the broker itself will bring from elsewhere, in the transaction that begins it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn expected(
        tx: &WriteTx,
        name: RecordName,
        until: DateTime<Utc>,
    ) -> Result<Self, DbErr> {
        outbox::forget_unless_kept(tx, &name, until).await?;
        Ok(Self(name))
    }

    /// Its name at the broker.
    pub fn name(&self) -> &RecordName {
        &self.0
    }

    /// Keeps it, in the transaction that writes its row.
    ///
    /// # Errors
    /// [`CredentialError::TooSlow`], or when the database fails.
    pub async fn keep(self, tx: &WriteTx) -> Result<RecordName, CredentialError> {
        match outbox::keep(tx, &self.0).await? {
            true => Ok(self.0),
            false => Err(CredentialError::TooSlow),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sea_orm::EntityTrait;

    use super::*;
    use crate::platform::broker::outbox::entity;
    use crate::platform::clock::TestClock;
    use crate::platform::db::tests::Scratch;

    fn credentials(scratch: &Scratch) -> Credentials {
        Credentials {
            db: scratch.db.clone(),
            clock: Arc::new(TestClock::default()),
            broker: BrokerHandle::new(scratch.folder.path().join("no-broker.sock")),
            sweeper: Nudge::default(),
        }
    }

    fn name() -> RecordName {
        RecordName::new("tenant", "models/1/api_key").unwrap()
    }

    async fn queued(db: &Db) -> Vec<entity::Model> {
        entity::Entity::find().all(db.read()).await.unwrap()
    }

    #[tokio::test]
    async fn a_kept_credential_is_not_deleted_and_a_forgotten_one_wakes_the_sweeper() {
        for scratch in Scratch::all().await {
            let vault = credentials(&scratch);
            let now = vault.clock.now();
            let tx = vault.db.write().await.unwrap();
            let until = now + BETWEEN;
            let placed = Credential::expected(&tx, name(), until).await.unwrap();
            tx.commit().await.unwrap();
            assert_eq!(queued(&vault.db).await[0].due_at, until);

            let tx = vault.db.write().await.unwrap();
            assert_eq!(placed.keep(&tx).await.unwrap(), name());
            tx.commit().await.unwrap();
            assert!(queued(&vault.db).await.is_empty());

            let mut tx = vault.db.write().await.unwrap();
            vault.forget(&mut tx, &name()).await.unwrap();
            assert!(!vault.sweeper.take(), "not before the commit");
            tx.commit().await.unwrap();
            assert!(vault.sweeper.take());
            assert_eq!(queued(&vault.db).await[0].due_at, now);
            scratch.remove().await;
        }
    }

    #[tokio::test]
    async fn a_transaction_that_is_rolled_back_keeps_the_deletion() {
        for scratch in Scratch::all().await {
            let vault = credentials(&scratch);
            let tx = vault.db.write().await.unwrap();
            let until = vault.clock.now() + BETWEEN;
            let placed = Credential::expected(&tx, name(), until).await.unwrap();
            tx.commit().await.unwrap();
            let tx = vault.db.write().await.unwrap();
            placed.keep(&tx).await.unwrap();
            drop(tx);
            assert_eq!(queued(&vault.db).await.len(), 1);
            scratch.remove().await;
        }
    }

    #[tokio::test]
    async fn a_credential_that_is_being_deleted_cannot_be_kept() {
        for scratch in Scratch::all().await {
            let vault = credentials(&scratch);
            let tx = vault.db.write().await.unwrap();
            let until = vault.clock.now();
            let placed = Credential::expected(&tx, name(), until).await.unwrap();
            tx.commit().await.unwrap();
            let row = queued(&vault.db).await.remove(0);
            let tx = vault.db.write().await.unwrap();
            assert!(outbox::take(&tx, &row, until).await.unwrap());
            let kept = placed.keep(&tx).await;
            assert!(matches!(kept, Err(CredentialError::TooSlow)));
            drop(tx);
            scratch.remove().await;
        }
    }

    #[tokio::test]
    async fn a_broker_that_does_not_answer_leaves_the_deletion_behind() {
        let scratch = Scratch::sqlite().await;
        let vault = credentials(&scratch);
        let store = Store {
            name: name(),
            secret: roost_secret_broker::wire::Secret::from("s"),
            inject: roost_secret_broker::wire::Inject::Bearer,
            allow: Vec::new(),
        };
        let placed = vault.place(store).await.map(|placed| placed.0);
        assert!(matches!(placed, Err(CredentialError::Broker(_))));
        assert_eq!(queued(&vault.db).await.len(), 1);
        scratch.remove().await;
    }
}
