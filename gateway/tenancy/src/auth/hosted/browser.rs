//! Signing in with a browser: the way to the issuer, and the way back with a code that becomes a local session.

use chrono::TimeDelta;
use serde::Deserialize;

use super::claims::Refusal;
use super::entity::sign_in;
use super::flow::{AuthorizationRequest, Binding, authorize, scope};
use super::grant::SignedIn;
use super::metadata::Metadata;
use super::takeover::Linked;
use super::{Facts, Hosted, HostedError, no_key, revalidation, store};
use crate::auth::commands::{NewSession, Origin, insert_session};
use crate::auth::entity::{session, user};
use crate::auth::{self, AuthContext, AuthError, Token, WorkspaceScope, sha256_hex};
use crate::change::Change;
use crate::workspaces;
use roost_platform::broker::outbox;
use roost_platform::ids::UserId;

/// How long a person may take at the issuer.
pub const WITHIN_MINUTES: i64 = 10;
/// The most sign-ins of one address that may be under way.
const MOST_OF_AN_ADDRESS: u64 = 100;

/// A sign-in that has begun.
pub struct Begun {
    /// The address at the issuer.
    pub url: url::Url,
    pub state: Token,
    /// The value of the browser's cookie.
    pub binding: Token,
}

/// What the issuer sends back, in the address of the callback.
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

/// The result of a finished sign-in.
pub struct Entered {
    pub session: session::Model,
    pub token: Token,
    pub next: String,
}

/// A person that came back from the issuer.
struct Arrived {
    user: user::Model,
    next: String,
    signed_in: SignedIn,
}

impl Hosted {
    pub(super) fn client_id(&self) -> Result<&str, HostedError> {
        self.settings
            .client_id
            .as_deref()
            .ok_or(HostedError::NoSignIn)
    }

    pub(super) async fn metadata(&self) -> Result<Metadata, HostedError> {
        self.keys.metadata(|| self.fetch()).await.map_err(no_key)
    }

    /// Begins a sign-in: records the state, and returns the address to open.
    ///
    /// # Errors
    /// When the gateway has no browser sign-in, or the issuer cannot be asked.
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
        let configured = self.settings.scope.as_deref();
        let asked = AuthorizationRequest {
            client_id,
            redirect_uri: &redirect_uri,
            state: state.reveal(),
            binding: Binding(binding.reveal()),
            scope: &scope(configured, metadata.scopes_supported.as_deref()),
        };
        let url = authorize(&endpoint, &asked);
        let now = self.clock.now();
        let from_address = roost_web::client_address::counted_as(from.address);
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

    /// Finishes a sign-in. The state is deleted in every case, the code becomes a token, and the token becomes a
    /// person.
    async fn person(&self, back: &Returned, binding: &str) -> Result<Arrived, HostedError> {
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
        let redeemed = self.redeem(&metadata, &row.redirect_uri, code, Binding(binding));
        let signed_in = redeemed.await?;
        let user = match row.link_user {
            Some(user) => self.link(user, &signed_in.facts).await?,
            None => self.arrive(&signed_in.facts).await?,
        };
        Ok(Arrived {
            user,
            next: row.next,
            signed_in,
        })
    }

    /// Links the account that began to the issuer's person. The person proved both, so the account's credentials stay.
    async fn link(&self, user: UserId, facts: &Facts) -> Result<user::Model, HostedError> {
        let now = self.clock.now();
        let tx = self.db.write().await?;
        let linked = match store::by_subject(&*tx, &facts.subject).await? {
            Some(row) => row.id == user,
            None => store::link(&tx, user, &facts.subject).await?,
        };
        let row = auth::store::user_by_id(&*tx, user).await?;
        let (true, Some(row)) = (linked, row) else {
            return Err(super::model::Stop::NotLinked.into());
        };
        if facts.verified_email() == Some(&*row.email) {
            store::vouch(&tx, row.id).await?;
        }
        self.note_link(&tx, &row, Linked::ByBoth, now).await?;
        tx.commit().await?;
        Ok(row)
    }
}

/// The whole way back, up to a session.
///
/// # Errors
/// See [`HostedError`].
pub async fn enter(
    state: &AuthContext,
    back: &Returned,
    binding: &str,
    from: &Origin,
) -> Result<Entered, HostedError> {
    let hosted = state.hosted.as_ref().ok_or(HostedError::NoSignIn)?;
    let Arrived {
        user,
        next,
        signed_in,
    } = hosted.person(back, binding).await?;
    let home = hosted.home().await?;
    let tx = state.db.write().await?;
    let place = workspaces::first_place(&*tx, user.id, home).await?;
    let (member, _) = place.ok_or(super::model::Stop::NotAdmitted)?;
    let scope = WorkspaceScope::of_member(member.workspace_id);
    let mut change = Change::within(state, tx, scope, user.id);
    let now = change.now();
    let grant = &signed_in.grant;
    let renewable = signed_in.renewable && outbox::keep(&change, grant).await?;
    match renewable {
        true => {
            // The newest sign-in's grant is used for later questions, so the earlier grant is forgotten.
            if let Some(before) = store::take_grant(change.tx(), user.id).await? {
                outbox::forget(&change, &before, now).await?;
            }
            store::set_grant(change.tx(), user.id, grant, now).await?;
        }
        false => outbox::forget(&change, grant, now).await?,
    }
    let new = NewSession {
        user: user.id,
        workspace: member.workspace_id,
        kind: "login",
        label: None,
        set_password_without_current: false,
        from: Some(from),
        lifetime: Some(match renewable {
            true => hosted.settings.session,
            // The gateway cannot ask the issuer again, so its answer counts only for a short time.
            false => hosted
                .settings
                .session
                .min(revalidation::TRUST.to_std().unwrap_or_default()),
        }),
        by_issuer: true,
        scopes: None,
    };
    let (session, token) = insert_session(state, &change, new)
        .await
        .map_err(Box::new)?;
    let details = serde_json::json!({ "by": "issuer", "from": from.address.to_string() });
    change.record("session.opened", ("session", &session.id), details);
    change.wake(&hosted.credentials);
    change.commit().await?;
    Ok(Entered {
        session,
        token,
        next,
    })
}
