//! Another name for a workspace.

use crate::domains::audit;
use crate::domains::auth::WorkspaceScope;
use crate::domains::workspaces::entity::workspace;
use crate::domains::workspaces::members::store::take_turn;
use crate::domains::workspaces::routes::WorkspacesState;
use crate::domains::workspaces::{WorkspaceError, store};
use crate::events::{self, Event, ResourceKind};
use crate::ids::UserId;

/// Names it.
///
/// # Errors
/// [`WorkspaceError::NotFound`] when it is gone.
pub async fn rename(
    state: &WorkspacesState,
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
