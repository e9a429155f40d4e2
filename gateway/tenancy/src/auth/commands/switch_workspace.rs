//! Changing the workspace in which a sign-in works.

use super::open_session::people_only;
use crate::auth::{AuthContext, AuthError, Caller, store};
use crate::workspaces;
use roost_platform::ids::WorkspaceId;

/// Switches the caller's session. Open streams continue in the workspace for which they were opened.
///
/// # Errors
/// [`AuthError::UnknownWorkspace`] when the caller is not a member of it.
pub async fn switch_workspace(
    state: &AuthContext,
    caller: &Caller,
    to: WorkspaceId,
) -> Result<(), AuthError> {
    // A program's token stays in the workspace for which it was created.
    let session = people_only(caller)?;
    let tx = state.db.write().await?;
    workspaces::membership(&*tx, caller.user.id, to)
        .await?
        .ok_or(AuthError::UnknownWorkspace)?;
    store::switch_session(&tx, session.id, to).await?;
    tx.commit().await?;
    Ok(())
}
