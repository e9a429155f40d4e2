//! A sign-in from its beginning to its token.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use roost_secret_broker::wire::{
    Begin, Begun, Description, Exchange, Fault, FaultCode, RecordKind, RecordName, RecordState,
    Secret,
};
use zeroize::Zeroizing;

use super::token::Denied;
use super::{OAuth, Shared, model};
use crate::record::{Grant, Record, SignIn};
use crate::seal::fresh;
use crate::server::fault_of;

impl OAuth {
    /// Makes and stores the verifier.
    ///
    /// # Errors
    /// A fault of the request, or a failed write.
    pub async fn begin(&self, begin: Begin) -> Result<Begun, Fault> {
        self.shared.begin(begin).await
    }

    /// Completes a sign-in. Of many concurrent attempts one succeeds.
    ///
    /// # Errors
    /// [`FaultCode::UnknownSignIn`] for all but the first; the issuer's error.
    pub async fn exchange(&self, exchange: Exchange) -> Result<Description, Fault> {
        // A separate task: once the code is used, its token must not be lost when the client disconnects.
        let shared = self.shared.clone();
        let work = tokio::spawn(async move { shared.exchange(exchange).await });
        work.await.unwrap_or_else(|_| {
            Err(Fault::new(
                FaultCode::StoreFailed,
                "the exchange was cancelled; begin again",
            ))
        })
    }
}

impl Shared {
    async fn begin(&self, begin: Begin) -> Result<Begun, Fault> {
        model::check_begin(&begin, &self.http_client.settings().policy)?;
        let now_ms = self.store.clock().now_ms();
        let verifier = Zeroizing::new(URL_SAFE_NO_PAD.encode(*Zeroizing::new(fresh::<32>())));
        let begun = Begun {
            code_challenge: model::challenge(verifier.as_bytes()),
            code_challenge_method: "S256".to_owned(),
        };
        let place = place(begin.name.tenant(), &begin.state)?;
        let record = Record {
            kind: RecordKind::SignIn,
            state: RecordState::Ready,
            secret: Secret::from(verifier.as_str()),
            inject: begin.inject,
            allow: begin.allow,
            created_ms: now_ms,
            updated_ms: now_ms,
            grant: Some(Grant {
                token_endpoint: begin.token_endpoint,
                client_id: begin.client_id,
                client_auth: begin.client_auth,
                client_secret: begin.client_secret,
                resource: begin.resource,
                refresh_token: None,
                expires_ms: None,
                scope: None,
                revocation_endpoint: begin.revocation_endpoint,
            }),
            sign_in: Some(SignIn {
                name: begin.name,
                issuer: begin.issuer,
                issuer_required: begin.issuer_required,
                redirect_uri: begin.redirect_uri,
                until_ms: now_ms + i64::from(begin.lifetime_s) * 1_000,
            }),
        };
        let held = self.store.hold(&place).await;
        if self.store.read(&place).await.is_ok() {
            return Err(Fault::new(
                FaultCode::BadRequest,
                "this state is in use; choose a new one",
            ));
        }
        self.store
            .put(&held, &record)
            .await
            .map_err(|error| fault_of(&error))?;
        Ok(begun)
    }

    async fn exchange(&self, exchange: Exchange) -> Result<Description, Fault> {
        let unknown = || {
            Fault::new(
                FaultCode::UnknownSignIn,
                "unknown sign-in, or it was completed already",
            )
        };
        if !model::is_state(&exchange.state)
            || exchange.code.reveal().is_empty()
            || exchange.code.reveal().len() > 4096
        {
            return Err(unknown());
        }
        let place = place(&exchange.tenant, &exchange.state)?;
        let held = self.store.hold(&place).await;
        let record = self.store.read(&place).await.map_err(|_| unknown())?.record;
        // Delete the sign-in first: of a hundred concurrent callbacks only one continues.
        self.store
            .delete(&held)
            .await
            .map_err(|error| fault_of(&error))?;
        drop(held);
        let (Some(sign_in), Some(grant)) = (record.sign_in, record.grant) else {
            return Err(unknown());
        };
        let now_ms = self.store.clock().now_ms();
        model::check_callback(&sign_in, exchange.issuer.as_deref(), now_ms)?;
        let parameters: [(&str, &[u8]); 4] = [
            ("grant_type", b"authorization_code"),
            ("code", exchange.code.reveal()),
            ("redirect_uri", sign_in.redirect_uri.as_bytes()),
            ("code_verifier", record.secret.reveal()),
        ];
        let issued = self.ask_issuer(&grant, &parameters).await;
        let issued = issued.map_err(|denied| match denied {
            Denied::Grant(fault) => Fault::new(FaultCode::RemoteRefused, fault.detail),
            Denied::Other(fault) => fault,
        })?;
        let token = issued.into_record(grant, record.inject, record.allow, now_ms);
        let held = self.store.hold(&sign_in.name).await;
        self.keep_granted(&sign_in.name, &held, token).await
    }
}

fn place(tenant: &str, state: &str) -> Result<RecordName, Fault> {
    RecordName::of_sign_in(tenant, state)
        .map_err(|error| Fault::new(FaultCode::BadRequest, error.to_string()))
}
