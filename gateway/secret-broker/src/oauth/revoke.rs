//! Giving a token back before its record is deleted, or when it cannot be kept (RFC 7009). Tried once and shortly: the record goes either way, and
//! what was not given back ends by its own time.

use std::time::Duration;

use roost_secret_broker::wire::{Fault, RecordKind, RecordName};

use super::{OAuth, Shared};
use crate::record::Record;

/// How long an issuer may take; whoever deletes waits for it.
const PATIENCE: Duration = Duration::from_secs(5);

impl OAuth {
    /// Gives back what a record holds, where its issuer takes it.
    pub async fn revoke(&self, name: &RecordName) {
        if let Ok(opened) = self.shared.store.read(name).await {
            self.shared.give_back(name, opened.record).await;
        }
    }
}

impl Shared {
    /// Gives back a token, whether or not it was kept.
    pub(super) async fn give_back(&self, name: &RecordName, record: Record) {
        let Some(grant) = record.grant.filter(|_| record.kind == RecordKind::OAuth) else {
            return;
        };
        let Some(endpoint) = grant.revocation_endpoint.clone() else {
            return;
        };
        // With the refresh token go the access tokens that were made from it.
        let (token, hint) = match &grant.refresh_token {
            Some(refresh) => (refresh, "refresh_token"),
            None => (&record.secret, "access_token"),
        };
        let parameters: [(&str, &[u8]); 2] = [
            ("token", token.reveal()),
            ("token_type_hint", hint.as_bytes()),
        ];
        let asked = async {
            let (request, redactor) = self.as_client(&grant, &endpoint, &parameters).await?;
            let failed = |error| self.outlet.fault(error, &redactor);
            let answer = request.timeout(PATIENCE).send().await.map_err(failed)?;
            Ok::<_, Fault>(answer.status())
        };
        match asked.await {
            Ok(status) if status.is_success() => tracing::info!(%name, "a token was given back"),
            Ok(status) => tracing::warn!(%name, %status, "the issuer did not take a token back"),
            Err(fault) => tracing::warn!(%name, %fault, "a token could not be given back"),
        }
    }
}
