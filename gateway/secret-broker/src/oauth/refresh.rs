//! Renews a token before it is used. Callers that wait at the same time share one renewal.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use roost_secret_broker::wire::{Fault, FaultCode, RecordName, RecordState};

use super::model::{Usability, usability};
use super::redeem::identity;
use super::token::Denied;
use super::{OAuth, Shared};
use crate::record::{Grant, Record};
use crate::server::fault_of;
use crate::store::{Held, Opened};

/// How long the broker waits after an issuer failed before it asks again.
const LEFT_ALONE_MS: i64 = 5_000;

impl OAuth {
    /// A record whose secret can be used now. A token that is due is renewed first.
    ///
    /// # Errors
    /// [`FaultCode::NeedsReauth`] when only a person can renew it; the error of the issuer or of the store.
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
                // A separate task: a rotated refresh token must reach the disk even when the caller disconnects.
                let renewed = tokio::spawn(async move { shared.renew(&name).await }).await;
                let renewed = renewed.unwrap_or_else(|_| {
                    Err(Fault::new(
                        FaultCode::StoreFailed,
                        "the renewal was cancelled; try again",
                    ))
                });
                match renewed {
                    Err(fault) if still_good && fault.code != FaultCode::NeedsReauth => Ok(opened),
                    renewed => renewed,
                }
            }
        }
    }

    /// Number of tokens renewed since the start.
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
        // An earlier holder may have renewed it, or found that it cannot be renewed.
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
        let (opened, _) = self.renew_opened(name, &held, opened).await?;
        Ok(opened)
    }

    /// Renews a record that the caller has locked, even before its token expires. Returns the identity token where the
    /// issuer sent one.
    pub(super) async fn renew_held(
        &self,
        name: &RecordName,
        held: &Held,
    ) -> Result<(Opened, Option<String>), Fault> {
        let opened = self
            .store
            .credential(name)
            .await
            .map_err(|error| fault_of(&error))?;
        let grant = opened.record.grant.as_ref();
        let renewable = grant.is_some_and(|grant| grant.refresh_token.is_some());
        if opened.record.state == RecordState::NeedsReauth || !renewable {
            return Err(needs_reauth(name));
        }
        self.renew_opened(name, held, opened).await
    }

    async fn renew_opened(
        &self,
        name: &RecordName,
        held: &Held,
        opened: Opened,
    ) -> Result<(Opened, Option<String>), Fault> {
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
            Ok(mut issued) => {
                let id_token = identity(&mut issued)?;
                record.secret = issued.access_token;
                record.grant = Some(Grant {
                    // Not every issuer rotates refresh tokens.
                    refresh_token: issued.refresh_token.or(grant.refresh_token),
                    expires_ms: issued.expires_ms,
                    scope: issued.scope.or(grant.scope),
                    ..grant
                });
                let described = self
                    .store
                    .put(held, &record)
                    .await
                    .map_err(|error| fault_of(&error))?;
                self.refreshes.fetch_add(1, Ordering::Relaxed);
                tracing::info!(record = %name, "the broker renewed a token");
                let generation = described.generation;
                Ok((Opened { record, generation }, id_token))
            }
            Err(Denied::Grant(_)) => {
                record.state = RecordState::NeedsReauth;
                record.grant = Some(Grant {
                    refresh_token: None,
                    ..grant
                });
                self.store
                    .put(held, &record)
                    .await
                    .map_err(|error| fault_of(&error))?;
                tracing::warn!(record = %name, "the issuer revoked the grant; a person has to connect again");
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
        format!("the remote no longer accepts {name}: connect it again"),
    )
}
