//! Renewing a token before it is used: once, whoever waits for it.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use roost_secret_broker::wire::{Fault, FaultCode, RecordName, RecordState};

use super::model::{Usability, usability};
use super::token::Denied;
use super::{OAuth, Shared};
use crate::record::{Grant, Record};
use crate::server::fault_of;
use crate::store::Opened;

/// How long an issuer that failed is left alone.
const LEFT_ALONE_MS: i64 = 5_000;

impl OAuth {
    /// A record whose secret can be used now; its token is renewed first where that is due.
    ///
    /// # Errors
    /// [`FaultCode::NeedsReauth`] when only a person can; what the issuer or the store said.
    pub async fn usable(&self, name: &RecordName) -> Result<Opened, Fault> {
        let opened = self
            .shared
            .store
            .credential(name)
            .await
            .map_err(|error| fault_of(&error))?;
        match self.shared.decide(&opened.record) {
            Usability::Use => Ok(opened),
            Usability::Reauthorise => Err(needs_reauth(name)),
            Usability::Renew { still_good } => {
                let (shared, name) = (self.shared.clone(), name.clone());
                // A refresh token that was rotated must reach the disk, whatever becomes of who asked.
                let renewed = tokio::spawn(async move { shared.renew(&name).await }).await;
                let renewed = renewed.unwrap_or_else(|_| {
                    Err(Fault::new(
                        FaultCode::StoreFailed,
                        "the renewal broke off; try again",
                    ))
                });
                match renewed {
                    Err(fault) if still_good && fault.code != FaultCode::NeedsReauth => Ok(opened),
                    renewed => renewed,
                }
            }
        }
    }

    /// How many tokens were renewed since the start.
    pub fn refreshes(&self) -> u64 {
        self.shared.refreshes.load(Ordering::Relaxed)
    }
}

impl Shared {
    fn decide(&self, record: &Record) -> Usability {
        usability(
            record.state,
            record.grant.as_ref(),
            self.store.clock().now_ms(),
        )
    }

    async fn renew(&self, name: &RecordName) -> Result<Opened, Fault> {
        let held = self.store.hold(name).await;
        // Whoever was before us may have done it, or found that it cannot be done.
        let opened = self
            .store
            .read(name)
            .await
            .map_err(|error| fault_of(&error))?;
        match self.decide(&opened.record) {
            Usability::Use => return Ok(opened),
            Usability::Reauthorise => return Err(needs_reauth(name)),
            Usability::Renew { .. } => {}
        }
        let now_ms = self.store.clock().now_ms();
        if let Some(fault) = self.just_failed(name, now_ms) {
            return Err(fault);
        }
        let mut record = opened.record;
        let Some(grant) = record.grant.take() else {
            return Err(needs_reauth(name));
        };
        let asked = {
            let refresh = grant
                .refresh_token
                .as_ref()
                .map_or(&b""[..], |token| token.reveal());
            self.ask_issuer(
                &grant,
                &[("grant_type", b"refresh_token"), ("refresh_token", refresh)],
            )
            .await
        };
        record.updated_ms = now_ms;
        match asked {
            Ok(issued) => {
                record.secret = issued.access_token;
                record.grant = Some(Grant {
                    // Not every issuer rotates.
                    refresh_token: issued.refresh_token.or(grant.refresh_token),
                    expires_ms: issued.expires_ms,
                    scope: issued.scope.or(grant.scope),
                    ..grant
                });
                let described = self
                    .store
                    .put(&held, &record)
                    .await
                    .map_err(|error| fault_of(&error))?;
                self.refreshes.fetch_add(1, Ordering::Relaxed);
                tracing::info!(record = %name, "a token was renewed");
                Ok(Opened {
                    record,
                    generation: described.generation,
                })
            }
            Err(Denied::Grant(_)) => {
                record.state = RecordState::NeedsReauth;
                record.grant = Some(Grant {
                    refresh_token: None,
                    ..grant
                });
                self.store
                    .put(&held, &record)
                    .await
                    .map_err(|error| fault_of(&error))?;
                tracing::warn!(record = %name, "the issuer took its grant back; a person has to connect again");
                Err(needs_reauth(name))
            }
            Err(Denied::Other(fault)) => {
                let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
                failed.retain(|_, (until, _)| *until > now_ms);
                failed.insert(name.clone(), (now_ms + LEFT_ALONE_MS, fault.clone()));
                Err(fault)
            }
        }
    }

    fn just_failed(&self, name: &RecordName, now_ms: i64) -> Option<Fault> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed
            .get(name)
            .filter(|(until, _)| *until > now_ms)
            .map(|(_, fault)| fault.clone())
    }
}

fn needs_reauth(name: &RecordName) -> Fault {
    Fault::new(
        FaultCode::NeedsReauth,
        format!("the remote does not take {name} any more: connect it again"),
    )
}
