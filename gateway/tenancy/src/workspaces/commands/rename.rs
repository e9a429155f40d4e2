//! Renaming a workspace.

use crate::auth::WorkspaceScope;
use crate::change::Change;
use crate::workspaces::entity::workspace;
use crate::workspaces::members::store::take_turn;
use crate::workspaces::{WorkspaceError, WorkspacesContext, store};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::UserId;

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
    let mut change = Change::begin(state, scope, user).await?;
    let version = take_turn(&change, scope)
        .await?
        .ok_or(WorkspaceError::NotFound)?;
    let present = store::get(change.tx(), scope)
        .await?
        .ok_or(WorkspaceError::NotFound)?;
    if present.name == name {
        return Ok(present);
    }
    store::set_name(&change, scope, &name).await?;
    let details = serde_json::json!({ "from": present.name, "to": name });
    change.record(
        "workspace.renamed",
        ("workspace", &scope.workspace()),
        details,
    );
    change.event(Event::changed(
        ResourceKind::Workspace,
        scope.workspace(),
        version,
    ));
    change.commit().await?;
    Ok(workspace::Model { name, ..present })
}
