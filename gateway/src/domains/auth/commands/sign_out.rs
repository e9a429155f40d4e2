//! Ending a session: one's own, or another one of the same user.

use crate::domains::audit;
use crate::domains::auth::routes::AuthState;
use crate::domains::auth::{AuthError, WorkspaceScope, store};
use crate::ids::{SessionId, UserId};

/// Deletes the session; its token is dead at once, and its open streams end within a second.
///
/// # Errors
/// [`AuthError::UnknownSession`] when the user has no such session.
pub async fn end_session(
    state: &AuthState,
    user: UserId,
    session: SessionId,
) -> Result<(), AuthError> {
    let tx = state.db.write().await?;
    let ended = store::delete_session(&*tx, user, session)
        .await?
        .ok_or(AuthError::UnknownSession)?;
    let details = serde_json::json!({ "kind": ended.kind, "label": ended.label });
    audit::record(
        &tx,
        &state.ids,
        state.clock.now(),
        WorkspaceScope::of_row(ended.workspace_id),
        user,
        "session.ended",
        ("session", &session),
        details,
    )
    .await?;
    tx.commit().await?;
    state.streams.revoked();
    Ok(())
}
