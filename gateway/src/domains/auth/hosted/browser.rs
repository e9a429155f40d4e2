//! Signing in with a browser: the way to the issuer, and the way back with a code that ends in a session of ours.

use chrono::TimeDelta;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::claims::{Claims, Expected, Refusal, Verified};
use super::entity::sign_in;
use super::flow::{Asked, Binding, authorize};
use super::metadata::Metadata;
use super::{Facts, Hosted, HostedError, no_key, store};
use crate::domains::audit;
use crate::domains::auth::commands::{NewSession, Origin, insert_session};
use crate::domains::auth::entity::{session, user};
use crate::domains::auth::routes::AuthState;
use crate::domains::auth::{self, AuthError, Token, WorkspaceScope, sha256_hex};
use crate::ids::UserId;

/// How long somebody may take at the issuer.
pub const WITHIN_MINUTES: i64 = 10;
/// Sign-ins that one address may have under way.
const MOST_OF_AN_ADDRESS: u64 = 100;

/// A sign-in that has begun.
pub struct Begun {
    /// At the issuer.
    pub url: url::Url,
    pub state: Token,
    /// For the browser's cookie.
    pub binding: Token,
}

/// What comes back from the issuer, in the address of the callback.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Returned {
    #[serde(default)]
    pub state: Option<String>,
    #[serde(default)]
    pub code: Option<String>,
    #[serde(default)]
    pub iss: Option<String>,
    #[serde(default)]
    pub error: Option<String>,
    #[serde(default)]
    pub error_description: Option<String>,
}

/// Somebody is signed in.
pub struct Entered {
    pub session: session::Model,
    pub token: Token,
    pub next: String,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    id_token: Option<SecretString>,
    #[serde(default)]
    access_token: Option<SecretString>,
}

impl Hosted {
    fn client_id(&self) -> Result<&str, HostedError> {
        self.settings
            .client_id
            .as_deref()
            .ok_or(HostedError::NoSignIn)
    }

    async fn metadata(&self) -> Result<Metadata, HostedError> {
        self.keys.metadata(|| self.fetch()).await.map_err(no_key)
    }

    /// Begins: notes the state, and says where to go.
    ///
    /// # Errors
    /// When nobody can sign in with a browser here, or the issuer cannot be asked.
    pub async fn begin(
        &self,
        redirect_uri: String,
        next: &str,
        from: &Origin,
        link_user: Option<UserId>,
    ) -> Result<Begun, HostedError> {
        let client_id = self.client_id()?;
        let metadata = self.metadata().await?;
        let endpoint = metadata.authorization_endpoint;
        let endpoint = endpoint.ok_or(HostedError::Lacks("authorization_endpoint"))?;
        self.outbound.check(&endpoint)?;
        let state = Token::fresh("").map_err(Box::new)?;
        let binding = Token::fresh("").map_err(Box::new)?;
        let asked = Asked {
            client_id,
            redirect_uri: &redirect_uri,
            state: state.reveal(),
            binding: Binding(binding.reveal()),
        };
        let url = authorize(&endpoint, &asked);
        let now = self.clock.now();
        let from_address = crate::http::client_address::counted_as(from.address);
        let tx = self.db.write().await?;
        store::forget_sign_ins(&*tx, now).await?;
        if store::sign_ins_from(&*tx, &from_address).await? >= MOST_OF_AN_ADDRESS {
            let retry_after_s = 60;
            return Err(Box::new(AuthError::TooManyAttempts { retry_after_s }).into());
        }
        let row = sign_in::Model {
            state_sha256: state.sha256(),
            binding_sha256: binding.sha256(),
            redirect_uri,
            next: next.to_owned(),
            from_address,
            link_user,
            expires_at: now + TimeDelta::minutes(WITHIN_MINUTES),
        };
        store::insert_sign_in(&*tx, row).await?;
        tx.commit().await?;
        Ok(Begun {
            url,
            state,
            binding,
        })
    }

    /// Ends: the state is taken and gone whatever comes of it, the code becomes a token, the token a person.
    async fn person(
        &self,
        back: &Returned,
        binding: &str,
    ) -> Result<(user::Model, String), HostedError> {
        let state = back.state.as_deref().unwrap_or_default();
        let tx = self.db.write().await?;
        let (state, bound) = (sha256_hex(state), sha256_hex(binding));
        let row = store::take_sign_in(&*tx, &state, &bound, self.clock.now()).await?;
        tx.commit().await?;
        let row = row.ok_or(HostedError::UnknownSignIn)?;
        let metadata = self.metadata().await?;
        let announced = metadata.authorization_response_iss_parameter_supported;
        match &back.iss {
            Some(iss) if *iss != self.settings.issuer => return Err(Refusal::Issuer.into()),
            None if announced => return Err(Refusal::Issuer.into()),
            _ => {}
        }
        if let Some(error) = back.error_description.as_ref().or(back.error.as_ref()) {
            let said = roost_protocol::text::clean(error, 200);
            return Err(HostedError::RefusedByIssuer(said));
        }
        let code = back.code.as_deref().ok_or(HostedError::UnknownSignIn)?;
        let binding = Binding(binding);
        let facts = self.exchange(&metadata, &row, code, binding).await?;
        let user = match row.link_user {
            Some(user) => self.link(user, &facts).await?,
            None => self.arrive(&facts).await?,
        };
        Ok((user, row.next))
    }

    async fn exchange(
        &self,
        metadata: &Metadata,
        row: &sign_in::Model,
        code: &str,
        binding: Binding<'_>,
    ) -> Result<Facts, HostedError> {
        let endpoint = metadata.token_endpoint.as_ref();
        let endpoint = endpoint.ok_or(HostedError::Lacks("token_endpoint"))?;
        let client_id = self.client_id()?;
        let secret = self.settings.client_secret.as_ref();
        let methods = metadata.token_endpoint_auth_methods_supported.as_deref();
        // Absent means basic (OpenID Connect Discovery, 3).
        let basic = methods.is_none_or(|all| all.iter().any(|one| one == "client_secret_basic"));
        let verifier = binding.verifier();
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &row.redirect_uri),
            ("code_verifier", &verifier),
            ("client_id", client_id),
        ];
        let header = match secret {
            Some(secret) if basic => Some((client_id, secret)),
            Some(secret) => {
                form.push(("client_secret", secret.expose_secret()));
                None
            }
            None => None,
        };
        let tokens: Tokens = self.outbound.post_form(endpoint, &form, header).await?;
        let id_token = tokens.id_token.ok_or(Refusal::Malformed)?;
        let nonce = binding.nonce();
        let expected = Expected {
            issuer: &self.settings.issuer,
            audience: Some(client_id),
            party: Some(client_id),
            nonce: Some(&nonce),
        };
        let token = self.verified(id_token.expose_secret(), expected).await?;
        let token = self
            .with_user_info(metadata, token, tokens.access_token)
            .await?;
        Ok(self.facts(&token))
    }

    /// Some providers say of a person in the identity token only who it is; the rest is asked for.
    async fn with_user_info(
        &self,
        metadata: &Metadata,
        token: Verified,
        access: Option<SecretString>,
    ) -> Result<Verified, HostedError> {
        let (Some(endpoint), Some(access), None) = (
            &metadata.userinfo_endpoint,
            access,
            token.claims.0.get("email"),
        ) else {
            return Ok(token);
        };
        let said: Map<String, Value> = self.outbound.get_json_as(endpoint, &access).await?;
        // Of somebody else it says nothing (OpenID Connect Core, 5.3.2).
        if said.get("sub").and_then(Value::as_str) != Some(&*token.subject) {
            return Err(Refusal::Subject.into());
        }
        let mut claims = said;
        // What was signed goes before what was not.
        claims.extend(token.claims.0);
        Ok(Verified {
            claims: Claims(claims),
            ..token
        })
    }

    /// Ties the account of whoever began to the person of the issuer.
    async fn link(&self, user: UserId, facts: &Facts) -> Result<user::Model, HostedError> {
        let tx = self.db.write().await?;
        let linked = match store::by_subject(&*tx, &facts.subject).await? {
            Some(row) => row.id == user,
            None => store::link(&*tx, user, &facts.subject).await?,
        };
        let row = auth::store::user_by_id(&*tx, user).await?;
        let (true, Some(row)) = (linked, row) else {
            return Err(super::model::Stop::NotLinked.into());
        };
        self.note_link(&tx, &row, self.clock.now()).await?;
        tx.commit().await?;
        Ok(row)
    }
}

/// The whole way back, to a session.
///
/// # Errors
/// See [`HostedError`].
pub async fn enter(
    state: &AuthState,
    back: &Returned,
    binding: &str,
    from: &Origin,
) -> Result<Entered, HostedError> {
    let hosted = state.hosted.as_ref().ok_or(HostedError::NoSignIn)?;
    let (user, next) = hosted.person(back, binding).await?;
    let tx = state.db.write().await?;
    let member = auth::store::first_membership(&*tx, user.id).await?;
    let member = member.ok_or(super::model::Stop::NotAdmitted)?;
    let new = NewSession {
        user: user.id,
        workspace: member.workspace_id,
        kind: "login",
        label: None,
        set_password_without_current: false,
        from: Some(from),
        // The issuer is asked again after it, so that whoever is gone there is gone here.
        lifetime: Some(hosted.settings.session),
    };
    let (session, token) = insert_session(state, &tx, new).await.map_err(Box::new)?;
    let details = serde_json::json!({ "by": "issuer", "from": from.address.to_string() });
    let entity = ("session", &session.id as &(dyn std::fmt::Display + Sync));
    let scope = WorkspaceScope::of_member(member.workspace_id);
    let (at, action) = (session.created_at, "session.opened");
    audit::record(&tx, &state.ids, at, scope, user.id, action, entity, details).await?;
    tx.commit().await?;
    Ok(Entered {
        session,
        token,
        next,
    })
}
