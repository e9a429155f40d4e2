//! Setting a password. All other sign-ins of the user end with it.

use secrecy::SecretString;

use crate::domains::auth::routes::AuthState;
use crate::domains::auth::{AuthError, Caller, store};

/// Stores a new password for the caller.
///
/// # Errors
/// [`AuthError::WrongCurrentPassword`] when the present one is needed and does not fit.
pub async fn set_password(
    state: &AuthState,
    caller: &Caller,
    current: Option<SecretString>,
    new: SecretString,
) -> Result<(), AuthError> {
    let stored = caller.user.password_hash.clone();
    let needs_current = stored.is_some() && !caller.session.set_password_without_current;
    if needs_current {
        let fits = match current {
            Some(current) => state.passwords.verify(current, stored).await?,
            None => false,
        };
        if !fits {
            return Err(AuthError::WrongCurrentPassword);
        }
    }
    let hash = state.passwords.hash(new).await?;
    let tx = state.db.write().await?;
    store::set_password(&*tx, caller.user.id, hash).await?;
    store::delete_other_sessions(&*tx, caller.user.id, caller.session.id).await?;
    tx.commit().await?;
    Ok(())
}
