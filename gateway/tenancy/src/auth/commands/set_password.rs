//! Setting a password. It ends all other sign-ins of the user, and on request the tokens of their programs.

use secrecy::SecretString;

use super::current_password::is_current;
use super::open_session::people_only;
use crate::audit;
use crate::auth::{AuthContext, AuthError, Caller, store};

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
    if needs_current && !is_current(state, caller, &session, current, stored).await? {
        return Err(AuthError::WrongCurrentPassword);
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
