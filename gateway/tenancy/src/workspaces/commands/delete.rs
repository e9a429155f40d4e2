//! Deleting a workspace. Its members lose access in this transaction. A saga then stops its work and removes its
//! machines, sandboxes, agents and rows. The audit log stays.

use crate::auth::{self, WorkspaceScope};
use crate::change::Change;
use crate::workspaces::members::store::take_turn;
use crate::workspaces::{WorkspaceError, WorkspacesContext, store};
use roost_platform::ids::UserId;
use roost_platform::sagas::{self, Kind, saga};

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
    let mut change = Change::begin(state, scope, user).await?;
    take_turn(&change, scope)
        .await?
        .ok_or(WorkspaceError::NotFound)?;
    let row = store::get(change.tx(), scope)
        .await?
        .ok_or(WorkspaceError::NotFound)?;
    if row.name != confirm {
        return Err(WorkspaceError::NotConfirmed);
    }
    if store::of_user(change.tx(), user).await?.len() < 2 {
        return Err(WorkspaceError::OnlyOne);
    }
    for member in store::remove_people(&change, scope).await? {
        auth::leave_workspace(&change, member.user_id, scope.workspace()).await?;
    }
    let details = serde_json::json!({ "name": row.name });
    change.record(
        "workspace.deleted",
        ("workspace", &scope.workspace()),
        details,
    );
    let end = sagas::New {
        kind: Kind::WorkspacePurge,
        subject: scope.workspace().0,
        scope,
        user,
        now: change.now(),
    };
    let saga = sagas::begin(&change, &state.ids, end).await?;
    change.wake(state.streams.nudge());
    change.wake(&state.sagas);
    change.commit().await?;
    Ok(saga)
}
