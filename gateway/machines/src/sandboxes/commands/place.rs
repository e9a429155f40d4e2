//! The placement setting: where new sandboxes go.

use crate::fleet;
use crate::sandboxes::{SandboxError, SandboxesHandle, placement_store};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{NodeId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Sets it; `None` is the gateway's own host.
///
/// # Errors
/// [`SandboxError::NoNode`] when the node does not belong to this workspace.
pub async fn set_placement(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    user: UserId,
    node: Option<NodeId>,
) -> Result<(), SandboxError> {
    let mut change = Change::begin(sandboxes, scope, user).await?;
    if let Some(node) = node
        && fleet::availability(change.tx(), scope, node)
            .await?
            .is_none()
    {
        return Err(SandboxError::NoNode);
    }
    let version =
        placement_store::set_placement(change.tx(), scope, node, user, change.now()).await?;
    let details = serde_json::json!({ "node_id": node });
    change.record("placement.set", ("workspace", &scope.workspace()), details);
    change.event(Event::changed(
        ResourceKind::Placement,
        scope.workspace(),
        version,
    ));
    change.commit().await?;
    Ok(())
}

/// Restores the default, the gateway's own host.
///
/// # Errors
/// When the database fails.
pub async fn clear_placement(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    user: UserId,
) -> Result<(), SandboxError> {
    set_placement(sandboxes, scope, user, None).await
}
