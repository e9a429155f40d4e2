//! Signing in with a password or a one-time login.

use std::net::IpAddr;

use secrecy::{ExposeSecret, SecretString};

use super::open_session::{NewSession, Origin, insert};
use crate::domains::audit;
use crate::domains::auth::entity::{session, user};
use crate::domains::auth::routes::AuthState;
use crate::domains::auth::{AuthError, Role, Token, WorkspaceScope, sha256_hex, store};
use crate::http::client_address::counted_as;

/// What somebody presents.
pub enum Credentials {
    OneTime(SecretString),
    Password {
        email: String,
        password: SecretString,
    },
}

/// A session that was just opened.
pub struct Fresh {
    pub session: session::Model,
    pub token: Token,
    pub user: user::Model,
    pub role: Role,
    pub workspace_name: String,
}

/// Opens a session. Failures take the same time whatever was wrong, and are counted against account and address.
///
/// # Errors
/// [`AuthError::InvalidCredentials`], [`AuthError::TooManyAttempts`], or ours.
pub async fn sign_in(
    state: &AuthState,
    credentials: Credentials,
    from: &Origin,
) -> Result<Fresh, AuthError> {
    let account = match &credentials {
        Credentials::Password { email, .. } => Some(email.trim().to_lowercase()),
        Credentials::OneTime(_) => None,
    };
    count_attempt(state, account.as_deref(), from.address)?;
    let fresh = match (credentials, account.as_deref()) {
        (Credentials::Password { password, .. }, Some(email)) => {
            let user = by_password(state, email, password).await?;
            let tx = state.db.write().await?;
            open(state, tx, user, false, from).await?
        }
        (Credentials::Password { .. }, None) => return Err(AuthError::InvalidCredentials),
        (Credentials::OneTime(token), _) => by_one_time(state, token, from).await?,
    };
    if let Some(account) = account {
        state.throttle.succeeded(&account);
    }
    Ok(fresh)
}

/// Counts a try against account and address, before the work: tries that run at the same time must not slip under the
/// limit together.
pub(in crate::domains::auth) fn count_attempt(
    state: &AuthState,
    account: Option<&str>,
    address: IpAddr,
) -> Result<(), AuthError> {
    let (now, address) = (state.clock.monotonic(), counted_as(address));
    state
        .throttle
        .check(account, &address, now)
        .map_err(|retry_after_s| AuthError::TooManyAttempts { retry_after_s })?;
    state.throttle.failed(account, &address, now);
    Ok(())
}

/// The user whose password it is; the same time whatever is wrong.
pub(super) async fn by_password(
    state: &AuthState,
    email: &str,
    password: SecretString,
) -> Result<user::Model, AuthError> {
    let user = store::user_by_email(state.db.read(), email).await?;
    let stored = user.as_ref().and_then(|user| user.password_hash.clone());
    let fits = state.passwords.verify(password, stored).await?;
    user.filter(|_| fits).ok_or(AuthError::InvalidCredentials)
}

async fn by_one_time(
    state: &AuthState,
    token: SecretString,
    from: &Origin,
) -> Result<Fresh, AuthError> {
    let tx = state.db.write().await?;
    let hash = sha256_hex(token.expose_secret().trim());
    let user = store::take_one_time(&*tx, &hash, state.clock.now())
        .await?
        .ok_or(AuthError::InvalidCredentials)?;
    let user = store::user_by_id(&*tx, user)
        .await?
        .ok_or(AuthError::InvalidCredentials)?;
    open(state, tx, user, true, from).await
}

async fn open(
    state: &AuthState,
    tx: crate::db::WriteTx,
    user: user::Model,
    one_time: bool,
    from: &Origin,
) -> Result<Fresh, AuthError> {
    let member = store::first_membership(&*tx, user.id)
        .await?
        .ok_or(AuthError::NoWorkspace)?;
    let new = NewSession {
        user: user.id,
        workspace: member.workspace_id,
        kind: "login",
        label: None,
        set_password_without_current: one_time,
        from: Some(from),
        lifetime: None,
    };
    let (session, token) = insert(state, &tx, new).await?;
    let scope = WorkspaceScope::of_member(member.workspace_id);
    let (_, workspace) = store::membership(&*tx, user.id, member.workspace_id)
        .await?
        .ok_or(AuthError::NoWorkspace)?;
    let details = serde_json::json!({ "one_time": one_time, "from": from.address.to_string() });
    let entity = ("session", &session.id as &(dyn std::fmt::Display + Sync));
    audit::record(
        &tx,
        &state.ids,
        session.created_at,
        scope,
        user.id,
        "session.opened",
        entity,
        details,
    )
    .await?;
    tx.commit().await?;
    Ok(Fresh {
        session,
        token,
        role: Role::from_stored(&member.role),
        workspace_name: workspace.name,
        user,
    })
}
