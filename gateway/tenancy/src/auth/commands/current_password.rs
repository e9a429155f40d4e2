//! Asking a signed-in person for the present password again, before a change that an open session alone must not make.

use secrecy::SecretString;

use crate::auth::noted::{self, AboutAccount};
use crate::auth::{Against, AuthContext, AuthError, Caller, entity::session};

/// Whether this is the caller's password. An open session must not allow guesses of the password, so attempts count for
/// all sessions of the person together. Attempts of strangers do not count here: they cannot keep the person from the
/// change. A wrong password is in the audit log of the person's workspaces.
///
/// # Errors
/// [`AuthError::TooManyAttempts`], or an internal error.
pub(super) async fn is_current(
    state: &AuthContext,
    caller: &Caller,
    session: &session::Model,
    given: Option<SecretString>,
    stored: Option<String>,
) -> Result<bool, AuthError> {
    let Some(given) = given else {
        return Ok(false);
    };
    let person = format!("person {}", caller.user.id);
    let against = Against::Known(&person);
    let attempt = state.throttle.attempt(against, state.clock.monotonic());
    attempt.map_err(|retry_after_s| AuthError::TooManyAttempts { retry_after_s })?;
    if !state.passwords.verify(given, stored).await? {
        note_refused(state, session).await?;
        return Ok(false);
    }
    state.throttle.succeeded(against);
    Ok(true)
}

async fn note_refused(state: &AuthContext, session: &session::Model) -> Result<(), AuthError> {
    let details = serde_json::json!({
        "session": session.id,
        "from": session.from_address,
        "device": session.device,
    });
    let entry = AboutAccount {
        account: session.user_id,
        actor: session.user_id,
        action: "account.password_refused",
        details,
        at: state.clock.now(),
    };
    let tx = state.db.write().await?;
    noted::in_each_workspace(&tx, &state.ids, entry).await?;
    Ok(tx.commit().await?)
}
