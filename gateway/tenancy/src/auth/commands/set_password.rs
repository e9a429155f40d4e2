//! Setting a password. It ends all other sign-ins of the user, and on request the tokens of their programs.

use secrecy::SecretString;

use super::open_session::people_only;
use crate::audit;
use crate::auth::{Against, AuthContext, AuthError, Caller, store};

/// Stores a new password for the caller.
///
/// # Errors
/// [`AuthError::KeptByTheIssuer`] when the user never had a password here: a password would let them in after the
/// issuer closed their account. [`AuthError::WrongCurrentPassword`] when the present one is needed and does not match.
pub async fn set_password(
    state: &AuthContext,
    caller: &Caller,
    current: Option<SecretString>,
    new: SecretString,
    tokens_too: bool,
) -> Result<(), AuthError> {
    // Another gateway may have changed the password since the caller was identified: what decides is read now.
    let token = &people_only(caller)?.token_sha256;
    let (session, user) = store::session_by_token(state.db.read(), token)
        .await?
        .ok_or(AuthError::UnknownSession)?;
    let stored = user.password_hash;
    if stored.is_none() && user.auth_subject.is_some() {
        return Err(AuthError::KeptByTheIssuer);
    }
    let needs_current = stored.is_some() && !session.set_password_without_current;
    if needs_current {
        check_current(state, caller, current, stored).await?;
    }
    let hash = state.passwords.hash(new).await?;
    let mut tx = state.db.write().await?;
    store::set_password(&tx, caller.user.id, hash).await?;
    store::delete_other_sessions(&tx, caller.user.id, session.id, tokens_too).await?;
    if tokens_too {
        let now = state.clock.now();
        state
            .departures
            .end_tokens(&tx, caller.user.id, now)
            .await?;
    }
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
    tx.wake(state.streams.nudge());
    tx.commit().await?;
    Ok(())
}

/// An open session must not allow guesses of the password, so attempts count for all sessions of the person together.
/// Attempts of strangers do not count here: they cannot keep the person from setting a new password.
async fn check_current(
    state: &AuthContext,
    caller: &Caller,
    current: Option<SecretString>,
    stored: Option<String>,
) -> Result<(), AuthError> {
    let Some(current) = current else {
        return Err(AuthError::WrongCurrentPassword);
    };
    let person = format!("person {}", caller.user.id);
    let against = Against::Known(&person);
    let attempt = state.throttle.attempt(against, state.clock.monotonic());
    attempt.map_err(|retry_after_s| AuthError::TooManyAttempts { retry_after_s })?;
    if !state.passwords.verify(current, stored).await? {
        return Err(AuthError::WrongCurrentPassword);
    }
    state.throttle.succeeded(against);
    Ok(())
}
