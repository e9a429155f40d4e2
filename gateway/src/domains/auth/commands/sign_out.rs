//! Ending a session: one's own, or another one of the same user.

use crate::domains::auth::routes::AuthState;
use crate::domains::auth::{AuthError, store};
use crate::ids::{SessionId, UserId};

/// Deletes the session; its token is dead at once, and open streams of it are cut at their next check.
///
/// # Errors
/// [`AuthError::UnknownSession`] when the user has no such session.
pub async fn end_session(
    state: &AuthState,
    user: UserId,
    session: SessionId,
) -> Result<(), AuthError> {
    let tx = state.db.write().await?;
    let ended = store::delete_session(&*tx, user, session).await?;
    tx.commit().await?;
    if ended {
        Ok(())
    } else {
        Err(AuthError::UnknownSession)
    }
}
