//! The tokens of a person's sign-in at the issuer. The broker redeems the code, keeps the tokens and renews them. The
//! gateway receives only the claims about the person.

use chrono::TimeDelta;
use http::Method;
use roost_secret_broker::client::Body;
use roost_secret_broker::wire::{
    Allow, ClientAuth, DEPLOYMENT, FaultCode, Forward, RecordName, Redeem, Redeemed, Secret,
    TokenClient,
};
use serde_json::{Map, Value};
use url::Url;

use super::claims::{Claims, Expected, Refusal, Verified};
use super::flow::Binding;
use super::metadata::Metadata;
use super::{Facts, Hosted, HostedError};
use crate::auth::entity::user;
use roost_platform::broker::{BrokerError, outbox};

/// The name of the client's secret at the broker.
pub const CLIENT_SECRET: &str = "client-secret/sign-in";
/// The broker forgets tokens that the gateway has not recorded by then.
const GIVEN_UP: TimeDelta = TimeDelta::minutes(10);
/// The most bytes of the claims that the issuer returns for an access token.
const MOST_CLAIMS: usize = 256 * 1024;

/// A sign-in that the issuer has confirmed.
pub(super) struct SignedIn {
    pub facts: Facts,
    /// The broker's record name for the tokens.
    pub grant: RecordName,
    /// The gateway can ask the issuer again without the person.
    pub renewable: bool,
}

/// The issuer's later answer.
pub(super) enum GrantAnswer {
    Active(Facts),
    /// The issuer withdrew its grant.
    Revoked,
}

impl Hosted {
    /// Finishes a sign-in: the broker exchanges the code for tokens, and the identity token becomes a person.
    pub(super) async fn redeem(
        &self,
        metadata: &Metadata,
        redirect_uri: &str,
        code: &str,
        binding: Binding<'_>,
    ) -> Result<SignedIn, HostedError> {
        let endpoint = metadata.token_endpoint.as_ref();
        let endpoint = endpoint.ok_or(HostedError::Lacks("token_endpoint"))?;
        let client_id = self.client_id()?;
        let name = RecordName::new(DEPLOYMENT, format!("people/{}", self.ids.next()))
            .expect("words and an id make a name");
        let tx = self.db.write().await?;
        outbox::forget_unless_kept(&tx, &name, self.clock.now() + GIVEN_UP).await?;
        tx.commit().await?;
        let redeem = Redeem {
            name: name.clone(),
            client: TokenClient {
                token_endpoint: endpoint.to_string(),
                client_id: client_id.to_owned(),
                client_auth: self.client_auth(metadata),
                client_secret: self.client_secret(),
                revocation_endpoint: metadata.revocation_endpoint.as_ref().map(Url::to_string),
            },
            redirect_uri: redirect_uri.to_owned(),
            code: Secret::from(code),
            verifier: Secret::from(binding.verifier().as_str()),
            allow: metadata.userinfo_endpoint.iter().map(only).collect(),
        };
        let redeemed = self.broker.redeem(redeem).await.map_err(refused)?;
        let nonce = binding.nonce();
        let renewable = redeemed.description.renewable;
        let facts = self
            .judge(metadata, &name, redeemed, Some(&nonce))
            .await?
            .ok_or(Refusal::Malformed)?;
        Ok(SignedIn {
            facts,
            grant: name,
            renewable,
        })
    }

    /// Asks the issuer for the person's present claims.
    pub(super) async fn renew(&self, user: &user::Model) -> Result<GrantAnswer, HostedError> {
        let grant = user.issuer_grant.as_deref().unwrap_or_default();
        let Ok(name) = RecordName::new(DEPLOYMENT, grant) else {
            return Ok(GrantAnswer::Revoked);
        };
        let metadata = self.metadata().await?;
        let renewed = match self.broker.renew(name.clone()).await {
            Ok(renewed) => renewed,
            Err(error) => {
                return match error.code() {
                    Some(FaultCode::NeedsReauth | FaultCode::UnknownRecord) => {
                        Ok(GrantAnswer::Revoked)
                    }
                    _ => Err(refused(error)),
                };
            }
        };
        let facts = match self.judge(&metadata, &name, renewed, None).await? {
            Some(facts) => facts,
            // Not every issuer sends the identity token again.
            None => {
                let claims = self.claims_by_token(&metadata, &name).await?;
                let claims = claims.ok_or(HostedError::Lacks("userinfo_endpoint"))?;
                self.facts_of(claims)?
            }
        };
        match user.auth_subject.as_ref() == Some(&facts.subject) {
            true => Ok(GrantAnswer::Active(facts)),
            false => Err(Refusal::Subject.into()),
        }
    }

    /// The person of the identity token; absent without one.
    async fn judge(
        &self,
        metadata: &Metadata,
        name: &RecordName,
        redeemed: Redeemed,
        nonce: Option<&str>,
    ) -> Result<Option<Facts>, HostedError> {
        let Some(id_token) = redeemed.id_token else {
            return Ok(None);
        };
        let client_id = self.client_id()?;
        let expected = Expected {
            issuer: &self.settings.issuer,
            audience: Some(client_id),
            party: Some(client_id),
            nonce,
        };
        let mut token = self.verified(&id_token, expected).await?;
        // Some providers put only the subject into the identity token. The gateway requests the other claims.
        if !token.claims.0.contains_key("email")
            && let Some(mut said) = self.claims_by_token(metadata, name).await?
        {
            // Claims for another subject are ignored (OpenID Connect Core, 5.3.2).
            if said.get("sub").and_then(Value::as_str) != Some(&*token.subject) {
                return Err(Refusal::Subject.into());
            }
            // Signed claims win over unsigned ones.
            said.extend(token.claims.0);
            token.claims = Claims(said);
        }
        Ok(Some(self.facts(&token)))
    }

    /// The claims that the issuer returns for the access token; absent where it has no endpoint for them.
    async fn claims_by_token(
        &self,
        metadata: &Metadata,
        name: &RecordName,
    ) -> Result<Option<Map<String, Value>>, HostedError> {
        let Some(endpoint) = &metadata.userinfo_endpoint else {
            return Ok(None);
        };
        let asked = Forward {
            name: name.clone(),
            method: Method::GET.to_string(),
            url: endpoint.to_string(),
            headers: vec![("accept".to_owned(), "application/json".to_owned())],
            body: false,
            body_length: None,
            deadline_ms: Some(10_000),
            on_behalf: "sign-in".to_owned(),
        };
        let mut answer = self
            .broker
            .forward(asked, Body::None)
            .await
            .map_err(refused)?;
        let body = answer.whole(MOST_CLAIMS).await.map_err(BrokerError::from)?;
        if answer.status != 200 {
            return Err(HostedError::NoClaims(answer.status));
        }
        let claims = serde_json::from_slice(&body);
        Ok(Some(
            claims.map_err(|_| HostedError::NoClaims(answer.status))?,
        ))
    }

    /// The facts in claims without a signature. They came directly from the issuer, for a token that it gave to the
    /// broker.
    fn facts_of(&self, claims: Map<String, Value>) -> Result<Facts, HostedError> {
        let subject = claims.get("sub").and_then(Value::as_str);
        let subject = subject.ok_or(Refusal::Subject)?.to_owned();
        Ok(self.facts(&Verified {
            subject,
            expires_at: self.clock.now(),
            issued_at: None,
            claims: Claims(claims),
        }))
    }

    fn client_secret(&self) -> Option<RecordName> {
        self.settings.client_secret_file.as_ref()?;
        let name = RecordName::new(DEPLOYMENT, CLIENT_SECRET);
        Some(name.expect("two words make a name"))
    }

    fn client_auth(&self, metadata: &Metadata) -> ClientAuth {
        if self.settings.client_secret_file.is_none() {
            return ClientAuth::None;
        }
        let methods = metadata.token_endpoint_auth_methods_supported.as_deref();
        // An absent list means basic (OpenID Connect Discovery, 3).
        match methods.is_none_or(|all| all.iter().any(|one| one == "client_secret_basic")) {
            true => ClientAuth::Basic,
            false => ClientAuth::Post,
        }
    }
}

/// The broker may send the access token only to this endpoint.
fn only(endpoint: &Url) -> Allow {
    Allow {
        origin: endpoint.origin().ascii_serialization(),
        methods: vec![Method::GET.to_string()],
        path_prefix: endpoint.path().to_owned(),
    }
}

fn refused(error: BrokerError) -> HostedError {
    match error.fault() {
        Some(fault) if fault.code == FaultCode::NeedsReauth => HostedError::CodeRefused,
        Some(fault) if fault.code == FaultCode::RemoteRefused => {
            HostedError::RefusedByIssuer(roost_protocol::text::clean(&fault.detail, 200))
        }
        _ => HostedError::Broker(error),
    }
}
