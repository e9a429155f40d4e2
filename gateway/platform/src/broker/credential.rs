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
use crate::clock::SharedClock;
use crate::db::{Db, WriteTx};
use crate::ids::WorkspaceId;
use crate::supervision::Nudge;

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
