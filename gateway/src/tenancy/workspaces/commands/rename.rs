//! Renaming a workspace.

use crate::platform::events::{self, Event, ResourceKind};
use crate::platform::ids::UserId;
use crate::tenancy::audit;
use crate::tenancy::auth::WorkspaceScope;
use crate::tenancy::workspaces::entity::workspace;
use crate::tenancy::workspaces::members::store::take_turn;
use crate::tenancy::workspaces::{WorkspaceError, WorkspacesContext, store};

/// Renames the workspace.
///
/// # Errors
/// [`WorkspaceError::NotFound`] when it does not exist any more.
pub async fn rename(
    state: &WorkspacesContext,
    scope: WorkspaceScope,
    user: UserId,
    name: String,
) -> Result<workspace::Model, WorkspaceError> {
    let now = state.clock.now();
    let mut tx = state.db.write().await?;
    let version = take_turn(&tx, scope)
        .await?
        .ok_or(WorkspaceError::NotFound)?;
    let present = store::get(&*tx, scope)
        .await?
        .ok_or(WorkspaceError::NotFound)?;
    if present.name == name {
        return Ok(present);
    }
    store::set_name(&*tx, scope, &name).await?;
    let details = serde_json::json!({ "from": present.name, "to": name });
    audit::record(
        &tx,
        &state.ids,
        now,
        scope,
        user,
        "workspace.renamed",
        ("workspace", &scope.workspace()),
        details,
    )
    .await?;
    let fact = Event::changed(ResourceKind::Workspace, scope.workspace(), version);
    events::append(&mut tx, scope.workspace(), now, [fact]).await?;
    tx.commit().await?;
    Ok(workspace::Model { name, ..present })
}
