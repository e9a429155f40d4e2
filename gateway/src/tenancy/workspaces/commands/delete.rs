//! Deleting a workspace. Its members lose access in this transaction. A saga then stops its work and removes its
//! machines, sandboxes, agents and rows. The audit log stays.

use crate::platform::ids::UserId;
use crate::platform::sagas::{self, Kind, saga};
use crate::tenancy::audit;
use crate::tenancy::auth::{self, WorkspaceScope};
use crate::tenancy::workspaces::members::store::take_turn;
use crate::tenancy::workspaces::{WorkspaceError, WorkspacesContext, store};

/// Begins the deletion.
///
/// # Errors
/// [`WorkspaceError::NotConfirmed`] when `confirm` is not its name; [`WorkspaceError::OnlyOne`] when the caller belongs
/// to no other workspace, and could not sign in afterwards.
pub async fn delete(
    state: &WorkspacesContext,
    scope: WorkspaceScope,
    user: UserId,
    confirm: &str,
) -> Result<saga::Model, WorkspaceError> {
    let now = state.clock.now();
    let tx = state.db.write().await?;
    take_turn(&tx, scope)
        .await?
        .ok_or(WorkspaceError::NotFound)?;
    let row = store::get(&*tx, scope)
        .await?
        .ok_or(WorkspaceError::NotFound)?;
    if row.name != confirm {
        return Err(WorkspaceError::NotConfirmed);
    }
    if store::of_user(&*tx, user).await?.len() < 2 {
        return Err(WorkspaceError::OnlyOne);
    }
    for member in store::remove_people(&*tx, scope).await? {
        auth::leave_workspace(&*tx, member.user_id, scope.workspace()).await?;
    }
    let details = serde_json::json!({ "name": row.name });
    audit::record(
        &tx,
        &state.ids,
        now,
        scope,
        user,
        "workspace.deleted",
        ("workspace", &scope.workspace()),
        details,
    )
    .await?;
    let end = sagas::New {
        kind: Kind::WorkspacePurge,
        subject: scope.workspace().0,
        scope,
        user,
        now,
    };
    let saga = sagas::begin(&tx, &state.ids, end).await?;
    tx.commit().await?;
    state.streams.revoked();
    state.sagas.nudge();
    Ok(saga)
}
