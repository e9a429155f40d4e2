//! Deleting a workspace: its people lose it in this transaction; a saga then stops its work and removes its machines,
//! sandboxes, agents and rows. The audit log stays.

use crate::domains::audit;
use crate::domains::auth::{self, WorkspaceScope};
use crate::domains::workspaces::members::store::take_turn;
use crate::domains::workspaces::routes::WorkspacesState;
use crate::domains::workspaces::{WorkspaceError, store};
use crate::ids::UserId;
use crate::sagas::{self, Kind, saga};

/// Begins it.
///
/// # Errors
/// [`WorkspaceError::NotConfirmed`] when `confirm` is not its name; [`WorkspaceError::OnlyOne`] when the caller belongs
/// to no other, and could not sign in afterwards.
pub async fn delete(
    state: &WorkspacesState,
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
        auth::store::leave_workspace(&*tx, member.user_id, scope.workspace()).await?;
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
