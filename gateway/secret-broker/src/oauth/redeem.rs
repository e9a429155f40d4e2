//! A person's sign-in at this deployment. The code becomes tokens, which stay here, and an identity token, which the
//! gateway checks. A later renewal asks the issuer again who the person is.

use roost_secret_broker::wire::{Fault, FaultCode, Inject, RecordName, Redeem, Redeemed};

use super::token::{Denied, Issued};
use super::{OAuth, Shared, model};
use crate::record::Grant;

impl OAuth {
    /// Exchanges a code.
    ///
    /// # Errors
    /// A fault of the request, or the issuer's error.
    pub async fn redeem(&self, redeem: Redeem) -> Result<Redeemed, Fault> {
        // A separate task: once the code is used, its tokens must not be lost when the client disconnects.
        let shared = self.shared.clone();
        finished(tokio::spawn(async move { shared.redeem(redeem).await })).await
    }

    /// Renews the tokens of a person's sign-in now.
    ///
    /// # Errors
    /// [`FaultCode::NeedsReauth`] when the issuer revoked the grant; the error of the issuer or of the store.
    pub async fn renew_now(&self, name: RecordName) -> Result<Redeemed, Fault> {
        let shared = self.shared.clone();
        finished(tokio::spawn(async move { shared.renew_now(&name).await })).await
    }
}

async fn finished(
    work: tokio::task::JoinHandle<Result<Redeemed, Fault>>,
) -> Result<Redeemed, Fault> {
    let broke_off = |_| Fault::new(FaultCode::StoreFailed, "the task was cancelled; try again");
    work.await.map_err(broke_off)?
}

impl Shared {
    async fn redeem(&self, asked: Redeem) -> Result<Redeemed, Fault> {
        model::check_redeem(&asked, &self.http_client.settings().policy)?;
        let held = self.store.hold(&asked.name).await;
        if self.store.read(&asked.name).await.is_ok() {
            let detail = "this name is in use; choose a new one";
            return Err(Fault::new(FaultCode::BadRequest, detail));
        }
        let client = asked.client;
        let grant = Grant {
            token_endpoint: client.token_endpoint,
            client_id: client.client_id,
            client_auth: client.client_auth,
            client_secret: client.client_secret,
            resource: None,
            refresh_token: None,
            expires_ms: None,
            scope: None,
            revocation_endpoint: client.revocation_endpoint,
        };
        let parameters: [(&str, &[u8]); 4] = [
            ("grant_type", b"authorization_code"),
            ("code", asked.code.reveal()),
            ("redirect_uri", asked.redirect_uri.as_bytes()),
            ("code_verifier", asked.verifier.reveal()),
        ];
        let issued = self.ask_issuer(&grant, &parameters).await;
        let mut issued = issued.map_err(Denied::into_fault)?;
        let id_token = identity(&mut issued)?;
        let now_ms = self.store.clock().now_ms();
        let record = issued.into_record(grant, Inject::Bearer, asked.allow, now_ms);
        let description = self.keep_granted(&asked.name, &held, record).await?;
        Ok(Redeemed {
            description,
            id_token,
        })
    }

    async fn renew_now(&self, name: &RecordName) -> Result<Redeemed, Fault> {
        let held = self.store.hold(name).await;
        let (opened, id_token) = self.renew_held(name, &held).await?;
        Ok(Redeemed {
            description: opened.record.describe(name, opened.generation),
            id_token,
        })
    }
}

/// The identity token. A token that contains another token of the issuer is rejected, because those stay here.
pub(super) fn identity(issued: &mut Issued) -> Result<Option<String>, Fault> {
    let Some(token) = issued.id_token.take() else {
        return Ok(None);
    };
    let kept = [Some(&issued.access_token), issued.refresh_token.as_ref()];
    let repeats = kept.into_iter().flatten().any(|secret| {
        let secret = secret.reveal();
        token
            .as_bytes()
            .windows(secret.len())
            .any(|part| part == secret)
    });
    match repeats {
        false => Ok(Some(token)),
        true => Err(Fault::new(
            FaultCode::RemoteRefused,
            "the issuer's identity token repeats another token",
        )),
    }
}
