//! Stores tokens that an issuer has just issued.

use roost_secret_broker::wire::{
    Allow, Description, Fault, Inject, RecordKind, RecordName, RecordState,
};

use super::Shared;
use super::token::Issued;
use crate::record::{Grant, Record};
use crate::server::fault_of;
use crate::store::Held;

impl Issued {
    /// Builds the record of these tokens.
    pub(super) fn into_record(
        self,
        grant: Grant,
        inject: Inject,
        allow: Vec<Allow>,
        now_ms: i64,
    ) -> Record {
        Record {
            kind: RecordKind::OAuth,
            state: RecordState::Ready,
            secret: self.access_token,
            inject,
            allow,
            created_ms: now_ms,
            updated_ms: now_ms,
            grant: Some(Grant {
                refresh_token: self.refresh_token,
                expires_ms: self.expires_ms,
                scope: self.scope,
                ..grant
            }),
            sign_in: None,
        }
    }
}

impl Shared {
    /// Stores a record of new tokens. If that fails, the broker revokes the tokens at the issuer: nobody could use
    /// them, and nobody could revoke them later.
    ///
    /// # Errors
    /// The store's error.
    pub(super) async fn keep_granted(
        &self,
        name: &RecordName,
        held: &Held,
        record: Record,
    ) -> Result<Description, Fault> {
        match self.store.put(held, &record).await {
            Ok(description) => Ok(description),
            Err(error) => {
                self.give_back(name, record).await;
                Err(fault_of(&error))
            }
        }
    }
}
