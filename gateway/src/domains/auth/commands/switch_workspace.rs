//! Another workspace becomes the one that a sign-in works in.

use super::open_session::people_only;
use crate::domains::auth::routes::AuthState;
use crate::domains::auth::{AuthError, Caller, store};
use crate::ids::WorkspaceId;

/// Switches the caller's session. Streams that are open go on in the workspace that they were opened for.
///
/// # Errors
/// [`AuthError::UnknownWorkspace`] when the caller is not a member of it.
pub async fn switch_workspace(
    state: &AuthState,
    caller: &Caller,
    to: WorkspaceId,
) -> Result<(), AuthError> {
    // A token is for the workspace that it was made in.
    let session = people_only(caller)?;
    let tx = state.db.write().await?;
    store::membership(&*tx, caller.user.id, to)
        .await?
        .ok_or(AuthError::UnknownWorkspace)?;
    store::switch_session(&*tx, session.id, to).await?;
    tx.commit().await?;
    Ok(())
}
