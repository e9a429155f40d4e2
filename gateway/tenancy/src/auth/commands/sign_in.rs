//! Signing in with a password or a one-time login.

use std::net::IpAddr;

use secrecy::{ExposeSecret, SecretString};

use super::open_session::{NewSession, Origin, insert};
use crate::auth::entity::{session, user};
use crate::auth::{
    Against, AuthContext, AuthError, Role, Token, WorkspaceScope, devices, refused, sha256_hex,
    store,
};
use crate::change::Change;
use crate::workspaces;
use roost_platform::ids::UserId;
use roost_web::client_address::counted_as;

/// What a person signs in with.
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

/// Opens a session. Every failure takes the same time and counts against the account and the address.
///
/// # Errors
/// [`AuthError::InvalidCredentials`], [`AuthError::TooManyAttempts`], or an internal error.
pub async fn sign_in(
    state: &AuthContext,
    credentials: Credentials,
    from: &Origin,
) -> Result<Fresh, AuthError> {
    match credentials {
        Credentials::Password { email, password } => {
            let email = email.trim().to_lowercase();
            let user = counted(
                state,
                &email,
                from,
                by_password(state, &email, password, from),
            )
            .await?;
            let tx = state.db.write().await?;
            open(state, tx, user, false, from).await
        }
        Credentials::OneTime(token) => {
            count_attempt(state, None, from.address)?;
            by_one_time(state, token, from).await
        }
    }
}

/// Does the work for a person that names an account, unless too many attempts have failed. A browser that signed in to
/// the account before has a count of its own.
pub(super) async fn counted<T>(
    state: &AuthContext,
    email: &str,
    from: &Origin,
    work: impl Future<Output = Result<T, AuthError>>,
) -> Result<T, AuthError> {
    let address = counted_as(from.address);
    let known = match &from.known_as {
        Some(presented) => {
            let (db, now) = (state.db.read(), state.clock.now());
            let known = devices::is_known(db, presented, email, now).await?;
            known.then(|| format!("browser {presented}"))
        }
        None => None,
    };
    let against = match &known {
        Some(browser) => Against::Known(browser),
        None => Against::Account {
            email,
            address: &address,
        },
    };
    let attempt = state.throttle.attempt(against, state.clock.monotonic());
    attempt.map_err(|retry_after_s| AuthError::TooManyAttempts { retry_after_s })?;
    let done = work.await?;
    state.throttle.succeeded(against);
    Ok(done)
}

/// Counts an attempt against account and address, before the work: concurrent attempts must not exceed the limit
/// together.
pub(in crate::auth) fn count_attempt(
    state: &AuthContext,
    account: Option<&str>,
    address: IpAddr,
) -> Result<(), AuthError> {
    let (now, address) = (state.clock.monotonic(), counted_as(address));
    let against = match account {
        Some(email) => Against::Account {
            email,
            address: &address,
        },
        None => Against::Address(&address),
    };
    let attempt = state.throttle.attempt(against, now);
    attempt.map_err(|retry_after_s| AuthError::TooManyAttempts { retry_after_s })
}

/// The user that the password belongs to. Every failure takes the same time, and the audit log of the account's workspaces
/// gets it.
pub(super) async fn by_password(
    state: &AuthContext,
    email: &str,
    password: SecretString,
    from: &Origin,
) -> Result<user::Model, AuthError> {
    let user = store::user_by_email(state.db.read(), email).await?;
    let stored = user.as_ref().and_then(|user| user.password_hash.clone());
    let fits = state.passwords.verify(password, stored).await?;
    if !fits {
        refused::note(state, user.map(|user| user.id), from).await?;
        return Err(AuthError::InvalidCredentials);
    }
    user.ok_or(AuthError::InvalidCredentials)
}

/// Remembers the browser of a person that has just signed in. Returns the cookie value for a browser that has none
/// yet.
///
/// # Errors
/// Internal errors only.
pub async fn remember_browser(
    state: &AuthContext,
    user: UserId,
    from: &Origin,
) -> Result<Option<Token>, AuthError> {
    if !from.by_page {
        return Ok(None);
    }
    let tx = state.db.write().await?;
    let token = devices::remember(&tx, user, from.known_as.as_deref(), state.clock.now()).await?;
    tx.commit().await?;
    Ok(token)
}

async fn by_one_time(
    state: &AuthContext,
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
    state: &AuthContext,
    tx: roost_platform::db::WriteTx,
    user: user::Model,
    one_time: bool,
    from: &Origin,
) -> Result<Fresh, AuthError> {
    let member = workspaces::first_membership(&*tx, user.id)
        .await?
        .ok_or(AuthError::NoWorkspace)?;
    let scope = WorkspaceScope::of_member(member.workspace_id);
    let change = Change::within(state, tx, scope, user.id);
    open_in(state, change, user, one_time, from).await
}

/// Opens a session in the change's workspace, and commits the change.
pub(super) async fn open_in(
    state: &AuthContext,
    mut change: Change,
    user: user::Model,
    one_time: bool,
    from: &Origin,
) -> Result<Fresh, AuthError> {
    let workspace = change.scope().workspace();
    let (member, place) = workspaces::membership(change.tx(), user.id, workspace)
        .await?
        .ok_or(AuthError::NoWorkspace)?;
    let new = NewSession {
        user: user.id,
        workspace,
        kind: "login",
        label: None,
        set_password_without_current: one_time,
        from: Some(from),
        lifetime: None,
        by_issuer: false,
        scopes: None,
    };
    let (session, token) = insert(state, &change, new).await?;
    let details = serde_json::json!({ "one_time": one_time, "from": from.address.to_string() });
    change.record("session.opened", ("session", &session.id), details);
    change.commit().await?;
    Ok(Fresh {
        session,
        token,
        role: Role::from_stored(&member.role),
        workspace_name: place.name,
        user,
    })
}
