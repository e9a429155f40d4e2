//! Ending a session: the caller's own, or another session of the same user.

use crate::auth::{AuthContext, AuthError, WorkspaceScope, hosted, store};
use crate::change::Change;
use roost_platform::ids::{SessionId, UserId};

/// Deletes the session. Its token stops working at once, and its open streams end within a second.
///
/// # Errors
/// [`AuthError::UnknownSession`] when the user has no such session.
pub async fn end_session(
    state: &AuthContext,
    user: UserId,
    session: SessionId,
) -> Result<(), AuthError> {
    let tx = state.db.write().await?;
    let ended = store::delete_session(&tx, user, session)
        .await?
        .ok_or(AuthError::UnknownSession)?;
    let details = serde_json::json!({ "kind": ended.kind, "label": ended.label });
    let scope = WorkspaceScope::of_row(ended.workspace_id);
    let mut change = Change::within(state, tx, scope, user);
    change.record("session.ended", ("session", &session), details);
    if ended.by_issuer {
        hosted::revalidation::release_idle_grants(&change, change.now()).await?;
    }
    if let Some(hosted) = &state.hosted {
        change.wake(&hosted.credentials);
    }
    change.wake(state.streams.nudge());
    change.commit().await?;
    Ok(())
}
