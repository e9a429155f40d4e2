//! The placement setting: where new sandboxes go.

use crate::fleet;
use crate::sandboxes::{SandboxError, SandboxesHandle, store};
use roost_platform::events::{self, Event, ResourceKind};
use roost_platform::ids::{NodeId, UserId};
use roost_tenancy::audit;
use roost_tenancy::auth::WorkspaceScope;

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
    let now = sandboxes.clock.now();
    let mut tx = sandboxes.db.write().await?;
    if let Some(node) = node
        && fleet::availability(&*tx, scope, node).await?.is_none()
    {
        return Err(SandboxError::NoNode);
    }
    let version = store::set_placement(&*tx, scope, node, user, now).await?;
    let details = serde_json::json!({ "node_id": node });
    let subject = (
        "workspace",
        &scope.workspace() as &(dyn std::fmt::Display + Sync),
    );
    audit::record(
        &tx,
        &sandboxes.ids,
        now,
        scope,
        user,
        "placement.set",
        subject,
        details,
    )
    .await?;
    let fact = Event::changed(ResourceKind::Placement, scope.workspace(), version);
    events::append(&mut tx, scope.workspace(), now, [fact]).await?;
    tx.commit().await?;
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
