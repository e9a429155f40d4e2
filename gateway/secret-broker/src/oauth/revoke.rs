//! Revokes a token at its issuer (RFC 7009) before its record is deleted, or when it cannot be stored. One short
//! attempt: the record is deleted either way, and a token that was not revoked expires by itself.

use std::time::Duration;

use roost_secret_broker::wire::{Fault, RecordKind, RecordName};

use super::{OAuth, Shared};
use crate::record::Record;

/// How long the issuer may take, because the deletion waits for it.
const PATIENCE: Duration = Duration::from_secs(5);

impl OAuth {
    /// Revokes the tokens of a record, where its issuer supports that.
    pub async fn revoke(&self, name: &RecordName) {
        if let Ok(opened) = self.shared.store.read(name).await {
            self.shared.give_back(name, opened.record).await;
        }
    }
}

impl Shared {
    /// Revokes a token, stored or not.
    pub(super) async fn give_back(&self, name: &RecordName, record: Record) {
        let Some(grant) = record.grant.filter(|_| record.kind == RecordKind::OAuth) else {
            return;
        };
        let Some(endpoint) = grant.revocation_endpoint.clone() else {
            return;
        };
        // Revoking the refresh token also revokes the access tokens that came from it.
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
            let failed = |error| self.http_client.fault(error, &redactor);
            let answer = request.timeout(PATIENCE).send().await.map_err(failed)?;
            Ok::<_, Fault>(answer.status())
        };
        match asked.await {
            Ok(status) if status.is_success() => {
                tracing::info!(%name, "the broker revoked a token at its issuer");
            }
            Ok(status) => tracing::warn!(%name, %status, "the issuer did not revoke a token"),
            Err(fault) => tracing::warn!(%name, %fault, "cannot revoke a token at its issuer"),
        }
    }
}
