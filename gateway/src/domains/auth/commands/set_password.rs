//! Setting a password. All other sign-ins of the user end with it, and their programs' tokens where they say so.

use secrecy::SecretString;

use super::open_session::people_only;
use crate::domains::audit;
use crate::domains::auth::routes::AuthState;
use crate::domains::auth::{AuthError, Caller, store};
use crate::ids::SessionId;

/// Stores a new password for the caller.
///
/// # Errors
/// [`AuthError::KeptByTheIssuer`] for somebody who never had one here: with a password they would come in after the issuer
/// has closed their account. [`AuthError::WrongCurrentPassword`] when the present one is needed and does not fit.
pub async fn set_password(
    state: &AuthState,
    caller: &Caller,
    current: Option<SecretString>,
    new: SecretString,
    tokens_too: bool,
) -> Result<(), AuthError> {
    let session = people_only(caller)?;
    let stored = caller.user.password_hash.clone();
    if stored.is_none() && caller.user.auth_subject.is_some() {
        return Err(AuthError::KeptByTheIssuer);
    }
    let needs_current = stored.is_some() && !session.set_password_without_current;
    if needs_current {
        check_current(state, caller, session.id, current, stored).await?;
    }
    let hash = state.passwords.hash(new).await?;
    let tx = state.db.write().await?;
    store::set_password(&*tx, caller.user.id, hash).await?;
    store::delete_other_sessions(&*tx, caller.user.id, session.id, tokens_too).await?;
    if let Some(member) = &caller.member {
        let details = serde_json::json!({ "tokens_revoked": tokens_too });
        audit::record(
            &tx,
            &state.ids,
            state.clock.now(),
            member.scope,
            caller.user.id,
            "password.changed",
            ("user", &caller.user.id),
            details,
        )
        .await?;
    }
    tx.commit().await?;
    state.streams.revoked();
    Ok(())
}

/// A session that was left open must not be a place to guess the password from: the account's limit counts here too.
async fn check_current(
    state: &AuthState,
    caller: &Caller,
    session: SessionId,
    current: Option<SecretString>,
    stored: Option<String>,
) -> Result<(), AuthError> {
    let Some(current) = current else {
        return Err(AuthError::WrongCurrentPassword);
    };
    let (account, now) = (caller.user.email.as_str(), state.clock.monotonic());
    let place = format!("session {session}");
    state
        .throttle
        .check(Some(account), &place, now)
        .map_err(|retry_after_s| AuthError::TooManyAttempts { retry_after_s })?;
    state.throttle.failed(Some(account), &place, now);
    if !state.passwords.verify(current, stored).await? {
        return Err(AuthError::WrongCurrentPassword);
    }
    state.throttle.succeeded(account);
    Ok(())
}
